/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C in two ways. The portable way uses eight tables and takes eight bytes a step. The hardware way uses the CPU's
 * instruction, which takes eight bytes but must wait three cycles for the one before it. So the input is cut into three
 * runs of equal length, whose sums are computed side by side and joined afterwards.
 *
 * Joining. A sum is a polynomial modulo P, and n words that follow it multiply it by x^(64 n). The CPU multiplies
 * without carries: the product of two reflected sums is their product times x. One step over its 64 bits reduces the
 * product and multiplies it by x^32. So the constant for n words is x^(64 n - 33) mod P. For one word that is x^31,
 * which is 1 when reflected; each further word takes one more step over a word of zeros.
 *
 * Short input is cut into blocks of a fixed size: their loops are unrolled, and their constants stand at fixed places.
 * A copy is summed on its way, block by block.
 */
#include "base/crc32c.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t slices[8][256];

static uint64_t load64(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

uint32_t crc32c_portable(uint32_t seed, const void *data, size_t length) {
    const uint8_t *next = data;
    uint32_t crc = ~seed;
    for (; length >= 8; length -= 8, next += 8) {
        uint64_t word = load64(next) ^ crc;
        crc = slices[7][word & 255] ^ slices[6][word >> 8 & 255] ^ slices[5][word >> 16 & 255] ^
              slices[4][word >> 24 & 255] ^ slices[3][word >> 32 & 255] ^ slices[2][word >> 40 & 255] ^
              slices[1][word >> 48 & 255] ^ slices[0][word >> 56];
    }
    for (; length > 0; length--)
        crc = slices[0][(crc ^ *next++) & 255] ^ crc >> 8;
    return ~crc;
}

static void fill_slices(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
        slices[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++) {
        for (int byte = 0; byte < 256; byte++)
            slices[slice][byte] = slices[0][slices[slice - 1][byte] & 255] ^ slices[slice - 1][byte] >> 8;
    }
}

#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__clang_major__) && __clang_major__ >= 14 /* older versions and gcc have it in sse4.2 */
#define HARDWARE __attribute__((target("sse4.2,crc32,pclmul")))
#else
#define HARDWARE __attribute__((target("sse4.2,pclmul")))
#endif
#define STEP64(crc, word) _mm_crc32_u64((crc), (word))
#define STEP32(crc, word) _mm_crc32_u32((uint32_t)(crc), (word))
#define STEP8(crc, byte) _mm_crc32_u8((uint32_t)(crc), (byte))

HARDWARE static uint64_t multiply(uint32_t a, uint32_t b) {
    return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)a), _mm_cvtsi32_si128((int)b), 0));
}

