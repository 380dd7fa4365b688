/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a session, over the public API. There is one thread, and the engine rests between two calls. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "burstlog.h"
#include "session.h"

#define OPEN_ATTEMPTS 2
#define THREADS_END_TRIES 100000

const char *const stream_files[STREAMS] = {"log", "kept", "removed"};

int trial_is_told;

static char text[LONGEST_RECORD + 1];

void trial_wrong(struct trial *trial, const char *format, ...) {
    if (trial->wrong[0] != '\0') {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trial->wrong, sizeof trial->wrong, format, arguments);
    va_end(arguments);
}

/* A refusal must have an error code and a sentence. */
static void check_refusal(struct trial *trial, const char *call, int64_t code) {
    trial->refusals++;
    snprintf(trial->refusal, sizeof trial->refusal, "%s: %lld %.200s", call, (long long)code, burst_last_error());
    if (trial_is_told) {
        printf("record %u: %s\n", trial->record_count, trial->refusal);
    }
    if (code >= 0 || code < -4095) {
        trial_wrong(trial, "%s refused with %lld, which is no error code", call, (long long)code);
    } else if (burst_last_error()[0] == '\0') {
        trial_wrong(trial, "%s refused with %lld and no sentence", call, (long long)code);
    }
}

void session_refused(struct session *session, const char *call, int64_t code) {
    check_refusal(session->trial, call, code);
}

static void note_wait(struct session *session, const char *call, int rc) {
    if (rc < 0) {
        check_refusal(session->trial, call, rc);
    }
    session->trial->timeouts += rc == 0;
}

static int64_t call_append(const struct session *session, unsigned stream, size_t length, int enqueue) {
    return stream > 0 ? ENGINE(int64_t, (enqueue ? burst_stream_enqueue : burst_stream_append)(session->streams[stream],
                                                                                               text, length, 0))
                      : ENGINE(int64_t, (enqueue ? burst_enqueue : burst_append)(session->log, text, length, 0));
}

/* Does nothing if the stream is not open. */
void session_append(struct session *session, unsigned stream, size_t length, int enqueue) {
    struct trial *trial = session->trial;
    if (stream > 0 && session->streams[stream] == NULL) {
        return;
    }
    const uint32_t number = ++trial->record_count;
    struct record_of_trial *record = &trial->records[number];
    make_record(text, number, length);
    record->stream = stream;
    char reason[8];
    const int had_failed = burst_failure(session->log, reason, sizeof reason);
    atomic_store(&record->fate, FATE_TRIED);
    const int64_t sequence = call_append(session, stream, length, enqueue);
    if (sequence > 0) {
        atomic_store(&record->sequence, sequence);
        atomic_store(&record->fate, enqueue ? FATE_ACCEPTED : FATE_ACKNOWLEDGED);
        if (had_failed || session->has_failed) {
            trial_wrong(trial, "record %u was accepted after the ring had failed", number);
        }
    } else {
        atomic_store(&record->fate, FATE_REFUSED);
        check_refusal(trial, "append", sequence);
        trial->append_refusals++;
        session->has_failed |= sequence == -EIO;
        if (sequence == -EIO && !burst_failure(session->log, reason, sizeof reason)) {
            trial_wrong(trial, "record %u was refused with EIO, but the ring has not failed", number);
        }
    }
    if (sequence > 0 && enqueue) {
        const int rc = ENGINE(int, burst_await_durable(session->log, sequence, SECOND_NS));
        note_wait(session, "await_durable", rc);
        if (rc == 1) {
            atomic_store(&record->fate, FATE_ACKNOWLEDGED);
        }
    }
    shim_settle();
}

/* NULL: the engine plans no rolls of the stream. */
static const burst_rolling_t *rolling_of(const struct trial *trial, unsigned stream) {
    static burst_rolling_t rolling;
    static char pattern[80];
    snprintf(pattern, sizeof pattern, "logs/%s.%%i" ROLLED_SUFFIX, stream_files[stream]);
    burst_rolling_init(&rolling);
    rolling.pattern = pattern;
    rolling.size_bytes = 64;
    rolling.compress = 1;
    rolling.keep_ns = 100ull * 365 * 86400 * SECOND_NS; /* longer ago than any file's time: trial_second_session */
    rolling.keep_files = stream == 0 ? KEPT_FILES : 0;
    return trial->scenario == SCENARIO_PLANNED || trial->scenario == SCENARIO_READS ? &rolling : NULL;
}

