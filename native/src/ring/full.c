/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/full.h"

#include "base/alarm.h"

#define SLOW_NS 1000000000ll /* a wait for space of this length is an error that the operator hears of */

/* Begins a new alarm if nobody waited for a second and space was released meanwhile. Without this condition, each of
 * many short waits and each call that times out would begin one. */
void full_begins(struct ring *ring, int64_t now_ns) {
    struct ring_full *full = &ring->full;
    const uint64_t freed = atomic_load(&ring->freed);
    const int64_t calm_ns = now_ns - atomic_exchange(&full->seen_ns, now_ns);
    if (atomic_load(&full->since_ns) == 0 ||
        (atomic_load(&ring->space.waiters) == 0 && calm_ns >= SLOW_NS && atomic_load(&full->freed) != freed)) {
        atomic_store(&full->since_ns, now_ns);
        atomic_store(&full->told_ns, 0);
    }
    atomic_store(&full->freed, freed);
}

/* Whether more of the ring waits for the copy than for the log file. */
static int is_copy_behind(const struct ring *ring) {
    const uint64_t freed = atomic_load(&ring->freed), kept = atomic_load(&ring->copy.kept);
    uint64_t durable, next_sequence;
    ring_durable(ring, &durable, &next_sequence);
    return ring->copy.is_kept && kept < durable && durable - kept > kept - freed;
}

static void tell(struct ring *ring, long long seconds) {
    if (is_copy_behind(ring)) {
        events_post(ring->events, EVENT_ERROR,
                    "ring %s has been full for %lld s: appends wait until its second copy has its records: look at "
                    "whoever keeps that copy, not at the disk of the log file",
                    ring->path, seconds);
    } else {
        events_post(
            ring->events, EVENT_ERROR,
            "ring %s has been full for %lld s: appends wait until its records are in the log file; if a message "
            "before this one says why they are not, mend that, else the disk of the log file hangs or is too slow",
            ring->path, seconds);
    }
}

int64_t full_lasts(struct ring *ring, int64_t waited_ns, int64_t now_ns) {
    struct ring_full *full = &ring->full;
    atomic_store(&full->seen_ns, now_ns);
    if (waited_ns < SLOW_NS) {
        return SLOW_NS - waited_ns;
    }
    int64_t told_ns = atomic_load(&full->told_ns);
    if (told_ns != 0 && now_ns - told_ns < ALARM_EVERY_NS) {
        return told_ns + ALARM_EVERY_NS - now_ns;
    }
    if (atomic_compare_exchange_strong(&full->told_ns, &told_ns, now_ns)) { /* else another thread tells */
        tell(ring, (long long)((now_ns - atomic_load(&full->since_ns)) / 1000000000));
    }
    return ALARM_EVERY_NS;
}

void full_may_end(struct ring *ring) {
    struct ring_full *full = &ring->full;
    if (atomic_load(&full->told_ns) == 0 || atomic_load(&ring->space.waiters) != 0 || ring_has_failed(ring) ||
        atomic_load(&full->freed) == atomic_load(&ring->freed) ||
        platform_monotonic_ns(ring->platform) - atomic_load(&full->seen_ns) < SLOW_NS) {
        return;
    }
    atomic_store(&full->told_ns, 0);
    events_post(ring->events, EVENT_ERROR, "ring %s has space again: no append waits for it", ring->path);
}
