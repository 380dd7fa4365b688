/* SPDX-License-Identifier: Apache-2.0 */
/* The open log as the host of its tidier: it tidies rolled files of streams that nobody rolls in this process. */
#ifndef BURST_LOG_TIDYING_H
#define BURST_LOG_TIDYING_H

#include "log/log.h"

/* For the engine's parts: a roll was noted. `log` is a burst_t, which may not be open yet. */
void tidying_note(void *log);

/* The log is open. */
void tidying_begin(burst_t *log);

#endif
