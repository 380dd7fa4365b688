/* SPDX-License-Identifier: Apache-2.0 */
/* How far a consumer has got, in a file of its own below the folder of segments. The consumer locks that file. */
#ifndef BURST_CONSUME_POSITION_H
#define BURST_CONSUME_POSITION_H

#include "media/segment.h"

struct position {
    int file;
    uint8_t folder_uuid[16];
    uint64_t generation;  /* generation of the newest slot; 0: no slot was written */
    uint64_t next_number; /* the newest slot's next_number */
    int64_t written_ns;   /* when the newest slot was written */
};

/* Opens the consumer's file of that name below the open folder, which has that uuid; makes it if it is missing. Returns
 * 0, 1 if the file has no position yet, or -errno with a sentence. */
int position_open(struct position *position, int folder, const uint8_t folder_uuid[16], const char *name);

/* Opens a file of that name in the open folder of positions. Others may have put anything there, so it waits for nobody
 * and follows no link. Returns the file, or -errno; -ELOOP: it is a link; -EISDIR, -ENOTSUP: it is no file. */
int position_open_file(int positions, const char *name, int flags);

/*
 * Reads the position in the file of that name in the open folder of positions. Another process may write it meanwhile.
 * Returns 0; -EUCLEAN if the file is damaged, no position or one of another folder; or the -errno of position_open_file
 * or of reading. After an error *position holds nothing. The file is closed again.
 */
int position_look(struct position *position, int positions, const uint8_t folder_uuid[16], const char *name);

/* Writes the position durably. Returns 0, or -errno with a sentence; then the file may hold the old position or the new
 * one. */
int position_write(struct position *position, uint64_t next_number, int64_t now_ns);

void position_close(struct position *position);

#endif
