/* SPDX-License-Identifier: Apache-2.0 */
#include "view/ring_view.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/memory_limit.h"
#include "device/salvage.h"
#include "media/record.h"

/* A head with a torn part is read so many times, with this pause in between. */
#define HEAD_READS 10u
#define HEAD_PAUSE_NS 10000000ll

static struct recovery_head head_of(const struct ring_view *view) {
    const struct ledger_sum sum = ledger_sum(view->ledger);
    struct recovery_head head = {
        .start = {.position = sum.start.drained_position,
                  .sequence = sum.start.next_sequence,
                  .epoch = sum.start.epoch},
        .durable_position = sum.durable_position,
        .durable_sequence = sum.durable_sequence,
        .in_flight_end = sum.in_flight_end,
        .epoch_highest = sum.epoch_highest,
        .closed_epoch = sum.closed_epoch,
        .closed_sequence = sum.closed_sequence,
    };
    if (view->judged_position > 0) {
        head.durable_position = view->judged_position;
        head.durable_sequence = view->judged_sequence;
        head.headers_are_newer = 1;
    }
    return head;
}

struct recovery_input ring_view_input(const struct ring_view *view) {
    const struct superblock *superblock = ring_view_superblock(view);
    return (struct recovery_input){
        .image = view->image,
        .shape = {.capacity_bytes = superblock->capacity_bytes,
                  .block_bytes = superblock->block_bytes,
                  .line_bytes = superblock_line_bytes(superblock)},
        .crc_seed = ledger_view(view->ledger)->crc_seed,
        .head = head_of(view),
    };
}

static void durable_at_rest(const struct log_source *source, uint64_t *position, uint64_t *next_sequence) {
    *position = source->recovery->log_end;
    *next_sequence = source->recovery->next_sequence;
}

struct log_source ring_view_source(const struct ring_view *view) {
    static const struct log_source_ops at_rest = {.durable = durable_at_rest};
    const struct recovery_input input = ring_view_input(view);
    return (struct log_source){.ops = &at_rest,
                               .image = input.image,
                               .shape = input.shape,
                               .crc_seed = input.crc_seed,
                               .recovery = &view->recovery};
}

struct log_cursor ring_view_first(const struct ring_view *view, const struct log_source *source) {
    return log_source_at(source, view->recovery.start, view->recovery.first_sequence, 0);
}

/* The blocks of a data area that could not be read. */
struct unreadable_blocks {
    const struct platform *platform;
    const struct superblock *superblock;
    uint64_t bytes; /* unreadable bytes */
    uint8_t *bits;  /* one bit a block, allocated with the first unreadable block */
    size_t size;    /* size of `bits` in bytes */
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

struct stream_position {
    uint64_t drained;
    uint16_t source; /* the stream whose records it gets */
    int is_segments;
};

/* Reads the positions of all streams. Returns whether a destination may have records that another one lacks. */
static int read_streams(const struct ledger *ledger, struct stream_position positions[LAYOUT_STREAMS_MAX],
                        unsigned *count) {
    const unsigned newest = ledger_newest(ledger);
    int differ = 0;
    *count = ledger_streams(ledger, newest);
    for (unsigned i = 0; i < *count; i++) {
        struct stream_state state;
        ledger_stream(ledger, newest, i, &state);
        positions[i] = (struct stream_position){.drained = state.drained_position,
                                                .source = stream_source(&state),
                                                .is_segments = state.outlet.kind == OUTLET_SEGMENTS};
        differ |= positions[i].is_segments || positions[i].drained != positions[0].drained;
    }
    return differ;
}

/* Counts the waiting records by destination. A record behind the slowest destination need not wait for each of them. */
static void count_waiting(struct ring_view *view) {
    struct stream_position positions[LAYOUT_STREAMS_MAX];
    struct recovery_waiting waiting = {.is_known = 1};
    struct log_item item;
    uint64_t end, next_sequence;
    unsigned count;
    if (view->recovery.records == 0 || !read_streams(view->ledger, positions, &count)) {
        return;
    }
    const struct log_source source = ring_view_source(view);
    struct log_cursor cursor = ring_view_first(view, &source);
    source.ops->durable(&source, &end, &next_sequence);
    while (log_source_next(&source, &cursor, end, &item) == 1) {
        const struct record_header *record = &item.header;
        unsigned files = 0, segments = 0;
        for (unsigned i = 0; item.kind == LOG_RECORD && i < count; i++) {
            const int waits = positions[i].source == record->stream && record->position >= positions[i].drained;
            files += waits && !positions[i].is_segments;
            segments += waits && positions[i].is_segments;
        }
        waiting.any += files + segments > 0;
        waiting.files += files > 0;
        waiting.segments += segments > 0;
    }
    view->recovery.waiting = waiting;
}

static int recover(const struct platform *platform, const struct device *device, const struct unreadable_blocks *blocks,
                   struct ring_view *view) {
    if (blocks->bytes >= ring_view_superblock(view)->capacity_bytes) {
        return error_set(EIO,
                         "nothing of the records of ring %s can be read: it is left as it is; make its medium readable "
                         "and open it again",
                         device->path);
    }
    if (blocks->bytes > 0 && blocks->bits == NULL) {
        return error_set(ENOMEM, "no memory to note which blocks of ring %s cannot be read: %zu bytes", device->path,
                         blocks->size);
    }
    struct recovery_input input = ring_view_input(view);
    input.unreadable = blocks->bits;
    const int rc = recovery_run(platform, &input, &view->recovery);
    if (rc == 0) {
        count_waiting(view);
    }
    return rc;
}

/* Whether every part of the head is whole. A part that a writer is just writing will be whole a moment later. */
static int is_whole(const struct ledger *ledger) {
    const struct notes_view *head = ledger_view(ledger);
    int whole = 1;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        whole &= head->copies[copy] == SUPERBLOCK_VALID;
    }
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        whole &= ledger_slots(ledger)->is_valid[slot];
    }
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        whole &= head->note_is_valid[slot];
    }
    return whole;
}

