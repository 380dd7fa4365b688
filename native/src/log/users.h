/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that use the engine of an open log, and the close that takes the engine away.
 *
 * INVARIANT. A call counts itself, and then asks whether it is refused. The close refuses calls, and then asks whether
 * one is counted. So the close waits for each call that it did not refuse, and no call uses what it lets go of
 * afterwards.
 *
 *     a call                                  the close
 *     inside + 1                              is_gone = 1
 *     is_gone? then inside - 1: refused       until inside is 0: wait
 *     .. uses the engine ..                   .. takes it away ..
 *     inside - 1
 *
 * Calls that wait for something are refused earlier, by `is_closing`. Otherwise the close would have to wait for the
 * same thing.
 */
#ifndef BURST_LOG_USERS_H
#define BURST_LOG_USERS_H

#include "ring/ring.h"

/* Only the functions below write it. */
struct log_users {
    _Atomic uint32_t inside;
    _Atomic uint32_t is_closing;
    _Atomic uint32_t is_gone;
};

/* Return 0, or -ESHUTDOWN with a sentence if the call is refused. users_enter is for calls that wait. */
int users_enter(struct log_users *users, const struct ring *ring);
int users_look(struct log_users *users, const struct ring *ring);
void users_leave(struct log_users *users);

static inline int users_are_closing(const struct log_users *users) {
    return atomic_load(&users->is_closing) != 0;
}

/* Begins the close. Returns 1, or 0 if it has begun before. */
int users_begin_close(struct log_users *users);

/* Refuses all calls, and waits until none is inside. Wakes those that sleep at `sleep_at`: they then see that the log
 * is closing. */
void users_end(struct log_users *users, struct event_count *sleep_at);

#endif
