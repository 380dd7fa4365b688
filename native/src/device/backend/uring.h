/* SPDX-License-Identifier: Apache-2.0 */
/* The backend `uring`, for those that differ from it in little. */
#ifndef BURST_DEVICE_URING_H
#define BURST_DEVICE_URING_H

#include "device/backend/uring_queue.h"

/* A device of this kind on the medium: the file registered, one block read through the io_uring to see that it serves
 * this medium. NULL with a sentence and its errno; the medium's descriptor is then still the caller's. */
struct device *uring_make(uint32_t io, const struct device_ops *ops, unsigned int setup_flags,
                          const struct platform *platform, const struct medium *medium, const char *path);

/* As the functions of struct device_ops. */
void *uring_image(struct device *device, size_t bytes);
void uring_close(struct device *device);

#endif
