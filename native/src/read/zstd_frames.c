/* SPDX-License-Identifier: Apache-2.0 */
#include "read/zstd_frames.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/retry.h"

#define FRAME_MAGIC 0xfd2fb528u
#define SKIPPABLE_MAGIC 0x184d2a5eu
#define SEEKABLE_MAGIC 0x8f92eab1u
#define SKIPPABLE_BYTES 8u
#define FOOTER_BYTES 9u
#define HAS_CHECKSUMS 0x80u
#define RESERVED_BITS 0x7cu
#define FRAMES_MOST 0x1000000u /* a table of 200 MB */

/* Frame i has the packed bytes packed[i] to packed[i + 1], and the text begin[i] to begin[i + 1]. */
struct zstd_frames {
    uint32_t count;
    struct {
        uint64_t packed, begin;
    } at[];
};

static uint32_t number(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int read_at(int fd, void *out, size_t bytes, uint64_t offset, uint64_t *looks) {
    (*looks)++;
    return TEMP_FAILURE_RETRY(pread(fd, out, bytes, (off_t)offset)) == (ssize_t)bytes;
}

/* Fills the places from the table's entries. Returns whether they fill the file up to the table. */
static int fill(struct zstd_frames *frames, const uint8_t *entry, uint32_t entry_bytes, uint64_t table_at) {
    uint64_t packed = 0, begin = 0;
    for (uint32_t i = 0; i < frames->count; i++, entry += entry_bytes) {
        frames->at[i].packed = packed;
        frames->at[i].begin = begin;
        packed += number(entry);
        begin += number(entry + 4);
    }
    frames->at[frames->count].packed = packed;
    frames->at[frames->count].begin = begin;
    return packed == table_at;
}

struct zstd_frames *zstd_frames_read(int fd, uint64_t *looks) {
    struct stat status;
    uint8_t footer[FOOTER_BYTES];
    if (fstat(fd, &status) < 0 || status.st_size < (off_t)(SKIPPABLE_BYTES + FOOTER_BYTES) ||
        !read_at(fd, footer, sizeof footer, (uint64_t)status.st_size - sizeof footer, looks)) {
        return NULL;
    }
    const uint64_t size = (uint64_t)status.st_size;
    const uint32_t count = number(footer), entry_bytes = (footer[4] & HAS_CHECKSUMS) ? 12 : 8;
    const uint64_t bytes = SKIPPABLE_BYTES + (uint64_t)count * entry_bytes + FOOTER_BYTES;
    if (number(footer + 5) != SEEKABLE_MAGIC || (footer[4] & RESERVED_BITS) != 0 || count == 0 || count > FRAMES_MOST ||
        bytes > size) {
        return NULL;
    }
    uint8_t *table = malloc((size_t)bytes);
    struct zstd_frames *frames = malloc(sizeof *frames + ((size_t)count + 1) * sizeof frames->at[0]);
    if (frames != NULL) {
        frames->count = count;
    }
    if (table == NULL || frames == NULL || !read_at(fd, table, (size_t)bytes, size - bytes, looks) ||
        number(table) != SKIPPABLE_MAGIC || number(table + 4) != bytes - SKIPPABLE_BYTES ||
        !fill(frames, table + SKIPPABLE_BYTES, entry_bytes, size - bytes)) {
        free(frames);
        frames = NULL;
    }
    free(table);
    return frames;
}

/* The number of frames that begin at or before the offset. */
static uint32_t begun(const struct zstd_frames *frames, uint64_t offset) {
    uint32_t low = 0, high = frames->count + 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (frames->at[middle].begin <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void zstd_frames_find(const struct zstd_frames *frames, uint64_t offset, uint64_t *packed, uint64_t *begin) {
    const uint32_t at = begun(frames, offset) - 1; /* the first one begins at 0 */
    const uint32_t frame = at < frames->count ? at : frames->count - 1;
    *packed = frames->at[frame].packed;
    *begin = frames->at[frame].begin;
}

int zstd_frames_has_end(const struct zstd_frames *frames, uint64_t offset) {
    return frames->at[begun(frames, offset) - 1].begin == offset;
}

/* The bytes of a frame's header, by its fifth byte; RFC 8878, 3.1.1.1. */
static unsigned header_bytes(uint8_t descriptor) {
    static const uint8_t dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
    const unsigned is_single = descriptor >> 5 & 1, size = descriptor >> 6;
    return 5 + !is_single + dictionary[descriptor & 3] + (size == 0 ? is_single : content[size]);
}

int zstd_frames_pass(int fd, uint64_t *at) {
    uint64_t looks = 0, next = *at;
    uint8_t head[5], block[3];
    struct stat status;
    if (!read_at(fd, head, sizeof head, next, &looks) || number(head) != FRAME_MAGIC || fstat(fd, &status) < 0) {
        return 0;
    }
    next += header_bytes(head[4]);
    for (int is_last = 0; !is_last;) {
        if (!read_at(fd, block, sizeof block, next, &looks)) {
            return 0;
        }
        const uint32_t value = block[0] | (uint32_t)block[1] << 8 | (uint32_t)block[2] << 16;
        const uint32_t type = value >> 1 & 3; /* 1: one byte, that many times */
        is_last = value & 1;
        next += sizeof block + (type == 1 ? 1 : value >> 3);
    }
    next += head[4] & 4 ? 4 : 0; /* a checksum */
    if (next > (uint64_t)status.st_size) {
        return 0;
    }
    *at = next;
    return 1;
}
