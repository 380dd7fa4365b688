/* SPDX-License-Identifier: Apache-2.0 */
/* Where a second copy goes on. */
#include <errno.h>

#include "base/error.h"
#include "log/copier.h"

/* The copy gets no record before this one, whatever it has: the ring did not wait for a copy that is away. */
static struct log_cursor place(const struct copier *copy) {
    const int is_passed = copy->state == COPY_IS_AWAY && copy->noted.walk.position > copy->kept.walk.position;
    return is_passed ? copy->noted : copy->kept;
}

uint64_t copier_owed(struct copier *copy) {
    struct log_item item;
    uint64_t streams = 0;
    int rc;
    pthread_mutex_lock(&copy->lock);
    struct log_cursor cursor = place(copy);
    const uint64_t sealed = atomic_load_explicit(&copy->ring->copy.sealed, memory_order_acquire);
    while ((rc = log_source_next(&copy->source, &cursor, sealed, &item)) == 1) {
        const int is_named = item.kind == LOG_RECORD && item.header.stream < LAYOUT_STREAMS_MAX;
        streams |= is_named ? 1ull << item.header.stream : 0;
    }
    pthread_mutex_unlock(&copy->lock);
    return rc < 0 ? UINT64_MAX : streams;
}

/* Finds the first record that the copy lacks: it is behind the copy's last one, or a later epoch wrote it. */
static int find(const struct copier *copy, uint64_t last_sequence, uint32_t last_epoch, struct log_cursor *cursor) {
    const uint64_t sealed = atomic_load_explicit(&copy->ring->copy.sealed, memory_order_acquire);
    struct log_cursor next = *cursor = copy->kept;
    struct log_item item;
    int rc;
    while ((rc = log_source_next(&copy->source, &next, sealed, &item)) == 1) {
        if (item.kind == LOG_RECORD && (item.header.sequence > last_sequence || item.header.epoch > last_epoch)) {
            return 0;
        }
        *cursor = next;
    }
    *cursor = rc == 0 ? next : *cursor;
    return rc < 0 ? copier_lost_pages(copy) : 0;
}

/* Returns the copy's last record that is of the log. Records of an earlier epoch are not if this epoch has their sequences:
 * also if these were drained while the copy was away, so that `next` is behind them. */
static uint64_t last_of_log(const struct copier *copy, uint64_t last_sequence, uint32_t last_epoch, uint64_t next) {
    uint64_t end = last_sequence + 1 < next ? last_sequence + 1 : next;
    if (last_epoch < copy->ring->epoch && copy->first_sequence < end) {
        end = copy->first_sequence;
    }
    return end - 1;
}

/* The ring cannot tell which of the copy's records are of the log if it holds none that both have, and a later epoch than the
 * copy's, but not this one alone, may have had their sequences. */
static int is_unsure(const struct copier *copy, uint64_t last_sequence, uint32_t last_epoch, uint64_t next) {
    return last_sequence > 0 && next == copy->kept.walk.sequence && last_epoch + 1 < copy->ring->epoch &&
           last_epoch < copy->kept.walk.epoch;
}

/* Counts each record once: a copy whose note of the gap was lost is told of it again. Records that it had between two gaps,
 * and lost later, are not counted. `end` never falls. */
static void note_missing(struct copier *copy, uint64_t from, uint64_t end) {
    const int is_first = copy->missing_end == 0;
    copy->missing += end - (from > copy->missing_end ? from : copy->missing_end);
    copy->missing += !is_first && from < copy->missing_from ? copy->missing_from - from : 0;
    copy->missing_from = is_first || from < copy->missing_from ? from : copy->missing_from;
    copy->missing_end = end;
}

/* Refuses a ring that cannot be the one of the copy, or which has lost durable records of the copy: `last` is the copy's last
 * one that is of the log. */
static int check_ring(const struct copier *copy, uint64_t last_sequence, uint32_t last_epoch, uint64_t durable_sequence,
                      uint64_t next, uint64_t last) {
    if (last_epoch > copy->ring->epoch || (last_epoch == copy->ring->epoch && last_sequence >= next)) {
        return error_set(
            EINVAL,
            "copy %s ends with record %llu of epoch %u, and ring %s in epoch %u has none such: the copy is "
            "of another ring, or an older state of the ring was put back",
            copy->name, (unsigned long long)last_sequence, last_epoch, copy->ring->path, copy->ring->epoch);
    }
    return last >= durable_sequence
               ? 0
               : error_set(
                     EINVAL,
                     "ring %s has lost records %llu to %llu, which were durable in it when copy %s got record %llu: "
                     "recover them from the copy, and go on with a new ring",
                     copy->ring->path, (unsigned long long)last + 1, (unsigned long long)durable_sequence, copy->name,
                     (unsigned long long)last_sequence);
}

/* Returns the last record before `next` that is durable in the ring. */
static uint64_t durable_before(const struct copier *copy, uint64_t next) {
    uint64_t position, durable_next;
    ring_durable(copy->ring, &position, &durable_next);
    return (durable_next < next ? durable_next : next) - 1;
}

static int begin(struct copier *copy, uint64_t last_sequence, uint32_t last_epoch, uint64_t durable_sequence,
                 struct copier_begun *begun) {
    struct log_cursor cursor;
    int rc = copy->is_over ? copier_refuse_closed(copy) : 0;
    copy->kept = place(copy);
    rc = rc < 0 ? rc : find(copy, last_sequence, last_epoch, &cursor);
    if (rc < 0) {
        return rc;
    }
    const uint64_t next = cursor.walk.sequence, last = last_of_log(copy, last_sequence, last_epoch, next);
    rc = check_ring(copy, last_sequence, last_epoch, durable_sequence, next, last);
    if (rc < 0) {
        return rc;
    }
    *begun = (struct copier_begun){.next_sequence = next,
                                   .missing = next - last - 1,
                                   .surplus = last_sequence - last,
                                   .epoch = copy->ring->epoch,
                                   .durable_sequence = durable_before(copy, next)};
    if (is_unsure(copy, last_sequence, last_epoch, next)) {
        copier_tell_unsure(&copy->tell, last_sequence, last_epoch);
    }
    if (begun->missing == 0 && copy->state == COPY_IS_AWAY) {
        copier_tell_back(&copy->tell, next);
    } else if (begun->missing > 0) {
        copier_tell_missing(&copy->tell, last + 1, next);
        note_missing(copy, last + 1, next);
    }
    copy->kept = copy->taken = cursor;
    copy->state = COPY_IS_HERE;
    copier_publish(copy);
    return 0;
}

int copier_begin(struct copier *copy, uint64_t last_sequence, uint32_t last_epoch, uint64_t durable_sequence,
                 struct copier_begun *begun) {
    pthread_mutex_lock(&copy->lock);
    const int rc = begin(copy, last_sequence, last_epoch, durable_sequence, begun);
    pthread_mutex_unlock(&copy->lock);
    return rc;
}
