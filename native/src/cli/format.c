/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/blank.h"
#include "cli/cli.h"
#include "cli/drained.h"
#include "cli/signature.h"
#include "cli/streams.h"
#include "log/calibrate.h"
#include "device/host/disk.h"
#include "device/extents.h"
#include "device/lock.h"
#include "device/open.h"
#include "device/ring_name.h"
#include "log/ring_file.h"
#include "outlet/raw/view.h"
#include "view/ring_view.h"

static const char usage[] = "burstlog format [--size=SIZE] [--force] [--discard-records=N] [--window=FOLDER] RING\n"
                            "       burstlog format --destination [--force] [--discard-records=N] DEVICE";

#define DEFAULT_DEVICE_BYTES (1ull << 30)

struct format_request {
    const char *path;
    const char *what;   /* "ring" or "log device" */
    const char *window; /* NULL: not given */
    unsigned long long size;
    int destination;
    int force;
    int discard_given;
    unsigned long long discard;
};

static int format_new_file(struct device *device, void *argument) {
    return ledger_format(device->platform, device, *(const uint64_t *)argument);
}

/* min(device, 1 GiB, RAM / 8): the ring's image is held in memory. */
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

/* Refuses bytes that libblkid does not recognise: they may be somebody's data. */
static int check_blank(struct device *device) {
    const int blank = device_is_blank(device);
    return blank < 0    ? blank
           : blank == 1 ? 0
                        : error_set(EEXIST,
                                    "%s is not blank: it holds bytes of no known file system or partition table, which "
                                    "may be somebody's data; --force overwrites them",
                                    device->path);
}

/* Names users that the lock does not exclude: loop devices, processes, partitions that are not mounted. */
static int check_users(const struct device *device, const char *what, const char *holders) {
    char users[BURST_TEXT_BYTES - 150] = "";
    struct stat status;
    if (holders[0] != '\0') {
        return error_set(EBUSY,
                         "%s is open for writing in process %s: end that process; --force overwrites what it uses",
                         device->path, holders);
    }
    if (stat(device->path, &status) == 0 && S_ISBLK(status.st_mode)) {
        disk_users(status.st_rdev, 1, users, sizeof users);
    }
    return users[0] == '\0' ? 0
                            : error_set(EBUSY,
                                        "%s is in use: %s; take it out of use, or choose a partition of its own "
                                        "for the %s; --force overwrites it",
                                        device->path, users, what);
}

/* Refuses a log on the device. Returns 0 if there is none. */
static int check_log(const struct device *device) {
    struct raw_medium *medium;
    struct raw_view view;
    int rc = raw_medium_of_device(device, DEVICE_READ_ONLY, &medium);
    if (rc < 0) {
        return rc;
    }
    rc = raw_view_read(medium, device->path, &view);
    medium->ops->close(medium);
    if (rc == 0 && view.newest < 0) {
        return raw_view_refuse_unknown_length(device->path);
    }
    return rc != 0
               ? (rc == -ENODATA ? 0 : rc)
               : error_set(EEXIST,
                           "%s holds a log of %" PRIu64 " bytes: `burstlog cat %s` reads it out; --force overwrites "
                           "it",
                           device->path, raw_view_length(&view), device->path);
}

static int check_foreign(struct device *device, const char *what) {
    char found[BURST_TEXT_BYTES - 150];
    int rc = signature_find(device, found, sizeof found);
    rc = rc < 0 ? rc : check_log(device);
    if (rc < 0) {
        return rc;
    }
    return found[0] == '\0' ? check_blank(device)
                            : error_set(EEXIST,
                                        "%s holds %s, which a %s would destroy: choose another device; --force "
                                        "overwrites it",
                                        device->path, found, what);
}

/* With --force: removes all signatures, also those that a ring would not overwrite, and has the kernel forget old
 * partitions. */
