/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nobody may cancel (pthread_cancel) a thread while it writes for others: they would wait for ever. So the thread makes
 * system calls that are cancellation points only between these two calls.
 */
#ifndef BURST_BASE_CANCEL_H
#define BURST_BASE_CANCEL_H

#include <pthread.h>

static inline int cancel_hold(void) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void cancel_restore(int before) {
    pthread_setcancelstate(before, NULL);
}

#endif
