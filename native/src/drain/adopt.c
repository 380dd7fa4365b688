/* SPDX-License-Identifier: Apache-2.0 */
/* Binding a freshly opened ring to its log file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/lock.h"
#include "drain/drain.h"
#include "media/checkpoint_v1.h"

/* Errors that pass by themselves: the ring is opened all the same and the drain keeps trying. */
static int is_passing(int rc) {
    return rc == -ENOSPC || rc == -EDQUOT || rc == -EROFS || rc == -EIO || rc == -ESTALE || rc == -ETIMEDOUT;
}

/* For an instant others hold it without writing to it: a child before its exec, a log that looks for its own file. */
#define LOCK_TRIES 50
#define LOCK_POLL_NS 20000000ll /* all of them: a second */

/* Whether to try again what has ended with rc. */
static int await_lock(const struct drain *drain, int rc, int *tries_left) {
    if (rc != -EBUSY || *tries_left == 0) {
        return 0;
    }
    --*tries_left;
    drain->platform->ops->sleep_ns(drain->platform, LOCK_POLL_NS);
    return 1;
}

static int refuse(const char *path, int rc) {
    if (rc == -EBUSY) {
        char holders[256];
        lock_holders(path, holders, sizeof holders);
        return error_set(EBUSY, "log file %s is held by another writer: %s; give every log a file of its own", path,
                         *holders == '\0' ? "a process that cannot be seen" : holders);
    }
    return error_set(-rc, "log file %s cannot be opened: %s; mend that, or choose another fileName", path,
                     error_name(-rc));
}

/* An existing file is continued. */
static int open_or_create(struct destination *destination, const char *path) {
    int rc = destination_open_to_continue(destination, path);
    if (rc == -ENOENT) {
        return destination_create(destination, path);
    }
    /* What is in it counts as durable from now on. */
    rc = rc < 0 ? rc : destination_sync(destination);
    return rc < 0 ? rc : destination->files->ops->sync_name(destination->files, path);
}

/* Binds the ring to `path` from the cursor on. */
static int bind_to(struct drain *drain, const char *path) {
    struct checkpoint *checkpoint = drain->checkpoint;
    struct destination *destination = &drain->destination;
    const size_t bytes = strlen(path);
    if (bytes >= sizeof checkpoint->file_name) {
        return -ENAMETOOLONG;
    }
    destination_close(destination);
    int rc, tries_left = LOCK_TRIES;
    do {
        rc = open_or_create(destination, path);
    } while (await_lock(drain, rc, &tries_left));
    if (rc < 0) {
        destination_close(destination);
        return rc;
    }
    memset(checkpoint->file_name, 0, sizeof checkpoint->file_name);
    memcpy(checkpoint->file_name, path, bytes);
    checkpoint->stream.file_name_bytes = (uint32_t)bytes;
    checkpoint->stream.diverted_sequence = 0;
    checkpoint->stream.diverted_attempt = 0;
    rc = drain_note_place(drain);
    rc = rc < 0 ? rc : checkpoint_write(drain);
    return rc < 0 ? rc : checkpoint_write(drain);
}

static int has_records(const struct recovery *recovery) {
    return recovery->records > 0 || recovery->lost > 0;
}

/* The ring is bound to another file but holds nothing for it: that file is not even looked at. */
static int bind_anew(struct drain *drain, const char *path) {
    uint64_t until, next_sequence;
    ring_durable(drain->ring, &until, &next_sequence);
    cursor_fill(&drain->cursor, &drain->source, until, &drain->batch); /* past markers, which become no bytes */
    const int rc = bind_to(drain, path);
    return rc < 0 ? refuse(path, rc) : 0;
}

