/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of segments: it knows the folder alone, and no ring. */
#include <stdio.h>

#include "base/crc32c.h"
#include "media/record.h"
#include "media/segment.h"
#include "harness/simulator/log.h"

static const struct sim_inode *find(const struct world *world, const char *name) {
    const int inode = sim_files_find(&world->files, name);
    return inode < 0 ? NULL : &world->files.inodes[inode];
}

/* Reads from a frame which record it is. */
static struct seen_frame frame_of(const struct world *world, uint64_t number, const uint8_t *bytes) {
    const struct record_header *header = (const struct record_header *)bytes;
    if (header->type == SEGMENT_FRAME_LOSS) {
        violation(world, "I8: number %llu is a loss, but nothing happened", (unsigned long long)number);
    }
    return (struct seen_frame){.sequence = header->sequence, .crc = crc32c(0, header + 1, header->length)};
}

static void look_at(struct world *world, uint64_t number, const uint8_t *bytes) {
    struct model *model = &world->model;
    const struct seen_frame frame = frame_of(world, number, bytes);
    if (number >= SEEN_MAX) {
        violation(world, "the scenario makes too many frames");
    }
    if (number > model->seen_count) {
        model->seen[number] = frame;
        model->seen_count = (uint32_t)number;
    } else if (model->seen[number].sequence != frame.sequence || model->seen[number].crc != frame.crc) {
        violation(world, "I10: number %llu is record %llu with CRC %08x, and was read as record %llu with CRC %08x",
                  (unsigned long long)number, (unsigned long long)frame.sequence, frame.crc,
                  (unsigned long long)model->seen[number].sequence, model->seen[number].crc);
    }
}

static const char *path_of(char path[FILE_NAME_MAX], uint64_t number) {
    char name[SEGMENT_NAME_BYTES];
    segment_name(name, number);
    snprintf(path, FILE_NAME_MAX, "%s/%s", SEGMENTS_FOLDER, name);
    return path;
}

/* Counts the frames of segments that were deleted. A folder begun anew never repeats a number that was noted, and
 * leaves none out. As long as it has no segment, all frames that were read count as deleted. */
static uint64_t count_deleted(struct world *world) {
    struct model *model = &world->model;
    char path[FILE_NAME_MAX];
    for (uint64_t number = 1; model->is_begun_anew && number < SEEN_MAX; number++) {
        if (find(world, path_of(path, number)) == NULL) {
            continue;
        }
        if (number == 1 && model->seen_count > 0) { /* an open without segments came between: the numbers begin again */
            model->gone_sequence = model->seen[model->seen_count].sequence;
            model->seen_count = 0;
        }
        if (number > model->seen_count + 1) {
            violation(world, "I10: the folder that was begun anew begins with number %llu, and %u was read",
                      (unsigned long long)number, model->seen_count);
        }
        model->deleted_count = (uint32_t)number - 1;
        model->is_begun_anew = 0;
    }
    return model->is_begun_anew ? model->seen_count : model->deleted_count;
}

/* Calls `call` for each whole frame; returns the highest number. */
static uint64_t each_frame(struct world *world, void (*call)(struct world *, uint64_t, const uint8_t *)) {
    const struct sim_inode *head = find(world, SEGMENTS_FOLDER "/" SEGMENTS_HEAD_NAME);
    uint64_t number = count_deleted(world) + 1, first = 0;
    if (head == NULL || head->size < sizeof(struct segments_head) ||
        segments_head_judge((const struct segments_head *)head->cache) != SEGMENT_VALID) {
        return world->model.is_begun_anew ? number - 1 : 0; /* the log has not begun the folder yet */
    }
    while (number != first) {
        char path[FILE_NAME_MAX];
        const struct sim_inode *inode = find(world, path_of(path, number));
        size_t at = sizeof(struct segment_header);
        first = number;
        if (inode == NULL || inode->size < at ||
            segment_header_judge((const struct segment_header *)inode->cache,
                                 ((const struct segments_head *)head->cache)->uuid) != SEGMENT_VALID) {
            break;
        }
        const uint32_t seed = crc_seed_of(((const struct segment_header *)inode->cache)->ring_uuid);
        while (at < inode->size && segment_frame_judge(inode->cache + at, inode->size - at, seed) == FRAME_WHOLE) {
            call(world, number++, inode->cache + at);
            at += record_bytes(((const struct record_header *)(inode->cache + at))->length);
        }
    }
    return number - 1;
}

void log_read_segments(struct world *world) {
    each_frame(world, look_at);
}

void log_delete_segments(struct world *world) {
    struct model *model = &world->model;
    char path[FILE_NAME_MAX];
    uint64_t last = model->deleted_count + 1;
    for (uint64_t number = last + 1; number <= model->seen_count; number++) {
        if (find(world, path_of(path, number)) != NULL) {
            sim_change_name(&world->files, path_of(path, last), NULL, 0);
            last = number;
        }
    }
    model->deleted_count = (uint32_t)last - 1;
}

void log_begin_segments_anew(struct world *world) {
    struct sim_files *files = &world->files;
    char path[FILE_NAME_MAX];
    log_read_segments(world);
    for (uint64_t number = 1; number <= world->model.seen_count + 1u; number++) {
        if (find(world, path_of(path, number)) != NULL) {
            sim_change_name(files, path, NULL, 0);
        }
    }
    sim_change_name(files, SEGMENTS_FOLDER "/" SEGMENTS_HEAD_NAME, NULL, 0);
    sim_change_name(files, NULL, SEGMENTS_FOLDER "/" SEGMENTS_HEAD_NAME, sim_take_inode(files));
    sim_sync_names(files);
    world->model.is_begun_anew = 1;
}

static uint64_t last_sequence;

static void check_frame(struct world *world, uint64_t number, const uint8_t *bytes) {
    const struct record_header *header = (const struct record_header *)bytes;
    const struct model *model = &world->model;
    look_at(world, number, bytes);
    if (header->sequence <= last_sequence) {
        violation(world, "I3: record %llu has number %llu, and stands behind %llu",
                  (unsigned long long)header->sequence, (unsigned long long)number, (unsigned long long)last_sequence);
    }
    for (uint64_t sequence = last_sequence + 1; sequence < header->sequence; sequence++) {
        if (sequence > model->acknowledged || model->records[sequence].in_segments) {
            violation(world, "I1: record %llu is in no segment", (unsigned long long)sequence);
        }
    }
    last_sequence = header->sequence;
    const struct model_record *record = &model->records[header->sequence];
    if (header->sequence > model->acknowledged || !record->in_segments) {
        violation(world, "I2: record %llu is in a segment and does not belong there",
                  (unsigned long long)header->sequence);
    }
    if (header->length != record->bytes || crc32c(0, header + 1, header->length) != record->crc) {
        violation(world, "I2: record %llu is another one in its segment", (unsigned long long)header->sequence);
    }
}

void log_check_segments(struct world *world) {
    const struct model *model = &world->model;
    const uint64_t deleted = count_deleted(world);
    last_sequence = deleted == 0 ? model->gone_sequence : model->seen[deleted].sequence;
    const uint64_t count = each_frame(world, check_frame);
    for (uint64_t sequence = last_sequence + 1; sequence <= model->acknowledged; sequence++) {
        if (model->records[sequence].in_segments) {
            violation(world, "I1: record %llu of %llu is in no segment", (unsigned long long)sequence,
                      (unsigned long long)model->acknowledged);
        }
    }
    if (count < model->seen_count) {
        violation(world, "I10: number %u was read, and the highest is %llu", model->seen_count,
                  (unsigned long long)count);
    }
}
