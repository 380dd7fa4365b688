/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/readers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/sim_reading.h"
#include "read/open.h"

#define CLOCK_STEP_NS 60000000 /* each look at the clock: nothing is put off because too little time has passed */
#define RECORDS_MOST 100000    /* a reader that gives more runs in a circle */
#define LOSS_LINE "[burstlog: records "

struct sim_reader {
    struct platform platform; /* memory and a clock of its own */
    struct read_source *source;
    int64_t now_ns;
    int allocations;
    uint64_t last; /* all up to this sequence was given, was told as missed, or need not come */
    uint64_t random_state;
    uint64_t given;
};

static struct sim_reader readers[READERS];
static const char *const names[READERS] = {"by the window", "of the medium", "that outlived the writer"};

/* ------------------------------------------------------------------------------------------------- its process */

static struct sim_reader *reader_of(const struct platform *platform) {
    return (struct sim_reader *)platform;
}

static int64_t look_at_clock(const struct platform *platform) {
    return reader_of(platform)->now_ns += CLOCK_STEP_NS;
}

static void sleep_a_while(const struct platform *platform, int64_t duration_ns) {
    reader_of(platform)->now_ns += duration_ns;
}

static void *allocate(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    (void)kind;
    void *memory = aligned_alloc(4096, align_up(bytes, 4096));
    reader_of(platform)->allocations++;
    return memset(memory, 0, align_up(bytes, 4096));
}

static void release(const struct platform *platform, void *memory, size_t bytes) {
    (void)bytes;
    reader_of(platform)->allocations--;
    free(memory);
}

static const struct platform_ops ops = {.monotonic_ns = look_at_clock,
                                        .realtime_ns = look_at_clock,
                                        .sleep_ns = sleep_a_while,
                                        .allocate = allocate,
                                        .release = release};

/* Leaves it closed while the ring has not got its stream yet. */
static void open_reader(struct world *world, enum reader_kind kind, int is_of_medium) {
    struct sim_reader *reader = &readers[kind];
    burst_reader_config_t config = {
        .struct_bytes = sizeof config, .source = "/dev/ring", .window = is_of_medium ? "" : NULL};
    config.stream = world->has_streams ? world->file_name : NULL;
    *reader = (struct sim_reader){.platform.ops = &ops, .now_ns = 1, .random_state = world->random_state};
    int rc = read_open(&reader->platform, &config, &reader->source);
    rc = rc < 0 ? rc : reader->source->ops->seek(reader->source, BURST_FROM_OLDEST, 0);
    if (rc == -ESRCH && world->model.offered == 0) {
        reader->source = NULL;
    } else if (rc < 0) {
        violation(world, "I11: a reader %s cannot begin: %s", names[kind], error_text());
    }
}

static void close_reader(struct world *world, enum reader_kind kind) {
    struct sim_reader *reader = &readers[kind];
    reader->source->ops->close(reader->source);
    reader->source = NULL;
    if (reader->allocations != 0) {
        violation(world, "a reader %s left %d allocations", names[kind], reader->allocations);
    }
}

/* ------------------------------------------------------------------------------------------------------ judgement */

/* Whether the log file has no line for the record, or none that a reader must find. */
static int need_not_come(const struct world *world, uint64_t sequence) {
    const struct model_record *record = &world->model.records[sequence];
    return record->length == 0 || record->roll != NULL || (record->destroyed && !record->packed) ||
           (record->home != NULL && strcmp(record->home, world->file_name) != 0);
}

/* Accounts for the records before `sequence` that were not given. */
static void pass_to(const struct world *world, enum reader_kind kind, uint64_t sequence) {
    struct sim_reader *reader = &readers[kind];
    for (uint64_t left = reader->last + 1; left < sequence; left++) {
        if (!need_not_come(world, left)) {
            violation(world, "I11: a reader %s got record %llu behind %llu, and was not told that it missed %llu",
                      names[kind], (unsigned long long)sequence, (unsigned long long)reader->last,
                      (unsigned long long)left);
        }
    }
    reader->last = sequence > 0 ? sequence - 1 : 0;
}

