/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the operator of a second copy. Sequences go from `from` up to `end`, which is not part of them. */
#ifndef BURST_LOG_COPIER_TELL_H
#define BURST_LOG_COPIER_TELL_H

#include <stdint.h>

#include "base/events.h"

struct copier_tell {
    struct events *events;
    const char *ring; /* its path */
    const char *copy; /* its name */
};

/* The copy begins, and lacks these records, which have left the ring. */
void copier_tell_missing(const struct copier_tell *tell, uint64_t from, uint64_t end);
/* A copy that was away begins, and lacks nothing. */
void copier_tell_back(const struct copier_tell *tell, uint64_t next);
/* It begins, and nobody can know whether its last records are of the log. */
void copier_tell_unsure(const struct copier_tell *tell, uint64_t last_sequence, uint32_t last_epoch);
void copier_tell_away(const struct copier_tell *tell, uint64_t next);
/* The log closes: the next open gives these records to the copy. */
void copier_tell_kept(const struct copier_tell *tell, uint64_t from, uint64_t end);
/* The log closes while the copy is away, or has not begun since the open. */
void copier_tell_alone(const struct copier_tell *tell, int has_begun, uint64_t from, uint64_t end);

#endif
