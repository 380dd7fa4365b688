/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `burstlog doctor --slow-appends`: appends on this host for some seconds, and says of those beyond p99.9 and p99.99 what
 * held each up, and whose that was: the machine's, the medium's, or ours. Ring and log file are in a folder of their own,
 * which is gone when the command ends; or the ring is on a blank block device.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/slow_turns.h"
#include "cli/report.h"
#include "cli/verify/engines.h"
#include "device/open.h"
#include "ledger/ledger.h"
#include "log/log.h"

#define RING_BYTES (32u << 20)

static const double percents[] = {99.9, 99.99};
#define PERCENTS (sizeof percents / sizeof percents[0])

/* ----------------------------------------------------------------------------------------------------- its places */

struct places {
    char folder[HOST_PATH_BYTES]; /* "": not made */
    char ring[HOST_PATH_BYTES + 16], bare[HOST_PATH_BYTES + 16], log[HOST_PATH_BYTES + 16];
};

static void remove_places(const struct places *places) {
    char path[HOST_PATH_BYTES + 300];
    DIR *entries = places->folder[0] == '\0' ? NULL : opendir(places->folder);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", places->folder, entry->d_name);
        unlink(path);
    }
    if (entries != NULL) {
        closedir(entries);
        rmdir(places->folder);
    }
}

/* Gives a blank device a ring in its first half, at most RING_BYTES. */
static int format_device(const struct slow_request *request) {
    struct device *device;
    int rc = device_open_as(&platform_linux, "ring", request->ring, DEVICE_WRITER, BURST_IO_PWRITE, &device);
    if (rc < 0) {
        return rc;
    }
    const uint64_t half = device->medium_bytes / 2 / (1u << 20) * (1u << 20);
    rc = device->is_file ? error_set(EINVAL, "%s is no block device: name one, or a folder alone", request->ring)
                         : verify_check_free(device, request->force);
    rc = rc < 0 ? rc : ledger_format(&platform_linux, device, half < RING_BYTES ? half : RING_BYTES);
    device_close(device);
    return rc;
}

static int make_places(const struct slow_request *request, struct places *places) {
    snprintf(places->folder, sizeof places->folder, "%.4000s/burstlog-slow-appends-XXXXXX", request->folder);
    if (mkdtemp(places->folder) == NULL) {
        const int failure = errno;
        places->folder[0] = '\0';
        return error_set(failure, "no folder can be made in %s: %s; name a folder for ring and log file",
                         request->folder, error_name(failure));
    }
    snprintf(places->ring, sizeof places->ring, "%s/ring", places->folder);
    snprintf(places->bare, sizeof places->bare, "%s/bare", places->folder);
    snprintf(places->log, sizeof places->log, "%s/log", places->folder);
    if (request->ring == NULL) {
        return 0;
    }
    snprintf(places->ring, sizeof places->ring, "%.4000s", request->ring);
    snprintf(places->bare, sizeof places->bare, "%.4000s", request->ring);
    return format_device(request);
}

/* ----------------------------------------------------------------------------------------------------- its report */

static double microseconds(int64_t ns) {
    return (double)ns / 1e3;
}

static int64_t percentile(const struct slow_turns *turns, enum slow_kind kind, double percent) {
    return (int64_t)histogram_percentile(&turns->took[kind], percent);
}

