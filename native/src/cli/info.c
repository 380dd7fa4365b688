/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "burstlog.h"
#include "cli/cli.h"
#include "cli/log_device.h"
#include "cli/media.h"
#include "cli/residence.h"
#include "cli/show.h"
#include "cli/streams.h"
#include "cli/text.h"
#include "cli/top/screen.h"
#include "log/calibrate.h"
#include "device/lock.h"
#include "device/medium.h"
#include "device/open.h"
#include "device/host/survival.h"

static void report_time(struct report *report, const char *name, int64_t time_ns) {
    char text[40];
    text_time(time_ns, 0, text, sizeof text);
    report_text(report, name, text);
}

static void report_superblock(struct report *report, const struct notes_view *view) {
    static const char *const verdicts[] = {"valid", "absent", "damaged", "unknown"};
    const struct superblock *superblock = &view->superblock;
    char uuid[33];
    for (int i = 0; i < 16; i++) {
        snprintf(uuid + 2 * i, 3, "%02x", superblock->uuid[i]);
    }
    report_group(report, "superblock");
    report_text(report, "copy 0", verdicts[view->copies[0]]);
    report_text(report, "copy 1", verdicts[view->copies[1]]);
    report_number(report, "version", superblock->version);
    report_text(report, "uuid", uuid);
    report_time(report, "created", superblock->created_ns);
    report_number(report, "ring bytes", superblock->data_offset + superblock->capacity_bytes);
    report_number(report, "capacity bytes", superblock->capacity_bytes);
    report_number(report, "block bytes", superblock->block_bytes);
    if (superblock_line_bytes(superblock) != 0) {
        report_number(report, "line bytes", superblock_line_bytes(superblock));
    }
    report_group_end(report);
}

/* Reports which of its files the stream writes, and when that is to be rolled. */
static void report_file(struct report *report, const struct outlet_roll *roll) {
    static const char *const phases[] = {"none", "rolling", "rolled", "given up"};
    report_number(report, "log file number", roll->file_number);
    if (roll->born_ns != 0) {
        report_time(report, "log file born", roll->born_ns);
    }
    report_text(report, "roll under way", phases[roll->phase]);
    if (roll->next_time_ns != 0) {
        report_time(report, "next roll", roll->next_time_ns);
    }
    if (roll->next_file_bytes != 0) {
        report_number(report, "next roll at bytes", roll->next_file_bytes);
    }
}

static void report_stream(struct report *report, const struct stream_state *stream) {
    char file[BURST_PATH_BYTES];
    outlet_state_file(&stream->outlet, file, sizeof file);
    report_group(report, NULL);
    report_number(report, "stream", stream->id);
    report_text(report, "name", stream->name);
    if (stream->follows != 0) {
        report_number(report, "records of stream", stream_source(stream));
    }
    report_number(report, "drained position", stream->drained_position);
    report_number(report, "drained sequence", stream->next_sequence - 1);
    report_text(report, "log file", file);
    report_number(report, "log file bytes", stream->outlet.length);
    report_file(report, &stream->outlet.roll);
    report_group_end(report);
}

static void report_checkpoint(struct report *report, const struct ledger *ledger, unsigned slot) {
    const struct checkpoints_view *view = ledger_slots(ledger);
    const struct checkpoint_facts *checkpoint = &view->facts[slot];
    report_group(report, NULL);
    report_number(report, "slot", slot);
    report_flag(report, "valid", view->is_valid[slot]);
    if (view->is_valid[slot]) {
        report_flag(report, "newest", slot == view->newest);
        report_number(report, "generation", checkpoint->generation);
        report_number(report, "epoch", checkpoint->epoch);
        report_time(report, "written", checkpoint->written_ns);
        report_list(report, "streams");
        for (unsigned i = 0; i < ledger_streams(ledger, slot); i++) {
            static struct stream_state stream;
            ledger_stream(ledger, slot, i, &stream);
            if (stream_is_used(&stream)) {
                report_stream(report, &stream);
            }
        }
        report_list_end(report);
    }
    report_group_end(report);
}

