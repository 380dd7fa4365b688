/* SPDX-License-Identifier: Apache-2.0 */
#include "log/keeper.h"

#include <errno.h>

#include "base/alarm.h"
#include "base/error.h"
#include "burstlog.h"
#include "device/ring_name.h"
#include "ring/full.h"
#include "ring/progress.h"

int keeper_begin(struct keeper *keeper, const struct keeper_parts *parts, const struct checkpoints *checkpoints) {
    keeper->parts = *parts;
    return slot_watch_begin(&keeper->slots, checkpoints, parts->reads_slots);
}

void keeper_end(struct keeper *keeper) {
    slot_watch_end(&keeper->slots);
}

/* --------------------------------------------------------------------------------------------------- notes */

/* Until this epoch's first commit, its marker may give way to the next one's (recovery/marker_rules.h). So no note may
 * then have a watermark beyond the end of the log that the marker names. */
static void watermark(const struct keeper *keeper, struct ledger_note *note) {
    const struct recovery *recovery = keeper->parts.recovery;
    const struct ring *ring = keeper->parts.ring;
    ring_durable_since(ring, &note->durable_position, &note->next_sequence, &note->durable_ns);
    if (note->durable_position == ring->begin_position &&
        slot_watch_released(&keeper->slots) < note->durable_position) {
        note->durable_position = recovery->log_end;
        note->next_sequence = recovery->next_sequence;
    }
}

static uint64_t in_flight_end(const struct ring *ring) {
    /* Without a record in this epoch no write is under way. The ledger keeps the end of earlier epochs' writes. */
    return ring_has_failed(ring) && ring_claimed(ring) > ring->begin_position
               ? align_up(ring_claimed(ring), ring->geometry.block_bytes)
               : 0;
}

/* A thread that waits for the log file has to look again: it may wait in vain. */
static void wake_waiting(struct keeper *keeper) {
    event_count_notify(&keeper->drained, keeper->parts.platform);
    progress_drained(keeper->parts.ring);
}

static void count_failure(struct keeper *keeper) {
    atomic_fetch_add(&keeper->failed_writes, 1);
    wake_waiting(keeper);
}

static struct ledger_note note_of(const struct keeper *keeper) {
    struct ledger_note note = {.epoch = keeper->parts.ring->epoch, .in_flight_end = in_flight_end(keeper->parts.ring)};
    watermark(keeper, &note);
    return note;
}

static int write_note(struct keeper *keeper, const struct ledger_note *note) {
    const int rc = notes_write(keeper->parts.notes, note);
    if (rc < 0) {
        ring_fail(keeper->parts.ring, "a note (how far its records are durable) could not be written to ring %s: %s",
                  keeper->parts.ring->path, device_failure(rc));
        count_failure(keeper);
    }
    return rc;
}

int keeper_note(struct keeper *keeper) {
    const struct ledger_note note = note_of(keeper);
    return write_note(keeper, &note);
}

/* An outlet stalls behind a burst of records. Then the ring itself notes the watermark, once for each value. */
static void note_watermark(struct keeper *keeper, uint64_t durable) {
    if (durable == keeper->stalled_at && durable != keeper->watermark_noted && !ring_has_failed(keeper->parts.ring)) {
        keeper->watermark_noted = durable;
        keeper_note(keeper);
    }
    keeper->stalled_at = durable;
}

void keeper_note_end(struct keeper *keeper, int is_drained) {
    struct ledger_note note = note_of(keeper);
    if (ring_has_failed(keeper->parts.ring)) {
        if (!is_drained || !keeper->failure_noted) {
            write_note(keeper, &note);
        }
        return;
    }
    note.closed = 1;
    if (!is_drained) {
        write_note(keeper, &note);
    } else {
        notes_write(keeper->parts.notes, &note); /* the checkpoints say the rest, so a failure needs no alarm */
    }
}

/* -------------------------------------------------------------------------------------- medium and failure */

/* Notes on the failed ring how far its writes may have reached. If its medium does not take that now, this tries again
 * each minute, and so does the end of the log. ring_fail has told the operator of the failure: this tells it again each
 * minute. */
static void look_after_failure(struct keeper *keeper) {
    const int64_t now_ns = platform_monotonic_ns(keeper->parts.platform);
    const int is_first = keeper->failure_told_ns == 0;
    if (!ring_has_failed(keeper->parts.ring) || (!is_first && now_ns - keeper->failure_told_ns < ALARM_EVERY_NS)) {
        return;
    }
    keeper->failure_told_ns = now_ns;
    if (is_first) {
        keeper->failed_since_ns = now_ns;
    } else {
        events_post(keeper->parts.events, EVENT_ERROR,
                    "for %lld s every append has failed: %s; none succeeds until the log is "
                    "closed and opened again: mend the cause, then restart the process",
                    (long long)((now_ns - keeper->failed_since_ns) / 1000000000), keeper->parts.ring->failure);
    }
    if (!keeper->failure_noted) {
        keeper->failure_noted = keeper_note(keeper) == 0;
    }
}