/* The ring is bound to another file: its records go there, then it is bound anew. */
static int rebind(struct drain *drain, const char *path) {
    char old[LAYOUT_FILE_NAME_BYTES];
    int rc = checkpoint_file(drain->checkpoint, old, sizeof old);
    while (rc == 0 && !drain_is_done(drain)) {
        rc = drain_work(drain, 1);
        rc = rc < 0 ? rc : 0;
    }
    if (rc < 0) {
        return error_set(-rc,
                         "the ring holds records for log file %s, which cannot be written: %s; make it writable, "
                         "or open the ring with that name",
                         old, error_name(-rc));
    }
    events_post(drain->events, BURST_INFO,
                "the ring was bound to log file %s; all its records are there. From record "
                "%llu on they go to %s",
                old, (unsigned long long)drain->cursor.sequence, path);
    rc = bind_to(drain, path);
    return rc < 0 ? refuse(path, rc) : 0;
}

/* Whoever owns the ring may have named any file in it, and written the records that it would get. */
static int refuse_untrusted_ring_owner(const struct drain *drain, uint32_t untrusted_ring_owner) {
    char bound[LAYOUT_FILE_NAME_BYTES] = "";
    checkpoint_file(drain->checkpoint, bound, sizeof bound);
    return error_set(
        EPERM,
        "ring %s is of user %u and names log file %s for the records that wait in it: for another "
        "user root does not write there; move them with `burstlog recover`, which does so with that user's "
        "rights, or open the ring with that log file or as that user",
        drain->device->path, untrusted_ring_owner, bound);
}

static int find_unlocked(struct drain *drain, int *tries_left) {
    int rc;
    drain->destination.waits_for_lock = 1;
    do {
        rc = drain_find_again(drain);
    } while (await_lock(drain, rc, tries_left));
    drain->destination.waits_for_lock = 0;
    /* A renamed file that others keep is passed over, and told. */
    return rc == -EBUSY && drain->destination.unreadable_candidate[0] != '\0' ? drain_find_again(drain) : rc;
}

static int adopt(struct drain *drain, const char *file_name, uint32_t untrusted_ring_owner) {
    const struct checkpoint *checkpoint = drain->checkpoint;
    const uint32_t bound_bytes = checkpoint->stream.file_name_bytes;
    if (bound_bytes == 0 && file_name == NULL) {
        return error_set(EINVAL, "the ring was never opened with a log file: there is nothing to move");
    }
    if (bound_bytes == 0) {
        const int rc = bind_to(drain, file_name);
        return rc < 0 ? refuse(file_name, rc) : 0;
    }
    const int is_bound = file_name == NULL || (strlen(file_name) == bound_bytes &&
                                               memcmp(file_name, checkpoint->file_name, bound_bytes) == 0);
    if (!is_bound && !has_records(drain->source.recovery)) {
        return bind_anew(drain, file_name);
    }
    if (!is_bound && untrusted_ring_owner != 0) {
        return refuse_untrusted_ring_owner(drain, untrusted_ring_owner);
    }
    int tries_left = LOCK_TRIES;
    int rc = find_unlocked(drain, &tries_left);
    if (rc < 0 && device_lost_pages(drain->device) > 0) {
        return drain->device->ops->check(drain->device);
    }
    if (rc == -DESTINATION_UNMOUNTED_ERROR) {
        return error_set(
            -rc,
            "log file %s is not there, and nothing is mounted at %.*s, where its file system was: mount it "
            "and open the ring again, or, if the log is to go on here, make an empty file of that name",
            drain->destination.path, (int)checkpoint->place.entry_bytes, drain->destination.path);
    }
    if (rc < 0 && drain->destination.unreadable_candidate[0] != '\0') {
        return error_set(-rc,
                         "log file %s is not under its name, and %s, which may be it, cannot be read: %s; make it "
                         "readable, or move it away if it is not, and open the ring again",
                         drain->destination.path, drain->destination.unreadable_candidate, error_name(-rc));
    }
    if (rc < 0 && !is_passing(rc)) {
        return refuse(drain->destination.path, rc);
    }
    if (rc < 0) {
        return error_set(-rc,
                         "log file %s cannot be opened to be read and written: %s; mend its file system and open the "
                         "ring again",
                         drain->destination.path, error_name(-rc));
    }
    if (!is_bound) {
        return rebind(drain, file_name);
    }
    const int was_diverted = checkpoint->stream.diverted_sequence != 0 && drain->destination.file != DESTINATION_CLOSED;
    do {
        rc = drain_begin_file(drain);
    } while (!ring_has_failed(drain->ring) && await_lock(drain, rc, &tries_left));
    rc = was_diverted && rc == 0 ? drain_end_diversion(drain) : rc;
    if (ring_has_failed(drain->ring)) {
        return error_set(EIO, "ring %s cannot be written: %s", drain->ring->path, drain->ring->failure);
    }
    return rc < 0 && !is_passing(rc) ? refuse(drain->destination.path, rc) : 0;
}

