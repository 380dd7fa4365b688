/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open log file: how long it is, and whether it is still ours. Writes go only to its own end (redo by offset). They
 * are never blind appends, and never overwrite bytes of others.
 */
#ifndef BURST_OUTLET_DESTINATION_H
#define BURST_OUTLET_DESTINATION_H

#include <errno.h>

#include "media/checkpoint.h"
#include "outlet/file/fs.h"

#define DESTINATION_CLOSED (-1)
/* The file system of the log file is not mounted. No file operation returns this code. */
#define DESTINATION_UNMOUNTED_ERROR ENOMEDIUM
#define DESTINATION_IS_RING (-65537)  /* no errno: the file is a ring */
#define DESTINATION_NOT_OURS (-65536) /* no errno: the file is another one than the checkpoint's */

struct destination {
    const struct files *files;
    struct new_file new_file;
    int file;
    char path[LAYOUT_FILE_NAME_BYTES];
    uint64_t length;     /* bytes of the file that belong to the log; the next write goes here */
    uint64_t redo_until; /* the file's length when it was opened: a redo must find the bytes below it equal or zero */
    uint32_t tail_bytes;
    uint8_t tail[CHECKPOINT_TAIL_BYTES]; /* the last tail_bytes before `length` */
    uint64_t before_length;              /* length and tail before the newest write */
    uint32_t before_bytes;
    uint8_t before[CHECKPOINT_TAIL_BYTES];
    /* A file that may be the noted one, but which the last search could not look at; or "". */
    char unreadable_candidate[LAYOUT_FILE_NAME_BYTES];
    int unreadable_candidate_error;
    /* A search waits for a file that seems to be the noted one and that others hold. */
    int waits_for_lock;
    struct mount_identity mounted_on; /* of the file that was opened last */
};

enum destination_state {
    DESTINATION_OURS,
    DESTINATION_DELETED,
    DESTINATION_RENAMED,   /* another file has the name now, or none has; ours lives on */
    DESTINATION_EXTENDED,  /* others wrote behind its end */
    DESTINATION_TRUNCATED, /* others cut it */
    /* Bytes before our end differ, or are zeros: others cut it and it grew again, or others edited it. */
    DESTINATION_CHANGED,
    /* Its file system died under it: the open file stays dead even when the file system is back. */
    DESTINATION_CUT_OFF,
    DESTINATION_UNMOUNTED, /* ours lives on, but its path now leads to another file system */
};

/* Opens the existing file. Everything in it counts as written before. Returns 0 or -errno. */
int destination_open_to_continue(struct destination *destination, const char *path);

/* Opens the file and continues it, or creates it. Its content counts as durable from now on. Returns 0 or -errno. */
int destination_continue(struct destination *destination, const char *path);

/* Whether the file with this name is the noted one. Returns an enum file_match, or -errno. Opens nothing. */
int destination_compare(const struct destination *destination, const char *path, const struct file_mark *noted);

/* Opens the existing file if its first state->length bytes end in the noted tail. Returns 0, DESTINATION_NOT_OURS or
 * -errno. */
int destination_open_to_redo(struct destination *destination, const char *path, const struct outlet_state *state);

/*
 * Looks for the noted file in the folder of `path`, and opens it if it is whole up to state->length. Opens no other
 * file. destination->path becomes `path`, so that a rename is noticed after the redo.
 *
 * Returns 1 if the file was renamed (by a rotation); 0 if it has its name, which was hidden for a moment;
 * DESTINATION_NOT_OURS if it is not there, or nothing is noted; -errno if something that may be it cannot be looked at
 * now. destination->unreadable_candidate may name such a file in each case.
 */
int destination_find_renamed(struct destination *destination, const char *path, const struct outlet_state *state,
                             const struct file_mark *noted);

/* Creates the file and makes its name durable. An existing empty file will do. Returns -EEXIST if it has bytes. */
int destination_create(struct destination *destination, const char *path);

/* Does what destination_create does, and also makes durable that the file is empty: others may have cut it, and no
 * crash may bring its old bytes back. */
int destination_open_free(struct destination *destination, const char *path);

/* Notes which file system the open file is on. */
void destination_note_mount(struct destination *destination);

/* Returns 1 if the folder is on another file system than the noted one; 0 if not, if nobody knows, or if an empty file
 * in its place says that the log goes on there; or -errno. */
int destination_is_unmounted_now(const struct destination *destination);

/* The size that the file must have. During a redo the file is longer than the log in it. */
static inline uint64_t destination_end(const struct destination *destination) {
    return destination->length < destination->redo_until ? destination->redo_until : destination->length;
}

/*
 * Looks what others have done to the file until now. The size shows a cut. If the file has grown again since, even by
 * our own write, the bytes show it: those before our end, and those before the end of the newest write's predecessor.
 * The look cannot show bytes that others write behind our end before our next write overwrites them, nor edits
 * elsewhere in the file.
 */
enum destination_state destination_look(const struct destination *destination);

enum destination_match {
    MATCH_NONE,  /* other bytes */
    MATCH_BLANK, /* zeros, or nothing */
    MATCH_EQUAL, /* the same bytes, or zeros in between, which a crash can leave */
};

/* Compares the file's bytes from offset on with these, as far as the file reaches. Returns an enum destination_match,
 * or -errno. */
int destination_matches(const struct destination *destination, const void *data, size_t bytes, uint64_t offset);

/* Writes at the end. Returns how many bytes were written, perhaps fewer than given, or -errno. */
int64_t destination_write(struct destination *destination, const void *data, size_t bytes);

int destination_sync(struct destination *destination);

/* Cuts the file to at most `bytes` and makes the cut durable: no crash may bring back bytes that are written elsewhere
 * next. An earlier failed sync does not matter here, since the bytes in question are gone. */
int destination_cut(struct destination *destination, uint64_t bytes);

void destination_close(struct destination *destination);

/* CRC32C of the tail. */
uint32_t destination_tail_crc(const struct destination *destination);

#endif
