/* SPDX-License-Identifier: Apache-2.0 */
/* The pause instruction of a spinning thread. */
#ifndef BURST_BASE_CPU_H
#define BURST_BASE_CPU_H

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

#endif
