/* SPDX-License-Identifier: Apache-2.0 */
/* Where a log file is, or would be. */
#ifndef BURST_OUTLET_MOUNT_IDENTITY_H
#define BURST_OUTLET_MOUNT_IDENTITY_H

#include <sys/statfs.h>

#include "outlet/file/fs.h"

/* files_ops.mount of the real file system. */
int host_mount_identity(const struct files *files, const char *path, struct mount_identity *mount);

/* The number of a file system that makes it of its uuid; 0 for one that counts it anew at each mount. */
uint64_t lasting_number(const struct statfs *status);

#endif
