/* SPDX-License-Identifier: Apache-2.0 */
#include "log/threads.h"

#include "base/spin.h"
#include "ring/leader.h"

#define BUSY_LOOKS 8 /* looks in each interval while records come fast */

/* The drain looks each interval even if nobody wakes it. While a sixteenth of the ring fills in less time, it looks
 * more often, so that hardly any append has to wake it. */
static void drain_loop(void *argument) {
    struct log_threads *threads = argument;
    struct ring *ring = threads->engine->ring;
    int64_t pause_ns = threads->settings.drain_interval_ns;
    while (!worker_is_stopped(&threads->drain)) {
        const uint32_t ticket = event_count_register(&ring->drain);
        const uint64_t looked = atomic_load(&ring->drain_looked);
        if (threads->host.look != NULL) {
            threads->host.look(threads->host.argument);
        }
        const int sync = (int)atomic_exchange(&threads->sync_wanted, 0);
        const int rc = engine_step(threads->engine, sync);
        if (rc < 0 && sync) {
            atomic_store(&threads->sync_wanted, 1);
        }
        const uint64_t moved = atomic_load(&ring->drain_looked) - looked;
        if (moved >= ring->geometry.capacity_bytes / 16) {
            pause_ns = threads->settings.drain_interval_ns / BUSY_LOOKS;
        } else if (moved == 0) {
            pause_ns = threads->settings.drain_interval_ns;
        }
        if (worker_is_stopped(&threads->drain)) {
            event_count_leave(&ring->drain);
        } else {
            event_count_wait(&ring->drain, ring->platform, ticket,
                             threads->host.pause_ns == NULL ? pause_ns
                                                            : threads->host.pause_ns(threads->host.argument, pause_ns));
        }
    }
    if (threads->host.last != NULL) {
        threads->host.last(threads->host.argument);
    }
}

#define LINGER_NS 20000 /* while records come fast, the committer looks so long for the next one before it sleeps */
#define SPACING_NS 5000 /* least time between the beginnings of two commits; it matters on media that are faster */
#define BATCH_SLICE_NS 1000000
#define BATCH_LEAST_SLICE_NS 20000

static int is_enqueued(const struct ring *ring) {
    return atomic_load_explicit(&ring->enqueued, memory_order_relaxed) != 0;
}

/* Spins until something is enqueued, or until `until_ns`. */
static int linger(struct log_threads *threads, int64_t until_ns) {
    struct ring *ring = threads->engine->ring;
    for (int turn = 0; turn < SPIN_TURNS && platform_monotonic_ns(ring->platform) < until_ns; turn++) {
        if (is_enqueued(ring) || worker_is_stopped(&threads->committer)) {
            break;
        }
        spin_turn(ring->platform);
    }
    return is_enqueued(ring);
}

/* Waits until there is something to commit, or until the committer has to stop. */
static void await_enqueued(struct log_threads *threads, int64_t *idle_ns) {
    struct ring *ring = threads->engine->ring;
    while (threads->settings.committer_spins && !is_enqueued(ring) && !worker_is_stopped(&threads->committer)) {
        spin_pause();
    }
    /* Records may come one by one, each soon after the commit of the one before: each must not pay for a wake-up. For
     * records that come now and then the committer does not spin. */
    const int64_t begin_ns = platform_monotonic_ns(ring->platform);
    const int comes_fast = ring->limits.cpus > 1 && *idle_ns < LINGER_NS;
    if (is_enqueued(ring) || (comes_fast && linger(threads, begin_ns + LINGER_NS))) {
        *idle_ns = 0;
        return;
    }
    const uint32_t ticket = event_count_register(&ring->committer);
    if (atomic_load(&ring->enqueued) != 0 || worker_is_stopped(&threads->committer)) {
        event_count_leave(&ring->committer);
    } else {
        event_count_wait(&ring->committer, ring->platform, ticket, -1);
    }
    *idle_ns = platform_monotonic_ns(ring->platform) - begin_ns;
}

/* Whether the batch is complete. It also is when half the ring is not durable, since others may need that space. */
static int is_batch_full(const struct log_threads *threads) {
    const struct ring *ring = threads->engine->ring;
    uint64_t durable, next_sequence;
    ring_durable(ring, &durable, &next_sequence);
    const uint64_t waiting = ring_claimed(ring) - durable;
    return waiting >= ring->geometry.capacity_bytes / 2 ||
           (threads->settings.batch_bytes != 0 && waiting >= threads->settings.batch_bytes);
}

