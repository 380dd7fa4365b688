/* SPDX-License-Identifier: Apache-2.0 */
#include "device/host/writeback.h"

#include "media/layout.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define LEAF_FEATURES 1u
#define LEAF_EXTENDED 7u
#define EDX_CLFLUSH (1u << 19)
#define EBX_CLFLUSHOPT (1u << 23)
#define EBX_CLWB (1u << 24)

uint32_t writeback_features_here(void) {
    uint32_t features = 0;
    unsigned int eax, ebx, ecx, edx;
    if (__get_cpuid(LEAF_FEATURES, &eax, &ebx, &ecx, &edx) && edx & EDX_CLFLUSH)
        features |= WRITEBACK_FLUSH;
    if (__get_cpuid_count(LEAF_EXTENDED, 0, &eax, &ebx, &ecx, &edx)) {
        features |= ebx & EBX_CLFLUSHOPT ? WRITEBACK_FLUSH_OPTIMIZED : 0;
        features |= ebx & EBX_CLWB ? WRITEBACK_KEEP : 0;
    }
    return features;
}

#define ORDER() ((void)0) /* earlier loads are already ordered before the instructions below */
#define FENCE() _mm_sfence()
#define INSTRUCTION_KEEP(line) __asm__ volatile("clwb (%0)" ::"r"(line) : "memory")
#define INSTRUCTION_FLUSH_OPTIMIZED(line) __asm__ volatile("clflushopt (%0)" ::"r"(line) : "memory")
#define INSTRUCTION_FLUSH(line) _mm_clflush(line)

#elif defined(__aarch64__)
#include <sys/auxv.h>

#ifndef HWCAP_DCPOP
#define HWCAP_DCPOP (1ul << 16)
#endif

uint32_t writeback_features_here(void) {
    return WRITEBACK_FLUSH | (getauxval(AT_HWCAP) & HWCAP_DCPOP ? WRITEBACK_PERSIST : 0);
}

/* Puts other threads' published records before the instructions below, which by themselves wait only for loads of their own line. */
#define ORDER() __asm__ volatile("dmb ish" ::: "memory")
#define FENCE() __asm__ volatile("dsb sy" ::: "memory")
#define INSTRUCTION_PERSIST(line) __asm__ volatile("sys #3, c7, c12, #1, %0" ::"r"(line) : "memory") /* dc cvap */
#define INSTRUCTION_FLUSH(line) __asm__ volatile("dc cvac, %0" ::"r"(line) : "memory")
#endif

/* One function for each instruction. Each steps by 64 bytes: a longer line is written back more than once. */
#define WRITEBACK(function, instruction)                                                                               \
    static void function(const void *data, size_t bytes) {                                                             \
        const uintptr_t end = (uintptr_t)data + bytes;                                                                 \
        ORDER();                                                                                                       \
        for (uintptr_t line = align_down((uintptr_t)data, LAYOUT_LINE_BYTES); line < end; line += LAYOUT_LINE_BYTES)   \
            instruction((void *)line);                                                                                 \
        FENCE();                                                                                                       \
    }

#if defined(__x86_64__)
WRITEBACK(write_back_keeping, INSTRUCTION_KEEP)
WRITEBACK(write_back_optimized, INSTRUCTION_FLUSH_OPTIMIZED)
WRITEBACK(write_back_flushing, INSTRUCTION_FLUSH)
#elif defined(__aarch64__)
WRITEBACK(write_back_persisting, INSTRUCTION_PERSIST)
WRITEBACK(write_back_flushing, INSTRUCTION_FLUSH)
#else
uint32_t writeback_features_here(void) {
    return 0;
}
#endif

static void touch_pages(const void *data, size_t bytes) {
    const volatile uint8_t *first = data;
    for (size_t done = 0; done < bytes; done += LAYOUT_MIN_BLOCK_BYTES)
        (void)first[done];
    if (bytes > 0)
        (void)first[bytes - 1];
}

const struct writeback writeback_none = {"none", touch_pages};

/* The best one comes first. */
static const struct {
    uint32_t feature;
    struct writeback writeback;
} ways[] = {
#if defined(__x86_64__)
    {WRITEBACK_KEEP, {"clwb", write_back_keeping}},
    {WRITEBACK_FLUSH_OPTIMIZED, {"clflushopt", write_back_optimized}},
    {WRITEBACK_FLUSH, {"clflush", write_back_flushing}},
#elif defined(__aarch64__)
    {WRITEBACK_PERSIST, {"dc cvap", write_back_persisting}},
    {WRITEBACK_FLUSH, {"dc cvac", write_back_flushing}},
#else
    {0, {NULL, NULL}},
#endif
};

const struct writeback *writeback_choose(uint32_t features) {
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (features & ways[i].feature)
            return &ways[i].writeback;
    }
    return NULL;
}
