/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/error.h"
#include "device/salvage.h"
#include "log/engine.h"
#include "media/record.h"

static struct recovery_head head_of(const struct ledger *ledger) {
    const struct ledger_sum sum = ledger_sum(ledger);
    return (struct recovery_head){
        .start = {.position = sum.start.drained_position,
                  .sequence = sum.start.next_sequence,
                  .epoch = sum.start.epoch},
        .durable_position = sum.durable_position,
        .durable_sequence = sum.durable_sequence,
        .in_flight_end = sum.in_flight_end,
        .epoch_highest = sum.epoch_highest,
    };
}

struct recovery_input engine_view_input(const struct engine_view *view) {
    const struct superblock *superblock = engine_view_superblock(view);
    return (struct recovery_input){
        .image = view->image,
        .shape = {.capacity_bytes = superblock->capacity_bytes,
                  .block_bytes = superblock->block_bytes,
                  .line_bytes = superblock_line_bytes(superblock)},
        .crc_seed = ledger_view(view->ledger)->crc_seed,
        .head = head_of(view->ledger),
    };
}

/* The blocks of a data area that could not be read. */
struct unreadable_blocks {
    const struct platform *platform;
    const struct superblock *superblock;
    uint64_t bytes; /* that could not be read */
    uint8_t *bits;  /* one a block; made with the first */
    size_t size;    /* of the bits, bytes */
};

static void note_unreadable_data(void *argument, uint64_t offset, uint64_t bytes) {
    struct unreadable_blocks *blocks = argument;
    blocks->bytes += bytes;
    if (blocks->bits == NULL) {
        blocks->bits = platform_allocate(blocks->platform, blocks->size, 0);
    }
    const uint64_t from = offset - blocks->superblock->data_offset, unit = blocks->superblock->block_bytes;
    for (uint64_t block = from / unit; blocks->bits != NULL && block * unit < from + bytes; block++) {
        blocks->bits[block / 8] |= (uint8_t)(1u << block % 8);
    }
}

static int recover(const struct platform *platform, const struct device *device, const struct unreadable_blocks *blocks,
                   struct engine_view *view) {
    if (blocks->bytes >= engine_view_superblock(view)->capacity_bytes) {
        return error_set(EIO,
                         "nothing of the records of ring %s can be read: it is left as it is; make its medium readable "
                         "and open it again",
                         device->path);
    }
    if (blocks->bytes > 0 && blocks->bits == NULL) {
        return error_set(ENOMEM, "no memory to note which blocks of ring %s cannot be read: %zu bytes", device->path,
                         blocks->size);
    }
    struct recovery_input input = engine_view_input(view);
    input.unreadable = blocks->bits;
    return recovery_run(platform, &input, &view->recovery);
}

int engine_view_recover(const struct platform *platform, struct device *device, uint8_t *image,
                        struct engine_view *view) {
    const struct superblock *superblock = engine_view_superblock(view);
    struct unreadable_blocks blocks = {.platform = platform,
                                       .superblock = superblock,
                                       .size = superblock->capacity_bytes / superblock->block_bytes / 8 + 1};
    int rc = device_read_salvage(device, superblock->data_offset, image, superblock->capacity_bytes,
                                 note_unreadable_data, &blocks);
    const uint32_t lost_pages = device_lost_pages(device);
    view->image = image;
    view->unreadable_bytes = blocks.bytes;
    rc = rc < 0 ? rc : recover(platform, device, &blocks, view);
    if (blocks.bits != NULL) {
        platform_release(platform, blocks.bits, blocks.size);
    }
    if (rc == 0 && device->mapping != NULL && device_lost_pages(device) != lost_pages) {
        return error_set(
            EIO,
            "pages of ring %s became unreadable while it was being recovered: it is left as it is; open it "
            "again",
            device->path);
    }
    return rc;
}

