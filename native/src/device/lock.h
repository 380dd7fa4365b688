/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's lock on a ring file, and who has it. */
#ifndef BURST_DEVICE_LOCK_H
#define BURST_DEVICE_LOCK_H

#include <stddef.h>

/* An OFD lock: it lives with the open description that does the I/O, not with the process, so that neither another
 * close() in the process nor a fork() loses it. 0, -EBUSY, or -errno. */
int lock_file(int fd);

/* 1 if anybody, even this process, has such a lock on the open file, and so writes it or means to. 0, or -errno. */
int lock_is_held(int fd);

/* As medium_holders, by path. It opens no device that would act when opened. */
void lock_holders(const char *path, char *text, size_t text_bytes);

#endif
