/* SPDX-License-Identifier: Apache-2.0 */
/* A consumer of a stream's segments: each record keeps its number, and an acknowledged record does not come again. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"

/* The number of the record with this text; 0: no record has it. */
static uint32_t number_of(const struct trial *trial, const burst_consumed_t *record) {
    static char wanted[LONGEST_RECORD + 1];
    unsigned number = 0;
    size_t length = 0;
    char begin[40];
    snprintf(begin, sizeof begin, "%.*s", (int)(record->length < 39 ? record->length : 39), (const char *)record->data);
    return sscanf(begin, "%u %zu ", &number, &length) == 2 && number > 0 && number <= trial->record_count &&
                   length == record->length && length <= LONGEST_RECORD &&
                   memcmp(record->data, wanted, make_record(wanted, number, length)) == 0
               ? number
               : 0;
}

static void take(struct trial *trial, const burst_consumed_t *record) {
    const uint64_t at = record->number;
    if (record->kind != BURST_CONSUMED_RECORD) {
        const int was_passed = record->kind == BURST_CONSUMED_MISSING && at <= trial->acknowledged; /* and so deleted */
        if (!was_passed && !trial->damage_is_possible) {
            trial_wrong(trial, "number %llu is of kind %u, though nothing was damaged", (unsigned long long)at,
                        record->kind);
        }
        return;
    }
    const uint32_t number = number_of(trial, record);
    if (number == 0 || trial->records[number].stream != SEGMENTS_STREAM || at > NUMBERS_MAX) {
        trial_wrong(trial, "number %llu is no record of the stream: %.30s", (unsigned long long)at,
                    (const char *)record->data);
        return;
    }
    if (trial->given[at] != 0 && trial->given[at] != number) {
        trial_wrong(trial, "number %llu is record %u, and was given as record %u", (unsigned long long)at, number,
                    trial->given[at]);
    }
    trial->given[at] = number;
}

static void open_position(struct session *session, burst_consumer_t *consumer) {
    struct trial *trial = session->trial;
    const uint64_t position = burst_consumer_position(consumer);
    if (position != trial->acknowledged + 1 && position != trial->acknowledging + 1) {
        trial_wrong(trial, "the consumer begins with number %llu, and has acknowledged %llu",
                    (unsigned long long)position, (unsigned long long)trial->acknowledged);
    }
    trial->acknowledged = trial->acknowledging = position - 1;
}

void session_consume(struct session *session) {
    struct trial *trial = session->trial;
    burst_consumer_t *consumer;
    burst_consumed_t record = {.struct_bytes = sizeof record};
    int rc = ENGINE(int, burst_consumer_open(SEGMENTS_FOLDER, "reader", &consumer));
    if (rc < 0) {
        session_refused(session, "consumer_open", rc);
        return;
    }
    open_position(session, consumer);
    while ((rc = ENGINE(int, burst_consumer_next(consumer, &record, 0))) == 1) {
        take(trial, &record);
    }
    if (rc < 0) {
        session_refused(session, "consumer_next", rc);
    }
    if (burst_consumer_position(consumer) > 1) {
        trial->acknowledging = burst_consumer_position(consumer) - 1;
        rc = ENGINE(int, burst_consumer_ack(consumer, trial->acknowledging));
        if (rc < 0) {
            session_refused(session, "consumer_ack", rc);
        } else {
            trial->acknowledged = trial->acknowledging;
        }
    }
    ENGINE(int, (burst_consumer_close(consumer), 0));
}

/* Others put a folder, a FIFO and a link among the consumers' positions. No consumer may take one for its position,
 * and the log must pass them over. If a fault kept the log from making the folder of positions, these names are free
 * for consumers. */
#define POSITIONS SEGMENTS_FOLDER "/consumers/"
#define VICTIM "victim" /* beside the folder of log files */

void session_put_strangers(struct session *session) {
    mkdir(POSITIONS "lost+found", 0700);
    mkfifo(POSITIONS "fifo", 0600);
    symlink("../../../" VICTIM, POSITIONS "link");
    burst_consumer_t *consumer;
    static const char *const names[] = {"lost+found", "fifo", "link"};
    for (size_t i = 0; i < sizeof names / sizeof *names && access(POSITIONS, F_OK) == 0; i++) {
        if (ENGINE(int, burst_consumer_open(SEGMENTS_FOLDER, names[i], &consumer)) == 0) {
            trial_wrong(session->trial, "%s is taken for the position of a consumer", names[i]);
            ENGINE(int, (burst_consumer_close(consumer), 0));
        }
    }
    if (access(VICTIM, F_OK) == 0) {
        trial_wrong(session->trial, "a consumer has followed a link");
    }
    unlink(POSITIONS "link"); /* as a position it would hold all segments */
}

/* The consumer got each record of the stream once, in order; that includes records deleted since. */
static void check_all(struct trial *trial, uint64_t count) {
    const uint32_t *found = trial->given;
    uint32_t before = 0;
    for (uint64_t at = 1; at <= count; at++) {
        if (found[at] != 0 && found[at] <= before && !trial->damage_is_possible) {
            trial_wrong(trial, "record %u is in the segments behind record %u", found[at], before);
        }
        for (uint32_t i = before + 1; i < found[at]; i++) {
            if (trial->records[i].stream == SEGMENTS_STREAM && trial->records[i].fate == FATE_ACKNOWLEDGED &&
                !trial->damage_is_possible) {
                trial_wrong(trial, "record %u was acknowledged and is in no segment", i);
            }
        }
        before = found[at] > before ? found[at] : before;
    }
    for (uint32_t i = before + 1; i <= trial->record_count && !trial->damage_is_possible; i++) {
        if (trial->records[i].stream == SEGMENTS_STREAM && trial->records[i].fate == FATE_ACKNOWLEDGED) {
            trial_wrong(trial, "record %u was acknowledged and is in no segment", i);
        }
    }
}

void verify_segments(struct trial *trial) {
    burst_consumer_t *consumer;
    burst_consumed_t record = {.struct_bytes = sizeof record};
    if (burst_consumer_open(SEGMENTS_FOLDER, "reader", &consumer) < 0) {
        check_all(trial, 0);
        return;
    }
    struct session session = {.trial = trial};
    open_position(&session, consumer);
    burst_consumer_seek(consumer, 1);
    while (burst_consumer_next(consumer, &record, 0) == 1 && record.number <= NUMBERS_MAX) {
        take(trial, &record);
    }
    check_all(trial, burst_consumer_position(consumer) - 1);
    burst_consumer_close(consumer);
}
