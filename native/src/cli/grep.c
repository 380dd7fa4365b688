/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog grep`. */
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/read.h"

#define NOTHING_FOUND 1 /* exit code, as of other programs of that name */

struct search {
    struct read_options options;
    int is_compiled; /* `regex` is to be freed */
    int is_regex;    /* the literal alone does not decide */
    regex_t regex;
    char *literal; /* each match contains it; NULL: none is known */
    size_t literal_bytes;
    char *text; /* a copy with a terminator, for the regular expression */
    size_t room;
    uint64_t found;
};

/* The longest part of an extended regular expression that each match contains. Returns NULL if none is known. */
static char *literal_of(const char *pattern, size_t *bytes) {
    const char *best = NULL;
    size_t length = 0;
    *bytes = 0;
    if (strpbrk(pattern, "|()[\\") != NULL) {
        return NULL; /* alternatives, groups and escapes are left to the regular expression */
    }
    for (const char *at = pattern;; at++) {
        const int is_plain = *at != '\0' && strchr(".*+?{}^$", *at) == NULL;
        if (is_plain) {
            length++;
            continue;
        }
        /* The character before *, ? or { may be absent; the one before + is there. */
        const size_t sure = length > 0 && (*at == '*' || *at == '?' || *at == '{') ? length - 1 : length;
        if (sure > *bytes) {
            best = at - length;
            *bytes = sure;
        }
        length = 0;
        if (*at == '{') {
            at = strchr(at, '}') == NULL ? at : strchr(at, '}');
        }
        if (*at == '\0') {
            break;
        }
    }
    return best == NULL ? NULL : strndup(best, *bytes);
}

static int prepare(struct search *search, const char *pattern) {
    char why[200];
    search->is_regex = !search->options.fixed || search->options.ignore_case;
    if (search->options.fixed && !search->options.ignore_case) {
        search->literal = strdup(pattern);
        search->literal_bytes = strlen(pattern);
        return search->literal == NULL ? error_set(ENOMEM, "no memory for the pattern") : 0;
    }
    char *escaped = NULL;
    if (search->options.fixed) {
        escaped = calloc(strlen(pattern) * 2 + 1, 1);
        char *out = escaped;
        for (const char *at = pattern; escaped != NULL && *at != '\0'; at++) {
            if (strchr("\\.[]|()*+?{}^$", *at) != NULL) {
                *out++ = '\\';
            }
            *out++ = *at;
        }
    }
    const int code = regcomp(&search->regex, escaped != NULL ? escaped : pattern,
                             REG_EXTENDED | REG_NOSUB | REG_NEWLINE | (search->options.ignore_case ? REG_ICASE : 0));
    free(escaped);
    if (code != 0) {
        regerror(code, &search->regex, why, sizeof why);
        return error_set(EINVAL, "pattern \"%s\" is no extended regular expression: %s; -F searches the text as it is",
                         pattern, why);
    }
    search->is_compiled = 1;
    if (!search->options.ignore_case) {
        search->literal = literal_of(pattern, &search->literal_bytes);
        search->is_regex = search->literal == NULL || search->literal_bytes != strlen(pattern);
    }
    return 0;
}

/* Whether the text matches. */
static int matches(struct search *search, const void *text, size_t bytes) {
    if (search->literal != NULL && memmem(text, bytes, search->literal, search->literal_bytes) == NULL) {
        return 0;
    }
    if (!search->is_regex) {
        return 1;
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
    for (size_t at = 0; at < bytes; at++) { /* a byte of zero would end the text early */
        search->text[at] = search->text[at] == '\0' ? ' ' : search->text[at];
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
        search.options.literal = search.literal;
        search.options.literal_bytes = search.literal_bytes;
    }
    const int result = read_log(&search.options, look, &search);
    if (search.options.count) {
        printf("%llu\n", (unsigned long long)search.found);
    }
    if (search.is_compiled) {
        regfree(&search.regex);
    }
    free(search.literal);
    free(search.text);
    return result == EXIT_OK && search.found == 0 ? NOTHING_FOUND : result;
}
