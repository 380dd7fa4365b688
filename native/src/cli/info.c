/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "burstlog.h"
#include "cli/cli.h"
#include "cli/log_device.h"
#include "cli/media.h"
#include "cli/residence.h"
#include "cli/show.h"
#include "cli/text.h"
#include "device/calibrate.h"
#include "device/medium.h"
#include "device/open.h"
#include "device/probe.h"
#include "device/host/survival.h"
#include "media/checkpoint_v1.h"
#include "ring/stages.h"

static void report_time(struct report *report, const char *name, int64_t time_ns) {
    char text[40];
    text_time(time_ns, 0, text, sizeof text);
    report_text(report, name, text);
}

static void report_superblock(struct report *report, const struct engine_view *view) {
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

static void report_checkpoint(struct report *report, const struct engine_view *view, unsigned slot) {
    const struct checkpoint *checkpoint = &view->checkpoints[slot];
    report_group(report, NULL);
    report_number(report, "slot", slot);
    report_flag(report, "valid", view->checkpoint_is_valid[slot]);
    if (view->checkpoint_is_valid[slot]) {
        char file[BURST_PATH_BYTES];
        checkpoint_file(checkpoint, file, sizeof file);
        report_flag(report, "newest", slot == view->newest_slot);
        report_number(report, "generation", checkpoint->generation);
        report_number(report, "epoch", checkpoint->epoch);
        report_time(report, "written", checkpoint->written_ns);
        report_number(report, "durable position", checkpoint->durable_position);
        report_number(report, "drained position", checkpoint->stream.drained_position);
        report_number(report, "drained sequence", checkpoint->stream.next_sequence - 1);
        report_text(report, "log file", file);
        report_number(report, "log file bytes", checkpoint->stream.file_bytes);
    }
    report_group_end(report);
}

/* Where the time of records went, as the newest checkpoint says: the writer may be another process, or gone. */
static void report_stages(struct report *report, const struct checkpoint *checkpoint) {
    burst_stage_stats_t figures[BURST_STAGES];
    const int timed = checkpoint_get_stages(checkpoint, figures);
    if (!report->json && !timed) {
        report_text(report, "stages", "none yet");
        return;
    }
    report_group(report, "stages");
    report_number(report, "epoch", checkpoint->epoch);
    report_time(report, "written", checkpoint->written_ns);
    report_list(report, "figures");
    for (unsigned stage = 0; stage < BURST_STAGES && timed; stage++) {
        report_group(report, NULL);
        report_text(report, "stage", stages_name(stage));
        report_number(report, "count", figures[stage].count);
        report_number(report, "mean ns", figures[stage].mean_ns);
        report_number(report, "p50 ns", figures[stage].p50_ns);
        report_number(report, "p99 ns", figures[stage].p99_ns);
        report_number(report, "p99.9 ns", figures[stage].p999_ns);
        report_number(report, "p99.99 ns", figures[stage].p9999_ns);
        report_number(report, "max ns", figures[stage].max_ns);
        report_group_end(report);
    }
    report_list_end(report);
    report_group_end(report);
}

static int has_damage(const struct recovery *recovery) {
    for (size_t i = 0; i < recovery->jump_count; i++) {
        if (recovery->jumps[i].damaged) {
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
        if (jump->damaged) {
            report_group(report, NULL);
            report_number(report, "from position", jump->from);
            report_number(report, "to position", jump->to);
            report_number(report, "first sequence", jump->first_sequence);
            report_number(report, "records lost", jump->count);
            report_group_end(report);
        }
    }
    report_list_end(report);
}

void show_holders(struct report *report, const char *path) {
    char holders[256] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        medium_holders(fd, holders, sizeof holders);
        close(fd);
    }
    report_text(report, "open in", *holders == '\0' ? "no process" : holders);
}

static void report_engine(struct report *report, const struct calibration_engine *engine) {
    report_group(report, NULL);
    report_text(report, "engine", device_io_name(engine->io));
    report_number(report, "writes", engine->writes);
    report_number(report, "faster than the first", engine->faster);
    report_number(report, "p50 ns", engine->p50_ns);
    report_number(report, "p99 ns", engine->p99_ns);
    report_group_end(report);
}

/* Which engine io = auto takes here, and why. */
static void report_calibration(struct report *report, struct device *device) {
    struct calibration calibration;
    const int is_measured = device_calibration(device, &calibration);
    const int is_memory = device->io == BURST_IO_MAPPED; /* auto opens with it what nothing else can write */
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
        report_engine(report, &calibration.engines[i]);
    }
    report_list_end(report);
    report_group_end(report);
}

int info_print(struct report *report, struct device *device, const struct engine_view *view) {
    const struct recovery *recovery = &view->recovery;
    char statement[1024], file[BURST_PATH_BYTES];
    recovery_statement(recovery, statement, sizeof statement);
    report_text(report, "ring", device->path);
    show_holders(report, device->path);
    report_text(report, "survives", survival_name(device->survives));
    report_text(report, "because", device->survives_because);
    report_calibration(report, device);
    if (device->fallback[0] != '\0') {
        report_text(report, "fallback", device->fallback);
    }
    media_report_device(report, device);
    checkpoint_file(&view->checkpoints[view->newest_slot], file, sizeof file);
    if (file[0] != '\0') {
        media_report_log_file(report, file);
    }
    residence_report(report, device, view);
    report_superblock(report, view);
    report_list(report, "checkpoints");
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        report_checkpoint(report, view, slot);
    }
    report_list_end(report);
    report_stages(report, &view->checkpoints[view->newest_slot]);
    report_group(report, "log");
    report_number(report, "epoch", recovery->epoch_highest);
    report_number(report, "begins at position", recovery->start);
    report_number(report, "ends at position", recovery->log_end);
    report_number(report, "proven durable position", recovery->durable_position);
    report_number(report, "records waiting", recovery->records);
    report_number(report, "first sequence", recovery->first_sequence);
    report_number(report, "last sequence", recovery->next_sequence - 1);
    report_number(report, "records lost", recovery->lost);
    report_number(report, "unreadable bytes", view->unreadable_bytes);
    show_damage(report, recovery);
    report_group_end(report);
    report_text(report, "statement", statement);
    return 0;
}

/* Takes --calibrate out of the arguments; 1 if it was there. */
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
