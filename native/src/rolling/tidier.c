/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/tidier.h"

#include "base/error.h"
#include "rolling/config.h"

_Static_assert(LAYOUT_STREAMS_MAX <= 64, "a bit for each stream");

static int64_t sooner(int64_t one_ns, int64_t other_ns) {
    return one_ns < 0 || (other_ns >= 0 && other_ns < one_ns) ? other_ns : one_ns;
}

int64_t tidier_run(struct tidier *tidier) {
    const struct tidier_host *host = tidier->host;
    struct error_list errors = {.code = 0};
    uint64_t waiting = 0;
    int64_t soonest_ns = -1;
    int id;
    tidier->files.is_stopped = &tidier->worker.is_stopped;
    while (!worker_is_stopped(&tidier->worker) && (id = host->next(host, &tidier->rules)) >= 0) {
        int64_t again_ns;
        error_list_add(&errors, rolling_tidy_by(host->ring, &tidier->rules, &tidier->files,
                                                platform_realtime_ns(&platform_linux), &again_ns));
        waiting |= again_ns >= 0 ? 1ull << id : 0;
        soonest_ns = sooner(soonest_ns, again_ns);
    }
    for (id = 0; waiting >> id != 0; id++) {
        if (waiting >> id & 1) {
            host->put_back(host, id);
        }
    }
    const int rc = error_list_result(&errors);
    if (rc < 0 && rc != tidier->told_rc) {
        events_post(host->events, EVENT_WARN, "after a roll of ring %s: %s", host->ring, error_text());
    }
    tidier->told_rc = rc;
    return soonest_ns;
}

static void run(void *argument) {
    struct tidier *tidier = argument;
    worker_step_back();
    for (;;) {
        const uint32_t ticket = event_count_register(&tidier->changed);
        const int64_t again_ns = worker_is_stopped(&tidier->worker) ? -1 : tidier_run(tidier);
        if (worker_is_stopped(&tidier->worker)) {
            event_count_leave(&tidier->changed);
            return;
        }
        event_count_wait(&tidier->changed, &platform_linux, ticket, again_ns);
    }
}

void tidier_wake(struct tidier *tidier) {
    if (atomic_exchange(&tidier->is_started, 1)) {
        event_count_notify(&tidier->changed, &platform_linux);
    } else if (worker_start(&tidier->worker, "burst-tidy", run, tidier) < 0) {
        events_post(tidier->host->events, EVENT_WARN, "rolled files stay as they are until the next roll: %s",
                    error_text());
        atomic_store(&tidier->is_started, 0);
    } else {
        worker_leave(&tidier->worker);
    }
}

void tidier_stop(struct tidier *tidier) {
    worker_stop(&tidier->worker, &tidier->changed);
}

void tidier_await_end(struct tidier *tidier, struct limit *limit) {
    if (atomic_load(&tidier->is_started)) {
        worker_await_end(&tidier->worker, limit);
    }
}
