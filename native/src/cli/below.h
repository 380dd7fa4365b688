/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders below which `burstlog drain` may write. A ring names its log files itself, and its owner may name any path, put a
 * link in its place, or change a folder while it is used: so the kernel keeps the list (Landlock), and not a look at names.
 */
#ifndef BURST_CLI_BELOW_H
#define BURST_CLI_BELOW_H

#include <stddef.h>

/* From here on this thread, and those that it starts, make, change, rename and delete files below these folders only; a file or
 * device in the list may be written itself. Reading is free, and open files stay. Returns 0, or -errno with a sentence: then
 * nothing, or not all of it, is forbidden, and the caller must end. */
int below_confine(const char *const *paths, size_t count);

#endif
