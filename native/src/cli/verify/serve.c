/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-pull test, before the cut: writes numbered blocks as a ring would, and reports the last acknowledged
 * number. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/blank.h"
#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/streams.h"
#include "cli/verify/engines.h"
#include "cli/verify/report.h"
#include "device/open.h"
#include "view/ring_view.h"

#define DEFAULT_BYTES (64ull << 20)
#define LEAST_BLOCKS 16u
#define PRINT_EVERY_NS 100000000ll

static volatile sig_atomic_t stopped;

static void stop_writing(int number) {
    (void)number;
    stopped = 1;
}

/* Refuses a ring that holds, or may hold, records that no log file has. */
static int check_no_ring(struct device *device, int force) {
    struct ring_view *view;
    const int rc = ring_view_open(&platform_linux, device, &view);
    if (rc == -ENODATA) {
        return 0;
    }
    if (rc < 0) {
        return error_set(EEXIST,
                         "%s holds a ring, or the remains of one, that cannot be read: the test does not overwrite it; "
                         "`burstlog format` can",
                         device->path);
    }
    struct streams streams;
    streams_count(view, view->ledger, &streams);
    const uint64_t waiting = streams.records_waiting;
    ring_view_close(&platform_linux, view);
    if (waiting > 0) {
        return error_set(EEXIST,
                         "%s holds a ring with %" PRIu64 " records that are in no log file yet: `burstlog recover` "
                         "moves them there",
                         device->path, waiting);
    }
    return force ? 0 : error_set(EEXIST, "%s holds a ring: --force overwrites it", device->path);
}

/* Returns 1 with *header if the first block is one of this test, 0 if not, or -errno. */
static int read_first(struct device *device, struct verify_block *header) {
    uint8_t *block = platform_allocate(&platform_linux, device->block_bytes, PLATFORM_PLAIN);
    if (block == NULL) {
        return error_set(ENOMEM, "no memory for a block of %u bytes", device->block_bytes);
    }
    int rc = device->ops->read(device, 0, block, device->block_bytes);
    rc = rc < 0 ? rc : verify_judge_block(block, device->block_bytes, header) == VERIFY_WHOLE;
    platform_release(&platform_linux, block, device->block_bytes);
    return rc;
}

int verify_check_free(struct device *device, int force) {
    struct verify_block header;
    int rc = check_no_ring(device, force);
    if (rc < 0 || force) {
        return rc;
    }
    rc = read_first(device, &header);
    if (rc < 0) {
        return rc;
    }
    if (rc == 1) {
        return error_set(EEXIST, "%s holds the blocks of an earlier test: --check it first; --force begins a new one",
                         device->path);
    }
    const int blank = device_is_blank(device);
    return blank < 0    ? blank
           : blank == 1 ? 0
                        : error_set(EEXIST,
                                    "%s is not blank: it may hold a file system, a partition table or other data; "
                                    "--force overwrites it",
                                    device->path);
}

static int write_block(const struct verify_engines *engines, struct verify_block *header, uint64_t number) {
    const struct verify_engine *engine = &engines->engines[number == 0 ? 0 : verify_turn_of(header, number)];
    header->number = number;
    header->time_ns = platform_realtime_ns(&platform_linux);
    verify_fill(engine->block, header);
    return verify_engine_write(engine, verify_block_offset(number, header->slots, header->block_bytes));
}

static int write_blocks(const struct verify_engines *engines, const struct verify_request *request,
                        struct reporter *reporter, struct verify_block *header, uint64_t *acknowledged) {
    int64_t printed_ns = 0;
    int rc = 0;
    while (rc == 0 && !stopped && (request->blocks == 0 || *acknowledged < request->blocks)) {
        rc = write_block(engines, header, *acknowledged + 1);
        if (rc < 0) {
            break;
        }
        rc = reporter_tell(reporter, ++*acknowledged);
        const int64_t now_ns = platform_monotonic_ns(&platform_linux);
        if (now_ns - printed_ns >= PRINT_EVERY_NS) {
            printf("acknowledged %" PRIu64 "\n", *acknowledged);
            fflush(stdout);
            printed_ns = now_ns;
        }
    }
    return rc;
}