static void report_note(struct report *report, const struct notes_view *view, unsigned slot) {
    const struct writer_note *note = &view->notes[slot];
    report_group(report, NULL);
    report_number(report, "slot", slot);
    report_flag(report, "valid", view->note_is_valid[slot]);
    if (view->note_is_valid[slot]) {
        report_number(report, "generation", note->generation);
        report_number(report, "epoch", note->epoch);
        report_time(report, "written", note->written_ns);
        report_number(report, "durable position", note->durable_position);
        report_number(report, "in flight up to position", note->in_flight_end);
        report_flag(report, "closed", note->closed == 1);
    }
    report_group_end(report);
}

static void report_slots(struct report *report, const struct ledger *ledger) {
    report_list(report, "checkpoints");
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        report_checkpoint(report, ledger, slot);
    }
    report_list_end(report);
    report_list(report, "writer notes");
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        report_note(report, ledger_view(ledger), slot);
    }
    report_list_end(report);
}

/* Reports the destinations of the streams: their file systems are media, too. */
static void report_log_files(struct report *report, const struct ledger *ledger) {
    const unsigned newest = ledger_newest(ledger);
    report_list(report, "log files");
    for (unsigned i = 0; i < ledger_streams(ledger, newest); i++) {
        static struct stream_state stream;
        char file[BURST_PATH_BYTES];
        ledger_stream(ledger, newest, i, &stream);
        if (stream.outlet.path[0] != '\0' && outlet_state_file(&stream.outlet, file, sizeof file) == 0) {
            media_report_log_file(report, file);
        }
    }
    report_list_end(report);
}

static int has_damage(const struct recovery *recovery) {
    for (size_t i = 0; i < recovery->jump_count; i++) {
        if (recovery->jumps[i].gap.damaged) {
            return 1;
        }
    }
    return 0;
}

void show_damage(struct report *report, const struct recovery *recovery) {
    if (!report->json && !has_damage(recovery)) {
        report_text(report, "damaged ranges", "none");
        return;
    }
    report_list(report, "damaged ranges");
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct recovery_jump *jump = &recovery->jumps[i];
        if (jump->gap.damaged) {
            report_group(report, NULL);
            report_number(report, "from position", jump->gap.from);
            report_number(report, "to position", jump->gap.to);
            report_number(report, "first sequence", jump->gap.first_sequence);
            report_number(report, "records lost", jump->gap.count);
            report_group_end(report);
        }
    }
    report_list_end(report);
}

void show_holders(struct report *report, const struct device *device) {
    char holders[256];
    lock_tell_holders(device->file.fd, holders, sizeof holders);
    report_text(report, "open in", holders);
}

/* Gives programs the bare number, and people all numbers that it is compared with. */
static void report_faster(struct report *report, const struct calibration_engine *engine,
                          const struct calibration_engine *first) {
    char name[40], pairs[60];
    if (report->json) {
        report_number(report, "faster than the first", engine->faster);
    } else if (engine != first) {
        snprintf(name, sizeof name, "beat %s in", device_io_name(first->io));
        snprintf(pairs, sizeof pairs, "%u of %u pairs", engine->faster, engine->writes);
        report_text(report, name, pairs);
    }
}

static void report_engine(struct report *report, const struct calibration_engine *engine,
                          const struct calibration_engine *first) {
    report_group(report, NULL);
    report_text(report, "engine", device_io_name(engine->io));
    report_number(report, "writes", engine->writes);
    report_faster(report, engine, first);
    report_number(report, "p50 ns", engine->p50_ns);
    report_number(report, "p99 ns", engine->p99_ns);
    report_group_end(report);
}

/* Reports which engine io = auto takes here, and why. */
static void report_calibration(struct report *report, struct device *device) {
    struct calibration calibration;
    const int is_measured = device_calibration(device, &calibration);
    /* Auto takes mmap only for a medium that no other engine can write. */
    const int is_memory = device->io == BURST_IO_MAPPED;
    char because[256] = "nothing was measured yet; the next open with io=auto measures";
    if (is_memory) {
        snprintf(because, sizeof because, "it is memory, laid out to be mapped: no other engine can write it");
    } else if (is_measured) {
        calibration_sentence(&calibration, because, sizeof because);
    }
    report_group(report, "io auto");
    report_text(report, "engine", is_measured && !is_memory ? device_io_name(calibration.io) : device->ops->name);
    report_text(report, "because", because);
    if (is_measured) {
        report_time(report, "measured", calibration.measured_ns);
        report_number(report, "write bytes", calibration.write_bytes);
    }
    report_list(report, "figures");
    for (uint32_t i = 0; is_measured && i < calibration.engine_count; i++) {
        report_engine(report, &calibration.engines[i], &calibration.engines[0]);
    }
    report_list_end(report);
    report_group_end(report);
}

