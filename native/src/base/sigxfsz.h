/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write beyond RLIMIT_FSIZE sends SIGXFSZ to the writing thread; by default that ends the process. The library needs
 * only the write's EFBIG. So it writes between these two calls, since it runs on its callers' threads.
 */
#ifndef BURST_BASE_SIGXFSZ_H
#define BURST_BASE_SIGXFSZ_H

#include <signal.h>

struct sigxfsz_state {
    sigset_t before;
    int was_pending;
};

void sigxfsz_block(struct sigxfsz_state *held);

/* Removes a SIGXFSZ that was sent meanwhile. One that was already pending stays pending. errno stays as it is. */
void sigxfsz_restore(const struct sigxfsz_state *held);

#endif
