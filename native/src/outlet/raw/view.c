/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/raw/view.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "media/superblock.h"

static int refuse(const char *path, enum raw_verdict verdict) {
    switch (verdict) {
    case RAW_DAMAGED:
        return error_set(
            EUCLEAN,
            "what log device %s says of itself is damaged, in both copies: it is left as it is; its log "
            "begins at byte %u; `burstlog format --destination --force %s` makes an empty log device of it",
            path, RAW_DATA_OFFSET, path);
    case RAW_UNKNOWN:
        return error_set(EPROTO,
                         "log device %s is of another version than %u, which this library knows: read it with the one "
                         "that wrote it, or `burstlog format --destination --force %s` empties it",
                         path, RAW_VERSION, path);
    default:
        return error_set(ENODATA,
                         "%s is a block device that is not prepared for a log: `burstlog format --destination %s` "
                         "prepares it",
                         path, path);
    }
}

int raw_view_refuse_unknown_length(const char *path) {
    return error_set(EUCLEAN,
                     "how far the log on %s goes is damaged, in both places: it is left as it is; its bytes begin at "
                     "byte %u; `burstlog format --destination --force %s` makes an empty log device of it",
                     path, RAW_DATA_OFFSET, path);
}

/* Whether the device holds a ring. No sentence may then advise to format it: the records would be lost. */
static int has_superblock(const struct raw_medium *medium) {
    struct superblock superblock;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        const uint64_t offset = LAYOUT_SUPERBLOCK_OFFSET(copy);
        if (offset + sizeof superblock <= medium->bytes &&
            medium->ops->read(medium, &superblock, sizeof superblock, offset) == 0 &&
            superblock_judge(&superblock) != SUPERBLOCK_ABSENT) {
            return 1;
        }
    }
    return 0;
}

static int cannot_read(const char *path, int rc) {
    return error_set(-rc, "log device %s cannot be read: %s", path, error_name(-rc));
}

int raw_view_read(const struct raw_medium *medium, const char *path, struct raw_view *view) {
    enum raw_verdict verdict = RAW_ABSENT;
    int rc = medium->bytes < RAW_DATA_OFFSET ? refuse(path, RAW_ABSENT) : 0;
    view->newest = -1;
    /* Copy 0 comes last, so that view->header is this copy if both are valid. */
    for (unsigned copy = RAW_HEADER_COPIES; rc == 0 && copy-- > 0;) {
        struct raw_header header;
        rc = medium->ops->read(medium, &header, sizeof header, RAW_HEADER_OFFSET(copy));
        if (rc < 0) {
            return cannot_read(path, rc);
        }
        view->copies[copy] = raw_header_judge(&header);
        if (view->copies[copy] == RAW_VALID) {
            view->header = header;
            verdict = RAW_VALID;
        } else if (verdict != RAW_VALID && view->copies[copy] != RAW_ABSENT) {
            verdict = view->copies[copy];
        }
    }
    if (rc == 0 && verdict == RAW_ABSENT && has_superblock(medium)) {
        return error_set(ENODATA, "%s holds a ring, not a log: `burstlog dump %s` shows its records", path, path);
    }
    if (rc < 0 || verdict != RAW_VALID) {
        return rc < 0 ? rc : refuse(path, verdict);
    }
    if (view->header.data_offset + view->header.capacity_bytes > medium->bytes) {
        return error_set(EUCLEAN, "log device %s has %llu bytes but was formatted with %llu: it is left as it is", path,
                         (unsigned long long)medium->bytes, (unsigned long long)view->header.medium_bytes);
    }
    for (unsigned slot = 0; slot < RAW_END_SLOTS; slot++) {
        rc = medium->ops->read(medium, &view->ends[slot], sizeof view->ends[slot], RAW_END_OFFSET(slot));
        if (rc < 0) {
            return cannot_read(path, rc);
        }
    }
    view->newest = raw_end_newest(view->ends, &view->header);
    return 0;
}

static int write_block(const struct raw_medium *medium, uint64_t offset, const void *data, size_t bytes) {
    uint8_t block[LAYOUT_MIN_BLOCK_BYTES] = {0};
    memcpy(block, data, bytes);
    return medium->ops->write(medium, block, sizeof block, offset);
}

int raw_view_note(const struct raw_medium *medium, struct raw_view *view, uint64_t length) {
    const int slot = view->newest == 0; /* the older slot */
    const uint64_t generation = view->newest < 0 ? 0 : view->ends[view->newest].generation;
    struct raw_end end;
    raw_end_make(&end, &view->header, generation + 1, length);
    int rc = write_block(medium, RAW_END_OFFSET(slot), &end, sizeof end);
    rc = rc < 0 ? rc : medium->ops->sync(medium);
    if (rc == 0) {
        view->ends[slot] = end;
        view->newest = slot;
    }
    return rc;
}

int raw_format(const struct platform *platform, const struct raw_medium *medium, const char *path) {
    const uint64_t bytes = align_down(medium->bytes, LAYOUT_MIN_BLOCK_BYTES);
    if (bytes < RAW_DATA_OFFSET + RAW_MIN_CAPACITY_BYTES || bytes > RAW_DATA_OFFSET + RAW_MAX_CAPACITY_BYTES) {
        return error_set(EINVAL, "a log cannot be on %s: it takes at least %u bytes, and the device has %llu", path,
                         RAW_DATA_OFFSET + RAW_MIN_CAPACITY_BYTES, (unsigned long long)medium->bytes);
    }
    const uint64_t uuid[2] = {platform->ops->random(platform), platform->ops->random(platform)};
    struct raw_view view = {.newest = -1};
    raw_header_make(&view.header, bytes, (const uint8_t *)uuid, platform_realtime_ns(platform));
    int rc = 0;
    for (unsigned slot = 0; rc == 0 && slot < RAW_END_SLOTS; slot++) {
        rc = raw_view_note(medium, &view, 0);
    }
    /* Copy 0 comes last: a device that has it is whole. */
    for (unsigned copy = RAW_HEADER_COPIES; rc == 0 && copy-- > 0;) {
        rc = write_block(medium, RAW_HEADER_OFFSET(copy), &view.header, sizeof view.header);
        rc = rc < 0 ? rc : medium->ops->sync(medium);
    }
    return rc == 0 ? 0 : error_set(-rc, "writing to %s failed: %s", path, error_name(-rc));
}
