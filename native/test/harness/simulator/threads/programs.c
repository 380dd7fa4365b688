/* SPDX-License-Identifier: Apache-2.0 */
/* All programs; and the long ones, whose steps the seed chooses. */
#include "harness/simulator/threads/programs.h"

#include <errno.h>

#include "harness/simulator/log.h"

#define STARTED_MAX 8u
#define STEPS 9
#define STEPS_ENDED 2 /* calls that a writer makes on a log that is closed or has failed */
#define MS 1000000ll

static unsigned started[STARTED_MAX];
static unsigned started_count;

static void start(const char *name, void *(*work)(void *), void *argument) {
    const unsigned thread = sim_thread_start(name, work, argument);
    started[started_count++] = thread;
}

void start_writer(void *(*work)(void *), unsigned writer) {
    static const char *const names[] = {"writer A", "writer B", "writer C", "writer D"};
    start(names[writer], work, (void *)(uintptr_t)writer);
}

void start_other(const char *name, void *(*work)(void *)) {
    start(name, work, NULL);
}

void join_writers(void) {
    while (started_count > 0) {
        sim_thread_join(started[--started_count]);
    }
}

static uint32_t any_length(void) {
    switch (run_random(4)) {
    case 0:
        return (uint32_t)(3900 + run_random(400));
    case 1:
        return (uint32_t)(NAMED_BYTES_MIN + run_random(6000));
    default:
        return (uint32_t)(NAMED_BYTES_MIN + run_random(300));
    }
}

static int64_t any_timeout(void) {
    static const int64_t timeouts_ns[] = {-1, -1, 0, 10000, 2 * MS, 500 * MS};
    return timeouts_ns[run_random(6)];
}

static int64_t any_call(unsigned writer) {
    switch (run_random(13)) {
    case 0:
    case 1:
    case 2:
        return writer_append(writer, any_length());
    case 3:
    case 4:
    case 5:
        return writer_enqueue(writer, any_length());
    case 6:
    case 7:
        return writer_offer(writer, any_length());
    case 8:
    case 9:
        return writer_await(writer, any_timeout());
    case 10:
        return run_flush(any_timeout());
    case 11:
        return writer_await_drained(writer, run_random(2) ? 5000 * MS : any_timeout());
    default:
        sim_thread_sleep("doing something else", (int64_t)run_random(50) * MS);
        return 0;
    }
}

static void *any_writer(void *argument) {
    int ended = 0;
    for (int step = 0; step < STEPS && ended < STEPS_ENDED; step++) {
        const int64_t rc = any_call(writer_of(argument));
        ended += rc == -ESHUTDOWN || rc == -EIO;
        if (rc == -EAGAIN) {
            sim_thread_sleep("the ring is full", MS);
        }
    }
    return NULL;
}

static void start_any_writers(void) {
    const unsigned writers = 2 + (unsigned)run_random(WRITERS_AT_ONCE_MAX - 1);
    for (unsigned writer = 0; writer < writers; writer++) {
        start_writer(any_writer, writer);
    }
}

static void *close_at_any_time(void *argument) {
    (void)argument;
    for (uint64_t pauses = run_random(30); pauses > 0; pauses--) {
        if (run_random(4) == 0) {
            sim_thread_sleep("before the close", (int64_t)run_random(20) * MS);
        } else {
            sim_thread_yield("before the close");
        }
    }
    run_close();
    return NULL;
}

/* Asks for all that a caller may ask at any time. */
static void *ask(void *argument) {
    (void)argument;
    for (int i = 0; i < 6; i++) {
        burst_stats_t stats = {.struct_bytes = sizeof stats};
        if (burst_stats(&run.log, &stats) < 0 || stats.drained_sequence > stats.durable_sequence ||
            stats.durable_sequence > stats.accepted_sequence || stats.used_bytes > stats.capacity_bytes) {
            violation(run.world, "the statistics contradict themselves: drained %lld, durable %lld, accepted %lld",
                      (long long)stats.drained_sequence, (long long)stats.durable_sequence,
                      (long long)stats.accepted_sequence);
        }
        burst_event_t event = {.struct_bytes = sizeof event};
        burst_next_event(&run.log, &event, (int64_t)run_random(3) * MS);
    }
    return NULL;
}

static void many_writers(void) {
    start_any_writers();
    start_other("asker", ask);
    join_writers();
    run_close();
}

