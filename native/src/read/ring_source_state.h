/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of read/ring_source.h, for its files alone. */
#ifndef BURST_READ_RING_SOURCE_STATE_H
#define BURST_READ_RING_SOURCE_STATE_H

#include "read/best_sight.h"
#include "read/ring_walk.h"
#include "read/source.h"

struct ring_source {
    struct read_source source;
    const struct platform *platform;
    struct best_sight best;
    struct ring_walk walk;
    uint64_t wanted;         /* records below this sequence are passed over */
    int64_t wanted_ns;       /* records of an earlier event time are passed over until one is not; INT64_MIN: none is */
    struct sight_place loss; /* before losses behind the last earlier record: they may have had that time */
    int has_loss;
    uint32_t stream;
    uint64_t given; /* behind the last record that was given since the last seek: no log takes its sequences back */
    uint64_t found; /* by the last go_to_last */
    uint8_t *checkpoint; /* the newest that was read, then room for the next one */
};

static inline struct ring_source *self_of(struct read_source *source) {
    return (struct ring_source *)source;
}

static inline const struct ring_source *look_of(const struct read_source *source) {
    return (const struct ring_source *)source;
}

#endif
