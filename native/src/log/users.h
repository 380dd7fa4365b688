/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that use the engine of an open log, and the close that takes it away.
 *
 * INVARIANT. A call counts itself, and then asks whether it is refused. The close refuses, and then asks whether one is counted. So the
 * close waits for every call that was not refused, and what it lets go of afterwards nobody uses.
 *
 *     a call                                  the close
 *     inside + 1                              is_gone = 1
 *     is_gone? then inside - 1: refused       until inside is 0: wait
 *     .. uses the engine ..                   .. takes it away ..
 *     inside - 1
 *
 * Calls that wait for something are refused sooner, by `is_closing`: the close would wait for what they wait for.
 */
#ifndef BURST_LOG_USERS_H
#define BURST_LOG_USERS_H

#include "ring/ring.h"

/* Written by the functions below alone. */
struct log_users {
    _Atomic uint32_t inside;
    _Atomic uint32_t is_closing;
    _Atomic uint32_t is_gone;
};

/* 0 or -ESHUTDOWN with a sentence: the call is refused. users_enter is for calls that wait. */
int users_enter(struct log_users *users, const struct ring *ring);
int users_look(struct log_users *users, const struct ring *ring);
void users_leave(struct log_users *users);

static inline int users_are_closing(const struct log_users *users) {
    return atomic_load(&users->is_closing) != 0;
}

/* The close begins. 1, or 0: it has begun before. */
int users_begin_close(struct log_users *users);

/* Refuses all calls, and waits until none is inside. Those that sleep at `sleep_at` are woken: they see that the log is closing. */
void users_end(struct log_users *users, struct event_count *sleep_at);

#endif
