/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the open streams of a log use: no pattern of rolled files makes that of another stream's log file, which would be
 * deleted as an old one. */
#ifndef BURST_LOG_STREAM_NAMES_H
#define BURST_LOG_STREAM_NAMES_H

#include "log/log.h"

/* Before the stream gets a file. `rolling`: NULL if nobody rolls it unasked. 0, or -errno with a sentence: an open stream has the
 * file that the pattern makes, or the pattern that makes the file. Any thread. */
int stream_names_take(burst_t *log, burst_stream_t *stream, const char *file, const struct rolling *rolling);

/* Of a stream whose file nobody writes any more, or that has taken none. */
void stream_names_let_go(burst_stream_t *stream);

#endif