int drain_open(const struct drain_parts *parts, struct drain **drain_out) {
    struct drain *drain = platform_allocate(parts->platform, sizeof *drain, PLATFORM_PLAIN);
    if (drain == NULL) {
        return error_set(ENOMEM, "no memory for the drain: %zu bytes", sizeof *drain);
    }
    drain->platform = parts->platform;
    drain->device = parts->ring->device;
    drain->ring = parts->ring;
    drain->events = parts->events;
    drain->crc_seed = parts->crc_seed;
    pthread_mutex_init(&drain->path_lock, NULL);
    drain->source =
        (struct log_source){.ring = parts->ring, .recovery = parts->recovery, .record_format = parts->record_format};
    drain->destination.files = parts->files;
    drain->destination.how = parts->how;
    drain->destination.file = DESTINATION_CLOSED;
    drain->checkpoint_bytes = align_up(sizeof(struct checkpoint), drain->device->block_bytes);
    drain->checkpoint = platform_allocate(parts->platform, drain->checkpoint_bytes, PLATFORM_PLAIN);
    const uint64_t longest = parts->recovery->longest > parts->ring->limits.max_record_bytes
                                 ? parts->recovery->longest /* of an open with a higher limit */
                                 : parts->ring->limits.max_record_bytes;
    drain->batch.room = align_up(DRAIN_BATCH_BYTES + longest + RECORD_LOSS_BYTES, 4096);
    atomic_store(&drain->give_up_ns, INT64_MAX);
    drain->batch.bytes = platform_allocate(parts->platform, drain->batch.room, PLATFORM_PLAIN);
    if (drain->checkpoint == NULL || drain->batch.bytes == NULL) {
        const size_t bytes = drain->checkpoint_bytes + drain->batch.room;
        drain_close(drain);
        return error_set(ENOMEM, "no memory for the drain: %zu bytes", bytes);
    }
    drain->newest_slot = parts->newest_slot;
    *drain->checkpoint = *parts->checkpoint;
    if (drain->checkpoint->place.epoch != drain->checkpoint->epoch) {
        drain->checkpoint->place = (struct checkpoint_mount){.epoch = 0}; /* an older library wrote since */
    }
    if (drain->checkpoint->mark.epoch != drain->checkpoint->epoch || parts->untrusted_ring_owner != 0) {
        drain->checkpoint->mark = (struct checkpoint_mark){.epoch = 0};
    }
    drain->slot_drained[0] = drain->slot_drained[1] = parts->checkpoint->stream.drained_position;
    const struct checkpoint_stream *stream = &drain->checkpoint->stream;
    drain->cursor = (struct cursor){
        .position = record_start(stream->drained_position, parts->ring->geometry.capacity_bytes),
        .sequence = stream->next_sequence,
        .epoch = stream->epoch,
    };
    drain->synced = drain->cursor;
    atomic_store(&drain->drained_sequence, drain->cursor.sequence - 1);
    const int rc = adopt(drain, parts->file_name, parts->untrusted_ring_owner);
    if (rc < 0) {
        drain_close(drain);
        return rc;
    }
    drain->destination_was_empty =
        drain->destination.length == 0 && drain->destination.redo_until == 0 && !has_records(parts->recovery);
    atomic_store(&drain->file_bytes, drain->destination.length);
    drain_publish_path(drain);
    *drain_out = drain;
    return 0;
}
