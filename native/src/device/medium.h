/* SPDX-License-Identifier: Apache-2.0 */
/* A ring medium as an open description for durable, unbuffered I/O. A backend works on it. */
#ifndef BURST_DEVICE_MEDIUM_H
#define BURST_DEVICE_MEDIUM_H

#include "device/device.h"
#include "device/probe.h"

struct medium {
    int fd;
    int is_file;
    int direct;      /* O_DIRECT works */
    int write_flags; /* RWF_DSYNC; 0 if a completed write is durable without it */
    int flush_after; /* write plainly and then fdatasync: for a device with FUA, RWF_DSYNC would also flush it */
    uint64_t bytes;
    uint32_t block_bytes;
    uint32_t logical_block_bytes;
    /* Alignment of mappings of a DAX character device, which can only be mapped; otherwise 0. */
    uint32_t dax_align_bytes;
    struct medium_facts facts;
    char fallback[DEVICE_FALLBACK_BYTES]; /* see device.fallback */
};

/*
 * Opens the file or block device with these open flags, and finds out how a write to it becomes durable here: without
 * O_DIRECT if that is refused, with O_DSYNC if the kernel has no RWF_DSYNC. Returns 0 or -errno; sets no sentence.
 */
int medium_open(const struct platform *platform, const char *path, int open_flags, struct medium *medium);

/*
 * Makes a medium of a file that is already open for reading and writing, on another descriptor of that open
 * description, which gets O_DIRECT. If the kernel has no RWF_DSYNC, writes are durable only after a sync.
 */
int medium_of_file(const struct platform *platform, int fd, struct medium *medium);

/* Fills the fields that every backend's device has. */
void device_describe(struct device *device, uint32_t io, const struct device_ops *ops, const struct platform *platform,
                     const struct medium *medium, const char *path);

/* A way of writing a ring. */
struct device_backend {
    uint32_t io; /* enum device_io */
    const char *name;
    /* 1 if io = auto may take it for this medium, 0 if it works only by name or not at all. */
    int (*suits)(const struct medium *medium);
    /* Makes a device, which takes over medium->fd. Returns NULL with a sentence and its errno after an error. */
    struct device *(*attach)(const struct platform *platform, const struct medium *medium, const char *path);
};

/* All backends; NULL ends them. auto takes the first one if all are equally fast. */
extern const struct device_backend *const device_backends[];

/* The name of an engine, "uring"; "unknown" if this library does not have it. */
const char *device_io_name(uint32_t io);

/* The backend for an engine; NULL if this library does not have it. */
const struct device_backend *device_backend_of(uint32_t io);

extern const struct device_backend backend_pwrite;
extern const struct device_backend backend_uring;
extern const struct device_backend backend_nvme;
extern const struct device_backend backend_mapped;
extern const struct device_backend backend_flush;

/* The only enum device_io that can write this medium: a DAX character device must be mapped, and so must a ring whose
 * commits end at lines. DEVICE_IO_AUTO if there is no such restriction. */
uint32_t medium_required_io(const struct platform *platform, const struct medium *medium);

#endif
