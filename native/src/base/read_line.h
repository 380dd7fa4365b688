/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says in one line of /sys or /proc. */
#ifndef BURST_BASE_READ_LINE_H
#define BURST_BASE_READ_LINE_H

#include <stddef.h>

/* The first line of the file, without its newline. 0 or -errno; -ENODATA if there is none. No sentence. */
int read_line(const char *path, char *line, size_t line_bytes);

#endif
