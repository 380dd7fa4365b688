/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/rolling.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "media/layout.h"
#include "rolling/config.h"
#include "rolling/time.h"

#define SECOND_NS 1000000000
#define AGAIN_NS (10ll * SECOND_NS) /* pause after a roll that was given up */

void burst_rolling_init_bytes(burst_rolling_t *rolling, size_t struct_bytes) {
    memset(rolling, 0, struct_bytes);
    rolling->struct_bytes = (uint32_t)struct_bytes;
}

static uint64_t or_all(uint64_t value) {
    return value == 0 ? UINT64_MAX : value;
}

/* When a file born at born_ns is to be rolled; 0: never. */
static int64_t next_time_of(const struct rolling *rolling, int64_t born_ns) {
    return rolling->interval_s == 0 ? 0 : rolling_time_next(born_ns / SECOND_NS, rolling->interval_s) * SECOND_NS;
}

static uint64_t bytes_of_next(const struct rolling *rolling) {
    return rolling->size_bytes == UINT64_MAX ? 0 : rolling->size_bytes;
}

static struct rolling *rolling_of(const struct roller *roller) {
    return (struct rolling *)((char *)roller - offsetof(struct rolling, roller));
}

static int ask_nobody(const struct roller *roller, const struct roll_question *question, struct roll_answer *answer) {
    (void)roller;
    (void)question;
    (void)answer;
    return ROLL_NOBODY;
}

static void plan(const struct roller *roller, struct outlet_roll *roll) {
    const struct rolling *rolling = rolling_of(roller);
    roll->next_time_ns = next_time_of(rolling, roll->born_ns);
    roll->next_file_bytes = bytes_of_next(rolling);
}

/* --------------------------------------------------------------------------------------------------- the file */

static void set_next(struct rolling *rolling, int64_t born_ns) {
    const int64_t next_ns = next_time_of(rolling, born_ns);
    rolling->born_ns = born_ns;
    atomic_store(&rolling->next_ns, next_ns == 0 ? INT64_MAX : next_ns);
}

/* Finds the index of the next rolled file. Returns 0, or -errno with a sentence. */
static int find_index(struct rolling *rolling) {
    uint64_t last_index;
    const int rc = rolling_files_last(&rolling->files, &last_index);
    rolling->next_index = rc < 0 ? 0 : last_index + 1;
    return rc;
}

/* The drain has performed all rolls of earlier runs. Files are rolled from now on. */
static void begin(struct rolling *rolling, const struct rolling_state *start) {
    pthread_mutex_lock(&rolling->lock);
    atomic_fetch_add(&rolling->bytes, start->bytes); /* bytes appended meanwhile may count twice */
    atomic_store(&rolling->file_number, start->file_number);
    set_next(rolling, start->born_ns != 0 ? start->born_ns : platform_realtime_ns(&platform_linux));
    find_index(rolling);
    atomic_store(&rolling->has_begun, 1);
    pthread_mutex_unlock(&rolling->lock);
}

/* --------------------------------------------------------------------------------------------------- rolls */

/* Whether the file has to be rolled before a record of this length. */
static int is_due(const struct rolling *rolling, size_t length) {
    if (!atomic_load_explicit(&rolling->has_begun, memory_order_relaxed)) {
        return 0;
    }
    const uint64_t bytes = atomic_load_explicit(&rolling->bytes, memory_order_relaxed);
    const int64_t next_ns = atomic_load_explicit(&rolling->next_ns, memory_order_relaxed);
    const int is_long = bytes > 0 && (bytes >= rolling->size_bytes || length > rolling->size_bytes - bytes);
    if (!is_long && next_ns == INT64_MAX) {
        return 0;
    }
    const int64_t now_ns = platform_realtime_ns(&platform_linux);
    return now_ns >= next_ns || (is_long && now_ns >= atomic_load(&rolling->quiet_ns));
}

/* Makes the name for the file that ends. Returns 0, or -errno with a sentence if the folder cannot be read now, and
 * could not when the file began. */
static int make_name(struct rolling *rolling, char *path, size_t path_bytes) {
    const int rc = rolling->next_index == 0 ? find_index(rolling) : 0;
    if (rc < 0) {
        return rc;
    }
    rolling_name_make(&rolling->files.name, rolling->born_ns / SECOND_NS, rolling->next_index, path, path_bytes);
    rolling->takes_index = 1;
    return 0;
}

/* Lets the file go on, and tries the roll again later. */
static void put_off(struct rolling *rolling) {
    const int64_t again_ns = platform_realtime_ns(&platform_linux) + AGAIN_NS;
    atomic_store(&rolling->quiet_ns, again_ns);
    atomic_store(&rolling->next_ns, again_ns);
}

