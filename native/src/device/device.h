/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring medium: a block device or a file, written durably and read. It knows no format. A backend is one table of these
 * functions, in a file of its own.
 *
 * Any thread may call `write` and `read`. Only the leader of a commit calls `submit` and `complete`; several writes may be under
 * way, and complete in any order.
 */
#ifndef BURST_DEVICE_DEVICE_H
#define BURST_DEVICE_DEVICE_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/platform.h"

struct device;

/* The ways of writing a medium. */
enum device_io {
    DEVICE_IO_AUTO, /* the fastest way, as measured */
    DEVICE_IO_PWRITE,
    DEVICE_IO_URING,
    DEVICE_IO_NVME,
    DEVICE_IO_MAPPED,
    DEVICE_IO_FLUSH,
};

/* The worst event that a medium survives. */
enum durability {
    DURABILITY_POWER,    /* loss of power */
    DURABILITY_OS_CRASH, /* a crash of the kernel */
    DURABILITY_PROCESS,  /* the death of the process only */
};

/* One write under way. The caller owns it until `complete` returns it. */
struct device_write {
    uint64_t offset;  /* offset on the medium, a multiple of the block, or of line_bytes */
    const void *data; /* aligned like the offset; part of the image if write_depth is above 1 or the medium is mapped */
    size_t bytes;     /* a multiple of the block, or of line_bytes */
    /* Filled by complete: 0 if durable, or -errno (device_failure() has the words). A short write is -EIO; on a block
     * device -ENODEV, since the device has vanished or shrunk. */
    int result;
    struct device_write *next; /* for the backend */
};

struct device_ops {
    const char *name; /* "pwrite" */

    /* Makes the memory of the ring's image, from which submit writes, and lets go of the one that was made before. NULL
     * with a sentence. The image of a mapped medium is its data area itself, with its content. */
    void *(*image)(struct device *device, size_t bytes);

    /* Starts a write, or even does it. The result is in write->result when complete returns it. */
    void (*submit)(struct device *device, struct device_write *write);
    /* Waits for a submitted write and returns it; NULL if none is under way. */
    struct device_write *(*complete)(struct device *device);

    /* Writes the bytes durably. Returns 0, or -errno with a sentence; a short write is an error. Neither this nor
     * `read` copies data that lies in the mapping at this very offset. */
    int (*write)(struct device *device, uint64_t offset, const void *data, size_t bytes);
    /* Reads all of the range. Returns 0, or -errno with a sentence. Offset, bytes and data are multiples of the block.
     * If another process writes meanwhile, a later call sees nothing older. */
    int (*read)(struct device *device, uint64_t offset, void *data, size_t bytes);
    /* Makes everything durable that any process wrote before. */
    int (*flush)(struct device *device);

    /* Asks whether the medium still is the opened one, and could be opened again. Returns 0, or -errno with a sentence
     * if later writes would be lost with this process. A NULL function means that nobody can tell. */
    int (*check)(struct device *device);

    /* Lets go of the image, the lock and the medium. */
    void (*close)(struct device *device);
};

/* The file or block device that a medium is. */
struct device_file {
    int fd;
    uint64_t number; /* number of a block device; 0 for a regular file, for which the fields below are filled */
    uint64_t device;
    uint64_t inode; /* 0: unknown */
    uint32_t owner;
    uint32_t group;
};

/* A part of a file in memory. */
struct device_shared {
    int fd;
    uint64_t offset; /* a multiple of the page size */
};

#define DEVICE_FALLBACK_BYTES 448
#define DEVICE_EVIDENCE_BYTES 224
#define DEVICE_BECAUSE_BYTES 256

struct device {
    const struct device_ops *ops;
    const struct platform *platform;
    uint32_t io; /* enum device_io: the backend */
    uint64_t medium_bytes;
    uint32_t block_bytes; /* max(logical, physical, 4096) */
    uint32_t logical_block_bytes;
    uint32_t line_bytes; /* unit at which a submitted write may also begin and end; 0: only at blocks */
    /* Byte 0 of a mapped medium, which is its own image; NULL: the image is a copy. */
    const uint8_t *mapping;
    _Atomic uint32_t lost_pages; /* pages of the mapping whose bytes are lost; they read as zeros */
    int is_file;                 /* a regular file */
    struct device_file file;     /* zeros: no regular file, or unknown */
    int write_depth;             /* more submitted writes under way than this gain nothing */
    int image_small_pages;       /* set before the image is made: use no huge pages */
    int image_node;              /* set before the image is made: the NUMA node to hold it; -1: any */
    /* Set before the image is made: the shared memory that holds it; NULL: private memory does. */
    const struct device_shared *image_shared;
    int image_in_use; /* close leaves the image mapped: a producer of a failed ring may still be in it */
    int survives;     /* enum durability */
    char survives_because[DEVICE_EVIDENCE_BYTES]; /* the evidence for that, for sentences */
    /* Why the best way of writing or locking is not used, to be told once; or "". */
    char fallback[DEVICE_FALLBACK_BYTES];
    char chosen_because[DEVICE_BECAUSE_BYTES]; /* why this backend writes the medium; or "" */
    char path[4096];                           /* absolute */
};

/* The meaning of a write's result, for sentences. Valid until this thread's next call of error_name. */
static inline const char *device_failure(int result) {
    return result == -ENODEV ? "ENODEV: the device has vanished or shrunk" : error_name(result);
}

/* The number of lost pages. A page is counted before its bytes go: bytes read before an unchanged number can be
 * believed. */
static inline uint32_t device_lost_pages(const struct device *device) {
    return atomic_load_explicit(&device->lost_pages, memory_order_acquire);
}

/* Whether the data is the medium itself, at this offset. */
static inline int device_is_in_place(const struct device *device, uint64_t offset, const void *data) {
    return device->mapping != NULL && data == device->mapping + offset;
}

#endif
