/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rolling/gzip.h"
#include "rolling/zstd.h"
#include "media/layout.h"

#define INDEX_DIGITS 18     /* most digits of an index */
#define SEQUENCE_DIGITS 19  /* most digits of a sequence */
#define NAME_MOST_BYTES 200 /* leaves room up to NAME_MAX for the parts before and behind the name */

/* The part of a time that a letter stands for. No part depends on a locale. */
static int field_of(char letter, const struct tm *time, int *digits) {
    *digits = letter == 'Y' ? 4 : letter == 'j' ? 3 : 2;
    switch (letter) {
    case 'Y':
        return time->tm_year + 1900;
    case 'm':
        return time->tm_mon + 1;
    case 'd':
        return time->tm_mday;
    case 'j':
        return time->tm_yday + 1;
    case 'H':
        return time->tm_hour;
    case 'M':
        return time->tm_min;
    case 'S':
        return time->tm_sec;
    default:
        return -1;
    }
}

static void make_name(const char *pattern, const struct tm *time, uint64_t index, char *name, size_t bytes) {
    size_t used = 0;
    name[0] = '\0';
    for (const char *at = pattern; *at != '\0' && used < bytes; at++) {
        int digits;
        if (*at != '%') {
            used += (size_t)snprintf(name + used, bytes - used, "%c", *at);
        } else if (*++at == 'i') {
            used += (size_t)snprintf(name + used, bytes - used, "%llu", (unsigned long long)index);
        } else if (*at == '%') {
            used += (size_t)snprintf(name + used, bytes - used, "%%");
        } else {
            const int value = field_of(*at, time, &digits);
            used += (size_t)snprintf(name + used, bytes - used, "%0*d", digits, value);
        }
    }
}

void rolling_name_make(const struct rolling_name *name, int64_t time_s, uint64_t index, char *path, size_t path_bytes) {
    const time_t time = (time_t)time_s;
    struct tm local = {.tm_year = 70};
    char made[ROLLING_NAME_BYTES];
    localtime_r(&time, &local);
    make_name(name->pattern, &local, index, made, sizeof made);
    snprintf(path, path_bytes, "%s%s%s", name->folder, name->folder[1] == '\0' ? "" : "/", made);
}

static size_t digits_at(const char *text) {
    return strspn(text, "0123456789");
}

/* Whether the text may follow a name: a number, if the name was taken, and the suffix of a compressed file. */
static int is_tail(const char *text, int *is_compressed) {
    const size_t digits = *text == '.' ? digits_at(text + 1) : 0;
    text += digits > 0 ? digits + 1 : 0;
    *is_compressed = strcmp(text, GZIP_SUFFIX) == 0 || strcmp(text, ZSTD_SUFFIX) == 0;
    return *text == '\0' || *is_compressed;
}

static int fits(const char *pattern, const char *text, uint64_t *index, int *is_compressed) {
    static const struct tm any = {.tm_year = 70};
    for (; *pattern != '\0'; pattern++) {
        int digits = 0;
        if (*pattern != '%' || *++pattern == '%') {
            if (*text++ != *pattern) {
                return 0;
            }
        } else if (*pattern != 'i') {
            field_of(*pattern, &any, &digits);
            if (digits_at(text) < (size_t)digits) {
                return 0;
            }
            text += digits;
        } else {
            const size_t most = digits_at(text);
            for (size_t taken = most < INDEX_DIGITS ? most : INDEX_DIGITS; taken > 0; taken--) {
                if (fits(pattern + 1, text + taken, index, is_compressed)) {
                    char number[INDEX_DIGITS + 1];
                    snprintf(number, sizeof number, "%.*s", (int)taken, text);
                    *index = strtoull(number, NULL, 10);
                    return 1;
                }
            }
            return 0;
        }
    }
    return is_tail(text, is_compressed);
}

int rolling_name_fits(const struct rolling_name *name, const char *file, uint64_t *index, int *is_compressed) {
    *index = 0;
    return fits(name->pattern, file, index, is_compressed);
}

