/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/threads/threaded_log.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/threads/crashes.h"

#define SHUTDOWN_TIMEOUT_NS 10000000000ll
#define CLOSE_POLLS_MAX 50

struct run run;

/* All files of log/ but the engine are compiled with this in place of the Linux platform. */
extern const struct platform *simulated_platform;
const struct platform *simulated_platform;

uint64_t run_random(uint64_t below) {
    return random_next(&run.random_state) % below;
}

/* ------------------------------------------------------------------------------------ what must always hold */

static void watch(void) {
    if (run.ring == NULL) {
        return;
    }
    uint64_t position, next;
    ring_durable(run.ring, &position, &next);
    const uint64_t released = atomic_load(&run.ring->released);
    const uint64_t claimed = ring_claimed(run.ring);
    ledger_watermark(run.world, &run.ledger, next);
    if (position < run.watermark || released < run.released || released > position || position > claimed ||
        claimed > released + run.ring->geometry.capacity_bytes) {
        violation(run.world,
                  "I3: released %llu (before %llu) <= durable %llu (before %llu) <= claimed %llu <= released + "
                  "capacity does not hold",
                  (unsigned long long)released, (unsigned long long)run.released, (unsigned long long)position,
                  (unsigned long long)run.watermark, (unsigned long long)claimed);
    }
    if (next > ring_next_sequence(run.ring) || next - 1 > ledger_most(&run.ledger)) {
        violation(run.world, "I8: sequence %llu is durable, but %llu records were ever offered",
                  (unsigned long long)next - 1, (unsigned long long)ledger_most(&run.ledger));
    }
    if (run.failed && position != run.failed_at) {
        violation(run.world, "I7: the ring had failed at %llu and goes on to %llu", (unsigned long long)run.failed_at,
                  (unsigned long long)position);
    }
    run.watermark = run.failed_at = position;
    run.released = released;
    run.failed = ring_has_failed(run.ring);
}

/* The schedule decides which write completes next: it sets the state of the world's chance that makes the device
 * pick it. */
static void choose_completion(struct world *world) {
    const unsigned writes = world->device.under_way_count;
    const unsigned wanted = schedule_pick(&run.schedule, writes);
    for (uint64_t state = world->random_state;; state++) {
        uint64_t tried = state;
        if (random_next(&tried) % writes == wanted) {
            world->random_state = state;
            return;
        }
    }
}

static int is_of_the_device(const char *operation) {
    return strcmp(operation, "submit") == 0 || strcmp(operation, "complete") == 0 ||
           strncmp(operation, "write of a ", 11) == 0;
}

static void arrive(struct world *world, const char *operation) {
    if (run.device_closed && is_of_the_device(operation)) {
        violation(world, "%s after the device was closed", operation);
    }
    if (run.started) {
        crashes_consider(operation);
    }
    if (run.started && run.slow_in != 0 && run_random(run.slow_in) == 0) {
        sim_thread_sleep(operation, run.slow_ns);
    } else {
        sim_thread_yield(operation);
    }
    if (strcmp(operation, "complete") == 0) {
        choose_completion(world);
    }
}

static void device_is_closed(struct device *device) {
    (void)device;
    run.device_closed = 1;
}

/* ------------------------------------------------------------------------------------------------- the calls */

enum call { CALL_APPEND, CALL_ENQUEUE, CALL_OFFER };

static void progress(void) {
    sim_threads.progress_ns = run.world->now_ns;
}

static void refuse_to_believe(const char *call, int64_t rc) {
    violation(run.world, "%s returned %lld (%s), which cannot be: %s", call, (long long)rc,
              rc < 0 ? error_name((int)-rc) : "", rc < 0 ? error_text() : "");
}

static const char *const call_names[] = {"append", "enqueue", "offer"};

static void judge_sequence(enum call call, unsigned writer, unsigned number, int64_t sequence) {
    if (call == CALL_APPEND && burst_durable_sequence(&run.log) < sequence) {
        violation(run.world, "I1: an append returned %lld, but only %lld is durable", (long long)sequence,
                  (long long)burst_durable_sequence(&run.log));
    }
    ledger_accept(run.world, &run.ledger, writer, number, sequence,
                  call == CALL_APPEND || (run.closed && run.left >= 0) ? FATE_DURABLE : FATE_ACCEPTED);
    if (call == CALL_APPEND) {
        ledger_durable_up_to(&run.ledger, writer, sequence);
    }
}

/* Each thread runs as soon as it is woken: so a call ends when its waits do. */
static int is_punctual(void) {
    return sim_threads.late_in == 0 && !sim_threads.late_decided;
}

/* And nothing but sleep takes time. */
static int is_timed_exactly(void) {
    return run.slow_in == 0 && is_punctual();
}

