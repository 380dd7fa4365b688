/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a range of positions the records are that were of the log for all one can tell: the valid ones that no later
 * header contradicts (of a higher epoch with the same or a lower sequence: then it is a void record, written by an
 * epoch that ended before it).
 */
#ifndef BURST_RECOVERY_RECORD_MAP_H
#define BURST_RECOVERY_RECORD_MAP_H

#include "base/platform.h"
#include "recovery/bounded_validation.h"

struct record_map {
    uint64_t begin;
    uint64_t end;
    uint8_t *bits; /* one for every place where a record can be; NULL: not made */
    size_t bytes;
};

/* Looks at [begin, end), multiples of 8, from its end on. 0 or -ENOMEM with a sentence. */
int record_map_make(const struct platform *platform, struct bounded_validation *bounded_validation, uint64_t begin,
                    uint64_t end, struct record_map *map);

void record_map_free(const struct platform *platform, struct record_map *map);

/* The first such record at or after `position`, or map->end. */
uint64_t record_map_next(const struct record_map *map, uint64_t position);

#endif
