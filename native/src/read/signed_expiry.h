/* SPDX-License-Identifier: Apache-2.0 */
/* Payload files whose time was over, as acts of the signed archive say. */
#ifndef BURST_READ_SIGNED_EXPIRY_H
#define BURST_READ_SIGNED_EXPIRY_H

#include "read/signed_files.h"

struct signed_expiry {
    uint8_t *bits;     /* of each payload file: whether an act says that its time was over */
    uint64_t files;    /* that have a bit */
    uint64_t searched; /* leaves that were searched for such acts */
};

/* Whether an act says it of the payload file of this leaf. The first call goes through all bundles; one without an act is
 * known by its length, and is not read. Returns 1, 0, or -errno with a sentence. */
int signed_expiry_has(struct signed_expiry *expiry, struct signed_files *files, uint64_t index);

#endif
