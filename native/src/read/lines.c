/* SPDX-License-Identifier: Apache-2.0 */
#include "read/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "read/lines_state.h"
#include "read/needle.h"

#define BUFFER_BYTES (512u * 1024u)
#define LINE_MOST_BYTES (64u * 1024u * 1024u)     /* a longer line comes in pieces */
#define RECORD_MOST_BYTES (1024u * 1024u * 1024u) /* no record is longer */
#define LOOK_AGAIN_NS 20000000
/* A waiting reader is not given text without an index for so long: the drain syncs text and index every 2 s at least. */
#define HOLD_NS 4000000000ll
/* Nor text without its newline for so long, though no index is there: a write shows in pieces, and a full disk cuts it. */
#define HOLD_LINE_NS 200000000ll

/* ----------------------------------------------------------------------------------------------------------- bytes */

int64_t lines_fill(struct lines *lines) {
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end == lines->buffer_room) {
        uint8_t *larger = realloc(lines->buffer, 2 * lines->buffer_room);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory for a line of %zu bytes of %s", 2 * lines->buffer_room,
                             lines->file.path);
        }
        lines->buffer = larger;
        lines->buffer_room *= 2;
    }
    const int64_t got = unpacked_read(&lines->file, lines->buffer + lines->end, lines->buffer_room - lines->end);
    lines->end += got > 0 ? (size_t)got : 0;
    return got;
}

static void give(struct lines *lines, size_t length, burst_read_t *record) {
    record->kind = BURST_READ_LINE;
    record->data = lines->buffer + lines->begin;
    record->length = length;
    record->count = 1;
    record->position = lines->line_offset;
    lines->begin += length;
    lines->line_offset += length;
}

int lines_next_line(struct lines *lines, uint64_t stop, burst_read_t *record) {
    const uint64_t room = stop - lines->line_offset;
    const size_t most = room < LINE_MOST_BYTES ? (size_t)room : LINE_MOST_BYTES;
    size_t looked = 0;
    for (;;) {
        const size_t buffered = lines->end - lines->begin, there = buffered < most ? buffered : most;
        const uint8_t *from = lines->buffer + lines->begin + looked;
        const uint8_t *newline = there > looked ? memchr(from, '\n', there - looked) : NULL;
        if (newline != NULL || there >= most) {
            give(lines, newline != NULL ? (size_t)(newline + 1 - (lines->buffer + lines->begin)) : there, record);
            return 1;
        }
        looked = there;
        const int64_t got = lines_fill(lines);
        if (got < 0) {
            return (int)got;
        }
        if (got == 0) {
            if (there == 0) {
                return 0;
            }
            give(lines, there, record); /* a last line without its newline, or a record that has none */
            return 1;
        }
    }
}

int lines_go_to(struct lines *lines, uint64_t offset) {
    const uint64_t buffered = lines->end - lines->begin;
    lines->has_item = 0;
    /* A look for the last lines leaves the file elsewhere. */
    const int is_there = lines->file.offset == lines->line_offset + buffered;
    if (is_there && offset >= lines->line_offset && offset - lines->line_offset <= buffered) {
        lines->begin += (size_t)(offset - lines->line_offset);
        lines->line_offset = offset;
        return 0;
    }
    lines->begin = lines->end = 0;
    lines->line_offset = offset;
    lines->seeks += lines->file.is_plain && offset > 0;
    return unpacked_seek(&lines->file, offset);
}

/* --------------------------------------------------------------------------------------------------------- records */

/* The index is not believed any more: what follows are lines. */
static void drop_records(struct lines *lines, const char *why) {
    snprintf(lines->why, sizeof lines->why, "the index of %.300s %s", lines->file.path, why);
    lines->seeks += records_reads(lines->records);
    records_close(lines->records);
    lines->records = NULL;
    lines->has_item = 0;
}

