/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a folder of segments: its head, two segments, and a consumer's position. A consumer reads them: numbers
 * have no gap, none comes twice, the reading ends, and a second one finds the same.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "burstlog.h"
#include "consume/retention.h"
#include "harness/fuzz/violation.h"
#include "media/record.h"
#include "media/segment.h"

#define FRAMES_BYTES 2048u
#define RECORDS_MOST 200

struct input {
    uint16_t second; /* the second segment's first number; 0: there is no such segment */
    uint16_t first_bytes, second_bytes;
    uint16_t reserved;
    struct segments_head head;
    struct segments_position slots[SEGMENTS_POSITION_SLOTS];
    struct segment_header headers[2];
    uint8_t frames[2][FRAMES_BYTES];
};

static char folder[64];

static void put(const char *name, const void *bytes, size_t count) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    MUST(file >= 0 && write(file, bytes, count) == (ssize_t)count && close(file) == 0);
}

static void put_segment(const struct input *input, int which, uint64_t number, size_t bytes) {
    uint8_t all[sizeof input->headers[0] + FRAMES_BYTES];
    char name[SEGMENT_NAME_BYTES];
    memcpy(all, &input->headers[which], sizeof input->headers[which]);
    memcpy(all + sizeof input->headers[which], input->frames[which], FRAMES_BYTES);
    segment_name(name, number);
    put(name, all, bytes < sizeof all ? bytes : sizeof all);
}

static void remove_segments(void) {
    static const struct retention_limits all = {.limit_bytes = 0, .limit_ns = INT64_MIN, .releases = 1};
    struct segment_list list;
    char path[160], name[SEGMENT_NAME_BYTES];
    const int opened = open(folder, O_RDONLY | O_DIRECTORY);
    MUST(opened >= 0 && folder_segments(opened, &list) == 0 && close(opened) == 0);
    MUST(list.count == 0 || retention_count(&list, 0, &all, 0) == list.count - 1);
    for (size_t i = 0; i < list.count; i++) {
        segment_name(name, list.segments[i].first_number);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        MUST(unlink(path) == 0);
    }
    segment_list_free(&list);
}

static void remove_folder(void) {
    static const char *const names[] = {SEGMENTS_HEAD_NAME, SEGMENTS_POSITIONS_NAME "/reader", SEGMENTS_POSITIONS_NAME,
                                        ""};
    char path[160];
    remove_segments();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
}

static void put_folder(const struct input *input) {
    uint8_t positions[SEGMENTS_POSITION_OFFSET(1) + sizeof input->slots[1]] = {0};
    char path[80];
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "/dev/shm/burst-fuzz-XXXXXX");
        MUST(mkdtemp(folder) != NULL);
        snprintf(path, sizeof path, "%s/" SEGMENTS_POSITIONS_NAME, folder);
        MUST(mkdir(path, 0700) == 0 && atexit(remove_folder) == 0);
    }
    remove_segments();
    put(SEGMENTS_HEAD_NAME, &input->head, sizeof input->head);
    memcpy(positions, &input->slots[0], sizeof input->slots[0]);
    memcpy(positions + SEGMENTS_POSITION_OFFSET(1), &input->slots[1], sizeof input->slots[1]);
    put(SEGMENTS_POSITIONS_NAME "/reader", positions, sizeof positions);
    put_segment(input, 0, 1, input->first_bytes);
    if (input->second > 1) {
        put_segment(input, 1, input->second, input->second_bytes);
    }
}