/* Fills the fields that the roll leaves open. Returns 0, or -errno with a sentence. */
static int begin_roll(struct rolling *rolling, struct rolling_roll *roll, int64_t time_ns) {
    int rc = 0;
    rolling->takes_index = 0;
    if (roll->target[0] == '\0' && roll->next[0] == '\0') {
        rc = make_name(rolling, roll->target, sizeof roll->target);
    }
    if (roll->next_time_ns == 0 && roll->next_file_bytes == 0) {
        roll->next_time_ns = next_time_of(rolling, time_ns);
        roll->next_file_bytes = bytes_of_next(rolling);
    }
    return rc;
}

/* Records accepted since the roll began count for the next file, although some of them may be in the file that ends.
 * Otherwise a file with records might count as empty. */
static void end_roll(struct rolling *rolling, uint64_t sequence, int64_t born_ns) {
    atomic_fetch_sub(&rolling->bytes, rolling->ending_bytes);
    atomic_store(&rolling->quiet_ns, 0);
    set_next(rolling, born_ns);
    rolling->next_index += rolling->takes_index;
    atomic_fetch_add(&rolling->file_number, 1);
    atomic_store(&rolling->rolled, sequence);
    event_count_notify(&rolling->changed, &platform_linux);
}

/* Rolls without being asked. An empty file is as good as the next one: it is not renamed, and gets the birth of the
 * next one. */
static void roll_unasked(struct rolling *rolling, int may_wait) {
    const struct rolling_host *host = atomic_load(&rolling->host);
    struct rolling_roll roll = {.next_time_ns = 0};
    const int64_t now_ns = platform_realtime_ns(&platform_linux);
    rolling->ending_bytes = atomic_load(&rolling->bytes);
    if (rolling->ending_bytes == 0) {
        memcpy(roll.next, rolling->file, sizeof roll.next);
    }
    if (begin_roll(rolling, &roll, now_ns) < 0) {
        put_off(rolling);
        return;
    }
    const int64_t sequence = host->enqueue(host, &roll, now_ns, may_wait);
    if (sequence > 0) {
        end_roll(rolling, (uint64_t)sequence, now_ns);
    }
}

void rolling_roll_if_due(struct rolling *rolling, size_t length, int may_wait) {
    if (is_due(rolling, length) && pthread_mutex_trylock(&rolling->lock) == 0) {
        if (is_due(rolling, length)) { /* no other thread has rolled it meanwhile */
            roll_unasked(rolling, may_wait);
        }
        pthread_mutex_unlock(&rolling->lock);
    }
}

static uint64_t zero_for_all(uint64_t value) {
    return value == UINT64_MAX ? 0 : value;
}

void rolling_rules(const struct rolling *rolling, struct roll_rules *rules) {
    const struct rolling_files *files = &rolling->files;
    rules->pattern = rolling->pattern;
    rules->head.pattern_bytes = (uint32_t)strlen(rolling->pattern);
    rules->head.compression = files->compress;
    rules->head.level = files->level;
    rules->head.delay_ns = files->delay_ns;
    rules->head.is_by_time = (uint32_t)files->is_by_time;
    rules->head.keep_files = zero_for_all(files->keep_files);
    rules->head.keep_bytes = zero_for_all(files->keep_bytes);
    rules->head.keep_ns = files->keep_ns == INT64_MAX ? 0 : files->keep_ns;
}

static int take_lock(struct rolling *rolling, int may_wait) {
    return may_wait ? pthread_mutex_lock(&rolling->lock) : pthread_mutex_trylock(&rolling->lock);
}

int rolling_begin_roll(struct rolling *rolling, struct rolling_roll *roll, int64_t time_ns, int may_wait) {
    if (!atomic_load(&rolling->has_begun)) {
        return error_set(
            EAGAIN,
            "log file %s of ring %s is not rolled yet: records of an earlier run wait for it; roll it when "
            "it can be written and has those",
            rolling->file, atomic_load(&rolling->host)->ring);
    }
    if (take_lock(rolling, may_wait) != 0) {
        return error_set(EAGAIN, "another thread rolls log file %s of ring %s, and this roll may not wait for it",
                         rolling->file, atomic_load(&rolling->host)->ring);
    }
    rolling->ending_bytes = atomic_load(&rolling->bytes);
    const int rc = begin_roll(rolling, roll, time_ns);
    if (rc < 0) {
        pthread_mutex_unlock(&rolling->lock);
    }
    return rc;
}

