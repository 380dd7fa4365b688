/* SPDX-License-Identifier: Apache-2.0 */
#include "log/engine.h"

#include <errno.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "burstlog.h"
#include "media/checkpoint_v1.h"
#include "media/record.h"
#include "outlet/format/record_format.h"

#define DEFAULT_RECORD_BYTES (1024u * 1024u)
#define LARGEST_RECORD_BYTES (1024ull * 1024u * 1024u)

/* A header slot as it is written: in whole blocks. */
struct slot {
    uint8_t *bytes;
    size_t size;
};

static int slot_allocate(const struct platform *platform, const struct device *device, struct slot *slot) {
    slot->size = align_up(sizeof(struct checkpoint), device->block_bytes);
    slot->bytes = platform_allocate(platform, slot->size, PLATFORM_PLAIN);
    return slot->bytes != NULL
               ? 0
               : error_set(ENOMEM, "no memory for a header slot of ring %s: %zu bytes", device->path, slot->size);
}

static int slot_write(struct device *device, uint64_t offset, const struct slot *slot, size_t bytes) {
    return device->ops->write(device, offset, slot->bytes, align_up(bytes, device->block_bytes));
}

int engine_format(const struct platform *platform, struct device *device, uint64_t ring_bytes) {
    if (device->block_bytes > LAYOUT_MAX_BLOCK_BYTES) {
        return error_set(EINVAL, "the blocks of %s have %u bytes; a ring can have at most %u", device->path,
                         device->block_bytes, LAYOUT_MAX_BLOCK_BYTES);
    }
    const uint64_t least = LAYOUT_DATA_OFFSET + (uint64_t)LAYOUT_MIN_CAPACITY_BLOCKS * device->block_bytes;
    if (ring_bytes < least || ring_bytes > device->medium_bytes ||
        ring_bytes > LAYOUT_DATA_OFFSET + LAYOUT_MAX_CAPACITY_BYTES) {
        return error_set(EINVAL,
                         "a ring of %llu bytes cannot be on %s: it takes %llu to %llu bytes, and the medium has "
                         "%llu",
                         (unsigned long long)ring_bytes, device->path, (unsigned long long)least,
                         (unsigned long long)(LAYOUT_DATA_OFFSET + LAYOUT_MAX_CAPACITY_BYTES),
                         (unsigned long long)device->medium_bytes);
    }
    struct slot slot;
    int rc = slot_allocate(platform, device, &slot);
    if (rc < 0) {
        return rc;
    }
    uint64_t uuid[2] = {platform->ops->random(platform), platform->ops->random(platform)};
    struct superblock superblock;
    superblock_make(&superblock, ring_bytes, device->medium_bytes, device->block_bytes, device->logical_block_bytes,
                    device->line_bytes != 0 ? SUPERBLOCK_LINES : 0, (const uint8_t *)uuid,
                    platform_realtime_ns(platform));
    const uint32_t crc_seed = crc_seed_of(superblock.uuid);
    for (unsigned i = 0; rc == 0 && i < LAYOUT_CHECKPOINT_SLOTS; i++) {
        checkpoint_make_first((struct checkpoint *)slot.bytes, i + 1, crc_seed);
        rc = slot_write(device, LAYOUT_CHECKPOINT_OFFSET(i), &slot, sizeof(struct checkpoint));
    }
    memset(slot.bytes, 0, slot.size);
    memcpy(slot.bytes, &superblock, sizeof superblock);
    /* The first copy last: a medium with it is whole. */
    for (unsigned i = LAYOUT_SUPERBLOCK_COPIES; rc == 0 && i-- > 0;) {
        rc = slot_write(device, LAYOUT_SUPERBLOCK_OFFSET(i), &slot, sizeof superblock);
    }
    platform_release(platform, slot.bytes, slot.size);
    return rc;
}

/* A device with other blocks is not the one that was formatted: it is a copy, or was formatted anew below the ring. */
static int check_medium(const struct engine *engine) {
    const struct device *device = engine->parts.device;
    const struct superblock *superblock = &engine->view.superblock;
    if (!device->is_file && device->logical_block_bytes != superblock->logical_block_bytes) {
        return error_set(EUCLEAN,
                         "ring %s has logical blocks of %u bytes but was formatted with %u: it is left as it is; "
                         "copy it to a file, drain that with `burstlog recover`, and format the device anew",
                         device->path, device->logical_block_bytes, superblock->logical_block_bytes);
    }
    if (device->medium_bytes != superblock->medium_bytes) {
        events_post(engine->parts.events, BURST_INFO,
                    "the medium of ring %s has %llu bytes, and had %llu when it was "
                    "formatted: the ring keeps its %llu",
                    device->path, (unsigned long long)device->medium_bytes,
                    (unsigned long long)superblock->medium_bytes,
                    (unsigned long long)(superblock->data_offset + superblock->capacity_bytes));
    }
    return 0;
}

