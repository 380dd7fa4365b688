/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer that keeps the second copy. It acts between any two operations of the host, also while a write of the ring is
 * under way. It knows streams, segments, rolls and an index, and checks
 *
 *     each record that it takes     it is the one that was offered, of that stream, each once and in order
 *     between any two operations    no log file and no segment has a record that it lacks, but for what may_miss excuses
 *     when it begins                nothing is missing that may_miss or damage does not excuse, and none is dropped that
 *                                   both had
 *     when all is drained           it ends with the log's last record, and has the same records as the ring
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "drain/stream.h"
#include "harness/simulator/log.h"
#include "media/record.h"
#include "media/roll.h"

static struct copier *copier_of(const struct world *world) {
    return world->engine == NULL ? NULL : world->engine->copy;
}

static void check_record(const struct world *world, const struct record_header *header, uint64_t sequence) {
    const struct model_record *record = &world->model.records[sequence];
    if (header->sequence != sequence || header->stream != record->stream ||
        record_is_roll(header) != (record->roll != NULL) || header->length != record->bytes ||
        record_judge_payload(header) != RECORD_VALID ||
        crc32c(0, record_payload(header), header->length) != record->crc) {
        violation(world, "I12: the copy got something else as record %llu", (unsigned long long)sequence);
    }
}

/* Passes records that the ring's medium has lost before the copy got them. */
static void pass_damaged(struct world *world, uint64_t next) {
    struct sim_copy *copy = &world->copy;
    while (copy->last + 1 < next && world->model.records[copy->last + 1].damaged) {
        copy->records[copy->last + 1] = copy->records[copy->last];
        copy->records[++copy->last].is_missing = 1;
    }
}

static int take(struct world *world) {
    static uint8_t room[8 * WORLD_BLOCK_BYTES];
    struct sim_copy *copy = &world->copy;
    struct copier_block block;
    const size_t bytes = (2 + world_random(world, 6)) * WORLD_BLOCK_BYTES;
    const int rc = copier_take(copier_of(world), room, bytes, 0, &block);
    if (rc < 0) {
        violation(world, "the copy gets nothing: %s", error_text());
    }
    if (rc == 1) {
        pass_damaged(world, block.first_sequence);
    }
    if (rc == 1 && block.first_sequence != copy->last + 1) {
        violation(world, "I12: the copy ends with %llu, and gets %llu", (unsigned long long)copy->last,
                  (unsigned long long)block.first_sequence);
    }
    for (size_t at = 0; rc == 1 && at < block.bytes;) {
        const struct record_header *header = (const struct record_header *)(room + at);
        check_record(world, header, ++copy->last);
        copy->records[copy->last].epoch = header->epoch;
        copy->records[copy->last].is_missing = 0;
        copy->records[copy->last].durable = copy->last - header->in_flight - 1;
        copy->records[copy->last].incarnation = world->model.records[copy->last].incarnation;
        at += record_bytes(header->length);
    }
    return rc;
}

static void confirm(struct world *world, uint64_t sequence) {
    struct sim_copy *copy = &world->copy;
    if (sequence > copy->confirmed && copier_confirm(copier_of(world), sequence) == 0) {
        copy->confirmed = sequence;
    }
}

static void note_acknowledged(struct world *world) {
    struct sim_copy *copy = &world->copy;
    const uint64_t both = copy->confirmed < world->model.acknowledged ? copy->confirmed : world->model.acknowledged;
    copy->acknowledged = both > copy->acknowledged ? both : copy->acknowledged;
}

static void check_alike(const struct world *world) {
    const struct sim_copy *copy = &world->copy;
    for (uint64_t sequence = 1; sequence <= copy->last; sequence++) {
        if (!copy->records[sequence].is_missing &&
            copy->records[sequence].incarnation != world->model.records[sequence].incarnation) {
            violation(world, "I12: copy and ring have different records with sequence %llu",
                      (unsigned long long)sequence);
        }
    }
}

static void note_missing(struct world *world, uint64_t missing) {
    struct sim_copy *copy = &world->copy;
    for (; missing > 0; missing--) {
        copy->last++;
        copy->records[copy->last].is_missing = 1;
        if (!copy->may_miss && !world->model.records[copy->last].damaged) {
            violation(world, "I12: the copy lacks record %llu, and the ring does not hold it any more",
                      (unsigned long long)copy->last);
        }
        if (copier_await(copier_of(world), copy->last, 0) != -ENODATA) {
            violation(world, "I12: record %llu was named as missing, and a call is told something else",
                      (unsigned long long)copy->last);
        }
    }
}

