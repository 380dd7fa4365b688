/* SPDX-License-Identifier: Apache-2.0 */
/* Goes to the last records and lines of log files, from behind. */
#include <errno.h>

#include "base/error.h"
#include "read/lines.h"
#include "read/lines_state.h"

#define BACKWARDS_BYTES (64u * 1024u)

/* Part of a file whose last lines are counted. */
struct part {
    uint64_t begin, end;
};

/* Looks backwards for the line that has `count` newlines behind it, or more bytes than none without one. Returns how many
 * lines the part has behind *offset, at most `count`; or -errno. */
static int64_t find_in_plain(struct lines *lines, struct part part, uint64_t count, uint64_t *offset) {
    uint8_t *piece = lines->buffer;
    uint64_t end = part.end, found = 0;
    while (end > part.begin) {
        const uint64_t from = end - part.begin > BACKWARDS_BYTES ? end - BACKWARDS_BYTES : part.begin;
        lines->file.offset = from;
        const int64_t got = unpacked_read(&lines->file, piece, (size_t)(end - from));
        if (got < 0) {
            return got;
        }
        if (got < (int64_t)(end - from)) {
            return error_set(EAGAIN, "%s was cut while it was read: read it again", lines->file.path);
        }
        lines->seeks++;
        for (uint64_t at = end; at-- > from;) {
            if (piece[at - from] == '\n' && at + 1 < part.end && ++found == count) {
                *offset = at + 1;
                return (int64_t)found;
            }
        }
        end = from;
    }
    *offset = part.begin;
    return (int64_t)found + (part.end > part.begin);
}

/* Counts the lines from `begin` on, by reading them. */
static int64_t count_lines(struct lines *lines, uint64_t begin) {
    burst_read_t record = {.struct_bytes = sizeof record};
    int64_t count = 0;
    int rc = lines_go_to(lines, begin);
    while (rc >= 0 && (rc = lines_next_line(lines, UINT64_MAX, &record)) > 0) {
        count++;
    }
    return rc < 0 ? rc : count;
}

/* The place behind so many lines from `begin` on. */
static int pass_lines(struct lines *lines, uint64_t begin, int64_t count, uint64_t *offset) {
    burst_read_t record = {.struct_bytes = sizeof record};
    int rc = lines_go_to(lines, begin);
    while (rc >= 0 && count-- > 0 && (rc = lines_next_line(lines, UINT64_MAX, &record)) > 0) {
    }
    *offset = lines->line_offset;
    return rc < 0 ? rc : 0;
}

/* The last lines from `begin` on: all there are behind *offset, at most `count`. */
static int64_t find_lines(struct lines *lines, struct part part, uint64_t count, uint64_t *offset) {
    if (lines->file.is_plain) {
        lines->begin = lines->end = 0;
        return find_in_plain(lines, part, count, offset);
    }
    const int64_t found = count_lines(lines, part.begin);
    if (found < 0 || (uint64_t)found <= count) {
        *offset = part.begin;
        return found;
    }
    const int rc = pass_lines(lines, part.begin, found - (int64_t)count, offset);
    return rc < 0 ? rc : (int64_t)count;
}

/* The last records and lines of the open file: text behind its index, records, and text before. */
static int64_t find_last(struct lines *lines, uint64_t first, uint64_t end, uint64_t count, uint64_t *offset) {
    uint64_t begin, found;
    if (lines->records == NULL) {
        return find_lines(lines, (struct part){first, end}, count, offset);
    }
    int rc = records_end(lines->records, &begin);
    begin = begin < end ? begin : end;
    const int64_t behind = rc < 0 ? rc : find_lines(lines, (struct part){begin, end}, count, offset);
    if (behind < 0 || (uint64_t)behind >= count) {
        return behind;
    }
    rc = records_last(lines->records, end, count - (uint64_t)behind, offset, &found);
    if (rc < 0 || found + (uint64_t)behind >= count || !lines->file.is_plain || *offset <= first) {
        return rc < 0 ? rc : (int64_t)found + behind;
    }
    const uint64_t left = count - (uint64_t)behind - found;
    const int64_t before = find_lines(lines, (struct part){first, *offset}, left, offset);
    return before < 0 ? before : before + (int64_t)found + behind;
}

/* The end of the open file's text: of a compressed one it is unknown. */
static uint64_t end_of(const struct lines *lines, uint64_t limit) {
    const uint64_t size = (uint64_t)lines->status.st_size;
    return !lines->file.is_plain ? LINES_TO_THE_END : size < limit ? size : limit;
}

int lines_go_to_last(struct lines *lines, uint64_t count) {
    uint64_t wanted = count;
    for (size_t i = lines->count; i-- > 0;) {
        lines_leave_file(lines);
        lines->at = i;
        int rc = lines_open_file(lines);
        if (rc == 1) {
            continue;
        }
        if (rc < 0) {
            return rc;
        }
        uint64_t offset = end_of(lines, lines->files[i].limit);
        const int64_t found = wanted == 0 ? 0 : find_last(lines, lines->files[i].from, offset, wanted, &offset);
        if (found < 0) {
            return (int)found;
        }
        if ((uint64_t)found >= wanted) {
            const int64_t passed = offset == LINES_TO_THE_END ? count_lines(lines, 0) : lines_go_to(lines, offset);
            /* A record that began before is not among the records that come. */
            lines->is_amid = count == 0;
            if (passed >= 0 && lines->records != NULL) {
                rc = records_find(lines->records, INDEX_OFFSET, (int64_t)lines->line_offset, &offset);
            }
            return passed < 0 ? (int)passed : rc < 0 ? rc : 0;
        }
        wanted -= (uint64_t)found;
    }
    lines_leave_file(lines);
    lines->at = 0;
    return 0;
}
