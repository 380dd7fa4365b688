/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a path, and where it leads. */
#ifndef BURST_BASE_PATH_H
#define BURST_BASE_PATH_H

#include <stddef.h>

/* The path as seen from the root; symbolic links stay. 0, -ENOENT (empty), -ENAMETOOLONG, or the -errno of getcwd. */
int path_absolute(const char *path, char *absolute, size_t absolute_bytes);

/* path_absolute of the name that opening this path for creation means: final symbolic links are followed, also where
 * nothing is at their end yet. Also -ELOOP. */
int path_follow(const char *path, char *followed, size_t followed_bytes);

/* The directory that holds the path: "/a" for "/a/b", "/" for "/a", "." for "a". 0 or -ENAMETOOLONG. */
int path_directory(const char *path, char *directory, size_t directory_bytes);

/* What follows the last slash. */
const char *path_name(const char *path);

#endif
