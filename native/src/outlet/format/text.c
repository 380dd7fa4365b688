/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "media/roll.h"
#include "outlet/format/record_format.h"

static size_t text_record_size(const struct record_header *header, const uint8_t *payload) {
    struct roll roll;
    if (!record_is_roll(header)) {
        return header->type == RECORD_DATA ? header->length : 0;
    }
    roll_decode(payload, header->length, &roll);
    return (size_t)roll.footer_bytes + roll.header_bytes;
}

static void text_record(const struct record_header *header, const uint8_t *payload, uint8_t *out) {
    struct roll roll;
    if (!record_is_roll(header)) {
        memcpy(out, payload, header->length);
    } else if (roll_decode(payload, header->length, &roll)) {
        /* The header follows the footer in the payload. */
        memcpy(out, roll.footer, (size_t)roll.footer_bytes + roll.header_bytes);
    }
}

static size_t text_loss(const struct record_format *format, const struct record_loss *loss, uint8_t *out) {
    (void)format;
    if (loss->count == 0) {
        return 0;
    }
    const int used =
        snprintf((char *)out, RECORD_LOSS_BYTES,
                 "[burstlog: records %" PRIu64 "..%" PRIu64 " (%" PRIu64 ") are lost: the ring is damaged "
                 "at positions %" PRIu64 "..%" PRIu64 "]\n",
                 loss->first_sequence, loss->first_sequence + loss->count - 1, loss->count, loss->from, loss->to);
    return (size_t)used;
}

const struct record_format record_format_text = {
    .name = "text",
    .record_size = text_record_size,
    .record = text_record,
    .loss = text_loss,
};
