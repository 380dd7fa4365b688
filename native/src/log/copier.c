/* SPDX-License-Identifier: Apache-2.0 */
#include "log/copier.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "media/record.h"

/* ------------------------------------------------------------------------------------------------ make, free */

static int has_lost_pages(const struct log_source *source) {
    const struct copier *copy = (const struct copier *)((const char *)source - offsetof(struct copier, source));
    return device_lost_pages(copy->ring->device) > 0;
}

static const struct log_source_ops sealed_ops = {.has_lost_pages = has_lost_pages};

/* Tells those who wait. A wake-up is a system call for each of them, so it comes only with news. The caller holds the
 * lock. */
static void tell_waiting(struct copier *copy) {
    /* Only a copy that is here has what is before `kept`. */
    const uint64_t end = copy->state == COPY_IS_HERE ? copy->kept.walk.sequence : atomic_load(&copy->whole_end);
    const uint64_t from = copy->missing_end > copy->lost_end ? copy->missing_end : copy->lost_end;
    const uint32_t is_vain = copy->is_over || copy->state == COPY_IS_AWAY;
    if (atomic_load(&copy->whole_from) != from || atomic_load(&copy->whole_end) != end ||
        atomic_load(&copy->is_vain) != is_vain) {
        atomic_store(&copy->whole_from, from);
        atomic_store(&copy->whole_end, end);
        atomic_store(&copy->is_vain, is_vain);
        event_count_notify(&copy->moved, copy->platform);
    }
}

void copier_publish(struct copier *copy) {
    atomic_store(&copy->next_sequence, copy->kept.walk.sequence);
    atomic_store(&copy->ring->copy.kept, copy->state == COPY_IS_AWAY ? UINT64_MAX : copy->kept.walk.position);
    tell_waiting(copy);
    if (atomic_load(&copy->ring->space.waiters) != 0) {
        event_count_notify(&copy->ring->drain, copy->platform);
    }
}

static uint64_t lost_end(const struct recovery *recovery) {
    uint64_t end = 0;
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct walk_gap *gap = &recovery->jumps[i].gap;
        end = gap->count > 0 ? gap->first_sequence + gap->count : end;
    }
    return end;
}

int copier_create(const struct copier_parts *parts, struct copier **copy_out) {
    struct copier *copy = platform_allocate(parts->platform, sizeof *copy, PLATFORM_PLAIN);
    if (copy == NULL) {
        return error_set(ENOMEM, "no memory for the second copy of ring %s: %zu bytes", parts->ring->path,
                         sizeof *copy);
    }
    copy->platform = parts->platform;
    copy->tell = (struct copier_tell){.events = parts->events, .ring = parts->ring->path, .copy = copy->name};
    snprintf(copy->name, sizeof copy->name, "%s", parts->name);
    copy->ring = parts->ring;
    copy->state = COPY_EXPECTED;
    copy->first_sequence = ring_next_sequence(parts->ring);
    copy->source = parts->source;
    copy->source.ops = &sealed_ops;
    copy->lost_end = lost_end(parts->source.recovery);
    pthread_mutex_init(&copy->lock, NULL);
    copy->kept = copy->taken = copy->noted =
        log_source_at(&copy->source, parts->start.drained_position, parts->start.next_sequence, parts->start.epoch);
    atomic_store(&copy->ring->copy.sealed, copy->ring->begin_position);
    copy->ring->copy.is_kept = 1;
    copier_publish(copy);
    *copy_out = copy;
    return 0;
}

void copier_destroy(struct copier *copy) {
    if (copy != NULL) {
        pthread_mutex_destroy(&copy->lock);
        platform_release(copy->platform, copy, sizeof *copy);
    }
}

/* ------------------------------------------------------------------------------------------ what the copy says */

uint64_t copier_next_sequence(const struct copier *copy) {
    return atomic_load(&copy->next_sequence);
}

const char *copier_name(const struct copier *copy) {
    return copy->name;
}

void copier_look(struct copier *copy, struct copier_figures *figures) {
    pthread_mutex_lock(&copy->lock);
    *figures = (struct copier_figures){
        .state = copy->state, .next_sequence = copier_next_sequence(copy), .missing = copy->missing};
    pthread_mutex_unlock(&copy->lock);
}

int copier_lost_pages(const struct copier *copy) {
    return error_set(EIO, "records of ring %s can no longer be read for its copy %s: pages of its medium were lost",
                     copy->ring->path, copy->name);
}

int copier_refuse_closed(const struct copier *copy) {
    return error_set(ESHUTDOWN, "the log on ring %s is closed", copy->ring->path);
}

/* Refuses a call that needs a copy that is there. The caller holds the lock. */
static int check_here(const struct copier *copy) {
    if (copy->is_over) {
        return copier_refuse_closed(copy);
    }
    if (copy->state == COPY_EXPECTED) {
        return error_set(ENOTCONN, "copy %s of ring %s has not begun: call burst_copy_begin first", copy->name,
                         copy->ring->path);
    }
    return copy->state == COPY_IS_HERE
               ? 0
               : error_set(ENOTCONN,
                           "copy %s of ring %s is away: records from %llu on have one copy only until it begins again",
                           copy->name, copy->ring->path, (unsigned long long)copier_next_sequence(copy));
}

