/* SPDX-License-Identifier: Apache-2.0 */
#include "drain/drain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alarm.h"
#include "base/error.h"
#include "burstlog.h"
#include "device/ring_name.h"

/* What the operator has to do about a log file that answers this. */
static const char *remedy(int rc) {
    switch (-rc) {
    case ENOSPC:
    case EDQUOT:
        return "free space on its file system";
    case EFBIG:
        return "raise the limit of file sizes of this process (prlimit --fsize)";
    case EROFS:
        return "make its file system writable";
    case EACCES:
    case EPERM:
        return "give this process the right to write it";
    case EBUSY:
        return "end the other writer that holds it";
    case EISDIR:
    case EINVAL:
    case ELOOP:
        return "move away what stands in its place";
    default:
        return "mend its file system or disk";
    }
}

static void tell_stall(const struct drain *drain, int rc, int64_t lasts_ns) {
    const struct destination *destination = &drain->destination;
    char since[64] = "";
    if (lasts_ns > 0) {
        snprintf(since, sizeof since, " (for %lld s now)", (long long)(lasts_ns / 1000000000));
    }
    if (rc == -DESTINATION_UNMOUNTED_ERROR) {
        events_post(
            drain->events, BURST_ERROR,
            "log file %s is not there%s, and its folder is on another file system than the file: that was unmounted, "
            "or another mounted over it; mount it again, or, if the log is to go on here, make an empty file of "
            "that name; the ring keeps the records, and when it is full appends wait or fail",
            destination->path, since);
    } else if (destination->file == DESTINATION_CLOSED && destination->unreadable_candidate[0] != '\0') {
        events_post(
            drain->events, BURST_ERROR,
            "log file %s is not under its name%s, and %s, which may be it, cannot be read: %s; make that readable, or "
            "move it away if it is not; the ring keeps the records, and when it is full appends wait or fail",
            destination->path, since, destination->unreadable_candidate, error_name(-rc));
    } else {
        events_post(
            drain->events, BURST_ERROR,
            "log file %s cannot be written: %s; the ring keeps the records%s, and when it is full appends wait or fail: "
            "%s",
            destination->path, error_name(-rc), since, remedy(rc));
    }
}

/* The log file cannot be written: tells so when it begins, when the reason changes, and every minute. */
static int stall(struct drain *drain, int rc) {
    const int64_t now_ns = platform_monotonic_ns(drain->platform);
    if (drain->last_error == 0) {
        drain->stalled_since_ns = now_ns;
        memcpy(drain->stalled_path, drain->destination.path, sizeof drain->stalled_path);
    }
    if (drain->last_error != rc || now_ns - drain->stall_told_ns >= ALARM_EVERY_NS) {
        drain->stall_told_ns = now_ns;
        tell_stall(drain, rc, now_ns - drain->stalled_since_ns);
    }
    drain->last_error = rc;
    atomic_store(&drain->stalled, 1);
    return rc;
}

static void unstall(struct drain *drain) {
    if (drain->last_error != 0) {
        drain->last_error = 0;
        if (strcmp(drain->stalled_path, drain->destination.path) == 0) {
            events_post(drain->events, BURST_INFO, "log file %s is being written again", drain->stalled_path);
        } else {
            events_post(drain->events, BURST_INFO, "log file %s is being written, in the place of %s",
                        drain->destination.path, drain->stalled_path);
        }
    }
    atomic_store(&drain->stalled, 0);
}

/* The failed ring remembers how far writes may have reached, as far as its medium still lets it. */
static void note_failure(struct drain *drain) {
    if (ring_has_failed(drain->ring) && !drain->failure_noted) {
        drain->failure_noted = 1;
        checkpoint_write_watermark(drain);
    }
}

/* ring_fail has told it; every minute it is told again. */
static void tell_failure_again(struct drain *drain) {
    const int64_t now_ns = platform_monotonic_ns(drain->platform);
    if (!ring_has_failed(drain->ring)) {
        return;
    }
    if (drain->failure_told_ns == 0) {
        drain->failed_since_ns = drain->failure_told_ns = now_ns;
    } else if (now_ns - drain->failure_told_ns >= ALARM_EVERY_NS) {
        drain->failure_told_ns = now_ns;
        events_post(drain->events, BURST_ERROR,
                    "for %lld s every append has failed: %s; none succeeds until the log is "
                    "closed and opened again: mend the cause, then restart the process",
                    (long long)((now_ns - drain->failed_since_ns) / 1000000000), drain->ring->failure);
    }
}

/* A ring that others moved is as good as before, for this process. */
static void check_name(struct drain *drain) {
    char now[LAYOUT_FILE_NAME_BYTES];
    const int lost = ring_name_is_lost(drain->device, now, sizeof now);
    if (lost && !drain->name_lost) {
        events_post(drain->events, BURST_WARN,
                    "ring %s is not under its name any more, it is now %s: records go on "
                    "being durable in it, but the next open would not find it and would begin an empty one; move it "
                    "back, or run `burstlog recover` on it when this log is closed",
                    drain->device->path, *now != '\0' ? now : "where it cannot be seen (below another mount?)");
    }
    drain->name_lost = lost;
}

/* What others did to the medium is found out here: an append only writes. */
static void check_medium(struct drain *drain) {
    const struct device_ops *ops = drain->device->ops;
    if (ring_has_failed(drain->ring)) {
        return;
    }
    if (ops->check != NULL && ops->check(drain->device) < 0) {
        ring_fail(drain->ring, "%s; what is durable still goes to the log file", error_text());
    } else {
        check_name(drain);
    }
}

