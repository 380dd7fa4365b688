/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that read a log (cat, tail, grep, replay) share their options and their loop. */
#ifndef BURST_CLI_READ_H
#define BURST_CLI_READ_H

#include <stdint.h>

#include "burstlog.h"
#include "read/needle.h"

/* A point of the log, as --from and --to name it. */
struct read_point {
    enum { POINT_NONE, POINT_SEQUENCE, POINT_TIME } kind;
    int64_t value;
};

struct read_options {
    const char *source;
    const char *stream;
    const char *window;
    const char *archives;
    struct read_point from, to;
    uint64_t limit; /* UINT64_MAX: none */
    uint64_t last;  /* of tail and grep; UINT64_MAX: not given */
    int json;
    int quiet;
    int follow;
    int ignore_case, invert, count, fixed; /* of grep */
    double speed;                          /* of replay; 0: as fast as possible */
    struct read_needle *needle;            /* of grep: each line that it wants has it; NULL: it wants all */
    const char *appender;                  /* which <Burst> of a configuration file; NULL: the only one */
    char found_source[BURST_PATH_BYTES], found_window[BURST_PATH_BYTES], found_archives[BURST_PATH_BYTES],
        found_stream[BURST_PATH_BYTES]; /* what a configuration file names */
};

struct read_command {
    const char *usage;
    const char *about;
    const char *options; /* the short names of options that only some commands have: "fn" */
    int operands;        /* before SOURCE */
};

/* Reads the arguments. Returns CLI_GO_ON with *operands at the operands before SOURCE, or the exit code. */
int read_arguments(int argc, char **argv, const struct read_command *command, struct read_options *options,
                   char ***operands);

/* Gets each record and line from the beginning that the options name up to their end, also what is lost or missed.
 * Returns 1 if the record counts for --limit, 0 if it does not; to end: -EPIPE, -EINTR if it is interrupted, or another
 * -errno with a sentence. */
typedef int read_each(void *argument, const burst_read_t *record);

/* How often a command that waits has to look whether it was interrupted. */
#define READ_LOOK_NS 200000000

/* Whether SIGINT or SIGTERM has come: the command then ends as at the end of the log. */
int read_is_interrupted(void);

/* Reads, and then prints how much on standard error. Returns the exit code. */
int read_log(const struct read_options *options, read_each *each, void *argument);

/* Prints a record: its bytes, or one JSON object in a line. Returns 1 if it counts for --limit, 0 if it does not, or as
 * cli_output_failed does. */
int read_print(const struct read_options *options, const burst_read_t *record);

/* Parses a sequence, a time (ISO 8601, local unless it has a zone) or a time ago (-5min). Returns 0, or -1. */
int read_point_parse(const char *text, int64_t now_ns, struct read_point *point);

/* Takes ring, archives and the like of a Log4j configuration file for a source of that name. Returns 0, or -errno with a
 * sentence. */
int log4j_file_resolve(struct read_options *options);

#endif
