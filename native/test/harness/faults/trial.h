/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial: a ring and its log files in a folder, two sessions on them under faults, and a third without any, which must
 * find everything that was acknowledged. What was acknowledged is kept in memory that outlives a killed session.
 */
#ifndef BURST_TEST_FAULTS_TRIAL_H
#define BURST_TEST_FAULTS_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "shim.h"

#define RECORDS_MAX 64
#define LONGEST_RECORD (250 * 1024)
#define FAULTS_MAX 2
#define WRONG_BYTES 1024
#define ROTATED_WHILE_OPEN "log.1"
#define ROLLED_SUFFIX ".old"
#define ROTATED_WHILE_CLOSED "log.2"
#define STREAMS 3
#define SEGMENTS_STREAM 1
#define SEGMENTS_FOLDER "logs/.segments" /* none of the log files */
#define NUMBERS_MAX (2 * RECORDS_MAX)
#define KEPT_FILES 3 /* of the log, in scenario `planned` */

/* In the folder of the log files, each with what others or a failed sync make of it: NAME.1. 0: the log's own. */
extern const char *const stream_files[STREAMS];

enum scenario {
    SCENARIO_WAITING,    /* a ring near the end of its lap, with records waiting as a kill left them */
    SCENARIO_STREAMS,    /* the same ring, with two streams beside its log: one is added, one is removed */
    SCENARIO_ROLLS,      /* the same ring, whose log and a stream beside it are rolled */
    SCENARIO_PLANNED,    /* the same, by the log itself, which compresses what was rolled and keeps some of it */
    SCENARIO_SEGMENTS,   /* the same ring, with a stream that has segments, and a consumer of them */
    SCENARIO_NEW,        /* neither ring nor log file nor its folder */
    SCENARIO_NEW_EMPTY,  /* an empty file in the place of the ring */
    SCENARIO_NEW_LINKED, /* as NEW, on a file system without an exclusive rename */
    SCENARIOS
};

extern const char *const scenario_names[SCENARIOS];

/* Every append, whatever became of it. */
enum fate { FATE_UNUSED, FATE_TRIED, FATE_REFUSED, FATE_ACCEPTED, FATE_ACKNOWLEDGED };

struct record_of_trial {
    _Atomic int64_t sequence;
    _Atomic uint32_t fate;
    uint32_t stream;
    uint32_t is_roll; /* its text is the footer of a file, and the header of the next one */
};

struct trial {
    enum scenario scenario;
    uint32_t record_count; /* the number of the next record is one more */
    struct record_of_trial records[RECORDS_MAX + 1];
    uint32_t refusals; /* calls that returned an error, also of open */
    uint32_t append_refusals;
    uint32_t open_refusals;
    uint32_t sync_failures;
    uint32_t timeouts; /* waits that ended without what they waited for */
    int64_t wait_ns;   /* how long a session waits for the log file */
    int64_t left;      /* what the last close said */
    int64_t reported_lost;
    int may_be_twice;       /* the operator was told that a folder which may not be listed, for good, may hold a renamed
                                file: a drain that waited for it could never go on */
    int gave_up;            /* the operator was told that a file goes on behind its footer */
    int has_unreadable;     /* the statement said that blocks could not be read */
    int damage_is_possible; /* a read of the ring failed in the way of a bad medium */
    uint32_t given[NUMBERS_MAX + 1];      /* the record that a consumer was given under this number; 0: none */
    uint64_t acknowledged, acknowledging; /* the number that it has surely acknowledged, and that it may have */
    char refusal[256];                    /* the last sentence */
    char wrong[WRONG_BYTES];              /* the first violation, or "" */
};

/* `trial` is in shared memory. Phase 0 and 1 run under faults, phase 2 without. */
void trial_first_session(struct trial *trial);
void trial_second_session(struct trial *trial);
void trial_last_session(struct trial *trial);

/* Every refusal and every event is printed. */
extern int trial_is_told;

__attribute__((format(printf, 2, 3))) void trial_wrong(struct trial *trial, const char *format, ...);

/* "<7\n", ">7\n" */
size_t make_roll_line(char *text, char kind, uint32_t number);

size_t make_record(char *text, uint32_t number, size_t length);

/* The engine's part of an expression. */
#define ENGINE(type, call)                                                                                             \
    ({                                                                                                                 \
        shim_enter();                                                                                                  \
        const type engine_result = call;                                                                               \
        shim_leave();                                                                                                  \
        engine_result;                                                                                                 \
    })

/* The files under the current directory hold what they must. */
void verify_files(struct trial *trial);
void verify_segments(struct trial *trial);

/* The current directory becomes a stage; everything below it is set up anew for each trial. */
void stage_build(char *folder);
void stage_remove(const char *folder);
void stage_set(struct trial *trial, enum scenario scenario);
/* Remembers ring and log files as they are, and the trial; brings them back. */
void stage_remember(const struct trial *trial);
void stage_recall(struct trial *trial);
/* The names in the folder of the log files, without those that begin with a dot. */
int stage_files(char names[][64], int most);

#endif
