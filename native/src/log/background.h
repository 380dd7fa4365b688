/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for work that nobody waits for. */
#ifndef BURST_LOG_BACKGROUND_H
#define BURST_LOG_BACKGROUND_H

#include <pthread.h>

/* One that takes no signals: those are the application's. 0 or -errno with a sentence. */
int background_start(pthread_t *thread, const char *name, void *(*loop)(void *argument), void *argument);

/* The calling thread gets the lowest priority, for CPU and disk. The host may forbid it: then it is as others. */
void background_step_back(void);

#endif