static int overwrite_signatures(const struct device *device) {
    char found[BURST_TEXT_BYTES];
    int rc = signature_find(device, found, sizeof found);
    if (rc < 0 || found[0] == '\0') {
        return rc;
    }
    rc = signature_wipe(device);
    if (rc < 0) {
        return rc;
    }
    printf("%s: %s is overwritten\n", device->path, found);
    const int fd = device->is_file ? -1 : device_open_again(device, O_RDONLY);
    if (fd >= 0) {
        ioctl(fd, BLKRRPART); /* fails on a disk without partitions */
        close(fd);
    }
    return 0;
}

/* Checks an existing ring. Format destroys waiting records only if the user gave their exact number. */
static int check_ring(const struct device *device, const struct ring_view *view, const struct format_request *request) {
    struct streams streams;
    streams_count(view, view->ledger, &streams);
    const uint64_t waiting = streams.records_waiting;
    if (waiting > 0 && (!request->discard_given || request->discard != waiting)) {
        return error_set(EEXIST,
                         "ring %s holds %" PRIu64 " records that are in no log file yet: `burstlog recover` moves "
                         "them there; --discard-records=%" PRIu64 " destroys them",
                         device->path, waiting, waiting);
    }
    if (!request->force && !request->discard_given) {
        return error_set(EEXIST,
                         "%s holds a ring already, drained up to sequence %" PRIu64 "; --force makes a new %s "
                         "in its place",
                         device->path, view->recovery.next_sequence - 1, request->what);
    }
    return 0;
}

/* Measures which engine writes the new ring best, notes it on the ring, and prints it. */
static void print_chosen_engine(struct device **device) {
    device_calibrate(device, 1);
    if ((*device)->chosen_because[0] != '\0') {
        printf("%s: io=auto writes it by %s: %s\n", (*device)->path, (*device)->ops->name, (*device)->chosen_because);
    }
}

/* Returns 0 if the medium may be overwritten: no user, no ring and no other content forbids it. */
static int check_medium(struct device *device, const struct format_request *request, const char *holders) {
    int rc = request->force ? 0 : check_users(device, request->what, holders);
    if (rc < 0) {
        return rc;
    }
    struct ring_view *view;
    rc = ring_view_open(&platform_linux, device, &view);
    if (rc == 0) {
        rc = check_ring(device, view, request);
        ring_view_close(&platform_linux, view);
    } else if (rc == -ENODATA) {
        rc = request->force ? 0 : check_foreign(device, request->what);
    } else if ((rc == -EUCLEAN || rc == -EPROTO) && request->force && request->discard_given) {
        rc = 0; /* this version cannot read the ring, so the number of its records is unknown */
    } else if (rc == -EUCLEAN || rc == -EPROTO) {
        char reason[BURST_TEXT_BYTES];
        snprintf(reason, sizeof reason, "%s", error_text());
        return error_set(-rc, "%.380s; --force and --discard-records=0 together make a new %s in its place", reason,
                         request->what);
    }
    return rc;
}

static int make_ring(struct device **device, const struct format_request *request) {
    uint64_t filled_bytes = 0;
    int rc = extents_take(*device, &filled_bytes);
    if (rc < 0) {
        return rc;
    }
    const uint64_t bytes =
        request->size != 0 ? align_down(request->size, (*device)->block_bytes) : default_bytes(*device);
    rc = ledger_format(&platform_linux, *device, bytes);
    if (rc == 0) {
        printf("%s: ring of %" PRIu64 " bytes\n", (*device)->path, bytes);
        if (filled_bytes > 0) {
            printf("%s: %" PRIu64 " bytes of it had no blocks of their own, and were written\n", (*device)->path,
                   filled_bytes);
        }
        print_chosen_engine(device);
    }
    return rc;
}

static int make_log_device(const struct device *device) {
    struct raw_medium *medium;
    int rc = raw_medium_of_device(device, DEVICE_WRITER, &medium);
    if (rc < 0) {
        return rc;
    }
    rc = raw_format(&platform_linux, medium, device->path);
    if (rc == 0) {
        printf("%s: log device, for %" PRIu64 " bytes\n", device->path,
               align_down(medium->bytes, LAYOUT_MIN_BLOCK_BYTES) - RAW_DATA_OFFSET);
    }
    medium->ops->close(medium);
    return rc;
}