static void take(struct world *world, enum reader_kind kind, uint64_t sequence) {
    struct sim_reader *reader = &readers[kind];
    uint64_t position, next;
    if (sequence <= reader->last) {
        violation(world, "I11: a reader %s got record %llu behind %llu", names[kind], (unsigned long long)sequence,
                  (unsigned long long)reader->last);
    }
    pass_to(world, kind, sequence);
    reader->last = sequence;
    reader->given++;
    if (world->engine != NULL) {
        ring_durable(world->engine->ring, &position, &next);
        if (sequence >= next) {
            violation(world, "I11: a reader %s got record %llu, and %llu are durable", names[kind],
                      (unsigned long long)sequence, (unsigned long long)next - 1);
        }
    }
    if (world->level == 0 && sequence > world->model.acknowledged) {
        world->model.acknowledged = sequence;
    }
}

/* Those records are accounted for, and no others: it gets none of them, and is told of the next that it misses. */
static void take_missed(struct world *world, enum reader_kind kind, const burst_read_t *missed) {
    struct sim_reader *reader = &readers[kind];
    const uint64_t from = (uint64_t)missed->sequence;
    if (from <= reader->last) {
        violation(world, "I11: a reader %s was told behind record %llu that it missed %llu from %llu on", names[kind],
                  (unsigned long long)reader->last, (unsigned long long)missed->count, (unsigned long long)from);
    }
    pass_to(world, kind, from);
    reader->last += missed->count;
}

static void take_record(struct world *world, enum reader_kind kind, const burst_read_t *record) {
    static char payload[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES];
    const struct model *model = &world->model;
    const uint64_t sequence = (uint64_t)record->sequence;
    if (sequence == 0 || sequence > model->offered ||
        (model->records[sequence].roll != NULL) != (record->kind == BURST_READ_ROLL)) {
        violation(world, "I11: a reader %s got record %llu, which was never offered", names[kind],
                  (unsigned long long)sequence);
    }
    if (record->kind == BURST_READ_RECORD) {
        payload_make(model, sequence, payload);
        if (record->length != model->records[sequence].length || memcmp(record->data, payload, record->length) != 0) {
            violation(world, "I11: a reader %s got other bytes as record %llu", names[kind],
                      (unsigned long long)sequence);
        }
    }
    take(world, kind, sequence);
}

static void take_line(struct world *world, enum reader_kind kind, const burst_read_t *line) {
    static char text[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES];
    const struct model *model = &world->model;
    const char *data = line->data;
    const int is_part_of_roll = *data == '<' || *data == '>';
    if (*data == '#' || strncmp(data, LOSS_LINE, sizeof LOSS_LINE - 1) == 0) {
        return;
    }
    const uint64_t sequence = strtoull(data + is_part_of_roll, NULL, 10);
    if (sequence == 0 || sequence > model->offered || (model->records[sequence].roll != NULL) != is_part_of_roll) {
        violation(world, "I11: a reader %s got a line that was never logged: \"%.40s\"", names[kind], data);
    }
    size_t length = model->records[sequence].length;
    if (is_part_of_roll) {
        length = roll_text(model, sequence, *data == '>', text);
    } else {
        payload_make(model, sequence, text);
    }
    if (line->length != length || memcmp(data, text, length) != 0) {
        violation(world, "I11: a reader %s got a part of record %llu: %zu of %zu bytes", names[kind],
                  (unsigned long long)sequence, line->length, length);
    }
    if (!is_part_of_roll) { /* the ring may still tell of a roll whose footer is in the file */
        take(world, kind, sequence);
    }
}

/* Takes one record. Returns 0 if there is none. */
static int take_one(struct world *world, enum reader_kind kind) {
    struct sim_reader *reader = &readers[kind];
    burst_read_t record = {.struct_bytes = sizeof record};
    const int rc = reader->source->ops->next(reader->source, &record);
    if (rc < 0 || record.kind == BURST_READ_LOST) {
        violation(world, "I11: a reader %s behind record %llu: %s", names[kind], (unsigned long long)reader->last,
                  rc < 0 ? error_text() : "records are said to be lost");
    }
    if (rc == 1 && record.kind == BURST_READ_MISSED) {
        take_missed(world, kind, &record);
    } else if (rc == 1 && record.kind == BURST_READ_LINE) {
        take_line(world, kind, &record);
    } else if (rc == 1) {
        take_record(world, kind, &record);
    }
    return rc;
}

