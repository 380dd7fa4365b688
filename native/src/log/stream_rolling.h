/* SPDX-License-Identifier: Apache-2.0 */
/* The stream as the host of its rolling (struct rolling_host). */
#ifndef BURST_LOG_STREAM_ROLLING_H
#define BURST_LOG_STREAM_ROLLING_H

#include "log/log.h"
#include "rolling/rolling.h"

/* As rolling_create, with the values that the caller has given. */
int stream_rolling_create(const char *ring, const char *file, const burst_rolling_t *given, uint64_t max_record_bytes,
                          struct rolling **rolling);

/* The stream was opened just now: its records may roll its file from here on. If the engine does not roll it: nothing. */
void stream_rolling_begin(burst_stream_t *stream);

#endif
