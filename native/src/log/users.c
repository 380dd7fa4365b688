/* SPDX-License-Identifier: Apache-2.0 */
#include "log/users.h"

#include <errno.h>

#include "base/error.h"

#define PAUSE_NS 100000

static int enter_unless(struct log_users *users, const _Atomic uint32_t *is_refused, const struct ring *ring) {
    atomic_fetch_add(&users->inside, 1);
    if (atomic_load(is_refused)) {
        atomic_fetch_sub(&users->inside, 1);
        return error_set(ESHUTDOWN, "the log on ring %s is closed", ring->path);
    }
    return 0;
}

int users_enter(struct log_users *users, const struct ring *ring) {
    return enter_unless(users, &users->is_closing, ring);
}

int users_look(struct log_users *users, const struct ring *ring) {
    return enter_unless(users, &users->is_gone, ring);
}

void users_leave(struct log_users *users) {
    atomic_fetch_sub(&users->inside, 1);
}

int users_begin_close(struct log_users *users) {
    return atomic_exchange(&users->is_closing, 1) == 0;
}

void users_end(struct log_users *users, struct event_count *sleep_at) {
    atomic_store(&users->is_gone, 1);
    event_count_notify(sleep_at, &platform_linux);
    while (atomic_load(&users->inside) != 0) {
        platform_linux.ops->sleep_ns(&platform_linux, PAUSE_NS);
        event_count_notify(sleep_at, &platform_linux);
    }
}
