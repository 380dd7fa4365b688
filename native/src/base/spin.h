/* SPDX-License-Identifier: Apache-2.0 */
/* Spinning of the engine's threads. */
#ifndef BURST_BASE_SPIN_H
#define BURST_BASE_SPIN_H

#include "base/cpu.h"
#include "base/platform.h"

#define SPIN_PAUSES 8
#define SPIN_LOOKS 64         /* so many looks at a word that another thread is about to change; then it sleeps */
#define SPIN_SLEEP_NS 20000ll /* from one look to the next after those */
#define SPIN_TURNS 2000       /* a thread gives up after so many turns, whatever the clock does */

/* For a thread that has a CPU of its own. */
static inline void spin_pause(void) {
    for (int pause = 0; pause < SPIN_PAUSES; pause++) {
        cpu_pause();
    }
}

/* For a thread whose CPU the awaited thread may need. */
static inline void spin_turn(const struct platform *platform) {
    spin_pause();
    platform->ops->yield(platform);
}

/* Comes after look number `look` at the word. Sleeps from SPIN_LOOKS on, since the thread that changes the word may
 * need this CPU. */
static inline void spin_or_sleep(const struct platform *platform, int look) {
    if (look < SPIN_LOOKS) {
        cpu_pause();
    } else {
        platform->ops->sleep_ns(platform, SPIN_SLEEP_NS);
    }
}

#endif