/* Reads all from the number on; returns a checksum of what it read. */
static uint32_t read_all(burst_consumer_t *consumer, uint64_t number) {
    burst_consumed_t record = {.struct_bytes = sizeof record};
    uint32_t crc = 0;
    int rc;
    for (int i = 0; (rc = burst_consumer_next(consumer, &record, 0)) == 1; i++) {
        MUST(i < RECORDS_MOST);
        MUST(record.number == number + (record.kind == BURST_CONSUMED_MISSING ? record.count : 1) - 1);
        number = record.number + 1;
        MUST(burst_consumer_position(consumer) == number);
        MUST(record.data == NULL || (record.length <= FRAMES_BYTES && record.kind <= BURST_CONSUMED_ROLL));
        crc = crc32c(crc, &record.number, sizeof record.number);
        crc = record.data == NULL ? crc : crc32c(crc, record.data, record.length);
    }
    MUST(rc == 0);
    return crc;
}

static void look(void) {
    burst_consumer_state_t state = {.struct_bytes = sizeof state};
    MUST(burst_consumer_look(folder, 0, &state) == 1 && strcmp(state.name, "reader") == 0);
    MUST(burst_consumer_look(folder, 1, &state) == 0);
}

static void retain(void) {
    static const struct retention_limits limits = {.limit_bytes = 100, .limit_ns = INT64_MAX, .releases = 1};
    static struct events events;
    events_init(&events, &platform_linux);
    struct retention *retention = retention_create(folder, &limits, &events);
    MUST(retention != NULL);
    retention_look(retention, 5);
    retention_destroy(retention);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct input input;
    burst_consumer_t *consumer;
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    put_folder(&input);
    if (burst_consumer_open(folder, "reader", &consumer) == 0) {
        MUST(segments_head_judge(&input.head) == SEGMENT_VALID);
        const uint64_t begin = burst_consumer_position(consumer);
        const uint32_t crc = read_all(consumer, begin);
        MUST(burst_consumer_seek(consumer, begin) == 0 && read_all(consumer, begin) == crc);
        MUST(burst_consumer_seek(consumer, 1) == 0);
        read_all(consumer, 1);
        MUST(burst_consumer_seek_time(consumer, (int64_t)crc) == 0);
        MUST(burst_consumer_seek_sequence(consumer, 2) == 0);
        burst_consumer_lag_t lag = {.struct_bytes = sizeof lag};
        MUST(burst_consumer_lag(consumer, &lag) == 0);
        burst_consumer_close(consumer);
        look();
    }
    retain();
    return 0;
}

static void seal_frames(struct input *input, int which, uint32_t seed) {
    for (size_t at = 0; at + sizeof(struct record_header) <= FRAMES_BYTES;) {
        struct record_header header;
        memcpy(&header, input->frames[which] + at, sizeof header);
        if (header.type == 0) {
            return;
        }
        if (record_bytes(header.length) <= FRAMES_BYTES - at) {
            header.payload_crc = crc32c(0, input->frames[which] + at + sizeof header, header.length);
        }
        header.header_crc = crc32c(seed, &header, RECORD_CRC_COVERS);
        memcpy(input->frames[which] + at, &header, sizeof header);
        if (record_bytes(header.length) > FRAMES_BYTES - at) {
            return;
        }
        at += record_bytes(header.length);
    }
}

/* Usually mends the CRCs, so that the rest is judged. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    static struct input input;
    memset(&input, 0, sizeof input);
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 == 0 || room < sizeof input) {
        return size;
    }
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    input.head.magic = SEGMENTS_HEAD_MAGIC;
    input.head.crc = crc32c(0, &input.head, offsetof(struct segments_head, crc));
    const uint32_t folder_seed = crc32c(0, input.head.uuid, sizeof input.head.uuid);
    for (int i = 0; i < 2; i++) {
        struct segment_header *header = &input.headers[i];
        memcpy(header->folder_uuid, input.head.uuid, sizeof header->folder_uuid);
        header->crc = crc32c(folder_seed, header, offsetof(struct segment_header, crc));
        input.slots[i].crc = crc32c(folder_seed, &input.slots[i], offsetof(struct segments_position, crc));
        if (seed % 8 != 1) {
            seal_frames(&input, i, crc_seed_of(header->ring_uuid));
        }
    }
    memcpy(data, &input, sizeof input);
    return sizeof input;
}
