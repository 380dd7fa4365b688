/* SPDX-License-Identifier: Apache-2.0 */
#include "media/window.h"

#include <errno.h>
#include <string.h>

#include "base/crc32c.h"
#include "media/record.h"

#define READS_MOST 1000
#define FIGURE_READS_MOST 100 /* each copies some 50 pages */

struct window window_at(void *memory) {
    uint8_t *const base = memory;
    return (struct window){.head = memory,
                           .lines = (struct window_lines *)(base + WINDOW_LINES_OFFSET),
                           .starts = (struct window_starts *)(base + WINDOW_STARTS_OFFSET),
                           .gaps = (struct window_gap *)(base + WINDOW_GAPS_OFFSET),
                           .checkpoint = base + WINDOW_CHECKPOINT_OFFSET,
                           .figures = (struct figures *)(base + WINDOW_FIGURES_OFFSET)};
}

static uint32_t seal_of(const struct window_head *head, const struct window_gap *gaps, uint32_t crc_seed) {
    const uint32_t crc = crc32c(crc_seed, head, offsetof(struct window_head, crc));
    return crc32c(crc, gaps, head->gap_count * sizeof *gaps);
}

void window_seal(struct window *window, uint32_t crc_seed) {
    window->head->crc = seal_of(window->head, window->gaps, crc_seed);
}

int window_is_sealed(const struct window_head *head, const struct window_gap *gaps) {
    return head->crc == seal_of(head, gaps, crc_seed_of(head->uuid));
}

static void begin_change(_Atomic uint32_t *version) {
    atomic_store_explicit(version, atomic_load_explicit(version, memory_order_relaxed) + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void end_change(_Atomic uint32_t *version) {
    atomic_store_explicit(version, atomic_load_explicit(version, memory_order_relaxed) + 1, memory_order_release);
}

void window_put_checkpoint(struct window *window, const uint8_t *bytes, uint32_t count) {
    struct window_lines *lines = window->lines;
    begin_change(&lines->checkpoint_version);
    atomic_store_explicit(&lines->checkpoint_bytes, count, memory_order_relaxed);
    memcpy(window->checkpoint, bytes, count);
    end_change(&lines->checkpoint_version);
}

void window_put_start(struct window *window, uint64_t position) {
    const uint32_t count = atomic_load_explicit(&window->lines->starts_count, memory_order_relaxed);
    atomic_store_explicit(&window->starts->positions[count % WINDOW_STARTS], position, memory_order_relaxed);
    atomic_store_explicit(&window->lines->starts_count, count + 1, memory_order_release);
}

void window_raise_floor(struct window *window, uint64_t position) {
    uint64_t floor = atomic_load_explicit(&window->lines->floor, memory_order_relaxed);
    while (floor < position && !atomic_compare_exchange_weak(&window->lines->floor, &floor, position)) {
    }
}

void window_begin_figures(struct window *window) {
    begin_change(&window->lines->figures_version);
}

void window_end_figures(struct window *window) {
    end_change(&window->lines->figures_version);
}

/* Whether nothing changed since `version` was read. */
static int is_unchanged(const _Atomic uint32_t *version, uint32_t before) {
    atomic_thread_fence(memory_order_acquire);
    return (before & 1) == 0 && atomic_load_explicit(version, memory_order_relaxed) == before;
}

int window_get_watermark(const struct window_lines *lines, uint64_t *position, uint64_t *sequence) {
    for (int reads = 0; reads < READS_MOST; reads++) {
        const uint32_t before = atomic_load_explicit(&lines->watermark_version, memory_order_acquire);
        *position = atomic_load_explicit(&lines->watermark, memory_order_relaxed);
        *sequence = atomic_load_explicit(&lines->watermark_sequence, memory_order_relaxed);
        if (is_unchanged(&lines->watermark_version, before)) {
            return 0;
        }
    }
    return -EAGAIN;
}

int window_get_checkpoint(const struct window_lines *lines, const uint8_t *copy, uint8_t *out) {
    for (int reads = 0; reads < READS_MOST; reads++) {
        const uint32_t before = atomic_load_explicit(&lines->checkpoint_version, memory_order_acquire);
        const uint32_t count = atomic_load_explicit(&lines->checkpoint_bytes, memory_order_relaxed);
        const uint32_t bounded = count < LAYOUT_CHECKPOINT_BYTES ? count : LAYOUT_CHECKPOINT_BYTES;
        memcpy(out, copy, bounded);
        if (is_unchanged(&lines->checkpoint_version, before)) {
            return count == bounded ? (int)count : -EAGAIN;
        }
    }
    return -EAGAIN;
}

int window_get_figures(const struct window_lines *lines, const struct figures *shared, struct figures *out) {
    for (int reads = 0; reads < FIGURE_READS_MOST; reads++) {
        const uint32_t before = atomic_load_explicit(&lines->figures_version, memory_order_acquire);
        memcpy(out, shared, sizeof *out);
        if (is_unchanged(&lines->figures_version, before)) {
            return before != 0 && figures_tame(out);
        }
    }
    return -EAGAIN;
}