/* A ring that others moved works as before in this process. */
static void check_name(struct keeper *keeper) {
    char now[LAYOUT_FILE_NAME_BYTES];
    const struct device *device = keeper->parts.device;
    const int lost = ring_name_is_lost(device, now, sizeof now);
    if (lost && !keeper->name_lost) {
        events_post(keeper->parts.events, EVENT_WARN,
                    "ring %s is not under its name any more, it is now %s: records go on "
                    "being durable in it, but the next open would not find it and would begin an empty one; move it "
                    "back, or run `burstlog recover` on it when this log is closed",
                    device->path, *now != '\0' ? now : "where it cannot be seen (below another mount?)");
    }
    keeper->name_lost = lost;
}

void keeper_check_medium(struct keeper *keeper) {
    struct device *device = keeper->parts.device;
    if (ring_has_failed(keeper->parts.ring)) {
        return;
    }
    if (device->ops->check != NULL && device->ops->check(device) < 0) {
        ring_fail(keeper->parts.ring, "%s; what is durable still goes to the log file", error_text());
    } else {
        check_name(keeper);
    }
}

/* --------------------------------------------------------------------------------------- beside the drain */

/* Gives space back, but for records that the second copy lacks, even if the log file has them. */
static void release(struct keeper *keeper) {
    const uint64_t position = slot_watch_released(&keeper->slots);
    if (keeper->parts.copy == NULL) {
        ring_release(keeper->parts.ring, position);
    } else {
        copier_release(keeper->parts.copy, position);
    }
}

uint64_t keeper_begin_step(struct keeper *keeper) {
    struct ring *ring = keeper->parts.ring;
    uint64_t durable, next_sequence;
    stages_drain_looks(ring->stages);
    ring_durable(ring, &durable, &next_sequence);
    atomic_store(&ring->drain_looked, durable);
    atomic_store(&ring->drain_asked, 0);
    keeper_check_medium(keeper);
    look_after_failure(keeper);
    if (keeper->parts.copy != NULL) {
        release(keeper); /* the copy may have moved alone */
    }
    full_may_end(ring);
    return durable;
}

void keeper_end_step(struct keeper *keeper, uint64_t durable, int rc, int is_cut_off) {
    if (rc < 0) {
        note_watermark(keeper, durable);
    }
    if (atomic_exchange(&keeper->is_cut_off, (uint32_t)is_cut_off) == 0 && is_cut_off) {
        wake_waiting(keeper);
    }
}

void keeper_hear_noted(struct keeper *keeper, const struct checkpoints *checkpoints, uint64_t progress) {
    if (checkpoints == NULL) {
        slot_watch_look(&keeper->slots); /* a slot that cannot be read now is read the next time */
    } else {
        slot_watch_take(&keeper->slots, checkpoints);
    }
    if (keeper->parts.copy != NULL) {
        const struct checkpoint_position noted = checkpoints_least(checkpoints);
        copier_hear_noted(keeper->parts.copy, &noted);
    }
    keeper_hear_looked(keeper, progress);
}

void keeper_hear_looked(struct keeper *keeper, uint64_t progress) {
    atomic_store(&keeper->failed_writes, 0);
    release(keeper);
    stages_drained(keeper->parts.ring->stages, slot_watch_drained(&keeper->slots));
    if (keeper->progress != progress) {
        keeper->progress = progress;
        /* A change of file alone notifies nobody: the waiting thread would ask for the next try at once. */
        wake_waiting(keeper);
    }
}

void keeper_hear_failed(struct keeper *keeper, int rc) {
    if (rc == -ESTALE) {
        ring_fail(keeper->parts.ring, "%s", error_text());
        count_failure(keeper);
        return;
    }
    ring_fail(keeper->parts.ring, "a checkpoint (how much the log file has) could not be written to ring %s: %s",
              keeper->parts.ring->path, device_failure(rc));
    count_failure(keeper);
}

int keeper_hear_unreadable(struct keeper *keeper) {
    keeper_check_medium(keeper);
    return ring_has_failed(keeper->parts.ring);
}

int keeper_awaits_space(const struct keeper *keeper) {
    return atomic_load(&keeper->parts.ring->space.waiters) != 0;
}
