/* SPDX-License-Identifier: Apache-2.0 */
/* The window of an open log: its memory, its door, and what the operator is told of them. */
#ifndef BURST_LOG_WINDOW_H
#define BURST_LOG_WINDOW_H

#include "log/config.h"
#include "log/log.h"

/* Prepares the memory, if the configuration wants a window; the engine then makes it. Returns 0, or -errno with a
 * sentence if the folder cannot have a socket. */
int log_window_prepare(burst_t *log, const struct checked_config *checked);

/* Makes other memory, since the engine could not open the ring and is to try again. */
void log_window_renew(burst_t *log, const struct checked_config *checked);

/* For the engine; NULL: no window is wanted. */
struct window_maker *log_window_maker(burst_t *log, const struct checked_config *checked);

/* Opens the door of the window that the engine has made. A host that forbids a part of it costs the window and no more:
 * an event tells that. */
void log_window_open(burst_t *log, const struct checked_config *checked);

/* Starts the flight recorder, if the configuration wants a window. */
void log_window_record(burst_t *log, const struct checked_config *checked);

/* Closes the door. Waits for no reader, and a second for one that holds the door up. */
void log_window_close(burst_t *log);

/* Lets go of the memory. The ring writes no more. */
void log_window_free(burst_t *log);

#endif
