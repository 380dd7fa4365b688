/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog tail` and `burstlog replay`. */
#include <errno.h>
#include <stdio.h>

#include "base/platform.h"
#include "cli/cli.h"
#include "cli/read.h"

#define TAIL_RECORDS 10

static int print(void *argument, const burst_read_t *record) {
    return read_print(argument, record);
}

int command_tail(int argc, char **argv) {
    static const struct read_command command = {
        .usage = "burstlog tail [-f] [-n N] [OPTION...] SOURCE",
        .about = "Prints the last 10 records, or lines of a log file, and with -f then all that become durable.\n"
                 "  -n, --lines N     the last N; 0: none\n"
                 "  -f, --follow      go on with what comes, over restarts and rolls, until it is interrupted\n",
        .options = "fn"};
    struct read_options options;
    char **operands;
    const int code = read_arguments(argc, argv, &command, &options, &operands);
    if (code != CLI_GO_ON) {
        return code;
    }
    if (options.last == UINT64_MAX && options.from.kind == POINT_NONE) {
        options.last = TAIL_RECORDS;
    }
    return read_log(&options, print, &options);
}

/* ----------------------------------------------------------------------------------------------------------- replay */

struct replay {
    const struct read_options *options;
    int64_t begun_ns; /* CLOCK_MONOTONIC of the first record that has a time; 0: none yet */
    int64_t first_ns; /* its event time */
};

/* Waits until it is the record's turn. A record whose time is not later than those before comes at once. Returns 0, -EINTR, or
 * as cli_output_failed does. */
static int wait_for_turn(const struct replay *replay, const burst_read_t *record) {
    /* Times may be any numbers, and their distance more than 64 bits have. */
    const double behind_ns = ((double)record->event_time_ns - (double)replay->first_ns) / replay->options->speed;
    for (;;) {
        const double left_ns = behind_ns - (double)(platform_monotonic_ns(&platform_linux) - replay->begun_ns);
        if (left_ns <= 0) {
            return 0;
        }
        if (fflush(stdout) != 0) {
            return cli_output_failed();
        }
        if (read_is_interrupted()) {
            return -EINTR;
        }
        platform_linux.ops->sleep_ns(&platform_linux, left_ns < READ_LOOK_NS ? (int64_t)left_ns + 1 : READ_LOOK_NS);
    }
}

/* Waits for records alone, and not for one whose time is 0, that is not known. */
static int print_in_time(void *argument, const burst_read_t *record) {
    struct replay *replay = argument;
    int rc = 0;
    if (replay->options->speed > 0 && record->kind == BURST_READ_RECORD && record->event_time_ns != 0) {
        if (replay->begun_ns == 0) {
            replay->begun_ns = platform_monotonic_ns(&platform_linux);
            replay->first_ns = record->event_time_ns;
        }
        rc = wait_for_turn(replay, record);
    }
    return rc < 0 ? rc : read_print(replay->options, record);
}

int command_replay(int argc, char **argv) {
    static const struct read_command command = {
        .usage = "burstlog replay [--speed 1|10|max] [OPTION...] SOURCE",
        .about = "Prints the records at their own times: each as long after the first one as its event was.\n"
                 "  --speed N         N times as fast; max: without any wait\n",
        .options = "s"};
    struct read_options options;
    char **operands;
    const int code = read_arguments(argc, argv, &command, &options, &operands);
    struct replay replay = {.options = &options};
    return code != CLI_GO_ON ? code : read_log(&options, print_in_time, &replay);
}
