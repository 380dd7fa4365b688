/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/explore.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "one_stream.h"
#include "harness/simulator/crash.h"
#include "harness/simulator/log.h"
#include "harness/simulator/readers.h"

#define SURVIVES_IN 4 /* in one of so many states a reader outlives the writer */
#define ROT_IN 8      /* in one of so many states the newest checkpoint rots as well */
#define FULL_IN 4     /* in one of so many recoveries of a copied log its disk is full */
#define LIMP_STEPS 6

struct exploration exploration;

static struct world *levels[3];

static void list_checkpoint(const struct world *world, unsigned slot) {
    const struct one_stream *checkpoint =
        (const void *)(world->device.medium + sim_device_place(LAYOUT_CHECKPOINT_OFFSET(slot)));
    const struct writer_note *note = (const void *)(world->device.medium + sim_device_place(LAYOUT_NOTE_OFFSET(slot)));
    fprintf(stderr,
            "  checkpoint %u: generation %llu, epoch %u, drained %llu, %llu bytes in the file\n"
            "  note %u: generation %llu, epoch %u, watermark %llu, in flight to %llu\n",
            slot, (unsigned long long)checkpoint->head.generation, checkpoint->head.epoch,
            (unsigned long long)checkpoint->stream.drained_position, (unsigned long long)checkpoint->stream.length,
            slot, (unsigned long long)note->generation, note->epoch, (unsigned long long)note->durable_position,
            (unsigned long long)note->in_flight_end);
}

/* Lists all that looks like a header, be it whole or not. */
static void list_medium(const struct world *world) {
    list_checkpoint(world, 0);
    list_checkpoint(world, 1);
    const size_t capacity = world->device.medium_bytes - MEDIUM_DATA;
    for (size_t at = 0; at < capacity; at += RECORD_ALIGN_BYTES) {
        const struct record_header *header = (const void *)(world->device.medium + MEDIUM_DATA + at);
        if (header->position % capacity == at && header->epoch > 0 && header->epoch < 1000 && header->type > 0 &&
            header->type <= RECORD_MARKER) {
            const struct marker *marker = (const void *)(header + 1);
            fprintf(stderr, "  at %6zu: position %llu, type %u, sequence %llu, epoch %u, watermark %llu", at,
                    (unsigned long long)header->position, header->type, (unsigned long long)header->sequence,
                    header->epoch, (unsigned long long)header->durable_position);
            if (header->type == RECORD_MARKER) {
                fprintf(stderr, ", log end %llu", (unsigned long long)marker->log_end);
            }
            fprintf(stderr, "\n");
        }
    }
}

void violation(const struct world *world, const char *format, ...) {
    const struct exploration *now = &exploration;
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "VIOLATION in %s: ", now->scenario->name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n  crash point %llu, state %llu", (unsigned long long)now->points,
            (unsigned long long)now->state);
    if (world->level == 2) {
        fprintf(stderr, "; in its recovery crash point %llu, state %llu", (unsigned long long)now->second_point,
                (unsigned long long)now->second_state);
    }
    fprintf(stderr,
            "\n  see it again: simulator --scenario %s --medium %s --seed %llu --exhaustive %llu --sampled %llu "
            "--second-in %llu --second-sampled %llu --point %llu --state %llu --trace\n",
            now->scenario->name, now->is_mapped ? "mapped" : "block", (unsigned long long)now->seed,
            (unsigned long long)now->exhaustive, (unsigned long long)now->sampled, (unsigned long long)now->second_in,
            (unsigned long long)now->second_sampled, (unsigned long long)now->points, (unsigned long long)now->state);
    for (uint64_t i = world->events.first; i < world->events.end; i++) {
        fprintf(stderr, "  the engine said: %s\n", world->events.kept[i % EVENTS_KEPT].text);
    }
    if (now->trace) {
        list_medium(world);
    }
    printf("PROOF simulator cases=%llu violations=1 seeds=%llu-%llu\n",
           (unsigned long long)(now->total + now->states + now->second_states), (unsigned long long)now->seed,
           (unsigned long long)now->seed);
    exit(1);
}

/* Appends records as long as those that the crash may have torn: if a recovery takes a stale tail for theirs, it
 * shows. */
