/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "media/durable_stamp.h"
#include "recovery/reader.h"

#define DRAIN_STEPS_MAX 200

void payload_make(const struct model *model, uint64_t sequence, char *out) {
    const struct model_record *record = &model->records[sequence];
    if (record->length == 0) {
        return;
    }
    if (model->repeats) {
        memset(out, REPEATED_FILL, record->length);
        out[record->length - 1] = '\n';
        return;
    }
    char name[PAYLOAD_MIN_BYTES + 1];
    snprintf(name, sizeof name, "%06u.%04u:", (unsigned)sequence % 1000000u, record->incarnation % 10000u);
    memset(out, payload_fill(sequence, record->incarnation), record->length);
    memcpy(out, name, sizeof name - 1 < record->length ? sizeof name - 1 : record->length);
    out[record->length - 1] = '\n';
}

void log_format(struct world *world) {
    world->model.drained = 0;
    const int rc = ledger_format(&world->platform, &world->device.device, world->device.device.medium_bytes);
    if (rc < 0) {
        violation(world, "format: %s", error_text());
    }
}

int log_open(struct world *world) {
    const struct engine_parts parts = {
        .platform = &world->platform,
        .device = &world->device.device,
        .files = &world->files.files,
        .events = &world->events,
        .window_maker = world->window_maker,
        /* Every second log reads the slots, as a writer does that another process drains. */
        .reads_slots = world->model.incarnation % 2 == 0 && !world->copy.is_kept,
    };
    struct engine_stream main_stream = {
        .name = "", .path = world->file_name, .roller = sim_roller_of(world, 0), .has_index = world->has_index};
    const struct engine_config config = {.main = world->file_name != NULL ? &main_stream : NULL,
                                         .copy = world->copy.is_kept ? "peer" : NULL};
    if (world->file_name != NULL && world->file_name[0] == '\0') {
        main_stream.path = NULL;
    }
    world->model.incarnation++;
    world->is_held = 1;
    world->copy.may_miss |= world->copy.may_go_back;
    world->copy.may_go_back = 0;
    return engine_open(&parts, &config, &world->engine);
}

/* The log is what recovery found: all of it is acknowledged from now on. */
void log_settle(struct world *world, const struct recovery *recovery) {
    struct model *model = &world->model;
    const uint64_t last = recovery->next_sequence - 1;
    if (last < model->acknowledged && !model->medium_lied) {
        violation(world, "I1: %llu records were acknowledged, but the ring ends with %llu",
                  (unsigned long long)model->acknowledged, (unsigned long long)last);
    }
    if (last > model->offered) {
        violation(world, "I2: %llu records were ever offered, but the ring ends with %llu",
                  (unsigned long long)model->offered, (unsigned long long)last);
    }
    if (recovery->start < model->drained && !model->medium_lied) {
        violation(world, "I5: a checkpoint says that all before %llu is drained, but recovery begins at %llu",
                  (unsigned long long)model->drained, (unsigned long long)recovery->start);
    }
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct recovery_jump *jump = &recovery->jumps[i];
        if (jump->gap.damaged && !model->medium_damaged && !model->medium_lied) {
            violation(world, "I8: positions %llu..%llu are called damaged, but nothing happened to them",
                      (unsigned long long)jump->gap.from, (unsigned long long)jump->gap.to);
        }
        for (uint64_t n = 0; n < jump->gap.count; n++) {
            if (!model->records[jump->gap.first_sequence + n].damaged && !model->medium_lied) {
                violation(world, "I8: record %llu is called lost, but nothing happened to it",
                          (unsigned long long)(jump->gap.first_sequence + n));
            }
        }
    }
    model->acknowledged = last;
}

/* I10: each stamp that counts is of the commit before, whatever a crash left in the gaps. */
static void check_stamps(struct world *world, const struct ring_view *view) {
    const struct recovery_input input = ring_view_input(view);
    uint64_t begin = 0; /* of the commit that is read; 0: not known */
    uint32_t epoch = 0;
    struct reader reader;
    reader_begin(&reader, &input, &view->recovery);
    for (struct reader_item item; reader_next(&reader, &item) == 1;) {
        const struct record_header *record = item.record;
        struct durable_stamp stamp;
        if (record == NULL || !(record->flags & RECORD_LAST)) {
            begin = record == NULL ? 0 : begin;
            continue;
        }
        if (durable_stamp_read(input.image, &input.shape, input.crc_seed, record, &stamp) && epoch == stamp.epoch &&
            begin != 0 && stamp.position != begin) {
            violation(world, "I10: the stamp behind position %llu says that all before %llu was durable at %lld",
                      (unsigned long long)record->position, (unsigned long long)stamp.position,
                      (long long)stamp.durable_ns);
        }
        begin = walk_end_of_record(&input.shape, record->position, record);
        epoch = record->epoch;
    }
    reader_end(&reader);
}

/* Settles the model by a reader, which changes nothing. */
void log_read_and_settle(struct world *world) {
    struct model *model = &world->model;
    struct ring_view *view;
    int rc = ring_view_open(&world->platform, &world->device.device, &view);
    if (model->is_formatting && (rc == -ENODATA || rc == -EUCLEAN || (rc == 0 && view->recovery.records > 0))) {
        if (rc == 0) { /* the format has not begun: the older ring is still whole */
            ring_view_close(&world->platform, view);
        }
        log_format(world);
        rc = ring_view_open(&world->platform, &world->device.device, &view);
    }
    model->is_formatting = 0;
    if (rc < 0) {
        violation(world, "the ring cannot be read: %s", error_text());
    }
    log_settle(world, &view->recovery);
    ring_view_close(&world->platform, view);
}