/* Nothing of a copy is on the medium: the process that has the ring open tells of it, through its window. */
static void report_copy(struct report *report, const struct device *device) {
    static struct watch watch;
    const struct figures_copy *copy = &watch.figures.copy;
    if (watch_open(&watch, device->path, NULL) == 0 && watch_look(&watch) == 1 && copy->state != BURST_COPY_NONE) {
        report_group(report, "second copy");
        report_bytes(report, "name", copy->name, strlen(copy->name));
        report_text(report, "state", screen_copy_state(copy->state));
        report_number(report, "copied sequence", copy->sequence);
        report_number(report, "records behind", copy->records_behind);
        report_number(report, "records missing", copy->records_missing);
        report_group_end(report);
    }
    watch_close(&watch);
}

int info_print(struct report *report, struct device *device, const struct ring_view *view) {
    const struct recovery *recovery = &view->recovery;
    struct streams streams;
    streams_count(view, view->ledger, &streams);
    char statement[1024];
    recovery_statement(recovery, statement, sizeof statement);
    report_text(report, "ring", device->path);
    show_holders(report, device);
    report_text(report, "survives", survival_name(device->survives));
    report_text(report, "because", device->survives_because);
    report_calibration(report, device);
    if (device->fallback[0] != '\0') {
        report_text(report, "fallback", device->fallback);
    }
    media_report_device(report, device);
    report_log_files(report, view->ledger);
    residence_report(report, device, view);
    report_copy(report, device);
    report_superblock(report, ledger_view(view->ledger));
    report_slots(report, view->ledger);
    streams_report(report, view->ledger, &streams, NULL);
    report_group(report, "log");
    report_number(report, "epoch", recovery->epoch_highest);
    report_number(report, "begins at position", recovery->start);
    report_number(report, "ends at position", recovery->log_end);
    report_number(report, "proven durable position", recovery->durable_position);
    report_number(report, "records waiting", streams.records_waiting);
    report_number(report, "first sequence", recovery->first_sequence);
    report_number(report, "last sequence", recovery->next_sequence - 1);
    report_number(report, "records lost", recovery->lost);
    report_number(report, "unreadable bytes", view->unreadable_bytes);
    show_damage(report, recovery);
    report_group_end(report);
    report_text(report, "statement", statement);
    return 0;
}

/* Removes --calibrate from the arguments. Returns 1 if it was there. */
static int take_calibrate(int *argc, char **argv) {
    int taken = 0;
    for (int i = 1; i + taken < *argc; i++) {
        taken += strcmp(argv[i + taken], "--calibrate") == 0;
        argv[i] = argv[i + taken];
    }
    *argc -= taken;
    return taken > 0;
}

static int calibrate(const char *path) {
    struct device *device;
    const int rc = device_open(&platform_linux, path, DEVICE_WRITER, BURST_IO_AUTO, &device);
    if (rc == 0) {
        device_calibrate(&device, 1);
        device_close(device);
    }
    return rc;
}

int command_info(int argc, char **argv) {
    const int measures_anew = take_calibrate(&argc, argv);
    for (int i = 1; measures_anew && i < argc; i++) {
        const int rc = argv[i][0] == '-' ? 0 : calibrate(argv[i]);
        if (rc < 0) {
            return cli_failed(rc);
        }
    }
    static const struct show_command command = {
        .usage = "burstlog info [--json] [--calibrate] RING",
        .about =
            "Shows the media and what they survive, the superblock, the checkpoints, and the log that a recovery would "
            "find.\n"
            "--calibrate first measures again which engine io=auto takes; no process may have the ring open.",
        .print = info_print,
        .print_other = log_device_print,
    };
    return show_ring(argc, argv, &command);
}