/* Takes the record that begins here. Returns 1; 0 if its text is not there yet; or -errno. */
static int give_record(struct lines *lines, burst_read_t *record) {
    const struct index_item *item = &lines->item.item;
    if (item->bytes > RECORD_MOST_BYTES) {
        drop_records(lines, "has a record that is longer than any");
        return lines_next_line(lines, UINT64_MAX, record);
    }
    if (lines->file.offset < lines->line_offset) { /* an empty one needs no byte: it would come from behind the end */
        drop_records(lines, "has records behind its end");
        return lines_next_line(lines, UINT64_MAX, record);
    }
    while (lines->end - lines->begin < item->bytes) {
        const int64_t got = lines_fill(lines);
        if (got < 0) {
            return (int)got;
        }
        if (got == 0 && lines->file.is_plain) {
            return 0;
        }
        if (got == 0) {
            drop_records(lines, "has records behind its end");
            return lines_next_line(lines, UINT64_MAX, record);
        }
    }
    give(lines, (size_t)item->bytes, record);
    record->kind = item->kind == INDEX_LOSS ? BURST_READ_LOST : BURST_READ_RECORD;
    record->sequence = (int64_t)item->sequence;
    record->count = item->kind == INDEX_LOSS ? item->count : 1;
    record->event_time_ns = item->kind == INDEX_LOSS ? 0 : item->time_ns;
    record->enqueued = item->kind == INDEX_ENQUEUED;
    record->epoch = item->kind == INDEX_LOSS ? 0 : item->epoch;
    record->durable_ns = lines->item.durable_ns;
    lines->next_sequence = record->sequence + (int64_t)record->count;
    lines->has_item = 0;
    return 1;
}

static int is_last(const struct lines *lines) {
    return lines->at + 1 == lines->count;
}

/* Whether the text at the place is not given yet to a reader that waits: its rest, or its index, comes in a moment. */
static int is_held(struct lines *lines, int64_t hold_ns) {
    if (!lines->follow || !lines->source.waits || !is_last(lines) || !lines->file.is_plain) {
        return 0;
    }
    const int64_t now_ns = platform_monotonic_ns(lines->platform);
    if (lines->held_at != lines->line_offset + 1) {
        lines->held_at = lines->line_offset + 1;
        lines->held_ns = now_ns;
    }
    return now_ns - lines->held_ns < hold_ns;
}

static int is_text_there(const struct lines *lines) {
    struct stat status;
    return fstat(lines->file.fd, &status) == 0 && (uint64_t)status.st_size > lines->line_offset;
}

/* The log file may have got its index since it was opened. */
static int pair_again(struct lines *lines) {
    const int64_t now_ns = lines->follow && is_last(lines) ? platform_monotonic_ns(lines->platform) : 0;
    if (now_ns - lines->paired_ns < LOOK_AGAIN_NS || !lines->file.is_plain) {
        return 0;
    }
    lines->paired_ns = now_ns;
    lines->status.st_size = 0; /* it may have grown */
    return lines_pair(lines);
}

/* Passes over lines that lack the needle. Returns 0 before one that has it, or that is not whole yet; or -errno. */
static int pass_over(struct lines *lines) {
    int is_found = 0;
    int64_t got = 1;
    while (lines->source.needle != NULL && !is_found && got > 0 && lines->end - lines->begin < LINE_MOST_BYTES) {
        const size_t passed =
            needle_pass(lines->source.needle, lines->buffer + lines->begin, lines->end - lines->begin, &is_found);
        lines->begin += passed;
        lines->line_offset += passed;
        lines->has_lines |= passed > 0;
        got = is_found ? 1 : lines_fill(lines);
    }
    return got < 0 ? (int)got : 0;
}

/* Takes back a line that was taken before its newline is there, unless that does not come. Returns whether it did. */
static int take_back_half(struct lines *lines, const burst_read_t *record) {
    const uint8_t *const text = record->data;
    if (text[record->length - 1] == '\n' || lines->begin < lines->end) {
        return 0;
    }
    lines->begin -= record->length;
    lines->line_offset -= record->length;
    if (is_held(lines, HOLD_LINE_NS)) {
        return 1;
    }
    lines->begin += record->length;
    lines->line_offset += record->length;
    return 0;
}

/* Takes text that no index has, up to `stop`. sequence: of the record behind it; 0: unknown. */
static int next_line(struct lines *lines, uint64_t stop, int64_t sequence, burst_read_t *record) {
    const int rc = lines_next_line(lines, stop, record);
    lines->has_lines |= rc == 1;
    record->sequence = sequence;
    return rc;
}

