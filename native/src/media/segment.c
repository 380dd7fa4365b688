/* SPDX-License-Identifier: Apache-2.0 */
#include "media/segment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"

static uint32_t head_crc(const struct segments_head *head) {
    return crc32c(0, head, offsetof(struct segments_head, crc));
}

static uint32_t header_crc(const struct segment_header *header) {
    return crc32c(crc32c(0, header->folder_uuid, sizeof header->folder_uuid), header,
                  offsetof(struct segment_header, crc));
}

void segments_head_make(struct segments_head *head, const uint8_t uuid[16], const char *name, int64_t created_ns) {
    memset(head, 0, sizeof *head);
    head->magic = SEGMENTS_HEAD_MAGIC;
    head->version = SEGMENT_VERSION;
    head->head_bytes = sizeof *head;
    memcpy(head->uuid, uuid, sizeof head->uuid);
    head->created_ns = created_ns;
    head->name_bytes = (uint32_t)strnlen(name, sizeof head->name - 1);
    memcpy(head->name, name, head->name_bytes);
    head->crc = head_crc(head);
}

enum segment_verdict segments_head_judge(const struct segments_head *head) {
    if (head->magic != SEGMENTS_HEAD_MAGIC) {
        return SEGMENT_ABSENT;
    }
    if (head->crc != head_crc(head)) {
        return SEGMENT_DAMAGED;
    }
    if (head->version != SEGMENT_VERSION) {
        return SEGMENT_UNKNOWN;
    }
    return head->head_bytes == sizeof *head && head->name_bytes < sizeof head->name &&
                   strnlen(head->name, sizeof head->name) == head->name_bytes
               ? SEGMENT_VALID
               : SEGMENT_DAMAGED;
}

void segment_header_make(struct segment_header *header, const uint8_t folder_uuid[16], const uint8_t ring_uuid[16],
                         uint64_t first_number, uint64_t first_sequence) {
    memset(header, 0, sizeof *header);
    header->magic = SEGMENT_MAGIC;
    header->version = SEGMENT_VERSION;
    header->header_bytes = sizeof *header;
    memcpy(header->folder_uuid, folder_uuid, sizeof header->folder_uuid);
    memcpy(header->ring_uuid, ring_uuid, sizeof header->ring_uuid);
    header->first_number = first_number;
    header->first_sequence = first_sequence;
    header->crc = header_crc(header);
}

static int is_number(uint64_t number) {
    return number >= 1 && number <= LAYOUT_NUMBER_MAX;
}

enum segment_verdict segment_header_judge(const struct segment_header *header, const uint8_t folder_uuid[16]) {
    if (header->magic != SEGMENT_MAGIC) {
        return SEGMENT_ABSENT;
    }
    if (header->crc != header_crc(header)) {
        return SEGMENT_DAMAGED;
    }
    if (header->version != SEGMENT_VERSION) {
        return SEGMENT_UNKNOWN;
    }
    return header->header_bytes == sizeof *header &&
                   memcmp(header->folder_uuid, folder_uuid, sizeof header->folder_uuid) == 0 &&
                   is_number(header->first_number) && is_number(header->first_sequence)
               ? SEGMENT_VALID
               : SEGMENT_DAMAGED;
}

void segment_name(char name[SEGMENT_NAME_BYTES], uint64_t first_number) {
    snprintf(name, SEGMENT_NAME_BYTES, "%020" PRIu64 ".seg", first_number);
}

uint64_t segment_number_of(const char *name) {
    uint64_t number = 0;
    for (const char *digit = name; *digit >= '0' && *digit <= '9' && digit < name + 20; digit++) {
        number = number * 10 + (uint64_t)(*digit - '0');
    }
    char same[SEGMENT_NAME_BYTES];
    segment_name(same, number);
    return is_number(number) && strcmp(name, same) == 0 ? number : 0;
}

void segment_frame_put(const struct record_header *header, const uint8_t *payload, uint8_t *out) {
    const size_t used = sizeof *header + header->length;
    memcpy(out, header, sizeof *header);
    memcpy(out + sizeof *header, payload, header->length);
    memset(out + used, 0, record_bytes(header->length) - used);
}

size_t segment_loss_put(const struct marker_loss *loss, uint32_t crc_seed, uint8_t *out) {
    struct record_header header = {.position = loss->from,
                                   .sequence = loss->first_sequence,
                                   .length = sizeof *loss,
                                   .type = SEGMENT_FRAME_LOSS,
                                   .payload_crc = crc32c(0, loss, sizeof *loss)};
    header.header_crc = crc32c(crc_seed, &header, RECORD_CRC_COVERS);
    segment_frame_put(&header, (const uint8_t *)loss, out);
    return record_bytes(sizeof *loss);
}

int segment_frame_begins(const struct record_header *header, uint32_t crc_seed) {
    return header->header_crc == crc32c(crc_seed, header, RECORD_CRC_COVERS) && is_number(header->sequence) &&
           (header->type == RECORD_DATA ||
            (header->type == SEGMENT_FRAME_LOSS && header->length == sizeof(struct marker_loss)));
}

enum frame_verdict segment_frame_judge(const uint8_t *bytes, size_t count, uint32_t crc_seed) {
    struct record_header header;
    if (count < sizeof header) {
        return FRAME_NONE;
    }
    memcpy(&header, bytes, sizeof header);
    if (!segment_frame_begins(&header, crc_seed)) {
        return FRAME_NONE;
    }
    return record_bytes(header.length) > count                                     ? FRAME_IS_LONGER
           : header.payload_crc == crc32c(0, bytes + sizeof header, header.length) ? FRAME_WHOLE
                                                                                   : FRAME_NONE;
}

static uint32_t position_crc(const struct segments_position *position, const uint8_t folder_uuid[16]) {
    return crc32c(crc32c(0, folder_uuid, 16), position, offsetof(struct segments_position, crc));
}

void segments_position_make(struct segments_position *position, const uint8_t folder_uuid[16], uint64_t generation,
                            uint64_t next_number, int64_t written_ns) {
    memset(position, 0, sizeof *position);
    position->magic = SEGMENTS_POSITION_MAGIC;
    position->generation = generation;
    position->next_number = next_number;
    position->written_ns = written_ns;
    position->crc = position_crc(position, folder_uuid);
}

int segments_position_newest(const struct segments_position slots[SEGMENTS_POSITION_SLOTS],
                             const uint8_t folder_uuid[16]) {
    int newest = -1;
    for (int slot = 0; slot < (int)SEGMENTS_POSITION_SLOTS; slot++) {
        const struct segments_position *position = &slots[slot];
        if (position->magic == SEGMENTS_POSITION_MAGIC && position->crc == position_crc(position, folder_uuid) &&
            is_number(position->generation) && is_number(position->next_number) &&
            (newest < 0 || position->generation > slots[newest].generation)) {
            newest = slot;
        }
    }
    return newest;
}
