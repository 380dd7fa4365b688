/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/error.h"
#include "drain/drain.h"

/* While nothing has been committed in this epoch its marker can still give way to the next one's (place_marker in
 * recovery.c): then no watermark may be written that lies beyond the end of the log that it names. */
static void watermark(const struct drain *drain, uint64_t *position, uint64_t *next_sequence) {
    ring_durable(drain->ring, position, next_sequence);
    if (*position == drain->ring->begin_position && drain->stream.drained_position < *position) {
        *position = drain->source.recovery->log_end;
        *next_sequence = drain->source.recovery->next_sequence;
    }
}

static uint64_t in_flight_end(const struct drain *drain) {
    const struct ring *ring = drain->ring;
    /* Nothing of this epoch but its marker: nothing was under way. What was in an earlier one, the ledger keeps. */
    return ring_has_failed(ring) && ring_claimed(ring) > ring->begin_position
               ? align_up(ring_claimed(ring), ring->geometry.block_bytes)
               : 0;
}

static int note_failed_write(struct drain *drain, int rc) {
    atomic_fetch_add(&drain->failed_checkpoints, 1);
    event_count_notify(&drain->drained, drain->platform);
    return rc;
}

int checkpoint_write(struct drain *drain) {
    struct stream_state *stream = &drain->stream;
    const struct stream_state before = *stream;
    const struct stream_state *const states[] = {stream};
    stream->drained_position = drain->cursor.walk.position;
    stream->next_sequence = drain->cursor.walk.sequence;
    stream->epoch = drain->cursor.walk.epoch;
    stream->outlet.length = drain->destination.length;
    stream->outlet.tail_bytes = drain->destination.tail_bytes;
    stream->outlet.tail_crc = destination_tail_crc(&drain->destination);
    const int rc = ledger_checkpoint(drain->ledger, drain->ring->epoch, states, 1);
    if (rc < 0) {
        *stream = before; /* what is known to be durable in the file is still as it was */
        ring_fail(drain->ring, "a checkpoint (how much the log file has) could not be written to ring %s: %s",
                  drain->device->path, device_failure(rc));
        return note_failed_write(drain, rc);
    }
    atomic_store(&drain->failed_checkpoints, 0);
    ring_release(drain->ring, ledger_released(drain->ledger));
    drain->synced = drain->cursor;
    stages_drained(drain->ring->stages, stream->drained_position);
    if (atomic_exchange(&drain->drained_sequence, stream->next_sequence - 1) != stream->next_sequence - 1) {
        /* Not for a change of file alone: whoever awaits the records would ask at once for the next attempt. */
        event_count_notify(&drain->drained, drain->platform);
    }
    return 0;
}

int drain_note_writer(struct drain *drain) {
    struct ledger_note note = {.epoch = drain->ring->epoch, .in_flight_end = in_flight_end(drain)};
    watermark(drain, &note.durable_position, &note.next_sequence);
    const int rc = ledger_note_writer(drain->ledger, &note);
    if (rc < 0) {
        ring_fail(drain->ring, "a note (how far its records are durable) could not be written to ring %s: %s",
                  drain->device->path, device_failure(rc));
        return note_failed_write(drain, rc);
    }
    return 0;
}
