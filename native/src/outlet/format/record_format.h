/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a record in its destination. They depend on the record alone, so that a redo after a crash writes the
 * same bytes again. */
#ifndef BURST_OUTLET_FORMAT_RECORD_FORMAT_H
#define BURST_OUTLET_FORMAT_RECORD_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "media/layout.h"

#define RECORD_LOSS_BYTES 256u /* the longest loss */

struct record_loss {
    uint64_t first_sequence;
    uint64_t count;
    uint64_t from;
    uint64_t to;
};

struct record_format {
    const char *name;
    /* The number of bytes that the record takes; 0: it does not appear in the destination. */
    size_t (*record_size)(const struct record_header *header, const uint8_t *payload);
    void (*record)(const struct record_header *header, const uint8_t *payload, uint8_t *out);
    /* Writes the bytes that stand in place of lost records, at most RECORD_LOSS_BYTES. Returns their number. */
    size_t (*loss)(const struct record_format *format, const struct record_loss *loss, uint8_t *out);
};

/* Writes exactly the bytes that were appended, one record after the other. A loss becomes a line of its own. If the
 * outlet does not roll, a roll becomes the footer and the header that it has. */
extern const struct record_format record_format_text;

#endif
