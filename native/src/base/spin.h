/* SPDX-License-Identifier: Apache-2.0 */
/* How a thread of the engine spins. */
#ifndef BURST_BASE_SPIN_H
#define BURST_BASE_SPIN_H

#include "base/cpu.h"
#include "base/platform.h"

#define SPIN_PAUSES 8
#define SPIN_LOOKS 64         /* looks at a word that another thread is about to change */
#define SPIN_SLEEP_NS 20000ll /* between two looks after those */
#define SPIN_TURNS 2000       /* after so many turns it gives up, whatever the clock does */

/* For a thread on a CPU of its own. */
static inline void spin_pause(void) {
    for (int pause = 0; pause < SPIN_PAUSES; pause++) {
        cpu_pause();
    }
}

/* For a thread whose CPU may be needed by the one that it waits for. */
static inline void spin_turn(const struct platform *platform) {
    spin_pause();
    platform->ops->yield(platform);
}

/* After look number `look` at such a word. Sleeps after SPIN_LOOKS: the thread that changes it may need this CPU. */
static inline void spin_or_sleep(const struct platform *platform, int look) {
    if (look < SPIN_LOOKS) {
        cpu_pause();
    } else {
        platform->ops->sleep_ns(platform, SPIN_SLEEP_NS);
    }
}

#endif
