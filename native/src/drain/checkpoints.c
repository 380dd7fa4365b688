/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/error.h"
#include "burstlog.h"
#include "drain/drain.h"
#include "media/checkpoint_v1.h"

/* While nothing has been committed in this epoch its marker can still give way to the next one's (place_marker in
 * recovery.c): then no watermark may be written that lies beyond the end of the log that it names. */
static void watermark(const struct drain *drain, uint64_t *position, uint64_t *next_sequence) {
    ring_durable(drain->ring, position, next_sequence);
    if (*position == drain->ring->begin_position && drain->checkpoint->stream.drained_position < *position) {
        *position = drain->source.recovery->log_end;
        *next_sequence = drain->source.recovery->next_sequence;
    }
}

static uint64_t in_flight_end(const struct drain *drain) {
    const struct ring *ring = drain->ring;
    /* Nothing of this epoch but its marker: nothing was under way. */
    if (ring_has_failed(ring) && ring_claimed(ring) > ring->begin_position) {
        return align_up(ring_claimed(ring), ring->geometry.block_bytes);
    }
    /* That of an earlier epoch holds until its range is drained: the marker of the next epoch, too, must lie behind it. */
    const uint64_t before = drain->checkpoint->in_flight_end;
    return before > drain->checkpoint->stream.drained_position ? before : 0;
}

static int write_older_slot(struct drain *drain) {
    struct checkpoint *checkpoint = drain->checkpoint;
    burst_stage_stats_t figures[BURST_STAGES];
    checkpoint->generation++;
    checkpoint->epoch = drain->ring->epoch;
    checkpoint->place.epoch = checkpoint->mark.epoch = checkpoint->epoch;
    watermark(drain, &checkpoint->durable_position, &checkpoint->next_sequence);
    checkpoint->in_flight_end = in_flight_end(drain);
    checkpoint->written_ns = platform_realtime_ns(drain->platform);
    stages_summarize(drain->ring->stages, (struct histogram_figures *)figures);
    checkpoint_put_stages(checkpoint, figures);
    checkpoint_seal(checkpoint, drain->crc_seed);
    const unsigned slot = 1 - drain->newest_slot;
    const int rc =
        drain->device->ops->write(drain->device, LAYOUT_CHECKPOINT_OFFSET(slot), checkpoint, drain->checkpoint_bytes);
    if (rc < 0) {
        ring_fail(drain->ring, "a checkpoint (how much the log file has) could not be written to ring %s: %s",
                  drain->device->path, device_failure(rc));
        atomic_fetch_add(&drain->failed_checkpoints, 1);
        event_count_notify(&drain->drained, drain->platform);
        return rc;
    }
    atomic_store(&drain->failed_checkpoints, 0);
    drain->newest_slot = slot;
    drain->slot_drained[slot] = checkpoint->stream.drained_position;
    const uint64_t other = drain->slot_drained[1 - slot];
    const uint64_t mine = checkpoint->stream.drained_position;
    ring_release(drain->ring, other < mine ? other : mine);
    return 0;
}

int checkpoint_write(struct drain *drain) {
    struct checkpoint_stream *stream = &drain->checkpoint->stream;
    const struct checkpoint_stream before = *stream;
    stream->drained_position = drain->cursor.position;
    stream->next_sequence = drain->cursor.sequence;
    stream->epoch = drain->cursor.epoch;
    stream->file_bytes = drain->destination.length;
    stream->tail_bytes = drain->destination.tail_bytes;
    stream->tail_crc = destination_tail_crc(&drain->destination);
    const int rc = write_older_slot(drain);
    if (rc == 0) {
        drain->synced = drain->cursor;
        stages_drained(drain->ring->stages, stream->drained_position);
        if (atomic_exchange(&drain->drained_sequence, stream->next_sequence - 1) != stream->next_sequence - 1) {
            /* Not for a change of file alone: whoever awaits the records would ask at once for the next attempt. */
            event_count_notify(&drain->drained, drain->platform);
        }
    } else {
        *stream = before; /* what is known to be durable in the file is still as it was */
    }
    return rc;
}

int checkpoint_write_watermark(struct drain *drain) {
    return write_older_slot(drain);
}
