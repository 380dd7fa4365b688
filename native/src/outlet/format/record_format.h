/* SPDX-License-Identifier: Apache-2.0 */
/* What a record becomes in the destination: bytes that depend on nothing but the record, so that a redo after a crash
 * writes the same again. */
#ifndef BURST_SINK_SINK_H
#define BURST_SINK_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "media/layout.h"

#define RECORD_LOSS_BYTES 256u /* no loss takes more */

struct record_loss {
    uint64_t first_sequence;
    uint64_t count;
    uint64_t from;
    uint64_t to;
};

struct record_format {
    const char *name;
    /* Bytes that the record will take; 0: it does not appear in the destination. */
    size_t (*record_size)(const struct record_header *header, const uint8_t *payload);
    void (*record)(const struct record_header *header, const uint8_t *payload, uint8_t *out);
    /* Writes what stands where records were lost, at most RECORD_LOSS_BYTES; returns its length. */
    size_t (*loss)(const struct record_format *format, const struct record_loss *loss, uint8_t *out);
};

/* Exactly the bytes that were appended, one record after the other; a loss is a line of its own. A roll, where the outlet has
 * no other file to go to, is the footer and the header that it brings. */
extern const struct record_format record_format_text;

#endif
