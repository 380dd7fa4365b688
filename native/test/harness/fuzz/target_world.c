/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input is a program: a user appends, commits, drains and reopens. The power fails at any operation, and leaves any
 * state that the simulator knows. Checkpoints rot, records are damaged. The simulator's invariants I1 to I8 are the
 * oracle. After a crash the program goes on in the world that the crash left.
 */
#include <errno.h>
#include <string.h>

#include "drain/stream.h"
#include "outlet/file/log_file.h"
#include "base/error.h"
#include "harness/fuzz/violation.h"
#include "recovery/reader.h"
#include "harness/simulator/crash.h"
#include "harness/simulator/log.h"

#define STEPS_MAX 60u
#define FILE_FAULTS_MAX 3u
#define BLOCKS 10u

struct program {
    const uint8_t *next;
    const uint8_t *end;
    struct world *world;
    struct world *after; /* what the crash left; NULL: none yet */
    struct world *spare;
    int crash_in; /* crashes after so many operations; < 0: no crash is coming */
    uint64_t crash_state;
    unsigned file_faults;
    unsigned steps;
};

static struct program program;

static uint8_t byte(void) {
    return program.next < program.end ? *program.next++ : 0;
}

static void crash_now(struct world *world) {
    static struct crash crash;
    if (world->engine != NULL) {
        log_note_durable(world);
    }
    crash_survey(&crash, world, program.crash_state * 77 + 1);
    const uint64_t states = crash_states(&crash, 64, 48);
    crash_build(&crash, program.crash_state % states, states, program.spare);
    program.after = program.spare;
}

static void before_operation(struct world *world, const char *operation) {
    (void)operation;
    if (program.after == NULL && program.crash_in >= 0 && program.crash_in-- == 0) {
        crash_now(world);
    }
}

static void open_log(void) {
    program.world->before_operation = before_operation;
    program.world->device.fail_write_in = -1;
    log_open_whole(program.world);
}

/* Goes on in the world that the crash left. */
static void follow_the_crash(void) {
    while (program.after != NULL) {
        log_close(program.world);
        program.spare = program.world;
        program.world = program.after;
        program.after = NULL;
        program.world->level = 0;
        open_log(); /* and may crash again in that */
    }
}

static void reopen(void) {
    log_close(program.world);
    open_log();
}

/* After a crash the newer checkpoint is unreadable; the older one must still find everything. */
static void rot_newest_checkpoint(struct world *world) {
    struct ledger *ledger;
    if (ledger_read(&world->platform, &world->device.device, &ledger) == 0 && ledger_slots(ledger)->is_valid[0] &&
        ledger_slots(ledger)->is_valid[1]) {
        uint8_t *slot = world_checkpoint(world, ledger_newest(ledger));
        slot[byte() * 8u % checkpoint_claims(slot)] ^= 1;
        world->model.drained = 0; /* the older one has less drained */
    }
    ledger_close(ledger);
}

/* A waiting data record, but not the last: later records prove that it was durable. `skip` says how many
 * earlier ones to leave out. */
static const struct record_header *provable_record(const struct recovery_input *input, const struct recovery *recovery,
                                                   uint64_t from, unsigned skip) {
    struct reader reader;
    const struct record_header *found = NULL;
    uint64_t proven = 0;
    reader_begin(&reader, input, recovery);
    for (struct reader_item item; reader_next(&reader, &item) == 1;) {
        proven = item.record != NULL ? item.record->durable_position : proven; /* the last record's counts */
    }
    reader_begin(&reader, input, recovery);
    for (struct reader_item item; reader_next(&reader, &item) == 1;) {
        const struct record_header *record = item.record;
        if (record != NULL && record->type == RECORD_DATA && record->length > 0 && record->position >= from &&
            record->position + record_bytes(record->length) <= proven && (found == NULL || skip-- > 0)) {
            found = record;
        }
    }
    return found;
}

/* The position behind all records that were written to a log file, in this life or an earlier one. A record that is
 * in a file and is then lost in the ring may be reported as lost although it is there. */
static uint64_t not_in_a_file(const struct world *world) {
    const struct drain_stream *stream = drain_stream(world->engine->drainer.drain, 0);
    const struct destination *destination = &((const struct log_file *)stream->outlet)->destination;
    const int is_redo = destination->file == DESTINATION_CLOSED || destination->length < destination->redo_until;
    return is_redo || stream->partly > 0 ? UINT64_MAX : stream->written.walk.position;
}

