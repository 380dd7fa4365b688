/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls in the rounds of kills: every few hundred lines of a stream its file ends. A caller performs the rolls of
 * two streams. */
#ifndef BURST_TEST_CRASH_ROLLS_H
#define BURST_TEST_CRASH_ROLLS_H

#include <sys/stat.h>
#include <unistd.h>

#include "burstlog.h"
#include "harness/crash/witness.h"

#define LINES_A_FILE 200

static struct timespec archived[STREAMS_MAX][ROLLS_MAX]; /* the file's time of writing when it was first seen */

static inline void archive_path(const char *folder, int stream, uint64_t number, char *path, size_t room) {
    snprintf(path, room, "%s/old/%d-%llu", folder, stream, (unsigned long long)number);
}

static inline int is_rolled_by_caller(int stream) {
    return (surroundings & ROLLED) && stream % 2 == 1;
}

/* Called by the only thread that counts the rolls of this stream. */
static inline void roll_now(const char *folder, burst_stream_t *stream, int number_of_stream) {
    char footer[64], header[64], target[400];
    burst_roll_t roll;
    const uint64_t number = atomic_load(&witness->rolls[number_of_stream]) + 1;
    if (number >= ROLLS_MAX) {
        return;
    }
    burst_roll_init(&roll);
    archive_path(folder, number_of_stream, number, target, sizeof target);
    roll.footer_bytes =
        (size_t)snprintf(footer, sizeof footer, "<%d %llu\n", number_of_stream, (unsigned long long)number);
    roll.header_bytes =
        (size_t)snprintf(header, sizeof header, ">%d %llu\n", number_of_stream, (unsigned long long)number);
    roll.footer = footer;
    roll.header = header;
    roll.target = target;
    atomic_store(&witness->rolls[number_of_stream], number);
    if (burst_stream_roll(stream, &roll, 0) < 1) {
        fprintf(stderr, "roll: %s\n", burst_last_error());
        abort();
    }
    atomic_store(&witness->is_rolled[number_of_stream][number], 1);
}

/* Renames as the roll asks: 0 or -errno. The target's folder may be missing at first: then it makes the folder. */
static inline int rename_as_asked(const burst_roll_request_t *request) {
    char target_folder[400];
    snprintf(target_folder, sizeof target_folder, "%.*s", (int)(strrchr(request->target, '/') - request->target),
             request->target);
    return (mkdir(target_folder, 0700) < 0 && errno != EEXIST) || rename(request->file, request->target) < 0 ? -errno
                                                                                                             : 0;
}

/* Renames every other file; the engine renames the others. */
static inline void *answer_until_killed(void *argument) {
    burst_stream_t *stream = argument;
    burst_roll_request_t request = {.struct_bytes = sizeof request};
    while (burst_stream_next_roll(stream, &request, -1) == 1) {
        const int renames = request.sequence % 2 == 0 && access(request.target, F_OK) < 0;
        const int rc = renames ? rename_as_asked(&request) : 0;
        if (rc < 0 || burst_stream_rolled(stream, request.sequence, 0, renames ? NULL : request.target, NULL) < 0) {
            fprintf(stderr, "rolled: %d, %s\n", rc, burst_last_error());
            abort();
        }
    }
    return NULL;
}

/* Checks that each file rolled since the last look is whole, and ends with its roll's footer. */
static inline void verify_archives(const char *folder, int stream) {
    char path[400];
    struct stat status;
    const uint64_t last = atomic_load(&witness->rolls[stream]);
    for (uint64_t number = footers[stream] + 1; number <= last; number++) {
        archive_path(folder, stream, number, path, sizeof path);
        if (stat(path, &status) < 0) {
            if (atomic_load(&witness->is_rolled[stream][number])) {
                fail_msg("%s is missing: its roll was durable (surroundings %u)", path, surroundings);
            }
            continue;
        }
        verify_rest(path, stream);
        if (footers[stream] != number || !has_ended[stream]) {
            fail_msg("%s does not end with its footer, but with that of roll %llu (surroundings %u)", path,
                     (unsigned long long)footers[stream], surroundings);
        }
        verified_bytes[stream] = 0;
        archived[stream][number] = status.st_mtim;
        archives++;
    }
}

/* Checks that no file was written after its roll. */
static inline void verify_archives_rest(const char *folder) {
    char path[400];
    struct stat status;
    for (int stream = 0; stream < streams(); stream++) {
        for (uint64_t number = 1; number <= footers[stream]; number++) {
            const struct timespec *then = &archived[stream][number];
            archive_path(folder, stream, number, path, sizeof path);
            if (then->tv_sec != 0 && (stat(path, &status) < 0 || status.st_mtim.tv_sec != then->tv_sec ||
                                      status.st_mtim.tv_nsec != then->tv_nsec)) {
                fail_msg("%s was written after it was rolled, or is gone (surroundings %u)", path, surroundings);
            }
        }
    }
    memset(footers, 0, sizeof footers);
    memset(headers, 0, sizeof headers);
    memset(has_ended, 0, sizeof has_ended);
    memset(archived, 0, sizeof archived);
}

#endif
