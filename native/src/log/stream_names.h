/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the open streams of a log use. No pattern of rolled files may make the name of another stream's log
 * file: it would be deleted as an old rolled file. */
#ifndef BURST_LOG_STREAM_NAMES_H
#define BURST_LOG_STREAM_NAMES_H

#include "log/log.h"

/* Comes before the stream gets a file. rolling: NULL if the stream does not roll by itself. Returns 0, or -errno with a
 * sentence: an open stream has a file that the pattern makes, or a pattern that makes the file. Any thread may call
 * this. */
int stream_names_take(burst_t *log, burst_stream_t *stream, const char *file, const struct rolling *rolling);

/* Gives the names back, when no thread writes the stream's file any more, or if it took none. */
void stream_names_let_go(burst_stream_t *stream);

#endif
