/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flight recorder's file: a line each second for a day, and the last events. No I/O.
 *
 *          0  struct flight_head, in 4096 bytes
 *       4096  FLIGHT_LINES places of struct flight_line    line n is at place n % FLIGHT_LINES
 *   16592896  FLIGHT_EVENTS places of struct flight_event  event n is at place n % FLIGHT_EVENTS
 *
 * A line is valid if and only if its CRC, which begins with the file's id, is that of its bytes behind the CRC, its place is that
 * of its number, and its number is not above FLIGHT_NUMBER_MAX. The same holds for an event. Lines begin with number 1 and go
 * on over opens; the highest number is the newest one, whatever its time says. A place with anything else is empty.
 * Nothing is synced, and nothing depends on the file: one that cannot be used begins anew.
 */
#ifndef BURST_MEDIA_FLIGHT_H
#define BURST_MEDIA_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"

#define FLIGHT_MAGIC 0x5448474c46545342ull
#define FLIGHT_VERSION 1u
#define FLIGHT_LINES 86400u /* a day */
#define FLIGHT_EVENTS 2048u /* an event that comes again each minute, for a day, and others */
#define FLIGHT_TEXT_BYTES 512u
#define FLIGHT_BUCKETS 56u
#define FLIGHT_NUMBER_MAX ((1ull << 48) - 1)
#define FLIGHT_HEAD_BYTES 4096u
#define FLIGHT_RING_BYTES 4000u

struct flight_head {
    uint64_t magic;
    uint32_t version;
    uint32_t lines;
    uint32_t line_bytes;
    uint32_t events;
    uint32_t event_bytes;
    uint32_t id;                  /* random: lines of an earlier file in the same blocks are not valid */
    uint8_t uuid[16];             /* of the ring */
    int64_t created_ns;           /* CLOCK_REALTIME */
    char ring[FLIGHT_RING_BYTES]; /* path of the ring when the file was made, with a terminator */
    uint8_t reserved[36];         /* zeros */
    uint32_t crc;                 /* of all before it */
};

_Static_assert(offsetof(struct flight_head, uuid) == 32, "flight_head.uuid");
_Static_assert(offsetof(struct flight_head, ring) == 56, "flight_head.ring");
_Static_assert(offsetof(struct flight_head, crc) == 4092, "flight_head.crc");
_Static_assert(sizeof(struct flight_head) == FLIGHT_HEAD_BYTES, "flight_head size");

enum flight_kind {
    FLIGHT_SECOND = 1, /* what happened since the line before */
    FLIGHT_OPEN = 2,   /* the first line of an open; `lost` and `gaps` are what its recovery found */
    FLIGHT_CLOSE = 3,  /* the last line of an open that was closed. An open without one ended some other way */
};

/* Counts are of the line's time and stop at their highest value; the rest is of its end. */
struct flight_line {
    uint32_t crc;
    uint8_t kind;          /* enum flight_kind */
    uint8_t state;         /* enum burst_state */
    uint8_t survives;      /* enum burst_durability */
    uint8_t slowest_stage; /* enum burst_stage */
    uint64_t number;
    int64_t time_ns;     /* CLOCK_REALTIME, which may step */
    uint32_t epoch;      /* number of the open in the ring's life */
    uint32_t elapsed_us; /* its time, of CLOCK_MONOTONIC */
    uint64_t durable_sequence;
    uint64_t drained_sequence;
    uint64_t capacity_bytes;
    uint64_t used_bytes; /* claimed, and not yet in all log files */
    uint32_t records;    /* that became durable */
    uint32_t commits;
    uint32_t written_kib; /* to the medium */
    uint32_t full_waits;
    uint32_t discarded;
    uint32_t lost;
    uint32_t gaps;
    uint32_t timed;  /* appends and enqueued records that the latencies below are of */
    uint64_t p50_ns; /* until durable */
    uint64_t p99_ns;
    uint64_t p999_ns;
    uint64_t max_ns;
    uint64_t slowest_ns;             /* the slowest stage of a call; 0: none was timed */
    uint8_t latency[FLIGHT_BUCKETS]; /* flight_count gives the count of each bucket */
};

_Static_assert(offsetof(struct flight_line, number) == 8, "flight_line.number");
_Static_assert(offsetof(struct flight_line, durable_sequence) == 32, "flight_line.durable_sequence");
_Static_assert(offsetof(struct flight_line, records) == 64, "flight_line.records");
_Static_assert(offsetof(struct flight_line, p50_ns) == 96, "flight_line.p50_ns");
_Static_assert(offsetof(struct flight_line, latency) == 136, "flight_line.latency");
_Static_assert(sizeof(struct flight_line) == 192, "flight_line size");

struct flight_event {
    uint32_t crc;
    uint32_t severity; /* enum burst_severity */
    uint64_t number;
    int64_t time_ns; /* CLOCK_REALTIME */
    uint32_t epoch;
    uint32_t reserved;
    char text[FLIGHT_TEXT_BYTES]; /* with a terminator */
};

_Static_assert(offsetof(struct flight_event, text) == 32, "flight_event.text");
_Static_assert(sizeof(struct flight_event) == 544, "flight_event size");

#define FLIGHT_EVENTS_OFFSET (FLIGHT_HEAD_BYTES + FLIGHT_LINES * (uint64_t)sizeof(struct flight_line))
#define FLIGHT_FILE_BYTES (FLIGHT_EVENTS_OFFSET + FLIGHT_EVENTS * (uint64_t)sizeof(struct flight_event))

_Static_assert(FLIGHT_EVENTS_OFFSET == 16592896, "where the events begin");

static inline uint64_t flight_line_offset(uint64_t number) {
    return FLIGHT_HEAD_BYTES + number % FLIGHT_LINES * sizeof(struct flight_line);
}

static inline uint64_t flight_event_offset(uint64_t number) {
    return FLIGHT_EVENTS_OFFSET + number % FLIGHT_EVENTS * sizeof(struct flight_event);
}

/* Fills what is the same in each head of this version, and the CRC. */
void flight_seal_head(struct flight_head *head);

enum flight_judgement {
    FLIGHT_IS_OURS,    /* lines and events are where this version has them */
    FLIGHT_IS_OTHER,   /* a recorder's of another version, or damaged */
    FLIGHT_IS_FOREIGN, /* none of a recorder */
};

enum flight_judgement flight_judge_head(const struct flight_head *head);

void flight_seal_line(struct flight_line *line, uint32_t id);
void flight_seal_event(struct flight_event *event, uint32_t id);

/* Whether the line or event is valid at this place. */
int flight_line_is_valid(const struct flight_line *line, uint32_t id, uint64_t place);
int flight_event_is_valid(const struct flight_event *event, uint32_t id, uint64_t place);

/* Packs a histogram: two buckets for each power of two from 128 ns to 34 s, the first one for all below 192 ns, the last one
 * for all from 25.8 s on. A count is rounded down by less than a sixteenth of it. */
void flight_pack(const struct histogram *histogram, uint8_t packed[FLIGHT_BUCKETS]);

/* The count of a packed bucket; at most 507904. */
uint32_t flight_count(uint8_t packed);

/* The least time of a bucket in nanoseconds; 0 for the first one. bucket FLIGHT_BUCKETS: the end of the scale. */
uint64_t flight_bucket_begin(unsigned bucket);

#endif
