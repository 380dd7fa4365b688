/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that writes for others must not be cancelled (pthread_cancel) meanwhile: they would wait for ever. So system
 * calls that are cancellation points are made between these two.
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
