/* SPDX-License-Identifier: Apache-2.0 */
/* The segments of a stream: what was configured, and the thread burst-segments, which deletes those that are not needed any more. */
#ifndef BURST_LOG_SEGMENTS_H
#define BURST_LOG_SEGMENTS_H

#include "base/limit.h"
#include "base/path.h"
#include "burstlog.h"
#include "consume/retention.h"

struct checked_segments {
    char folder[BURST_PATH_BYTES]; /* absolute; "": none */
    uint64_t segment_bytes;        /* 0: the default */
    struct retention_limits limits;
};

/* Of a stream of the ring at this path. 0, or -errno with a sentence: a value cannot be used. */
int segments_check(const char *ring, const burst_stream_config_t *config, struct checked_segments *segments);

/* For a stream that is to be opened with them; *retention is NULL if it has none. 0, or -ENOMEM with a sentence. */
int segments_prepare(burst_t *log, const struct checked_segments *segments, struct retention **retention);

/* The stream is open: from now on its segments are looked at, by a thread that this starts. That there is none is told as an event. */
void segments_begin(burst_stream_t *stream);

/* Ends the thread soon; waits for that within the limit. */
void segments_stop(burst_t *log);
void segments_await_end(burst_t *log, struct limit *limit);

#endif