/* The copy confirms records alone: if none lies between the two, everything there is confirmed, losses as well. */
static void settle(struct copier *copy) {
    struct log_cursor cursor = copy->kept;
    struct log_item item;
    int rc;
    do {
        rc = log_source_next(&copy->source, &cursor, copy->taken.walk.position, &item);
    } while (rc == 1 && item.kind == LOG_LOSS);
    if (rc == 0) {
        copy->kept = copy->taken;
    }
    copier_publish(copy);
}

int copier_away(struct copier *copy) {
    pthread_mutex_lock(&copy->lock);
    const int rc = copy->is_over ? copier_refuse_closed(copy) : 0;
    if (rc == 0 && copy->state != COPY_IS_AWAY) {
        copy->state = COPY_IS_AWAY;
        copier_publish(copy);
        copier_tell_away(&copy->tell, copier_next_sequence(copy));
    }
    pthread_mutex_unlock(&copy->lock);
    event_count_notify(&copy->ring->copy.more, copy->platform);
    return rc;
}

static int confirm(struct copier *copy, uint64_t sequence) {
    struct log_item item;
    const int rc = check_here(copy);
    if (rc < 0) {
        return rc;
    }
    if (sequence >= copy->taken.walk.sequence) {
        return error_set(EINVAL, "copy %s of ring %s confirms record %llu, and has taken records up to %llu only",
                         copy->name, copy->ring->path, (unsigned long long)sequence,
                         (unsigned long long)copy->taken.walk.sequence - 1);
    }
    while (copy->kept.walk.sequence <= sequence) {
        if (log_source_next(&copy->source, &copy->kept, copy->taken.walk.position, &item) < 0) {
            return copier_lost_pages(copy);
        }
    }
    settle(copy);
    return 0;
}

int copier_confirm(struct copier *copy, uint64_t sequence) {
    pthread_mutex_lock(&copy->lock);
    const int rc = confirm(copy, sequence);
    pthread_mutex_unlock(&copy->lock);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------- take */

/* Puts the record into the block. Returns its bytes; 0: it belongs to the next block; or -errno with a sentence. */
static int64_t put(const struct copier *copy, const struct log_item *item, uint8_t *to, size_t room,
                   struct copier_block *block) {
    const struct record_header *header = &item->header;
    const size_t bytes = record_bytes(header->length);
    const int is_behind_void = header->sequence != block->last_sequence + 1;
    if (bytes > room || (block->bytes > 0 && (header->epoch != block->epoch || is_behind_void))) {
        return block->bytes > 0
                   ? 0
                   : error_set(EMSGSIZE,
                               "record %llu of ring %s has %zu bytes with its header, and the buffer for "
                               "its copy %s has %zu: take with a larger one",
                               (unsigned long long)header->sequence, copy->ring->path, bytes, copy->name, room);
    }
    memcpy(to, ring_at(copy->ring, header->position), bytes);
    if (!log_source_is_still_there(&copy->source, header->position)) {
        return copier_lost_pages(copy);
    }
    block->first_sequence = block->bytes == 0 ? header->sequence : block->first_sequence;
    block->last_sequence = header->sequence;
    block->durable_sequence = header->sequence - header->in_flight - 1;
    block->epoch = header->epoch;
    block->bytes += bytes;
    return (int64_t)bytes;
}

/* Returns 1 with a block, 0 if there is nothing, or -errno with a sentence. */
static int fill(struct copier *copy, uint8_t *buffer, size_t room, struct copier_block *block) {
    const uint64_t sealed = atomic_load_explicit(&copy->ring->copy.sealed, memory_order_acquire);
    struct log_cursor next = copy->taken;
    struct log_item item;
    int64_t rc = check_here(copy);
    *block = (struct copier_block){.bytes = 0};
    while (rc == 0) {
        const int found = log_source_next(&copy->source, &next, sealed, &item);
        if (found < 0) {
            rc = copier_lost_pages(copy);
        } else if (found == 1 && item.kind == LOG_RECORD) {
            const int64_t put_bytes = put(copy, &item, buffer + block->bytes, room - block->bytes, block);
            if (put_bytes <= 0) {
                rc = put_bytes;
                break;
            }
        } else if (found == 1 && block->bytes > 0) {
            break; /* a lost range ends the block */
        }
        copy->taken = rc == 0 ? next : copy->taken;
        if (found == 0) {
            break;
        }
    }
    if (rc == 0 || block->bytes > 0) {
        settle(copy);
    }
    return block->bytes > 0 ? 1 : (int)rc;
}

int copier_take(struct copier *copy, void *buffer, size_t room, int64_t timeout_ns, struct copier_block *block) {
    struct event_count *more = &copy->ring->copy.more;
    struct limit limit = limit_of(timeout_ns);
    for (;;) {
        const uint32_t ticket = event_count_register(more);
        pthread_mutex_lock(&copy->lock);
        const int rc = fill(copy, buffer, room, block);
        pthread_mutex_unlock(&copy->lock);
        const int64_t left_ns = rc != 0 ? 0 : limit_left_ns(&limit, copy->platform);
        if (left_ns == 0) {
            event_count_leave(more);
            return rc;
        }
        event_count_wait(more, copy->platform, ticket, left_ns);
    }
}

/* ------------------------------------------------------------------------------------------------ those who wait */

/* Whether recovery found that the ring has lost the record. The copy may have got it before. */
static int is_lost(const struct copier *copy, uint64_t sequence) {
    const struct recovery *recovery = copy->source.recovery;
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct walk_gap *gap = &recovery->jumps[i].gap;
        if (sequence >= gap->first_sequence && sequence < gap->first_sequence + gap->count) {
            return 1;
        }
    }
    return 0;
}

