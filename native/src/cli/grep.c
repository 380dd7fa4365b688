/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog grep`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/expression.h"
#include "cli/literals.h"
#include "cli/read.h"

#define NOTHING_FOUND 1 /* exit code, as of other programs of that name */

struct search {
    struct read_options options;
    struct read_needle needle; /* each match has it */
    char *literals;            /* its bytes */
    int is_decided;            /* the needle alone decides */
    struct expression expression;
    uint64_t found;
};

static int prepare(struct search *search, const char *pattern) {
    const size_t length = strlen(pattern);
    search->needle.ignore_case = search->options.ignore_case;
    search->literals = malloc(length + 1);
    if (search->literals == NULL) {
        return error_set(ENOMEM, "no memory for the pattern");
    }
    if (search->options.fixed) {
        search->is_decided = 1;
        memcpy(search->literals, pattern, length);
        if (length > 0) {
            needle_add(&search->needle, (uint8_t *)search->literals, length, 0);
        }
        return 0;
    }
    const int rc = expression_compile(&search->expression, pattern, search->options.ignore_case);
    if (rc == 0) {
        search->is_decided = literals_of(pattern, &search->needle, search->literals);
    }
    if (rc == 0 && !search->is_decided) {
        expression_quicken(&search->expression, pattern, search->options.ignore_case);
    }
    return rc;
}

/* Whether the text matches. */
static int matches(struct search *search, const void *text, size_t bytes) {
    const int is_possible = needle_has(&search->needle, text, bytes);
    return !is_possible || search->is_decided ? is_possible : expression_matches(&search->expression, text, bytes);
}

static int look(void *argument, const burst_read_t *record) {
    struct search *search = argument;
    if (record->kind > BURST_READ_LINE) {
        return search->options.json ? read_print(&search->options, record) : 0;
    }
    const int found = matches(search, record->data, record->length);
    if (found < 0 || found == search->options.invert) {
        return found < 0 ? found : 0;
    }
    search->found++;
    return search->options.count ? 1 : read_print(&search->options, record);
}

int command_grep(int argc, char **argv) {
    static const struct read_command command = {
        .usage = "burstlog grep [-f] [-n N] [-icvF] [OPTION...] PATTERN SOURCE",
        .about =
            "Prints the records, or lines of a log file, that match an extended regular expression. -n N searches the\n"
            "last N; -f then goes on with what comes, and without -n begins with that: it prints no history.\n"
            "  -n, --lines N         search the last N\n"
            "  -f, --follow          go on with what comes\n"
            "  -i, --ignore-case     capital or not\n"
            "  -v, --invert-match    those that do not match\n"
            "  -c, --count           only how many\n"
            "  -F, --fixed-strings   PATTERN is text\n"
            "Exit codes: 0 found, 1 not found, 4 a file is damaged; others as of other commands.\n",
        .options = "fnivcF",
        .operands = 1};
    struct search search = {.found = 0};
    char **operands;
    const int code = read_arguments(argc, argv, &command, &search.options, &operands);
    if (code != CLI_GO_ON) {
        return code;
    }
    if (search.options.follow && search.options.last == UINT64_MAX && search.options.from.kind == POINT_NONE) {
        search.options.last = 0;
    }
    const int rc = prepare(&search, operands[0]);
    if (rc < 0) {
        return cli_failed(rc);
    }
    if (!search.options.invert) {
        search.options.needle = &search.needle;
    }
    const int result = read_log(&search.options, look, &search);
    if (search.options.count) {
        printf("%llu\n", (unsigned long long)search.found);
    }
    expression_free(&search.expression);
    free(search.literals);
    return result == EXIT_OK && search.found == 0 ? NOTHING_FOUND : result == EXIT_DAMAGE ? EXIT_IO : result;
}
