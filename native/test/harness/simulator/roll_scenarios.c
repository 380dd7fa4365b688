/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls by the engine and by a caller, of several streams, to names that are taken and into folders that are full. */
#include <errno.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define LOG "/logs/orders.log"
#define AUDIT "/logs/audit.log"
#define TRACE "/logs/trace.log"

static const struct sim_roll without_parts = {.footer_bytes = 0};
static const struct sim_roll long_parts = {.footer_bytes = 1500, .header_bytes = 2500};
static const struct sim_roll to_one_name = {.footer_bytes = 40, .header_bytes = 30, .target = LOG ".old"};
static const struct sim_roll planned = {.is_enqueued = 1};
static const struct sim_roll of_an_empty_file = {.target = "", .next = LOG, .is_enqueued = 1};
static const struct sim_roll to_next = {.footer_bytes = 40, .header_bytes = 30, .next = LOG ".next"};

static void append(struct world *world, uint32_t length) {
    if (log_append(world, length) < 0) {
        violation(world, "an append of %u bytes failed: %s", length, error_text());
    }
}

static void roll(struct world *world, const struct sim_roll *wanted) {
    if (log_roll(world, wanted) < 0) {
        violation(world, "a roll could not be appended: %s", error_text());
    }
}

void rolls_one_after_another(struct world *world) {
    log_open_whole(world);
    append(world, 200);
    log_drain(world, 0); /* written, and not synced */
    append(world, 100);
    roll(world, &plain_roll);
    append(world, 300);
    roll(world, &plain_roll);
    roll(world, &without_parts);
    append(world, 100);
    log_drain_all(world);
    roll(world, &plain_roll);
    log_reopen(world);
    append(world, 100);
}

void roll_before_any_record(struct world *world) {
    log_open_whole(world);
    roll(world, &without_parts);
    log_drain(world, 1);
    roll(world, &plain_roll);
    log_reopen(world);
    log_drain_all(world);
    roll(world, &long_parts);
    append(world, 200);
}

void roll_among_what_is_enqueued(struct world *world) {
    log_open_whole(world);
    for (int i = 0; i < 3; i++) {
        if (log_enqueue(world, 700) < 0 || log_enqueue(world, 20) < 0) {
            violation(world, "nothing could be enqueued: %s", error_text());
        }
        roll(world, &long_parts);
        append(world, 2000);
        log_drain(world, 0);
    }
}

void name_of_a_rolled_file_is_taken(struct world *world) {
    log_open_whole(world);
    others_put(world, LOG ".old", "# of others\n");
    others_put(world, LOG ".old.1.gz", "# compressed\n");
    for (int i = 0; i < 3; i++) {
        append(world, 150);
        roll(world, &to_one_name);
        log_drain(world, 1);
    }
    append(world, 100);
}

void file_cannot_be_rolled(struct world *world) {
    static const int errors[] = {EACCES, EROFS, EXDEV, EPERM};
    world->model.rolls_may_fail = 1;
    log_open_whole(world);
    for (int i = 0; i < 4; i++) {
        append(world, 150);
        roll(world, &plain_roll);
        append(world, 100);
        world->files.fail_names = -errors[i];
        for (int step = 0; step < 8; step++) {
            log_drain(world, step > 0);
        }
        log_check_drained(world, 0); /* the log goes on in the same file */
        if (i == 1) {
            log_reopen(world);
        }
        world->files.fail_names = 0;
        log_drain_all(world);
    }
    roll(world, &plain_roll);
    append(world, 100);
}

void disk_is_full_in_a_roll(struct world *world) {
    log_open_whole(world);
    append(world, 100);
    log_drain_all(world);
    for (int64_t left = 0; left <= 60; left += 20) {
        roll(world, &plain_roll);
        append(world, 100);
        world->files.space_bytes = left; /* room for nothing, a part of the footer, the footer, a part of the header */
        for (int step = 0; step < 4; step++) {
            log_drain(world, 1);
        }
        world->files.space_bytes = -1;
        log_drain_all(world);
    }
}

void sync_fails_in_a_roll(struct world *world) {
    log_open_whole(world);
    for (int failing = 0; failing < 4; failing++) {
        append(world, 100);
        roll(world, &plain_roll);
        append(world, 200);
        world->files.fail_sync_in = failing;
        log_drain(world, 1);
        log_drain(world, 1);
        world->files.fail_sync_in = -1;
        log_drain_all(world);
    }
}

void ring_fails_in_a_roll(struct world *world) {
    log_open_whole(world);
    for (int failing = 0; failing < 8; failing += 2) {
        append(world, 100);
        roll(world, &plain_roll);
        append(world, 200);
        world->device.fail_errno = EIO;
        world->device.fail_write_in = failing;
        for (int step = 0; step < 8 && !ring_has_failed(world->engine->ring); step++) {
            log_drain(world, 1);
        }
        world->device.fail_write_in = -1;
        log_reopen(world);
    }
    log_drain_all(world);
}