static void print_rows(const struct slow_turns *turns, const struct slow_beyond *beyond) {
    const int has_bare = histogram_count(&turns->took[SLOW_BARE]) > 0;
    int64_t lost_ns = 0;
    for (int cause = 0; cause < SLOW_CAUSES; cause++) {
        lost_ns += beyond->time_ns[cause];
    }
    printf("\nBeyond p%g, %.1f us: %" PRIu64 " appends, and what held them up\n\n%-46s%9s%7s%8s%9s\n", beyond->percent,
           microseconds(beyond->took_ns), beyond->appends, "", "appends", "time", "bare", "nothing");
    for (int cause = 0; cause < SLOW_CAUSES; cause++) {
        if (beyond->counts[SLOW_APPEND][cause] + beyond->counts[SLOW_BARE][cause] +
                beyond->counts[SLOW_NOTHING][cause] ==
            0) {
            continue;
        }
        printf("  %-44s%9" PRIu64 "%6.0f%%", slow_cause_words(cause), beyond->counts[SLOW_APPEND][cause],
               lost_ns == 0 ? 0.0 : 100.0 * (double)beyond->time_ns[cause] / (double)lost_ns);
        if (has_bare) {
            printf("%8" PRIu64, beyond->counts[SLOW_BARE][cause]);
        } else {
            printf("%8s", "-");
        }
        printf("%9" PRIu64 "\n", beyond->counts[SLOW_NOTHING][cause]);
    }
    printf("\n  They lost it");
    for (int stage = 0; stage < SLOW_STAGES; stage++) {
        printf("%s %s: %" PRIu64, stage == 0 ? "" : ",", slow_stage_name(stage), beyond->stages[stage]);
    }
    printf(".\n  The machine's: %.0f. The medium's: %.0f. Ours: %.0f.\n", beyond->owners[OWNER_MACHINE],
           beyond->owners[OWNER_MEDIUM], beyond->owners[OWNER_OURS]);
}

static void print_text(const struct slow_request *request, const char *engine, const struct slow_turns *turns,
                       const struct slow_beyond *beyond) {
    printf("%" PRIu64 " appends of %u bytes in %g s, ring %s %s (%s); in turns with bare writes and a loop that does\n"
           "nothing for as long as an append takes.\n\n%-14s%10s%10s%10s%10s  us\n",
           histogram_count(&turns->took[SLOW_APPEND]), SLOW_RECORD_BYTES, request->seconds,
           request->ring == NULL ? "in" : "on", request->ring == NULL ? request->folder : request->ring, engine, "",
           "p50", "p99", "p99.9", "p99.99");
    static const char *const kinds[SLOW_KINDS] = {"append", "bare write", "nothing"};
    for (enum slow_kind kind = 0; kind < SLOW_KINDS; kind++) {
        if (histogram_count(&turns->took[kind]) > 0) {
            printf("%-14s%10.2f%10.2f%10.2f%10.2f\n", kinds[kind], microseconds(percentile(turns, kind, 50)),
                   microseconds(percentile(turns, kind, 99)), microseconds(percentile(turns, kind, 99.9)),
                   microseconds(percentile(turns, kind, 99.99)));
        }
    }
    for (size_t i = 0; i < PERCENTS; i++) {
        if (beyond[i].took_ns > 0) {
            print_rows(turns, &beyond[i]);
        }
    }
}

static void report_beyond(struct report *report, const struct slow_beyond *beyond) {
    report_group(report, NULL);
    report_number(report, "hundredths of a percent", (uint64_t)(beyond->percent * 100 + 0.5));
    report_number(report, "took ns", (uint64_t)beyond->took_ns);
    report_number(report, "appends", beyond->appends);
    report_list(report, "causes");
    for (int cause = 0; cause < SLOW_CAUSES; cause++) {
        report_group(report, NULL);
        report_text(report, "id", slow_cause_id(cause));
        report_text(report, "words", slow_cause_words(cause));
        report_number(report, "appends", beyond->counts[SLOW_APPEND][cause]);
        report_number(report, "lost ns", (uint64_t)beyond->time_ns[cause]);
        report_number(report, "bare writes", beyond->counts[SLOW_BARE][cause]);
        report_number(report, "nothing", beyond->counts[SLOW_NOTHING][cause]);
        report_group_end(report);
    }
    report_list_end(report);
    report_group(report, "stages");
    for (int stage = 0; stage < SLOW_STAGES; stage++) {
        report_number(report, slow_stage_name(stage), beyond->stages[stage]);
    }
    report_group_end(report);
    report_group(report, "owners");
    for (int owner = 0; owner < SLOW_OWNERS; owner++) {
        report_number(report, slow_owner_name(owner), (uint64_t)(beyond->owners[owner] + 0.5));
    }
    report_group_end(report);
    report_group_end(report);
}

