/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGXFSZ: a write beyond RLIMIT_FSIZE sends it to the thread that writes, which ends the process unless that one is
 * prepared. Where a library writes on its caller's thread the write's EFBIG is enough: it writes between these two.
 */
#ifndef BURST_BASE_SIZE_SIGNAL_H
#define BURST_BASE_SIZE_SIGNAL_H

#include <signal.h>

struct size_signal {
    sigset_t before;
    int was_pending;
};

void size_signal_hold(struct size_signal *held);

/* Takes back what was sent meanwhile; one that was pending before stays so. errno stays. */
void size_signal_restore(const struct size_signal *held);

#endif
