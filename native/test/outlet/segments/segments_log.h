/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of segments, a short drain for its outlet, a short ledger, and a reader. */
#ifndef BURST_TEST_OUTLET_SEGMENTS_SEGMENTS_LOG_H
#define BURST_TEST_OUTLET_SEGMENTS_SEGMENTS_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "media/checkpoint.h"
#include "media/record.h"
#include "outlet/segments/folder.h"
#include "outlet/segments/segments.h"

#define BATCH_RECORDS 7u
#define SEGMENT_BYTES 4096u
#define MOST_BYTES 100000u

static struct {
    struct files files;
    struct files_ops ops; /* a test replaces functions here */
    struct segments_outlet_parts parts;
    struct outlet *outlet;
    struct events events;
    struct outlet_state state; /* in the newest checkpoint */
    struct outlet_noted noted;
    uint64_t noted_sequence; /* the last drained sequence */
    uint64_t written;        /* the last sequence that was given to the outlet */
    unsigned salt;           /* another salt makes other payloads */
    unsigned batch_records;
    unsigned notes;
    int fails; /* errno of the calls that a test lets fail; 0: none fails */
    char folder[200], path[240];
} seg_log;

/* Every third sequence is another stream's, and not in this folder. */
static uint64_t sequence_behind(uint64_t sequence) {
    return sequence % 3 == 1 ? sequence + 2 : sequence + 1;
}

static uint32_t length_of(uint64_t sequence) {
    return (uint32_t)(sequence * 37 % 301);
}

static size_t put_record(uint64_t sequence, uint8_t *out) {
    uint8_t payload[301];
    const uint32_t length = length_of(sequence);
    memset(payload, (int)('a' + (sequence + seg_log.salt) % 26), sizeof payload);
    struct record_header header = {.position = sequence * 512,
                                   .sequence = sequence,
                                   .length = length,
                                   .type = RECORD_DATA,
                                   .event_time_ns = (int64_t)sequence * 1000,
                                   .payload_crc = crc32c(0, payload, length)};
    header.header_crc = crc32c(crc_seed_of(seg_log.parts.ring_uuid), &header, RECORD_CRC_COVERS);
    seg_log.outlet->format->record(&header, payload, out);
    return seg_log.outlet->format->record_size(&header, payload);
}

static inline void log_make_outlet(void) {
    assert_int_equal(segments_outlet_create(&seg_log.parts, &seg_log.outlet), 0);
    seg_log.noted.state = &seg_log.state;
    seg_log.noted.sequence = sequence_behind(seg_log.noted_sequence);
}

static inline void take_note(const struct outlet_state *state) {
    seg_log.state = *state;
    seg_log.noted_sequence = seg_log.written;
    seg_log.noted.sequence = sequence_behind(seg_log.noted_sequence);
}

/* Notes the new state in both slots: all that was written so far counts as drained. */
static inline void log_note(const struct outlet_state *state) {
    take_note(state);
    seg_log.notes++;
    seg_log.outlet->ops->noted(seg_log.outlet, &seg_log.noted);
}

static inline int log_bind(void) {
    struct outlet_state state;
    const int rc = seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &state);
    if (rc == OUTLET_NOTE)
        log_note(&state);
    return rc;
}

/* Another process opens the log: what was not noted must be written again. */
static inline int log_reopen(void) {
    struct outlet_state state;
    seg_log.outlet->ops->destroy(seg_log.outlet);
    log_make_outlet();
    seg_log.written = seg_log.noted_sequence;
    const int rc = seg_log.outlet->ops->open(seg_log.outlet, &seg_log.noted, OUTLET_NOT_MOVED, &state);
    if (rc == OUTLET_NOTE)
        log_note(&state);
    return rc;
}

static inline int log_sync(void) {
    struct outlet_state state;
    const int rc = seg_log.outlet->ops->sync(seg_log.outlet, &seg_log.noted, &state);
    if (rc == OUTLET_READY)
        take_note(&state);
    else
        seg_log.written = seg_log.noted_sequence;
    return rc;
}

/* Writes the records up to this sequence: 0 or -errno. */
static inline int log_write(uint64_t until) {
    static uint8_t batch[MOST_BYTES];
    const struct outlet_ops *ops = seg_log.outlet->ops;
    int turns = 0;
    while (seg_log.written < until) {
        struct outlet_state state;
        size_t bytes = 0, done = 0;
        uint64_t last = seg_log.written;
        int rc = OUTLET_READY;
        for (unsigned i = 0; i < seg_log.batch_records && last < until; i++) {
            last = sequence_behind(last);
            bytes += put_record(last, batch + bytes);
        }
        while (rc == OUTLET_READY && done < bytes) {
            rc = ops->ready(seg_log.outlet, &seg_log.noted, batch + done, bytes - done, done > 0, &state);
            const int64_t taken = rc == OUTLET_READY ? ops->write(seg_log.outlet, batch + done, bytes - done) : 0;
            rc = taken < 0 ? (int)taken : rc;
            done += taken < 0 ? 0 : (size_t)taken;
        }
        if (rc == OUTLET_READY)
            seg_log.written = last;
        else if (rc == OUTLET_NOTE)
            log_note(&state);
        else if (rc == OUTLET_SYNC)
            rc = log_sync();
        else if (rc == OUTLET_REWIND)
            seg_log.written = seg_log.noted_sequence;
        if (rc < 0)
            return rc;
        assert_true(turns++ < 10000);
    }
    return 0;
}