static void append_again(struct world *world) {
    const uint64_t next = world->model.offered + 1;
    for (uint64_t i = 0; i < 2; i++) {
        const struct model_record *torn = &world->model.records[next + i];
        const uint32_t length = torn->length > 0 ? torn->length : 100;
        int64_t rc = i == 1 && world->model.has_rolls ? log_roll(world, &plain_roll) : 1;
        rc = rc == -EAGAIN ? rc : log_append(world, length);
        if (rc == -EAGAIN) {
            log_drain_all(world);
            rc = log_append(world, length);
        }
        if (rc < 0) {
            violation(world, "nothing can be appended after recovery: %s", error_text());
        }
    }
}

/* Commits two records in one block. A record may stand there that was in flight at the crash, and has the next
 * sequence. */
static void commit_two(struct world *world) {
    for (int i = 0; i < 2; i++) {
        if (log_enqueue(world, 50) == -EAGAIN) {
            log_drain_all(world);
            log_enqueue(world, 50);
        }
    }
    if (log_commit(world) < 0) {
        violation(world, "nothing can be committed after recovery: %s", error_text());
    }
}

/* The next process opens the same streams, none of them, streams with each other's files, or one under another name. */
static void open_streams(struct world *world) {
    const char *first = world->streams[1].path;
    switch (world_random(world, 4)) {
    case 0:
        break;
    case 1:
        world->streams[1].path = world->streams[2].path;
        world->streams[2].path = first;
        log_open_wanted(world);
        break;
    case 2:
        if (first != NULL && log_open_stream(world, 1, "another name", first) < 0) {
            violation(world, "%s cannot be taken over: %s", first, error_text());
        }
        break;
    default:
        log_open_wanted(world);
        break;
    }
    const unsigned begin = (unsigned)world_random(world, STREAMS_MAX);
    world->writes_to = STREAMS_MAX;
    for (unsigned i = 0; i < STREAMS_MAX; i++) {
        const unsigned which = (begin + i) % STREAMS_MAX;
        if (which == 0 ? world->file_name != NULL : world->streams[which].is_open) {
            world->writes_to = which;
        }
    }
}

/* One destination cannot be written for a while. */
static void stall_one(struct world *world) {
    world->files.stalled = world->streams[1 + world_random(world, 2)].path;
    log_drain(world, 1);
    world->files.stalled = NULL;
}

/* The crash has mended no disk: one that was full is so for a while, and one of a copied log gets full. */
static void limp(struct world *world) {
    if (world->copy.is_kept && world_random(world, FULL_IN) == 0) {
        world->files.space_bytes = (int64_t)world_random(world, 4000);
    }
    world->index_may_fail |= world->files.space_bytes >= 0;
    for (int step = 0; step < LIMP_STEPS && world->files.space_bytes >= 0; step++) {
        sim_copy_step(world, 0);
        log_drain(world, step % 2);
    }
    world->files.space_bytes = -1;
}

/* Goes on in one of several ways, as if nothing had happened. */
static void live_on(struct world *world, uint64_t variant) {
    if (variant % 3 == 0) {
        log_drain_all(world);
        log_check_files(world);
    } else if (variant % 3 == 1) {
        log_drain(world, 0);
    }
    if (world->writes_to == STREAMS_MAX) {
        /* No stream is open: nothing can be appended. */
    } else if (variant / 3 % 2 == 0) {
        append_again(world);
    } else {
        commit_two(world);
    }
    log_drain_all(world);
    log_check_files(world);
}

/* A reader that outlived the writer looks at each operation of the next one. */
static void survivor_looks(struct world *world, const char *operation) {
    (void)operation;
    readers_step(world, READER_SURVIVOR);
}

static void recover(struct world *world, uint64_t variant, void (*crash_in_it)(struct world *, const char *)) {
    if (world->model.medium_lied && log_is_refused(world)) {
        return;
    }
    world->before_operation = crash_in_it != NULL ? crash_in_it : readers_have_survivor() ? survivor_looks : NULL;
    log_open_whole(world);
    limp(world);
    if (world->has_streams) {
        open_streams(world);
        stall_one(world);
    }
    live_on(world, variant);
    world->before_operation = NULL;
    if (variant / 6 % 4 == 0) { /* a second recovery must find the same log */
        log_reopen(world);
        log_drain_all(world);
        log_check_files(world);
    }
    readers_end(world, READER_SURVIVOR);
    log_close(world);
}

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t state = a * 0x9e3779b97f4a7c15ull + b;
    return random_next(&state);
}

