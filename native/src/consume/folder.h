/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a folder of segments, as far as names and sizes tell. */
#ifndef BURST_CONSUME_FOLDER_H
#define BURST_CONSUME_FOLDER_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a folder below the open one, or "." itself, for listing. Returns NULL with errno after an error. */
DIR *folder_list(int folder, const char *name);

/* The next entry. Returns NULL at the end, or after an error with *rc set to -errno: then the list is not complete. */
const struct dirent *folder_next(DIR *entries, int *rc);

struct segment_facts {
    uint64_t first_number;
    uint64_t bytes;
    int64_t changed_ns; /* CLOCK_REALTIME of the last write */
};

struct segment_list {
    struct segment_facts *segments; /* the oldest one comes first */
    size_t count, room;
};

/* Lists the segments of the open folder. Returns 0 or -errno. */
int folder_segments(int folder, struct segment_list *list);

void segment_list_free(struct segment_list *list);

#define CONSUMER_NAME_BYTES 256u /* longest name of any file, with the terminator */

struct consumer_facts {
    char name[CONSUMER_NAME_BYTES];
    uint64_t next_number; /* number of the first frame that it has not acknowledged; 0: it has acknowledged none */
    int64_t acknowledged_ns;
    int trouble; /* 0, or what position_look returned: nobody knows how far the consumer is */
};

struct consumer_list {
    struct consumer_facts *consumers; /* sorted by name */
    size_t count, room;
};

/* Whether the entry can be no consumer's position, since it is a folder, a FIFO, a socket or a device. */
int consumer_is_stranger(const struct consumer_facts *facts);

/*
 * Lists the folder of positions of the open folder, which has that uuid: all files that a consumer may have made, and
 * strangers. Returns 0 or -errno.
 */
int folder_consumers(int folder, const uint8_t folder_uuid[16], struct consumer_list *list);

/* Makes the positions durable that folder_consumers found. Returns 0 or -errno. */
int folder_sync_consumers(int folder, const struct consumer_list *list);

void consumer_list_free(struct consumer_list *list);

#endif
