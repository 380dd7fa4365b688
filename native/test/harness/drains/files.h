/* SPDX-License-Identifier: Apache-2.0 */
/* The files of two streams, of which the first may roll, and has segments, too: their lines are records, each once, in the order
 * of their numbers. */
#ifndef BURST_TEST_DRAINS_FILES_H
#define BURST_TEST_DRAINS_FILES_H

#include "harness/readers/pair.h"

#define NUMBERS_MOST (1u << 22)
#define STREAMS 2u
#define DESTINATIONS (STREAMS + 1) /* the files of each stream, and the segments of the first one */
#define SEGMENTS STREAMS

static char second_path[256];

/* Numbers that a writer has written: 1 + stream, once the append has returned. */
struct numbers {
    _Atomic uint64_t next; /* to be written */
    _Atomic uint8_t noted[NUMBERS_MOST];
};

struct found {
    uint64_t last; /* number */
    uint64_t lines;
    uint64_t missing; /* noted, and not there */
    uint64_t first_missing;
};

/* Goes through one file of the stream. Returns 0 at the first bad line. */
static inline int check_file(const char *path, uint32_t stream, struct found *found, uint8_t *seen) {
    static char line[RECORD_MOST_BYTES + 2];
    uint64_t number;
    uint32_t life;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strchr(line, '\n') == NULL && feof(file)) { /* the drain writes it now; else its number is missing */
            break;
        }
        if (!record_take(line, strlen(line), &number, &life) || number >= NUMBERS_MOST || number <= found->last) {
            VIOLATION("%s has \"%.40s\" behind record %llu", path, line, (unsigned long long)found->last);
            fclose(file);
            return 0;
        }
        found->last = number;
        found->lines++;
        seen[number] = (uint8_t)(1 + stream);
    }
    if (file != NULL) {
        fclose(file);
    }
    return 1;
}

/* Goes through all files of the stream, in their order. */
static inline int check_stream(uint32_t stream, struct found *found, uint8_t *seen) {
    char rolled[sizeof folder + 32];
    struct stat status;
    *found = (struct found){.last = 0};
    for (unsigned index = 1; stream == 0; index++) {
        snprintf(rolled, sizeof rolled, "%s/rolled-%u", folder, index);
        if (stat(rolled, &status) < 0) {
            break;
        }
        if (!check_file(rolled, stream, found, seen)) {
            return 0;
        }
    }
    return check_file(stream == 0 ? file_path : second_path, stream, found, seen);
}

/* Goes through the segments of the first stream. Others may write them meanwhile. */
static inline int check_segments(struct found *found, uint8_t *seen) {
    burst_consumed_t record = {.struct_bytes = sizeof record};
    burst_consumer_t *consumer;
    uint64_t number;
    uint32_t life;
    *found = (struct found){.last = 0};
    if (burst_consumer_open(segments_path, "check", &consumer) < 0) {
        VIOLATION("segments: %s", burst_last_error());
        return 0;
    }
    int is_good = 1;
    while (is_good && burst_consumer_next(consumer, &record, 0) == 1) {
        if (record.kind == BURST_CONSUMED_ROLL) {
            continue;
        }
        is_good = record.kind == BURST_CONSUMED_RECORD && record_take(record.data, record.length, &number, &life) &&
                  number < NUMBERS_MOST && number > found->last;
        if (is_good) {
            found->last = number;
            found->lines++;
            seen[number] = 1;
        } else {
            VIOLATION("frame %llu of the segments, of kind %u, is not the next record behind %llu",
                      (unsigned long long)record.number, record.kind, (unsigned long long)found->last);
        }
    }
    burst_consumer_close(consumer);
    return is_good;
}

static inline void count_missing(const struct numbers *numbers, struct found *found, const uint8_t *seen,
                                 uint8_t least) {
    for (uint64_t number = 1; number < atomic_load(&numbers->next); number++) {
        const uint8_t noted = atomic_load(&numbers->noted[number]);
        if (noted != 0 && noted <= least && noted != seen[number]) {
            found->first_missing = found->missing++ == 0 ? number : found->first_missing;
        }
    }
}

/* found[0] has what is missing in any file, found[SEGMENTS] in the segments. Returns 0 at the first bad line or frame. */
static inline int check_streams(const struct numbers *numbers, struct found found[DESTINATIONS]) {
    static uint8_t in_files[NUMBERS_MOST], in_segments[NUMBERS_MOST];
    memset(in_files, 0, sizeof in_files);
    memset(in_segments, 0, sizeof in_segments);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        if (!check_stream(stream, &found[stream], in_files)) {
            return 0;
        }
    }
    if (!check_segments(&found[SEGMENTS], in_segments)) {
        return 0;
    }
    count_missing(numbers, &found[0], in_files, STREAMS);
    count_missing(numbers, &found[SEGMENTS], in_segments, 1);
    return 1;
}

static inline int are_all_there(const struct found found[DESTINATIONS]) {
    return found[0].missing == 0 && found[SEGMENTS].missing == 0;
}

static inline void tell_missing(const char *when, const struct found found[DESTINATIONS]) {
    static const char *const wheres[DESTINATIONS] = {[0] = "files", [SEGMENTS] = "segments"};
    for (unsigned i = 0; i < DESTINATIONS; i += SEGMENTS) {
        if (found[i].missing > 0) {
            VIOLATION("%s, %llu acknowledged records are missing in the %s, from number %llu on", when,
                      (unsigned long long)found[i].missing, wheres[i], (unsigned long long)found[i].first_missing);
        }
    }
}

/* The number of the last whole line; 0: there is none, or the file was just rolled. */
static inline uint64_t last_number(const char *path) {
    static char end[2 * RECORD_MOST_BYTES];
    uint64_t number = 0;
    uint32_t life;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    const long back = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    fseek(file, back > (long)sizeof end ? back - (long)sizeof end : 0, SEEK_SET);
    const size_t bytes = fread(end, 1, sizeof end, file);
    fclose(file);
    const char *last = memrchr(end, '\n', bytes);
    const char *before = last == NULL ? NULL : memrchr(end, '\n', (size_t)(last - end));
    before = before == NULL ? end : before + 1;
    return last != NULL && record_take(before, (size_t)(last + 1 - before), &number, &life) ? number : 0;
}

#endif