static void trace(const struct world *world, uint64_t point, const char *operation) {
    if (exploration.trace) {
        printf("%*s%llu: %s (acknowledged %llu of %llu)\n", (int)world->level * 4, "", (unsigned long long)point,
               operation, (unsigned long long)world->model.acknowledged, (unsigned long long)world->model.offered);
    }
}

/* The newer checkpoint is unreadable after the crash: the older one must still find every record, in each state. */
static void rot_newest_checkpoint(struct world *world) {
    struct ledger *ledger;
    if (ledger_read(&world->platform, &world->device.device, &ledger) == 0 && ledger_slots(ledger)->is_valid[0] &&
        ledger_slots(ledger)->is_valid[1]) {
        uint8_t *slot = world_checkpoint(world, ledger_newest(ledger));
        slot[world_random(world, checkpoint_claims(slot))] ^= 1;
        world->model.drained = 0;
        world->copy.may_go_back = 1; /* that one may be of a log that was diverted */
    }
    ledger_close(ledger);
}

/* A disk that is full stays so, and one whose writes are short. */
static void leave(const struct crash *crash, uint64_t state, uint64_t states, struct world *after) {
    crash_build(crash, state, states, after);
    after->files.space_bytes = crash->world->files.space_bytes;
    after->files.write_at_most = crash->world->files.write_at_most;
}

/* The second crash. */
static void crash_recovery(struct world *world, const char *operation) {
    static struct crash crash;
    struct exploration *now = &exploration;
    if (world->engine != NULL) {
        log_note_durable(world);
    }
    log_read_segments(world);
    sim_copy_step(world, 0);
    trace(world, now->second_point, operation);
    crash_survey(&crash, world, mix(mix(now->seed, now->points), mix(now->state, now->second_point)));
    const uint64_t states = crash_states(&crash, now->second_sampled, now->second_sampled);
    for (now->second_state = 0; now->second_state < states; now->second_state++) {
        leave(&crash, now->second_state, states, levels[2]);
        recover(levels[2], now->second_state, NULL);
        now->second_states++;
    }
    now->second_points++;
    now->second_point++;
}

static void crash_run(struct world *world, const char *operation) {
    static struct crash crash;
    struct exploration *now = &exploration;
    if (world->engine != NULL) {
        log_note_durable(world);
    }
    log_read_segments(world);
    sim_copy_step(world, 0);
    readers_step(world, READER_BY_WINDOW);
    readers_step(world, READER_OF_MEDIUM);
    if (now->only_point < 0 || now->only_point == (int64_t)now->points) {
        trace(world, now->points, operation);
    }
    crash_survey(&crash, world, mix(now->seed, now->points));
    const uint64_t states = crash_states(&crash, now->exhaustive, now->sampled);
    now->whole_points += states == crash.states;
    for (now->state = 0; now->state < states; now->state++) {
        if (now->only_point >= 0 &&
            (now->only_point != (int64_t)now->points || now->only_state != (int64_t)now->state)) {
            continue;
        }
        now->second_point = 0;
        const int survives = world->has_readers && mix(now->points, now->state) % SURVIVES_IN == 1;
        crash.host_lives = survives;
        const int again = !survives && mix(now->state, now->points) % now->second_in == 0;
        levels[1]->window_maker = NULL;
        if (survives) {
            readers_make_survivor(world, levels[1], mix(now->state, now->points));
        }
        leave(&crash, now->state, states, levels[1]);
        if (mix(now->points, now->state) % ROT_IN == 0) {
            rot_newest_checkpoint(levels[1]);
        }
        recover(levels[1], mix(now->state, now->points) >> 32, again ? crash_recovery : NULL);
        now->states++;
    }
    now->points++;
}

void explore(void) {
    for (int level = 0; level < 3; level++) {
        if (levels[level] == NULL) {
            levels[level] = world_create();
        }
    }
    struct world *world = levels[0];
    world_reset(world, exploration.scenario->blocks, exploration.seed);
    sim_device_choose(world, exploration.is_mapped);
    if (exploration.seed % 2 == 0) {
        world->device.device.line_bytes = 0; /* mapped, but with the layout of a block device */
    }
    world->device.device.write_depth = (int)exploration.scenario->write_depth;
    log_format(world);
    world->before_operation = crash_run;
    exploration.scenario->run(world);
    if (world->engine != NULL) {
        world->before_operation = NULL;
        log_drain_all(world);
        log_check_files(world);
        readers_end(world, READER_BY_WINDOW);
        readers_end(world, READER_OF_MEDIUM);
        log_close(world);
    }
}
