/* SPDX-License-Identifier: Apache-2.0 */
#include "media/flight.h"

#include "base/crc32c.h"

#define FIRST_BITS 7u /* the first bucket begins below 2^7 ns */
#define MANTISSA_BITS 4u
#define MANTISSA (1u << MANTISSA_BITS)
#define COUNT_MOST ((2 * MANTISSA - 1) << 14)

void flight_seal_head(struct flight_head *head) {
    head->magic = FLIGHT_MAGIC;
    head->version = FLIGHT_VERSION;
    head->lines = FLIGHT_LINES;
    head->line_bytes = sizeof(struct flight_line);
    head->events = FLIGHT_EVENTS;
    head->event_bytes = sizeof(struct flight_event);
    head->crc = crc32c(0, head, offsetof(struct flight_head, crc));
}

enum flight_judgement flight_judge_head(const struct flight_head *head) {
    if (head->magic != FLIGHT_MAGIC) {
        return FLIGHT_IS_FOREIGN;
    }
    const int is_ours = head->crc == crc32c(0, head, offsetof(struct flight_head, crc)) &&
                        head->version == FLIGHT_VERSION && head->lines == FLIGHT_LINES &&
                        head->line_bytes == sizeof(struct flight_line) && head->events == FLIGHT_EVENTS &&
                        head->event_bytes == sizeof(struct flight_event) && head->ring[FLIGHT_RING_BYTES - 1] == '\0';
    return is_ours ? FLIGHT_IS_OURS : FLIGHT_IS_OTHER;
}

static uint32_t crc_of_line(const struct flight_line *line, uint32_t id) {
    return crc32c(id, &line->crc + 1, sizeof *line - sizeof line->crc);
}

static uint32_t crc_of_event(const struct flight_event *event, uint32_t id) {
    return crc32c(id, &event->crc + 1, sizeof *event - sizeof event->crc);
}

void flight_seal_line(struct flight_line *line, uint32_t id) {
    line->crc = crc_of_line(line, id);
}

void flight_seal_event(struct flight_event *event, uint32_t id) {
    event->crc = crc_of_event(event, id);
}

static int is_in_place(uint64_t number, uint64_t place, uint64_t places) {
    return number > 0 && number <= FLIGHT_NUMBER_MAX && number % places == place;
}

int flight_line_is_valid(const struct flight_line *line, uint32_t id, uint64_t place) {
    return is_in_place(line->number, place, FLIGHT_LINES) && line->crc == crc_of_line(line, id);
}

int flight_event_is_valid(const struct flight_event *event, uint32_t id, uint64_t place) {
    return is_in_place(event->number, place, FLIGHT_EVENTS) && event->crc == crc_of_event(event, id) &&
           event->text[FLIGHT_TEXT_BYTES - 1] == '\0';
}

static unsigned bucket_of(uint64_t ns) {
    if (ns < 1u << FIRST_BITS) {
        return 0;
    }
    const unsigned bits = 63u - (unsigned)__builtin_clzll(ns);
    const unsigned bucket = (bits - FIRST_BITS) * 2 + (unsigned)(ns >> (bits - 1) & 1);
    return bucket < FLIGHT_BUCKETS ? bucket : FLIGHT_BUCKETS - 1;
}

uint64_t flight_bucket_begin(unsigned bucket) {
    return bucket == 0 ? 0 : (2ull + (bucket & 1)) << (FIRST_BITS - 1 + bucket / 2);
}

/* A number of four bits and an exponent, rounded down; exact below 32. */
static uint8_t pack_count(uint64_t count) {
    count = count < COUNT_MOST ? count : COUNT_MOST;
    unsigned exponent = 0;
    while (count >= 2 * MANTISSA) {
        count /= 2;
        exponent++;
    }
    return (uint8_t)(count < MANTISSA ? count : (exponent + 1) * MANTISSA + (count - MANTISSA));
}

uint32_t flight_count(uint8_t packed) {
    return packed < MANTISSA ? packed : (MANTISSA + packed % MANTISSA) << (packed / MANTISSA - 1);
}

void flight_pack(const struct histogram *histogram, uint8_t packed[FLIGHT_BUCKETS]) {
    uint64_t counts[FLIGHT_BUCKETS] = {0};
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        counts[bucket_of(histogram_top(bucket))] += histogram->counts[bucket];
    }
    for (unsigned bucket = 0; bucket < FLIGHT_BUCKETS; bucket++) {
        packed[bucket] = pack_count(counts[bucket]);
    }
}