static int repair_superblocks(struct engine *engine) {
    struct device *device = engine->parts.device;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        if (engine->view.copies[copy] == SUPERBLOCK_VALID) {
            continue;
        }
        struct slot slot;
        int rc = slot_allocate(engine->parts.platform, device, &slot);
        if (rc == 0) {
            memcpy(slot.bytes, &engine->view.superblock, sizeof engine->view.superblock);
            rc = slot_write(device, LAYOUT_SUPERBLOCK_OFFSET(copy), &slot, sizeof engine->view.superblock);
            platform_release(engine->parts.platform, slot.bytes, slot.size);
        }
        if (rc < 0) {
            return rc;
        }
        events_post(engine->parts.events, BURST_WARN,
                    "superblock copy %u of ring %s was bad and is repaired from "
                    "the other; nothing is lost. Its medium may be failing: look at the errors of the host",
                    copy, device->path);
    }
    return 0;
}

static int check_config(const struct engine *engine, const struct engine_config *config, struct ring_limits *limits) {
    const struct superblock *superblock = &engine->view.superblock;
    const char *path = engine->parts.device->path;
    if (superblock_line_bytes(superblock) != 0 && engine->parts.device->line_bytes == 0) {
        return error_set(EINVAL,
                         "ring %s was made for memory: its commits end at lines of %u bytes, which io=%s cannot "
                         "write; open it with io=mapped, or drain it so and make a new one",
                         path, superblock_line_bytes(superblock), engine->parts.device->ops->name);
    }
    const uint64_t ring_bytes = superblock->data_offset + superblock->capacity_bytes;
    if (config->ring_bytes != 0 && align_down(config->ring_bytes, superblock->block_bytes) != ring_bytes) {
        return error_set(
            EINVAL,
            "ring %s has %llu bytes, but ringSize is %llu: leave ringSize out to use the ring as it is, or "
            "drain it with `burstlog recover`, remove it and start again",
            path, (unsigned long long)ring_bytes, (unsigned long long)config->ring_bytes);
    }
    /* Header included, a record takes at most a quarter. */
    uint64_t most = superblock->capacity_bytes / 4 - RECORD_HEADER_BYTES;
    most = most < LARGEST_RECORD_BYTES ? most : LARGEST_RECORD_BYTES;
    if (config->max_record_bytes > most) {
        return error_set(EINVAL, "maxRecordSize of ring %s is %llu bytes: at most %llu, a quarter of the ring", path,
                         (unsigned long long)config->max_record_bytes, (unsigned long long)most);
    }
    limits->max_record_bytes = config->max_record_bytes != 0 ? config->max_record_bytes
                               : most < DEFAULT_RECORD_BYTES ? most
                                                             : DEFAULT_RECORD_BYTES;
    limits->cpus = config->cpus;
    return 0;
}

static int make_ring(struct engine *engine, const struct ring_limits *limits) {
    const struct superblock *superblock = &engine->view.superblock;
    const struct ring_geometry geometry = {
        .data_offset = superblock->data_offset,
        .capacity_bytes = superblock->capacity_bytes,
        .block_bytes = superblock->block_bytes,
        .line_bytes = superblock_line_bytes(superblock),
        .crc_seed = engine->view.crc_seed,
    };
    const int rc = ring_create(engine->parts.platform, engine->parts.device, engine->parts.events, &geometry, limits,
                               &engine->ring);
    if (rc == 0) {
        engine->ring->stages = engine->parts.stages;
    }
    return rc;
}

/*
 * Brings the older checkpoint slot up to the newer one, or repairs it: the space that only the older one still holds may
 * be what this epoch's marker needs.
 */
static int level_checkpoints(struct engine *engine) {
    struct engine_view *view = &engine->view;
    struct device *device = engine->parts.device;
    const struct checkpoint *newest = &view->checkpoints[view->newest_slot];
    const unsigned other = 1 - view->newest_slot;
    struct checkpoint *older = &view->checkpoints[other];
    const int was_valid = view->checkpoint_is_valid[other];
    if (was_valid && checkpoint_leads_to_the_same(older, newest)) {
        return 0;
    }
    *older = *newest;
    older->generation++;
    checkpoint_seal(older, view->crc_seed);
    struct slot slot;
    int rc = slot_allocate(engine->parts.platform, device, &slot);
    if (rc < 0) {
        return rc;
    }
    memcpy(slot.bytes, older, sizeof *older);
    rc = slot_write(device, LAYOUT_CHECKPOINT_OFFSET(other), &slot, sizeof *older);
    platform_release(engine->parts.platform, slot.bytes, slot.size);
    if (rc == 0 && !was_valid) {
        events_post(engine->parts.events, BURST_WARN,
                    "checkpoint slot %u of ring %s was bad and is repaired from the "
                    "other; nothing is lost. If the host did not lose power, its medium may be failing",
                    other, device->path);
    }
    view->checkpoint_is_valid[other] = 1;
    view->newest_slot = other;
    return rc;
}

