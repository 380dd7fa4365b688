/* SPDX-License-Identifier: Apache-2.0 */
/* The files of two streams, of which the first may roll: their lines are records, each once, in the order of their numbers. */
#ifndef BURST_TEST_DRAINS_FILES_H
#define BURST_TEST_DRAINS_FILES_H

#include "harness/readers/pair.h"

#define NUMBERS_MOST (1u << 22)
#define STREAMS 2u

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

static inline int check_streams(const struct numbers *numbers, struct found found[STREAMS]) {
    static uint8_t seen[NUMBERS_MOST];
    memset(seen, 0, sizeof seen);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        if (!check_stream(stream, &found[stream], seen)) {
            return 0;
        }
    }
    for (uint64_t number = 1; number < atomic_load(&numbers->next); number++) {
        const uint8_t noted = atomic_load(&numbers->noted[number]);
        if (noted != 0 && noted != seen[number]) {
            found[0].first_missing = found[0].missing++ == 0 ? number : found[0].first_missing;
        }
    }
    return 1;
}

#endif
