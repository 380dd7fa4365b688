/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the bytes that follow a place in the log. The same place always gives the same bytes. */
#include <errno.h>
#include <string.h>

#include "base/cpu.h"
#include "drain/stream.h"

enum { NO_ROOM = -1, NOWHERE = -2, A_ROLL = -3 };
enum { FETCH_AHEAD_BYTES = 1024, FETCHED_BYTES = 384 };

/* Puts the item's bytes into the batch. Returns their number; or a code if there is no room, if the stream has no
 * outlet, or if the item is a roll. Then the item stays where it is. */
static int64_t put(const struct drain *drain, const struct drain_stream *stream, const struct log_item *item,
                   size_t used) {
    const struct record_format *format = stream->outlet == NULL ? NULL : stream->outlet->format;
    const size_t room = drain->batch_room - used;
    if (item->kind == LOG_LOSS) {
        const struct walk_gap *gap = &item->gap;
        const struct record_loss loss = {
            .first_sequence = gap->first_sequence, .count = gap->count, .from = gap->from, .to = gap->to};
        return format == NULL             ? 0
               : room < RECORD_LOSS_BYTES ? NO_ROOM
                                          : (int64_t)format->loss(format, &loss, drain->batch + used);
    }
    if (!stream_takes(stream, &item->header)) {
        return 0;
    }
    if (format == NULL) {
        return NOWHERE;
    }
    if (stream_rolls_at(stream, item)) {
        return A_ROLL;
    }
    const size_t size = format->record_size(&item->header, item->payload);
    if (size > room) {
        return NO_ROOM;
    }
    if (size > 0) {
        format->record(&item->header, item->payload, drain->batch + used);
    }
    return (int64_t)size;
}

int64_t batch_make(struct drain *drain, const struct drain_stream *stream, struct log_cursor *cursor, uint64_t until,
                   uint64_t *records) {
    const struct log_source *source = drain->parts.source;
    const uint64_t from = cursor->walk.position;
    struct log_cursor next = *cursor;
    struct log_item item;
    size_t used = 0;
    int why = 0;
    for (;;) {
        const int rc = log_source_next(source, &next, until, &item);
        if (rc <= 0) {
            why = rc;
            *cursor = rc == 0 ? next : *cursor;
            break;
        }
        if (item.kind == LOG_RECORD) {
            /* No cache has the records of a backlog, and the processor prefetches no further than a page by itself. */
            cpu_fetch(item.payload + item.header.length + FETCH_AHEAD_BYTES, FETCHED_BYTES, 0);
        }
        const int64_t size = put(drain, stream, &item, used);
        if (size < 0) {
            why = size == NO_ROOM ? -EMSGSIZE : size == A_ROLL ? BATCH_IS_AT_ROLL : -EDESTADDRREQ;
            break;
        }
        /* Lost pages hold zeros. If the record is still valid after the copy, the copy has the written bytes. */
        if (item.kind == LOG_RECORD && !log_source_is_still_there(source, item.header.position)) {
            why = -EIO;
            break;
        }
        used += (size_t)size;
        *records += item.kind == LOG_RECORD && stream_takes(stream, &item.header);
        *cursor = next;
        if (used >= DRAIN_BATCH_BYTES) { /* the room is larger, for the longest record */
            break;
        }
    }
    return cursor->walk.position == from && why < 0 ? why : (int64_t)used;
}

int batch_roll(struct drain *drain, struct log_cursor *cursor, struct outlet_roll_record *record) {
    const struct log_source *source = drain->parts.source;
    struct log_item item;
    if (log_source_next(source, cursor, drain->durable, &item) != 1 || item.header.length > drain->batch_room) {
        return -EIO;
    }
    memcpy(drain->batch, item.payload, item.header.length);
    if (!log_source_is_still_there(source, item.header.position)) {
        return -EIO;
    }
    *record = (struct outlet_roll_record){.sequence = item.header.sequence,
                                          .time_ns = item.header.event_time_ns,
                                          .is_recovered = item.header.position < drain->parts.epoch_begin};
    roll_decode(drain->batch, item.header.length, &record->roll);
    return 0;
}

static void feed_begin(const struct outlet_noted *noted) {
    struct feed *feed = noted->argument;
    feed->cursor = feed->stream->noted_at;
}

static int feed_next(const struct outlet_noted *noted, const uint8_t **data, size_t *bytes,
                     struct outlet_roll_record *roll) {
    struct feed *feed = noted->argument;
    const uint64_t until = feed->drain->durable;
    uint64_t records = 0;
    if (feed->cursor.walk.position >= until) {
        return 0;
    }
    const int64_t used = batch_make(feed->drain, feed->stream, &feed->cursor, until, &records);
    if (used == BATCH_IS_AT_ROLL) {
        const int rc = batch_roll(feed->drain, &feed->cursor, roll);
        return rc < 0 ? rc : 2;
    }
    if (used < 0) {
        return -EIO;
    }
    *data = feed->drain->batch;
    *bytes = (size_t)used;
    return 1;
}

void feed_make(struct feed *feed, struct drain *drain, const struct drain_stream *stream) {
    uint64_t durable, next_sequence;
    drain->parts.source->ops->durable(drain->parts.source, &durable, &next_sequence);
    *feed = (struct feed){.noted = {.state = &stream->noted.outlet,
                                    .sequence = stream->noted.next_sequence,
                                    .last_sequence = next_sequence - 1,
                                    .begin = feed_begin,
                                    .next = feed_next,
                                    .item = feed_item,
                                    .argument = feed},
                          .drain = drain,
                          .stream = stream};
}
