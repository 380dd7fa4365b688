/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `burstlog doctor --drive-report`: describes a drive, and how long its durable writes of one block take, as one line
 * of a table, with what public tables have and what a plug-pull test found; and what a ring writes to it in a day. In a
 * folder it writes to a file without a name, which is gone when the command ends. A device must be blank.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/drive.h"
#include "cli/verify/engines.h"
#include "device/open.h"

#define DRIVE_BYTES (16u << 20)
#define DRIVE_BLOCK_BYTES 4096u /* of a drive that is not measured */
#define DRIVE_WRITES 20000u
#define DRIVE_LONGEST_NS 30000000000ll
#define DEFAULT_MODEL "unknown"
#define WHAT_TO_NAME "name a folder on the drive, or its block device"

#define DAY_SECONDS 86400.0
#define COMMITS_A_SECOND 1000.0 /* of the figure for endurance */
#define SECTOR_BYTES 512.0      /* of /sys/block/DISK/size */

struct drive_facts {
    char model[240], firmware[64], cache[96], protection[64], pulled[96], on[96], when[96];
};

struct drive_measured {
    uint32_t block_bytes;
    struct drive_figures durable; /* as a ring writes: a block of the drive */
    struct drive_figures ways[DRIVE_WAYS];
};

/* ------------------------------------------------------------------------------------------------ the drive */

static void trim(char *text) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
    for (; *text != '\0'; text++) {
        *text = *text == '|' ? '/' : *text; /* "|" would end the cell of the table */
    }
}

/* Reads the file `name` of the disk, or of the next device above it that has one: an NVMe controller, a SCSI target. */
static int read_above(const struct host *host, const struct device_location *location, const char *name, char *text,
                      size_t room) {
    char path[HOST_PATH_BYTES];
    const int rc = device_location_find_above(host, location, name, path);
    return rc < 0 ? rc : host_line(host, path, text, room);
}

/* The kind of a disk without a model: its name tells. */
static const char *kind_of(const char *disk) {
    return strncmp(disk, "zram", 4) == 0   ? "zram, compressed memory"
           : strncmp(disk, "loop", 4) == 0 ? "loop device"
           : strncmp(disk, "vd", 2) == 0   ? "virtio disk"
           : strncmp(disk, "pmem", 4) == 0 ? "persistent memory"
                                           : DEFAULT_MODEL;
}

static void read_model(const struct host *host, const struct device_location *location, struct drive_facts *facts) {
    char model[96], firmware[64];
    if (location->disk[0] == '\0') {
        snprintf(facts->model, sizeof facts->model, "no disk: %s",
                 location->mounted ? location->mount.type : "unknown");
        snprintf(facts->firmware, sizeof facts->firmware, "-");
        return;
    }
    if (read_above(host, location, "model", model, sizeof model) < 0) {
        snprintf(model, sizeof model, "%s", kind_of(location->disk));
    }
    if (read_above(host, location, "firmware_rev", firmware, sizeof firmware) < 0 &&
        read_above(host, location, "rev", firmware, sizeof firmware) < 0) {
        snprintf(firmware, sizeof firmware, "-");
    }
    trim(model);
    trim(firmware);
    snprintf(facts->model, sizeof facts->model, "%s (%s%s%s)", model, location->disk,
             location->stack[0] != '\0' ? " under " : "", location->stack);
    snprintf(facts->firmware, sizeof facts->firmware, "%s", firmware);
}

/* No drive says that it is protected. A drive with a volatile cache looks the same with and without a battery. */
static void read_protection(const struct host *host, const struct device_location *location, int is_write_through,
                            struct drive_facts *facts) {
    struct survival survival;
    enum cache_said said;
    if (device_location_judge(host, location, &survival, &said) < 0 ||
        (survival.survives == DURABILITY_POWER && !is_write_through)) {
        snprintf(facts->protection, sizeof facts->protection, "unknown");
    } else if (survival.survives == DURABILITY_POWER) {
        snprintf(facts->protection, sizeof facts->protection, "it says: no volatile cache");
    } else if (is_write_through && said == CACHE_WRITE_BACK) {
        snprintf(facts->protection, sizeof facts->protection, "no: flushes are off");
    } else {
        snprintf(facts->protection, sizeof facts->protection, "no: survives %s only", survival_name(survival.survives));
    }
}

static void read_cache(const struct host *host, const struct device_location *location, struct drive_facts *facts) {
    char path[HOST_PATH_BYTES], cache[64];
    long long fua = 0;
    snprintf(path, sizeof path, "%s/queue/write_cache", location->directory);
    if (location->disk[0] == '\0' || host_line(host, path, cache, sizeof cache) < 0) {
        snprintf(facts->cache, sizeof facts->cache, "unknown");
        snprintf(facts->protection, sizeof facts->protection, "unknown");
        return;
    }
    snprintf(path, sizeof path, "%s/queue/fua", location->directory);
    const int has_fua = host_number(host, path, &fua) == 0 && fua != 0;
    snprintf(facts->cache, sizeof facts->cache, "%s%s", cache, has_fua ? ", FUA" : "");
    read_protection(host, location, strcmp(cache, "write through") == 0, facts);
}