/* Takes the next record or line of the open file. at_end: nothing more comes to it. Returns 1; 0 at its end; -errno. */
static int next_piece(struct lines *lines, int at_end, burst_read_t *record) {
    int rc = lines->records == NULL && lines->begin == lines->end ? pair_again(lines) : 0;
    while (rc == 0 && lines->records != NULL) {
        rc = lines->has_item ? 1 : records_next(lines->records, lines->line_offset, &lines->item);
        lines->has_item = rc == 1;
        if (rc <= 0) {
            if (rc == 0 && records_why(lines->records)[0] != '\0') {
                snprintf(lines->why, sizeof lines->why, "%s", records_why(lines->records));
            }
            break;
        }
        const uint64_t begin = lines->item.item.offset, end = begin + lines->item.item.bytes;
        if (begin == lines->line_offset) {
            return give_record(lines, record);
        }
        if (begin > lines->line_offset) {
            return next_line(lines, begin, (int64_t)lines->item.item.sequence, record);
        }
        /* The reader is in the midst of the record, or behind it. */
        lines->has_item = 0;
        rc = end <= lines->line_offset ? 0
             : lines->is_amid          ? lines_go_to(lines, end)
                                       : next_line(lines, end, lines->next_sequence, record);
        lines->is_amid = 0;
    }
    if (rc != 0 || (!at_end && lines->had_index && is_text_there(lines) && is_held(lines, HOLD_NS))) {
        return rc;
    }
    rc = pass_over(lines);
    rc = rc < 0 ? rc : next_line(lines, UINT64_MAX, lines->next_sequence, record);
    return rc == 1 && !at_end && take_back_half(lines, record) ? 0 : rc;
}

/* Whether the reader wants the record or line. */
static int is_wanted(struct lines *lines, const burst_read_t *record) {
    if (record->kind == BURST_READ_LINE) {
        return 1;
    }
    if (record->sequence + (int64_t)record->count <= (int64_t)lines->wanted ||
        (record->kind == BURST_READ_RECORD && record->event_time_ns < lines->wanted_ns)) {
        return 0;
    }
    lines->wanted_ns = record->kind == BURST_READ_RECORD ? INT64_MIN : lines->wanted_ns;
    return 1;
}

/* Whether another file is under the name of the last one now. */
static int is_replaced(const struct lines *lines) {
    struct stat status;
    return stat(lines->files[lines->at].path, &status) == 0 && status.st_size > 0 &&
           (status.st_dev != lines->status.st_dev || status.st_ino != lines->status.st_ino);
}

/* Takes the next record or line of the last file. Returns 1, 0 or -errno. */
static int next_of_last(struct lines *lines, burst_read_t *record) {
    if (!lines->follow || !is_replaced(lines)) {
        return 0; /* more may come */
    }
    const int rc = next_piece(lines, 1, record); /* what came before the file lost its name */
    return rc != 0 ? rc : lines_follow_roll(lines);
}

static int next(struct read_source *source, burst_read_t *record) {
    struct lines *lines = lines_of(source);
    const uint32_t bytes = record->struct_bytes;
    while (lines->at < lines->count) {
        *record = (burst_read_t){.struct_bytes = bytes, .stream = BURST_ALL_STREAMS, .place = BURST_PLACE_FILE};
        int rc = lines->is_open ? 0 : lines_open_file(lines);
        if (rc == 1) {
            lines->skipped++;
            lines->at++;
            continue;
        }
        rc = rc < 0 ? rc : next_piece(lines, !is_last(lines), record);
        if (rc == 0 && is_last(lines)) {
            rc = next_of_last(lines, record);
            if (rc == 0 && lines->is_open) {
                return 0;
            }
        } else if (rc == 0) {
            lines_leave_file(lines);
            lines->at++;
        }
        if (rc < 0 || (rc == 1 && is_wanted(lines, record))) {
            return rc;
        }
    }
    return 0;
}

