/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions of a trial: the steps of each scenario. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"

#define SHORTEST_CLOSE_NS 1 /* records that are not in the log file by then stay in the ring */

const char *const scenario_names[SCENARIOS] = {"waiting", "streams", "rolls",     "planned",   "segments",
                                               "reads",   "new",     "new-empty", "new-linked"};

static void append(struct session *session, size_t length, int enqueue) {
    session_append(session, 0, length, enqueue);
}

/* Only the creation of the ring matters: few records are enough. */
static int is_short(const struct trial *trial) {
    return trial->scenario != SCENARIO_WAITING;
}

/* One stream is open from the beginning, and closed. The other is opened while records of all streams wait. */
static void first_session_of_streams(struct session *session) {
    session_open_stream(session, 2);
    session_append(session, 2, 25, 0);
    session_append(session, 0, 26, 0);
    shim_tick(); /* into the files, without a sync */
    session_append(session, 2, 4500, 1);
    session_open_stream(session, 1);
    session_append(session, 1, 27, 0);
    session_append(session, 0, 28, 1);
    session_await_drained(session);
    session_append(session, 1, 29, 1);
    session_append(session, 2, 30, 0);
    session_append(session, 0, 31, 0);
    session_close_stream(session, 2);
    session_append(session, 1, 32, 0);
    session_append(session, 0, 33, 0);
    session_close(session);
}

/* Records of the stream that is not opened go to its file all the same. */
static void second_session_of_streams(struct session *session) {
    session_append(session, 0, 34, 0);
    session_open_stream(session, 1);
    session_append(session, 1, 35, 0);
    session_await_drained(session);
    session_open_stream(session, 2); /* again */
    session_append(session, 2, 36, 0);
    session_append(session, 1, 37, 0);
    shim_tick();
    session_close(session);
}

/* A roll comes behind records that are written and not synced, behind others that are not written, and behind none. */
static void first_session_of_rolls(struct session *session) {
    session_append(session, 0, 26, 0);
    shim_tick(); /* into the file, without a sync */
    session_roll(session, 0);
    session_append(session, 0, 27, 0);
    session_await_drained(session);
    session_open_stream(session, 1);
    session_append(session, 1, 28, 0);
    session_roll(session, 1);
    session_roll(session, 1);
    session_append(session, 1, 29, 0);
    session_await_drained(session);
    session_append(session, 0, 4500, 1);
    session_roll(session, 0);
    session_append(session, 1, 30, 0);
    session_append(session, 0, 31, 0);
    session_close(session);
}

static void second_session_of_rolls(struct session *session) {
    session_append(session, 0, 32, 0);
    session_roll(session, 0);
    session_append(session, 0, 33, 0);
    session_await_drained(session);
    session_open_stream(session, 1);
    session_append(session, 1, 34, 0);
    session_roll(session, 1);
    shim_tick();
    session_close(session);
}

/* Each file holds two records, and all that the drain took before its roll. */
static void first_session_of_plans(struct session *session) {
    session_append(session, 0, 26, 0);
    shim_tick();
    session_append(session, 0, 27, 0);
    session_await_drained(session);
    session_open_stream(session, 1);
    session_append(session, 1, 28, 0);
    session_append(session, 1, 29, 1);
    session_append(session, 1, 30, 0);
    session_await_drained(session);
    session_append(session, 0, 31, 1);
    session_append(session, 0, 32, 0);
    session_append(session, 0, 33, 0);
    shim_tick();
    session_append(session, 1, 34, 0);
    session_append(session, 1, 35, 0);
    session_close(session);
}

static void second_session_of_plans(struct session *session) {
    session_append(session, 0, 36, 0);
    session_append(session, 0, 37, 1);
    session_await_drained(session);
    session_open_stream(session, 1);
    session_append(session, 1, 38, 0);
    session_append(session, 1, 39, 0);
    shim_tick();
    session_close(session);
}

/* The log writes three segments, and the consumer passes the first ones while it is open. */
static void first_session_of_segments(struct session *session) {
    session_open_stream(session, 1);
    session_append(session, 1, 26, 0);
    session_append(session, 0, 27, 0);
    shim_tick();
    session_consume(session);
    session_put_strangers(session);
    session_append(session, 1, 40000, 0);
    session_append(session, 1, 28, 1);
    session_await_drained(session);
    session_append(session, 1, 41000, 0);
    session_append(session, 0, 29, 0);
    session_await_drained(session);
    session_consume(session);
    session_append(session, 1, 42000, 0);
    shim_tick();
    session_append(session, 1, 30, 0);
    session_close(session);
}

static void second_session_of_segments(struct session *session) {
    session_append(session, 0, 31, 0);
    session_open_stream(session, 1);
    session_append(session, 1, 32, 0);
    session_put_strangers(session);
    session_consume(session);
    session_await_drained(session);
    session_append(session, 1, 43000, 1);
    session_consume(session);
    shim_tick();
    session_close(session);
}

/* Readers come behind a drain, beside a roll, and while records wait. */
static void first_session_of_reads(struct session *session) {
    session_append(session, 0, 26, 0);
    session_append(session, 0, 27, 0);
    session_await_drained(session);
    session_append(session, 0, 31, 1);
    session_append(session, 0, 32, 0);
    shim_tick();
    session_append(session, 0, 33, 0);
    session_read(session);
    session_append(session, 0, 34, 0);
    session_append(session, 0, 35, 0);
    session_close(session);
}

