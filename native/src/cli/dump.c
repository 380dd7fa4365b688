/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/salvage.h"
#include "cli/show.h"
#include "cli/streams.h"
#include "cli/text.h"
#include "device/salvage.h"
#include "media/record.h"
#include "media/roll.h"
#include "recovery/reader.h"

static const char *type_of(const struct record_header *record) {
    static const char *const types[] = {"data", "pad", "void", "marker"};
    return record_is_roll(record) ? "roll" : types[record->type - RECORD_DATA];
}

/* Prints the new name of the ending file, and the file that begins. */
static void print_roll(FILE *out, const struct record_header *record) {
    struct roll roll;
    if (!roll_decode(record_payload(record), record->length, &roll)) {
        fputs("its payload is none of a roll", out);
        return;
    }
    fputs("to \"", out);
    text_print(out, roll.target, roll.target_bytes, 0);
    fputs("\", next file \"", out);
    text_print(out, roll.next, roll.next_bytes, 0);
    fprintf(out, "\", footer %u, header %u, note %u bytes", roll.footer_bytes, roll.header_bytes, roll.note_bytes);
    if (roll.rules.are_there) {
        fputs(", rules for \"", out);
        text_print(out, roll.rules.pattern, roll.rules.head.pattern_bytes, 0);
        fputs("\"", out);
    }
}

/* A list of at most one: older versions wrote no rules. */
static void report_rules(struct report *report, const struct roll_rules *rules) {
    static const char *const compressions[] = {"none", "gzip", "zstd"};
    const struct roll_rules_head *head = &rules->head;
    char text[16];
    report_list(report, "rules");
    if (rules->are_there) {
        report_group(report, NULL);
        report_bytes(report, "pattern", rules->pattern, head->pattern_bytes);
        snprintf(text, sizeof text, "%04o", head->file_mode);
        report_text(report, "file mode", text);
        report_flag(report, "mode is exact", (int)head->mode_is_exact);
        report_number(report, "file owner", head->file_owner);
        report_number(report, "file group", head->file_group);
        report_text(report, "compression", compressions[head->compression]);
        snprintf(text, sizeof text, "%d", head->level);
        report_text(report, "level", text);
        report_number(report, "delay ns", (uint64_t)head->delay_ns);
        report_number(report, "keep files", head->keep_files);
        report_number(report, "keep bytes", head->keep_bytes);
        report_number(report, "keep ns", (uint64_t)head->keep_ns);
        report_flag(report, "is by time", (int)head->is_by_time);
        report_group_end(report);
    }
    report_list_end(report);
}

static void report_roll(struct report *report, const struct record_header *record) {
    struct roll roll;
    report_flag(report, "valid", roll_decode(record_payload(record), record->length, &roll));
    report_bytes(report, "target", roll.target, roll.target_bytes);
    report_bytes(report, "next file", roll.next, roll.next_bytes);
    report_bytes(report, "footer", roll.footer, roll.footer_bytes);
    report_bytes(report, "header", roll.header, roll.header_bytes);
    report_bytes(report, "note", roll.note, roll.note_bytes);
    report_number(report, "next roll ns", (uint64_t)roll.next_time_ns);
    report_number(report, "next roll bytes", roll.next_file_bytes);
    report_rules(report, &roll.rules);
}

static void describe_marker(const struct record_header *record, char *text, size_t room) {
    const struct marker *marker = marker_of(record);
    char opened[40];
    text_time(marker->opened_ns, 0, opened, sizeof opened);
    snprintf(text, room, "opened %s, the log ended at position %" PRIu64 ", losses found: %u", opened, marker->log_end,
             marker->loss_count);
}

static void print_record_line(FILE *out, const struct record_header *record, const char *state) {
    char time[40] = "-", stream[8] = "-", about[160];
    if (record->type == RECORD_DATA) {
        text_time(record->event_time_ns, 1, time, sizeof time);
        snprintf(stream, sizeof stream, "%u", record->stream);
    }
    fprintf(out, "%14" PRIu64 " %12" PRIu64 " %5u  %-7s %-6s %6s %-30s %8u  ", record->position, record->sequence,
            record->epoch, state, type_of(record), stream, time, record->length);
    if (record_is_roll(record)) {
        print_roll(out, record);
    } else if (record->type == RECORD_DATA) {
        fputc('"', out);
        text_print(out, record_payload(record), record->length, 0);
        fputc('"', out);
    } else if (record->type == RECORD_MARKER) {
        describe_marker(record, about, sizeof about);
        fputs(about, out);
    }
    fputc('\n', out);
}

