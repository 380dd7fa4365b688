/* SPDX-License-Identifier: Apache-2.0 */
/* Making the folders above a file, and removing them again if the file is not made. */
#ifndef BURST_BASE_FOLDERS_H
#define BURST_BASE_FOLDERS_H

/* How many folders above the file of an absolute path are missing. */
unsigned folders_missing(const char *path);

/* Makes them, with mode 0777 less the umask. *missing: how many there were. 0, or -errno with none made. */
int folders_make(const char *path, unsigned *missing);

/* Makes the names of so many folders above the file durable. 0 or -errno. */
int folders_sync(const char *path, unsigned missing);

/* Removes so many folders above the file, which folders_make has made, but for those that are not empty. */
void folders_take_back(const char *path, unsigned missing);

/* Removes the name if it is that of the open file itself and not a link to it. -ESTALE: others have put another file or
 * folder there. 0 or -errno. */
int folders_unlink(const char *path, int fd);

/* Makes the names in a folder durable. Some file systems cannot sync a folder; their names need none. 0 or -errno. */
int folder_sync(const char *folder);

#endif
