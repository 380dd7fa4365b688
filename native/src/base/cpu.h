/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions whose only effect is speed: the pause of a spinning thread, and prefetching. */
#ifndef BURST_BASE_CPU_H
#define BURST_BASE_CPU_H

#include <stdint.h>

#define CPU_LINE_BYTES 64u

/* Gives the pipeline to the core's other thread. Call it between two looks at a word that another core will change. */
static inline void cpu_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* `yield` is a no-op on most cores; isb waits about as long as x86's pause */
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/* Fetches memory into the cache. Unmapped addresses do no harm. Always inlined, since gcc drops calls of a function
 * that has no other effect. */
static inline __attribute__((always_inline)) void cpu_fetch(const void *memory, uint64_t bytes, int to_be_written) {
    const uint8_t *line = memory;
    for (uint64_t at = 0; at < bytes; at += CPU_LINE_BYTES) {
        to_be_written ? __builtin_prefetch(line + at, 1) : __builtin_prefetch(line + at);
    }
}

#endif