static void read_facts(const struct host *host, const struct device_location *location, struct drive_facts *facts) {
    struct utsname kernel = {.release = "-"};
    const time_t now = time(NULL);
    char month[16];
    struct tm calendar;
    read_model(host, location, facts);
    read_cache(host, location, facts);
    snprintf(facts->on, sizeof facts->on, "%s",
             location->is_device ? "the device"
             : location->mounted ? location->mount.type
                                 : "unknown");
    if (host_is_recorded(host)) {
        snprintf(facts->when, sizeof facts->when, "recorded");
        return;
    }
    uname(&kernel);
    strftime(month, sizeof month, "%Y-%m", gmtime_r(&now, &calendar));
    snprintf(facts->when, sizeof facts->when, "Linux %.*s, %s", (int)strcspn(kernel.release, "-"), kernel.release,
             month);
}

/* ------------------------------------------------------------------------------------------------ its writes */

/* Does not time the first lap: on a file system the first write of a block allocates it. */
static int write_and_time(const struct verify_engine *engine, uint64_t writes, struct drive_figures *figures) {
    const uint32_t block_bytes = engine->device->block_bytes;
    const uint64_t room = engine->device->medium_bytes < DRIVE_BYTES ? engine->device->medium_bytes : DRIVE_BYTES;
    const uint64_t blocks = writes < room / block_bytes ? writes : room / block_bytes;
    const int64_t begin_ns = platform_monotonic_ns(&platform_linux);
    int rc = blocks > 0 ? 0 : error_set(EINVAL, "%s is smaller than a block", engine->device->path);
    for (uint64_t i = 0; rc == 0 && i < blocks; i++) {
        rc = engine->device->ops->write(engine->device, i * block_bytes, engine->block, block_bytes);
    }
    for (uint64_t i = 0; rc == 0 && i < writes; i++) {
        const int64_t before_ns = platform_monotonic_ns(&platform_linux);
        rc = verify_engine_write(engine, i % blocks * block_bytes);
        const int64_t after_ns = platform_monotonic_ns(&platform_linux);
        figures->took_ns[figures->writes++] = after_ns - before_ns;
        if (after_ns - begin_ns > DRIVE_LONGEST_NS) {
            break;
        }
    }
    drive_figures_sort(figures);
    return rc;
}

static int measure_durable(struct device *device, uint64_t writes, struct drive_figures *figures) {
    struct verify_engines engines;
    int rc = verify_engines_open(device, BURST_IO_PWRITE, &engines);
    if (rc < 0) {
        return rc;
    }
    rc = drive_figures_allocate(figures, writes);
    uint8_t *block = engines.engines[0].block;
    for (uint32_t i = 0; rc == 0 && i < device->block_bytes; i += (uint32_t)sizeof(uint64_t)) {
        /* Not zeros: some drives take a short cut for them. */
        const uint64_t random = platform_linux.ops->random(&platform_linux);
        memcpy(block + i, &random, sizeof random);
    }
    rc = rc < 0 ? rc : write_and_time(&engines.engines[0], writes, figures);
    verify_engines_close(device, &engines);
    return rc;
}

/* Leaves out the ways of public tables if their blocks are smaller than the drive's. */
static int measure(struct device *device, uint64_t writes, struct drive_measured *measured) {
    char opened[64];
    const uint64_t bytes = device->medium_bytes < DRIVE_BYTES ? device->medium_bytes : DRIVE_BYTES;
    measured->block_bytes = device->block_bytes;
    /* By its number: a file has no name any more. */
    snprintf(opened, sizeof opened, "/proc/self/fd/%d", device->file.fd);
    const int rc = measure_durable(device, writes, &measured->durable);
    return rc < 0 || device->block_bytes > DRIVE_WAY_BYTES
               ? rc
               : drive_measure_ways(opened, device->path, bytes, writes, measured->ways);
}

static int leave_empty(struct device *device, void *argument) {
    (void)device, (void)argument;
    return 0;
}

static int measure_path(const struct verify_request *request, struct drive_measured *measured) {
    char path[HOST_PATH_BYTES + 64];
    struct stat found;
    struct device *device;
    if (stat(request->drive, &found) < 0) {
        return error_set(errno, "%s cannot be found: %s; " WHAT_TO_NAME, request->drive, error_name(errno));
    }
    const int is_folder = S_ISDIR(found.st_mode);
    if (!is_folder && !S_ISBLK(found.st_mode)) {
        return error_set(EINVAL, "%s is neither a folder nor a block device: " WHAT_TO_NAME, request->drive);
    }
    int rc = 0;
    snprintf(path, sizeof path, "%s", request->drive);
    if (is_folder) {
        snprintf(path, sizeof path, "%s/burstlog-drive-report-%d", request->drive, (int)getpid());
        rc = device_create_file(&platform_linux, path, DRIVE_BYTES, leave_empty, NULL);
    }
    if (rc < 0) {
        return rc;
    }
    rc = device_open_as(&platform_linux, is_folder ? "file" : "drive", path, DEVICE_WRITER, BURST_IO_PWRITE, &device);
    if (is_folder) {
        unlink(path);
    }
    if (rc < 0) {
        return rc;
    }
    rc = is_folder ? 0 : verify_check_free(device, request->force);
    rc = rc < 0 ? rc : measure(device, request->blocks > 0 ? request->blocks : DRIVE_WRITES, measured);
    device_close(device);
    return rc;
}

