/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial: a ring and its log files in a folder, two sessions on them under faults, and a third one without a fault.
 * The third must find everything that was acknowledged. Memory that outlives a killed session keeps what that is.
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
#define SEGMENTS_FOLDER "logs/.segments" /* not one of the log files */
#define NUMBERS_MAX (2 * RECORDS_MAX)
#define KEPT_FILES 3 /* of the main stream, in the scenarios `planned` and `reads` */

/* Names in the folder of log files. Others, or a failed sync, may add NAME.1 to each. Index 0 is the main stream's. */
extern const char *const stream_files[STREAMS];

enum scenario {
    SCENARIO_WAITING,    /* a ring near its lap's end, with records that wait after a kill */
    SCENARIO_STREAMS,    /* the same ring, with two streams more: one is added, one is removed */
    SCENARIO_ROLLS,      /* the same ring; its log file, and that of another stream, are rolled */
    SCENARIO_PLANNED,    /* the same, by the engine's plan, which compresses rolled files and keeps some */
    SCENARIO_SEGMENTS,   /* the same ring, with a stream that has segments, and their consumer */
    SCENARIO_READS,      /* as PLANNED, with a window and an index; readers read beside the log, and behind it */
    SCENARIO_NEW,        /* no ring, no log file, no folder for it */
    SCENARIO_NEW_EMPTY,  /* an empty file in the ring's place */
    SCENARIO_NEW_LINKED, /* as NEW, on a file system without an exclusive rename */
    SCENARIOS
};

extern const char *const scenario_names[SCENARIOS];

/* The fate of each append. */
enum fate { FATE_UNUSED, FATE_TRIED, FATE_REFUSED, FATE_ACCEPTED, FATE_ACKNOWLEDGED };

struct record_of_trial {
    _Atomic int64_t sequence;
    _Atomic uint32_t fate;
    uint32_t stream;
    uint32_t is_roll; /* its text is a file's footer, and the next file's header */
};

struct trial {
    enum scenario scenario;
    uint32_t first_in_files; /* the first record of the main stream that verify_files found */
    uint32_t record_count;   /* the next record's number is one more */
    struct record_of_trial records[RECORDS_MAX + 1];
    uint32_t refusals; /* calls that returned an error, burst_open too */
    uint32_t append_refusals;
    uint32_t open_refusals;
    uint32_t sync_failures;
    uint32_t timeouts; /* waits that their time limit ended */
    int64_t wait_ns;   /* how long a session waits for the log file */
    int64_t left;      /* the last close's answer */
    int64_t reported_lost;
    int may_be_twice;       /* the operator was told that a folder which may not be listed, for good, may hold a renamed
                                file: a drain that waited for it could never go on */
    int gave_up;            /* the operator was told that a file goes on behind its footer */
    int has_unreadable;     /* the statement told of unreadable blocks */
    int damage_is_possible; /* a read of the ring failed as on a bad medium */
    uint32_t given[NUMBERS_MAX + 1];      /* the record that the consumer got under this number; 0: none */
    uint64_t acknowledged, acknowledging; /* the number that the consumer has acknowledged, and one that it may have */
    char refusal[256];                    /* the last sentence */
    char wrong[WRONG_BYTES];              /* the first violation, or "" */
};

/* `trial` is in shared memory. The first and second session run under faults, the last one without. */
void trial_first_session(struct trial *trial);
void trial_second_session(struct trial *trial);
void trial_last_session(struct trial *trial);

/* 1: each refusal and each event is printed. */
extern int trial_is_told;

__attribute__((format(printf, 2, 3))) void trial_wrong(struct trial *trial, const char *format, ...);

/* "<7\n", ">7\n" */
size_t make_roll_line(char *text, char kind, uint32_t number);

size_t make_record(char *text, uint32_t number, size_t length);

/* Evaluates a call as the engine's: the shim counts it. */
#define ENGINE(type, call)                                                                                             \
    ({                                                                                                                 \
        shim_enter();                                                                                                  \
        const type engine_result = call;                                                                               \
        shim_leave();                                                                                                  \
        engine_result;                                                                                                 \
    })

/* The same for a call of a reader. */
#define READER(type, call)                                                                                             \
    ({                                                                                                                 \
        shim_enter_reader();                                                                                           \
        const type reader_result = call;                                                                               \
        shim_leave();                                                                                                  \
        reader_result;                                                                                                 \
    })

/* Check that the files under the current directory hold what they must. */
void verify_files(struct trial *trial);
void verify_segments(struct trial *trial);
/* Readers read what is there while no process has the log open. is_proven: its last commit is proven. */
void verify_reads(struct trial *trial, int is_proven);

/* The current directory becomes a stage. Each trial sets up everything below it anew. */
void stage_build(char *folder);
void stage_remove(const char *folder);
void stage_set(struct trial *trial, enum scenario scenario);
/* Remember the trial, its ring and its log files; bring them back. */
void stage_remember(const struct trial *trial);
void stage_recall(struct trial *trial);
/* Lists the names in the folder of log files, without those that begin with a dot. */
int stage_files(char names[][64], int most);

#endif
