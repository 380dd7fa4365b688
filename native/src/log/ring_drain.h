/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drain of a ring as a process of its own: docs/drain.md.
 *
 * DESIGN. It waits for the drain's lock, then serves one source after the other, each by a drainer that it makes anew, as an
 * open without recovery does:
 *
 *     the writer's lock is free   the ring is dead: recover it and write a marker under that lock, let go of it, then drain
 *                                 what recovery proved, and sleep until a writer comes
 *     a writer has it             drain its window below its watermark, and serve its requests, until it is gone
 */
#ifndef BURST_LOG_RING_DRAIN_H
#define BURST_LOG_RING_DRAIN_H

#include "base/events.h"

struct ring_drain_config {
    const char *ring;
    const char *window;  /* folder of lock file and window; NULL: beside a ring file, else WINDOW_DEFAULT_FOLDER */
    int64_t interval_ns; /* a durable record reaches its log file within this time; 0: 100 ms */
    /* Absolute paths of files, and of folders below which it may write: a log that asks for another place is refused. The
     * kernel has to keep this list, too: a name may be a link. */
    const char *const *below;
    size_t below_count; /* 0: it may write anywhere */
};

/* Drains the ring until *stop is set. Returns 0 then; or -errno with a sentence if that can never work, -ESTALE if another
 * drain, whose lock is not seen here, has written a checkpoint. It tells what passes by events. */
int ring_drain_run(const struct ring_drain_config *config, struct events *events, const _Atomic uint32_t *stop);

#endif