/* ------------------------------------------------------------------------------------------------ the line */

/* Prints "-" for a percentile that so few writes do not have. */
static void print_percentile(const struct drive_figures *figures, double percent) {
    const double beyond = (double)figures->writes * (100 - percent) / 100;
    if (beyond < 1) {
        printf("-");
        return;
    }
    const size_t rank = (size_t)((double)figures->writes * percent / 100);
    const double us = (double)figures->took_ns[rank] / 1e3;
    printf("%.*f", us < 10 ? 2 : us < 100 ? 1 : 0, us);
}

/* Writes a second, and the 99.9% of them: "5120 (910)". */
static void print_way(const struct drive_figures *figures) {
    int64_t sum_ns = 0;
    for (uint64_t i = 0; i < figures->writes; i++) {
        sum_ns += figures->took_ns[i];
    }
    if (sum_ns == 0) {
        printf(" - |");
        return;
    }
    printf(" %.0f (", (double)figures->writes / ((double)sum_ns / 1e9));
    print_percentile(figures, 99.9);
    printf(") |");
}

static void print_line(const struct drive_facts *facts, const struct drive_measured *measured) {
    static const double percents[] = {50, 90, 99, 99.9, 99.99};
    printf("| %s | %s | %s | %s | %s | %s |", facts->model, facts->firmware, facts->cache, facts->protection,
           facts->pulled, facts->on);
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        printf(" ");
        print_percentile(&measured->durable, percents[i]);
        printf(" |");
    }
    printf(" %" PRIu64 " |", measured->durable.writes);
    for (int way = 0; way < DRIVE_WAYS; way++) {
        print_way(&measured->ways[way]);
    }
    printf(" %s |\n", facts->when);
}

/* Tells how much a ring writes in a day, and how often that is the whole of the drive. A drive that is memory does not wear. */
static void print_wear(const struct host *host, const struct device_location *location, uint32_t block_bytes) {
    char path[HOST_PATH_BYTES];
    long long sectors = 0;
    const double day_bytes = COMMITS_A_SECOND * DAY_SECONDS * block_bytes;
    snprintf(path, sizeof path, "%s/size", location->directory);
    if (location->disk[0] == '\0' || strncmp(location->disk, "zram", 4) == 0 || host_number(host, path, &sectors) < 0 ||
        sectors <= 0) {
        return;
    }
    const double drive_bytes = (double)sectors * SECTOR_BYTES;
    printf(
        "\nA ring writes a block of %u bytes for each commit: 1,000 commits a second are %.0f GB a day, which is\n"
        "%.2f drive writes a day of its %.*f GB, besides what the drain writes. Its data sheet says how many it bears\n"
        "(DWPD, TBW). A commit that many records share is one: docs/nvme.md, \"What a ring does to flash\".\n",
        block_bytes, day_bytes / 1e9, day_bytes / drive_bytes, drive_bytes < 10e9 ? 2 : 0, drive_bytes / 1e9);
}

/* A test on another drive says nothing of this one. */
static int read_plug_pull(const struct host *host, const struct verify_request *request,
                          const struct device_location *drive, struct drive_facts *facts) {
    static struct device_location tested;
    snprintf(facts->pulled, sizeof facts->pulled, "not pulled");
    if (request->path == NULL) {
        return 0;
    }
    const int rc = device_location_find(host, request->path, &tested);
    if (rc == 0 && strcmp(tested.disk, drive->disk) != 0) {
        return error_set(EINVAL, "the test at %s was on %s, and this is a report of %s: name one on the same drive",
                         request->path, tested.disk[0] != '\0' ? tested.disk : "no disk that is known",
                         drive->disk[0] != '\0' ? drive->disk : "no disk that is known");
    }
    return rc < 0 ? rc : verify_result(request, facts->pulled, sizeof facts->pulled);
}

int doctor_drive_report(const struct host *host, const struct verify_request *request) {
    static struct device_location location;
    struct drive_facts facts;
    struct drive_measured measured = {.block_bytes = DRIVE_BLOCK_BYTES};
    int rc = device_location_find(host, request->drive, &location);
    rc = rc < 0 ? rc : read_plug_pull(host, request, &location, &facts);
    rc = rc < 0 || host_is_recorded(host) ? rc : measure_path(request, &measured);
    if (rc == 0) {
        read_facts(host, &location, &facts);
        print_line(&facts, &measured);
        print_wear(host, &location, measured.block_bytes);
    }
    free(measured.durable.took_ns);
    for (int way = 0; way < DRIVE_WAYS; way++) {
        free(measured.ways[way].took_ns);
    }
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