static int cpu_has_crc32c(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

#elif defined(__aarch64__)

#include <arm_acle.h>
#include <arm_neon.h>
#include <sys/auxv.h>

#define HARDWARE __attribute__((target("+crc+crypto")))
#define STEP64(crc, word) __crc32cd((uint32_t)(crc), (word))
#define STEP32(crc, word) __crc32cw((uint32_t)(crc), (word))
#define STEP8(crc, byte) __crc32cb((uint32_t)(crc), (byte))
#define HWCAP_HAS_PMULL (1u << 4)
#define HWCAP_HAS_CRC32 (1u << 7)

HARDWARE static uint64_t multiply(uint32_t a, uint32_t b) {
    return vgetq_lane_u64(vreinterpretq_u64_p128(vmull_p64(a, b)), 0);
}

static int cpu_has_crc32c(void) {
    return (~getauxval(AT_HWCAP) & (HWCAP_HAS_PMULL | HWCAP_HAS_CRC32)) == 0;
}

#endif

#ifdef HARDWARE

/* Takes the next bytes of `from`, and stores them at `to` if they are to be copied. Sums exactly the bytes that it
 * stores, even if another thread changes the caller's bytes meanwhile. */
#define TAKE(type, name)                                                                                               \
    static inline __attribute__((always_inline)) type name(const uint8_t *from, uint8_t *to, int copies) {             \
        type value;                                                                                                    \
        memcpy(&value, from, sizeof(value));                                                                           \
        if (copies) {                                                                                                  \
            uint64_t once = value; /* the compiler must not read `from` a second time */                               \
            __asm__("" : "+r"(once));                                                                                  \
            value = (type)once;                                                                                        \
            memcpy(to, &value, sizeof(value));                                                                         \
        }                                                                                                              \
        return value;                                                                                                  \
    }
TAKE(uint64_t, take64)
TAKE(uint32_t, take32)
TAKE(uint8_t, take8)

/* Copies `count` times 16 bytes, from every `apart` bytes on, and returns where to sum them: the copy, since no second look
 * at the caller's bytes may sum what was not stored. The processor takes a word that it just stored from the store. */
static inline __attribute__((always_inline)) const uint8_t *take_pairs(const uint8_t *from, uint8_t *to, size_t apart,
                                                                       size_t count, int copies) {
    if (!copies) {
        return from;
    }
#pragma GCC unroll 4
    for (size_t at = 0; at < count * apart; at += apart) {
        memcpy(to + at, from + at, 16);
    }
    __asm__ volatile("" : : : "memory");
    return to;
}

#define BLOCK_WORDS 8u      /* in each of the three runs of a block, whose loop is unrolled */
#define HALF_BLOCK_WORDS 4u /* joining shorter runs would cost more than it saves */
#define BLOCK_BYTES(words) (3u * 8u * (words))
#define LEAST_LONG_BYTES 1024u /* runs as long as the input: joined once, but by a loop that is not unrolled */
#define MOST_RUN_WORDS 512u

static uint32_t words_after[2 * MOST_RUN_WORDS + 1]; /* x^(64 n - 33) mod P */

HARDWARE static void fill_words_after(void) {
    words_after[1] = 1;
    for (unsigned words = 2; words <= 2 * MOST_RUN_WORDS; words++)
        words_after[words] = (uint32_t)STEP64(words_after[words - 1], 0);
}

/* The sums are kept in 64 bits, as the instruction gives them: none is cut to 32 between two steps. */
HARDWARE static inline __attribute__((always_inline)) uint64_t join(uint64_t first, uint64_t second, uint64_t third,
                                                                    size_t words) {
    return STEP64(0,
                  multiply((uint32_t)first, words_after[2 * words]) ^ multiply((uint32_t)second, words_after[words])) ^
           third;
}

HARDWARE static inline __attribute__((always_inline)) uint64_t three_runs(uint64_t crc, const uint8_t *data,
                                                                          uint8_t *to, size_t words, int copies) {
    const size_t run_bytes = 8 * words;
    const uint8_t *const data2 = data + run_bytes, *const data3 = data2 + run_bytes;
    uint8_t *const to2 = to + run_bytes, *const to3 = to2 + run_bytes;
    uint64_t second = 0, third = 0;
    for (size_t at = 0; at < run_bytes; at += 8) {
        crc = STEP64(crc, take64(data + at, to + at, copies));
        second = STEP64(second, take64(data2 + at, to2 + at, copies));
        third = STEP64(third, take64(data3 + at, to3 + at, copies));
    }
    return join(crc, second, third, words);
}

/* Three runs of a few words, which is a constant. */
HARDWARE static inline __attribute__((always_inline)) uint64_t block(uint64_t crc, const uint8_t *data, uint8_t *to,
                                                                     size_t words, int copies) {
    const size_t run_bytes = 8 * words;
    uint64_t second = 0, third = 0;
#pragma GCC unroll 4
    for (size_t at = 0; at < run_bytes; at += 16) {
        const uint8_t *const from = take_pairs(data + at, to + at, run_bytes, 3, copies);
        crc = STEP64(crc, load64(from));
        second = STEP64(second, load64(from + run_bytes));
        third = STEP64(third, load64(from + 2 * run_bytes));
        crc = STEP64(crc, load64(from + 8));
        second = STEP64(second, load64(from + run_bytes + 8));
        third = STEP64(third, load64(from + 2 * run_bytes + 8));
    }
    return join(crc, second, third, words);
}

HARDWARE static inline __attribute__((always_inline)) uint32_t sum_rest(uint64_t crc, const uint8_t *next, uint8_t *to,
                                                                        size_t length, int copies) {
    for (; length >= 64; length -= 64, next += 64, to += 64) {
        const uint8_t *const from = take_pairs(next, to, 16, 4, copies);
#pragma GCC unroll 8
        for (size_t at = 0; at < 64; at += 8)
            crc = STEP64(crc, load64(from + at));
    }
    if (length >= 32) {
        const uint8_t *const from = take_pairs(next, to, 16, 2, copies);
        crc = STEP64(STEP64(crc, load64(from)), load64(from + 8));
        crc = STEP64(STEP64(crc, load64(from + 16)), load64(from + 24));
        length -= 32, next += 32, to += 32;
    }
    if (length == 0)
        return (uint32_t)~crc;
    for (; length >= 8; length -= 8, next += 8, to += 8)
        crc = STEP64(crc, take64(next, to, copies));
    for (; length >= 4; length -= 4, next += 4, to += 4)
        crc = STEP32(crc, take32(next, to, copies));
    for (; length > 0; length--)
        crc = STEP8(crc, take8(next++, to++, copies));
    return (uint32_t)~crc;
}

HARDWARE static inline __attribute__((always_inline)) uint32_t sum_short(uint64_t crc, const uint8_t *next, uint8_t *to,
                                                                         size_t length, int copies) {
    for (; length >= BLOCK_BYTES(BLOCK_WORDS); length -= BLOCK_BYTES(BLOCK_WORDS)) {
        crc = block(crc, next, to, BLOCK_WORDS, copies);
        next += BLOCK_BYTES(BLOCK_WORDS);
        to += BLOCK_BYTES(BLOCK_WORDS);
    }
    if (length >= BLOCK_BYTES(HALF_BLOCK_WORDS)) {
        crc = block(crc, next, to, HALF_BLOCK_WORDS, copies);
        next += BLOCK_BYTES(HALF_BLOCK_WORDS);
        to += BLOCK_BYTES(HALF_BLOCK_WORDS);
        length -= BLOCK_BYTES(HALF_BLOCK_WORDS);
    }
    return sum_rest(crc, next, to, length, copies);
}

HARDWARE static inline __attribute__((always_inline)) uint32_t sum_long(uint64_t crc, const uint8_t *next, uint8_t *to,
                                                                        size_t length, int copies) {
    while (length >= BLOCK_BYTES(BLOCK_WORDS)) {
        const size_t third = length / (3 * 8), words = third < MOST_RUN_WORDS ? third : MOST_RUN_WORDS;
        crc = three_runs(crc, next, to, words, copies);
        next += BLOCK_BYTES(words);
        to += BLOCK_BYTES(words);
        length -= BLOCK_BYTES(words);
    }
    return sum_rest(crc, next, to, length, copies);
}

/* The long ones are functions of their own: a short sum does not pay for the registers that they need. */
HARDWARE static __attribute__((noinline)) uint32_t crc32c_long(uint32_t seed, const void *data, size_t length) {
    return sum_long(~seed, data, (uint8_t *)data, length, 0);
}

HARDWARE static __attribute__((noinline)) uint32_t copy_long(void *to, const void *from, size_t length) {
    return sum_long(~0u, from, to, length, 1);
}

HARDWARE static uint32_t crc32c_hardware(uint32_t seed, const void *data, size_t length) {
    return length < LEAST_LONG_BYTES ? sum_short(~seed, data, (uint8_t *)data, length, 0)
                                     : crc32c_long(seed, data, length);
}

HARDWARE static uint32_t copy_hardware(void *to, const void *from, size_t length) {
    return length < LEAST_LONG_BYTES ? sum_short(~0u, from, to, length, 1) : copy_long(to, from, length);
}

HARDWARE static uint32_t crc32c_52_hardware(uint32_t seed, const void *data) {
    const uint8_t *const bytes = data;
    uint64_t crc = ~seed;
#pragma GCC unroll 6
    for (size_t at = 0; at < 48; at += 8)
        crc = STEP64(crc, load64(bytes + at));
    uint32_t last;
    memcpy(&last, bytes + 48, sizeof last);
    return (uint32_t)~STEP32(crc, last);
}

#endif

static uint32_t copy_portable(void *to, const void *from, size_t length) {
    memcpy(to, from, length);
    return crc32c_portable(0, to, length);
}

static uint32_t crc32c_52_portable(uint32_t seed, const void *data) {
    return crc32c_portable(seed, data, 52);
}

static uint32_t (*fastest)(uint32_t seed, const void *data, size_t length) = crc32c_portable;
static uint32_t (*fastest_copy)(void *to, const void *from, size_t length) = copy_portable;
static uint32_t (*fastest_52)(uint32_t seed, const void *data) = crc32c_52_portable;

/* Runs before any thread can ask for a sum. Tables and choice never change afterwards. */
__attribute__((constructor)) static void choose_at_load(void) {
    fill_slices();
#ifdef HARDWARE
    if (cpu_has_crc32c()) {
        fill_words_after();
        fastest = crc32c_hardware;
        fastest_copy = copy_hardware;
        fastest_52 = crc32c_52_hardware;
    }
#endif
}

uint32_t crc32c(uint32_t seed, const void *data, size_t length) {
    return fastest(seed, data, length);
}

uint32_t crc32c_copy(void *to, const void *from, size_t length) {
    return fastest_copy(to, from, length);
}

uint32_t crc32c_52(uint32_t seed, const void *data) {
    return fastest_52(seed, data);
}
