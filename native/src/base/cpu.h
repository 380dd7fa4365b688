/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that only make something faster: the pause of a spinning thread, and the fetch of memory. */
#ifndef BURST_BASE_CPU_H
#define BURST_BASE_CPU_H

#include <stdint.h>

#define CPU_LINE_BYTES 64u

/* To be called between two looks at a word that another core will change. Gives the pipeline to the core's other
 * thread. */
static inline void cpu_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* `yield` is a no-op on most cores; isb waits about as long as x86's pause */
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/* Fetches memory into the cache; what is not mapped is not touched. Inlined at once: gcc leaves out calls of a function
 * that does nothing else. */
static inline __attribute__((always_inline)) void cpu_fetch(const void *memory, uint64_t bytes, int to_be_written) {
    const uint8_t *line = memory;
    for (uint64_t at = 0; at < bytes; at += CPU_LINE_BYTES) {
        to_be_written ? __builtin_prefetch(line + at, 1) : __builtin_prefetch(line + at);
    }
}

#endif