void session_open_stream(struct session *session, unsigned stream) {
    char path[80];
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    snprintf(path, sizeof path, "logs/%s", stream_files[stream]);
    config.name = stream_files[stream];
    config.file_name = path;
    config.on_full = BURST_ON_FULL_FAIL;
    config.rolling = rolling_of(session->trial, stream);
    if (session->trial->scenario == SCENARIO_SEGMENTS && stream == SEGMENTS_STREAM) {
        config.segments = SEGMENTS_FOLDER;
        config.segment_bytes = 64 * 1024;
    }
    const int rc = ENGINE(int, burst_stream_open(session->log, &config, &session->streams[stream]));
    if (rc < 0) {
        check_refusal(session->trial, "stream_open", rc);
    }
    if ((rc < 0) != (session->streams[stream] == NULL)) {
        trial_wrong(session->trial, "burst_stream_open gives %d and %s stream", rc, rc < 0 ? "a" : "no");
    }
    shim_settle();
}

void session_close_stream(struct session *session, unsigned stream) {
    if (session->streams[stream] == NULL) {
        return;
    }
    note_wait(session, "stream_close",
              ENGINE(int, burst_stream_close(session->streams[stream], session->trial->wait_ns)));
    shim_settle();
    if (ENGINE(int64_t, burst_stream_append(session->streams[stream], "late", 4, 0)) >= 0) {
        trial_wrong(session->trial, "an append to a stream that is closed was accepted");
    }
    session->streams[stream] = NULL;
}

/* Rolls the stream's file to NAME.rolled, or to NAME.rolled.1 if that is taken. */
void session_roll(struct session *session, unsigned stream) {
    struct trial *trial = session->trial;
    burst_stream_t *rolled = stream > 0 ? session->streams[stream] : burst_main_stream(session->log);
    char footer[64], header[64], target[80];
    burst_roll_t values;
    if (rolled == NULL) {
        return;
    }
    const uint32_t number = ++trial->record_count;
    struct record_of_trial *record = &trial->records[number];
    *record = (struct record_of_trial){.stream = stream, .is_roll = 1};
    burst_roll_init(&values);
    snprintf(target, sizeof target, "logs/%s.rolled", stream_files[stream]);
    values.footer_bytes = make_roll_line(footer, '<', number);
    values.header_bytes = make_roll_line(header, '>', number);
    values.footer = footer;
    values.header = header;
    values.target = target;
    atomic_store(&record->fate, FATE_TRIED);
    const int64_t sequence = ENGINE(int64_t, burst_stream_roll(rolled, &values, 0));
    if (sequence > 0) {
        atomic_store(&record->sequence, sequence);
        atomic_store(&record->fate, FATE_ACKNOWLEDGED);
    } else {
        atomic_store(&record->fate, FATE_REFUSED);
        check_refusal(trial, "roll", sequence);
        session->has_failed |= sequence == -EIO;
    }
    shim_settle();
}

void session_await_drained(struct session *session) {
    note_wait(session, "flush", ENGINE(int, burst_flush(session->log, SECOND_NS)));
    const int rc = ENGINE(int, burst_await_drained(session->log, session->trial->wait_ns));
    note_wait(session, "await_drained", rc);
    shim_settle();
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    if (ENGINE(int, burst_stats(session->log, &stats)) != 0) {
        trial_wrong(session->trial, "burst_stats refused: %s", burst_last_error());
    }
    if (rc == 0 && stats.state == BURST_STATE_OPEN && stats.drained_sequence < stats.durable_sequence) {
        trial_wrong(session->trial, "the log file lags behind, but the state says that nothing is wrong");
    }
}

/* Names this user's accounts: this user may always give files to them. */
static void set_accounts(burst_stream_config_t *config) {
    static char user[64], group[64];
    if (user[0] == '\0') {
        const struct passwd *passwd = getpwuid(geteuid());
        const struct group *entry = getgrgid(getegid());
        snprintf(user, sizeof user, "%s", passwd == NULL ? "0" : passwd->pw_name);
        snprintf(group, sizeof group, "%s", entry == NULL ? "0" : entry->gr_name);
    }
    config->file_owner = user;
    config->file_group = group;
}

/* The words that a fork wipes come from pages that stay for good. Here the open finds such a page with room, so
 * memory that it leaves mapped is a leak. */
