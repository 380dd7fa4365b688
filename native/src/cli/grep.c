/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog grep`. */
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/literals.h"
#include "cli/read.h"

#define NOTHING_FOUND 1 /* exit code, as of other programs of that name */

struct search {
    struct read_options options;
    struct read_needle needle; /* each match has it */
    char *literals;            /* its bytes */
    int is_regex;              /* the needle alone does not decide, and `regex` is to be freed */
    regex_t regex;
    char *text; /* a copy with a terminator, for the regular expression */
    size_t room;
    char for_zero; /* in the place of a byte of zero there, which would end it early; the pattern does not have it */
    uint64_t found;
};

static int compile(struct search *search, const char *pattern) {
    char why[200];
    const int code = regcomp(&search->regex, pattern,
                             REG_EXTENDED | REG_NOSUB | REG_NEWLINE | (search->options.ignore_case ? REG_ICASE : 0));
    if (code != 0) {
        regerror(code, &search->regex, why, sizeof why);
        return error_set(EINVAL, "pattern \"%s\" is no extended regular expression: %s; -F searches the text as it is",
                         pattern, why);
    }
    search->is_regex = 1;
    search->for_zero = 1;
    while (search->for_zero < 127 && strchr(pattern, search->for_zero) != NULL) {
        search->for_zero++;
    }
    return 0;
}

static int prepare(struct search *search, const char *pattern) {
    const size_t length = strlen(pattern);
    search->needle.ignore_case = search->options.ignore_case;
    search->literals = malloc(length + 1);
    if (search->literals == NULL) {
        return error_set(ENOMEM, "no memory for the pattern");
    }
    if (search->options.fixed) {
        memcpy(search->literals, pattern, length);
        if (length > 0) {
            needle_add(&search->needle, (uint8_t *)search->literals, length, 0);
        }
        return 0;
    }
    const int rc = compile(search, pattern);
    if (rc == 0 && literals_of(pattern, &search->needle, search->literals)) {
        regfree(&search->regex);
        search->is_regex = 0;
    }
    return rc;
}

/* Whether the text matches. */
static int matches(struct search *search, const void *text, size_t bytes) {
    const int is_possible = needle_has(&search->needle, text, bytes);
    if (!is_possible || !search->is_regex) {
        return is_possible;
    }
    if (bytes + 1 > search->room) {
        char *larger = realloc(search->text, 2 * bytes + 256);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory to search a record of %zu bytes", bytes);
        }
        search->text = larger;
        search->room = 2 * bytes + 256;
    }
    memcpy(search->text, text, bytes);
    while (bytes > 0 && search->text[bytes - 1] == '\n') {
        bytes--;
    }
    search->text[bytes] = '\0';
    for (char *at = search->text; (at = memchr(at, '\0', bytes - (size_t)(at - search->text))) != NULL;) {
        *at = search->for_zero;
    }
    return regexec(&search->regex, search->text, 0, NULL, 0) == 0;
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
            "Exit codes: 0 found, 1 not found, 2 and above as of other commands.\n",
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
    if (search.is_regex) {
        regfree(&search.regex);
    }
    free(search.literals);
    free(search.text);
    return result == EXIT_OK && search.found == 0 ? NOTHING_FOUND : result;
}
