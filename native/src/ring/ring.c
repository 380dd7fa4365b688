/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "media/record.h"
#include "ring/claim_word.h"

/* How long a staged commit may be. 0 if the image is the medium, or if several writes may be under way: an engine with
 * several writes has registered only the memory of the image. */
static uint64_t staged_bytes(const struct device *device, const struct ring_geometry *geometry) {
    const int is_copied = device->mapping == NULL && device->write_depth == 1;
    return is_copied && geometry->block_bytes <= RING_STAGE_BYTES ? geometry->block_bytes : 0;
}

int ring_create(const struct platform *platform, struct device *device, struct events *events,
                const struct ring_geometry *geometry, const struct ring_limits *limits, struct ring **ring_out) {
    struct ring *ring = platform_allocate(platform, sizeof *ring, PLATFORM_PLAIN);
    if (ring == NULL) {
        return error_set(ENOMEM, "no memory for the ring %s: %zu bytes", device->path, sizeof *ring);
    }
    ring->platform = platform;
    ring->device = device;
    ring->events = events;
    snprintf(ring->path, sizeof ring->path, "%s", device->path);
    ring->geometry = *geometry;
    ring->limits = *limits;
    ring->unit_bytes = geometry->line_bytes != 0 ? geometry->line_bytes : geometry->block_bytes;
    ring->usual_space = geometry->capacity_bytes - (RING_MARKER_BLOCKS + 1) * geometry->block_bytes;
    ring->short_bytes = platform_allocate(platform, sizeof *ring->short_bytes, PLATFORM_WIPED_IN_CHILD);
    ring->image = ring->short_bytes == NULL ? NULL : device->ops->image(device, geometry->capacity_bytes);
    if (ring->image == NULL) {
        ring_destroy(ring);
        return error_set(ENOMEM, "no memory for the image of ring %s: %llu bytes; use a smaller ring", device->path,
                         (unsigned long long)geometry->capacity_bytes);
    }
    ring->staged_bytes = staged_bytes(device, geometry);
    const uint64_t most_bytes = limits->max_record_bytes;
    atomic_store(ring->short_bytes, most_bytes < RING_TOUCH_BYTES ? (uint32_t)most_bytes : RING_TOUCH_BYTES);
    /* No claim may succeed before ring_begin. */
    atomic_store(&ring->claim, CLAIM_CLOSED);
    *ring_out = ring;
    return 0;
}

void ring_begin(struct ring *ring, const struct ring_start *start) {
    ring->salt = ring->platform->ops->random(ring->platform);
    ring->epoch = start->epoch;
    ring->begin_position = start->position;
    atomic_store(&ring->durable_position, start->position);
    atomic_store(&ring->durable_next_sequence, start->next_sequence);
    atomic_store(&ring->released, start->released);
    atomic_store(&ring->freed, start->released);
    ring->last_start = start->released;
    atomic_store(&ring->durable_version, 2);
    if (ring->window != NULL) {
        window_raise_floor(ring->window, start->released);
        window_put_start(ring->window, start->released);
        window_put_watermark(ring->window, 2, start->position, start->next_sequence);
    }
    atomic_store(&ring->drain_looked, start->position);
    /* The rest of a staged block then repeats what the medium holds there, as the rest of a longer commit does. */
    memcpy(ring->stage, ring_at(ring, start->position), ring->staged_bytes);
    atomic_store(&ring->claim, claim_pack(start->position, start->next_sequence, 0));
}

void ring_destroy(struct ring *ring) {
    if (ring->short_bytes != NULL) {
        platform_release(ring->platform, ring->short_bytes, sizeof *ring->short_bytes);
    }
    platform_release(ring->platform, ring, sizeof *ring);
}

uint64_t ring_next_sequence(const struct ring *ring) {
    for (;;) {
        /* `durable` must be read first: read later, it might have passed the sequence in the word. */
        const uint64_t durable = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
        const uint64_t word = atomic_load_explicit(&ring->claim, memory_order_acquire);
        /* This thread may have been suspended between the two loads while the sequence wrapped around. The second load
         * of `durable` detects that. */
        if (atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire) - durable <
            CLAIM_SEQUENCES_IN_FLIGHT) {
            return claim_sequence(word, durable);
        }
    }
}

uint64_t ring_claimed(const struct ring *ring) {
    const uint64_t durable = atomic_load_explicit(&ring->durable_position, memory_order_acquire);
    return claim_position(atomic_load_explicit(&ring->claim, memory_order_acquire), durable);
}

void ring_durable(const struct ring *ring, uint64_t *position, uint64_t *next_sequence) {
    int64_t durable_ns;
    ring_durable_since(ring, position, next_sequence, &durable_ns);
}

void ring_durable_since(const struct ring *ring, uint64_t *position, uint64_t *next_sequence, int64_t *durable_ns) {
    for (;;) {
        const uint32_t version = atomic_load_explicit(&ring->durable_version, memory_order_acquire);
        *position = atomic_load_explicit(&ring->durable_position, memory_order_acquire);
        *next_sequence = atomic_load_explicit(&ring->durable_next_sequence, memory_order_acquire);
        *durable_ns = atomic_load_explicit(&ring->durable_ns, memory_order_acquire);
        if ((version & 1) == 0 && atomic_load_explicit(&ring->durable_version, memory_order_acquire) == version) {
            return;
        }
    }
}

