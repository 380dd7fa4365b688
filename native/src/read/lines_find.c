/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a record in log files by their indexes.
 *
 * DESIGN. The files are in order of their records, so halving finds the file. A file without an index is passed over by
 * the search. Event times need not be in order: the search takes the first file that has such a time, and then each file
 * before it that has one, too.
 */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "read/lines.h"
#include "read/lines_state.h"

/* Opens the file. Returns 1 if it has an index, 0 if it has none or is gone or cannot be read. */
static int enter(struct lines *lines, size_t number) {
    if (!lines->is_open || lines->at != number) {
        lines_leave_file(lines);
        lines->at = number;
        if (lines_open_file(lines) != 0) {
            lines_leave_file(lines);
        }
    }
    return lines->is_open && lines->records != NULL;
}

/* Whether the file has the place: of a sequence, if it begins before; of a time, if it has one. Returns 1, 0 or -errno. */
static int is_in(struct lines *lines, enum index_goal goal, int64_t value) {
    uint64_t offset;
    return goal == INDEX_SEQUENCE ? (int64_t)records_first(lines->records) <= value
                                  : records_find(lines->records, goal, value, &offset);
}

struct range {
    size_t low, high;
};

/* Finds by halving the last file whose first sequence is not higher, or the first one with the time. Returns 1, 0 if there
 * is none, or -errno. */
static int find_file(struct lines *lines, enum index_goal goal, int64_t value, size_t *found, int *has_index) {
    struct range left = {0, lines->count};
    int is_found = 0;
    *has_index = 0;
    while (left.low < left.high) {
        const size_t middle = left.low + (left.high - left.low) / 2;
        size_t at = middle;
        while (at < left.high && !enter(lines, at)) {
            at++;
        }
        const int rc = at == left.high ? 0 : is_in(lines, goal, value);
        if (rc < 0) {
            return rc;
        }
        *has_index |= at < left.high;
        if (rc == 1) {
            is_found = 1;
            *found = at;
        }
        const int goes_up = at < left.high && rc == (goal == INDEX_SEQUENCE);
        left = goes_up ? (struct range){at + 1, left.high} : (struct range){left.low, middle};
    }
    return is_found;
}

/* Goes back over files that have such a time, too. */
static int go_back(struct lines *lines, int64_t time_ns, size_t *file) {
    int rc = 1;
    for (size_t at = *file; rc == 1 && at-- > 0 && enter(lines, at);) {
        rc = is_in(lines, INDEX_TIME, time_ns);
        *file = rc == 1 ? at : *file;
    }
    return rc < 0 ? rc : 0;
}

static int refuse(const struct lines *lines, int has_index) {
    const char *name = lines->count > 0 ? lines->files[lines->count - 1].path : "the log file";
    if (has_index) {
        return error_set(ERANGE, "the oldest record that an index of %s has comes later: begin with the oldest line",
                         name);
    }
    return error_set(
        ERANGE,
        "%s has no index%s%.300s%s, and knows neither sequences nor times: begin with its oldest line or with "
        "the last N, or search its text",
        name, lines->why[0] != '\0' ? " (" : "", lines->why, lines->why[0] != '\0' ? ")" : "");
}

int lines_go_to_goal(struct lines *lines, enum index_goal goal, int64_t value) {
    size_t file = 0;
    uint64_t offset = 0;
    int has_index;
    int rc = find_file(lines, goal, value, &file, &has_index);
    if (rc < 0 || (rc == 0 && (!has_index || goal == INDEX_SEQUENCE))) {
        return rc < 0 ? rc : refuse(lines, has_index);
    }
    if (rc == 0) { /* each record is earlier: the next one that comes may not be */
        lines->wanted_ns = goal == INDEX_TIME ? value : INT64_MIN;
        rc = lines_go_to_last(lines, 0);
        lines->is_amid = 0;
        return rc;
    }
    rc = goal == INDEX_TIME ? go_back(lines, value, &file) : 0;
    if (rc < 0) {
        return rc;
    }
    if (!enter(lines, file)) {
        return error_set(EAGAIN, "log file %s was moved or deleted meanwhile: try again", lines->files[file].path);
    }
    rc = records_find(lines->records, goal, value, &offset);
    lines->wanted = goal == INDEX_SEQUENCE ? (uint64_t)value : 0;
    lines->next_sequence = goal == INDEX_SEQUENCE ? value : 0;
    return rc < 0 ? rc : lines_go_to(lines, offset);
}

int lines_go_to_byte(struct read_source *source, uint64_t offset) {
    return lines_go_to_goal(lines_of(source), INDEX_OFFSET, (int64_t)offset);
}

int lines_oldest(struct read_source *source, int64_t *sequence) {
    struct lines *lines = lines_of(source);
    for (size_t at = 0; at < lines->count; at++) {
        if (enter(lines, at)) {
            *sequence = (int64_t)records_first(lines->records);
            return 1;
        }
    }
    return 0;
}

int lines_has_found(const struct read_source *source) {
    const struct lines *lines = (const struct lines *)source;
    return lines->wanted_ns == INT64_MIN;
}
