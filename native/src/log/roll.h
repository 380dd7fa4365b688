/* SPDX-License-Identifier: Apache-2.0 */
/* Appending a roll. */
#ifndef BURST_LOG_ROLL_H
#define BURST_LOG_ROLL_H

#include "log/log.h"
#include "rolling/rolling.h"

/* Enqueues a roll that nobody has asked for. > 0: its sequence. */
int64_t roll_enqueue(burst_stream_t *stream, const struct rolling_roll *files, int64_t time_ns,
                     const struct ring_rule *rule);

/* `path` gets the given one as an absolute path, or "" for none. 0, or -errno with a sentence: the `what` of a roll cannot be this
 * path; nor can the next file be, which is a log file as any other. */
int roll_check_path(const burst_stream_t *stream, const char *what, const char *given, char *path);
int roll_check_next(const burst_stream_t *stream, const char *given, char *path);

#endif
