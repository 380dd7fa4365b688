/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/record_map.h"

#include <errno.h>

#include "base/error.h"

/* The walk goes backwards, and remembers the lowest sequence of each epoch in the headers that it has passed. */
#define EPOCHS_REMEMBERED 64

struct later_headers {
    uint32_t epochs[EPOCHS_REMEMBERED];
    uint64_t sequences[EPOCHS_REMEMBERED];
    size_t count;
};

static void remember(struct later_headers *later, const struct record_header *header) {
    for (size_t i = 0; i < later->count; i++) {
        if (later->epochs[i] == header->epoch) {
            later->sequences[i] = header->sequence; /* sequences fall towards the front */
            return;
        }
    }
    if (later->count < EPOCHS_REMEMBERED) {
        later->epochs[later->count] = header->epoch;
        later->sequences[later->count++] = header->sequence;
        return;
    }
    /* If a window has more epochs than this, they share the last place. That only makes the check stricter. */
    if (header->epoch > later->epochs[EPOCHS_REMEMBERED - 1]) {
        later->epochs[EPOCHS_REMEMBERED - 1] = header->epoch;
    }
    later->sequences[EPOCHS_REMEMBERED - 1] = header->sequence;
}

static int is_contradicted(const struct later_headers *later, const struct record_header *header) {
    for (size_t i = 0; i < later->count; i++) {
        if (later->epochs[i] > header->epoch && later->sequences[i] <= header->sequence) {
            return 1;
        }
    }
    return 0;
}

static void set_bit(struct record_map *map, uint64_t position) {
    const uint64_t place = (position - map->begin) / RECORD_ALIGN_BYTES;
    map->bits[place / 8] |= (uint8_t)(1u << place % 8);
}

int record_map_make(const struct platform *platform, struct bounded_validation *bounded_validation, uint64_t begin,
                    uint64_t end, struct record_map *map) {
    const struct recovery_input *input = bounded_validation->input;
    *map = (struct record_map){.begin = begin, .end = end, .bytes = (end - begin) / RECORD_ALIGN_BYTES / 8 + 1};
    map->bits = platform_allocate(platform, map->bytes, 0);
    if (map->bits == NULL) {
        return error_set(ENOMEM, "no memory to look for records behind damage: %zu bytes", map->bytes);
    }
    struct later_headers later = {.count = 0};
    for (uint64_t at = end; at > begin;) {
        at -= RECORD_ALIGN_BYTES;
        const struct record_header *header = record_at(input->image, input->shape.capacity_bytes, at);
        const enum record_verdict verdict = judge_at(bounded_validation, at);
        if (verdict == RECORD_VALID && !is_contradicted(&later, header)) {
            set_bit(map, at);
        }
        if (verdict != RECORD_INVALID) {
            remember(&later, header);
        }
    }
    return 0;
}

void record_map_free(const struct platform *platform, struct record_map *map) {
    if (map->bits != NULL) {
        platform_release(platform, map->bits, map->bytes);
        map->bits = NULL;
    }
}

uint64_t record_map_next(const struct record_map *map, uint64_t position) {
    const uint64_t end = (map->end - map->begin) / RECORD_ALIGN_BYTES;
    for (uint64_t place = (position - map->begin) / RECORD_ALIGN_BYTES; place < end; place++) {
        if (map->bits[place / 8] == 0) {
            place |= 7; /* none of these eight places has a record */
        } else if (map->bits[place / 8] >> place % 8 & 1) {
            return map->begin + place * RECORD_ALIGN_BYTES;
        }
    }
    return map->end;
}
