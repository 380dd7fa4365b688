/* SPDX-License-Identifier: Apache-2.0 */
/* The host that a check looks at: this one, or one whose /proc, /sys and /dev were recorded into a directory. */
#ifndef BURST_CLI_HOST_H
#define BURST_CLI_HOST_H

#include <sched.h>
#include <stddef.h>

#include "device/host/mounts.h"
#include "device/host/sysfs.h"

#define HOST_PATH_BYTES SYSFS_PATH_BYTES

struct host {
    const char *root; /* "": this one */
};

static inline int host_is_recorded(const struct host *host) {
    return host->root[0] != '\0';
}

/* All of a file, always terminated; a longer one is cut. Bytes read, or -errno. Paths are those of the host. */
int host_read(const struct host *host, const char *path, char *text, size_t room);

/* Its first line, without the blanks at either end. 0, or -errno. An empty file is no error: /sys has some. */
int host_line(const struct host *host, const char *path, char *line, size_t room);

/* Its first line as a number. 0 or -errno; -EINVAL if it is none. */
int host_number(const struct host *host, const char *path, long long *number);

/* The one in brackets: "never" of "always madvise [never]". 0 or -errno. */
int host_choice(const struct host *host, const char *path, char *choice, size_t room);

/* The entries of a directory whose names are numbers, ascending. How many (at most `room` are stored), or -errno. */
int host_numbered_entries(const struct host *host, const char *path, int *numbers, int room);

int host_exists(const struct host *host, const char *path);

/* Cores, as the kernel lists them: "0-3,8". cpus_parse: 0 or -EINVAL; "" is none. */
#define CPUS_TEXT_BYTES 256
int cpus_parse(const char *text, cpu_set_t *cpus);
const char *cpus_text(const cpu_set_t *cpus, char *text); /* CPUS_TEXT_BYTES; returns text */
int host_cpus(const struct host *host, const char *path, cpu_set_t *cpus);
int cpus_overlap(const cpu_set_t *one, const cpu_set_t *other);

/* A file or device of the host: the file system that it is on, and the disk under it. */
struct device_location {
    char path[HOST_PATH_BYTES]; /* absolute; "" if there is none */
    int is_device;
    int mounted; /* `mount` is filled: it is a file, and where it is mounted is known */
    struct mount mount;
    char disk[64];            /* "nvme0n1"; "" if no disk is known to be under it */
    char directory[PATH_MAX]; /* its /sys directory, as a path of the host */
};

/* 0, or -errno with a sentence if there is no such device or directory. */
int device_location_find(const struct host *host, const char *path, struct device_location *location);

/* The path of the file `name` in the disk's /sys directory, or in the next one above it that has one. 0 or -ENOENT. */
int device_location_find_above(const struct host *host, const struct device_location *location, const char *name,
                               char *path);

#endif
