/* SPDX-License-Identifier: Apache-2.0 */
#include "log/rolling.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "log/config.h"
#include "log/rolling_time.h"
#include "media/layout.h"

#define SECOND_NS 1000000000
#define AGAIN_NS (10ll * SECOND_NS) /* after a roll that was given up */

void burst_rolling_init_bytes(burst_rolling_t *rolling, size_t struct_bytes) {
    memset(rolling, 0, struct_bytes);
    rolling->struct_bytes = (uint32_t)struct_bytes;
}

static uint64_t or_all(uint64_t value) {
    return value == 0 ? UINT64_MAX : value;
}

/* ---------------------------------------------------------------------------------------------- begin and end */

int64_t rolling_next_ns(const struct rolling *rolling, int64_t born_ns) {
    return rolling->interval_s == 0 ? 0 : rolling_time_next(born_ns / SECOND_NS, rolling->interval_s) * SECOND_NS;
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
    roll->next_time_ns = rolling_next_ns(rolling, roll->born_ns);
    roll->next_file_bytes = rolling->size_bytes == UINT64_MAX ? 0 : rolling->size_bytes;
}

static int check_record(const char *ring, const char *file, const struct rolling_files *files, uint64_t most) {
    const size_t bytes = sizeof(struct roll_head) + strlen(files->name.folder) + ROLLING_NAME_BYTES + strlen(file);
    return most != 0 && bytes > most
               ? error_set(
                     EINVAL,
                     "rolling of log file %s cannot be used with maxRecordSize of ring %s, %llu bytes: a roll is a "
                     "record of up to %zu bytes; raise that",
                     file, ring, (unsigned long long)most, bytes)
               : 0;
}

int rolling_create(const char *ring, const char *file, const burst_rolling_t *given, uint64_t max_record_bytes,
                   void (*loop)(void *rolling), struct rolling **rolling_out) {
    struct rolling *rolling = platform_allocate(&platform_linux, sizeof *rolling, PLATFORM_PLAIN);
    burst_rolling_t values;
    uint64_t last_index = 0;
    if (rolling == NULL) {
        return error_set(ENOMEM, "no memory to roll log file %s", file);
    }
    tzset();
    int rc = config_check_rolling(ring, file, given, &values, &rolling->files);
    rc = rc < 0 ? rc : check_record(ring, file, &rolling->files, max_record_bytes);
    rc = rc < 0 ? rc : rolling_files_last(&rolling->files, &last_index);
    if (rc == 0) {
        snprintf(rolling->file, sizeof rolling->file, "%s", file);
        rolling->roller = (struct roller){.ask = ask_nobody, .plan = plan};
        rolling->files.compress = values.compress;
        rolling->files.keep_files = or_all(values.keep_files);
        rolling->files.keep_bytes = or_all(values.keep_bytes);
        rolling->files.keep_ns =
            values.keep_ns == 0 || values.keep_ns > INT64_MAX ? INT64_MAX : (int64_t)values.keep_ns;
        rolling->size_bytes = or_all(values.size_bytes);
        rolling->interval_s = (int64_t)(values.interval_ns / SECOND_NS);
        pthread_mutex_init(&rolling->lock, NULL);
        rolling->files.is_stopped = &rolling->worker.is_stopped;
        rc = worker_start(&rolling->worker, "burst-roll", loop, rolling);
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

void rolling_leave(struct rolling *rolling) {
    if (rolling != NULL) {
        worker_leave(&rolling->worker);
        rolling_stop(rolling);
    }
}

void rolling_await_end(struct rolling *rolling, struct limit *limit) {
    if (rolling != NULL) {
        worker_await_end(&rolling->worker, limit);
    }
}

/* --------------------------------------------------------------------------------------------------- the file */

static void set_next(struct rolling *rolling, int64_t born_ns) {
    const int64_t next_ns = rolling_next_ns(rolling, born_ns);
    rolling->born_ns = born_ns;
    atomic_store(&rolling->next_ns, next_ns == 0 ? INT64_MAX : next_ns);
}

/* 0 or -errno with a sentence. */
static int find_index(struct rolling *rolling) {
    uint64_t last_index;
    const int rc = rolling_files_last(&rolling->files, &last_index);
    rolling->next_index = rc < 0 ? 0 : last_index + 1;
    return rc;
}

void rolling_begin(struct rolling *rolling, const struct rolling_start *start) {
    pthread_mutex_lock(&rolling->lock);
    atomic_fetch_add(&rolling->bytes, start->bytes); /* what was appended meanwhile may be in both */
    atomic_store(&rolling->file_number, start->file_number);
    set_next(rolling, start->born_ns != 0 ? start->born_ns : platform_realtime_ns(&platform_linux));
    find_index(rolling);
    atomic_store(&rolling->has_begun, 1);
    pthread_mutex_unlock(&rolling->lock);
}

int rolling_is_due(const struct rolling *rolling, size_t length) {
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

int rolling_take_name(struct rolling *rolling, char *path, size_t path_bytes) {
    const int rc = rolling->next_index == 0 ? find_index(rolling) : 0;
    if (rc < 0) {
        return rc;
    }
    rolling_name_make(&rolling->files.name, rolling->born_ns / SECOND_NS, rolling->next_index++, path, path_bytes);
    return 0;
}

void rolling_put_off(struct rolling *rolling) {
    const int64_t again_ns = platform_realtime_ns(&platform_linux) + AGAIN_NS;
    atomic_store(&rolling->quiet_ns, again_ns);
    atomic_store(&rolling->next_ns, again_ns);
}

void rolling_rolled(struct rolling *rolling, uint64_t sequence, uint64_t bytes, int64_t born_ns) {
    atomic_fetch_sub(&rolling->bytes, bytes);
    atomic_store(&rolling->quiet_ns, 0);
    set_next(rolling, born_ns);
    atomic_fetch_add(&rolling->file_number, 1);
    atomic_store(&rolling->rolled, sequence);
    event_count_notify(&rolling->changed, &platform_linux);
}

static int is_given_up(const struct rolling *rolling, uint64_t sequence, const struct rolling_start *now) {
    return atomic_load(&rolling->rolled) == sequence && now->file_number < atomic_load(&rolling->file_number);
}

void rolling_passed(struct rolling *rolling, uint64_t sequence, const struct rolling_start *now) {
    if (!is_given_up(rolling, sequence, now)) {
        return;
    }
    pthread_mutex_lock(&rolling->lock);
    if (is_given_up(rolling, sequence, now)) { /* and not rolled again meanwhile */
        atomic_store(&rolling->file_number, now->file_number);
        rolling->born_ns = now->born_ns;
        atomic_fetch_add(&rolling->bytes, now->bytes > 0 ? now->bytes : 1);
        rolling_put_off(rolling);
    }
    pthread_mutex_unlock(&rolling->lock);
}
