/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a ring without a valid superblock. */
#ifndef BURST_CLI_SALVAGE_H
#define BURST_CLI_SALVAGE_H

#include "device/device.h"
#include "media/record.h"

struct salvage {
    const uint8_t *area; /* the data area, as far as the medium has it */
    uint64_t bytes;
    uint32_t crc_difference;              /* the difference that all headers of this ring have: salvage.c */
    const struct record_header **records; /* whole data records, in the order of their sequences */
    size_t count, room;
};

/* Finds the records. Returns 0, even if there are none, or -errno with a sentence. The caller calls salvage_end in
 * either case. */
int salvage_find(struct device *device, struct salvage *finds);

void salvage_end(struct device *device, struct salvage *finds);

#endif