void rolling_end_roll(struct rolling *rolling, uint64_t sequence, int64_t time_ns) {
    if (sequence > 0) {
        end_roll(rolling, sequence, time_ns);
    }
    pthread_mutex_unlock(&rolling->lock);
}

/* ---------------------------------------------------------------------- after a roll: the thread burst-roll */

static int is_given_up(const struct rolling *rolling, uint64_t sequence, const struct rolling_state *now) {
    return atomic_load(&rolling->rolled) == sequence && now->file_number < atomic_load(&rolling->file_number);
}

/* The drain has passed all rolls up to that sequence. If it gave up the last one, the file is rolled again later. */
static void passed(struct rolling *rolling, uint64_t sequence, const struct rolling_state *now) {
    if (!is_given_up(rolling, sequence, now)) {
        return;
    }
    pthread_mutex_lock(&rolling->lock);
    if (is_given_up(rolling, sequence, now)) { /* and no other thread has rolled it meanwhile */
        atomic_store(&rolling->file_number, now->file_number);
        rolling->born_ns = now->born_ns;
        atomic_fetch_add(&rolling->bytes, now->bytes > 0 ? now->bytes : 1);
        put_off(rolling);
    }
    pthread_mutex_unlock(&rolling->lock);
}

/* The work that is left to do, and what was told of it. */
struct work {
    uint64_t tidied;  /* the last roll whose files are tidied; UINT64_MAX: not even those of earlier runs */
    int64_t at_ns;    /* CLOCK_MONOTONIC: when a file may be compressed; INT64_MAX: none waits */
    int is_by_config; /* what the configuration says is not done yet */
    int told_rc;
};

static int64_t sooner_ns(int64_t at_ns, int64_t again_ns) {
    const int64_t then_ns = again_ns < 0 ? INT64_MAX : platform_deadline_ns(&platform_linux, again_ns);
    return then_ns < at_ns ? then_ns : at_ns;
}

/* A roll's own rules decide what follows from it, whoever performs it. An open does what its configuration says, and so
 * does a roll without rules. */
static void tidy(struct rolling *rolling, const struct rolling_host *host, struct work *work) {
    const int64_t now_ns = platform_realtime_ns(&platform_linux);
    struct error_list errors = {.code = 0};
    int64_t again_ns;
    work->at_ns = INT64_MAX;
    if (host->is_tidied_elsewhere) {
        return;
    }
    rolling->ruled.has_rules |= host->take_rules(host, &rolling->ruled.rules);
    if (rolling->ruled.has_rules) {
        error_list_add(&errors,
                       rolling_tidy_by(host->ring, &rolling->ruled.rules, &rolling->ruled.files, now_ns, &again_ns));
        work->at_ns = sooner_ns(work->at_ns, again_ns);
    }
    if (work->is_by_config || !rolling->ruled.has_rules) {
        error_list_add(&errors, rolling_files_tidy(&rolling->files, now_ns, &again_ns));
        work->at_ns = sooner_ns(work->at_ns, again_ns);
        work->is_by_config = again_ns >= 0;
    }
    const int rc = error_list_result(&errors);
    if (rc < 0 && rc != work->told_rc) {
        events_post(host->events, EVENT_WARN, "after a roll of log file %s: %s", rolling->file, error_text());
    }
    work->told_rc = rc;
}

/* Waits for a roll that is not tidied, or until a file may be compressed. Returns NULL when the worker is to end. */
static const struct rolling_host *await_work(struct rolling *rolling, const struct work *work) {
    for (;;) {
        const uint32_t ticket = event_count_register(&rolling->changed);
        const struct rolling_host *host = atomic_load(&rolling->host);
        const int is_stopped = worker_is_stopped(&rolling->worker);
        const int64_t left_ns = work->at_ns == INT64_MAX ? -1 : work->at_ns - platform_monotonic_ns(&platform_linux);
        const int is_time = work->at_ns != INT64_MAX && left_ns <= 0;
        if (is_stopped || (host != NULL && (is_time || atomic_load(&rolling->rolled) != work->tidied))) {
            event_count_leave(&rolling->changed);
            return is_stopped ? NULL : host;
        }
        event_count_wait(&rolling->changed, &platform_linux, ticket, left_ns);
    }
}

static void begin_late(struct rolling *rolling, const struct rolling_host *host) {
    struct rolling_state start;
    if (host->await_passed(host, rolling->begins_after, &rolling->worker, &start)) {
        begin(rolling, &start);
    }
}

