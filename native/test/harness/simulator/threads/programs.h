/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_TEST_SIMULATOR_PROGRAMS_H
#define BURST_TEST_SIMULATOR_PROGRAMS_H

#include "harness/simulator/threads/threaded_log.h"

/* For the first thread: starts a thread that writes as writer `writer`, or one that does something else; waits for
 * all of them. */
void start_writer(void *(*work)(void *), unsigned writer);
void start_other(const char *name, void *(*work)(void *));
void join_writers(void);

static inline unsigned writer_of(void *argument) {
    return (unsigned)(uintptr_t)argument;
}

/* small_programs.c */
void two_append(void);
void three_append(void);
void append_and_enqueue(void);
void nobody_awaits(void);
void some_await_for_a_moment(void);
void appends_time_out(void);
void appends_time_out_beside_others(void);
void some_flush_for_a_moment(void);
void write_fails(void);
void piece_fails_while_closing(void);
void commit_in_pieces(void);
void closed_while_appending(void);
void full_ring(void);
void offered_until_there_is_space(void);
void drained_is_awaited(void);
void sync_fails_while_drained_is_awaited(void);
void closed_while_drained_is_awaited(void);
void closed_while_full(void);
void closed_while_the_file_takes_nothing(void);
void closed_and_not_waited_for(void);
void device_breaks_while_full(void);
void checkpoint_fails(void);

#endif
