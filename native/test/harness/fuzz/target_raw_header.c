/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the head of a log device: a valid header must fit its device, and a valid end the header. */
#include <string.h>

#include "base/crc32c.h"
#include "harness/fuzz/violation.h"
#include "media/raw_header.h"

struct head {
    struct raw_header header;
    struct raw_end ends[RAW_END_SLOTS];
};

static void check_header(const struct raw_header *header) {
    MUST(header->version == RAW_VERSION && header->header_bytes == sizeof *header);
    MUST(header->data_offset == RAW_DATA_OFFSET);
    MUST(header->capacity_bytes >= RAW_MIN_CAPACITY_BYTES && header->capacity_bytes <= RAW_MAX_CAPACITY_BYTES);
    MUST(header->medium_bytes >= header->data_offset &&
         header->medium_bytes - header->data_offset >= header->capacity_bytes);
    MUST(header->crc == crc32c(0, header, sizeof *header - 4));
}

static void check_newest(struct head *head, int newest) {
    struct raw_end *end = &head->ends[newest], next;
    const struct raw_end *other = &head->ends[1 - newest];
    MUST(end->length <= head->header.capacity_bytes);
    MUST(end->generation > 0 && end->generation <= LAYOUT_NUMBER_MAX);
    struct raw_end both[RAW_END_SLOTS] = {*other, *other};
    MUST(raw_end_newest(both, &head->header) < 0 || other->generation <= end->generation);
    /* The next end that is written must win. */
    if (end->generation < LAYOUT_NUMBER_MAX) {
        raw_end_make(&next, &head->header, end->generation + 1, end->length);
        head->ends[1 - newest] = next;
        MUST(raw_end_newest(head->ends, &head->header) == 1 - newest);
    }
    /* Ends of another device, or of an earlier format of this one, are not valid. */
    head->ends[1 - newest] = *end;
    head->header.uuid[0] ^= 1;
    MUST(raw_end_newest(head->ends, &head->header) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct head head;
    memset(&head, 0, sizeof head);
    memcpy(&head, data, size < sizeof head ? size : sizeof head);
    const enum raw_verdict verdict = raw_header_judge(&head.header);
    MUST(verdict == RAW_VALID || verdict == RAW_ABSENT || verdict == RAW_DAMAGED || verdict == RAW_UNKNOWN);
    const int newest = raw_end_newest(head.ends, &head.header);
    MUST(newest >= -1 && newest < (int)RAW_END_SLOTS);
    if (verdict == RAW_VALID) {
        check_header(&head.header);
        if (newest >= 0) {
            check_newest(&head, newest);
        }
        head.header.created_ns ^= 1;
        MUST(raw_header_judge(&head.header) == RAW_DAMAGED);
    }
    return 0;
}

/* Usually mends the CRCs, so that the rest is judged. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    struct head head = {.header = {0}};
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 == 0 || room < sizeof head) {
        return size;
    }
    memcpy(&head, data, size < sizeof head ? size : sizeof head);
    head.header.magic = RAW_HEADER_MAGIC;
    head.header.crc = crc32c(0, &head.header, offsetof(struct raw_header, crc));
    const uint32_t seed_crc = crc32c(0, head.header.uuid, sizeof head.header.uuid);
    for (unsigned i = 0; i < RAW_END_SLOTS && seed % 8 != 1; i++) {
        head.ends[i].magic = RAW_END_MAGIC;
        head.ends[i].crc = crc32c(seed_crc, &head.ends[i], offsetof(struct raw_end, crc));
    }
    memcpy(data, &head, sizeof head);
    return sizeof head;
}
