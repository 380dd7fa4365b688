/* SPDX-License-Identifier: Apache-2.0 */
#include "log/tidying.h"

#include <errno.h>

static burst_t *log_of(const struct tidier_host *host) {
    return (burst_t *)((char *)host - offsetof(burst_t, tidying.host));
}

static int next(const struct tidier_host *host, struct outlet_rules *rules) {
    burst_t *log = log_of(host);
    if (log_look(log) < 0) {
        return -ESHUTDOWN;
    }
    const int id = engine_next_rules(log->engine, rules);
    log_leave(log);
    return id;
}

static void put_back(const struct tidier_host *host, int id) {
    burst_t *log = log_of(host);
    if (log_look(log) == 0) {
        engine_return_rules(log->engine, (uint16_t)id);
        log_leave(log);
    }
}

/* Either this thread sees that the log is open, or its opener sees the roll. */
void tidying_note(void *argument) {
    burst_t *log = argument;
    atomic_store(&log->tidying.is_wanted, 1);
    if (atomic_load(&log->tidying.is_ready)) {
        tidier_wake(&log->tidying.tidier);
    }
}

void tidying_begin(burst_t *log) {
    log->tidying.host =
        (struct tidier_host){.ring = log->ring->path, .events = &log->events, .next = next, .put_back = put_back};
    log->tidying.tidier.host = &log->tidying.host;
    atomic_store(&log->tidying.is_ready, 1);
    if (atomic_load(&log->tidying.is_wanted)) {
        tidier_wake(&log->tidying.tidier);
    }
}
