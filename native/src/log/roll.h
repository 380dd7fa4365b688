/* SPDX-License-Identifier: Apache-2.0 */
/* Appending a roll. */
#ifndef BURST_LOG_ROLL_H
#define BURST_LOG_ROLL_H

#include "log/log.h"
#include "rolling/rolling.h"

/* Enqueues a roll that nobody asked for. Returns its sequence, or a value <= 0. */
int64_t roll_enqueue(burst_stream_t *stream, const struct rolling_roll *files, int64_t time_ns,
                     const struct ring_rule *rule);

/* Makes the given path absolute in `path`, "" for none. Returns 0, or -errno with a sentence if the `what` of a roll cannot
 * have this path. A next file must also pass the checks of every log file. */
int roll_check_path(const burst_stream_t *stream, const char *what, const char *given, char *path);
int roll_check_next(const burst_stream_t *stream, const char *given, char *path);

#endif
