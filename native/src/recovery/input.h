/* SPDX-License-Identifier: Apache-2.0 */
/* What recovery is given. */
#ifndef BURST_RECOVERY_INPUT_H
#define BURST_RECOVERY_INPUT_H

#include "media/walk.h"

/* What the fixed head of the medium says. */
struct recovery_head {
    struct walk start;         /* behind what is drained by all */
    uint64_t durable_position; /* everything before it was durable */
    uint64_t durable_sequence; /* of the first record at or after it */
    uint64_t in_flight_end;    /* 0, or writes under way may have reached so far when a ring failed */
    uint32_t epoch_highest;
    uint32_t closed_epoch;    /* the newest note closed the log of this epoch; 0: it closed none */
    uint64_t closed_sequence; /* of the first record that this log did not write */
    int headers_are_newer;    /* the image was read while others wrote it: what its headers say of a watermark beyond
                              durable_position was made durable after places of it were read, and proves nothing of them */
};

struct recovery_input {
    const uint8_t *image;
    struct walk_shape shape;
    uint32_t crc_seed;
    struct recovery_head head;
    const uint8_t
        *unreadable; /* a bit for each block of the image: it could not be read, in whole or in part. NULL: all
                                  could be */
};

#endif