/* Writes the marker of a new epoch: from here on what recovery found is what the log is. */
static int begin_epoch(struct engine *engine, struct ring_start *start) {
    struct recovery *recovery = &engine->view.recovery;
    struct device *device = engine->parts.device;
    const struct superblock *superblock = &engine->view.superblock;
    const uint64_t position = recovery->marker_position;
    start->epoch = recovery->epoch_highest + 1;
    start->position = record_start(position + superblock->block_bytes, superblock->capacity_bytes);
    start->next_sequence = recovery->next_sequence;
    start->released = recovery->start; /* of both checkpoints */
    struct record_header *header = (struct record_header *)ring_at(engine->ring, position);
    memset(header, 0, superblock->block_bytes);
    struct marker *marker = (struct marker *)(header + 1);
    header->length = recovery_make_marker(recovery, start->epoch, platform_realtime_ns(engine->parts.platform), marker);
    header->type = RECORD_MARKER;
    header->sequence = recovery->next_sequence;
    header->payload_crc = crc32c(0, marker, header->length);
    const struct record_seal seal = {
        .position = position,
        /* The medium was flushed before it was read. Not the marker's own position: if only its header reaches the
         * medium, nobody knows that what lies before it is void. */
        .durable_position = recovery->log_end,
        .durable_next_sequence = recovery->next_sequence,
        .epoch = start->epoch,
        .last = 1,
    };
    record_seal(header, &seal, engine->view.crc_seed);
    if (recovery->log_end < position) {
        const struct recovery_jump gap = {
            .from = recovery->log_end, .to = position, .first_sequence = recovery->next_sequence};
        const int rc = recovery_add_jump(recovery, &gap);
        if (rc < 0) {
            return rc;
        }
    }
    return device->ops->write(device, superblock->data_offset + position % superblock->capacity_bytes, header,
                              superblock->block_bytes);
}

static int open_drain(struct engine *engine, const struct engine_config *config) {
    const struct engine_view *view = &engine->view;
    struct drain_parts parts = {
        .platform = engine->parts.platform,
        .device = engine->parts.device,
        .ring = engine->ring,
        .events = engine->parts.events,
        .files = engine->parts.files,
        .record_format = &record_format_text,
        .recovery = &view->recovery,
        .newest_slot = view->newest_slot,
        .checkpoint = &view->checkpoints[view->newest_slot],
        .crc_seed = view->crc_seed,
        .file_name = config->file_name,
        .how = config->how,
        .untrusted_ring_owner = config->untrusted_ring_owner,
    };
    return drain_open(&parts, &engine->drain);
}

static void tell_statement(struct engine *engine) {
    char text[BURST_TEXT_BYTES];
    recovery_statement(&engine->view.recovery, text, sizeof text);
    const struct recovery *recovery = &engine->view.recovery;
    const enum burst_severity severity = recovery->lost > 0        ? BURST_ERROR
                                         : recovery->hidden_to > 0 ? BURST_WARN
                                                                   : BURST_INFO;
    events_post(engine->parts.events, severity, "ring %s opened: %s%s", engine->parts.device->path, text,
                severity == BURST_INFO ? "" : "; look at the host's messages about its medium");
}

int engine_open(const struct engine_parts *parts, const struct engine_config *config, struct engine **engine_out) {
    struct engine *engine = platform_allocate(parts->platform, sizeof *engine, PLATFORM_PLAIN);
    if (engine == NULL) {
        return error_set(ENOMEM, "no memory to open ring %s: %zu bytes", parts->device->path, sizeof *engine);
    }
    engine->parts = *parts;
    struct ring_limits limits;
    struct ring_start start;
    /* Flushed before it is read: what recovery sees is what the next crash leaves. */
    int rc = parts->device->ops->flush(parts->device);
    rc = rc < 0 ? rc : engine_view_begin(parts->platform, parts->device, &engine->view);
    rc = rc < 0 ? rc : check_medium(engine);
    rc = rc < 0 ? rc : check_config(engine, config, &limits);
    rc = rc < 0 ? rc : make_ring(engine, &limits);
    rc = rc < 0 ? rc : engine_view_recover(parts->platform, parts->device, engine->ring->image, &engine->view);
    rc = rc < 0 ? rc : engine_view_check(parts->device, &engine->view);
    rc = rc < 0 ? rc : repair_superblocks(engine);
    rc = rc < 0 ? rc : level_checkpoints(engine);
    rc = rc < 0 ? rc : begin_epoch(engine, &start);
    if (rc == 0) {
        tell_statement(engine);
        ring_begin(engine->ring, &start);
        rc = open_drain(engine, config);
    }
    if (rc < 0) {
        engine_close(engine);
        return rc;
    }
    *engine_out = engine;
    return 0;
}

struct ring *engine_detach_ring(struct engine *engine) {
    struct ring *ring = engine->ring;
    engine->ring = NULL;
    return ring;
}

void engine_close(struct engine *engine) {
    if (engine->drain != NULL) {
        drain_close(engine->drain);
    }
    if (engine->ring != NULL) {
        ring_destroy(engine->ring);
    }
    recovery_free(&engine->view.recovery);
    platform_release(engine->parts.platform, engine, sizeof *engine);
}
