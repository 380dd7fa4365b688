/* SPDX-License-Identifier: Apache-2.0 */
#include "read/archive_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "burstlog.h"

static int ends_with(const char *name, const char *suffix) {
    const size_t length = strlen(name), bytes = strlen(suffix);
    return length >= bytes && strcmp(name + length - bytes, suffix) == 0;
}

int archive_is_packed(const char *path) {
    return ends_with(path, ".gz") || ends_with(path, ".zst");
}

/* How long the name is without its suffix, as ".log". */
static size_t stem_of(const char *log_name) {
    const char *dot = strrchr(log_name, '.');
    return dot == NULL || dot == log_name ? strlen(log_name) : (size_t)(dot - log_name);
}

int archive_name_fits(const char *name, const char *log_name) {
    if (ends_with(name, ".ring") || ends_with(name, ".flight")) {
        return 0;
    }
    const size_t stem = stem_of(log_name);
    const char *suffix = log_name + stem;
    if (strncmp(name, log_name, stem) != 0 || strchr(*suffix == '\0' ? "-._" : "-._0123456789", name[stem]) == NULL ||
        name[stem] == '\0') {
        return 0;
    }
    return strstr(name + stem, suffix) != NULL && strcmp(name, log_name) != 0;
}

/* ---------------------------------------------------------------------------------------------------- other streams */

int other_logs_add(struct other_logs *others, const char *path) {
    const size_t bytes = strlen(path) + 1;
    for (size_t at = 0; at < others->bytes; at += strlen(others->paths + at) + 1) {
        if (strcmp(others->paths + at, path) == 0) {
            return 0;
        }
    }
    char *larger = realloc(others->paths, others->bytes + bytes);
    if (larger == NULL) {
        return error_set(ENOMEM, "no memory for the name of log file %s", path);
    }
    memcpy(larger + others->bytes, path, bytes);
    others->paths = larger;
    others->bytes += bytes;
    return 0;
}

void other_logs_clear(struct other_logs *others) {
    free(others->paths);
    *others = (struct other_logs){.paths = NULL};
}

static int has_letter(const char *text, size_t length) {
    while (length > 0 && !isalpha((unsigned char)text[length - 1])) {
        length--;
    }
    return length > 0;
}

/* Whether the other log's name is that of this one with a word more, as app-audit.log or app.log.two beside app.log. Without
 * one app-2.log.gz may belong to app.log as well as to app-2.log. */
static int has_a_word_more(const char *other_name, const char *log_name) {
    const size_t stem = stem_of(log_name), suffix = strlen(log_name + stem);
    const char *more = other_name + stem, *at = suffix > 0 ? strstr(more, log_name + stem) : NULL;
    return at == NULL ? has_letter(more, strlen(more))
                      : has_letter(more, (size_t)(at - more)) || has_letter(at + suffix, strlen(at + suffix));
}

int other_logs_have(const struct other_logs *others, const char *path, const char *log_file) {
    const char *const name = path_name(path), *const log_name = path_name(log_file);
    for (size_t at = 0; others != NULL && at < others->bytes; at += strlen(others->paths + at) + 1) {
        const char *const other = others->paths + at, *const other_name = path_name(other);
        const int may_be_taken = archive_name_fits(other_name, log_name) && has_a_word_more(other_name, log_name);
        if (strcmp(other, log_file) != 0 &&
            (strcmp(other, path) == 0 || (may_be_taken && archive_name_fits(name, other_name)))) {
            return 1;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ order */

/* A path of an archive: what comes before its last number, that number, and what follows. "bz2" has no number. */
struct parts {
    size_t before, digits, end; /* `end`: without .gz or .zst */
};

static struct parts parts_of(const char *path) {
    const size_t length = strlen(path);
    const size_t end = archive_is_packed(path) ? (size_t)(strrchr(path, '.') - path) : length;
    struct parts parts = {.before = end, .end = end};
    size_t to = end;
    while (to > 0) {
        size_t from = to;
        while (from > 0 && isdigit((unsigned char)path[from - 1])) {
            from--;
        }
        const int is_word =
            (from > 0 && isalpha((unsigned char)path[from - 1])) || (to < end && isalpha((unsigned char)path[to]));
        if (from < to && !is_word) {
            return (struct parts){.before = from, .digits = to - from, .end = end};
        }
        to = from < to ? from : to - 1;
    }
    return parts;
}

static int compare_bytes(const char *one, size_t bytes, const char *other, size_t other_bytes) {
    const int order = memcmp(one, other, bytes < other_bytes ? bytes : other_bytes);
    return order != 0 ? order : (bytes > other_bytes) - (bytes < other_bytes);
}

static int compare_numbers(const char *one, size_t digits, const char *other, size_t other_digits) {
    for (; digits > 1 && *one == '0'; digits--) {
        one++;
    }
    for (; other_digits > 1 && *other == '0'; other_digits--) {
        other++;
    }
    return digits != other_digits ? (digits > other_digits ? 1 : -1) : memcmp(one, other, digits);
}

static int compare_before(const char *one, const struct parts *a, const char *other, const struct parts *b) {
    char before[BURST_PATH_BYTES], other_before[BURST_PATH_BYTES];
    snprintf(before, sizeof before, "%.*s", (int)a->before, one);
    snprintf(other_before, sizeof other_before, "%.*s", (int)b->before, other);
    return strverscmp(before, other_before);
}

static int compare_behind(const char *one, const struct parts *a, const char *other, const struct parts *b) {
    const size_t from = a->before + a->digits, other_from = b->before + b->digits;
    return compare_bytes(one + from, a->end - from, other + other_from, b->end - other_from);
}

int archive_names_by_number(const char *one, const char *other) {
    const struct parts a = parts_of(one), b = parts_of(other);
    if (a.digits == 0 || b.digits == 0 || compare_bytes(one, a.before, other, b.before) != 0 ||
        compare_behind(one, &a, other, &b) != 0) {
        return 0;
    }
    return compare_numbers(one + a.before, a.digits, other + b.before, b.digits);
}

int archive_names_compare(const char *one, const char *other, int numbers_fall) {
    const struct parts a = parts_of(one), b = parts_of(other);
    int order = compare_before(one, &a, other, &b);
    if (order == 0) {
        order = compare_numbers(one + a.before, a.digits, other + b.before, b.digits);
        order = numbers_fall ? -order : order;
    }
    order = order != 0 ? order : compare_behind(one, &a, other, &b);
    return order != 0 ? order : strcmp(one, other);
}

int archive_names_are_alike(const char *one, const char *other) {
    const size_t end = parts_of(one).end, other_end = parts_of(other).end;
    size_t i = 0, j = 0;
    while (i < end && j < other_end) {
        const int is_digit = isdigit((unsigned char)one[i]) != 0,
                  other_is_digit = isdigit((unsigned char)other[j]) != 0;
        if (is_digit != other_is_digit || (!is_digit && one[i] != other[j])) {
            return 0;
        }
        do {
            i++;
        } while (is_digit && i < end && isdigit((unsigned char)one[i]));
        do {
            j++;
        } while (is_digit && j < other_end && isdigit((unsigned char)other[j]));
    }
    return i == end && j == other_end;
}