void ring_release(struct ring *ring, uint64_t position) {
    if (position == atomic_load_explicit(&ring->freed, memory_order_relaxed)) {
        return;
    }
    if (position - ring->last_start >= ring->geometry.capacity_bytes / RING_START_SHARE) {
        ring->last_start = position;
        atomic_store_explicit(&ring->starts[ring->starts_count++ % WINDOW_STARTS], position, memory_order_relaxed);
        if (ring->window != NULL) {
            window_put_start(ring->window, position);
        }
    }
    atomic_store_explicit(&ring->freed, position, memory_order_release);
    event_count_notify(&ring->space, ring->platform);
    event_count_notify(&ring->progress, ring->platform);
}

int ring_grant(struct ring *ring, uint64_t released) {
    uint64_t now = atomic_load_explicit(&ring->released, memory_order_acquire);
    uint64_t to = atomic_load_explicit(&ring->freed, memory_order_acquire);
    if (now != released || now >= to) {
        return now != released;
    }
    for (unsigned i = 0; i < WINDOW_STARTS; i++) {
        const uint64_t start = atomic_load_explicit(&ring->starts[i], memory_order_relaxed);
        to = start > released && start < to ? start : to;
    }
    /* The floor comes first: a reader that sees bytes of a producer that this grant lets in sees the floor, too. */
    if (ring->window != NULL) {
        window_raise_floor(ring->window, to);
    }
    while (now < to && !atomic_compare_exchange_weak_explicit(&ring->released, &now, to, memory_order_acq_rel,
                                                              memory_order_acquire)) {
    }
    return 1;
}

void ring_refuse(struct ring *ring) {
    atomic_fetch_or(&ring->claim, CLAIM_CLOSED);
    event_count_notify(&ring->space, ring->platform);
    event_count_notify(&ring->progress, ring->platform);
}

/*
 * Counts accepted records that nobody waits for and that are not durable. *hidden counts all records behind the first
 * unpublished one: its end is unknown, so nobody can find them. Threads may wait for some of the hidden ones; their
 * appends fail.
 */
static uint64_t count_lost_enqueued(const struct ring *ring, uint64_t *hidden) {
    uint64_t position, sequence, lost = 0;
    ring_durable(ring, &position, &sequence);
    const uint64_t end = ring_claimed(ring);
    const uint64_t next_sequence = ring_next_sequence(ring);
    const uint64_t leader = atomic_load(&ring->leader);
    const struct walk_shape shape = ring_shape(ring);
    struct walk walk = walk_from(&shape, position, sequence, ring->epoch);
    while (walk.position < end) {
        const struct record_header *header = (const struct record_header *)ring_at(ring, walk.position);
        const uint64_t word = __atomic_load_n(&header->position, __ATOMIC_ACQUIRE);
        /* Only a header that a leader of this epoch sealed counts: a record of an earlier epoch may say the same
         * `position`. */
        const int is_sealed =
            word == walk.position && leader >= LEADER_SEALED && walk.sequence < leader - LEADER_SEALED;
        if (!is_sealed && word != (walk.position ^ ring->salt)) {
            break;
        }
        struct record_header seen = {.sequence = walk.sequence};
        record_copy_kind(&seen, header);
        lost += seen.type == RECORD_DATA && (seen.flags & RECORD_ENQUEUED) != 0;
        walk_over_record(&walk, &shape, &seen);
    }
    *hidden = next_sequence - walk.sequence;
    return lost;
}

void ring_fail(struct ring *ring, const char *format, ...) {
    uint32_t expected = 0;
    if (!atomic_compare_exchange_strong(&ring->failed, &expected, RING_FAILING)) {
        return;
    }
    atomic_fetch_or(&ring->claim, CLAIM_FAILED);
    /* After this fence, each producer sees the failure, or the count below sees its record. */
    ring->platform->ops->fence_all(ring->platform);
    uint64_t hidden;
    const uint64_t lost = count_lost_enqueued(ring, &hidden);
    atomic_store(&ring->lost_enqueued, lost + hidden);
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(ring->failure, sizeof ring->failure, format, arguments);
    va_end(arguments);
    if (lost + hidden > 0 && used >= 0 && used < (int)sizeof ring->failure) {
        snprintf(ring->failure + used, sizeof ring->failure - (size_t)used, " (%s%llu enqueued records are lost)",
                 hidden > 0 ? "up to " : "", (unsigned long long)(lost + hidden));
    }
    atomic_store(&ring->failed, RING_FAILED);
    events_post(ring->events, EVENT_ERROR,
                "%s; every append fails until the log is closed and opened again: mend the "
                "cause, then restart the process",
                ring->failure);
    /* The groups of sleepers are missing here: the leader wakes them at the end of the round in which the ring
     * failed. */
    event_count_notify(&ring->ended, ring->platform);
    event_count_notify(&ring->progress, ring->platform);
    event_count_notify(&ring->space, ring->platform);
    event_count_notify(&ring->committer, ring->platform);
}
