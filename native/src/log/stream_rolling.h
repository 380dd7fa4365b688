/* SPDX-License-Identifier: Apache-2.0 */
/* The stream as the host of its rolling (struct rolling_host). */
#ifndef BURST_LOG_STREAM_ROLLING_H
#define BURST_LOG_STREAM_ROLLING_H

#include "log/log.h"
#include "rolling/rolling.h"

/* Makes the rolling of a stream from the caller's values; otherwise like rolling_create. */
int stream_rolling_create(const char *ring, const char *file, const burst_rolling_t *given, uint64_t max_record_bytes,
                          struct rolling **rolling);

/* The stream has just been opened: its records may roll its file from now on. Does nothing if the engine does not roll
 * it. */
void stream_rolling_begin(burst_stream_t *stream);

#endif
