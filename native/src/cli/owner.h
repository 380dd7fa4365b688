/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Root works on a user's ring with that user's rights: which log file it goes to, and what is written there, is what
 * the ring says, and its owner may have put anything into it, or a link in the place of the file.
 */
#ifndef BURST_CLI_OWNER_H
#define BURST_CLI_OWNER_H

#include "device/device.h"

#define OWNER_NAME_BYTES 96

struct owner {
    char name[OWNER_NAME_BYTES]; /* "nobody (65534)"; "" where nothing was changed */
};

/* If the effective user is root and the ring a regular file of another user: takes that user's rights, for good. 0, or
 * -errno with a sentence: then nothing may be done with the ring. */
int owner_become(const struct device *device, struct owner *owner);

#endif
