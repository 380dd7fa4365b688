/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream does for those who roll its files (struct rolling_host). */
#ifndef BURST_LOG_STREAM_ROLLING_H
#define BURST_LOG_STREAM_ROLLING_H

#include "log/log.h"
#include "rolling/rolling.h"

/* As rolling_create, of what the caller has given. */
int stream_rolling_create(const char *ring, const char *file, const burst_rolling_t *given, uint64_t max_record_bytes,
                          struct rolling **rolling);

/* The stream, opened just now, takes records from here on, which may roll its file. If nobody rolls it: nothing. */
void stream_rolling_begin(burst_stream_t *stream);

#endif