static void print_range_line(FILE *out, const struct reader_item *item) {
    const struct recovery_jump *jump = item->jump;
    fprintf(out, "%14" PRIu64 " up to %" PRIu64 ": ", jump->gap.from, jump->gap.to);
    if (item->kind == READER_VOID) {
        fputs("void, an open ended the log here and went on behind it\n", out);
    } else if (jump->gap.count == 0) {
        fputs("DAMAGED, no record is missing there\n", out);
    } else {
        fprintf(out, "LOST, records %" PRIu64 "..%" PRIu64 " (%" PRIu64 ")\n", jump->gap.first_sequence,
                jump->gap.first_sequence + jump->gap.count - 1, jump->gap.count);
    }
}

static void report_record(struct report *report, const struct record_header *record, const char *state) {
    char text[160];
    report_text(report, "state", state);
    report_text(report, "type", type_of(record));
    report_number(report, "position", record->position);
    report_number(report, "sequence", record->sequence);
    report_number(report, "epoch", record->epoch);
    report_number(report, "length", record->length);
    if (record->type == RECORD_DATA) {
        text_time(record->event_time_ns, 1, text, sizeof text);
        report_number(report, "stream", record->stream);
        report_text(report, "time", text);
        report_flag(report, "enqueued", (record->flags & RECORD_ENQUEUED) != 0);
        if (record_is_roll(record)) {
            report_roll(report, record);
        } else {
            report_bytes(report, "payload", record_payload(record), record->length);
        }
    } else if (record->type == RECORD_MARKER) {
        describe_marker(record, text, sizeof text);
        report_text(report, "marker", text);
    }
}

static void report_range(struct report *report, const struct reader_item *item) {
    const struct recovery_jump *jump = item->jump;
    report_text(report, "state", item->kind == READER_VOID ? "void" : jump->gap.count == 0 ? "damaged" : "lost");
    report_number(report, "from position", jump->gap.from);
    report_number(report, "to position", jump->gap.to);
    if (item->kind == READER_DAMAGE) {
        report_number(report, "first sequence", jump->gap.first_sequence);
        report_number(report, "records lost", jump->gap.count);
    }
}

static void print_record(struct report *report, const struct record_header *record, const char *state) {
    if (!report->json) {
        print_record_line(report->out, record, state);
        return;
    }
    report_group(report, NULL);
    report_record(report, record, state);
    report_group_end(report);
}

static void print_item(struct report *report, const struct streams *streams, const struct reader_item *item) {
    if (item->record != NULL) {
        const int is_drained = item->kind == READER_DRAINED ||
                               (item->record->type == RECORD_DATA && streams_has_drained(streams, item->record));
        print_record(report, item->record, is_drained ? "drained" : "waiting");
    } else if (!report->json) {
        print_range_line(report->out, item);
    } else {
        report_group(report, NULL);
        report_range(report, item);
        report_group_end(report);
    }
}

static void begin_records(struct report *report) {
    report_list(report, "records");
    if (!report->json) {
        fprintf(report->out, "%14s %12s %5s  %-7s %-6s %6s %-30s %8s  %s\n", "position", "sequence", "epoch", "state",
                "type", "stream", "time", "length", "payload");
    }
}

int dump_print(struct report *report, struct device *device, const struct ring_view *view) {
    const struct recovery_input input = ring_view_input(view);
    struct reader reader;
    struct streams streams;
    int rc = reader_begin_with_drained(&reader, &input, &view->recovery);
    streams_count(view, view->ledger, &streams);
    report_text(report, "ring", device->path);
    streams_report(report, view->ledger, &streams, NULL);
    begin_records(report);
    for (struct reader_item item; rc == 0 && reader_next(&reader, &item) == 1;) {
        print_item(report, &streams, &item);
    }
    reader_end(&reader);
    report_list_end(report);
    char statement[1024];
    recovery_statement(&view->recovery, statement, sizeof statement);
    report_text(report, "statement", statement);
    return rc;
}