static void damage_a_record(struct world *world, uint64_t from) {
    struct ring_view *view;
    if (ring_view_open(&world->platform, &world->device.device, &view) < 0) {
        violation(world, "the ring cannot be read: %s", error_text());
    }
    const struct recovery_input input = ring_view_input(view);
    const struct record_header *record = provable_record(&input, &view->recovery, from, byte() % 8);
    if (record != NULL) {
        const size_t place = sim_device_place(LAYOUT_DATA_OFFSET + record->position % input.shape.capacity_bytes);
        world->model.medium_damaged = 1;
        world->model.records[record->sequence].damaged = 1;
        world->device.medium[place + byte() * 16u % (RECORD_HEADER_BYTES + record->length)] ^= (uint8_t)(byte() | 1);
    }
    ring_view_close(&world->platform, view);
}

static uint32_t any_length(void) {
    const uint8_t value = byte();
    return value < 8 ? 0 : value < 128 ? PAYLOAD_MIN_BYTES + value : value < 240 ? value * 20u : 3900u + value;
}

/* Others rename the log file, or put a copy of it beside it. */
static void others_act(struct world *world, uint8_t what) {
    static const char *const names[] = {LINKED_FILE ".a", LINKED_FILE ".b", LINKED_FILE ".c"};
    const char *name = names[program.file_faults - 1];
    if (sim_files_find(&world->files, LINKED_FILE) < 0) {
        return;
    }
    if (what & 1) {
        others_copy(world, LINKED_FILE, name);
    } else {
        others_rename(world, LINKED_FILE, name);
    }
}

static void file_fault(struct world *world) {
    const uint8_t what = byte();
    if (program.file_faults++ >= FILE_FAULTS_MAX) {
        return;
    }
    if (what >= 0xc0) {
        others_act(world, what);
    } else if (what & 1) {
        world->files.fail_sync_in = what >> 1 & 3;
    } else {
        world->files.space_bytes = what * 16;
    }
}

static void step(void) {
    struct world *world = program.world;
    switch (byte() % 16) {
    case 0:
    case 1:
    case 2:
        log_append(world, any_length());
        return;
    case 3:
    case 4:
        for (unsigned i = byte() % 6; i > 0 && program.after == NULL; i--) {
            log_enqueue(world, any_length());
        }
        return;
    case 5:
        log_commit(world);
        return;
    case 6:
        log_drain(world, 0);
        return;
    case 7:
        log_drain(world, 1);
        return;
    case 8:
        world->device.fail_errno = EIO;
        world->device.fail_write_in = byte() % 4;
        return;
    case 9:
        file_fault(world);
        return;
    case 10:
        world->files.space_bytes = -1;
        return;
    case 11:
        world->now_ns += 3000000000;
        return;
    case 12: /* between two operations: all submitted writes are durable */
        reopen();
        return;
    case 13:
        program.crash_in = byte() % 12;
        program.crash_state = byte();
        return;
    case 14:
        log_close(world);
        rot_newest_checkpoint(world);
        open_log();
        return;
    default: {
        const uint64_t from = not_in_a_file(world);
        log_close(world);
        damage_a_record(world, from);
        open_log();
    }
    }
}

static void begin(const uint8_t *data, size_t size) {
    static struct world *empty, *worlds[2];
    if (empty == NULL) {
        empty = world_create();
        worlds[0] = world_create();
        worlds[1] = world_create();
        world_reset(empty, BLOCKS, 1);
        log_format(empty);
    }
    program =
        (struct program){.next = data, .end = data + size, .world = worlds[0], .spare = worlds[1], .crash_in = -1};
    world_copy(program.world, empty);
    program.world->level = 0;
    program.world->device.device.write_depth = 1 + byte() % 3;
    program.world->random_state = byte();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    begin(data, size);
    open_log();
    follow_the_crash();
    while (program.next < program.end && program.steps++ < STEPS_MAX) {
        step();
        if (program.after == NULL && ring_has_failed(program.world->engine->ring)) {
            log_drain(program.world, 0);
            if (program.after == NULL) {
                reopen();
            }
        }
        follow_the_crash();
    }
    struct world *world = program.world;
    program.crash_in = -1;
    world->device.fail_write_in = world->device.late_in = -1;
    world->files.space_bytes = world->files.fail_sync_in = -1;
    log_drain_all(world);
    log_check_files(world);
    log_reopen(world);
    log_drain_all(world);
    log_check_files(world);
    log_close(world);
    return 0;
}

/* A program has no fields: the fuzzer changes its bytes as it likes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    (void)seed;
    return LLVMFuzzerMutate(data, size, room);
}
