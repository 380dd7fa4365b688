/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that writer and reader agree on. Number and life give length and bytes, so a reader can check each byte. A
 * life is one open of the log: a number that is written again after a crash has other bytes.
 *
 *     0123456789abcdef 00000001 bdfhhaca..\n        number, life, and a tail of up to 24 letters; now and then a long one
 */
#ifndef BURST_TEST_READERS_RECORD_H
#define BURST_TEST_READERS_RECORD_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RECORD_HEAD_BYTES 26u
#define RECORD_MOST_BYTES (RECORD_HEAD_BYTES + 4096u + 1u)
#define LONG_ONE_OF 512u /* one of so many records is long */

static inline uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}

static inline void put_hex(char *out, uint64_t value, int digits) {
    for (int i = digits; i-- > 0; value >>= 4) {
        out[i] = "0123456789abcdef"[value & 15];
    }
}

/* Writes the record, at most RECORD_MOST_BYTES; returns its length. */
static inline size_t record_make(char *out, uint64_t number, uint32_t life) {
    const uint64_t draw = mix(number * 0x9e3779b97f4a7c15ull + life);
    const size_t tail = draw % LONG_ONE_OF == 0 ? 200 + (draw >> 40) % 3896 : (draw >> 32) % 25;
    put_hex(out, number, 16);
    out[16] = ' ';
    put_hex(out + 17, life, 8);
    out[25] = ' ';
    uint64_t letters = 0;
    for (size_t i = 0; i < tail; i++, letters >>= 4) {
        letters = i % 16 == 0 ? mix(draw + i) : letters;
        out[RECORD_HEAD_BYTES + i] = (char)('a' + (letters & 15));
    }
    out[RECORD_HEAD_BYTES + tail] = '\n';
    return RECORD_HEAD_BYTES + tail + 1;
}

static inline int get_hex(const char *text, int digits, uint64_t *value) {
    *value = 0;
    for (int i = 0; i < digits; i++) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) {
            return 0;
        }
        *value = *value << 4 | (unsigned)digit;
    }
    return 1;
}

/* Whether these bytes are one whole record, and no more. */
static inline int record_take(const char *text, size_t length, uint64_t *number, uint32_t *life) {
    static char wanted[RECORD_MOST_BYTES];
    uint64_t of_life;
    if (length < RECORD_HEAD_BYTES || !get_hex(text, 16, number) || !get_hex(text + 17, 8, &of_life)) {
        return 0;
    }
    *life = (uint32_t)of_life;
    return record_make(wanted, *number, *life) == length && memcmp(wanted, text, length) == 0;
}

#endif
