/* SPDX-License-Identifier: Apache-2.0 */
/* A stream whose rolls its caller performs: what the drain asks, and what it is answered. */
#ifndef BURST_LOG_ROLL_SLOT_H
#define BURST_LOG_ROLL_SLOT_H

#include <pthread.h>

#include "base/event_count.h"
#include "burstlog.h"
#include "outlet/file/file_outlet.h"

enum roll_slot_state {
    ROLL_IDLE,
    ROLL_ASKED,    /* `request` waits for an answer */
    ROLL_ANSWERED, /* `answer` is that to `request` */
};

struct roll_slot {
    struct roller roller;
    pthread_mutex_t lock; /* of what follows; held for moments */
    struct event_count changed;
    enum roll_slot_state state;
    int is_closed; /* nobody answers any more */
    burst_roll_request_t request;
    struct roll_answer answer;
};

/* NULL: no memory. As the stream, it is freed only if that was never open. */
struct roll_slot *roll_slot_create(void);
void roll_slot_destroy(struct roll_slot *slot);

/* Whoever waits for a roll is told that none comes; what the drain asks from now on, it does itself. */
void roll_slot_close(struct roll_slot *slot);

#endif
