/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's side of a drain in another process: its locks, the drain's page, and who drains when.
 *
 *     a drain is there                 it drains; this process reads its page
 *     none, for less than PATIENCE     nobody drains, and the operator knows
 *     none, for longer; or the ring    this process drains, with the drain's lock, and gives way as soon as one waits
 *     is three quarters full; or a     for that
 *     stream waits to be opened
 *
 * A restart of the drain takes less than PATIENCE, and makes no hand-over.
 *
 * Only the thread that steps calls these functions, but for those of the open and where it says so.
 */
#ifndef BURST_LOG_HAND_OVER_H
#define BURST_LOG_HAND_OVER_H

#include "log/config.h"
#include "log/log.h"

/* Takes the lock of the ring's writer; and that of the drain, if this log always drains or if nobody else does. Without a
 * lock file a log that always drains needs none. *drains: who drains at first. Returns 0; or -errno with a sentence, -EBUSY
 * if another process holds a lock that it needs. uuid: the ring's. */
int hand_over_begin(burst_t *log, const struct checked_config *checked, const uint8_t uuid[16],
                    enum engine_drains *drains);

/* Lets go of all locks. */
void hand_over_end(burst_t *log);

/* The open is done. If this process drained for it, it ends that: it has patience, too. */
void hand_over_opened(burst_t *log);

/* Decides who drains, before a step. log: a burst_t. */
void hand_over_look(void *log);

/* How long the thread may sleep after a step, at most pause_ns: nobody wakes it for what another process does. */
int64_t hand_over_pause_ns(const void *log, int64_t pause_ns);

/* Whether another process may drain. Any thread may call this and the next two. */
int hand_over_is_external(const burst_t *log);

/* "process 17": who drains, or did last. */
void hand_over_drain(const burst_t *log, char *text, size_t room);

/* Returns 0, or -errno with a sentence if no other process can do what the stream wants. */
int hand_over_check_stream(const burst_t *log, const char *ring, const burst_stream_config_t *stream);

#endif
