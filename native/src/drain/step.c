/* SPDX-License-Identifier: Apache-2.0 */
/* The step of the drain: all promises rest on its order. */
#include <string.h>

#include "drain/stream.h"

static int is_space_awaited(const struct drain *drain) {
    const struct drain_host *host = drain->parts.host;
    return host->is_space_awaited != NULL && host->is_space_awaited(host->argument);
}

/* Until this epoch's first commit, recovery may overwrite its marker. So no stream checkpoints a position behind the
 * marker before all streams do. A drain beside others never does: the next writer may have read the slots already, and
 * write its first records where that marker was. */
uint64_t drain_reach(const struct drain *drain) {
    const uint64_t log_end = drain->parts.source->recovery->log_end;
    if (drain->durable > drain->parts.epoch_begin) {
        return drain->durable;
    }
    if (drain->parts.is_apart) {
        return log_end;
    }
    EACH_STREAM(drain, stream) {
        if (stream->noted_at.walk.position < log_end) {
            return log_end;
        }
    }
    return drain->durable;
}

/* No log file gets a record before the second copy has it. So after
 * any crash the ring still holds what the copy lacks, and nobody who reads a log file is ahead of the copy. */
uint64_t drain_copied_reach(const struct drain *drain) {
    const struct drain_host *host = drain->parts.host;
    const uint64_t reach = drain_reach(drain);
    const uint64_t copied = host->copied == NULL ? UINT64_MAX : host->copied(host->argument);
    return copied < reach ? copied : reach;
}

/* A stream that goes further than the others does not pass the marker, as in drain_reach: no record is between the two. */
uint64_t stream_reach(const struct drain *drain, const struct drain_stream *stream, uint64_t until) {
    const uint64_t log_end = drain->parts.source->recovery->log_end;
    const uint64_t alone = drain->durable > drain->parts.epoch_begin ? drain->durable : log_end;
    return stream->is_drying && until < alone ? alone : until;
}

/* Whether to sync the stream now. A partly written batch is never synced: the state would note its beginning without
 * its end. A stream that stalls goes on later, and is synced then; but one whose next record is lost goes no further. */
static int is_due(const struct drain *drain, const struct drain_stream *stream, int is_idle, int sync) {
    const uint64_t written = stream->written.walk.position, noted = stream->noted_at.walk.position;
    if ((stream->rc < 0 && !stream->is_unreadable) || stream->partly > 0 || (written == noted && !stream->must_sync)) {
        return 0;
    }
    return sync || is_idle || stream->must_sync || is_space_awaited(drain) ||
           written - noted >= drain->parts.source->shape.capacity_bytes / 8 ||
           platform_monotonic_ns(drain->parts.platform) - stream->unnoted_since_ns >= DRAIN_SYNC_AFTER_NS;
}

/* Whether the step has time for another batch. */
static int may_go_on(const struct drain *drain) {
    const struct drain_host *host = drain->parts.host;
    return platform_monotonic_ns(drain->parts.platform) < atomic_load(&drain->give_up_ns) &&
           (host->is_wanted == NULL || !host->is_wanted(host->argument));
}

void drain_look(struct drain *drain) {
    uint64_t next_sequence;
    drain->parts.source->ops->durable(drain->parts.source, &drain->durable, &next_sequence);
}

static void begin_step(struct drain *drain) {
    drain_look(drain);
    EACH_STREAM(drain, stream) {
        stream->rc = stream->is_unreadable = 0;
    }
}

static int end_step(struct drain *drain, int noted, int progressed) {
    int stalled = 0;
    if (noted < 0) {
        return noted;
    }
    EACH_STREAM(drain, stream) {
        stalled = stalled < 0 ? stalled : stream->rc;
        stream_tell(drain, stream);
        stream_rest(drain, stream);
    }
    return stalled < 0 ? stalled : progressed;
}

static void want(struct drain *drain, unsigned checkpoints) {
    drain->wanted = drain->wanted > checkpoints ? drain->wanted : checkpoints;
}

