/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a path, and following its links. */
#ifndef BURST_BASE_PATH_H
#define BURST_BASE_PATH_H

#include <stddef.h>

/* The path as seen from the root; symbolic links stay. Returns 0, -ENOENT (empty), -ENAMETOOLONG, or the -errno of
 * getcwd. */
int path_absolute(const char *path, char *absolute, size_t absolute_bytes);

/* The absolute path that open(path, O_CREAT) would create: follows final symbolic links, even if nothing is at their
 * end yet. Returns what path_absolute does, and -ELOOP. */
int path_follow(const char *path, char *followed, size_t followed_bytes);

/* The folder of the path: "/a" for "/a/b", "/" for "/a", "." for "a". Returns 0 or -ENAMETOOLONG. */
int path_directory(const char *path, char *directory, size_t directory_bytes);

/* The part behind the last slash. */
const char *path_name(const char *path);

#endif
