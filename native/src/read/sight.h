/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of a ring for its readers: through the window of the log that writes it, or on its medium. A sight is of one
 * epoch; when another epoch begins, the reader makes a new one.
 */
#ifndef BURST_READ_SIGHT_H
#define BURST_READ_SIGHT_H

#include "device/device.h"
#include "media/checkpoint.h"
#include "media/walk.h"

struct sight {
    const struct sight_ops *ops;
    struct walk_shape shape;
    uint32_t crc_seed;
    uint32_t epoch;              /* of the log that it shows */
    const struct walk_gap *gaps; /* in order */
    size_t gap_count;
};

/* A place between two records, with the sequence of the record behind it. */
struct sight_place {
    uint64_t position;
    uint64_t sequence;
    uint32_t epoch; /* of the last record before it, at most */
};

struct sight_ops {
    /* The watermark as far as it can be known now. Returns 0, or -errno with a sentence. */
    int (*watermark)(struct sight *sight, uint64_t *position, uint64_t *sequence);
    /* Bytes that were copied from a position below it may be another record's. */
    uint64_t (*floor)(const struct sight *sight);
    /* Copies bytes of the ring, within one lap. Returns 0, or -errno with a sentence. */
    int (*copy)(struct sight *sight, uint64_t position, void *out, size_t bytes);
    /* The first place that is still there; its sequence is 0 if only the record there has it. Returns 0, or -errno with
     * a sentence. */
    int (*oldest)(struct sight *sight, struct sight_place *place);
    /* A place at or before the record of this sequence, as near as it is known without a walk. */
    void (*near)(struct sight *sight, uint64_t sequence, struct sight_place *place);
    /* Copies the newest checkpoint; `out` has LAYOUT_CHECKPOINT_BYTES. Returns its length, valid, or -errno with a
     * sentence. */
    int (*checkpoint)(struct sight *sight, uint8_t *out);
    /* The bytes at the position are not those of the record that is due there. Looks again. Returns 1 if only another
     * sight can tell more. */
    int (*is_outdated)(struct sight *sight, uint64_t position);
    /* Waits until the watermark may be above the position, or for the time. */
    void (*wait)(struct sight *sight, uint64_t above_position, int64_t timeout_ns);
    void (*close)(struct sight *sight);
};

/* Connects to the window at `path`. wait: enum burst_read_wait. `medium`: where the records are, if the window has no
 * image; NULL: then it is refused. */
int sight_of_window(const struct platform *platform, const char *path, uint32_t wait, struct device *medium,
                    struct sight **sight);

/* Whether the log behind the window was closed, or gives another window now. */
int sight_window_is_over(const struct sight *sight);

/* Whether another epoch may have begun on the medium, or the log may have ended. */
int sight_medium_is_over(const struct sight *sight);

/* Where the log on the medium ends by the newest look, durable or not. */
uint64_t sight_medium_end(const struct sight *sight);

/* Reads all of the medium, and proves its log. Writes nothing. */
int sight_of_medium(const struct platform *platform, struct device *device, struct sight **sight);

#endif
