/* SPDX-License-Identifier: Apache-2.0 */
/* The file system and folder of a log file, existing or not. */
#ifndef BURST_OUTLET_MOUNT_IDENTITY_H
#define BURST_OUTLET_MOUNT_IDENTITY_H

#include <sys/statfs.h>

#include "outlet/file/fs.h"

/* files_ops.mount for the real file system. */
int host_mount_identity(const struct files *files, const char *path, struct mount_identity *mount);

/* A number of the file system that is made from its uuid; 0 if it gets a new number at each mount. */
uint64_t lasting_number(const struct statfs *status);

#endif
