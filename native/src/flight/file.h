/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder's file: its writer's side, and reading all of it. Layout: media/flight.h. */
#ifndef BURST_FLIGHT_FILE_H
#define BURST_FLIGHT_FILE_H

#include "media/flight.h"

#define FLIGHT_SUFFIX ".flight"

struct flight_file {
    int fd; /* -1: not open */
    uint32_t id;
    uint64_t next_line; /* numbers */
    uint64_t next_event;
};

struct flight_wanted {
    const char *path;
    const char *ring;    /* its path, for the head */
    const uint8_t *uuid; /* of the ring, 16 bytes */
    uint32_t mode;       /* permission bits of a new file */
    int64_t now_ns;      /* CLOCK_REALTIME */
    uint32_t id;         /* random, for a new file */
};

/* Opens the file, and locks it against other writers; or makes it. A recorder's file that cannot go on (of another ring or
 * version, or damaged) begins anew, and *began_anew is 1. Anything else at the path stays untouched. Returns 0; -EBUSY if
 * another process writes it; or -errno; each with a sentence. After an error no file that it made is left. */
int flight_file_open(struct flight_file *file, const struct flight_wanted *wanted, int *began_anew);

/* Number the line or event, seal and write it. Return 0 or -errno. */
int flight_file_put_line(struct flight_file *file, struct flight_line *line);
int flight_file_put_event(struct flight_file *file, struct flight_event *event);

void flight_file_close(struct flight_file *file);

/* All that a file holds, in order of its numbers. */
struct flight_log {
    struct flight_head head;
    struct flight_line *lines;
    size_t line_count;
    struct flight_event *events;
    size_t event_count;
};

/* Reads a file, also while it is written; what is torn is left out. Returns 0, or -errno with a sentence. The caller calls
 * flight_log_free after either. */
int flight_log_read(const char *path, struct flight_log *log);
void flight_log_free(struct flight_log *log);

#endif
