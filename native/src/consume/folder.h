/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a folder of segments, as far as names and sizes tell. */
#ifndef BURST_CONSUME_FOLDER_H
#define BURST_CONSUME_FOLDER_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

/* A folder below the open one, or "." itself. NULL: errno says why. */
DIR *folder_list(int folder, const char *name);

/* The next entry; NULL: there is none, or *rc is -errno. What was listed then is not all that there is. */
const struct dirent *folder_next(DIR *entries, int *rc);

struct segment_facts {
    uint64_t first_number;
    uint64_t bytes;
    int64_t changed_ns; /* CLOCK_REALTIME, of the last write */
};

struct segment_list {
    struct segment_facts *segments; /* the oldest one first */
    size_t count, room;
};

/* The segments of the open folder. 0 or -errno. */
int folder_segments(int folder, struct segment_list *list);

void segment_list_free(struct segment_list *list);

#define CONSUMER_NAME_BYTES 256u /* with the terminator, of any file */

struct consumer_facts {
    char name[CONSUMER_NAME_BYTES];
    uint64_t next_number; /* of the first frame that it has not acknowledged; 0: it has acknowledged nothing */
    int64_t acknowledged_ns;
    int trouble; /* 0, or what position_look returned: nobody knows what it has acknowledged */
};

struct consumer_list {
    struct consumer_facts *consumers; /* by name */
    size_t count, room;
};

/* No consumer can have its position in it: it is a folder, a FIFO, a socket or a device. */
int consumer_is_stranger(const struct consumer_facts *facts);

/*
 * What is in the folder of positions of the open folder, which has that uuid: all that a consumer may have put there, and strangers.
 * 0 or -errno.
 */
int folder_consumers(int folder, const uint8_t folder_uuid[16], struct consumer_list *list);

/* What folder_consumers said of each of them is durable. 0 or -errno. */
int folder_sync_consumers(int folder, const struct consumer_list *list);

void consumer_list_free(struct consumer_list *list);

#endif