static int format_existing(const struct format_request *request) {
    struct device *device;
    struct ring_locks locks = {.fd = -1};
    char holders[200];
    lock_holders(request->path, holders, sizeof holders);
    int rc = device_open_as(&platform_linux, request->what, request->path, DEVICE_WRITER, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return rc;
    }
    if (request->destination && device->is_file) {
        rc = error_set(ENOTBLK, "%s is no block device: a log file needs no preparation", device->path);
    }
    rc = rc < 0 ? rc : check_medium(device, request, holders);
    rc = rc < 0 || request->destination ? rc : drained_lock(device, request->window, &locks);
    if (rc == 0 && request->force) {
        rc = overwrite_signatures(device);
    }
    if (rc == 0) {
        rc = request->destination ? make_log_device(device) : make_ring(&device, request);
    }
    device_close(device);
    locks_close(&locks);
    return rc;
}

static int format_medium(const struct format_request *request) {
    const int absent = request->destination ? 0 : device_is_absent(request->path);
    if (absent <= 0) {
        return absent < 0 ? absent : format_existing(request);
    }
    uint64_t bytes = align_down(request->size != 0 ? request->size : DEFAULT_RING_BYTES, LAYOUT_MIN_BLOCK_BYTES);
    unsigned folders_missing;
    const int rc = device_create_file_for(&platform_linux, request->path, bytes, BURST_IO_AUTO, format_new_file, &bytes,
                                          &folders_missing);
    if (rc == 0) {
        struct device *device;
        printf("%s: ring of %" PRIu64 " bytes\n", request->path, bytes);
        if (device_open(&platform_linux, request->path, DEVICE_WRITER, BURST_IO_AUTO, &device) == 0) {
            print_chosen_engine(&device);
            device_close(device);
        }
    }
    return rc;
}

int command_format(int argc, char **argv) {
    static const struct option options[] = {{"size", required_argument, NULL, 's'},
                                            {"destination", no_argument, NULL, 'D'},
                                            {"force", no_argument, NULL, 'f'},
                                            {"discard-records", required_argument, NULL, 'd'},
                                            {"window", required_argument, NULL, 'w'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct format_request request = {.what = "ring"};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        char *end;
        switch (option) {
        case 's':
            if (cli_parse_size(optarg, &request.size) < 0 || request.size == 0) {
                return cli_misused(usage, "--size wants a size such as 64M, 1G or a number of bytes", optarg);
            }
            break;
        case 'D':
            request.destination = 1;
            request.what = "log device";
            break;
        case 'f':
            request.force = 1;
            break;
        case 'd':
            request.discard = strtoull(optarg, &end, 10);
            request.discard_given = 1;
            if (end == optarg || *end != '\0') {
                return cli_misused(usage, "--discard-records wants the exact number of records to destroy", optarg);
            }
            break;
        case 'w':
            request.window = optarg;
            break;
        case 'h':
            printf(
                "usage: %s\n"
                "Makes an empty ring.\n"
                "SIZE: 64M, 1G or a number of bytes. Default: 16M for a new file, the whole of an existing file,\n"
                "min(device, 1G, RAM/8) for a device.\n"
                "--force overwrites what the medium holds (a file system, a partition table, another ring, any other\n"
                "bytes) and what its users store there. Without it such a medium is refused. What is mounted, held by\n"
                "the kernel, or written by another ring's writer is refused in any case.\n"
                "--discard-records=N destroys the N records of a ring that are in no log file yet; N must be exact.\n"
                "Of a ring that is too damaged to count them any N will do, together with --force.\n" DRAINED_HELP "\n"
                "--destination prepares a block device for a log: name it as the log file. All of it is used.\n",
                usage);
            return EXIT_OK;
        default:
            return cli_misused(usage, "wrong option, as the line above says", NULL);
        }
    }
    if (argc - optind != 1) {
        return cli_misused(usage, "name one ring or log device", NULL);
    }
    if (request.destination && request.size != 0) {
        return cli_misused(usage, "a log device is used whole: make a partition, and leave out --size", NULL);
    }
    request.path = argv[optind];
    const int rc = format_medium(&request);
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
