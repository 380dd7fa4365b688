/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring, recovery and drain put together on a device, a file system and a platform that are given: everything of an
 * open log but its threads. burstlog.c gives the real ones, the simulator its own.
 */
#ifndef BURST_ENGINE_H
#define BURST_ENGINE_H

#include "drain/drain.h"
#include "media/superblock.h"

struct engine_parts {
    const struct platform *platform;
    struct device *device; /* open as writer; the engine does not close it */
    const struct files *files;
    struct events *events;
    struct stages *stages; /* NULL: no times are taken. Outlives the ring */
};

struct engine_config {
    const char *file_name;     /* absolute; NULL: the one the ring is bound to */
    uint64_t ring_bytes;       /* 0: any. Else the size the ring must have */
    uint64_t max_record_bytes; /* 0: default */
    uint32_t cpus;             /* struct ring_limits */
    struct new_file how;
    uint32_t
        untrusted_ring_owner; /* the ring is of this user, for whom this process must not write where the ring alone says: struct
                          drain_parts. 0: none */
};

/* What is on the device, and the log that it proves. */
struct engine_view {
    struct superblock superblock;
    enum superblock_verdict copies[LAYOUT_SUPERBLOCK_COPIES];
    struct checkpoint checkpoints[LAYOUT_CHECKPOINT_SLOTS];
    int checkpoint_is_valid[LAYOUT_CHECKPOINT_SLOTS];
    unsigned newest_slot;
    uint32_t crc_seed;
    uint64_t unreadable_bytes; /* of the data area */
    struct recovery recovery;
    const uint8_t *image; /* what was recovered from */
    uint8_t *own_image;   /* only of engine_view_open */
};

struct engine {
    struct engine_parts parts;
    struct engine_view view;
    struct ring *ring;
    struct drain *drain;
};

/* Writes an empty ring of ring_bytes (at most the device) to the device: superblocks last. 0 or -errno. */
int engine_format(const struct platform *platform, struct device *device, uint64_t ring_bytes);

/* Recovers, opens a new epoch and binds the log file. 0 with *engine ready for ring_append and drain_work, or -errno
 * with a sentence; then at most a bad superblock copy was repaired and a marker written. */
int engine_open(const struct engine_parts *parts, const struct engine_config *config, struct engine **engine);

/* Frees everything but the parts. Nothing may be under way. */
void engine_close(struct engine *engine);

/* Takes the ring out of the engine, so that engine_close leaves it: late callers may still look at it. */
struct ring *engine_detach_ring(struct engine *engine);

/* Reads superblocks and checkpoints and judges them: enough to know whether this is a ring that can be opened. 0, or
 * -ENODATA, -EUCLEAN, -EPROTO, -EIO with a sentence; then view->copies and, if one of them is valid, view->superblock
 * are filled all the same. */
int engine_view_begin(const struct platform *platform, struct device *device, struct engine_view *view);

/* Reads the data area into `image` and recovers. 0 or -errno with a sentence. */
int engine_view_recover(const struct platform *platform, struct device *device, uint8_t *image,
                        struct engine_view *view);

/* Whether a writer can open what was recovered. 0, or with a sentence -EUCLEAN: its numbers are used up, or -ENOSPC: no
 * block is left for a marker. */
int engine_view_check(const struct device *device, const struct engine_view *view);

/* What recovery was given, of a view with an image; its parts are the view's. */
struct recovery_input engine_view_input(const struct engine_view *view);

/* Both, into memory of its own, changing nothing: also beside a running writer. */
int engine_view_open(const struct platform *platform, struct device *device, struct engine_view **view);

void engine_view_close(const struct platform *platform, struct engine_view *view);

#endif
