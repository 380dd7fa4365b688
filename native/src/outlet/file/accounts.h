/* SPDX-License-Identifier: Apache-2.0 */
/* Owner and group of new log files, by name or number. */
#ifndef BURST_OUTLET_FILE_ACCOUNTS_H
#define BURST_OUTLET_FILE_ACCOUNTS_H

#include "outlet/file/fs.h"

/* longest name of a user or group on Linux, with the terminator */
#define ACCOUNT_NAME_BYTES 256

/* Returns 0 if the given owner and group exist on this host, else -EINVAL with a sentence that names the missing
 * one. */
int accounts_check(const struct new_file *new_file);

/* Finds the numbers of owner and group, ROLL_NOBODY_ID for one that is not given. Returns 0, or -errno with a
 * sentence. */
int accounts_find(const struct new_file *new_file, uint32_t *owner, uint32_t *group);

/* Gives the open file to the owner and group. Returns 0 or -errno; sets no sentence. */
int accounts_apply(int file, const struct new_file *new_file);

/* Copies the names, cut if they are too long. Returns what is given, with the copies. */
struct new_file accounts_keep(const struct new_file *given, char owner[ACCOUNT_NAME_BYTES],
                              char group[ACCOUNT_NAME_BYTES]);

#endif
