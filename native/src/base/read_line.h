/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a file in /sys or /proc. */
#ifndef BURST_BASE_READ_LINE_H
#define BURST_BASE_READ_LINE_H

#include <stddef.h>

/* Reads the first line of the file, without its newline. Returns 0 or -errno; -ENODATA if there is no line. Sets no
 * sentence. */
int read_line(const char *path, char *line, size_t line_bytes);

#endif