int log_is_refused(struct world *world) {
    struct ring_view *view;
    const int rc = ring_view_open(&world->platform, &world->device.device, &view);
    if (rc < 0) {
        return rc == -EUCLEAN;
    }
    const struct superblock *superblock = ring_view_superblock(view);
    const int has_no_block = view->recovery.marker_position + superblock->block_bytes >
                             align_down(view->recovery.start, superblock->block_bytes) + superblock->capacity_bytes;
    ring_view_close(&world->platform, view);
    return has_no_block;
}

void log_open_whole(struct world *world) {
    /* A reader must find the same as the open. It costs as much as an open, so it runs only now and then. */
    const int asked = world->model.is_formatting || world->before_operation != NULL || world_random(world, 4) == 0;
    if (asked && !world->device.is_ahead) {
        log_read_and_settle(world);
    }
    if (log_open(world) < 0) {
        violation(world, "the ring cannot be opened: %s", error_text());
    }
    world->device.is_ahead = 0; /* the open has flushed it */
    log_settle(world, &world->engine->view.recovery);
    check_stamps(world, &world->engine->view);
    const uint64_t next = ring_next_sequence(world->engine->ring);
    if (next != world->model.acknowledged + 1) {
        violation(world, "I5: the next sequence was %llu when read and is %llu when opened",
                  (unsigned long long)world->model.acknowledged + 1, (unsigned long long)next);
    }
    world->model.offered = world->model.acknowledged;
    sim_copy_end_open(world);
}

void log_close(struct world *world) {
    engine_close(world->engine);
    world->engine = NULL;
    world->is_held = 0;
    log_forget_streams(world);
    if (world->allocations != 0) {
        violation(world, "%u allocations were not released", world->allocations);
    }
}

void log_reopen(struct world *world) {
    log_close(world);
    log_open_whole(world);
}

void log_note_durable(struct world *world) {
    uint64_t position, next;
    ring_durable(world->engine->ring, &position, &next);
    if (next - 1 > world->model.offered) {
        violation(world, "I8: %llu records are durable, but only %llu were offered", (unsigned long long)next - 1,
                  (unsigned long long)world->model.offered);
    }
    if (next - 1 > world->model.acknowledged) {
        world->model.acknowledged = next - 1;
    }
}

int64_t log_offer(struct world *world, const struct sim_roll *roll, uint32_t length, ring_call call,
                  const struct ring_rule *rule) {
    struct model *model = &world->model;
    const uint64_t sequence = model->offered + 1;
    if (sequence >= MODEL_RECORDS_MAX || (length > 0 && length < PAYLOAD_MIN_BYTES)) {
        violation(world, "the scenario wants record %llu of %u bytes", (unsigned long long)sequence, length);
    }
    /* Not static: while this append waits, the crashed copies of the world append, too. */
    char payload[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES];
    const struct model_record before = model->records[sequence];
    const struct sim_stream *stream = &world->streams[world->writes_to];
    const char *home = world->writes_to == 0 ? world->file_name : stream->path;
    model->records[sequence] = (struct model_record){.roll = roll,
                                                     .home = world->has_streams ? home : NULL,
                                                     .incarnation = model->incarnation,
                                                     .length = length,
                                                     .stream = stream->id,
                                                     .in_segments = (uint8_t)(stream->is_open && stream->has_segments)};
    size_t bytes = length;
    if (roll != NULL) {
        bytes = roll_make(world, sequence, home, payload);
    } else {
        payload_make(model, sequence, payload);
    }
    model->records[sequence].bytes = (uint32_t)bytes;
    model->records[sequence].crc = crc32c(0, payload, bytes);
    model->offered = sequence;
    const int64_t rc = call(world->engine->ring, payload, bytes, world->now_ns, STREAM(stream->id), rule);
    if (rc == -EAGAIN || (rc < 0 && ring_next_sequence(world->engine->ring) == sequence)) {
        model->offered = sequence - 1;
        model->records[sequence] = before;
    } else if (rc >= 0 && (uint64_t)rc != sequence) {
        violation(world, "sequence %lld was given out where %llu was next", (long long)rc,
                  (unsigned long long)sequence);
    }
    return rc;
}

int64_t log_append(struct world *world, uint32_t length) {
    const int64_t rc = log_offer(world, NULL, length, ring_append, world->park_drains ? &for_ever : &unless_full);
    log_note_durable(world);
    if (rc > 0) {
        world->model.acknowledged = (uint64_t)rc;
    }
    return rc;
}

int64_t log_enqueue(struct world *world, uint32_t length) {
    const int64_t rc = log_offer(world, NULL, length, ring_enqueue, &never_waits);
    sim_mapped_evict(world); /* the record is published, and not sealed */
    return rc;
}

int log_commit(struct world *world) {
    const int rc = ring_commit(world->engine->ring);
    log_note_durable(world);
    if (rc == 1) {
        world->model.acknowledged = world->model.offered;
    }
    return rc;
}

int log_drain(struct world *world, int sync) {
    const int rc = engine_step(world->engine, sync);
    sim_copy_end_step(world);
    world->model.drained = ledger_sum(world->engine->view.ledger).start.drained_position;
    return rc;
}

void log_drain_all(struct world *world) {
    int rc = 0;
    for (int step = 0; step < DRAIN_STEPS_MAX; step++) {
        sim_copy_step(world, 1);
        rc = log_drain(world, 1);
        if (rc == 0 && drain_is_done(world->engine->drainer.drain)) {
            return;
        }
        world->now_ns += 100000000;
    }
    violation(world, "the drain does not come to an end: %s", rc < 0 ? error_name(-rc) : "it says nothing");
}
