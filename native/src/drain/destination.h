/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log file the drain writes: one open file, how far it is written, and whether it is still ours. Writes only at
 * its own end (redo by offset), never appends blindly, never overwrites bytes that are not its own.
 */
#ifndef BURST_DRAIN_DESTINATION_H
#define BURST_DRAIN_DESTINATION_H

#include "media/layout.h"
#include "sink/files.h"

#define DESTINATION_CLOSED (-1)

struct destination {
    const struct files *files;
    struct new_file how;
    int file;
    char path[LAYOUT_FILE_NAME_BYTES];
    uint64_t length;     /* bytes of it that are the log's: the next write goes here */
    uint64_t redo_until; /* bytes below it were in the file when it was opened: a redo must find them equal or zero */
    uint32_t tail_bytes;
    uint8_t tail[CHECKPOINT_TAIL_BYTES]; /* the last tail_bytes before length */
};

enum destination_state {
    DESTINATION_OURS,
    DESTINATION_DELETED,
    DESTINATION_RENAMED,   /* another file, or none, has the name now; ours lives on */
    DESTINATION_EXTENDED,  /* somebody wrote behind our end */
    DESTINATION_TRUNCATED, /* somebody cut it */
    DESTINATION_CUT_OFF,   /* its file system has died under it: what is open stays dead, also when that is back */
};

/* Opens the existing file and takes everything in it as written before. 0 or -errno. */
int destination_open_to_continue(struct destination *destination, const char *path);

/* Opens the existing file if it is the one whose first `length` bytes end in a tail with this CRC: -ESTALE if not. */
int destination_open_to_redo(struct destination *destination, const char *path, uint64_t length, uint32_t tail_bytes,
                             uint32_t tail_crc);

/* Looks for such a file beside `path` (renamed by a rotation) and opens it; destination->path is `path`, so that the
 * rename is noticed when the redo is over. -ESTALE if there is none. */
int destination_find_renamed(struct destination *destination, const char *path, uint64_t length, uint32_t tail_bytes,
                             uint32_t tail_crc);

/* Creates the file and makes its name durable; an existing empty one is as good. -EEXIST if it has bytes. */
int destination_create(struct destination *destination, const char *path);

enum destination_state destination_look(const struct destination *destination);

/* 1 if the bytes that are in the file at offset.. are equal to these or zero, as far as it reaches; 0 if not, or
 * -errno. */
int destination_matches(const struct destination *destination, const void *data, size_t bytes, uint64_t offset);

/* Writes at the end. Returns the bytes written (maybe fewer) or -errno. */
int64_t destination_write(struct destination *destination, const void *data, size_t bytes);

int destination_sync(struct destination *destination);

/* Cuts the file to `bytes` and makes the cut durable: a crash must not bring back what is about to be written
 * elsewhere. What a sync said that failed before does not matter here: the bytes in question are gone. */
int destination_cut(struct destination *destination, uint64_t bytes);

void destination_close(struct destination *destination);

/* CRC32C of the tail. */
uint32_t destination_tail_crc(const struct destination *destination);

#endif
