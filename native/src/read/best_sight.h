/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best sight of a ring that can be had: through the window of the log that writes it, else on its medium.
 *
 * DESIGN. When the sight is over (the log was closed, died, or was opened again) there is a next one, in which the reader
 * goes on at the same place: what was durable is in the next log, or is a told loss. A ring file that no log has open and
 * whose name leads to another file was replaced: the next sight is of that one.
 */
#ifndef BURST_READ_BEST_SIGHT_H
#define BURST_READ_BEST_SIGHT_H

#include "burstlog.h"
#include "read/sight.h"

struct best_sight {
    const struct platform *platform;
    struct sight *sight;
    int is_window;
    struct device *device; /* NULL: only a window's socket was named */
    uint32_t wait;         /* enum burst_read_wait */
    uint32_t crc_seed;     /* of the ring that was opened */
    int64_t renewed_ns;
    char window[BURST_PATH_BYTES]; /* path of the window's socket; "": uses none */
    char how[BURST_TEXT_BYTES];    /* one sentence for people */
};

/* Opens the ring, or the window, at `ring`. window: burst_reader_config_t.window. Returns 0, or -errno with a sentence;
 * the caller calls best_sight_close() in each case. */
int best_sight_open(struct best_sight *best, const struct platform *platform, const char *ring, const char *window,
                    uint32_t wait);

/* Looks for the next sight when this one is over, or a better one; unless at_once is set, only each 100 ms. Returns 1 if
 * the sight is another one now, 0 if not. -EUCLEAN: the log ends before the place, which was durable once. The sight may be
 * another one after any error, and the one before is closed then. */
int best_sight_renew(struct best_sight *best, struct sight_place place, int at_once);

/* Writes the path at which the log of this ring offers its window, into `window`. folder: as window of best_sight_open.
 * Reads the ring's superblock. Returns 0, or -errno with a sentence. */
int best_sight_find_window(const struct platform *platform, struct device *device, const char *folder, char *window,
                           size_t room);

void best_sight_close(struct best_sight *best);

#endif