static void provide_wiped_word(void) {
    uint32_t *word;
    do {
        word = platform_allocate(&platform_linux, sizeof *word, PLATFORM_WIPED_IN_CHILD);
    } while (word != NULL && ((uintptr_t)(word + 1) & ((uintptr_t)sysconf(_SC_PAGESIZE) - 1)) == 0);
}

int session_try_to_open(struct session *session, int64_t shutdown_timeout_ns) {
    struct trial *trial = session->trial;
    burst_stream_config_t main_config;
    burst_config_t config;
    burst_stream_config_init(&main_config);
    burst_config_init(&config);
    config.ring = "ring";
    config.main = &main_config;
    config.io = BURST_IO_PWRITE; /* the number of calls must not depend on a calibration */
    main_config.file_name = "logs/log";
    config.durability = BURST_DURABILITY_PROCESS;
    config.ring_bytes = 2 * 1024 * 1024;
    main_config.on_full = BURST_ON_FULL_FAIL;
    config.drain_interval_ns = 3600 * SECOND_NS;
    config.shutdown_timeout_ns = (uint64_t)shutdown_timeout_ns;
    main_config.file_mode = 0640;
    main_config.rolling = rolling_of(trial, 0);
    if (trial->scenario == SCENARIO_READS) {
        config.window = ".";
        main_config.index = 1;
    }
    set_accounts(&main_config);
    provide_wiped_word();
    const int64_t mapped = shim_mapped_bytes();
    shim_begin_session();
    const int rc = ENGINE(int, burst_open(&config, &session->log));
    if (rc < 0) {
        check_refusal(trial, "open", rc);
        trial->open_refusals++;
        if (shim_descriptors() != 0 || shim_threads() != 0 || shim_mapped_bytes() != mapped) {
            trial_wrong(trial, "a refused open leaves %d descriptors, %d threads and %lld bytes of memory behind",
                        shim_descriptors(), shim_threads(), (long long)(shim_mapped_bytes() - mapped));
        }
    }
    return rc;
}

/* 1: the log is open. */
int session_open_log(struct session *session, int64_t shutdown_timeout_ns) {
    session->has_failed = 0;
    for (int attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
        if (session_try_to_open(session, shutdown_timeout_ns) == 0) {
            const int64_t lost = burst_recovery_statement(session->log, text, sizeof text);
            session->trial->reported_lost += lost;
            session->trial->has_unreadable |= strstr(text, "of the ring cannot be read") != NULL;
            shim_settle();
            return 1;
        }
    }
    return 0;
}

/* Takes the events: some change what must be in which file. */
static void take_events(struct session *session, int64_t timeout_ns) {
    struct trial *trial = session->trial;
    burst_event_t event = {.struct_bytes = sizeof event};
    while (ENGINE(int, burst_next_event(session->log, &event, timeout_ns)) == 1) {
        trial->sync_failures += strncmp(event.text, "syncing log file", 16) == 0;
        trial->gave_up |= strstr(event.text, " could not be rolled") != NULL;
        trial->may_be_twice |= strstr(event.text, "/logs/ cannot be opened (EACCES") != NULL;
        if (trial_is_told) {
            printf("event: %s\n", event.text);
        }
    }
}

/* burst_close does not wait for the shortest close, which goes on by itself and comes to the same end. */
static int64_t end_of_close(struct session *session) {
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    take_events(session, -1);
    while (shim_threads() != 0) {
        usleep(100);
    }
    burst_stats(session->log, &stats);
    return stats.accepted_sequence > stats.durable_sequence ? -EIO : stats.durable_sequence - stats.drained_sequence;
}

void session_close(struct session *session) {
    struct trial *trial = session->trial;
    take_events(session, 0);
    trial->left = ENGINE(int64_t, burst_close(session->log));
    if (trial->left == -EINPROGRESS) {
        trial->left = end_of_close(session);
    }
    take_events(session, 0);
    for (int i = 0; i < THREADS_END_TRIES && shim_threads() != 0; i++) {
        usleep(100); /* a thread that nobody joins has announced its end, and may still run */
    }
    if (trial->left < 0) {
        check_refusal(trial, "close", trial->left);
    }
    if (shim_descriptors() != 0 || shim_threads() != 0) {
        trial_wrong(trial, "close leaves %d descriptors and %d threads behind", shim_descriptors(), shim_threads());
    }
    if (ENGINE(int64_t, burst_append(session->log, "late", 4, 0)) >= 0) {
        trial_wrong(trial, "an append after close was accepted");
    }
}
