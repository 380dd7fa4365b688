/* SPDX-License-Identifier: Apache-2.0 */
#include "append_rules.h"
#include "harness/simulator/threads/crashes.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "harness/simulator/crash.h"
#include "harness/simulator/log.h"
#include "harness/simulator/threads/threaded_log.h"

/* There are many listed schedules, much alike: so many times fewer of their operations are crashed. */
#define LISTED_RARER 6

struct crashes crashes;

static struct world *levels[3];
static struct ledger ledgers[3]; /* one for each world after a crash */

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t state = a * 0x9e3779b97f4a7c15ull + b;
    return random_next(&state);
}

/* A reader that changes nothing finds what the medium proves: that, and no more, is the log from now on. */
static uint64_t settle(struct world *world, struct ledger *ledger) {
    struct ring_view *view;
    if (ring_view_open(&world->platform, &world->device.device, &view) < 0) {
        violation(world, "the ring cannot be read: %s", error_text());
    }
    const struct recovery *recovery = &view->recovery;
    const uint64_t last = recovery->next_sequence - 1;
    if (last < ledger_least(ledger)) {
        violation(world, "I1: %llu records were durable, but the ring ends with %llu",
                  (unsigned long long)ledger_least(ledger), (unsigned long long)last);
    }
    if (last > ledger_most(ledger)) {
        violation(world, "I2: %llu records were ever offered, but the ring ends with %llu",
                  (unsigned long long)ledger_most(ledger), (unsigned long long)last);
    }
    for (size_t i = 0; i < recovery->jump_count; i++) {
        if (recovery->jumps[i].gap.damaged || recovery->jumps[i].gap.count > 0) {
            violation(world, "I8: positions %llu..%llu are called damaged, but nothing happened to them",
                      (unsigned long long)recovery->jumps[i].gap.from, (unsigned long long)recovery->jumps[i].gap.to);
        }
    }
    ring_view_close(&world->platform, view);
    ledger_ends_with(ledger, last);
    return last;
}

static void open_settled(struct world *world, struct ledger *ledger) {
    const uint64_t last = settle(world, ledger);
    if (log_open(world) < 0) {
        violation(world, "the ring cannot be opened: %s", error_text());
    }
    if (ring_next_sequence(world->engine->ring) != last + 1) {
        violation(world, "I5: the next sequence was %llu when read and is %llu when opened",
                  (unsigned long long)last + 1, (unsigned long long)ring_next_sequence(world->engine->ring));
    }
}

/* The length of a record that the crash may have torn: if a recovery takes a stale tail for a new record's, it
 * shows. */
static uint32_t torn_length(const struct ledger *ledger) {
    for (unsigned writer = 0; writer < WRITERS_AT_ONCE_MAX; writer++) {
        const struct writer *one = &ledger->writers[writer];
        if (one->count > 0 && one->entries[one->count - 1].fate != FATE_DURABLE) {
            return one->entries[one->count - 1].length;
        }
    }
    return 100;
}

static void append_again(struct world *world, struct ledger *ledger, uint32_t length, int is_durable) {
    static char payloads[3][10000]; /* a crash within this append appends one level further */
    char *payload = payloads[world->level];
    const unsigned writer = WRITER_AFTER_CRASH(world->level);
    const unsigned number = ledger_offer(ledger, writer, length, payload);
    const ring_call call = is_durable ? ring_append : ring_enqueue;
    const struct ring_rule *rule = is_durable ? &unless_full : &never_waits;
    int64_t rc = call(world->engine->ring, payload, length, world->now_ns, &stream_0, rule);
    if (rc == -EAGAIN) {
        log_drain_all(world);
        rc = call(world->engine->ring, payload, length, world->now_ns, &stream_0, rule);
    }
    if (rc < 0) {
        violation(world, "nothing can be appended after recovery: %s", error_text());
    }
    ledger_accept(world, ledger, writer, number, rc, is_durable ? FATE_DURABLE : FATE_ACCEPTED);
}

static void check(struct world *world, const struct ledger *ledger) {
    log_drain_all(world);
    ledger_check_files(world, ledger, ring_next_sequence(world->engine->ring) - 1);
}

/* Goes on in one of several ways, as if nothing had happened. */
static void live_on(struct world *world, struct ledger *ledger, uint64_t variant) {
    const uint32_t length = torn_length(ledger);
    const int is_durable = variant / 3 % 2 == 0;
    if (variant % 3 == 0) {
        check(world, ledger);
    } else if (variant % 3 == 1) {
        log_drain(world, 0);
    }
    append_again(world, ledger, length, is_durable);
    append_again(world, ledger, NAMED_BYTES_MIN + (uint32_t)(variant / 6 % 100), is_durable);
    if (ring_commit(world->engine->ring) < 0) {
        violation(world, "nothing can be committed after recovery: %s", error_text());
    }
    ledger_all_accepted_are_durable(ledger);
    check(world, ledger);
}

