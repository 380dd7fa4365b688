/* SPDX-License-Identifier: Apache-2.0 */
/* The host that the checks look at: this one, or one whose /proc, /sys and /dev were recorded into a directory. */
#ifndef BURST_CLI_HOST_H
#define BURST_CLI_HOST_H

#include <sched.h>
#include <stddef.h>

#include "device/host/mounts.h"
#include "device/host/survival.h"
#include "device/host/sysfs.h"

#define HOST_PATH_BYTES SYSFS_PATH_BYTES

struct host {
    const char *root; /* "": this host */
};

static inline int host_is_recorded(const struct host *host) {
    return host->root[0] != '\0';
}

/* Reads a whole file into `text`, terminated; a longer file is cut. `path` is a path of the host. Returns the number of
 * bytes, or -errno. */
int host_read(const struct host *host, const char *path, char *text, size_t room);

/* Reads the first line of a file, without blanks at either end. Returns 0 or -errno. An empty file is no error: /sys
 * has some. */
int host_line(const struct host *host, const char *path, char *line, size_t room);

/* Reads the first line of a file as a number. Returns 0 or -errno; -EINVAL if it is no number. */
int host_number(const struct host *host, const char *path, long long *number);

/* Reads the choice in brackets: "never" of "always madvise [never]". Returns 0 or -errno. */
int host_choice(const struct host *host, const char *path, char *choice, size_t room);

/* Finds the entries of a directory whose names are numbers, in rising order, and stores at most `room`. Returns how
 * many there are, or -errno. */
int host_numbered_entries(const struct host *host, const char *path, int *numbers, int room);

int host_exists(const struct host *host, const char *path);

/* Sets of cores in the kernel's form: "0-3,8". cpus_parse returns 0 or -EINVAL; "" is the empty set. */
#define CPUS_TEXT_BYTES 256
int cpus_parse(const char *text, cpu_set_t *cpus);
const char *cpus_text(const cpu_set_t *cpus, char *text); /* text: CPUS_TEXT_BYTES long; returned */
int host_cpus(const struct host *host, const char *path, cpu_set_t *cpus);
int cpus_overlap(const cpu_set_t *one, const cpu_set_t *other);

/* A file or device of the host, its file system, and the disk under it. */
struct device_location {
    char path[HOST_PATH_BYTES]; /* absolute path; "": there is none */
    int is_device;
    int mounted; /* the path leads to a file with a known mount, and `mount` is filled */
    struct mount mount;
    char disk[64];            /* "nvme0n1"; "": no disk under it is known. The first one of a stack */
    char stack[64];           /* "dm-0": the device that is made of disks and lies on this one; "": there is none */
    char directory[PATH_MAX]; /* the disk's /sys directory, as a path of the host */
};

/* Finds the location of a path. Returns 0, or -errno with a sentence if there is no such device or directory. */
int device_location_find(const struct host *host, const char *path, struct device_location *location);

/* Judges the disk as an open does, and finds what it says of its cache itself. Returns 0, or -ENOENT if its number cannot be
 * read. */
int device_location_judge(const struct host *host, const struct device_location *location, struct survival *survival,
                          enum cache_said *said);

/* The path of the file `name` in the disk's /sys directory, or in the next directory above that has one. Returns 0 or
 * -ENOENT. */
int device_location_find_above(const struct host *host, const struct device_location *location, const char *name,
                               char *path);

#endif
