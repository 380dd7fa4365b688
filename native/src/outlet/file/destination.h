/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log file that is written: one open file, how far it is written, and whether it is still ours. Writes only at
 * its own end (redo by offset), never appends blindly, never overwrites bytes that are not its own.
 */
#ifndef BURST_OUTLET_DESTINATION_H
#define BURST_OUTLET_DESTINATION_H

#include <errno.h>

#include "media/checkpoint.h"
#include "outlet/file/fs.h"

#define DESTINATION_CLOSED (-1)
#define DESTINATION_UNMOUNTED_ERROR ENOMEDIUM /* of no file operation: the file system of the log file is not there */
#define DESTINATION_IS_RING (-65537)          /* nor this: what is there is a ring */
#define DESTINATION_NOT_OURS (-65536)         /* no errno: another file than the one the checkpoint speaks of */

struct destination {
    const struct files *files;
    struct new_file new_file;
    int file;
    char path[LAYOUT_FILE_NAME_BYTES];
    uint64_t length;     /* bytes of it that are the log's: the next write goes here */
    uint64_t redo_until; /* bytes below it were in the file when it was opened: a redo must find them equal or zero */
    uint32_t tail_bytes;
    uint8_t tail[CHECKPOINT_TAIL_BYTES]; /* the last tail_bytes before length */
    uint64_t before_length;              /* length and tail before the newest write */
    uint32_t before_bytes;
    uint8_t before[CHECKPOINT_TAIL_BYTES];
    char unreadable_candidate
        [LAYOUT_FILE_NAME_BYTES]; /* what the last search could not look at though it may be the file; or "" */
    int unreadable_candidate_error;
    int waits_for_lock;               /* a search does not pass over what seems to be the file because others hold it */
    struct mount_identity mounted_on; /* of the file that was opened last */
};

enum destination_state {
    DESTINATION_OURS,
    DESTINATION_DELETED,
    DESTINATION_RENAMED,   /* another file, or none, has the name now; ours lives on */
    DESTINATION_EXTENDED,  /* somebody wrote behind its end */
    DESTINATION_TRUNCATED, /* somebody cut it */
    DESTINATION_CHANGED,   /* other bytes stand before our end, or zeros: cut and grown again, or edited */
    DESTINATION_CUT_OFF,   /* its file system has died under it: what is open stays dead, also when that is back */
    DESTINATION_UNMOUNTED, /* ours lives on, on a file system that its path does not lead to any more */
};

/* Opens the existing file and takes everything in it as written before. 0 or -errno. */
int destination_open_to_continue(struct destination *destination, const char *path);

/* The same, or creates it. What is in it counts as durable from now on. 0 or -errno. */
int destination_continue(struct destination *destination, const char *path);

/* Whether the file under the name is the one noted: an enum file_match, or -errno. Nothing is opened. */
int destination_compare(const struct destination *destination, const char *path, const struct file_mark *noted);

/* Opens the existing file if its first state->length end in the tail that is noted there. 0, DESTINATION_NOT_OURS or
 * -errno. */
int destination_open_to_redo(struct destination *destination, const char *path, const struct outlet_state *state);

/*
 * Looks for the noted file in the folder that `path` leads to and opens it, if it is whole up to state->length: 1 if it
 * was renamed (by a rotation), 0 if it has its name, which was hidden for a moment. destination->path is `path`, so that a
 * rename is noticed when the redo is over. No other file is opened. DESTINATION_NOT_OURS if it is not there or nothing is
 * noted; -errno if something that may be it cannot be looked at now. Either way destination->unreadable_candidate may name one.
 */
int destination_find_renamed(struct destination *destination, const char *path, const struct outlet_state *state,
                             const struct file_mark *noted);

/* Creates the file and makes its name durable; an existing empty one is as good. -EEXIST if it has bytes. */
int destination_create(struct destination *destination, const char *path);

/* The same; that it is empty is durable: others may have cut it, and no crash may bring back what stood there before. */
int destination_open_free(struct destination *destination, const char *path);

/* Notes what the open file is mounted on. */
void destination_note_mount(struct destination *destination);

/* 1: its folder is on another file system than when that was noted; 0: it is not, or that is not known, or an
 * empty file in its place says that this is meant; -errno. */
int destination_is_unmounted_now(const struct destination *destination);

/* The size that the file must have: while a redo is under way it is longer than what the log has of it. */
static inline uint64_t destination_end(const struct destination *destination) {
    return destination->length < destination->redo_until ? destination->redo_until : destination->length;
}

/*
 * What others did to the file until this moment. A cut is seen by the size or, where the file has grown again since (also
 * by our own write), by the bytes at our end and at the end before the newest write. Not seen: what others write behind
 * our end between this look and the next write, which overwrites it; an edit elsewhere in the file.
 */
enum destination_state destination_look(const struct destination *destination);

enum destination_match {
    MATCH_NONE,  /* other bytes */
    MATCH_BLANK, /* zeros, or nothing */
    MATCH_EQUAL, /* the same bytes; zeros between them, which a crash can leave */
};

/* How the bytes that are in the file at offset.. compare with these, as far as it reaches; or -errno. */
int destination_matches(const struct destination *destination, const void *data, size_t bytes, uint64_t offset);

/* Writes at the end. Returns the bytes written (maybe fewer) or -errno. */
int64_t destination_write(struct destination *destination, const void *data, size_t bytes);

int destination_sync(struct destination *destination);

/* Cuts the file to at most `bytes` and makes the cut durable: a crash must not bring back what is about to be written
 * elsewhere. What a sync said that failed before does not matter here: the bytes in question are gone. */
int destination_cut(struct destination *destination, uint64_t bytes);

void destination_close(struct destination *destination);

/* CRC32C of the tail. */
uint32_t destination_tail_crc(const struct destination *destination);

#endif
