/* SPDX-License-Identifier: Apache-2.0 */
#include "log/engine.h"

#include <errno.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/memory_limit.h"
#include "burstlog.h"
#include "media/record.h"

#define DEFAULT_RECORD_BYTES (1024u * 1024u)

/* A device with other blocks is not the formatted one: it is a copy, or was formatted anew below the ring. */
static int check_medium(const struct engine *engine) {
    const struct device *device = engine->parts.device;
    const struct superblock *superblock = ring_view_superblock(&engine->view);
    if (!device->is_file && device->logical_block_bytes != superblock->logical_block_bytes) {
        return error_set(EUCLEAN,
                         "ring %s has logical blocks of %u bytes but was formatted with %u: it is left as it is; "
                         "copy it to a file, drain that with `burstlog recover`, and format the device anew",
                         device->path, device->logical_block_bytes, superblock->logical_block_bytes);
    }
    if (device->medium_bytes != superblock->medium_bytes) {
        events_post(engine->parts.events, EVENT_INFO,
                    "the medium of ring %s has %llu bytes, and had %llu when it was "
                    "formatted: the ring keeps its %llu",
                    device->path, (unsigned long long)device->medium_bytes,
                    (unsigned long long)superblock->medium_bytes,
                    (unsigned long long)(superblock->data_offset + superblock->capacity_bytes));
    }
    return 0;
}

static int check_config(const struct engine *engine, const struct engine_config *config, struct ring_limits *limits) {
    const struct superblock *superblock = ring_view_superblock(&engine->view);
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
    /* With its header, a record takes at most a quarter of the ring. */
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

/* A mapped ring needs no memory: its image is the medium itself. */
static int check_memory(const struct engine *engine, uint64_t image_bytes) {
    const struct device *device = engine->parts.device;
    struct memory_limit limit;
    const int rc = device->mapping != NULL
                       ? MEMORY_FITS
                       : memory_limit_check(engine->parts.platform, "ring", device->path, image_bytes, &limit);
    if (rc == MEMORY_IS_SHORT) {
        events_post(
            engine->parts.events, EVENT_WARN,
            "ring %s takes %llu bytes of memory, and of the %llu of the control group of this process (%s) %llu "
            "were left: if its processes need more the kernel kills one of them (exit code 137); raise that "
            "limit or choose a smaller ring",
            device->path, (unsigned long long)image_bytes, (unsigned long long)limit.limit_bytes, limit.file,
            (unsigned long long)limit.left_bytes);
    }
    return rc < 0 ? rc : 0;
}

static int make_ring(struct engine *engine, const struct ring_limits *limits) {
    const struct superblock *superblock = ring_view_superblock(&engine->view);
    const struct ring_geometry geometry = {
        .data_offset = superblock->data_offset,
        .capacity_bytes = superblock->capacity_bytes,
        .block_bytes = superblock->block_bytes,
        .line_bytes = superblock_line_bytes(superblock),
        .crc_seed = ledger_view(engine->view.ledger)->crc_seed,
    };
    struct window_maker *maker = engine->parts.window_maker;
    int rc = check_memory(engine, geometry.capacity_bytes);
    if (rc == 0 && maker != NULL) {
        engine->window = maker->make(maker, engine->parts.device, geometry.capacity_bytes);
    }
    rc = rc < 0 ? rc
                : ring_create(engine->parts.platform, engine->parts.device, engine->parts.events, &geometry, limits,
                              &engine->ring);
    if (rc == 0) {
        engine->ring->stages = engine->parts.stages;
        engine->ring->window = engine->window;
    }
    return rc;
}

/* Writes the marker of a new epoch. From here on the log is what recovery found. */
static int begin_epoch(struct engine *engine, struct ring_start *start) {
    struct recovery *recovery = &engine->view.recovery;
    struct device *device = engine->parts.device;
    const struct superblock *superblock = ring_view_superblock(&engine->view);
    const uint64_t position = recovery->marker_position;
    start->epoch = recovery->epoch_highest + 1;
    start->position = record_start(position + superblock->block_bytes, superblock->capacity_bytes);
    start->next_sequence = recovery->next_sequence;
    start->released = recovery->start; /* as both checkpoints say */
    struct record_header *header = (struct record_header *)ring_at(engine->ring, position);
    memset(header, 0, superblock->block_bytes);
    struct marker *marker = (struct marker *)(header + 1);
    header->length = recovery_make_marker(recovery, start->epoch, platform_realtime_ns(engine->parts.platform), marker);
    header->type = RECORD_MARKER;
    header->sequence = recovery->next_sequence;
    header->payload_crc = crc32c(0, marker, header->length);
    const struct record_seal seal = {
        .position = position,
        /* The medium was flushed before it was read, so the log is durable up to its end. The watermark must not be the
         * marker's own position: if only its header reaches the medium, nothing else says that the range before it is
         * void. */
        .durable_position = recovery->log_end,
        .durable_next_sequence = recovery->next_sequence,
        .epoch = start->epoch,
        .last = 1,
    };
    record_seal(header, &seal, ledger_view(engine->view.ledger)->crc_seed);
    if (recovery->log_end < position) {
        const struct recovery_jump jump = {
            .gap = {.from = recovery->log_end, .to = position, .first_sequence = recovery->next_sequence}};
        const int rc = recovery_add_jump(recovery, &jump);
        if (rc < 0) {
            return rc;
        }
    }
    return device->ops->write(device, superblock->data_offset + position % superblock->capacity_bytes, header,
                              superblock->block_bytes);
}

/* Fills the part of the window that never changes. A log of so many gaps that the window has no room for them goes
 * without one. */
static void fill_window(struct engine *engine) {
    const struct recovery *recovery = &engine->view.recovery;
    const struct superblock *superblock = ring_view_superblock(&engine->view);
    struct window *window = engine->window;
    if (window == NULL) {
        return;
    }
    if (recovery->jump_count > WINDOW_GAPS_MAX) {
        events_post(
            engine->parts.events, EVENT_WARN,
            "ring %s has no window for readers: its log has %zu gaps, and a window has room for %u; readers read "
            "the medium until these gaps are drained and the ring is opened again",
            engine->parts.device->path, recovery->jump_count, WINDOW_GAPS_MAX);
        engine->window = engine->ring->window = NULL;
        return;
    }
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct walk_gap *gap = &recovery->jumps[i].gap;
        window->gaps[i] = (struct window_gap){.from = gap->from,
                                              .to = gap->to,
                                              .first_sequence = gap->first_sequence,
                                              .count = gap->count,
                                              .damaged = (uint64_t)gap->damaged};
    }
    *window->head = (struct window_head){.magic = WINDOW_MAGIC,
                                         .version = WINDOW_VERSION,
                                         .head_bytes = sizeof *window->head,
                                         .window_bytes = WINDOW_PAGES_BYTES,
                                         .capacity_bytes = superblock->capacity_bytes,
                                         .data_offset = superblock->data_offset,
                                         .block_bytes = superblock->block_bytes,
                                         .line_bytes = superblock_line_bytes(superblock),
                                         .checkpoint_offset = WINDOW_CHECKPOINT_OFFSET,
                                         .figures_offset = WINDOW_FIGURES_OFFSET,
                                         .begin_position = engine->ring->begin_position,
                                         .log_end = recovery->log_end,
                                         .epoch = engine->ring->epoch,
                                         .gap_count = (uint32_t)recovery->jump_count,
                                         .opened_ns = platform_realtime_ns(engine->parts.platform)};
    memcpy(window->head->uuid, superblock->uuid, sizeof window->head->uuid);
    if (engine->parts.device->image_shared != NULL) {
        window->head->image_offset = WINDOW_IMAGE_OFFSET;
        window->head->window_bytes = WINDOW_IMAGE_OFFSET + superblock->capacity_bytes;
    }
    window_seal(window, ledger_view(engine->view.ledger)->crc_seed);
    checkpoints_share(ledger_checkpoints(engine->view.ledger), window);
}

