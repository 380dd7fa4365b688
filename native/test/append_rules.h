/* SPDX-License-Identifier: Apache-2.0 */
/* Rules and streams for the appends of tests. */
#ifndef BURST_TEST_APPEND_RULES_H
#define BURST_TEST_APPEND_RULES_H

#include "ring/append.h"
#include "ring/leader.h"

static const struct ring_rule for_ever = {.on_full = RING_ON_FULL_BLOCK, .timeout_ns = -1};
static const struct ring_rule unless_full = {.on_full = RING_ON_FULL_FAIL, .timeout_ns = -1};
static const struct ring_rule never_waits = {.on_full = RING_ON_FULL_FAIL, .timeout_ns = 0};

/* Streams that are open. */
static const struct ring_stream stream_0 = {.id = 0};
#define STREAM(number) (&(const struct ring_stream){.id = (uint16_t)(number)})

/* ring_append or ring_enqueue. */
typedef int64_t (*ring_call)(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                             const struct ring_stream *stream, const struct ring_rule *rule);

#endif