/* The whole record of any lap at this place of the image, or NULL. */
static const struct record_header *whole_record(const struct recovery_input *input, uint64_t bytes, uint64_t place) {
    const struct record_header *header = record_at(input->image, input->shape.capacity_bytes, place);
    const uint64_t position = header->position;
    if (position % RECORD_ALIGN_BYTES != 0 || position % input->shape.capacity_bytes != place ||
        record_bytes(header->length) > bytes - place ||
        record_judge(input->image, input->shape.capacity_bytes, position, input->crc_seed) != RECORD_VALID) {
        return NULL;
    }
    return header->type == RECORD_MARKER && !marker_is_whole(header, input->shape.block_bytes) ? NULL : header;
}

/* Prints the whole records by place, those of the earlier lap first. The image has only `bytes`: the rest of the ring
 * was cut off. */
static void print_whole_records(struct report *report, const struct recovery_input *input, uint64_t bytes) {
    uint64_t earliest = UINT64_MAX, begin = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t done = 0; done + RECORD_HEADER_BYTES <= bytes;) {
            const uint64_t place = (begin + done) % bytes;
            const struct record_header *record =
                bytes - place < RECORD_HEADER_BYTES ? NULL : whole_record(input, bytes, place);
            if (pass == 1 && record != NULL) {
                print_record(report, record, "found");
            } else if (record != NULL && record->position < earliest) {
                earliest = record->position;
            }
            done += record == NULL || record->type == RECORD_PAD ? RECORD_ALIGN_BYTES : record_bytes(record->length);
        }
        begin = earliest == UINT64_MAX ? 0 : earliest % input->shape.capacity_bytes;
    }
}

/* Prints the records of a ring without superblocks, by their sequence. */
static void print_unknown_ring(struct report *report, struct device *device) {
    struct salvage finds;
    salvage_find(device, &finds);
    for (size_t i = 0; i < finds.count; i++) {
        print_record(report, finds.records[i], "found");
    }
    salvage_end(device, &finds);
}

void dump_print_refused(struct report *report, struct device *device, const char *why) {
    struct ledger *ledger;
    report_text(report, "ring", device->path);
    begin_records(report);
    ledger_read(device->platform, device, &ledger);
    if (ledger != NULL) {
        const struct notes_view *head = ledger_view(ledger);
        const struct superblock *superblock = &head->superblock;
        const int is_known = head->copies[0] == SUPERBLOCK_VALID || head->copies[1] == SUPERBLOCK_VALID;
        const uint64_t capacity = superblock->capacity_bytes;
        const uint64_t there =
            device->medium_bytes < superblock->data_offset ? 0 : device->medium_bytes - superblock->data_offset;
        const uint64_t bytes = align_down(there < capacity ? there : capacity, device->block_bytes);
        uint8_t *image = is_known && bytes > 0 ? platform_allocate(device->platform, bytes, PLATFORM_PLAIN) : NULL;
        if (image != NULL) {
            device_read_salvage(device, superblock->data_offset, image, bytes, NULL, NULL);
            const struct recovery_input input = {
                .image = image,
                .shape = {.capacity_bytes = capacity, .block_bytes = superblock->block_bytes},
                .crc_seed = crc_seed_of(superblock->uuid)};
            print_whole_records(report, &input, bytes);
            platform_release(device->platform, image, bytes);
        } else if (!is_known) {
            print_unknown_ring(report, device);
        }
        ledger_close(ledger);
    }
    report_list_end(report);
    report_text(report, "refused", why);
    report_text(report, "statement",
                "these are the whole records found on the medium, in the order of their place, or of "
                "their sequence if there is no superblock; which of them belong to the log, and "
                "which the log file has already, is unknown");
}

int command_dump(int argc, char **argv) {
    static const struct show_command command = {
        .usage = "burstlog dump [--json] RING",
        .about = "Shows every record that the ring still holds, drained or waiting, and which records are lost.\n"
                 "Of a ring that cannot be opened it shows the whole records that it finds there.",
        .print = dump_print,
        .print_refused = dump_print_refused,
    };
    return show_ring(argc, argv, &command);
}
