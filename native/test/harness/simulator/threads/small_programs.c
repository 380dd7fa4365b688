/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of few steps, each about one thing that can go wrong between threads. */
#include <errno.h>

#include "harness/simulator/log.h"
#include "harness/simulator/threads/programs.h"

#define POLLS_MAX 20
#define POLL_NS 10000000000ll /* far longer than any slow operation */

static void *append_one(void *writer) {
    writer_append(writer_of(writer), 200);
    return NULL;
}

static void *append_two(void *writer) {
    writer_append(writer_of(writer), 200);
    writer_append(writer_of(writer), 150);
    return NULL;
}

static void *enqueue_and_await(void *writer) {
    writer_enqueue(writer_of(writer), 120);
    writer_await(writer_of(writer), -1);
    return NULL;
}

void two_append(void) {
    start_writer(append_two, 0);
    start_writer(append_two, 1);
    join_writers();
    run_close();
}

void append_and_enqueue(void) {
    start_writer(append_two, 0);
    start_writer(enqueue_and_await, 1);
    join_writers();
    run_close();
}

void three_append(void) {
    start_writer(append_one, 0);
    start_writer(append_one, 1);
    start_writer(append_one, 2);
    join_writers();
    run_close();
}

/* The committer makes accepted records durable though nobody waits for them. */
static void look_until_durable(void) {
    const int64_t sequence = (int64_t)ring_next_sequence(run.ring) - 1;
    for (int polls = 0; burst_durable_sequence(&run.log) < sequence; polls++) {
        if (polls == POLLS_MAX) {
            violation(run.world, "sequence %lld was accepted and never becomes durable", (long long)sequence);
        }
        sim_thread_sleep("looking whether it is durable", POLL_NS);
    }
}

static void *enqueue_and_look(void *writer) {
    writer_enqueue(writer_of(writer), 100);
    writer_enqueue(writer_of(writer), 100);
    look_until_durable();
    return NULL;
}

void nobody_awaits(void) {
    start_writer(enqueue_and_look, 0);
    start_writer(enqueue_and_look, 1);
    join_writers();
    run_close();
}

#define SHORT_NS 1000000

static void *await_for_a_moment(void *writer) {
    writer_enqueue(writer_of(writer), 100);
    writer_await(writer_of(writer), SHORT_NS);
    writer_await(writer_of(writer), 0);
    return NULL;
}

/* Every operation takes as long as the writers wait. */
void some_await_for_a_moment(void) {
    run.slow_in = 1;
    run.slow_ns = SHORT_NS;
    start_writer(await_for_a_moment, 0);
    start_writer(append_one, 1);
    start_writer(append_one, 2);
    join_writers();
    run_close();
}

static void *append_or_look(void *writer) {
    if (writer_append(writer_of(writer), 200) == -EINPROGRESS) {
        look_until_durable();
    }
    return NULL;
}

void appends_time_out(void) {
    run.slow_in = 1;
    run.slow_ns = SHORT_NS;
    start_writer(append_or_look, 0);
    start_writer(append_or_look, 1);
    start_writer(append_or_look, 2);
    join_writers();
    run_close();
}

/* A writer whose time is over when it is woken to lead lets another one lead. That may be the committer, which
 * sleeps among them. */
void appends_time_out_beside_others(void) {
    run.slow_in = 1;
    run.slow_ns = SHORT_NS;
    sim_threads.late_decided = 1;
    start_writer(append_or_look, 0);
    start_writer(append_or_look, 1);
    start_writer(enqueue_and_look, 2);
    join_writers();
    run_close();
}

static void *flush_for_a_moment(void *argument) {
    (void)argument;
    run_flush(3 * SHORT_NS); /* longer than the two operations of a commit */
    return NULL;
}

/* A flusher whose time is over when it is woken to lead must let another thread lead, though it has no record of its
 * own. */
void some_flush_for_a_moment(void) {
    run.slow_in = 1;
    run.slow_ns = SHORT_NS;
    sim_threads.late_decided = 1;
    start_writer(append_one, 0);
    start_writer(append_one, 1);
    start_other("flusher", flush_for_a_moment);
    join_writers();
    run_close();
}

void write_fails(void) {
    run.world->device.fail_errno = EIO;
    run.world->device.fail_write_in = (int)schedule_pick(&run.schedule, 3);
    start_writer(append_one, 0);
    start_writer(append_one, 1);
    start_writer(enqueue_and_await, 2);
    join_writers();
    run_close();
}

/* A write fails, and a thread sees that and closes the ring while another failing write is still under way. */
static void *pieces_then_await(void *writer) {
    for (int i = 0; i < 5; i++) {
        writer_enqueue(writer_of(writer), 4000);
    }
    writer_await(writer_of(writer), -1);
    return NULL;
}

static void *close_now(void *argument) {
    (void)argument;
    run_close();
    return NULL;
}

