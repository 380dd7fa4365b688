/* SPDX-License-Identifier: Apache-2.0 */
/* The medium and the kernel, in words. Measurements hold only for the medium and the kernel on which they were made. */
#ifndef BURST_DEVICE_IDENTITY_H
#define BURST_DEVICE_IDENTITY_H

#include "device/medium.h"

#define IDENTITY_BYTES 1024

/* The medium in words: its disk's name and model, its size, its file system, and how it is written. */
void identity_of_medium(const struct medium *medium, char *text, size_t text_bytes);

/* The kernel's release and machine. */
void identity_of_kernel(char *text, size_t text_bytes);

#endif
