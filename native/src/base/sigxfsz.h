/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGXFSZ: a write beyond RLIMIT_FSIZE sends it to the thread that writes, which ends the process unless that one is
 * prepared. Where a library writes on its caller's thread the write's EFBIG is enough: it writes between these two.
 */
#ifndef BURST_BASE_SIGXFSZ_H
#define BURST_BASE_SIGXFSZ_H

#include <signal.h>

struct sigxfsz_state {
    sigset_t before;
    int was_pending;
};

void sigxfsz_block(struct sigxfsz_state *held);

/* Takes back what was sent meanwhile; one that was pending before stays so. errno stays. */
void sigxfsz_restore(const struct sigxfsz_state *held);

#endif
