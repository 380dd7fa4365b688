/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "cli/text.h"
#include "media/record.h"
#include "recovery/reader.h"

static const char *type_of(const struct record_header *record) {
    static const char *const types[] = {"data", "pad", "void", "marker"};
    return types[record->type - RECORD_DATA];
}

static void describe_marker(const struct record_header *record, char *text, size_t room) {
    const struct marker *marker = marker_of(record);
    char opened[40];
    text_time(marker->opened_ns, 0, opened, sizeof opened);
    snprintf(text, room, "opened %s, the log ended at position %" PRIu64 ", losses found: %u", opened, marker->log_end,
             marker->loss_count);
}

static void print_record_line(FILE *out, const struct reader_item *item) {
    const struct record_header *record = item->record;
    char time[40], about[160];
    text_time(record->event_time_ns, 1, time, sizeof time);
    fprintf(out, "%14" PRIu64 " %12" PRIu64 " %5u  %-7s %-6s %-30s %8u  ", record->position, record->sequence,
            record->epoch, item->kind == READER_DRAINED ? "drained" : "waiting", type_of(record),
            record->type == RECORD_DATA ? time : "-", record->length);
    if (record->type == RECORD_DATA) {
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
    fprintf(out, "%14" PRIu64 " up to %" PRIu64 ": ", jump->from, jump->to);
    if (item->kind == READER_VOID) {
        fputs("void, an open ended the log here and went on behind it\n", out);
    } else if (jump->count == 0) {
        fputs("DAMAGED, no record is missing there\n", out);
    } else {
        fprintf(out, "LOST, records %" PRIu64 "..%" PRIu64 " (%" PRIu64 ")\n", jump->first_sequence,
                jump->first_sequence + jump->count - 1, jump->count);
    }
}

static void report_record(struct report *report, const struct reader_item *item) {
    const struct record_header *record = item->record;
    char text[160];
    report_text(report, "state", item->kind == READER_DRAINED ? "drained" : "waiting");
    report_text(report, "type", type_of(record));
    report_number(report, "position", record->position);
    report_number(report, "sequence", record->sequence);
    report_number(report, "epoch", record->epoch);
    report_number(report, "length", record->length);
    if (record->type == RECORD_DATA) {
        text_time(record->event_time_ns, 1, text, sizeof text);
        report_text(report, "time", text);
        report_flag(report, "enqueued", (record->flags & RECORD_ENQUEUED) != 0);
        report_bytes(report, "payload", record_payload(record), record->length);
    } else if (record->type == RECORD_MARKER) {
        describe_marker(record, text, sizeof text);
        report_text(report, "marker", text);
    }
}

static void report_range(struct report *report, const struct reader_item *item) {
    const struct recovery_jump *jump = item->jump;
    report_text(report, "state", item->kind == READER_VOID ? "void" : jump->count == 0 ? "damaged" : "lost");
    report_number(report, "from position", jump->from);
    report_number(report, "to position", jump->to);
    if (item->kind == READER_DAMAGE) {
        report_number(report, "first sequence", jump->first_sequence);
        report_number(report, "records lost", jump->count);
    }
}

static void print_item(struct report *report, const struct reader_item *item) {
    if (!report->json) {
        (item->record != NULL ? print_record_line : print_range_line)(report->out, item);
        return;
    }
    report_group(report, NULL);
    (item->record != NULL ? report_record : report_range)(report, item);
    report_group_end(report);
}

int dump_print(struct report *report, struct device *device, const struct engine_view *view) {
    const struct recovery_input input = engine_view_input(view);
    struct reader reader;
    int rc = reader_begin_with_drained(&reader, &input, &view->recovery);
    report_text(report, "ring", device->path);
    report_list(report, "records");
    if (!report->json) {
        fprintf(report->out, "%14s %12s %5s  %-7s %-6s %-30s %8s  %s\n", "position", "sequence", "epoch", "state", "type",
                "time", "length", "payload");
    }
    for (struct reader_item item; rc == 0 && reader_next(&reader, &item) == 1;) {
        print_item(report, &item);
    }
    reader_end(&reader);
    report_list_end(report);
    char statement[1024];
    recovery_statement(&view->recovery, statement, sizeof statement);
    report_text(report, "statement", statement);
    return rc;
}

int command_dump(int argc, char **argv) {
    return show_ring(argc, argv, "burstlog dump [--json] RING",
                     "Shows every record that the ring still holds, drained or waiting, and what is lost.", dump_print);
}
