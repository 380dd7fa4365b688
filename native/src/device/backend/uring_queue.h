/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a ring's writes through an io_uring, which the backends `uring` and `nvme` share.
 *
 * A write is one command of the kernel, or several if a command carries less. submit queues the commands. It gives those of a
 * long write to the kernel at once, and complete gives the others, so a short commit costs one system call. If the kernel
 * does not take a command, or gives it back with EAGAIN, the calling thread writes the same bytes to the same place with
 * pwrite, as durably.
 *
 * Only the leader of a commit calls submit and complete, and it takes back all that it submitted before it lets go. So the
 * io_uring needs no lock, and nothing is under way when the thread that submitted ends. The leader is another thread every
 * time, which forbids IORING_SETUP_SINGLE_ISSUER, and IORING_SETUP_DEFER_TASKRUN, which needs that.
 */
#ifndef BURST_DEVICE_URING_QUEUE_H
#define BURST_DEVICE_URING_QUEUE_H

#include <liburing.h>

#include "device/backend/direct.h"

#define URING_DEPTH 8u /* writes under way */

struct uring_write {
    struct device_write *write; /* NULL: the slot is free */
    unsigned int commands;      /* commands that have not ended */
    int result;                 /* 0, or the -errno of a command that ended */
};

struct uring {
    struct direct direct; /* first */
    struct io_uring ring;
    int is_set_up;
    int file_is_registered;
    unsigned int buffers; /* registered buffers, which cover the image */
    size_t command_bytes; /* most bytes that one command writes */
    int is_lost;          /* the kernel answers no more, and nothing is submitted any more */
    struct uring_write writes[URING_DEPTH];

    /* Fills a command that writes these bytes durably. */
    void (*prepare)(struct uring *uring, struct io_uring_sqe *sqe, uint64_t offset, const void *data, size_t bytes);
    /* Translates the result of a completed command of `bytes` to 0 or -errno. */
    int (*meaning)(const struct uring *uring, int result, size_t bytes);
};

/* Sets up the io_uring of a described device. Returns 0, or -errno with a sentence that names a way out. */
int uring_queue_open(struct uring *uring, unsigned int setup_flags);

void uring_queue_close(struct uring *uring);

/* Runs the only queued command, before any write. Returns its result, or -errno if the kernel did not run it. */
int uring_run_alone(struct uring *uring);

/* Refuses an attach: sets errno and the sentence "io=NAME cannot be used: WHY; FIX, or choose io=pwrite (ring PATH)".
 * Returns -errno. */
int uring_refuse(const struct device *device, int failure, const char *why, const char *fix);

/* Implementations for struct device_ops. */
void uring_submit(struct device *device, struct device_write *write);
struct device_write *uring_complete(struct device *device);

static inline struct uring *uring_of(struct device *device) {
    return (struct uring *)device;
}

#endif