/* Lets more records come, unless a caller waits for durability. `enqueued` stays set, so that no record wakes the
 * committer meanwhile. */
static void gather_batch(struct log_threads *threads) {
    struct ring *ring = threads->engine->ring;
    const struct platform *platform = ring->platform;
    const int64_t delay_ns = threads->settings.batch_delay_ns;
    const int64_t until_ns = platform_monotonic_ns(platform) + delay_ns;
    int64_t slice_ns = delay_ns / 8 > BATCH_LEAST_SLICE_NS ? delay_ns / 8 : BATCH_LEAST_SLICE_NS;
    slice_ns = slice_ns < BATCH_SLICE_NS ? slice_ns : BATCH_SLICE_NS;
    int64_t left_ns = delay_ns;
    while (left_ns > 0 && !is_batch_full(threads)) {
        const uint32_t ticket = event_count_register(&ring->committer);
        if (atomic_load(&ring->hurried) || worker_is_stopped(&threads->committer)) {
            event_count_leave(&ring->committer);
            return;
        }
        if (threads->settings.committer_spins) {
            event_count_leave(&ring->committer);
            spin_pause();
        } else {
            event_count_wait(&ring->committer, platform, ticket, left_ns < slice_ns ? left_ns : slice_ns);
        }
        left_ns = until_ns - platform_monotonic_ns(platform);
    }
}

/* Leaves time between commits: a commit for each record would take the cache lines of the claim away from the appending
 * threads. */
static void keep_apart(const struct log_threads *threads, int64_t committed_ns) {
    const struct ring *ring = threads->engine->ring;
    const int may_spin = threads->settings.committer_spins || ring->limits.cpus > 1;
    const int64_t until_ns = committed_ns + SPACING_NS;
    for (int turn = 0; may_spin && turn < SPIN_TURNS && platform_monotonic_ns(ring->platform) < until_ns; turn++) {
        spin_turn(ring->platform);
    }
}

static void committer_loop(void *argument) {
    struct log_threads *threads = argument;
    struct ring *ring = threads->engine->ring;
    int64_t committed_ns = 0, idle_ns = INT64_MAX;
    while (!worker_is_stopped(&threads->committer)) {
        await_enqueued(threads, &idle_ns);
        if (!is_enqueued(ring)) {
            continue;
        }
        gather_batch(threads);
        keep_apart(threads, committed_ns);
        atomic_store(&ring->enqueued, 0);
        atomic_store(&ring->hurried, 0);
        atomic_thread_fence(memory_order_seq_cst); /* the flag before the claim word: see is_committer_told */
        committed_ns = platform_monotonic_ns(ring->platform);
        ring_commit(ring);
    }
    while (ring_commit(ring) > 0) {
    }
}

void threads_stop_drain(struct log_threads *threads) {
    threads->host.last = NULL;
    worker_stop(&threads->drain, &threads->engine->ring->drain);
    worker_join(&threads->drain);
}

int threads_start(struct log_threads *threads, struct engine *engine, const struct thread_settings *settings,
                  const struct thread_host *host) {
    threads->engine = engine;
    threads->settings = *settings;
    threads->host = *host;
    int rc = worker_start(&threads->drain, "burst-drain", drain_loop, threads);
    if (rc == 0) {
        rc = worker_start(&threads->committer, "burst-commit", committer_loop, threads);
        if (rc < 0) {
            threads_stop_drain(threads);
        }
    }
    return rc;
}

void threads_stop(struct log_threads *threads) {
    struct ring *ring = threads->engine->ring; /* stays; the engine may be gone as soon as the drain is told */
    worker_stop(&threads->committer, &ring->committer);
    worker_stop(&threads->drain, &ring->drain);
}

void threads_ask_sync(struct log_threads *threads) {
    atomic_store(&threads->sync_wanted, 1);
    if (threads->engine->far != NULL) {
        atomic_fetch_add(&threads->engine->requests->table->syncs, 1);
    }
    event_count_notify(&threads->engine->ring->drain, threads->engine->parts.platform);
}