static inline int log_begin(void **state) {
    (void)state;
    memset(&seg_log, 0, sizeof seg_log);
    events_init(&seg_log.events, &platform_linux);
    seg_log.ops = *files_posix.ops;
    seg_log.files.ops = &seg_log.ops;
    seg_log.batch_records = BATCH_RECORDS;
    assert_non_null(getcwd(seg_log.folder, 150));
    strcat(seg_log.folder, "/burst-segments-XXXXXX");
    assert_non_null(mkdtemp(seg_log.folder));
    snprintf(seg_log.path, sizeof seg_log.path, "%s/made/orders", seg_log.folder);
    seg_log.parts = (struct segments_outlet_parts){.platform = &platform_linux,
                                                   .files = &seg_log.files,
                                                   .events = &seg_log.events,
                                                   .name = "orders",
                                                   .ring_uuid = {7, 7, 7},
                                                   .segment_bytes = SEGMENT_BYTES};
    log_make_outlet();
    return log_bind() != OUTLET_NOTE;
}

static inline int log_end(void **state) {
    (void)state;
    char command[sizeof seg_log.folder + 16];
    seg_log.outlet->ops->destroy(seg_log.outlet);
    snprintf(command, sizeof command, "rm -r '%s'", seg_log.folder);
    return system(command);
}

#define SEGMENTS_TEST(name) cmocka_unit_test_setup_teardown(name, log_begin, log_end)

/* -------------------------------------------------------------------------------------------------------- reading */

static inline const char *segment_path(uint64_t number) {
    static char path[300];
    char name[SEGMENT_NAME_BYTES];
    segment_name(name, number);
    snprintf(path, sizeof path, "%s/%s", seg_log.path, name);
    return path;
}

static inline size_t read_whole(const char *path, uint8_t *bytes, size_t room) {
    FILE *file = fopen(path, "r");
    const size_t got = file == NULL ? 0 : fread(bytes, 1, room, file);
    if (file != NULL)
        fclose(file);
    return got;
}

struct found {
    uint64_t segments, frames;
    uint64_t sequences[4000]; /* by number */
    uint64_t behind;          /* bytes behind the last whole frame of the last segment */
};

/* Reads as a consumer does, from segment to segment and from frame to frame: no number is left out. */
static inline const struct found *read_folder(uint64_t first_number) {
    static struct found found;
    static uint8_t bytes[MOST_BYTES];
    struct segments_head head = {.magic = 0};
    memset(&found, 0, sizeof found);
    char path[300];
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    read_whole(path, (uint8_t *)&head, sizeof head);
    assert_int_equal(segments_head_judge(&head), SEGMENT_VALID);
    uint64_t number = first_number;
    for (size_t count; (count = read_whole(segment_path(number), bytes, sizeof bytes)) > 0;) {
        const struct segment_header *header = (const struct segment_header *)bytes;
        assert_int_equal(segment_header_judge(header, head.uuid), SEGMENT_VALID);
        assert_int_equal(header->first_number, number);
        assert_memory_equal(header->ring_uuid, seg_log.parts.ring_uuid, 16);
        const uint64_t first = number;
        size_t at = sizeof *header;
        while (segment_frame_judge(bytes + at, count - at, crc_seed_of(header->ring_uuid)) == FRAME_WHOLE) {
            const struct record_header *record = (const struct record_header *)(bytes + at);
            assert_true(record->sequence >= header->first_sequence);
            found.sequences[number++] = record->sequence;
            at += record_bytes(record->length);
        }
        found.segments++;
        found.behind = count - at;
        if (number == first)
            break; /* the last one */
    }
    found.frames = number - first_number;
    return &found;
}

/* Each record up to this one is there once, in order. */
static inline void assert_has_all(uint64_t last) {
    const struct found *found = read_folder(1);
    uint64_t sequence = 0;
    for (uint64_t number = 1; sequence < last; number++) {
        sequence = sequence_behind(sequence);
        assert_int_equal(found->sequences[number], sequence);
        assert_true(number <= found->frames);
    }
}

/* Returns the severity. */
static inline uint32_t assert_told(const char *words) {
    struct event event;
    while (events_take(&seg_log.events, &event, 0) == 1) {
        if (strstr(event.text, words) != NULL)
            return event.severity;
    }
    fail_msg("\"%s\" was not told", words);
    return EVENT_INFO;
}

static inline void assert_error_says(const char *words) {
    if (strstr(error_text(), words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error_text());
}

#endif