static void judge_time(enum call call, int64_t rc, int64_t took_ns) {
    const int64_t timeout_ns = run.program->block_timeout_ns;
    const int64_t least_ns = rc == -EINPROGRESS || rc == -ETIMEDOUT ? timeout_ns : 0;
    const int64_t most_ns = call == CALL_OFFER ? 0 : timeout_ns > 0 ? timeout_ns : INT64_MAX;
    if (took_ns < least_ns || (took_ns > most_ns && is_timed_exactly())) {
        violation(run.world, "%s returned %lld after %lld ns; the block timeout is %lld ns", call_names[call],
                  (long long)rc, (long long)took_ns, (long long)timeout_ns);
    }
}

static enum fate judge_error(enum call call, int64_t rc, int had_failed) {
    const struct program *program = run.program;
    const int waits = call != CALL_OFFER && program->on_full == BURST_ON_FULL_BLOCK && program->block_timeout_ns > 0;
    switch (rc) {
    case 0:
        if (program->on_full == BURST_ON_FULL_DISCARD && call != CALL_OFFER) {
            return FATE_REFUSED;
        }
        break;
    case -EAGAIN:
        if (program->on_full == BURST_ON_FULL_FAIL || call == CALL_OFFER) {
            return FATE_REFUSED;
        }
        break;
    case -ETIMEDOUT:
        if (waits) {
            return FATE_REFUSED;
        }
        break;
    case -ESHUTDOWN:
        if (run.closing) {
            return FATE_REFUSED;
        }
        break;
    case -EINPROGRESS:
        if (call == CALL_APPEND && program->block_timeout_ns > 0) {
            return run.closed && run.left >= 0 ? FATE_DURABLE : FATE_ACCEPTED;
        }
        break;
    case -EIO:
        /* An offer returns before the reason of the failure is known, and so may a call with a time limit. */
        if (call == CALL_OFFER || program->block_timeout_ns > 0 ? ring_is_failing(run.ring)
                                                                : ring_has_failed(run.ring)) {
            return had_failed ? FATE_REFUSED : FATE_DOUBTFUL;
        }
        break;
    default:
        break;
    }
    refuse_to_believe(call_names[call], rc);
    return FATE_DOUBTFUL;
}

static int64_t write_record(enum call call, unsigned writer, uint32_t length) {
    char payload[10000]; /* not static: other threads write while this one waits */
    const unsigned number = ledger_offer(&run.ledger, writer, length, payload);
    const int had_failed = ring_has_failed(run.ring), was_closed = run.closed;
    const int64_t begin_ns = run.world->now_ns;
    const int64_t rc = call == CALL_APPEND    ? burst_append(&run.log, payload, length, begin_ns)
                       : call == CALL_ENQUEUE ? burst_enqueue(&run.log, payload, length, begin_ns)
                                              : burst_offer(&run.log, payload, length, begin_ns);
    memset(payload, '!', length); /* the caller may reuse it */
    progress();
    judge_time(call, rc, run.world->now_ns - begin_ns);
    if (rc > 0 && (was_closed || had_failed)) {
        violation(run.world, "I7: %s returned %lld on a ring that had been closed or had failed", call_names[call],
                  (long long)rc);
    }
    if (rc > 0) {
        judge_sequence(call, writer, number, rc);
        if (call != CALL_APPEND) {
            run.enqueued[run.enqueued_count++] = rc;
        }
    } else {
        ledger_settle(&run.ledger, writer, number, judge_error(call, rc, had_failed));
    }
    return rc;
}

int64_t writer_append(unsigned writer, uint32_t length) {
    return write_record(CALL_APPEND, writer, length);
}

int64_t writer_enqueue(unsigned writer, uint32_t length) {
    return write_record(CALL_ENQUEUE, writer, length);
}

int64_t writer_offer(unsigned writer, uint32_t length) {
    return write_record(CALL_OFFER, writer, length);
}

int writer_await(unsigned writer, int64_t timeout_ns) {
    const int64_t sequence = run.ledger.writers[writer].last_sequence;
    const int64_t begin_ns = run.world->now_ns;
    const int rc = burst_await_durable(&run.log, sequence, timeout_ns);
    const int64_t took_ns = run.world->now_ns - begin_ns;
    progress();
    if ((rc == 1 && burst_durable_sequence(&run.log) < sequence) ||
        (rc == 0 && (timeout_ns < 0 || took_ns < timeout_ns)) || (rc < 0 && !ring_has_failed(run.ring)) ||
        (timeout_ns >= 0 && took_ns > timeout_ns && is_punctual())) {
        violation(run.world, "await_durable(%lld, %lld ns) returned %d after %lld ns; %lld is durable",
                  (long long)sequence, (long long)timeout_ns, rc, (long long)took_ns,
                  (long long)burst_durable_sequence(&run.log));
    }
    if (rc == 1) {
        ledger_durable_up_to(&run.ledger, writer, sequence);
    }
    return rc;
}

