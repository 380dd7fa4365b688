/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drain: moves durable records from the ring to the log file and releases their space.
 *
 * DESIGN. The cursor runs ahead of `synced`, the state of the newest checkpoint:
 *
 *     released <= synced <= cursor <= durable
 *
 * Bytes between the two are in the file but may be lost by a crash; the redo then writes the same bytes to the same
 * offsets. A change of file (others renamed, cut or extended it; a sync failed) starts the new file at the cursor or at
 * `synced`, and both checkpoint slots name it before it gets a byte, so that no crash can lead back to the old one. Which
 * file that is: next_file.c.
 * Released is the lower position of the two slots: if the newer slot rots, the older still finds all its records.
 *
 * One thread at a time calls these functions; drained_sequence and stalled may be read by any.
 */
#ifndef BURST_DRAIN_DRAIN_H
#define BURST_DRAIN_DRAIN_H

#include "base/events.h"
#include "drain/cursor.h"
#include "drain/destination.h"
#include "ledger/ledger.h"

#ifndef DRAIN_BATCH_BYTES
#define DRAIN_BATCH_BYTES (1024u * 1024u)
#endif
#define DRAIN_SYNC_AFTER_NS 2000000000ll

/* Which file takes the next byte, while none is open. */
enum drain_next_file {
    NEXT_FILE_SAME_NAME, /* a new one in the place of one that others took away */
    NEXT_FILE_DIVERTED,  /* another one than that which was left */
    NEXT_FILE_SAME,      /* the one of the newest checkpoint, once its file system is there again */
};

struct drain {
    const struct platform *platform;
    struct device *device;
    struct ring *ring;
    struct events *events;
    struct log_source source;
    struct destination destination;
    struct batch batch;
    struct cursor cursor;
    struct cursor batch_from; /* where the batch begins */
    struct cursor synced;
    struct ledger *ledger;
    struct stream_state stream; /* as the newest checkpoint has it, or the next one will */
    enum drain_next_file next_file;
    struct cursor next_from;
    int64_t unsynced_since_ns; /* when the cursor left `synced` */
    int failure_noted;
    int name_lost;              /* the ring is not under its name, and that is told */
    uint64_t stalled_at;        /* W when the drain last stalled */
    uint64_t watermark_noted;   /* and the one it noted then */
    _Atomic int64_t give_up_ns; /* no further batch is begun after this moment (close) */
    int last_error;             /* of the stall that was told, or 0 */
    int64_t stalled_since_ns;
    int64_t stall_told_ns;
    int64_t failure_told_ns; /* 0: the ring has not failed */
    int64_t failed_since_ns;
    char stalled_path[LAYOUT_FILE_NAME_BYTES]; /* the file that it was told of */
    int destination_was_empty;
    struct event_count drained; /* drained_sequence has moved, or cannot move */
    _Atomic uint64_t drained_sequence;
    _Atomic uint32_t
        failed_checkpoints; /* checkpoints in a row that the medium of the ring, failed by the first, did not take */
    _Atomic uint64_t file_bytes;
    _Atomic int stalled;
    pthread_mutex_t path_lock; /* of current_path, which any thread may ask for */
    char current_path[LAYOUT_FILE_NAME_BYTES];
};

struct drain_parts {
    const struct platform *platform;
    struct device *device;
    struct ring *ring;
    struct events *events;
    const struct files *files;
    const struct record_format *record_format;
    const struct recovery *recovery; /* stays alive as long as the drain */
    struct ledger *ledger;           /* so does this; its two checkpoint slots say the same */
    const char *file_name;           /* absolute; NULL: whatever the ring is bound to */
    struct new_file how;
    uint32_t untrusted_ring_owner; /* not 0: user who may have made up what is in the ring; no file that it names is
                                             touched but file_name */
};

/*
 * Binds the drain to its log file: finds the file of the newest checkpoint again (also renamed), checks that a redo
 * would not change foreign bytes, or takes a new one. If the ring is bound to another file name its records go there
 * first. The marker of this epoch is durable already. 0, or -errno with a sentence if the file cannot be used.
 */
int drain_open(const struct drain_parts *parts, struct drain **drain);

/*
 * One step: writes what is durable to the file; syncs and checkpoints when it is time, or at once if `sync` is set.
 * Returns 1 if anything was written, 0 if there was nothing to do, or -errno if the file cannot be written now.
 */
int drain_work(struct drain *drain, int sync);

/* Whether everything durable in the ring is durable in the file. */
int drain_is_done(const struct drain *drain);

/* The log file being written, absolute. Any thread. */
void drain_copy_path(struct drain *drain, char *path, size_t path_bytes);

/* Closes the file. The last checkpoint stands. */
void drain_close(struct drain *drain);

/* ---- inside the drain ---- */

/* Makes the name of the open file visible to drain_copy_path. */
void drain_publish_path(struct drain *drain);

/* Writes the state of `cursor`, which is durable in the file, into the older slot and releases what both slots allow.
 * 0 or -errno; the ring has failed then. */
int checkpoint_write(struct drain *drain);

/* Notes the watermark in the ring, and, if that has failed, how far its writes may have reached. 0 or -errno; the ring has
 * failed then. */
int drain_note_writer(struct drain *drain);

/* Syncs the file and checkpoints. A sync that failed is never repeated: the file is cut to the last checkpoint and its
 * records go to a new one. 0 or -errno. */
int drain_sync(struct drain *drain);

/* Lets go of the file; the next one begins with the record at `from`. */
void drain_leave_file(struct drain *drain, enum drain_next_file next, const struct cursor *from);

/* Finds the file of the newest checkpoint again. 0 with it open, or with none open and the next one decided; -errno, and
 * destination.unreadable_candidate names what may be the file and cannot be looked at now, or is "". */
int drain_find_again(struct drain *drain);

/* Notes where the open file is and what it is known by, also for the next open of the ring. 0, or -errno if that cannot be
 * said now: then it must not get a byte. */
int drain_note_place(struct drain *drain);

/* What the file of the newest checkpoint is known by. */
struct file_mark drain_noted_mark(const struct drain *drain);

/* Whether the file, which is not found under the path, is missing there because its file system is not mounted. */
int drain_is_unmounted(const struct drain *drain, const char *path);

/* Opens the next file if none is open. 0 or -errno (-DESTINATION_UNMOUNTED_ERROR: it would be hidden by a mount). */
int drain_begin_file(struct drain *drain);

/*
 * The ring is opened, and its log is diverted: brings the diverted file up to date and lets the log go back to the
 * configured file, or tells where the records go and why. 0, or -errno if the ring has failed.
 */
int drain_end_diversion(struct drain *drain);

/* The open file, all of which is durable and noted: if it is a diverted one that others gave the configured name, it is the
 * configured file from now on. 1 if so, 0, or -errno if the ring has failed. */
int drain_take_name(struct drain *drain);

/* Deals with what others did to the file before the next batch is begun, or before one that stalled is continued.
 * 1: nothing; 0: it was left; -errno. */
int drain_check_file(struct drain *drain);

#endif
