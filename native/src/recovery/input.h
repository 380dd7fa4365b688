/* SPDX-License-Identifier: Apache-2.0 */
/* The input of recovery. */
#ifndef BURST_RECOVERY_INPUT_H
#define BURST_RECOVERY_INPUT_H

#include "media/walk.h"

/* The content of the medium's fixed head. */
struct recovery_head {
    struct walk start;         /* the end of the part that all streams have drained */
    uint64_t durable_position; /* everything before it was durable */
    uint64_t durable_sequence; /* sequence of the first record at or behind durable_position */
    uint64_t in_flight_end;    /* writes under way when a ring failed may reach up to here; 0: none are noted */
    uint32_t epoch_highest;
    uint32_t closed_epoch;    /* the newest note closed the log of this epoch; 0: it closed none */
    uint64_t closed_sequence; /* the first sequence that this closed log did not write */
    /* The image was read while others wrote it. So a header's watermark beyond durable_position proves nothing: records
     * below it may have become durable after their places were read. */
    int headers_are_newer;
};

struct recovery_input {
    const uint8_t *image;
    struct walk_shape shape;
    uint32_t crc_seed;
    struct recovery_head head;
    const uint8_t *unreadable; /* a bit for each block of the image that could not be read as a whole; NULL: none */
};

#endif
