/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application of a run: it opens its log with drain="external", if nothing else is said, and remembers in the world's model what the log files
 * must hold. Its next act depends on how many records the log has: so it goes on after its death.
 */
#ifndef BURST_TEST_SIMULATOR_APPLICATION_H
#define BURST_TEST_SIMULATOR_APPLICATION_H

#include "harness/simulator/processes/processes.h"

void application_reset(struct world *world);

/* The next opens have drain="inner". A drain in its own process keeps them out. */
void application_drain_by_itself(int by_itself);

/* Opens the log. Returns once its main stream takes records. */
void application_open(void);
/* Makes all records durable; the drain moves them. */
void application_close(void);

/* So many records the log has. */
unsigned application_records(void);
void application_append(uint32_t length);
void application_roll(void);
/* Waits until all records are in their log files. */
void application_await_files(void);
void application_rest(int64_t duration_ns);

/* The streams of the world, by number; 0 is the main stream. Opening one that is open does nothing. */
void application_open_stream(unsigned which);
void application_close_stream(unsigned which);
void application_write_to(unsigned which);

/* The log's events, for the one who reports a violation. */
const struct events *application_events(void);
/* Whether the log drains by itself now. */
int application_drains(void);

#endif