static int wait_for_more(struct read_source *source, int64_t timeout_ns) {
    const struct platform *platform = lines_of(source)->platform;
    platform->ops->sleep_ns(platform, timeout_ns >= 0 && timeout_ns < LOOK_AGAIN_NS ? timeout_ns : LOOK_AGAIN_NS);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ seek */

int lines_resume(struct read_source *source, uint64_t offset, uint64_t limit) {
    struct lines *lines = lines_of(source);
    uint64_t found;
    if (!lines->is_open || !is_last(lines) || !lines->file.is_plain) {
        return 0;
    }
    lines->begin = lines->end = 0;
    lines->has_item = 0;
    lines->file.offset = lines->line_offset = offset;
    lines_extend(source, limit);
    return lines->records == NULL || records_find(lines->records, INDEX_OFFSET, (int64_t)offset, &found) >= 0;
}

static int seek(struct read_source *source, enum burst_read_from from, int64_t value) {
    struct lines *lines = lines_of(source);
    lines->wanted = 0;
    lines->wanted_ns = INT64_MIN;
    lines->next_sequence = 0;
    lines->has_lines = 0;
    if (lines->follow && lines->count > 1) { /* the archives between two looks: a log file alone is read */
        lines_keep_last(lines);
    }
    switch (from) {
    case BURST_FROM_OLDEST:
    case BURST_FROM_RING:
        lines_leave_file(lines);
        lines->at = 0;
        return 0;
    case BURST_FROM_LAST:
        return lines_go_to_last(lines, (uint64_t)value);
    default:
        return lines_go_to_goal(lines, from == BURST_FROM_TIME ? INDEX_TIME : INDEX_SEQUENCE, value);
    }
}

static void state(const struct read_source *source, burst_reader_state_t *state) {
    const struct lines *lines = (const struct lines *)source;
    state->place = BURST_PLACE_FILE;
    state->next_sequence = lines->next_sequence;
    state->oldest_sequence = lines->records != NULL && lines->at == 0 ? (int64_t)records_first(lines->records) : 0;
    state->files += lines->opened;
    state->seeks += lines->seeks + (lines->is_open ? lines->file.looks : 0) +
                    (lines->records != NULL ? records_reads(lines->records) : 0);
    if (state->how[0] == '\0' || lines->why[0] != '\0') {
        const int is_all = lines->had_index && !lines->has_lines && lines->why[0] == '\0';
        snprintf(state->how, sizeof state->how, "%s%s%.380s%s",
                 is_all             ? "reads records of log files, as their indexes say"
                 : lines->had_index ? "reads records of log files, as their indexes say, and lines that no index has"
                                    : "reads lines, not records: the log file has no index",
                 lines->why[0] != '\0' ? "; " : "", lines->why,
                 lines->skipped > 0 ? "; an archive was deleted before it was read" : "");
    }
}

static int file(const struct read_source *source, struct read_file *found) {
    const struct lines *lines = (const struct lines *)source;
    if (!lines->is_open) {
        return 0;
    }
    found->status = lines->status;
    return path_absolute(lines->files[lines->at].path, found->path, sizeof found->path) == 0;
}

static void close_source(struct read_source *source) {
    struct lines *lines = lines_of(source);
    lines_clear(source);
    for (size_t i = 0; i < lines->folder_count; i++) {
        free(lines->folders[i].path);
        index_folder_close(lines->folders[i].indexes);
    }
    free(lines->log_file);
    free(lines->archives);
    other_logs_clear(&lines->others);
    free(lines->home);
    free(lines->files);
    free(lines->buffer);
    free(lines);
}

int lines_make(const struct platform *platform, int follow, struct read_source **source) {
    static const struct read_source_ops ops = {
        .next = next, .wait = wait_for_more, .seek = seek, .state = state, .close = close_source, .file = file};
    struct lines *lines = calloc(1, sizeof *lines);
    uint8_t *buffer = malloc(BUFFER_BYTES);
    if (lines == NULL || buffer == NULL) {
        free(lines);
        free(buffer);
        return error_set(ENOMEM, "no memory to read log files: %u bytes", BUFFER_BYTES);
    }
    *lines = (struct lines){.source.ops = &ops,
                            .platform = platform,
                            .follow = follow,
                            .buffer = buffer,
                            .buffer_room = BUFFER_BYTES,
                            .wanted_ns = INT64_MIN,
                            .file.fd = -1};
    *source = &lines->source;
    return 0;
}