static void tell_statement(struct engine *engine) {
    char text[EVENT_TEXT_BYTES];
    recovery_statement(&engine->view.recovery, text, sizeof text);
    const struct recovery *recovery = &engine->view.recovery;
    const enum event_severity severity = recovery->lost > 0        ? EVENT_ERROR
                                         : recovery->hidden_to > 0 ? EVENT_WARN
                                                                   : EVENT_INFO;
    events_post(engine->parts.events, severity, "ring %s opened: %s%s", engine->parts.device->path, text,
                severity == EVENT_INFO ? "" : "; look at the host's messages about its medium");
}

static int begin_keeper(struct engine *engine) {
    const struct keeper_parts parts = {.platform = engine->parts.platform,
                                       .device = engine->parts.device,
                                       .events = engine->parts.events,
                                       .ring = engine->ring,
                                       .notes = ledger_notes(engine->view.ledger),
                                       .recovery = &engine->view.recovery,
                                       .reads_slots = engine->parts.reads_slots};
    return keeper_begin(&engine->keeper, &parts, ledger_checkpoints(engine->view.ledger));
}

int engine_open(const struct engine_parts *parts, const struct engine_config *config, struct engine **engine_out) {
    struct engine *engine = platform_allocate(parts->platform, sizeof *engine, PLATFORM_PLAIN);
    if (engine == NULL) {
        return error_set(ENOMEM, "no memory to open ring %s: %zu bytes", parts->device->path, sizeof *engine);
    }
    engine->parts = *parts;
    struct ring_limits limits;
    struct ring_start start;
    engine->requests = requests_create(parts->platform);
    if (engine->requests == NULL) {
        engine_close(engine);
        return error_set(ENOMEM, "no memory for the streams of ring %s: %zu bytes", parts->device->path,
                         sizeof *engine->requests);
    }
    /* Flushes before it reads: recovery must see what the next crash leaves. */
    int rc = parts->device->ops->flush(parts->device);
    rc = rc < 0 ? rc : ledger_read(parts->platform, parts->device, &engine->view.ledger);
    rc = rc < 0 ? rc : check_medium(engine);
    rc = rc < 0 ? rc : check_config(engine, config, &limits);
    rc = rc < 0 ? rc : make_ring(engine, &limits);
    rc = rc < 0 ? rc : ring_view_recover(parts->platform, parts->device, engine->ring->image, &engine->view);
    rc = rc < 0 ? rc : ring_view_check(parts->device, &engine->view);
    rc = rc < 0 ? rc : checkpoints_take(ledger_checkpoints(engine->view.ledger));
    rc = rc < 0 ? rc : ledger_repair(engine->view.ledger, parts->events);
    rc = rc < 0 ? rc : begin_epoch(engine, &start);
    if (rc == 0) {
        tell_statement(engine);
        ring_begin(engine->ring, &start);
        fill_window(engine);
        rc = begin_keeper(engine);
        rc = rc < 0 ? rc : engine_open_drain(engine, config);
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
    drainer_close(&engine->drainer);
    requests_destroy(engine->parts.platform, engine->requests);
    keeper_end(&engine->keeper);
    if (engine->ring != NULL) {
        ring_destroy(engine->ring);
    }
    recovery_free(&engine->view.recovery);
    ledger_close(engine->view.ledger);
    platform_release(engine->parts.platform, engine, sizeof *engine);
}
