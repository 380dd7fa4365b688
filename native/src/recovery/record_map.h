/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of records, in a range of positions, that were of the log as far as anybody can tell. They are the valid
 * records that no later header contradicts. A later header of a higher epoch with the same or a lower sequence
 * contradicts a record: an open ended the log before that record, which is void.
 */
#ifndef BURST_RECOVERY_RECORD_MAP_H
#define BURST_RECOVERY_RECORD_MAP_H

#include "base/platform.h"
#include "recovery/bounded_validation.h"

struct record_map {
    uint64_t begin;
    uint64_t end;
    uint8_t *bits; /* one bit for each place where a record can be; NULL: not made */
    size_t bytes;
};

/* Makes the map of [begin, end), both multiples of 8, from its end on. Returns 0, or -ENOMEM with a sentence. */
int record_map_make(const struct platform *platform, struct bounded_validation *bounded_validation, uint64_t begin,
                    uint64_t end, struct record_map *map);

void record_map_free(const struct platform *platform, struct record_map *map);

/* The first record of the map at or behind `position`, or map->end. */
uint64_t record_map_next(const struct record_map *map, uint64_t position);

#endif
