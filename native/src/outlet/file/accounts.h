/* SPDX-License-Identifier: Apache-2.0 */
/* Owner and group of new log files, by name or number. */
#ifndef BURST_SINK_ACCOUNTS_H
#define BURST_SINK_ACCOUNTS_H

#include "outlet/file/fs.h"

/* Of the name of a user or a group, with its end: what Linux allows. */
#define ACCOUNT_NAME_BYTES 256

/* 0 if owner and group, where given, exist on this host; -EINVAL with a sentence that names the one that does not. */
int accounts_check(const struct new_file *new_file);

/* Gives the open file to them. 0 or -errno; no sentence. */
int accounts_apply(int file, const struct new_file *new_file);

#endif
