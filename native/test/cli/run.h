/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the command `burstlog`, whose path BURST_CLI is. */
#ifndef BURST_TEST_CLI_RUN_H
#define BURST_TEST_CLI_RUN_H

#include "log_fixture.h"

static char output[65536];

/* Runs burstlog with these arguments; `output` gets its output and errors. Returns its exit code. */
static inline int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline int run(const char *format, ...) {
    char command[1024];
    int used = snprintf(command, sizeof command, "%s ", BURST_CLI);
    va_list arguments;
    va_start(arguments, format);
    used += vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    snprintf(command + used, sizeof command - (size_t)used, " 2>&1");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static inline void assert_said(const char *words) {
    if (strstr(output, words) == NULL) {
        fail_msg("\"%s\" is not in: %s", words, output);
    }
}

static inline int times_said(const char *words) {
    int times = 0;
    for (const char *at = output; (at = strstr(at, words)) != NULL; at++) {
        times++;
    }
    return times;
}

#endif