/* The first record that a log file or a segment has and the copy lacks; 0: there is none. */
static uint64_t first_ahead(const struct world *world) {
    EACH_STREAM(world->engine->drainer.drain, stream) {
        for (uint64_t sequence = world->copy.confirmed + 1; sequence < stream->written.walk.sequence; sequence++) {
            const struct model_record *record = &world->model.records[sequence];
            if (record->stream == stream_source(&stream->noted) && !record->damaged &&
                (!stream_follows(stream) || record->in_segments)) {
                return sequence;
            }
        }
    }
    return 0;
}

static void check_log_is_behind(const struct world *world) {
    const uint64_t ahead = world->copy.may_miss ? 0 : first_ahead(world);
    if (ahead != 0) {
        violation(world, "I12: record %llu left the ring, and the copy ends with %llu", (unsigned long long)ahead,
                  (unsigned long long)world->copy.confirmed);
    }
}

static int is_diverted(const struct world *world) {
    int diverted = 0;
    EACH_STREAM(world->engine->drainer.drain, stream) {
        diverted |= stream->noted.outlet.diverted_sequence != 0 || stream->next.outlet.diverted_sequence != 0;
    }
    return diverted;
}

void sim_copy_end_step(struct world *world) {
    struct sim_copy *copy = &world->copy;
    if (copier_of(world) != NULL && copier_has_begun(copier_of(world))) {
        check_log_is_behind(world);
        copy->may_miss = copy->is_away || first_ahead(world) != 0;
    }
}

void sim_copy_end_open(struct world *world) {
    sim_copy_begin(world);
    sim_copy_end_step(world);
    world->copy.may_go_back |= is_diverted(world);
}

static int has_its_place(const struct world *world, const struct sim_stream *wanted) {
    const struct drain *drain = world->engine->drainer.drain;
    EACH_STREAM(drain, stream) {
        if (strcmp(stream->noted.name, wanted->name) == 0 && strcmp(stream->noted.outlet.path, wanted->path) == 0) {
            return (stream_follower(drain, stream->noted.id) != NULL) == wanted->has_segments;
        }
    }
    return 0;
}

void sim_copy_stream_opens(struct world *world, const struct sim_stream *stream) {
    struct sim_copy *copy = &world->copy;
    copy->may_miss |= copy->is_kept && (copy->may_go_back || !has_its_place(world, stream));
}

void sim_copy_begin(struct world *world) {
    struct sim_copy *copy = &world->copy;
    struct copier_begun begun;
    if (copier_of(world) == NULL) {
        return;
    }
    copy->last = copy->confirmed + world_random(world, copy->last - copy->confirmed + 1);
    if (copier_begin(copier_of(world), copy->last, copy->records[copy->last].epoch, copy->records[copy->last].durable,
                     &begun) < 0) {
        violation(world, "the copy cannot begin: %s", error_text());
    }
    note_missing(world, begun.missing);
    copy->last -= begun.surplus;
    copy->records[copy->last].epoch = begun.epoch; /* it notes where it goes on */
    copy->records[copy->last].durable = begun.durable_sequence;
    copy->is_away = 0;
    copy->confirmed = copy->last; /* what it begins behind, it has stored */
    if (copy->last < copy->acknowledged) {
        violation(world, "I12: record %llu was acknowledged as copied, and the copy is to drop it",
                  (unsigned long long)copy->acknowledged);
    }
    check_alike(world);
}

/* The copier takes, confirms, comes back, or is declared away. */
static void act(struct world *world) {
    struct sim_copy *copy = &world->copy;
    if (copy->is_away) {
        if (world_random(world, 6) == 0) {
            sim_copy_begin(world);
        }
    } else if (world_random(world, 3) == 0) {
        take(world);
    } else if (world_random(world, 3) == 0) {
        confirm(world, copy->confirmed + world_random(world, copy->last - copy->confirmed + 1));
    } else if (copy->may_fail && world_random(world, 12) == 0) {
        copier_away(copier_of(world));
        copy->is_away = copy->may_miss = 1;
    }
}

void sim_copy_step(struct world *world, int all) {
    struct sim_copy *copy = &world->copy;
    if (copier_of(world) == NULL || !copier_has_begun(copier_of(world))) {
        return;
    }
    if (!all) {
        act(world);
    } else {
        if (copy->is_away) {
            sim_copy_begin(world);
        }
        while (take(world) == 1) {
        }
        confirm(world, copy->last);
    }
    note_acknowledged(world);
    check_log_is_behind(world);
}

void sim_copy_check(const struct world *world) {
    if (copier_of(world) != NULL) {
        check_alike(world);
        if (world->copy.last != world->model.acknowledged) {
            violation(world, "I12: the copy ends with %llu, and the log with %llu",
                      (unsigned long long)world->copy.last, (unsigned long long)world->model.acknowledged);
        }
    }
}
