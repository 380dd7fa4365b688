/* SPDX-License-Identifier: Apache-2.0 */
/* A ring medium as an open description for durable, unbuffered I/O: what a backend is given to work on. */
#ifndef BURST_DEVICE_MEDIUM_H
#define BURST_DEVICE_MEDIUM_H

#include "device/device.h"
#include "device/probe.h"

struct medium {
    int fd;
    int is_file;
    int direct;      /* O_DIRECT holds */
    int write_flags; /* RWF_DSYNC; 0 where a completed write is durable without it */
    uint64_t bytes;
    uint32_t block_bytes;
    uint32_t logical_block_bytes;
    uint32_t dax_align_bytes; /* of a DAX character device, which can only be mapped: of its mappings. Else 0 */
    struct medium_facts facts;
    char fallback[DEVICE_FALLBACK_BYTES]; /* as device.fallback */
};

/*
 * Opens the file or block device with these open flags, and finds out how a write to it becomes durable here: without
 * O_DIRECT where that is refused, with O_DSYNC where the kernel has no RWF_DSYNC. 0 or -errno; no sentence.
 */
int medium_open(const struct platform *platform, const char *path, int open_flags, struct medium *medium);

/* Fills what every backend's device has in common. */
void device_describe(struct device *device, uint32_t io, const struct device_ops *ops, const struct platform *platform,
                     const struct medium *medium, const char *path);

/* A way of writing a ring. */
struct device_backend {
    uint32_t io; /* enum burst_io */
    const char *name;
    /* The device takes over medium->fd. NULL with a sentence. */
    struct device *(*attach)(const struct platform *platform, const struct medium *medium, const char *path);
    int (*suits)(const struct medium *medium); /* 1 if auto may take it, 0 if it works only by name or not at all */
};

extern const struct device_backend backend_pwrite;
extern const struct device_backend backend_mapped;

/* The one enum burst_io that can write what is on the medium: a DAX character device, or a ring whose commits end at lines,
 * must be mapped. BURST_IO_AUTO if there is no such restriction. */
uint32_t medium_required_io(const struct platform *platform, const struct medium *medium);

#endif