static void device_fails_at_any_time(void) {
    run.world->device.fail_errno = EIO;
    run.world->device.fail_write_in = (int)run_random(12);
    many_writers();
}

static void closed_at_any_time(void) {
    if (run_random(3) == 0) {
        run.world->device.fail_errno = EIO;
        run.world->device.fail_write_in = (int)run_random(8);
    }
    start_any_writers();
    start_other("asker", ask);
    start_other("closer", close_at_any_time);
    join_writers();
}

static void *free_the_disk(void *argument) {
    (void)argument;
    sim_thread_sleep("the disk being full", (int64_t)run_random(4000) * MS);
    run.world->files.space_bytes = -1;
    return NULL;
}

static void disk_is_full(void) {
    run.world->files.space_bytes = (int64_t)run_random(6000);
    start_other("janitor", free_the_disk);
    many_writers();
}

static void file_cannot_be_synced(void) {
    run.world->files.fail_sync_in = (int)run_random(5);
    many_writers();
}

const struct program programs[] = {
    {"two-append", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, two_append},
    {"three-append", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, three_append},
    {"append-and-enqueue", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, append_and_enqueue},
    {"nobody-awaits", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, nobody_awaits},
    {"some-await-for-a-moment", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS, some_await_for_a_moment},
    {"appends-time-out", 1, 8, 1, BURST_ON_FULL_BLOCK, 1000000, INTERVAL_USUAL_NS, appends_time_out},
    {"appends-time-out-beside-others", 1, 8, 1, BURST_ON_FULL_BLOCK, 1000000, INTERVAL_USUAL_NS,
     appends_time_out_beside_others},
    {"some-flush-for-a-moment", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, some_flush_for_a_moment},
    {"write-fails", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS, write_fails},
    {"piece-fails-while-closing", 1, 16, 4, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, piece_fails_while_closing},
    {"commit-in-pieces", 1, 16, 4, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, commit_in_pieces},
    {"closed-while-appending", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, closed_while_appending},
    {"full-ring", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS, full_ring},
    {"offered-until-there-is-space", 1, 8, 1, BURST_ON_FULL_FAIL, 0, INTERVAL_NEVER_NS, offered_until_there_is_space},
    {"drained-is-awaited", 1, 32, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS, drained_is_awaited},
    {"sync-fails-while-drained-is-awaited", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS,
     sync_fails_while_drained_is_awaited},
    {"closed-while-drained-is-awaited", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS,
     closed_while_drained_is_awaited},
    {"closed-while-full", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, closed_while_full},
    {"closed-while-the-file-takes-nothing", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS,
     closed_while_the_file_takes_nothing},
    {"closed-and-not-waited-for", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, closed_and_not_waited_for},
    {"device-breaks-while-full", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS, device_breaks_while_full},
    {"checkpoint-fails", 1, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS, checkpoint_fails},
    {"many-writers", 0, 16, 3, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, many_writers},
    {"many-writers-asking-the-drain", 0, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_NEVER_NS, many_writers},
    {"full-with-block-timeout", 0, 8, 2, BURST_ON_FULL_BLOCK, 3 * MS, INTERVAL_USUAL_NS, many_writers},
    {"full-and-refused", 0, 8, 2, BURST_ON_FULL_FAIL, 0, INTERVAL_USUAL_NS, many_writers},
    {"full-and-discarded", 0, 8, 2, BURST_ON_FULL_DISCARD, 200 * MS, INTERVAL_USUAL_NS, many_writers},
    {"device-fails-at-any-time", 0, 16, 4, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, device_fails_at_any_time},
    {"device-fails-with-block-timeout", 0, 8, 2, BURST_ON_FULL_BLOCK, 5 * MS, INTERVAL_USUAL_NS,
     device_fails_at_any_time},
    {"closed-at-any-time", 0, 12, 3, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, closed_at_any_time},
    {"closed-with-block-timeout", 0, 8, 1, BURST_ON_FULL_BLOCK, 4 * MS, INTERVAL_USUAL_NS, closed_at_any_time},
    {"disk-is-full", 0, 8, 1, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, disk_is_full},
    {"disk-is-full-with-block-timeout", 0, 8, 2, BURST_ON_FULL_BLOCK, 100 * MS, INTERVAL_USUAL_NS, disk_is_full},
    {"file-cannot-be-synced", 0, 12, 2, BURST_ON_FULL_BLOCK, 0, INTERVAL_USUAL_NS, file_cannot_be_synced},
};
const size_t program_count = sizeof programs / sizeof programs[0];
