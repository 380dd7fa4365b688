/* SPDX-License-Identifier: Apache-2.0 */
/* Files and the folders above them that are made, and taken back if it comes to nothing. */
#ifndef BURST_BASE_FOLDERS_H
#define BURST_BASE_FOLDERS_H

/* How many folders above the file of an absolute path are missing. */
unsigned folders_missing(const char *path);

/* Makes them, with mode 0777 less the umask. *missing: how many there were. 0, or -errno with none made. */
int folders_make(const char *path, unsigned *missing);

/* Makes the names of so many folders above the file durable. 0 or -errno. */
int folders_sync(const char *path, unsigned missing);

/* So many folders above the file were missing and are missing again, but for those that are not empty. */
void folders_take_back(const char *path, unsigned missing);

/* Takes the name away if it leads, not by a link, to the open file: others may have put something else there, or another
 * folder above it. 0, -ESTALE or -errno. */
int folders_unlink(const char *path, int fd);

/* Makes the names in a folder durable. Some file systems cannot sync a folder; their names need none. 0 or -errno. */
int folder_sync(const char *folder);

#endif
