/* SPDX-License-Identifier: Apache-2.0 */
/* How a thread of the engine spins. */
#ifndef BURST_BASE_SPIN_H
#define BURST_BASE_SPIN_H

#include "base/cpu.h"
#include "base/platform.h"

#define SPIN_PAUSES 8
#define SPIN_LOOKS 64         /* for what is a few instructions away, unless the thread that does it was preempted */
#define SPIN_SLEEP_NS 20000ll /* then between two looks */
#define SPIN_TURNS 2000       /* after so many turns it gives up, whatever the clock does */

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

/* After look number `look` for what is a few instructions away: sleeps in the end, as whoever is to do it may need this CPU. */
static inline void spin_or_sleep(const struct platform *platform, int look) {
    if (look < SPIN_LOOKS) {
        cpu_pause();
    } else {
        platform->ops->sleep_ns(platform, SPIN_SLEEP_NS);
    }
}

#endif
