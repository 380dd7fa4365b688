/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of files. */
#ifndef BURST_OUTLET_FILE_MARK_POSIX_H
#define BURST_OUTLET_FILE_MARK_POSIX_H

#include "outlet/file/fs.h"

/* files_ops.mark and files_ops.mark_of_path for the real file system. */
int host_mark(const struct files *files, int file, struct file_mark *mark);
int host_mark_of_path(const struct files *files, const char *path, struct file_mark *mark);

#endif