/* Writes the rest of the batch. 1 done, 0 the file had to be left, or -errno. */
static int write_batch(struct drain *drain) {
    struct batch *batch = &drain->batch;
    while (batch->written < batch->used) {
        const uint8_t *data = batch->bytes + batch->written;
        const size_t bytes = batch->used - batch->written;
        if (drain->destination.length < drain->destination.redo_until) {
            const int same = destination_matches(&drain->destination, data, bytes, drain->destination.length);
            if (same < 0) {
                return same;
            }
            if (!same) {
                events_post(
                    drain->events, BURST_ERROR,
                    "log file %s holds other bytes behind its first %llu than the log wrote there: others wrote into "
                    "it; it is left alone, and a new file is begun; find out who writes it",
                    drain->destination.path, (unsigned long long)drain->destination.length);
                drain_leave_file(drain, NEXT_FILE_DIVERTED, &drain->synced);
                return 0;
            }
        }
        const int rc =
            drain_check_file(drain); /* also after what was written of the batch, and after all the reading */
        if (rc <= 0) {
            return rc;
        }
        const int64_t written = destination_write(&drain->destination, data, bytes);
        if (written <= 0) {
            return written < 0 ? (int)written : -ENOSPC;
        }
        batch->written += (size_t)written;
    }
    batch->used = batch->written = 0;
    atomic_store(&drain->file_bytes, drain->destination.length);
    return 1;
}

static int is_due(const struct drain *drain, int progressed, int sync) {
    if (drain->cursor.position == drain->synced.position) {
        return 0;
    }
    return sync || !progressed || atomic_load(&drain->ring->space.waiters) != 0 ||
           drain->cursor.position - drain->synced.position >= drain->ring->geometry.capacity_bytes / 8 ||
           platform_monotonic_ns(drain->platform) - drain->unsynced_since_ns >= DRAIN_SYNC_AFTER_NS;
}

/* One batch. 1 something was done, 0 nothing is left, or -errno. */
static int move_batch(struct drain *drain, uint64_t until) {
    struct batch *batch = &drain->batch;
    if (batch->used == 0 && drain->cursor.position >= until) {
        return 0;
    }
    int rc = drain_check_file(drain);
    if (rc <= 0) {
        return rc < 0 ? rc : 1;
    }
    if (batch->used == 0) {
        if (drain->cursor.position == drain->synced.position) {
            drain->unsynced_since_ns = platform_monotonic_ns(drain->platform);
        }
        drain->batch_from = drain->cursor;
        cursor_fill(&drain->cursor, &drain->source, until, batch);
        if (drain->cursor.position == drain->batch_from.position) {
            check_medium(drain);
            return device_lost_pages(drain->device) > 0
                       ? -EIO
                       : -EMSGSIZE; /* a record longer than any that was recovered or can be appended */
        }
    }
    rc = write_batch(drain);
    return rc < 0 ? rc : 1;
}

/* After a burst that the file could not take, the ring itself says how far it got: once for every W. */
static void note_watermark(struct drain *drain, uint64_t durable) {
    if (durable == drain->stalled_at && durable != drain->watermark_noted && !ring_has_failed(drain->ring)) {
        drain->watermark_noted = durable;
        checkpoint_write_watermark(drain);
    }
    drain->stalled_at = durable;
}

int drain_work(struct drain *drain, int sync) {
    uint64_t until, next_sequence;
    stages_drain_looks(drain->ring->stages);
    ring_durable(drain->ring, &until, &next_sequence);
    atomic_store(&drain->ring->drain_looked, until);
    atomic_store(&drain->ring->drain_asked, 0);
    check_medium(drain);
    note_failure(drain);
    tell_failure_again(drain);
    int progressed = 0;
    for (;;) {
        int rc = drain_begin_file(drain);
        const int moved = rc < 0 ? 0 : move_batch(drain, until);
        rc = rc < 0 ? rc : moved < 0 ? moved : 0;
        if (rc == 0 && drain->batch.used == 0 && drain->destination.file != DESTINATION_CLOSED &&
            is_due(drain, progressed || moved, sync)) {
            rc = drain_sync(drain);
        }
        if (rc < 0) {
            note_watermark(drain, until);
            return ring_has_failed(drain->ring) ? rc : stall(drain, rc);
        }
        if (!moved || platform_monotonic_ns(drain->platform) >= atomic_load(&drain->give_up_ns)) {
            break;
        }
        progressed = 1;
    }
    unstall(drain);
    /* The older slot holds back what the newer one has let go of: when nothing else is to be done, or when somebody
     * waits for space, it follows. */
    if ((!progressed || sync || atomic_load(&drain->ring->space.waiters) != 0) && !ring_has_failed(drain->ring) &&
        drain->cursor.position == drain->synced.position &&
        drain->slot_drained[1 - drain->newest_slot] != drain->synced.position) {
        checkpoint_write(drain);
    }
    return progressed;
}

int drain_is_done(const struct drain *drain) {
    uint64_t durable, next_sequence;
    ring_durable(drain->ring, &durable, &next_sequence);
    return drain->synced.position == durable && drain->destination.file != DESTINATION_CLOSED;
}

void drain_close(struct drain *drain) {
    destination_close(&drain->destination);
    if (drain->checkpoint != NULL) {
        platform_release(drain->platform, drain->checkpoint, drain->checkpoint_bytes);
    }
    if (drain->batch.bytes != NULL) {
        platform_release(drain->platform, drain->batch.bytes, drain->batch.room);
    }
    platform_release(drain->platform, drain, sizeof *drain);
}
