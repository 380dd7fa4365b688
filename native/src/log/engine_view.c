/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "device/salvage.h"
#include "log/engine.h"
#include "media/checkpoint_v1.h"
#include "media/record.h"

static void count_unreadable(void *argument, uint64_t offset, uint64_t bytes) {
    (void)offset;
    *(uint64_t *)argument += bytes;
}

/* A device that was here under this name may be elsewhere now: it is never formatted by an open. */
static int refuse_no_ring(const struct device *device) {
    return error_set(ENODATA,
                     device->is_file ? "%s holds no ring, but something else: name a file that is not there yet, or an "
                                       "empty one, and a ring is made in it; `burstlog format` would overwrite this one"
                                     : "%s holds no ring: if one was here, device names may have changed, so "
                                       "name it by its link in /dev/disk/by-id/; `burstlog format` makes one",
                     device->path);
}

static int read_superblocks(struct device *device, uint8_t *buffer, struct engine_view *view) {
    enum superblock_verdict worst = SUPERBLOCK_ABSENT;
    uint64_t unreadable = 0;
    int found = 0;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        const int rc = device_read_salvage(device, LAYOUT_SUPERBLOCK_OFFSET(copy), buffer,
                                           align_up(sizeof(struct superblock), device->block_bytes), count_unreadable,
                                           &unreadable);
        if (rc < 0) {
            return rc;
        }
        const struct superblock *superblock = (const struct superblock *)buffer;
        view->copies[copy] = superblock_judge(superblock);
        if (view->copies[copy] == SUPERBLOCK_VALID && !found) {
            view->superblock = *superblock;
            found = 1;
        } else if (view->copies[copy] > worst) {
            worst = view->copies[copy];
        }
    }
    if (found) {
        return 0;
    }
    if (worst == SUPERBLOCK_UNKNOWN) {
        return error_set(EPROTO,
                         "%s holds a ring of a format that this version does not know: use the version that "
                         "wrote it",
                         device->path);
    }
    if (unreadable > 0) {
        return error_set(EIO,
                         "%llu bytes where the superblocks of a ring would be cannot be read from %s: whether it holds "
                         "one is unknown, and it is left as it is; make the medium readable, or copy it to another",
                         (unsigned long long)unreadable, device->path);
    }
    if (worst == SUPERBLOCK_DAMAGED) {
        return error_set(EUCLEAN,
                         "both superblock copies of ring %s are damaged: it is left as it is; `burstlog dump` "
                         "shows its records; restore it from a copy, or format it anew",
                         device->path);
    }
    return refuse_no_ring(device);
}

static int read_checkpoints(struct device *device, uint8_t *buffer, struct engine_view *view) {
    int newest = -1;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        uint64_t unreadable = 0;
        const int rc = device_read_salvage(device, LAYOUT_CHECKPOINT_OFFSET(slot), buffer,
                                           align_up(sizeof(struct checkpoint), device->block_bytes), count_unreadable,
                                           &unreadable);
        if (rc < 0) {
            return rc;
        }
        struct checkpoint *checkpoint = &view->checkpoints[slot];
        memcpy(checkpoint, buffer, sizeof *checkpoint);
        view->checkpoint_is_valid[slot] = checkpoint_is_valid(checkpoint, view->crc_seed) &&
                                          checkpoint_fits(checkpoint, view->superblock.capacity_bytes);
        if (view->checkpoint_is_valid[slot] &&
            (newest < 0 || checkpoint->generation > view->checkpoints[newest].generation)) {
            newest = (int)slot;
        }
    }
    if (newest < 0) {
        return error_set(EUCLEAN,
                         "both checkpoints of ring %s are damaged, so it is unknown what the log file has of its "
                         "records: it is left as it is; `burstlog dump` shows them",
                         device->path);
    }
    view->newest_slot = (unsigned)newest;
    /* What is drained never goes back. */
    const struct checkpoint *checkpoints = view->checkpoints;
    if (checkpoints[1 - newest].stream.drained_position > checkpoints[newest].stream.drained_position) {
        view->checkpoint_is_valid[1 - newest] = 0;
    }
    return 0;
}

/* A ring on a medium that is not the one it was formatted on. */
static int check_medium(const struct device *device, const struct superblock *superblock) {
    const uint64_t needed = superblock->data_offset + superblock->capacity_bytes;
    if (device->medium_bytes < needed) {
        return error_set(
            EUCLEAN,
            "ring %s has %llu bytes but was formatted with %llu: it was cut; it is left as it is; `burstlog dump` "
            "shows its records",
            device->path, (unsigned long long)device->medium_bytes, (unsigned long long)needed);
    }
    if (device->block_bytes > superblock->block_bytes) {
        return error_set(EUCLEAN,
                         "ring %s has blocks of %u bytes but was formatted for %u: copy it to a medium like the "
                         "old one, or drain it there",
                         device->path, device->block_bytes, superblock->block_bytes);
    }
    return 0;
}

int engine_view_begin(const struct platform *platform, struct device *device, struct engine_view *view) {
    if (device->medium_bytes < LAYOUT_DATA_OFFSET) {
        return error_set(ENODATA,
                         device->is_file
                             ? "%s is no ring, because it has only %llu bytes: name another file; if it was "
                               "one, it was cut, so restore it from a copy"
                             : "%s holds no ring, because it has only %llu bytes: if it held one, the device "
                               "has vanished or shrunk; bring it back",
                         device->path, (unsigned long long)device->medium_bytes);
    }
    const size_t buffer_bytes = align_up(sizeof(struct checkpoint), device->block_bytes);
    uint8_t *buffer = platform_allocate(platform, buffer_bytes, PLATFORM_PLAIN);
    if (buffer == NULL) {
        return error_set(ENOMEM, "no memory to read ring %s: %zu bytes", device->path, buffer_bytes);
    }
    int rc = read_superblocks(device, buffer, view);
    rc = rc < 0 ? rc : check_medium(device, &view->superblock);
    if (rc == 0) {
        view->crc_seed = crc_seed_of(view->superblock.uuid);
        rc = read_checkpoints(device, buffer, view);
    }
    platform_release(platform, buffer, buffer_bytes);
    return rc;
}

struct recovery_input engine_view_input(const struct engine_view *view) {
    const unsigned other = 1 - view->newest_slot;
    return (struct recovery_input){
        .image = view->image,
        .capacity_bytes = view->superblock.capacity_bytes,
        .block_bytes = view->superblock.block_bytes,
        .line_bytes = superblock_line_bytes(&view->superblock),
        .crc_seed = view->crc_seed,
        .newest = &view->checkpoints[view->newest_slot],
        .other = view->checkpoint_is_valid[other] ? &view->checkpoints[other] : NULL,
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
    if (blocks->bytes >= view->superblock.capacity_bytes) {
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
    const struct superblock *superblock = &view->superblock;
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
    const uint64_t generation = view->checkpoints[view->newest_slot].generation;
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

int engine_view_check(const struct device *device, const struct engine_view *view) {
    const struct superblock *superblock = &view->superblock;
    const int rc = check_numbers(device, view);
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
    int rc = engine_view_begin(platform, device, view);
    if (rc == 0) {
        view->own_image = platform_allocate(platform, view->superblock.capacity_bytes, PLATFORM_PLAIN);
        rc = view->own_image == NULL ? error_set(ENOMEM, "no memory to read ring %s: %llu bytes", device->path,
                                                 (unsigned long long)view->superblock.capacity_bytes)
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
        platform_release(platform, view->own_image, view->superblock.capacity_bytes);
    }
    platform_release(platform, view, sizeof *view);
}