int rolling_name_hits(const struct rolling_name *name, const char *path) {
    char folder[BURST_PATH_BYTES];
    uint64_t index;
    int is_compressed;
    return path_directory(path, folder, sizeof folder) == 0 && strcmp(folder, name->folder) == 0 &&
           rolling_name_fits(name, path_name(path), &index, &is_compressed);
}

/* Whether a name that the pattern made is the name of a diverted log. */
static int is_made_diverted(const char *made, const char *path) {
    const size_t bytes = strlen(path);
    const char *behind = made + bytes;
    if (strncmp(made, path, bytes) != 0 || *behind != '.') {
        return 0;
    }
    behind += strncmp(behind + 1, DIVERTED_WORD, strlen(DIVERTED_WORD)) == 0 ? sizeof DIVERTED_WORD : 0;
    return strspn(behind, ".0123456789") == strlen(behind);
}

/* Whether the pattern fits a name that a diverted log may get. Only the number of its digits matters, so ones stand for
 * all. */
static int fits_diverted(const struct rolling_name *name, const char *path, const char *word) {
    static const char *const attempts[] = {"", ".1", ".11"};
    char made[BURST_PATH_BYTES + ROLLING_NAME_BYTES];
    int fits = 0;
    for (int digits = 1; digits <= SEQUENCE_DIGITS; digits++) {
        for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
            snprintf(made, sizeof made, "%s.%s%.*s%s", path, word, digits, "11111111111111111111", attempts[i]);
            fits |= rolling_name_hits(name, made);
        }
    }
    return fits;
}

int rolling_name_is_diverted(const struct rolling_name *name, const char *path) {
    char made[BURST_PATH_BYTES + ROLLING_NAME_BYTES];
    rolling_name_make(name, 0, 1, made, sizeof made); /* the pattern may have fixed numbers */
    return is_made_diverted(made, path) || fits_diverted(name, path, DIVERTED_WORD) || fits_diverted(name, path, "");
}

static int refuse(const char *ring, const char *given, const char *why) {
    return error_set(EINVAL, "rollPattern=\"%s\" of ring %s cannot be used: %s", given, ring, why);
}

int rolling_name_read(const char *ring, const char *given, struct rolling_name *name) {
    static const struct tm any = {.tm_year = 70};
    char path[BURST_PATH_BYTES], made[BURST_PATH_BYTES];
    const int rc = given == NULL || *given == '\0' ? -EINVAL : path_absolute(given, path, sizeof path);
    if (rc < 0) {
        return given == NULL || *given == '\0'
                   ? error_set(EINVAL,
                               "files of ring %s are to be rolled, but have no rollPattern: set it to what rolled "
                               "files are called, for instance orders-%%Y-%%m-%%d-%%i.log",
                               ring)
                   : error_set(-rc, "rollPattern=\"%s\" of ring %s cannot be used: %s", given, ring, error_name(-rc));
    }
    path_directory(path, name->folder, sizeof name->folder);
    if (strchr(name->folder, '%') != NULL) {
        return refuse(ring, given, "its folder has a %: only the name of the file may change");
    }
    snprintf(name->pattern, sizeof name->pattern, "%s", path_name(path));
    name->has_index = 0;
    for (const char *at = strchr(name->pattern, '%'); at != NULL; at = strchr(at + 2, '%')) {
        int digits;
        if (at[1] != '%' && at[1] != 'i' && field_of(at[1], &any, &digits) < 0) {
            return refuse(ring, given, "behind a % it may have Y, m, d, j, H, M, S, i or %");
        }
        name->has_index += at[1] == 'i';
    }
    make_name(name->pattern, &any, 1000000000000, made, sizeof made);
    return name->has_index > 1 ? refuse(ring, given, "it has %i more than once")
           : *made == '\0' || strlen(path_name(path)) >= sizeof name->pattern || strlen(made) > NAME_MOST_BYTES
               ? refuse(ring, given, "a name has 1 to 200 characters")
               : 0;
}