void piece_fails_while_closing(void) {
    run.world->device.fail_errno = EIO;
    run.world->device.fail_write_in = (int)schedule_pick(&run.schedule, 3);
    start_writer(pieces_then_await, 0);
    start_other("closer", close_now);
    join_writers();
}

void commit_in_pieces(void) {
    start_writer(pieces_then_await, 0);
    start_writer(append_one, 1);
    join_writers();
    run_close();
}

void closed_while_appending(void) {
    start_writer(append_two, 0);
    start_writer(enqueue_and_await, 1);
    start_other("closer", close_now);
    join_writers();
}

static void *append_large(void *writer) {
    for (int i = 0; i < 3; i++) {
        writer_append(writer_of(writer), 6000);
    }
    return NULL;
}

/* The drain has no interval: it works only when it is asked. */
void full_ring(void) {
    start_writer(append_large, 0);
    start_writer(append_large, 1);
    join_writers();
    run_close();
}

static void *offer_large(void *writer) {
    for (int i = 0; i < 5; i++) {
        int tries = 0;
        while (writer_offer(writer_of(writer), 7000) == -EAGAIN) {
            if (tries++ == 6) {
                violation(run.world, "the ring is full and stays so, though the drain has been asked");
            }
            sim_thread_sleep("the ring is full", POLL_NS);
        }
        writer_await(writer_of(writer), -1);
    }
    return NULL;
}

void offered_until_there_is_space(void) {
    start_writer(offer_large, 0);
    start_writer(append_one, 1);
    join_writers();
    run_close();
}

static void *append_and_await_drained(void *writer) {
    writer_append(writer_of(writer), 200);
    writer_await_drained(writer_of(writer), -1);
    return NULL;
}

void drained_is_awaited(void) {
    start_writer(append_and_await_drained, 0);
    start_writer(append_and_await_drained, 1);
    join_writers();
    run_close();
}

/* The drain tries the sync again after its interval. */
void sync_fails_while_drained_is_awaited(void) {
    run.world->files.fail_sync_in = (int)schedule_pick(&run.schedule, 2);
    drained_is_awaited();
}

/* The writer waits for the drain when the log is closed. */
void closed_while_drained_is_awaited(void) {
    start_writer(append_and_await_drained, 0);
    start_other("closer", close_now);
    join_writers();
}

/* After so long the writers that wait for space have looked once more by themselves, and sleep until they are woken. */
#define LONG_NS 3000000000ll

static void *close_now_or_later(void *argument) {
    if (schedule_pick(&run.schedule, 2) == 0) {
        sim_thread_sleep("before the close", LONG_NS);
    }
    return close_now(argument);
}

/* The log file takes nothing, so only the close can wake the writers that wait for space. */
void closed_while_full(void) {
    run.world->files.space_bytes = 0;
    start_writer(append_large, 0);
    start_writer(append_large, 1);
    start_other("closer", close_now_or_later);
    join_writers();
}

void closed_while_the_file_takes_nothing(void) {
    run.world->files.space_bytes = 0;
    start_writer(append_and_await_drained, 0);
    start_other("closer", close_now_or_later);
    join_writers();
}

/* Each operation of the medium takes longer than the close may. */
void closed_and_not_waited_for(void) {
    run.log.shutdown_timeout_ns = SHORT_NS;
    run.slow_in = 1;
    run.slow_ns = 3 * SHORT_NS;
    start_writer(append_one, 0);
    start_writer(enqueue_and_await, 1);
    start_other("closer", close_now);
    join_writers();
}

static unsigned at_work;

static void *append_large_at_work(void *writer) {
    at_work++;
    append_large(writer);
    at_work--;
    return NULL;
}

static void *break_device_then_close(void *argument) {
    sim_thread_sleep("the device being whole", 500000000);
    run.world->device.fail_errno = EIO;
    run.world->device.fail_write_in = 0;
    sim_thread_sleep("the device being broken", LONG_NS);
    if (ring_has_failed(run.ring) && at_work > 0) {
        violation(run.world, "the ring has failed and %u writers sleep on", at_work);
    }
    return close_now(argument);
}

/* The full ring takes no record, so the drain's note that it cannot go on is the only write: if it fails, the drain
 * stops the ring. */
void device_breaks_while_full(void) {
    at_work = 0;
    run.world->files.space_bytes = 0;
    start_writer(append_large_at_work, 0);
    start_writer(append_large_at_work, 1);
    start_other("breaker", break_device_then_close);
    join_writers();
}

/* A failing checkpoint stops the ring while writers sleep. */
void checkpoint_fails(void) {
    run.world->device.fail_errno = EIO;
    run.world->device.fail_write_in = 2 + (int)schedule_pick(&run.schedule, 3);
    start_writer(append_large, 0);
    start_writer(append_large, 1);
    join_writers();
    run_close();
}
