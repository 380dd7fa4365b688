/* SPDX-License-Identifier: Apache-2.0 */
/* A stream whose records also go to a folder of segments, and a reader of that folder. */
#ifndef BURST_TEST_LOG_SEGMENTS_FIXTURE_H
#define BURST_TEST_LOG_SEGMENTS_FIXTURE_H

#include "base/crc32c.h"
#include "media/record.h"
#include "media/segment.h"
#include "streams_fixture.h"

#define MOST_FRAMES 20000

static char segments[200], other[200];

static inline int make_places(void **state) {
    make_paths(state);
    snprintf(segments, sizeof segments, "%s/segments/orders", folder);
    snprintf(other, sizeof other, "%s/segments/other", folder);
    return 0;
}

static inline burst_stream_t *open_followed(burst_t *log, const char *to) {
    burst_stream_config_t config = stream_config("orders", paths[0]);
    config.segments = to;
    config.segment_bytes = 65536;
    burst_stream_t *stream = NULL;
    if (burst_stream_open(log, &config, &stream) < 0) {
        fail_msg("stream: %s", burst_last_error());
    }
    return stream;
}

struct frames {
    size_t count, segments;
    uint64_t sequences[MOST_FRAMES];
    char first_bytes[MOST_FRAMES][24];
};

/* Reads the folder as a consumer does. */
static inline const struct frames *read_segments(const char *from) {
    static struct frames frames;
    static uint8_t bytes[4u << 20];
    uint64_t number = 1;
    memset(&frames, 0, sizeof frames);
    for (;;) {
        char path[300], name[SEGMENT_NAME_BYTES];
        segment_name(name, number);
        snprintf(path, sizeof path, "%s/%s", from, name);
        FILE *file = fopen(path, "r");
        const size_t count = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
        if (file != NULL) {
            fclose(file);
        }
        const struct segment_header *header = (const struct segment_header *)bytes;
        const uint64_t first = number;
        size_t at = sizeof *header;
        while (count > at &&
               segment_frame_judge(bytes + at, count - at, crc_seed_of(header->ring_uuid)) == FRAME_WHOLE) {
            const struct record_header *record = (const struct record_header *)(bytes + at);
            assert_true(frames.count < MOST_FRAMES);
            frames.sequences[frames.count] = record->sequence;
            memcpy(frames.first_bytes[frames.count++], record + 1, record->length < 23 ? record->length : 23);
            at += record_bytes(record->length);
            number++;
        }
        if (number == first) {
            return &frames;
        }
        frames.segments++;
    }
}

/* The folder ends with "<prefix><from>" to "<prefix><to>", each once, in order. */
static inline void assert_texts(const char *folder_of, const char *prefix, unsigned from, unsigned to) {
    const struct frames *frames = read_segments(folder_of);
    assert_true(frames->count >= to - from + 1);
    for (unsigned i = from; i <= to; i++) {
        char wanted[24];
        snprintf(wanted, sizeof wanted, "%s%u", prefix, i);
        assert_string_equal(frames->first_bytes[frames->count - (to - from + 1) + (i - from)], wanted);
    }
}

static inline void append_texts(burst_stream_t *stream, const char *prefix, unsigned from, unsigned to) {
    for (unsigned i = from; i <= to; i++) {
        char text[24];
        snprintf(text, sizeof text, "%s%u", prefix, i);
        assert_true(burst_stream_enqueue(stream, text, strlen(text), 5) > 0);
    }
    append(stream, "");
}

static inline void drain(burst_t *log) {
    assert_int_equal(burst_await_drained(log, -1), 1);
}

#define PLACES_TEST(name) cmocka_unit_test_setup_teardown(name, make_places, remove_folder)

#endif
