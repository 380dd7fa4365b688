/* SPDX-License-Identifier: Apache-2.0 */
/* How far a consumer has got, in a file of its own in the folder of segments, which it locks. */
#ifndef BURST_CONSUME_POSITION_H
#define BURST_CONSUME_POSITION_H

#include "media/segment.h"

struct position {
    int file;
    uint8_t folder_uuid[16];
    uint64_t generation;  /* of the newest slot; 0: none was written */
    uint64_t next_number; /* that it says */
    int64_t written_ns;   /* when */
};

/* Opens the file of that name below the open folder, which has that uuid, and makes it if it is not there. 0, 1 if it says nothing
 * yet, or -errno with a sentence. */
int position_open(struct position *position, int folder, const uint8_t folder_uuid[16], const char *name);

/* Opens what has that name in the open folder of positions, where others may have put anything: it waits for nobody and follows no
 * link. The file; -ELOOP: it is a link; -EISDIR, -ENOTSUP: it is no file; another -errno. */
int position_open_file(int positions, const char *name, int flags);

/*
 * What the file of that name in the open folder of positions says, which another process may write meanwhile. 0; -EUCLEAN: it is
 * no position, or damaged, or of another folder; -errno as position_open_file, or of reading. But for 0 it says nothing. Nothing is
 * left open.
 */
int position_look(struct position *position, int positions, const uint8_t folder_uuid[16], const char *name);

/* Says so, durably. 0, or -errno with a sentence: then either may be said. */
int position_write(struct position *position, uint64_t next_number, int64_t now_ns);

void position_close(struct position *position);

#endif
