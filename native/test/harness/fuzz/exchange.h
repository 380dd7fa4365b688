/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of the two targets between a log and the drain of another process: recipes for what the hostile side writes. */
#ifndef BURST_TEST_FUZZ_EXCHANGE_H
#define BURST_TEST_FUZZ_EXCHANGE_H

#include <stdint.h>

/* 8 bytes at a place are set, moved or turned. */
struct exchange_poke {
    uint8_t area, how;
    uint16_t at;
    uint32_t small;
    int64_t value;
};

/* ------------------------------------------------------------------------------ target_requests.c: the log is hostile */

#define WISHES 6u
#define WISH_PATH_BYTES 40u
#define REQUEST_POKES 8u
#define REQUEST_CHANGES 16u

struct wish {
    uint8_t entry, wants, has_segments, is_endless;
    int32_t number;
    char path[WISH_PATH_BYTES];
    char segments[WISH_PATH_BYTES];
};

struct requests_input {
    uint8_t wish_count, poke_count, late_count, change_count, gap_count, steps, list, fails;
    uint8_t asks_for_ever, is_short, version, io;
    int32_t newest; /* added to the highest number */
    uint64_t watermark;
    uint64_t gap_bytes;
    struct wish wishes[WISHES];
    struct exchange_poke pokes[REQUEST_POKES];
    struct exchange_poke changes[REQUEST_CHANGES];
};

_Static_assert(sizeof(struct requests_input) == 944, "scripts/prove/fuzz has the length");

/* -------------------------------------------------------------------------------- target_page.c: the drain is hostile */

#define ACTS 8u
#define ANSWERS 8u
#define PAGE_POKES 8u
#define ROUNDS 3u

enum act_kind { ACT_OPEN, ACT_CLOSE, ACT_FORGET, ACTS_THERE_ARE };

/* The log opens a stream, closes one, or forgets a refusal, if it may. */
struct act {
    uint8_t kind, ticket, round, reserved;
};

struct page_answer {
    uint8_t entry, text, is_open, how; /* how: the number is the one that was asked for, plus `number`; or that alone */
    uint16_t id;
    uint16_t round; /* from which on */
    int32_t rc;
    int32_t number;
};

struct page_input {
    uint8_t act_count, answer_count, poke_count, late_count, rounds, version, bytes, text;
    uint32_t epoch, cut;
    uint64_t drain[ROUNDS], change[ROUNDS], events[ROUNDS];
    uint64_t named[2]; /* a bit for each stream that a slot names */
    struct act acts[ACTS];
    struct page_answer answers[ANSWERS];
    struct exchange_poke pokes[PAGE_POKES];
};

_Static_assert(sizeof(struct page_input) == 392, "scripts/prove/fuzz has the length");

/* The value that the poke puts in the place of this one. */
static inline int64_t exchange_value(const struct exchange_poke *poke, int64_t value) {
    return poke->how % 4 == 0   ? poke->value
           : poke->how % 4 == 1 ? (int64_t)((uint64_t)value + (uint64_t)(int32_t)poke->small)
           : poke->how % 4 == 2 ? value ^ poke->value
                                : (int64_t)poke->small;
}

#endif
