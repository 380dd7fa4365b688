/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the folders above a file, and removes them again if the file is not made. */
#ifndef BURST_BASE_FOLDERS_H
#define BURST_BASE_FOLDERS_H

/* The number of missing folders above the file of an absolute path. */
unsigned folders_missing(const char *path);

/* Makes the missing folders, with mode 0777 less the umask, and sets *missing to their number. Returns 0, or -errno
 * with none made. */
int folders_make(const char *path, unsigned *missing);

/* Makes the names of the lowest `missing` folders above the file durable. Returns 0 or -errno. */
int folders_sync(const char *path, unsigned missing);

/* Removes the lowest `missing` folders above the file, which folders_make has made. Folders that are not empty stay. */
void folders_take_back(const char *path, unsigned missing);

/* Removes the name if it is the open file's own and no link to it. Returns 0, -ESTALE if others have put another file
 * or folder there, or another -errno. */
int folders_unlink(const char *path, int fd);

/* Makes the names in a folder durable. Returns 0 or -errno. Some file systems cannot sync a folder and need not: then
 * it returns 0. */
int folder_sync(const char *folder);

#endif
