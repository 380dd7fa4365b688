/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_LOG_ROLLING_THREAD_H
#define BURST_LOG_ROLLING_THREAD_H

#include "log/log.h"
#include "log/rolling.h"

/* The thread burst-roll, of a struct rolling. */
void rolling_loop(void *argument);

/* The stream, opened just now, takes records from here on, which may roll its file. NULL: nothing. */
void rolling_begin_stream(struct rolling *rolling, burst_stream_t *stream);

#endif
