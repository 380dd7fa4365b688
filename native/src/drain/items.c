/* SPDX-License-Identifier: Apache-2.0 */
/* The records that the outlet got since the checkpoint, one by one. */
#include <errno.h>

#include "drain/stream.h"
#include "media/durable_stamp.h"

static void take_loss(const struct drain_stream *stream, const struct walk_gap *gap, struct outlet_item *item) {
    const struct record_format *format = stream->outlet->format;
    uint8_t text[RECORD_LOSS_BYTES];
    const struct record_loss loss = {
        .first_sequence = gap->first_sequence, .count = gap->count, .from = gap->from, .to = gap->to};
    *item = (struct outlet_item){
        .sequence = gap->first_sequence, .count = gap->count, .bytes = format->loss(format, &loss, text)};
}

int feed_item(const struct outlet_noted *noted, struct outlet_item *item) {
    struct feed *feed = noted->argument;
    const struct drain_stream *stream = feed->stream;
    const struct log_source *source = feed->drain->parts.source;
    struct log_item *here = &feed->item;
    for (int rc; (rc = log_source_next(source, &feed->cursor, stream->written.walk.position, here)) != 0;) {
        if (rc < 0) {
            return rc;
        }
        if (here->kind == LOG_LOSS) {
            take_loss(stream, &here->gap, item);
            return 1;
        }
        struct durable_stamp stamp;
        *item = (struct outlet_item){.header = NULL};
        if (stream_takes(stream, &here->header)) {
            item->header = &here->header;
            item->payload = here->payload;
            item->bytes =
                stream_rolls_at(stream, here) ? 0 : stream->outlet->format->record_size(&here->header, here->payload);
        }
        if ((here->header.flags & RECORD_LAST) != 0 &&
            durable_stamp_read(source->image, &source->shape, source->crc_seed, &here->header, &stamp)) {
            item->durable_ns = stamp.durable_ns;
            item->durable_sequence = stamp.next_sequence;
        }
        if (!log_source_is_still_there(source, here->header.position)) {
            return -EIO;
        }
        if (item->header != NULL || item->durable_ns != 0) {
            return 1;
        }
    }
    return 0;
}
