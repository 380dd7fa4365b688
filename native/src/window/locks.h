/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks of a ring's writer and of its drain: a file beside the window's socket, three bytes of which are locked. It is of
 * mode 0600, or of 0660 in a folder that two users share.
 *
 * DESIGN. The locks belong to the open file (F_OFD_SETLK): no `close` elsewhere in the process loses them, and the kernel
 * lets go of them when the process dies. No timeout and no pid ever takes one. The guard of a ring file (device/lock.h) is
 * another file: it is locked as a whole, lies beside the ring, and a device has none.
 *
 * Behind the bytes the file has the pid of whoever locked one last, for sentences alone; and how often each was locked: who
 * looks now and then learns of a holder that came and went between two looks.
 *
 * A deleted file still locks out those who have it open. Later ones make another file, and those with the deleted one follow
 * them soon. Until they have, the checkpoint slots alone keep two drains apart (ledger/checkpoints.h).
 *
 * Only one thread at a time may call these functions for one struct, but for locks_holder.
 */
#ifndef BURST_WINDOW_LOCKS_H
#define BURST_WINDOW_LOCKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LOCKS_SUFFIX ".locks" /* the file's name: the ring's uuid as 32 hexadecimal digits, and this */

/* Whether the folder of this file is shared by users of its group: it hands its group down to new files (set-group-ID), the
 * group may write there, and others may not. Then the files of writer and drain are for that group. */
int locks_is_shared(const char *path, gid_t *group);

/* Order: WANTED before DRAIN, WRITER before DRAIN. A holder of DRAIN tries WRITER, and never waits for it. */
enum locks_byte {
    LOCKS_WRITER = 0, /* writes records, notes and markers */
    LOCKS_DRAIN = 1,  /* writes checkpoints and log files */
    LOCKS_WANTED = 2, /* waits for LOCKS_DRAIN: a writer that drains lets go of it soon */
};
#define LOCKS_BYTES 3

struct ring_locks {
    int fd;        /* -1: not open */
    unsigned held; /* a bit for each byte */
    char path[4096];
};

/* The folder of a ring's window and lock file: `given`, else that of a ring file, else WINDOW_DEFAULT_FOLDER. Returns 0, or
 * -errno with a sentence. */
int locks_folder(const char *given, const char *ring, int is_file, char *folder, size_t room);

/* Opens the file of the ring, and makes it if it is missing. Returns 0, or -errno with a sentence if it cannot be opened, or
 * if users besides its owner could. */
int locks_open(struct ring_locks *locks, const char *folder, const uint8_t uuid[16]);

/* The same, but makes no file. Returns -ENOENT without a sentence if there is none, or none in sight of this user. */
int locks_find(struct ring_locks *locks, const char *folder, const uint8_t uuid[16]);

/* If others have deleted the file: opens the one that has its name now, and makes it if there is none. It has no byte yet.
 * Returns 0, or -errno with a sentence. */
int locks_open_named(const struct ring_locks *locks, struct ring_locks *named);

/* Lets go of the deleted file and its bytes; `locks` is from now on what `named` was, under the same descriptor, so that
 * another thread may call locks_holder meanwhile. Closes `named`. Returns 0; or -errno with a sentence: `locks` is as it was. */
int locks_replace(struct ring_locks *locks, struct ring_locks *named);

void locks_close(struct ring_locks *locks);

/* Takes the byte if it is free. Returns 0, -EBUSY without a sentence, or another -errno with one. */
int locks_try(struct ring_locks *locks, enum locks_byte byte);

void locks_let_go(struct ring_locks *locks, enum locks_byte byte);

static inline int locks_has(const struct ring_locks *locks, enum locks_byte byte) {
    return (locks->held >> byte & 1) != 0;
}

/* Takes the locks of writer and drain, for a process that is both. Returns 0, or -errno with a sentence: -EBUSY names who
 * has the drain's. wait_ns: so long it waits for the writer's, which a drain takes while it opens a dead ring. */
int locks_take_both(struct ring_locks *locks, const char *ring, int64_t wait_ns);

/* Waits for the writer's lock, at most wait_ns. Returns 0, or -errno with a sentence. */
int locks_await_writer(struct ring_locks *locks, const char *ring, int64_t wait_ns);

#define LOCKS_WAIT_NS                                                                                                  \
    10000000000 /* a drain that opens a dead ring holds the writer's lock no longer, if it is not stopped */

/* Returns 1 if another open file has the byte, 0 if not, or -errno without a sentence. */
int locks_is_held(const struct ring_locks *locks, enum locks_byte byte);

/* How often the byte was taken since the file was made; 0: never, or that cannot be read. */
uint64_t locks_taken(const struct ring_locks *locks, enum locks_byte byte);

/* Whether the path still leads to the open file. */
int locks_is_named(const struct ring_locks *locks);

/* "process 17", or "a process that cannot be named": who took the byte last. */
void locks_holder(const struct ring_locks *locks, enum locks_byte byte, char *text, size_t room);

#endif
