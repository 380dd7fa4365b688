/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Root recovers another user's ring with that user's rights. The ring says which log file its records go to, and its
 * owner may have forged the ring, or put a link in place of the log file.
 */
#ifndef BURST_CLI_OWNER_H
#define BURST_CLI_OWNER_H

#include "device/device.h"

#define OWNER_NAME_BYTES 96

struct owner {
    char name[OWNER_NAME_BYTES]; /* "nobody (65534)"; "": the rights are unchanged */
};

/* Takes the rights of the ring file's owner, for good, if this process is root and the owner is not. Returns 0, or
 * -errno with a sentence: then the caller must leave the ring alone. */
int owner_become(const struct device *device, struct owner *owner);

#endif