/* Returns 1 if the copy has the record; 0: not yet; or -errno with a sentence: it will not get it. */
static int judge(struct copier *copy, uint64_t sequence) {
    int rc = 1;
    pthread_mutex_lock(&copy->lock);
    if (is_lost(copy, sequence)) {
        rc = error_set(ENODATA,
                       "record %llu of ring %s is lost, since its medium was damaged, and copy %s may lack it: look "
                       "for it in log file and copy",
                       (unsigned long long)sequence, copy->ring->path, copy->name);
    } else if (sequence >= copy->missing_from && sequence < copy->missing_end) {
        rc = error_set(ENODATA, "record %llu of ring %s has one copy only: copy %s was away, and lacks it",
                       (unsigned long long)sequence, copy->ring->path, copy->name);
    } else if (sequence >= atomic_load(&copy->whole_end)) {
        rc = atomic_load(&copy->is_vain) ? check_here(copy) : 0;
    }
    pthread_mutex_unlock(&copy->lock);
    return rc;
}

/* As judge, and needs no lock in the usual case. */
static int look(struct copier *copy, uint64_t sequence) {
    const int is_below = sequence < atomic_load(&copy->whole_end);
    if (is_below && sequence >= atomic_load(&copy->whole_from)) {
        return 1;
    }
    return is_below || atomic_load(&copy->is_vain) ? judge(copy, sequence) : 0;
}

int copier_await(struct copier *copy, uint64_t sequence, int64_t timeout_ns) {
    struct limit limit = limit_of(timeout_ns);
    int64_t since_ns = 0; /* when the wait began */
    for (;;) {
        const uint32_t ticket = event_count_register(&copy->moved);
        const int found = look(copy, sequence);
        const int64_t left_ns = found != 0 ? 0 : limit_left_ns(&limit, copy->platform);
        if (left_ns == 0) {
            event_count_leave(&copy->moved);
            stages_end(copy->ring->stages, STAGE_COPY_WAIT, since_ns);
            return found;
        }
        since_ns = since_ns != 0 ? since_ns : stages_now(copy->ring->stages);
        event_count_wait(&copy->moved, copy->platform, ticket, left_ns);
    }
}

int copier_has_begun(struct copier *copy) {
    pthread_mutex_lock(&copy->lock);
    const int begun = copy->state != COPY_EXPECTED;
    pthread_mutex_unlock(&copy->lock);
    return begun;
}

/* ------------------------------------------------------------------------------------------- beside the drain */

uint64_t copier_position(const struct copier *copy) {
    return atomic_load_explicit(&copy->ring->copy.kept, memory_order_acquire);
}

void copier_release(struct copier *copy, uint64_t position) {
    pthread_mutex_lock(&copy->lock);
    const uint64_t kept = copier_position(copy);
    ring_release(copy->ring, kept < position ? kept : position);
    pthread_mutex_unlock(&copy->lock);
}

void copier_hear_noted(struct copier *copy, const struct checkpoint_position *least) {
    pthread_mutex_lock(&copy->lock);
    copy->noted = log_source_at(&copy->source, least->drained_position, least->next_sequence, least->epoch);
    pthread_mutex_unlock(&copy->lock);
}

static void tell_left(const struct copier *copy) {
    uint64_t position, end;
    ring_durable(copy->ring, &position, &end);
    const uint64_t next = copier_next_sequence(copy);
    if (end > next && copy->state == COPY_IS_HERE) {
        copier_tell_kept(&copy->tell, next, end);
    } else if (end > next) {
        copier_tell_alone(&copy->tell, copy->state == COPY_IS_AWAY, next, end);
    }
}

void copier_end(struct copier *copy) {
    pthread_mutex_lock(&copy->lock);
    tell_left(copy);
    copy->is_over = 1;
    tell_waiting(copy);
    pthread_mutex_unlock(&copy->lock);
    event_count_notify(&copy->ring->copy.more, copy->platform);
}
