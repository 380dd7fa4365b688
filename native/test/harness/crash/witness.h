/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that the rounds of kills log, and what the log files must hold: each thread counts, and writes to one
 * stream. */
#ifndef BURST_TEST_CRASH_WITNESS_H
#define BURST_TEST_CRASH_WITNESS_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define THREADS_MAX 8
#define STREAMS_MAX 4
#define ROLLS_MAX 4096
#define LONGEST_LINE 1500

enum surroundings { LINES_REPEAT = 1, SIBLINGS = 2, NAME_IS_A_LINK = 4, ROTATED = 8, STREAMS = 16, ROLLED = 32 };

struct witness {
    _Atomic uint64_t acknowledged[THREADS_MAX];        /* last number whose call returned durable */
    _Atomic uint64_t offered[THREADS_MAX];             /* the last number whose call was begun */
    uint64_t first[THREADS_MAX];                       /* this round's first number */
    _Atomic uint64_t rolls[STREAMS_MAX];               /* number of the last roll begun; one thread writes each */
    _Atomic uint8_t is_rolled[STREAMS_MAX][ROLLS_MAX]; /* the roll's call returned durable */
    _Atomic uint32_t opened;
};

static unsigned surroundings;
static struct witness *witness;
static uint64_t present[THREADS_MAX]; /* each thread's last number in its file */
static long verified_bytes[STREAMS_MAX];
static uint64_t footers[STREAMS_MAX], headers[STREAMS_MAX]; /* rolls of each stream that were seen */
static uint64_t archives;                                   /* rolled files that are whole */
static int has_ended[STREAMS_MAX];                          /* the file that was read last ends with its footer */

/* Each stream has the same number of threads. */
static inline int threads(void) {
    return surroundings & STREAMS ? THREADS_MAX : 4;
}

static inline int streams(void) {
    return surroundings & STREAMS ? STREAMS_MAX : 1;
}

static inline int stream_of(int thread) {
    return thread % streams();
}

static inline size_t make_line(char *line, int thread, uint64_t number) {
    if (surroundings & LINES_REPEAT) {
        return (size_t)snprintf(line, LONGEST_LINE, "%d same\n", thread);
    }
    const size_t fill = (number * 2654435761u >> 7) % (number % 50 == 0 ? LONGEST_LINE - 100 : 200);
    int used = snprintf(line, LONGEST_LINE, "%d %llu ", thread, (unsigned long long)number);
    for (size_t i = 0; i < fill; i++) {
        line[used++] = (char)('a' + (number + i) % 26);
    }
    line[used++] = '\n';
    return (size_t)used;
}

/* Reads the line of a roll, whose number becomes `*seen`; 0: it is no roll's line. */
static inline int take_roll_line(const char *path, int stream, const char *line, int is_first) {
    const int is_header = line[0] == '>';
    uint64_t *seen = is_header ? &headers[stream] : &footers[stream];
    unsigned long long number = 0;
    int of = -1;
    if (!(surroundings & ROLLED) || (line[0] != '<' && line[0] != '>')) {
        return 0;
    }
    if (sscanf(line + 1, "%d %llu\n", &of, &number) != 2 || of != stream || number <= *seen) {
        fail_msg("%s holds %.40s where roll %llu is the last (surroundings %u)", path, line, (unsigned long long)*seen,
                 surroundings);
    }
    if (is_header && (!is_first || number != footers[stream])) {
        fail_msg("%s has the header %.40s in its middle, or not behind its footer", path, line);
    }
    *seen = number;
    has_ended[stream] = !is_header;
    return 1;
}

/* Checks each line added since the last look: it is whole, the next of its thread, and in its stream's file. */
static inline void verify_rest(const char *path, int stream) {
    char line[LONGEST_LINE + 1], wanted[LONGEST_LINE];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, verified_bytes[stream], SEEK_SET);
    while (fgets(line, sizeof line, file) != NULL) {
        int thread = -1;
        const int is_first = ftell(file) == (long)strlen(line);
        if (has_ended[stream] && !is_first) {
            fail_msg("%s holds %.40s behind its footer", path, line);
        }
        if (is_first && footers[stream] > 0 && line[0] != '>' && surroundings & ROLLED) {
            fail_msg("%s does not begin with a header, but with %.40s", path, line);
        }
        has_ended[stream] &= !is_first;
        if (take_roll_line(path, stream, line, is_first)) {
            continue;
        }
        if (sscanf(line, "%d ", &thread) != 1 || thread < 0 || thread >= threads()) {
            fail_msg("%s holds a line that nobody wrote: %.60s (surroundings %u)", path, line, surroundings);
        }
        if (stream_of(thread) != stream) {
            fail_msg("%s holds a line of stream %d: %.60s (surroundings %u)", path, stream_of(thread), line,
                     surroundings);
        }
        const size_t length = make_line(wanted, thread, present[thread] + 1);
        if (strlen(line) != length || memcmp(line, wanted, length) != 0) {
            fail_msg("%s holds %.40s where %.40s is the next (surroundings %u)", path, line, wanted, surroundings);
        }
        present[thread]++;
    }
    verified_bytes[stream] = ftell(file);
    fclose(file);
}

/* Makes files of others, or of an earlier log: they begin as this log will. */
static inline void make_siblings(const char *folder) {
    static const char *const names[] = {"log.1", "log-2026", "other"};
    char path[320], line[LONGEST_LINE];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        for (int thread = 0; thread <= i; thread++) {
            fwrite(line, 1, make_line(line, thread, 1), file);
        }
        fclose(file);
    }
}

/* Checks that no line is there twice: repeated lines would make more than were ever offered. */
static inline void verify_numbers(void) {
    for (int i = 0; i < threads(); i++) {
        if (present[i] > atomic_load(&witness->offered[i])) {
            fail_msg("thread %d: %llu were offered, the file has %llu (surroundings %u)", i,
                     (unsigned long long)witness->offered[i], (unsigned long long)present[i], surroundings);
        }
        if (present[i] < atomic_load(&witness->acknowledged[i])) {
            fail_msg("thread %d: %llu was acknowledged, the file ends with %llu (surroundings %u)", i,
                     (unsigned long long)witness->acknowledged[i], (unsigned long long)present[i], surroundings);
        }
    }
}

#endif