static void print_engines(const struct verify_block *header, const struct verify_engines *engines, const char *path) {
    char names[256] = "";
    for (uint32_t i = 0; i < engines->count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", engines->engines[i].device->ops->name);
        if (engines->count > 1) {
            snprintf(names + strlen(names), sizeof names - strlen(names), " (%u blocks)", header->turns[i].blocks);
        }
    }
    printf("%s is written with %s%s\n", path, names,
           engines->count > 1 ? ", in turns: a power cut tests the one that is writing" : "");
    if (engines->left_out[0] != '\0') {
        printf("not tested: %s\n", engines->left_out);
    }
}

static int write_test(struct device *device, const struct verify_engines *engines,
                      const struct verify_request *request) {
    static const char *const survives[] = {"power", "os-crash", "process"};
    const uint64_t size = request->size > 0 ? request->size : DEFAULT_BYTES;
    const uint64_t blocks = (size < device->medium_bytes ? size : device->medium_bytes) / device->block_bytes;
    if (blocks < LEAST_BLOCKS) {
        return error_set(EINVAL, "%s: %" PRIu64 " blocks of %u bytes are too few for the test: at least %u",
                         device->path, blocks, device->block_bytes, LEAST_BLOCKS);
    }
    struct verify_block header = {.magic = VERIFY_MAGIC,
                                  .test_id = platform_linux.ops->random(&platform_linux),
                                  .slots = blocks - 1,
                                  .block_bytes = device->block_bytes};
    struct reporter reporter;
    int rc = verify_check_free(device, request->force);
    rc = rc < 0 ? rc : reporter_connect(&reporter, request->report, device->path);
    if (rc == 0 && (rc = verify_engines_plan_turns(engines, &header)) < 0) {
        reporter_close(&reporter, 0);
    }
    if (rc < 0) {
        return rc;
    }
    printf("writing %s, %" PRIu64
           " blocks of %u bytes, again and again; by what the kernel shows it survives: %s (%s)\n",
           device->path, header.slots, header.block_bytes, survives[device->survives], device->survives_because);
    print_engines(&header, engines, device->path);
    fflush(stdout);
    uint64_t acknowledged = 0;
    /* Block 0 must be flushed: the check judges all engines by it, even if the writes of its own engine do not last. */
    rc = write_block(engines, &header, 0);
    rc = rc < 0 ? rc : device->ops->flush(device);
    rc = rc < 0 ? rc : write_blocks(engines, request, &reporter, &header, &acknowledged);
    reporter_close(&reporter, acknowledged);
    printf("last acknowledged: %" PRIu64 "; burstlog doctor --verify-device %s --check %" PRIu64 "\n", acknowledged,
           device->path, acknowledged);
    return rc;
}

static int leave_empty(struct device *device, void *argument) {
    (void)device, (void)argument;
    return 0;
}

int verify_serve(const struct verify_request *request) {
    struct device *device;
    const int absent = device_is_absent(request->path);
    int rc = absent;
    if (absent == 1) {
        rc = device_create_file(&platform_linux, request->path, request->size > 0 ? request->size : DEFAULT_BYTES,
                                leave_empty, NULL);
    }
    struct verify_request checked = *request;
    /* A file made just now is blank; a file that others have put there is not. */
    checked.force = request->force && absent == 0;
    rc = rc < 0 ? rc : device_open(&platform_linux, request->path, DEVICE_WRITER, request->io, &device);
    if (rc < 0) {
        return cli_failed(rc);
    }
    const struct sigaction on_stop = {.sa_handler = stop_writing};
    sigaction(SIGINT, &on_stop, NULL);
    sigaction(SIGTERM, &on_stop, NULL);
    struct verify_engines engines;
    rc = verify_engines_open(device, request->io, &engines);
    if (rc == 0) {
        rc = write_test(device, &engines, &checked);
        verify_engines_close(device, &engines);
    }
    device_close(device);
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
