/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write beyond RLIMIT_FSIZE sends SIGXFSZ to the thread that writes, which ends the process by default. The library
 * needs only the write's EFBIG, so it writes on its callers' threads between these two.
 */
#ifndef BURST_BASE_SIGXFSZ_H
#define BURST_BASE_SIGXFSZ_H

#include <signal.h>

struct sigxfsz_state {
    sigset_t before;
    int was_pending;
};

void sigxfsz_block(struct sigxfsz_state *held);

/* Removes a SIGXFSZ that was sent meanwhile. One that was pending before stays pending. Leaves errno as it is. */
void sigxfsz_restore(const struct sigxfsz_state *held);

#endif
