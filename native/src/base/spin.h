/* SPDX-License-Identifier: Apache-2.0 */
/* How a thread of the engine spins. */
#ifndef BURST_BASE_SPIN_H
#define BURST_BASE_SPIN_H

#include "base/cpu.h"
#include "base/platform.h"

#define SPIN_PAUSES 8
#define SPIN_TURNS 2000 /* after so many turns it gives up, whatever the clock does */

/* On a CPU of its own. */
static inline void spin_pause(void) {
    for (int pause = 0; pause < SPIN_PAUSES; pause++) {
        cpu_pause();
    }
}

/* Where the thread that is waited for may need this very CPU. */
static inline void spin_turn(const struct platform *platform) {
    spin_pause();
    platform->ops->yield(platform);
}

#endif
