/* SPDX-License-Identifier: Apache-2.0 */
/* The command `verify`: checks everything on a ring that has a CRC, and says whether it is damaged. Changes nothing. */
#include "cli/cli.h"
#include "cli/show.h"
#include "cli/streams.h"
#include "recovery/reader.h"

struct record_count {
    uint64_t drained;
    uint64_t waiting;
    uint64_t payload_bytes;
    uint64_t damaged_ranges;
};

/* Counts records. The reader hands out only records whose CRCs hold. */
static int count_records(const struct ring_view *view, const struct streams *streams, struct record_count *count) {
    const struct recovery_input input = ring_view_input(view);
    struct reader reader;
    const int rc = reader_begin_with_drained(&reader, &input, &view->recovery);
    for (struct reader_item item; rc == 0 && reader_next(&reader, &item) == 1;) {
        if (item.record == NULL) {
            count->damaged_ranges += item.kind == READER_DAMAGE;
        } else if (item.record->type == RECORD_DATA) {
            *(item.kind == READER_DRAINED || streams_has_drained(streams, item.record) ? &count->drained
                                                                                       : &count->waiting) += 1;
            count->payload_bytes += item.record->length;
        }
    }
    reader_end(&reader);
    return rc;
}

int verify_print(struct report *report, struct device *device, const struct ring_view *view) {
    struct streams streams;
    struct record_count count = {0};
    streams_count(view, view->ledger, &streams);
    const int rc = count_records(view, &streams, &count);
    if (rc < 0) {
        return rc;
    }
    const struct notes_view *head = ledger_view(view->ledger);
    unsigned bad_superblocks = 0, bad_checkpoints = 0, bad_notes = 0;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        bad_superblocks += head->copies[copy] != SUPERBLOCK_VALID;
    }
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        bad_checkpoints += !ledger_slots(view->ledger)->is_valid[slot];
    }
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        bad_notes += !head->note_is_valid[slot];
    }
    char statement[1024];
    recovery_statement(&view->recovery, statement, sizeof statement);
    report_text(report, "ring", device->path);
    show_holders(report, device);
    report_number(report, "bad superblocks", bad_superblocks);
    report_number(report, "bad checkpoints", bad_checkpoints);
    report_number(report, "bad writer notes", bad_notes);
    report_number(report, "unreadable bytes", view->unreadable_bytes);
    report_number(report, "records waiting", count.waiting);
    report_number(report, "records drained", count.drained);
    report_number(report, "payload bytes", count.payload_bytes);
    report_number(report, "records lost", view->recovery.lost);
    streams_report(report, view->ledger, &streams, NULL);
    show_damage(report, &view->recovery);
    report_text(report, "statement", statement);
    const int damaged =
        bad_superblocks + bad_checkpoints + bad_notes > 0 || view->unreadable_bytes + count.damaged_ranges > 0;
    report_text(report, "verdict", damaged ? "damage found" : "no damage found");
    return damaged;
}

void verify_print_refused(struct report *report, struct device *device, const char *why) {
    report_text(report, "ring", device->path);
    report_text(report, "refused", why);
    report_text(report, "verdict", "it cannot be opened");
}

int command_verify(int argc, char **argv) {
    static const struct show_command command = {
        .usage = "burstlog verify [--json] RING",
        .about = "Reads the whole ring and checks superblocks, checkpoints and the CRC of every record.\n"
                 "Beside a process that writes the ring it judges what was durable when it began.",
        .print = verify_print,
        .print_refused = verify_print_refused,
    };
    return show_ring(argc, argv, &command);
}