/* Reads the head into view->ledger. Believes that a part is bad only when it stays bad. */
static int read_head(const struct platform *platform, struct device *device, struct ring_view *view) {
    for (unsigned reads = 1;; reads++) {
        ledger_close(view->ledger);
        const int rc = ledger_read(platform, device, &view->ledger);
        if (reads == HEAD_READS || (rc < 0 && rc != -EUCLEAN) || (rc == 0 && is_whole(view->ledger))) {
            return rc;
        }
        platform->ops->sleep_ns(platform, HEAD_PAUSE_NS);
    }
}

static int read_head_again(const struct platform *platform, struct device *device, struct ring_view *view) {
    const struct superblock before = *ring_view_superblock(view);
    const int rc = read_head(platform, device, view);
    if (rc < 0 || memcmp(&before, ring_view_superblock(view), sizeof before) == 0) {
        return rc;
    }
    return error_set(EBUSY, "ring %s was formatted anew while it was read: look again", device->path);
}

/* Reads the data area. If others may write the ring, reads the head again behind it. */
static int read_and_recover(const struct platform *platform, struct device *device, uint8_t *image, int others_write,
                            struct ring_view *view) {
    const struct superblock superblock = *ring_view_superblock(view);
    struct unreadable_blocks blocks = {.platform = platform,
                                       .superblock = &superblock,
                                       .size = superblock.capacity_bytes / superblock.block_bytes / 8 + 1};
    int rc = device_read_salvage(device, superblock.data_offset, image, superblock.capacity_bytes, note_unreadable_data,
                                 &blocks);
    const uint32_t lost_pages = device_lost_pages(device);
    view->image = image;
    view->unreadable_bytes = blocks.bytes;
    rc = rc == 0 && others_write ? read_head_again(platform, device, view) : rc;
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

int ring_view_recover(const struct platform *platform, struct device *device, uint8_t *image, struct ring_view *view) {
    return read_and_recover(platform, device, image, 0, view);
}

/* Refuses numbers that no writer reaches. Nobody would believe what was written beyond them. */
static int check_numbers(const struct device *device, const struct ring_view *view) {
    const struct recovery *recovery = &view->recovery;
    const struct checkpoints_view *slots = ledger_slots(view->ledger);
    const uint64_t generation = slots->facts[slots->newest].generation;
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

/* Refuses records of a stream that no checkpoint has: nobody knows where they go. */
static int check_streams(const struct device *device, const struct ring_view *view) {
    const unsigned newest = ledger_newest(view->ledger);
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

int ring_view_check(const struct device *device, const struct ring_view *view) {
    const struct superblock *superblock = ring_view_superblock(view);
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

static int finds_damage(const struct recovery *recovery) {
    size_t jump = 0;
    while (jump < recovery->jump_count && !recovery->jumps[jump].gap.damaged) {
        jump++;
    }
    return jump < recovery->jump_count;
}

/*
 * Reads a ring that a writer may be changing. The head is read behind the data: the writer has overwritten nothing that
 * this head has not released. So a record can be missing only if it was written after its place was read, while a later
 * place or the head already tells of it. If one is missing, the data is read again, and judged only as far as the first
 * time proved it durable: a record missing there is lost. A ring at rest reads the same twice.
 */
static int read_ring(const struct platform *platform, struct device *device, struct ring_view *view) {
    int rc = read_and_recover(platform, device, view->own_image, 1, view);
    if (rc == 0 && finds_damage(&view->recovery)) {
        view->judged_position = view->recovery.durable_position;
        view->judged_sequence = view->recovery.durable_sequence;
        recovery_free(&view->recovery);
        rc = read_and_recover(platform, device, view->own_image, 1, view);
    }
    return rc;
}

int ring_view_open(const struct platform *platform, struct device *device, struct ring_view **view_out) {
    struct ring_view *view = platform_allocate(platform, sizeof *view, PLATFORM_PLAIN);
    if (view == NULL) {
        return error_set(ENOMEM, "no memory to read ring %s: %zu bytes", device->path, sizeof *view);
    }
    int rc = read_head(platform, device, view);
    if (rc == 0) {
        const uint64_t capacity = ring_view_superblock(view)->capacity_bytes;
        struct memory_limit limit;
        rc = memory_limit_check(platform, "reading ring", device->path, capacity, &limit);
        view->own_image = rc < 0 ? NULL : platform_allocate(platform, capacity, PLATFORM_PLAIN);
        view->own_bytes = capacity;
        if (rc >= 0 && view->own_image == NULL) {
            rc = error_set(ENOMEM, "no memory to read ring %s: %llu bytes", device->path, (unsigned long long)capacity);
        }
        rc = rc < 0 ? rc : read_ring(platform, device, view);
    }
    if (rc < 0) {
        ring_view_close(platform, view);
        return rc;
    }
    *view_out = view;
    return 0;
}

void ring_view_close(const struct platform *platform, struct ring_view *view) {
    recovery_free(&view->recovery);
    if (view->own_image != NULL) {
        platform_release(platform, view->own_image, view->own_bytes);
    }
    ledger_close(view->ledger);
    platform_release(platform, view, sizeof *view);
}