static void second_session_of_reads(struct session *session) {
    session_append(session, 0, 36, 0);
    session_append(session, 0, 37, 0);
    session_await_drained(session);
    session_append(session, 0, 38, 0);
    if (!shim_weather.only_readers) { /* its readers would make the same calls as in the first session */
        session_read(session);
    }
    session_close(session);
}

typedef void run_session(struct session *session);

static run_session *const first_sessions[SCENARIO_NEW] = {NULL,
                                                          first_session_of_streams,
                                                          first_session_of_rolls,
                                                          first_session_of_plans,
                                                          first_session_of_segments,
                                                          first_session_of_reads},
                          *const second_sessions[SCENARIO_NEW] = {NULL,
                                                                  second_session_of_streams,
                                                                  second_session_of_rolls,
                                                                  second_session_of_plans,
                                                                  second_session_of_segments,
                                                                  second_session_of_reads};

void trial_first_session(struct trial *trial) {
    static const size_t lengths[] = {20, 100, 3000, 5000, 21, 60};
    struct session session = {.trial = trial};
    const int has_streams = is_short(trial) && trial->scenario < SCENARIO_NEW;
    if (!session_open_log(&session, has_streams ? 10 * SECOND_NS
                                                : SHORTEST_CLOSE_NS)) { /* opening them has the same time limit */
        return;
    }
    if (has_streams) {
        first_sessions[trial->scenario](&session);
        return;
    }
    for (size_t i = 0; i < (is_short(trial) ? 2 : sizeof lengths / sizeof lengths[0]); i++) {
        append(&session, lengths[i], 0);
    }
    append(&session, 40, 1);
    append(&session, 4100, 1);
    session_await_drained(&session);
    rename("logs/log", "logs/" ROTATED_WHILE_OPEN); /* as logrotate does */
    append(&session, 200, 0);
    if (is_short(trial)) {
        shim_tick();
        session_close(&session);
        return;
    }
    session_await_drained(&session);
    append(&session, LONGEST_RECORD, 0); /* wakes the drain; in scenario `waiting` it crosses the lap's end */
    append(&session, 30, 0);
    append(&session, 8000, 0);
    shim_tick(); /* into the file, and not synced */
    append(&session, 50, 0);
    append(&session, 51, 1);
    session_close(&session);
}

/* A clock that was wrong leaves such times: 1970, and a time beyond 64 bits of nanoseconds. */
static void give_odd_times(void) {
    static char names[2 * RECORDS_MAX][64];
    const int count = stage_files(names, 2 * RECORDS_MAX);
    for (int i = 0; i < count; i++) {
        char path[80];
        unsigned index;
        snprintf(path, sizeof path, "logs/%.63s", names[i]);
        const char *dot = strchr(names[i], '.');
        const int is_even = dot != NULL && sscanf(dot, ".%u", &index) == 1 && index % 2 == 0;
        const struct timespec time = {.tv_sec = is_even ? 12000000000 : 1};
        const struct timespec times[2] = {time, time};
        if (strstr(names[i], ROLLED_SUFFIX) != NULL) {
            utimensat(AT_FDCWD, path, times, 0); /* a compressed file and its original get the same time */
        }
    }
}

void trial_second_session(struct trial *trial) {
    struct session session = {.trial = trial};
    if (trial->scenario == SCENARIO_PLANNED) {
        give_odd_times();
    }
    if (trial->scenario >= SCENARIO_NEW) {
        return;
    }
    if (trial->scenario == SCENARIO_WAITING) {
        rename("logs/log", "logs/" ROTATED_WHILE_CLOSED);
    }
    if (!session_open_log(&session, 10 * SECOND_NS)) {
        return;
    }
    if (trial->scenario != SCENARIO_WAITING) {
        second_sessions[trial->scenario](&session);
        return;
    }
    append(&session, 70, 0);
    append(&session, 6000, 1);
    session_await_drained(&session);
    append(&session, 71, 0);
    shim_tick();
    session_close(&session);
}

void trial_last_session(struct trial *trial) {
    struct session session = {.trial = trial};
    shim_arm(NULL);
    const uint32_t refusals = trial->refusals;
    if (session_try_to_open(&session, 10 * SECOND_NS) < 0) {
        trial_wrong(trial, "the ring cannot be opened without a fault: %s", burst_last_error());
        return;
    }
    char text[1024];
    trial->reported_lost += burst_recovery_statement(session.log, text, sizeof text);
    shim_settle();
    if (trial->scenario == SCENARIO_PLANNED) {
        session_open_stream(&session, 1); /* the open finishes rolls of its files that were interrupted */
    }
    append(&session, 90, 0);
    if (trial->scenario == SCENARIO_READS) {
        session_read(&session);
    }
    const int drained = ENGINE(int, burst_await_drained(session.log, 10 * SECOND_NS));
    shim_settle();
    session_close(&session);
    if (trial->refusals != refusals || drained != 1 || trial->left != 0) {
        trial_wrong(trial, "without a fault await_drained gives %d and close %lld: %s", drained, (long long)trial->left,
                    burst_last_error());
    }
    verify_files(trial);
    if (trial->scenario == SCENARIO_READS) {
        verify_reads(trial, 1);
    }
    if (trial->scenario == SCENARIO_SEGMENTS) {
        verify_segments(trial);
    }
}
