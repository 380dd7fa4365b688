/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's lock on a ring file, and who has it. */
#ifndef BURST_DEVICE_LOCK_H
#define BURST_DEVICE_LOCK_H

#include <stddef.h>

/* Takes an OFD lock. It belongs to the open description that does the I/O and not to the process, so neither another
 * close() in the process nor a fork() loses it. Returns 0, -EBUSY or another -errno. */
int lock_file(int fd);

/* Returns 1 if any process, even this one, has such a lock on the open file, and so writes it or means to; 0 if not; or
 * -errno. */
int lock_is_held(int fd);

/* Like medium_holders, for a path. Opens no device whose open has an effect. */
void lock_holders(const char *path, char *text, size_t text_bytes);

#endif
