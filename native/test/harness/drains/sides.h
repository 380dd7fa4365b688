/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides, each in a child: a writer, whose drain is another process, and that drain. Their folder is that of pair.h. */
#ifndef BURST_TEST_DRAINS_SIDES_H
#define BURST_TEST_DRAINS_SIDES_H

#include <pthread.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/events.h"
#include "harness/drains/files.h"
#include "log/ring_drain.h"

#define RECORDS_OF_A_TRACED_LIFE 60u
#define RING_BYTES (2u << 20)
#define INTERVAL_NS 2000000
#define OPEN_IS_REFUSED 3 /* a stopped drain has the writer's lock */
#define DRAIN_IS_NOT_ALONE 3

struct shared {
    _Atomic uint32_t life;      /* of the writer that was started last */
    _Atomic uint32_t open_life; /* of the writer that has opened its streams last */
    _Atomic uint32_t without_second;
    _Atomic uint32_t told_stops; /* how often a writer said that its drain does not move */
    struct numbers numbers;
};

static struct shared *shared;
static uint64_t roll_bytes;
static int is_short_life, is_told;

static inline uint32_t stream_of(uint64_t number) {
    return number % 3 == 0 && !atomic_load(&shared->without_second);
}

/* ------------------------------------------------------------------------------------------------------------ writer */

static inline int open_external(uint32_t drain, burst_t **log) {
    burst_rolling_t rolling;
    burst_stream_config_t stream;
    burst_config_t config;
    burst_rolling_init(&rolling);
    rolling.pattern = pattern;
    rolling.size_bytes = roll_bytes;
    burst_stream_config_init(&stream);
    stream.file_name = file_path;
    stream.rolling = roll_bytes != 0 ? &rolling : NULL;
    stream.segments = segments_path;
    burst_config_init(&config);
    config.ring = ring_path;
    config.main = &stream;
    config.ring_bytes = RING_BYTES;
    config.io = BURST_IO_PWRITE;
    config.durability = BURST_DURABILITY_PROCESS;
    config.drain_interval_ns = INTERVAL_NS;
    config.shutdown_timeout_ns = 10 * SECOND_NS;
    config.window = folder;
    config.drain = drain;
    return burst_open(&config, log);
}

static inline void *tell_events(void *log) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, -1) == 1) {
        atomic_fetch_add(&shared->told_stops, strstr(event.text, "has moved no record") != NULL);
        if (is_told) {
            fprintf(stderr, "writer: %s\n", event.text);
        }
    }
    return NULL;
}

/* A drain that stands still opens no stream: then the life has but one. */
static inline burst_stream_t *open_second(burst_t *log) {
    burst_stream_config_t config;
    burst_stream_t *second;
    burst_stream_config_init(&config);
    config.name = "second";
    config.file_name = second_path;
    const int rc = burst_stream_open(log, &config, &second);
    if (rc < 0 && rc != -ETIMEDOUT) {
        fprintf(stderr, "the second stream: %s\n", burst_last_error());
        _exit(2);
    }
    atomic_store(&shared->without_second, rc < 0);
    return rc < 0 ? NULL : second;
}

static inline void write_one(burst_t *log, burst_stream_t *second, uint32_t life) {
    static char record[RECORD_MOST_BYTES];
    const uint64_t number = atomic_fetch_add(&shared->numbers.next, 1);
    const uint32_t of = stream_of(number);
    const size_t length = record_make(record, number, life);
    burst_stream_t *stream = of == 0 ? burst_main_stream(log) : second;
    const int waits = life % 3 != 0;
    const int64_t sequence =
        waits ? burst_stream_append(stream, record, length, life) : burst_stream_enqueue(stream, record, length, life);
    if (sequence <= 0 || (!waits && number % 64 == 0 && burst_flush(log, -1) < 0)) {
        fprintf(stderr, "life %u, record %llu: %s\n", life, (unsigned long long)number, burst_last_error());
        _exit(2);
    }
    if (waits) {
        atomic_store(&shared->numbers.noted[number], (uint8_t)(1 + of));
    }
}

static inline void write_a_life(void) {
    burst_t *log;
    pthread_t teller;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const uint32_t life = atomic_load(&shared->life);
    if (open_external(BURST_DRAIN_EXTERNAL, &log) < 0) {
        fprintf(stderr, "life %u: %s\n", life, burst_last_error());
        _exit(strstr(burst_last_error(), "is being opened by process") != NULL ? OPEN_IS_REFUSED : 2);
    }
    pthread_create(&teller, NULL, tell_events, log);
    burst_stream_t *second = open_second(log);
    atomic_store(&shared->open_life, life);
    for (unsigned i = 0;
         (!is_short_life || i < RECORDS_OF_A_TRACED_LIFE) && atomic_load(&shared->numbers.next) < NUMBERS_MOST - 1;
         i++) {
        write_one(log, second, life);
        if (!is_short_life && i % 128 == 0) {
            pause_us(500);
        }
    }
    _exit(burst_close_within(log, HANG_NS) >= 0 ? 0 : 2);
}

/* ------------------------------------------------------------------------------------------------------------- drain */

static _Atomic uint32_t never;
static struct events events;

static inline void *print_events(void *argument) {
    struct event event;
    (void)argument;
    while (events_take(&events, &event, -1) == 1) {
        if (is_told) {
            fprintf(stderr, "drain %d: %s\n", (int)getpid(), event.text);
        }
    }
    return NULL;
}

static inline void drain_on(void) {
    pthread_t printer;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const struct ring_drain_config config = {.ring = ring_path, .window = folder, .interval_ns = INTERVAL_NS};
    events_init(&events, &platform_linux);
    pthread_create(&printer, NULL, print_events, NULL);
    const int rc = ring_drain_run(&config, &events, &never);
    if (rc != -ESTALE) {
        fprintf(stderr, "the drain ended: %s\n", error_text());
    }
    _exit(rc == -ESTALE ? DRAIN_IS_NOT_ALONE : 2);
}

#endif
