/* SPDX-License-Identifier: Apache-2.0 */
/* The segments of a stream: their configuration, and the thread burst-segments, which deletes those that nobody needs
 * any more. */
#ifndef BURST_LOG_SEGMENTS_H
#define BURST_LOG_SEGMENTS_H

#include "base/limit.h"
#include "base/path.h"
#include "burstlog.h"
#include "consume/retention.h"

struct checked_segments {
    char folder[BURST_PATH_BYTES]; /* absolute path; "": none */
    uint64_t segment_bytes;        /* 0: the default */
    struct retention_limits limits;
};

/* Checks the segments of a stream, for the ring at this path. Returns 0, or -errno with a sentence if a value cannot be
 * used. */
int segments_check(const char *ring, const burst_stream_config_t *config, struct checked_segments *segments);

/* Prepares the retention of a stream that is being opened. *retention is NULL if it has no segments. Returns 0, or
 * -ENOMEM with a sentence. */
int segments_prepare(burst_t *log, const struct checked_segments *segments, struct retention **retention);

/* The stream is open: a thread looks after its segments from now on. This starts it for the first such stream. If it
 * cannot be started, an event says so. */
void segments_begin(burst_stream_t *stream);

/* Asks the thread to end soon, or waits for its end within the limit. */
void segments_stop(burst_t *log);
void segments_await_end(burst_t *log, struct limit *limit);

#endif