int run_flush(int64_t timeout_ns) {
    const int64_t accepted = (int64_t)ring_next_sequence(run.ring) - 1;
    const int64_t begin_ns = run.world->now_ns;
    const int rc = burst_flush(&run.log, timeout_ns);
    const int64_t took_ns = run.world->now_ns - begin_ns;
    progress();
    if ((rc == 1 && burst_durable_sequence(&run.log) < accepted) ||
        (rc == 0 && (timeout_ns < 0 || took_ns < timeout_ns)) || (rc < 0 && !ring_has_failed(run.ring)) ||
        (timeout_ns >= 0 && took_ns > timeout_ns && is_punctual())) {
        refuse_to_believe("flush", rc);
    }
    return rc;
}

int writer_await_drained(unsigned writer, int64_t timeout_ns) {
    const int64_t sequence = run.ledger.writers[writer].last_sequence;
    const int64_t begin_ns = run.world->now_ns;
    const int rc = burst_await_drained(&run.log, timeout_ns);
    const int64_t took_ns = run.world->now_ns - begin_ns;
    progress();
    if ((rc == 1 && burst_durable_sequence(&run.log) < sequence) ||
        (rc == 0 && (timeout_ns < 0 || took_ns < timeout_ns)) ||
        (timeout_ns >= 0 && took_ns > timeout_ns && is_punctual()) ||
        (rc < 0 && !(rc == -EIO && ring_has_failed(run.ring)) && !(rc == -ESHUTDOWN && run.closing))) {
        refuse_to_believe("await_drained", rc);
    }
    if (rc == 1) {
        ledger_durable_up_to(&run.ledger, writer, sequence);
    }
    return rc;
}

/* Asks for figures: the call must not wait for the close. */
static void ask_without_waiting(void) {
    const int64_t begin_ns = run.world->now_ns;
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    char path[BURST_PATH_BYTES];
    if (burst_stats(&run.log, &stats) < 0 || stats.state != BURST_STATE_CLOSED ||
        burst_current_file(&run.log, path, sizeof path) < 0 || run.world->now_ns != begin_ns) {
        violation(run.world, "figures of a log that is being closed were not to be had at once");
    }
}

/* A close that timed out goes on by itself: waits for its end, and returns what it would have returned. */
static int64_t end_of_close(void) {
    for (int polls = 0; !atomic_load(&run.log.closed); polls++) {
        if (polls == CLOSE_POLLS_MAX) {
            violation(run.world, "a close that was not waited for does not end");
        }
        sim_thread_sleep("looking whether it is closed", SHUTDOWN_TIMEOUT_NS);
    }
    progress();
    const burst_stats_t *last = &run.log.last_stats;
    return last->accepted_sequence > last->durable_sequence ? -EIO : last->durable_sequence - last->drained_sequence;
}

int64_t run_close(void) {
    run.closing = 1;
    const int64_t begin_ns = run.world->now_ns;
    int64_t rc = burst_close(&run.log);
    const int64_t took_ns = run.world->now_ns - begin_ns;
    progress();
    if ((rc == -EINPROGRESS && took_ns < run.log.shutdown_timeout_ns) ||
        (took_ns > run.log.shutdown_timeout_ns && is_punctual())) {
        refuse_to_believe("close", rc);
    }
    if (rc == -EINPROGRESS) {
        ask_without_waiting();
        rc = end_of_close();
    }
    if (rc < 0 && !(rc == -EIO && ring_has_failed(run.ring))) {
        refuse_to_believe("close", rc);
    }
    if (run.log.users.inside != 0 || run.log.engine != NULL || !run.device_closed) {
        violation(run.world, "close returned and left something open");
    }
    run.left = rc;
    run.closed = 1;
    if (rc >= 0) {
        if ((uint64_t)burst_durable_sequence(&run.log) + 1 != ring_next_sequence(run.ring)) {
            violation(run.world, "I1: close returned %lld, but what was accepted is not durable", (long long)rc);
        }
        ledger_all_accepted_are_durable(&run.ledger);
    }
    return rc;
}

/* --------------------------------------------------------------------------------------------------- one run */

