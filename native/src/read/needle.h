/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that the lines have which a reader wants. A source may pass over other lines without giving them one by one: that is
 * what makes a search as fast as the memory.
 *
 * DESIGN. A search names alternatives, and for each of them literals that a line of it has in this order. It looks for one
 * literal of each alternative, and for that by three of its bytes, at 64 places at once. Both choices decide how often it looks
 * in vain, and the log itself knows best: the first text that comes tells which literal and which bytes are rare in it.
 */
#ifndef BURST_READ_NEEDLE_H
#define BURST_READ_NEEDLE_H

#include <stddef.h>
#include <stdint.h>

#include "burstlog.h"

#define NEEDLE_LITERALS 16
#define NEEDLE_ALTERNATIVES 8
#define NEEDLE_PROBES 3

struct needle_literal {
    const uint8_t *text; /* small letters if the case does not matter */
    size_t length;       /* at least 1 */
    unsigned alternative;
    size_t places[NEEDLE_PROBES]; /* of the bytes by which it is found, the rarest first */
};

struct read_needle {
    /* In the order of their alternatives, each of which has one at least. */
    struct needle_literal literals[NEEDLE_LITERALS];
    size_t count;    /* 0: all lines are wanted */
    int ignore_case; /* of ASCII letters */
    struct needle_literal sought[NEEDLE_ALTERNATIVES];
    size_t sought_count; /* 0: none is chosen yet */
    uint64_t passed;     /* lines that a source has passed over */
};

/* Adds a literal behind the others, unless there are too many; alternatives come in the order 0, 1, 2. Its bytes must stay;
 * its letters become small if the case does not matter. */
void needle_add(struct read_needle *needle, uint8_t *text, size_t length, unsigned alternative);

/* Lines without the needle need not be given any more. It outlives the reader. */
void read_set_needle(burst_reader_t *reader, struct read_needle *needle);

/* Passes over whole lines of the text that lack the needle, and counts them. Returns their bytes. *is_found: the line
 * behind them may have it. */
size_t needle_pass(struct read_needle *needle, const uint8_t *text, size_t bytes, int *is_found);

/* Whether the text has all literals of an alternative, in their order. */
int needle_has(const struct read_needle *needle, const uint8_t *text, size_t bytes);

#endif
