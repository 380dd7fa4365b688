/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of all backends that write through a descriptor: the image in memory, the write that waits until it
 * is durable, the read, the check of the medium, and their sentences.
 */
#ifndef BURST_DEVICE_DIRECT_H
#define BURST_DEVICE_DIRECT_H

#include "device/medium.h"

struct direct {
    struct device device; /* must be the first member */
    struct medium medium; /* the device owns its descriptor */
    void *image;
    size_t image_bytes;
    struct device_write *oldest; /* writes that are done and not yet handed back */
    struct device_write *newest;
};

/* *direct is zeroed. Takes over medium->fd. */
void direct_begin(struct direct *direct, uint32_t io, const struct device_ops *ops, const struct platform *platform,
                  const struct medium *medium, const char *path);

/* Closes the descriptor, which releases the lock, and releases the image. `direct` itself stays. */
void direct_end(struct direct *direct);

/* Writes the bytes and waits until they are durable. Returns 0, or -errno without a sentence. Any thread may call
 * it. */
int direct_write_durably(struct direct *direct, uint64_t offset, const void *data, size_t bytes);

/* Translates the errno of a failed write into device_write.result. */
int direct_meaning(const struct direct *direct, int failure);

/* The result of a write that came back short. */
int direct_short(const struct direct *direct);

/* Whether a failed call is worth repeating: EINTR and EAGAIN say that nothing happened. */
int direct_worth_repeating(const struct direct *direct, int failure, int *attempts);

/* Keeps a submitted write that is done until direct_complete hands it back. */
void direct_done(struct direct *direct, struct device_write *write, int result);
struct device_write *direct_complete(struct direct *direct);

/* Makes a device that needs no more than struct direct; direct_close ends it. Returns NULL with a sentence and its
 * errno after an error. */
struct device *direct_make(uint32_t io, const struct device_ops *ops, const struct platform *platform,
                           const struct medium *medium, const char *path);

/* Implementations for struct device_ops. */
void direct_submit(struct device *device, struct device_write *write); /* writes at once */
struct device_write *direct_complete_next(struct device *device);
void direct_close(struct device *device);
void *direct_image(struct device *device, size_t bytes);
int direct_write(struct device *device, uint64_t offset, const void *data, size_t bytes);
int direct_read(struct device *device, uint64_t offset, void *data, size_t bytes);
int direct_flush(struct device *device);
int direct_check(struct device *device);

static inline struct direct *direct_of(struct device *device) {
    return (struct direct *)device;
}

#endif