static void open_log(void) {
    struct world *world = run.world;
    burst_t *log = &run.log;
    memset(log, 0, sizeof *log);
    events_init(&log->events, &world->platform);
    log->shutdown_timeout_ns = SHUTDOWN_TIMEOUT_NS;
    log->main.rule.on_full = run.program->on_full;
    log->main.rule.timeout_ns = run.program->block_timeout_ns > 0 ? run.program->block_timeout_ns : -1;
    log->device = &world->device.device;
    const struct engine_parts parts = {
        .platform = &world->platform, .device = log->device, .files = &world->files.files, .events = &log->events};
    const struct engine_config config = {.main = &(struct engine_stream){.name = "", .path = world->file_name},
                                         .cpus = 1}; /* two waiting writers spin when commits take time */
    if (engine_open(&parts, &config, &log->engine) < 0 ||
        threads_start(&log->threads, log->engine,
                      &(struct thread_settings){.drain_interval_ns = run.program->drain_interval_ns},
                      &(struct thread_host){.argument = log, .last = log_let_go}) < 0) {
        violation(world, "the log cannot be opened: %s", error_text());
    }
    run.ring = log->ring = log->main.ring = log->engine->ring;
    log->main.log = log;
    log->streams = &log->main;
    atomic_store(&log->main.refusal, STREAM_TAKES_RECORDS);
    run.watermark = run.released = 0;
}

static void *first_thread(void *argument) {
    (void)argument;
    run.schedule.muted = 1;
    open_log();
    sim_thread_sleep("the log being opened", 1); /* lets its threads go to sleep */
    run.schedule.muted = 0;
    run.started = 1;
    run.program->body();
    if (!run.closed) {
        violation(run.world, "the program has not closed its log");
    }
    return NULL;
}

/* A freshly formatted world of so many blocks; it is made once. */
static const struct world *formatted(unsigned blocks) {
    static struct world *worlds[WORLD_BLOCKS_MAX + 1];
    if (worlds[blocks] == NULL) {
        worlds[blocks] = world_create();
        world_reset(worlds[blocks], blocks, blocks);
        log_format(worlds[blocks]);
    }
    return worlds[blocks];
}

/* Lets the seed disturb the run: slow operations, threads that come late, parks that end for no reason. */
static void disturb(void) {
    static const int64_t slow_ns[] = {20000, 500000, 4000000, 60000000};
    run.slow_in = run_random(3) == 0 ? 0 : 1 + (unsigned)run_random(6);
    run.slow_ns = slow_ns[run_random(4)];
    sim_threads.wakes_for_nothing = run_random(3) == 0 ? (unsigned)run_random(6) : 0;
    sim_threads.late_in = run_random(3) == 0 ? 2 + (unsigned)run_random(30) : 0;
}

static void set_up(void) {
    static struct device_ops ops;
    const struct program *program = run.program;
    if (run.world == NULL) {
        run.world = world_create();
        ops = *run.world->device.device.ops;
        ops.close = device_is_closed;
        simulated_platform = &run.world->platform;
    }
    world_copy(run.world, formatted(program->blocks));
    run.world->device.device.ops = &ops;
    run.world->device.device.write_depth = (int)program->write_depth;
    run.world->random_state = run.random_state = run.seed * 0x9e3779b97f4a7c15ull + 1;
    run.world->before_operation = arrive;
    ledger_reset(&run.ledger);
    run.ring = NULL;
    run.started = run.closing = run.closed = run.device_closed = run.failed = 0;
    run.left = 0;
    run.enqueued_count = 0;
    run.slow_in = 0;
    sim_threads.wakes_for_nothing = sim_threads.late_in = 0;
    sim_threads.late_decided = 0;
    if (run.schedule.way != SCHEDULE_LISTED) {
        disturb();
    }
    sim_threads.random_state = run_random(UINT64_MAX);
}

/* The log must count the enqueued records that it lost: else the caller would never learn of them. */
static void check_lost(void) {
    uint64_t lost = 0;
    for (unsigned i = 0; i < run.enqueued_count; i++) {
        lost += run.enqueued[i] > burst_durable_sequence(&run.log);
    }
    if (lost > run.log.last_stats.lost_enqueued) {
        violation(run.world, "%llu enqueued records are lost, and %llu are said to be", (unsigned long long)lost,
                  (unsigned long long)run.log.last_stats.lost_enqueued);
    }
}

void run_schedule(int trace) {
    set_up();
    sim_threads.watch = watch;
    sim_threads.trace = trace;
    sim_threads_run(run.world, &run.schedule, first_thread);
    run.world->before_operation = NULL;
    const uint64_t records = ring_next_sequence(run.ring) - 1;
    check_lost();
    if (!run.failed && run.left == 0) {
        ledger_check_files(run.world, &run.ledger, records);
    }
    ring_destroy(run.ring);
    run.ring = NULL;
    if (run.world->allocations != 0) {
        violation(run.world, "%u allocations were not released", run.world->allocations);
    }
    crashes_after_close();
}