/* Others rotate the file before its roll. A crash leaves its new name or its old one. */
void rotated_file_is_rolled(struct world *world) {
    log_open_whole(world);
    append(world, 100);
    log_drain_all(world);
    others_rename(world, LOG, LOG ".1");
    append(world, 200);
    roll(world, &plain_roll);
    append(world, 100);
    log_drain(world, 1);
    log_reopen(world);
    roll(world, &plain_roll);
    append(world, 100);
}

static void roll_thrice(struct world *world) {
    log_open_whole(world);
    for (int i = 0; i < 3; i++) {
        append(world, 120);
        roll(world, i == 1 ? &without_parts : &plain_roll);
        log_drain(world, 1);
        append(world, 100);
        log_reopen(world);
    }
}

void rolled_without_handles(struct world *world) {
    world->files.marks = MARKS_BIRTH_TIMES;
    roll_thrice(world);
}

void rolled_with_numbers_only(struct world *world) {
    world->files.marks = MARKS_NUMBERS_ONLY;
    roll_thrice(world);
}

void file_that_begins_has_another_name(struct world *world) {
    log_open_whole(world);
    append(world, 100);
    roll(world, &to_next);
    append(world, 200);
    log_drain(world, 1);
    roll(world, &plain_roll);
    append(world, 300);
    log_drain(world, 0);
    log_reopen(world);
    append(world, 100);
}

void rolls_by_a_caller(struct world *world) {
    world->rolls_by_caller = 1;
    log_open_whole(world);
    for (int i = 0; i < 3; i++) {
        append(world, 150);
        roll(world, &plain_roll);
        log_drain(world, 1);
        append(world, 100);
        if (i == 1) {
            log_reopen(world); /* the caller has not answered the roll */
        }
        log_drain_all(world);
    }
}

void caller_cannot_roll(struct world *world) {
    world->model.rolls_may_fail = 1;
    world->rolls_by_caller = 1;
    log_open_whole(world);
    for (int i = 0; i < 4; i++) {
        append(world, 150);
        roll(world, &plain_roll);
        log_drain_all(world);
    }
    world->rolls_by_caller = 0;
    log_reopen(world);
    roll(world, &plain_roll);
}

static void add(struct world *world, unsigned which, const char *name, const char *path) {
    if (log_open_stream(world, which, name, path) < 0) {
        violation(world, "stream \"%s\" cannot be opened with %s: %s", name, path, error_text());
    }
}

static void roll_all(struct world *world) {
    for (unsigned which = 0; which < STREAMS_MAX; which++) {
        log_write_to(world, which);
        append(world, 100 + 50 * which);
        roll(world, which == 1 ? &without_parts : &plain_roll);
        append(world, 120);
    }
}

static void roll_streams(struct world *world) {
    log_open_whole(world);
    add(world, 1, "audit", AUDIT);
    add(world, 2, "trace", TRACE);
    roll_all(world);
    log_drain(world, 1);
    world->files.stalled = AUDIT;
    log_drain(world, 1);
    log_write_to(world, 2);
    roll(world, &plain_roll);
    append(world, 100);
    log_drain(world, 1);
    world->files.stalled = NULL;
    log_reopen(world); /* no stream of the two is open */
    log_drain(world, 1);
    log_open_wanted(world);
    log_write_to(world, 1);
    roll(world, &plain_roll);
    append(world, 100);
    log_drain_all(world);
}

void streams_roll(struct world *world) {
    roll_streams(world);
}

void streams_roll_by_a_caller(struct world *world) {
    world->rolls_by_caller = 1;
    roll_streams(world);
}

static void check_file_number(struct world *world, uint64_t wanted) {
    struct drain_figures figures;
    drain_get_figures(world->engine->drainer.drain, 0, &figures);
    if (figures.file_number != wanted) {
        violation(world, "file %llu is written, and not %llu", (unsigned long long)figures.file_number,
                  (unsigned long long)wanted);
    }
}

/* A roll that the log plans is in memory only, until a record behind it is acknowledged. */
void rolls_that_the_log_plans(struct world *world) {
    world->rolls_planned = 1;
    log_open_whole(world);
    roll(world, &of_an_empty_file);
    append(world, 200);
    log_drain_all(world);
    check_file_number(world, 2);
    roll(world, &planned);
    append(world, 100);
    log_drain(world, 0);
    append(world, 50);
    roll(world, &planned);
    log_enqueue(world, 300);
    roll(world, &planned);
    log_drain(world, 1);
    append(world, 100);
    log_reopen(world);
    roll(world, &planned);
    append(world, 100);
    log_drain_all(world);
    check_file_number(world, 6);
    roll(world, &planned);
    roll(world, &of_an_empty_file);
    log_reopen(world);
    append(world, 40);
}

void streams_plan_their_rolls(struct world *world) {
    world->rolls_planned = 1;
    roll_streams(world);
}
