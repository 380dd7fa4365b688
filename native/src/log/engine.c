/* SPDX-License-Identifier: Apache-2.0 */
#include "log/engine.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/memory_limit.h"
#include "burstlog.h"
#include "log/engine.h"
#include "log/epoch.h"
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

static int begin_epoch(struct engine *engine, struct ring_start *start) {
    const struct recovery *recovery = &engine->view.recovery;
    start->released = engine->config.drains == ENGINE_DRAINS_NOT ? ledger_released(engine->view.ledger)
                                                                 : recovery->start; /* as both checkpoints say */
    return epoch_begin(engine->parts.platform, engine->parts.device, &engine->view,
                       (struct record_header *)ring_at(engine->ring, recovery->marker_position), start);
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
    if (window->requests != NULL) {
        window->requests->version = HANDOVER_VERSION;
        window->requests->io = engine->parts.device->io;
        window->requests->max_record_bytes = engine->ring->limits.max_record_bytes;
        window->head->requests_offset = WINDOW_REQUESTS_OFFSET;
        window->head->window_bytes = window->head->image_offset != 0 ? window->head->window_bytes : WINDOW_REQUESTS_END;
    }
    window_seal(window, ledger_view(engine->view.ledger)->crc_seed);
    if (engine->config.drains != ENGINE_DRAINS_NOT) {
        checkpoints_share(ledger_checkpoints(engine->view.ledger), window);
    }
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
                                       .reads_slots = engine->parts.reads_slots,
                                       .copy = engine->copy};
    return keeper_begin(&engine->keeper, &parts, ledger_checkpoints(engine->view.ledger));
}

/* Requests to a drain of another process lie in the window. */
static int make_requests(struct engine *engine) {
    const int is_far = engine->config.drains != ENGINE_DRAINS;
    if (is_far && (engine->window == NULL || engine->window->requests == NULL)) {
        return error_set(
            ENOTSUP,
            "ring %s cannot be drained by another process, as it has no window: this host gives no memory for "
            "one; let this process drain (drain=inner)",
            engine->parts.device->path);
    }
    engine->requests = requests_create(engine->parts.platform, is_far ? engine->window->requests : NULL);
    return engine->requests == NULL ? error_set(ENOMEM, "no memory for the streams of ring %s: %zu bytes",
                                                engine->parts.device->path, sizeof *engine->requests)
           : is_far                 ? engine_far_create(engine)
                                    : 0;
}

/* Another process drains, and writes the slots: this one changes none. */
static int check_slots_of_another(const struct engine *engine) {
    const struct checkpoints_view *slots = ledger_slots(engine->view.ledger);
    const struct superblock *superblock = ring_view_superblock(&engine->view);
    const uint64_t end =
        align_down(ledger_released(engine->view.ledger), superblock->block_bytes) + superblock->capacity_bytes;
    const uint64_t begin =
        record_start(engine->view.recovery.marker_position + superblock->block_bytes, superblock->capacity_bytes);
    return slots->is_valid[0] && slots->is_valid[1] && begin <= end
               ? 0
               : error_set(EAGAIN,
                           "ring %s cannot be opened now: its drain, another process, is writing a checkpoint, or has "
                           "not yet let go of the space for the marker of this open; look at that process",
                           engine->parts.device->path);
}

static int repair(struct engine *engine) {
    struct ledger *ledger = engine->view.ledger;
    struct events *events = engine->parts.events;
    int rc;
    if (engine->config.drains == ENGINE_DRAINS_NOT) {
        rc = check_slots_of_another(engine);
        rc = rc < 0 ? rc : notes_repair_superblocks(ledger_notes(ledger), events);
        return rc < 0 ? rc : ledger_repair_notes(ledger, events);
    }
    rc = checkpoints_take(ledger_checkpoints(ledger));
    return rc < 0 ? rc : ledger_repair(ledger, events);
}

static int begin_drain(struct engine *engine, const struct engine_config *config) {
    if (config->drains != ENGINE_DRAINS && engine->window == NULL) {
        return error_set(ENOTSUP,
                         "ring %s cannot be drained by another process before its gaps are drained: let this process "
                         "drain (drain=inner) once",
                         engine->parts.device->path);
    }
    if (config->drains == ENGINE_DRAINS_NOT) {
        engine_far_look(engine);
        return 0;
    }
    const int rc = engine_open_drain(engine, config);
    return ring_has_failed(engine->ring)
               ? error_set(EIO, "ring %s cannot be written: %s", engine->ring->path, engine->ring->failure)
               : rc;
}

static int begin_copy(struct engine *engine) {
    if (engine->config.copy == NULL) {
        return 0;
    }
    const struct copier_parts parts = {.platform = engine->parts.platform,
                                       .events = engine->parts.events,
                                       .ring = engine->ring,
                                       .source = ring_view_source(&engine->view),
                                       .start = checkpoints_least(ledger_checkpoints(engine->view.ledger)),
                                       .name = engine->config.copy};
    return copier_create(&parts, &engine->copy);
}

int engine_open(const struct engine_parts *parts, const struct engine_config *config, struct engine **engine_out) {
    struct engine *engine = platform_allocate(parts->platform, sizeof *engine, PLATFORM_PLAIN);
    if (engine == NULL) {
        return error_set(ENOMEM, "no memory to open ring %s: %zu bytes", parts->device->path, sizeof *engine);
    }
    engine->parts = *parts;
    engine->config = *config;
    engine->config.main = NULL;
    struct ring_limits limits;
    struct ring_start start;
    /* Flushes before it reads: recovery must see what the next crash leaves. */
    int rc = parts->device->ops->flush(parts->device);
    rc = rc < 0 ? rc : ledger_read(parts->platform, parts->device, &engine->view.ledger);
    rc = rc < 0 ? rc : check_medium(engine);
    rc = rc < 0 ? rc : check_config(engine, config, &limits);
    rc = rc < 0 ? rc : make_ring(engine, &limits);
    rc = rc < 0 ? rc : make_requests(engine);
    rc = rc < 0 ? rc : ring_view_recover(parts->platform, parts->device, engine->ring->image, &engine->view);
    rc = rc < 0 ? rc : ring_view_check(parts->device, &engine->view);
    rc = rc < 0 ? rc : repair(engine);
    rc = rc < 0 ? rc : begin_epoch(engine, &start);
    if (rc == 0) {
        tell_statement(engine);
        ring_begin(engine->ring, &start);
        fill_window(engine);
        rc = begin_copy(engine);
        rc = rc < 0 ? rc : begin_keeper(engine);
        rc = rc < 0 ? rc : begin_drain(engine, config);
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
    engine_far_destroy(engine);
    requests_destroy(engine->parts.platform, engine->requests);
    keeper_end(&engine->keeper);
    copier_destroy(engine->copy);
    if (engine->ring != NULL) {
        ring_destroy(engine->ring);
    }
    recovery_free(&engine->view.recovery);
    ledger_close(engine->view.ledger);
    platform_release(engine->parts.platform, engine, sizeof *engine);
}