/* No writer comes near these numbers. What would be written beyond them would not be believed again. */
static int check_numbers(const struct device *device, const struct engine_view *view) {
    const struct recovery *recovery = &view->recovery;
    const struct ledger_view *head = ledger_view(view->ledger);
    const uint64_t generation = head->checkpoints[head->newest].generation;
    if (generation <= LAYOUT_NUMBER_MAX / 2 && recovery->epoch_highest < UINT32_MAX &&
        recovery->next_sequence <= LAYOUT_NUMBER_MAX / 2 && recovery->marker_position <= LAYOUT_NUMBER_MAX / 2) {
        return 0;
    }
    return error_set(EUCLEAN,
                     "ring %s says that it is in epoch %u, at sequence %llu, position %llu and checkpoint %llu, "
                     "where no writer brings it: it is left as it is; restore it from a copy, or format it anew",
                     device->path, recovery->epoch_highest, (unsigned long long)recovery->next_sequence,
                     (unsigned long long)recovery->marker_position, (unsigned long long)generation);
}

/* Where they go is in the checkpoints, or nowhere. */
static int check_streams(const struct device *device, const struct engine_view *view) {
    const unsigned newest = ledger_view(view->ledger)->newest;
    uint64_t known = 0;
    for (unsigned i = 0; i < ledger_streams(view->ledger, newest); i++) {
        known |= 1ull << ledger_position(view->ledger, newest, i).id;
    }
    const uint64_t unknown = view->recovery.streams & ~known;
    if (!view->recovery.has_foreign_stream && unknown == 0) {
        return 0;
    }
    return error_set(EUCLEAN,
                     "ring %s holds records of stream %u%s, which its checkpoints do not know, so it is unknown where "
                     "they go: it is left as it is; `burstlog dump` shows them",
                     device->path, unknown != 0 ? (unsigned)__builtin_ctzll(unknown) : LAYOUT_STREAMS_MAX,
                     unknown != 0 ? "" : " or above");
}

int engine_view_check(const struct device *device, const struct engine_view *view) {
    const struct superblock *superblock = engine_view_superblock(view);
    int rc = check_numbers(device, view);
    rc = rc < 0 ? rc : check_streams(device, view);
    if (rc < 0) {
        return rc;
    }
    const uint64_t window_end = align_down(view->recovery.start, superblock->block_bytes) + superblock->capacity_bytes;
    if (record_start(view->recovery.marker_position + superblock->block_bytes, superblock->capacity_bytes) >
        window_end) {
        return error_set(ENOSPC,
                         "ring %s is full and damage has left no block to open it with: it is left as it is; "
                         "save its records with `burstlog dump`, then format it anew",
                         device->path);
    }
    return 0;
}

int engine_view_open(const struct platform *platform, struct device *device, struct engine_view **view_out) {
    struct engine_view *view = platform_allocate(platform, sizeof *view, PLATFORM_PLAIN);
    if (view == NULL) {
        return error_set(ENOMEM, "no memory to read ring %s: %zu bytes", device->path, sizeof *view);
    }
    int rc = ledger_read(platform, device, &view->ledger);
    if (rc == 0) {
        const uint64_t capacity = engine_view_superblock(view)->capacity_bytes;
        view->own_image = platform_allocate(platform, capacity, PLATFORM_PLAIN);
        rc = view->own_image == NULL ? error_set(ENOMEM, "no memory to read ring %s: %llu bytes", device->path,
                                                 (unsigned long long)capacity)
                                     : engine_view_recover(platform, device, view->own_image, view);
    }
    if (rc < 0) {
        engine_view_close(platform, view);
        return rc;
    }
    *view_out = view;
    return 0;
}

void engine_view_close(const struct platform *platform, struct engine_view *view) {
    recovery_free(&view->recovery);
    if (view->own_image != NULL) {
        platform_release(platform, view->own_image, engine_view_superblock(view)->capacity_bytes);
    }
    ledger_close(view->ledger);
    platform_release(platform, view, sizeof *view);
}