int drain_step(struct drain *drain, int sync) {
    const struct drain_host *host = drain->parts.host;
    int progressed = 0, moved, goes_on, synced, noted;
    begin_step(drain);
    do {
        const uint64_t until = drain_copied_reach(drain);
        moved = synced = 0;

        /* 1. Data: at most one batch of each stream goes from the log to its outlet. */
        EACH_STREAM(drain, stream) {
            moved |= stream_move(drain, stream, stream_reach(drain, stream, until));
        }
        progressed |= moved;
        goes_on = moved && may_go_on(drain);

        /* 2. Sync: bytes are durable in the outlet before the next checkpoint says so. A thread that waits for the sync
         * waits for the last batch. */
        EACH_STREAM(drain, stream) {
            synced |= is_due(drain, stream, !progressed, sync && !goes_on) && stream_sync(drain, stream);
        }

        /* 3. Checkpoint: one write notes all streams in the older slot. The other slot, now the older one, still holds
         * space back. When the drain has nothing else to do, or an append waits for space, a second checkpoint follows.
         * A new destination gets no byte before both slots have its state: stream_obey. */
        want(drain, (unsigned)synced);
        if (!moved && (!progressed || sync || is_space_awaited(drain))) {
            want(drain, synced ? LAYOUT_CHECKPOINT_SLOTS : (unsigned)drain->older_is_behind);
        }
        noted = drain_checkpoint(drain);

        /* 4. Release: the ring gets back the space that all streams have let go of in both slots. */
        if (noted > 0) {
            host->noted(host->argument);
        }
    } while (goes_on && noted >= 0);
    return end_step(drain, noted, progressed);
}

unsigned drain_states(const struct drain *drain, const struct stream_state *states[LAYOUT_STREAMS_MAX]) {
    unsigned count = 0;
    EACH_STREAM(drain, stream) {
        states[count++] = &stream->next;
    }
    return count;
}

int drain_checkpoint(struct drain *drain) {
    const struct stream_state *states[LAYOUT_STREAMS_MAX];
    const unsigned count = drain_states(drain, states);
    int changed = 0;
    if (drain->wanted == 0) {
        return 0;
    }
    EACH_STREAM(drain, stream) {
        if (stream->unsynced == 0) {
            stream_let_go(stream);
        }
        changed |= memcmp(&stream->next, &stream->noted, sizeof stream->next) != 0;
    }
    for (; drain->wanted > 0; drain->wanted--) {
        drain->checkpoint_rc = checkpoints_write(drain->parts.checkpoints, drain->parts.epoch, states, count);
        if (drain->checkpoint_rc < 0) {
            drain->parts.host->failed(drain->parts.host->argument, drain->checkpoint_rc);
            return drain->checkpoint_rc;
        }
        drain->older_is_behind = changed;
        changed = 0;
        EACH_STREAM(drain, stream) {
            stream->noted = stream->next;
            stream->noted_at = stream->next_at;
            stream_publish_noted(drain, stream);
        }
    }
    EACH_STREAM(drain, stream) {
        stream_begin(drain, stream);
    }
    return 1;
}

int drain_is_done(const struct drain *drain) {
    uint64_t durable, next_sequence;
    drain->parts.source->ops->durable(drain->parts.source, &durable, &next_sequence);
    EACH_STREAM(drain, stream) {
        if (!stream_is_done(stream, durable)) {
            return 0;
        }
    }
    return 1;
}

int drain_is_cut_off(const struct drain *drain) {
    int is_cut_off = 0;
    EACH_STREAM(drain, stream) {
        const int is_at_its_end = stream->partly > 0 || stream->written.walk.position == stream->noted_at.walk.position;
        if (stream->is_unreadable ? !is_at_its_end : !stream_is_done(stream, drain_reach(drain))) {
            return 0;
        }
        is_cut_off |= stream->is_unreadable;
    }
    return is_cut_off;
}

void drain_give_up_at(struct drain *drain, int64_t when_ns) {
    atomic_store(&drain->give_up_ns, when_ns);
}