static void recover(struct world *world, struct ledger *ledger, uint64_t variant,
                    void (*crash_in_it)(struct world *, const char *)) {
    /* The second crash may lose what was accepted before the first one, but not what recovery found then. */
    world->before_operation = crash_in_it;
    open_settled(world, ledger);
    live_on(world, ledger, variant);
    world->before_operation = NULL;
    if (variant / 8 % 4 == 0) { /* a second recovery must find the same log */
        log_close(world);
        open_settled(world, ledger);
        check(world, ledger);
    }
    log_close(world);
}

/* Copies the ledger for the world after a crash: records that were accepted and not durable may be lost. */
static struct ledger *ledger_after(const struct ledger *before, int level) {
    struct ledger *after = &ledgers[level];
    *after = *before;
    for (unsigned writer = 0; writer < WRITERS_MAX; writer++) {
        for (unsigned i = 0; i < after->writers[writer].count; i++) {
            struct entry *entry = &after->writers[writer].entries[i];
            entry->fate = entry->fate == FATE_ACCEPTED ? FATE_DOUBTFUL : entry->fate;
        }
    }
    return after;
}

/* The second crash. */
static void crash_recovery(struct world *world, const char *operation) {
    static struct crash crash;
    if (world->engine != NULL) {
        uint64_t position, next;
        ring_durable(world->engine->ring, &position, &next);
        ledger_watermark(world, &ledgers[1], next);
    }
    if (crashes.trace) {
        printf("        in its recovery %llu: %s\n", (unsigned long long)crashes.second_point, operation);
    }
    crash_survey(&crash, world, mix(mix(run.seed, crashes.operation), mix(crashes.state, crashes.second_point)));
    const uint64_t states = crash_states(&crash, crashes.second_sampled, crashes.second_sampled);
    for (crashes.second_state = 0; crashes.second_state < states; crashes.second_state++) {
        crash_build(&crash, crashes.second_state, states, levels[2]);
        recover(levels[2], ledger_after(&ledgers[1], 2), crashes.second_state + crashes.second_point, NULL);
        crashes.second_states++;
    }
    crashes.second_points++;
    crashes.second_point++;
}

static void look_at_states(uint64_t exhaustive, uint64_t sampled) {
    static struct crash crash;
    for (int level = 1; level < 3; level++) {
        levels[level] = levels[level] == NULL ? world_create() : levels[level];
    }
    crash_survey(&crash, run.world, mix(run.seed, crashes.operation));
    const uint64_t states = crash_states(&crash, exhaustive, sampled);
    crashes.whole_points += states == crash.states;
    crashes.points++;
    for (crashes.state = 0; crashes.state < states; crashes.state++) {
        if (crashes.only_point >= 0 && crashes.only_state >= 0 && crashes.only_state != (int64_t)crashes.state) {
            continue;
        }
        crashes.second_point = 0;
        const uint64_t variant = mix(crashes.state, crashes.operation);
        crash_build(&crash, crashes.state, states, levels[1]);
        recover(levels[1], ledger_after(&run.ledger, 1), variant >> 32,
                variant % crashes.second_in == 0 ? crash_recovery : NULL);
        crashes.states++;
    }
}

static void crash_here(void) {
    look_at_states(crashes.exhaustive, crashes.sampled);
}

void crashes_begin_run(void) {
    crashes.operation = 0;
    crashes.name = NULL;
}

void crashes_consider(const char *operation) {
    const uint64_t number = crashes.operation++;
    const struct schedule *schedule = &run.schedule;
    const int is_new = schedule->way != SCHEDULE_LISTED || schedule->count >= schedule->fresh;
    const uint64_t point_in = schedule->way == SCHEDULE_LISTED ? crashes.point_in * LISTED_RARER : crashes.point_in;
    const int wanted = crashes.only_point >= 0 ? crashes.only_point == (int64_t)number
                       : point_in == 0         ? 0
                                               : is_new && mix(run.seed + schedule->path, number) % point_in == 0;
    if (!wanted) {
        return;
    }
    if (crashes.trace) {
        printf("    crash point %llu: %s\n", (unsigned long long)number, operation);
    }
    crashes.operation = number;
    crashes.name = operation;
    sim_thread_errand(crash_here);
    crashes.name = NULL;
    crashes.operation = number + 1;
}

void crashes_after_close(void) {
    const int is_rare = run.schedule.way == SCHEDULE_LISTED && !run.failed && run.left == 0 &&
                        mix(run.seed, run.schedule.path) % LISTED_RARER != 0;
    if (crashes.only_point < 0 ? !is_rare : crashes.only_point == (int64_t)crashes.operation) {
        crashes.name = "the end";
        look_at_states(1, 2);
        crashes.name = NULL;
    }
}