static void run(void *argument) {
    struct rolling *rolling = argument;
    const struct rolling_host *host;
    struct rolling_state now;
    struct work work = {.tidied = UINT64_MAX, .at_ns = INT64_MAX, .is_by_config = 1};
    worker_step_back();
    while ((host = await_work(rolling, &work)) != NULL) {
        const uint64_t rolled = atomic_load(&rolling->rolled);
        if (!atomic_load(&rolling->has_begun)) {
            begin_late(rolling, host);
        } else if (host->await_passed(host, rolled, &rolling->worker, &now)) {
            passed(rolling, rolled, &now);
            tidy(rolling, host, &work);
            work.tidied = rolled;
        }
    }
}

/* ---------------------------------------------------------------------------------------------- begin and end */

static int check_record(const char *ring, const char *file, const struct rolling_files *files, uint64_t most) {
    const size_t bytes = sizeof(struct roll_head) + sizeof(struct roll_rules_head) +
                         2 * (strlen(files->name.folder) + ROLLING_NAME_BYTES) + strlen(file);
    return most != 0 && bytes > most
               ? error_set(
                     EINVAL,
                     "rolling of log file %s cannot be used with maxRecordSize of ring %s, %llu bytes: a roll is a "
                     "record of up to %zu bytes; raise that",
                     file, ring, (unsigned long long)most, bytes)
               : 0;
}

int rolling_create(const char *ring, const char *file, const burst_rolling_t *values, uint64_t max_record_bytes,
                   struct rolling **rolling_out) {
    struct rolling *rolling = platform_allocate(&platform_linux, sizeof *rolling, PLATFORM_PLAIN);
    uint64_t last_index = 0;
    if (rolling == NULL) {
        return error_set(ENOMEM, "no memory to roll log file %s", file);
    }
    tzset();
    int rc = rolling_check(ring, file, values, &rolling->files);
    rc = rc < 0 ? rc : check_record(ring, file, &rolling->files, max_record_bytes);
    rc = rc < 0 ? rc : rolling_files_last(&rolling->files, &last_index);
    if (rc == 0) {
        snprintf(rolling->file, sizeof rolling->file, "%s", file);
        path_directory(file, rolling->files.home, sizeof rolling->files.home);
        path_directory(file, rolling->ruled.files.home, sizeof rolling->ruled.files.home);
        path_absolute(values->pattern, rolling->pattern, sizeof rolling->pattern); /* rolling_check has tried it */
        rolling->roller = (struct roller){.ask = ask_nobody, .plan = plan};
        rolling->files.compress = values->compress;
        rolling->files.level = values->compress_level;
        rolling->files.delay_ns = (int64_t)values->compress_delay_ns;
        rolling->files.is_by_time = (int)values->newest_by_time;
        rolling->files.keep_files = or_all(values->keep_files);
        rolling->files.keep_bytes = or_all(values->keep_bytes);
        rolling->files.keep_ns =
            values->keep_ns == 0 || values->keep_ns > INT64_MAX ? INT64_MAX : (int64_t)values->keep_ns;
        rolling->size_bytes = or_all(values->size_bytes);
        rolling->interval_s = (int64_t)(values->interval_ns / SECOND_NS);
        pthread_mutex_init(&rolling->lock, NULL);
        rolling->files.is_stopped = rolling->ruled.files.is_stopped = &rolling->worker.is_stopped;
        rc = worker_start(&rolling->worker, "burst-roll", run, rolling);
    }
    if (rc < 0) {
        platform_release(&platform_linux, rolling, sizeof *rolling);
        return rc;
    }
    *rolling_out = rolling;
    return 0;
}

void rolling_stop(struct rolling *rolling) {
    if (rolling != NULL) {
        worker_stop(&rolling->worker, &rolling->changed);
    }
}

void rolling_destroy(struct rolling *rolling) {
    if (rolling != NULL) {
        rolling_stop(rolling);
        worker_join(&rolling->worker);
        platform_release(&platform_linux, rolling, sizeof *rolling);
    }
}

void rolling_await_end(struct rolling *rolling, struct limit *limit) {
    if (rolling != NULL) {
        worker_await_end(&rolling->worker, limit);
    }
}

void rolling_open(struct rolling *rolling, const struct rolling_host *host, uint64_t begins_after,
                  const struct rolling_state *now) {
    rolling->begins_after = begins_after;
    if (now != NULL) {
        begin(rolling, now);
    }
    atomic_store(&rolling->host, host);
    worker_leave(&rolling->worker);
    event_count_notify(&rolling->changed, &platform_linux);
}
