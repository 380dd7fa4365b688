/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/blank.h"
#include "cli/cli.h"
#include "device/open.h"
#include "engine.h"

static const char usage[] = "burstlog format [--size=SIZE] [--force] [--discard-records=N] RING";

#define DEFAULT_FILE_BYTES (64ull << 20)
#define DEFAULT_DEVICE_BYTES (1ull << 30)

struct request {
    const char *path;
    unsigned long long size;
    int force;
    int discard_given;
    unsigned long long discard;
};

static int format_new_file(struct device *device, void *argument) {
    return engine_format(device->platform, device, *(const uint64_t *)argument);
}

/* min(device, 1 GiB, RAM / 8): the image of the ring is held in memory. */
static uint64_t default_bytes(const struct device *device) {
    struct sysinfo host;
    uint64_t bytes = device->medium_bytes;
    if (!device->is_file) {
        bytes = bytes < DEFAULT_DEVICE_BYTES ? bytes : DEFAULT_DEVICE_BYTES;
        if (sysinfo(&host) == 0) {
            const uint64_t eighth = (uint64_t)host.totalram * host.mem_unit / 8;
            bytes = bytes < eighth ? bytes : eighth;
        }
    }
    return align_down(bytes, device->block_bytes);
}

static int check_blank(struct device *device, const struct request *request) {
    const int blank = request->force ? 1 : device_is_blank(device);
    return blank < 0   ? blank
           : blank == 1 ? 0
                        : error_set(EEXIST, "%s is not blank: it may hold a file system, a partition table or other "
                                    "data; --force overwrites it", device->path);
}

/* A ring that is there: over records that wait in it only with their exact number. */
static int check_ring(const struct device *device, const struct engine_view *view, const struct request *request) {
    const uint64_t waiting = view->recovery.records;
    if (waiting > 0 && (!request->discard_given || request->discard != waiting)) {
        return error_set(EEXIST, "ring %s holds %" PRIu64 " records that are in no log file yet: `burstlog recover` moves "
                         "them there; --discard-records=%" PRIu64 " destroys them", device->path, waiting, waiting);
    }
    if (!request->force && !request->discard_given) {
        return error_set(EEXIST, "%s holds a ring already, drained up to sequence %" PRIu64 "; --force makes a new one "
                         "in its place", device->path, view->recovery.next_sequence - 1);
    }
    return 0;
}

static int format_existing(const struct request *request) {
    struct device *device;
    int rc = device_open(&platform_linux, request->path, DEVICE_WRITER, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return rc;
    }
    struct engine_view *view;
    rc = engine_view_open(&platform_linux, device, &view);
    if (rc == 0) {
        rc = check_ring(device, view, request);
        engine_view_close(&platform_linux, view);
    } else if (rc == -ENODATA) {
        rc = check_blank(device, request);
    } else if ((rc == -EUCLEAN || rc == -EPROTO) && request->force && request->discard_given) {
        rc = 0; /* a ring that this version cannot read: how many records it holds is unknown */
    }
    if (rc == 0) {
        const uint64_t bytes = request->size != 0 ? align_down(request->size, device->block_bytes)
                                                  : default_bytes(device);
        rc = engine_format(&platform_linux, device, bytes);
        if (rc == 0) {
            printf("%s: ring of %" PRIu64 " bytes\n", device->path, bytes);
        }
    }
    device_close(device);
    return rc;
}

static int format(const struct request *request) {
    const int absent = device_is_absent(request->path);
    if (absent <= 0) {
        return absent < 0 ? absent : format_existing(request);
    }
    uint64_t bytes = align_down(request->size != 0 ? request->size : DEFAULT_FILE_BYTES, LAYOUT_MIN_BLOCK_BYTES);
    const int rc = device_create_file(&platform_linux, request->path, bytes, format_new_file, &bytes);
    if (rc == 0) {
        printf("%s: ring of %" PRIu64 " bytes\n", request->path, bytes);
    }
    return rc;
}

int command_format(int argc, char **argv) {
    static const struct option options[] = {{"size", required_argument, NULL, 's'},
                                            {"force", no_argument, NULL, 'f'},
                                            {"discard-records", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct request request = {0};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        char *end;
        switch (option) {
        case 's':
            if (cli_parse_size(optarg, &request.size) < 0 || request.size == 0) {
                return cli_misused(usage, "--size wants a number of bytes, K, M or G", optarg);
            }
            break;
        case 'f':
            request.force = 1;
            break;
        case 'd':
            request.discard = strtoull(optarg, &end, 10);
            request.discard_given = 1;
            if (end == optarg || *end != '\0') {
                return cli_misused(usage, "--discard-records wants the number of records", optarg);
            }
            break;
        case 'h':
            printf("usage: %s\n"
                   "Makes an empty ring. SIZE (64M, 1G): default 64M for a new file, the whole of an existing one,\n"
                   "min(device, 1G, RAM/8) for a device. What is there already is overwritten only with --force, and\n"
                   "records that are in no log file yet only with their exact number (with any number where the ring\n"
                   "is too damaged to count them).\n",
                   usage);
            return EXIT_OK;
        default:
            return cli_misused(usage, "see above", NULL);
        }
    }
    if (argc - optind != 1) {
        return cli_misused(usage, "name one ring", NULL);
    }
    request.path = argv[optind];
    const int rc = format(&request);
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