static void print_json(const struct slow_request *request, const char *engine, const struct slow_turns *turns,
                       const struct slow_beyond *beyond) {
    static const char *const kinds[SLOW_KINDS] = {"append", "bare write", "nothing"};
    struct report report;
    report_begin(&report, stdout, 1);
    report_text(&report, "ring", request->ring == NULL ? request->folder : request->ring);
    report_text(&report, "engine", engine);
    report_number(&report, "milliseconds", (uint64_t)(request->seconds * 1000));
    report_number(&report, "bytes", SLOW_RECORD_BYTES);
    report_number(&report, "appends", histogram_count(&turns->took[SLOW_APPEND]));
    for (enum slow_kind kind = 0; kind < SLOW_KINDS; kind++) {
        report_group(&report, kinds[kind]);
        report_number(&report, "p50 ns", (uint64_t)percentile(turns, kind, 50));
        report_number(&report, "p99 ns", (uint64_t)percentile(turns, kind, 99));
        report_number(&report, "p99.9 ns", (uint64_t)percentile(turns, kind, 99.9));
        report_number(&report, "p99.99 ns", (uint64_t)percentile(turns, kind, 99.99));
        report_group_end(&report);
    }
    report_list(&report, "beyond");
    for (size_t i = 0; i < PERCENTS; i++) {
        if (beyond[i].took_ns > 0) {
            report_beyond(&report, &beyond[i]);
        }
    }
    report_list_end(&report);
    report_end(&report);
}

/* --------------------------------------------------------------------------------------------------- the measuring */

static int measure(const struct slow_request *request, const struct places *places, struct slow_turns *turns,
                   char *engine, size_t engine_bytes) {
    const burst_stream_config_t stream = {.struct_bytes = sizeof stream, .file_name = places->log};
    burst_config_t config;
    burst_t *log;
    burst_config_init(&config);
    config.ring = places->ring;
    config.main = &stream;
    config.ring_bytes = request->ring == NULL ? RING_BYTES : 0;
    config.durability = BURST_DURABILITY_PROCESS; /* measured, whatever it survives */
    config.io = request->io;
    int rc = burst_open(&config, &log);
    if (rc < 0) {
        return rc;
    }
    const struct device *device = log->device;
    struct bare_write bare = {.fd = -1};
    const int has_bare = device->mapping == NULL;
    snprintf(engine, engine_bytes, "%s", device->ops->name);
    rc = has_bare ? bare_write_open(&bare, places->bare) : 0;
    rc = rc < 0 ? rc : slow_turns_take(log, has_bare ? &bare : NULL, request->seconds, turns);
    if (has_bare) {
        bare_write_close(&bare);
    }
    const int64_t left = burst_close(log); /* records that a slow log file does not have yet: nobody wants them */
    return rc < 0 || left >= 0 ? rc : (int)left;
}

int doctor_slow_appends(const struct slow_request *request) {
    struct places places;
    struct slow_beyond beyond[PERCENTS];
    char engine[32] = "";
    struct slow_turns *turns = calloc(1, sizeof *turns);
    if (turns == NULL) {
        return cli_failed(error_set(ENOMEM, "no memory for %zu bytes of histograms", sizeof *turns));
    }
    int rc = make_places(request, &places);
    rc = rc < 0 ? rc : measure(request, &places, turns, engine, sizeof engine);
    if (rc < 0) {
        rc = cli_failed(rc); /* before errno's sentence is another's */
    }
    remove_places(&places);
    if (rc == 0) {
        for (size_t i = 0; i < PERCENTS; i++) {
            slow_turns_sum(turns, percents[i], &beyond[i]);
        }
        (request->json ? print_json : print_text)(request, engine, turns, beyond);
    }
    slow_turns_free(turns);
    free(turns);
    return rc;
}