static void take_some(struct world *world, enum reader_kind kind, uint64_t most) {
    uint64_t taken = 0;
    while (taken < most && take_one(world, kind) == 1) {
        if (++taken == RECORDS_MOST) {
            violation(world, "I11: a reader %s gets no further than record %llu", names[kind],
                      (unsigned long long)readers[kind].last);
        }
    }
}

/* --------------------------------------------------------------------------------------------------------- steps */

void readers_attend(struct world *world) {
    world->has_readers = 1;
    sim_reading_make_windows(world);
}

static uint64_t some_or_all(uint64_t *state) {
    const uint64_t chance = random_next(state) % 6;
    return chance == 0 ? UINT64_MAX : chance - 1;
}

static int rests(const struct world *world, struct sim_reader *reader) {
    return world->has_readers > 1 && random_next(&reader->random_state) % (uint64_t)world->has_readers != 0;
}

void readers_step(struct world *world, enum reader_kind kind) {
    struct sim_reader *reader = &readers[kind];
    if (kind == READER_SURVIVOR ? reader->source == NULL : !world->has_readers) {
        return;
    }
    sim_reading_on(world);
    if (reader->source == NULL) {
        open_reader(world, kind, kind == READER_OF_MEDIUM);
    }
    if (reader->source != NULL && !rests(world, reader)) {
        take_some(world, kind, some_or_all(&reader->random_state));
    }
    sim_reading_on(NULL);
}

void readers_end(struct world *world, enum reader_kind kind) {
    struct sim_reader *reader = &readers[kind];
    if (reader->source == NULL) {
        return;
    }
    sim_reading_on(world);
    for (int looks = 0; looks < 8; looks++) { /* one finds the newest epoch, one its marker, one what it proves */
        take_some(world, kind, UINT64_MAX);
    }
    pass_to(world, kind, world->model.acknowledged + 1);
    close_reader(world, kind);
    sim_reading_on(NULL);
}

void readers_make_survivor(struct world *world, struct world *after, uint64_t seed) {
    sim_reading_on(world);
    open_reader(world, READER_SURVIVOR, seed % 2 == 0);
    if (readers[READER_SURVIVOR].source != NULL) {
        take_some(world, READER_SURVIVOR, seed % 3 == 0 ? UINT64_MAX : seed / 3 % 8);
    }
    sim_reading_on(NULL);
    sim_reading_make_windows(after);
    sim_reading_forget(after);
}

int readers_have_survivor(void) {
    return readers[READER_SURVIVOR].source != NULL;
}

/* --------------------------------------------------------------------------------------------- acts on archives */

void readers_delete(struct world *world, const char *name) {
    if (sim_files_find(&world->files, name) >= 0) {
        log_records_destroyed(world, name, 0);
        world_operation(world, "an archive is deleted");
        others_delete(world, name);
        world_operation(world, "an archive was deleted");
    }
}

void readers_pack(struct world *world, const char *name) {
    static uint8_t packed[FILE_BYTES_MAX];
    char packed_name[FILE_NAME_MAX];
    const int number = sim_files_find(&world->files, name);
    if (number < 0) {
        return;
    }
    for (uint64_t i = 1; i <= world->model.offered; i++) {
        world->model.records[i].packed = !world->model.records[i].destroyed;
    }
    log_records_destroyed(world, name, 0);
    for (uint64_t i = 1; i <= world->model.offered; i++) {
        world->model.records[i].packed &= world->model.records[i].destroyed;
    }
    const struct sim_inode *plain = &world->files.inodes[number];
    const size_t bytes = sim_gzip(plain->cache, plain->size, packed);
    snprintf(packed_name, sizeof packed_name, "%s.gz", name);
    world_operation(world, "an archive is compressed");
    others_put_bytes(world, packed_name, packed, bytes);
    world->files.inodes[sim_files_find(&world->files, packed_name)].begun = plain->begun;
    world_operation(world, "an archive was compressed");
    others_delete(world, name);
    world_operation(world, "the plain archive was deleted");
}
