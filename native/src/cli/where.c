/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog where`: the place of one record in the ring and in its log file, and since when it is durable. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/read.h"
#include "cli/show.h"
#include "cli/streams.h"
#include "cli/text.h"
#include "cli/where_file.h"
#include "device/host/survival.h"
#include "device/open.h"
#include "media/durable_stamp.h"
#include "outlet/format/record_format.h"
#include "read/open.h"
#include "recovery/reader.h"

/* A record that the ring still has, drained or not. */
struct standing {
    const struct record_header *header;
    uint64_t file_bytes; /* that it takes in its log file */
    int is_behind_a_gap; /* records between this one and the one before are not in the ring */
};

struct where {
    struct ring_view *view;
    struct recovery_input input;
    struct standing *records;
    size_t count, room;
    struct read_options options;
    struct other_logs log_files;
    char file[BURST_PATH_BYTES]; /* FILE:OFFSET; "": a sequence is asked for */
    uint64_t number;             /* the sequence, or the offset */
};

static int add(struct where *where, const struct record_header *header, int is_behind_a_gap) {
    if (where->count == where->room) {
        const size_t room = where->room == 0 ? 4096 : 2 * where->room;
        struct standing *larger = realloc(where->records, room * sizeof *larger);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory for the places of %zu records", room);
        }
        where->records = larger;
        where->room = room;
    }
    where->records[where->count++] =
        (struct standing){.header = header,
                          .file_bytes = record_format_text.record_size(header, record_payload(header)),
                          .is_behind_a_gap = is_behind_a_gap};
    return 0;
}

/* Lists all data records of the ring. */
static int list(struct where *where) {
    struct reader reader;
    uint64_t next = 0;
    int rc = reader_begin_with_drained(&reader, &where->input, &where->view->recovery);
    int is_broken = 0;
    for (struct reader_item item; rc == 0 && reader_next(&reader, &item) == 1;) {
        if (item.record == NULL) {
            is_broken |= item.kind == READER_DAMAGE;
            next = 0;
            continue;
        }
        const uint64_t position = item.record->position;
        is_broken |= item.kind == READER_DRAINED && next != 0 && position != next && item.record->type != RECORD_MARKER;
        next = walk_end_of_record(&where->input.shape, position, item.record);
        if (item.record->type == RECORD_DATA) {
            rc = add(where, item.record, is_broken);
            is_broken = 0;
        }
    }
    reader_end(&reader);
    return rc;
}

static int find_stream(const struct where *where, uint16_t id, struct stream_state *state) {
    const struct ledger *ledger = where->view->ledger;
    const unsigned newest = ledger_newest(ledger);
    for (unsigned i = 0; i < ledger_streams(ledger, newest); i++) {
        ledger_stream(ledger, newest, i, state);
        if (state->id == id && state->follows == 0) {
            return 1;
        }
    }
    return 0;
}

/* Where the record begins in the log file that is written now: counted from the place up to which the stream is drained.
 * Returns 1; 0 if a roll or a gap lies in between. */
static int find_offset(const struct where *where, const struct stream_state *state, size_t index, uint64_t *offset) {
    uint64_t length = state->outlet.length;
    size_t drained = 0;
    while (drained < where->count && where->records[drained].header->position < state->drained_position) {
        drained++;
    }
    const size_t from = index < drained ? index : drained, to = index < drained ? drained : index;
    uint64_t bytes = 0;
    for (size_t i = from; i < to; i++) {
        const struct standing *record = &where->records[i];
        if (record->header->stream == state->id) {
            if (record->header->flags & RECORD_ROLL) {
                return 0;
            }
            bytes += record->file_bytes;
        }
        if (i > from && record->is_behind_a_gap) {
            return 0;
        }
    }
    if (index < drained && bytes > length) {
        return 0;
    }
    *offset = index < drained ? length - bytes : length + bytes;
    return state->outlet.kind == OUTLET_FILE || state->outlet.kind == OUTLET_RAW;
}

static size_t find_sequence(const struct where *where) {
    size_t index = 0;
    while (index < where->count && where->records[index].header->sequence != where->number) {
        index++;
    }
    return index;
}

/* The record whose bytes are at the offset of that file. */
static size_t find_in_file(const struct where *where) {
    struct stream_state state;
    char file[BURST_PATH_BYTES];
    for (size_t i = 0; i < where->count; i++) {
        uint64_t offset;
        const struct standing *record = &where->records[i];
        if (find_stream(where, record->header->stream, &state) &&
            outlet_state_file(&state.outlet, file, sizeof file) == 0 && strcmp(file, where->file) == 0 &&
            find_offset(where, &state, i, &offset) && where->number >= offset &&
            where->number < offset + record->file_bytes) {
            return i;
        }
    }
    return where->count;
}

/* The stamp of the commit that has the record: behind the last record of the next commit, or in a note. */
static int find_stamp(const struct where *where, size_t index, struct durable_stamp *found) {
    const struct record_header *record = where->records[index].header;
    const struct notes_view *head = ledger_view(where->view->ledger);
    for (size_t i = index; i < where->count; i++) {
        const struct record_header *header = where->records[i].header;
        if ((header->flags & RECORD_LAST) && header->epoch == record->epoch &&
            durable_stamp_read(where->input.image, &where->input.shape, where->input.crc_seed, header, found) &&
            found->position > record->position && found->epoch == record->epoch) {
            return 1;
        }
    }
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (head->note_stamps[slot].position > record->position && head->note_stamps[slot].epoch == record->epoch) {
            *found = head->note_stamps[slot];
            return 1;
        }
    }
    return 0;
}

/* Beyond a roll or a gap an index may say where the record is. */
static void report_place_by_index(struct report *report, const struct where *where, const struct stream_state *state,
                                  uint64_t sequence) {
    const struct where_asked asked = {.path = state->outlet.path,
                                      .with_archives = 1,
                                      .archives = where->options.archives,
                                      .others = &where->log_files,
                                      .number = sequence};
    struct where_found found = {.source = NULL};
    if (state->outlet.kind == OUTLET_FILE && where_find(&asked, &found) == 1) {
        where_print_place(report, &found);
    } else {
        report_text(report, "offset",
                    "not known: a roll or a gap lies between this record and the end of the file, and no index has it");
    }
    where_end(&found);
}

static void report_file(struct report *report, const struct where *where, const struct stream_state *state,
                        size_t index) {
    const struct record_header *record = where->records[index].header;
    const int is_drained = record->position < state->drained_position;
    char file[BURST_PATH_BYTES];
    struct stat status;
    struct survival survival;
    uint64_t offset;
    if (outlet_state_file(&state->outlet, file, sizeof file) < 0 || file[0] == '\0') {
        report_text(report, "file", "none: the stream is bound to no log file");
        return;
    }
    report_text(report, "in the file", is_drained ? "yes" : "not yet: it waits in the ring");
    if (!find_offset(where, state, index, &offset)) {
        report_place_by_index(report, where, state, record->sequence);
        return;
    }
    report_text(report, "file", file);
    if (stat(file, &status) == 0) {
        report_number(report, "inode", (uint64_t)status.st_ino);
    }
    report_number(report, "offset", offset);
    report_number(report, "bytes", where->records[index].file_bytes);
    survival_of_place(file, &survival);
    report_text(report, "file survives", survival_name(survival.survives));
}

static void print(struct report *report, const struct where *where, const struct device *device, size_t index) {
    const struct record_header *record = where->records[index].header;
    struct durable_stamp stamp;
    struct stream_state state;
    report_number(report, "sequence", record->sequence);
    report_text(report, "ring", device->path);
    report_number(report, "position", record->position);
    report_number(report, "epoch", record->epoch);
    report_number(report, "opens since then", where->view->recovery.epoch_highest - record->epoch);
    report_number(report, "stream", record->stream);
    report_number(report, "length", record->length);
    where_print_event_time(report, record->event_time_ns);
    if (find_stamp(where, index, &stamp)) {
        where_print_time(report, "durable at", stamp.durable_ns);
    } else {
        report_text(report, "durable at", "not known: the next commit would say it, and mapped rings take no times");
    }
    report_text(report, "acknowledged",
                record->flags & RECORD_ENQUEUED ? "when it was accepted" : "when it was durable");
    report_text(report, "ring survives", survival_name(device->survives));
    if (find_stream(where, record->stream, &state)) {
        report_file(report, where, &state, index);
    }
}

static void print_found(struct where_found *found, int json) {
    struct report report;
    report_begin(&report, stdout, json);
    where_print(&report, found);
    report_end(&report);
    where_end(found);
}

/* Looks for the sequence in the files of the ring's streams. Returns 1 if it is printed, else 0. */
static int answer_from_files(const struct where *where) {
    const struct ledger *ledger = where->view->ledger;
    const unsigned newest = ledger_newest(ledger);
    struct stream_state state;
    struct where_found found;
    int is_found = 0;
    for (unsigned i = 0; !is_found && i < ledger_streams(ledger, newest); i++) {
        ledger_stream(ledger, newest, i, &state);
        const struct where_asked asked = {.path = state.outlet.path,
                                          .with_archives = state.outlet.kind == OUTLET_FILE,
                                          .archives = where->options.archives,
                                          .others = &where->log_files,
                                          .number = where->number};
        if (state.outlet.path[0] == '\0' || state.outlet.kind == OUTLET_RAW) {
            continue;
        }
        is_found = where_find(&asked, &found) == 1;
        if (is_found) {
            found.record.stream = state.follows == 0 ? state.id : state.follows - 1u;
            print_found(&found, where->options.json);
        } else {
            where_end(&found);
        }
    }
    return is_found;
}

static int refuse(const struct where *where, const char *path) {
    return where->file[0] != '\0'
               ? error_set(
                     ERANGE,
                     "byte %llu of %s belongs to no record that %s still has, and to none in an index of the file",
                     (unsigned long long)where->number, where->file, path)
               : error_set(ERANGE, "neither %s nor an index of its log files has record %llu", path,
                           (unsigned long long)where->number);
}

/* Answers from a file alone. Returns 0, or -errno with a sentence. */
static int answer_from_file(const struct where *where, const char *path) {
    const struct where_asked asked = {.path = path, .by_offset = where->file[0] != '\0', .number = where->number};
    struct where_found found;
    const int rc = where_find(&asked, &found);
    if (rc == 1) {
        print_found(&found, where->options.json);
        return 0;
    }
    where_end(&found);
    return rc < 0 ? rc : refuse(where, path);
}

static int answer(struct where *where, const struct device *device) {
    const size_t index = where->file[0] != '\0' ? find_in_file(where) : find_sequence(where);
    const struct recovery *recovery = &where->view->recovery;
    if (index == where->count) {
        if (where->file[0] != '\0') {
            return answer_from_file(where, where->file) == 0 ? 0 : refuse(where, device->path);
        }
        return answer_from_files(where)
                   ? 0
                   : error_set(ERANGE,
                               "ring %s does not have record %llu: it has records from %llu to %llu, "
                               "and no index of its log files has it",
                               device->path, (unsigned long long)where->number,
                               where->count == 0 ? 0ull : (unsigned long long)where->records[0].header->sequence,
                               (unsigned long long)recovery->next_sequence - 1);
    }
    struct report report;
    report_begin(&report, stdout, where->options.json);
    print(&report, where, device, index);
    report_end(&report);
    return 0;
}

static int answer_from_ring(struct where *where, const char *path) {
    struct device *device;
    int rc = device_open(&platform_linux, path, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &device);
    if (rc < 0) {
        return rc;
    }
    rc = ring_view_open(&platform_linux, device, &where->view);
    if (rc == 0) {
        where->input = ring_view_input(where->view);
        rc = list(where);
        rc = rc < 0 ? rc : streams_log_files(where->view->ledger, &where->log_files);
        rc = rc < 0 ? rc : answer(where, device);
        ring_view_close(&platform_linux, where->view);
    }
    other_logs_clear(&where->log_files);
    free(where->records);
    device_close(device);
    return rc;
}

/* "4711", or "app.log:1024". */
static int parse(const char *text, struct where *where) {
    const char *colon = strrchr(text, ':');
    char *end, file[BURST_PATH_BYTES];
    const char *number = colon == NULL ? text : colon + 1;
    errno = 0;
    where->number = strtoull(number, &end, 10);
    if (errno != 0 || end == number || *end != '\0' || *number == '-') {
        return -1;
    }
    if (colon == NULL) {
        return where->number > 0 ? 0 : -1;
    }
    if (colon == text || (size_t)(colon - text) >= sizeof file) {
        return -1;
    }
    memcpy(file, text, (size_t)(colon - text));
    file[colon - text] = '\0';
    return path_absolute(file, where->file, sizeof where->file);
}

int command_where(int argc, char **argv) {
    static const struct read_command command = {
        .usage = "burstlog where [--json] SEQUENCE|FILE:OFFSET SOURCE",
        .about =
            "Tells where a record stands: in the ring and in its log file; when its event was, since when it is durable, how\n"
            "it was acknowledged, what its media survive, and what is not known. FILE:OFFSET asks for the record that has this\n"
            "byte of that log file or archive; SOURCE may then be the same file.\n",
        .options = "",
        .operands = 1};
    struct where where = {.count = 0};
    char **operands;
    const int code = read_arguments(argc, argv, &command, &where.options, &operands);
    if (code != CLI_GO_ON) {
        return code;
    }
    if (parse(operands[0], &where) < 0) {
        return cli_misused(command.usage, "name a sequence or FILE:OFFSET, and a source", NULL);
    }
    const int rc = read_is_ring(where.options.source) ? answer_from_ring(&where, where.options.source)
                   : where.file[0] != '\0'            ? answer_from_file(&where, where.file)
                                                      : answer_from_file(&where, where.options.source);
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
