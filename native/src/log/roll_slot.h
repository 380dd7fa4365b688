/* SPDX-License-Identifier: Apache-2.0 */
/* A stream whose caller performs its rolls: the drain asks, and the caller answers. */
#ifndef BURST_LOG_ROLL_SLOT_H
#define BURST_LOG_ROLL_SLOT_H

#include <pthread.h>

#include "base/event_count.h"
#include "burstlog.h"
#include "outlet/file/file_outlet.h"

enum roll_slot_state {
    ROLL_IDLE,
    ROLL_ASKED,    /* the request waits for an answer */
    ROLL_ANSWERED, /* `answer` belongs to `request` */
};

struct roll_slot {
    struct roller roller;
    pthread_mutex_t lock; /* guards the fields below; held only for moments */
    struct event_count changed;
    enum roll_slot_state state;
    int is_closed; /* no caller answers any more */
    burst_roll_request_t request;
    struct roll_answer answer;
};

/* Returns NULL without memory. The slot is freed only if no caller got its stream. */
struct roll_slot *roll_slot_create(void);
void roll_slot_destroy(struct roll_slot *slot);

/* Tells a caller that waits for a roll that none comes. From now on the drain performs all rolls that it asks for. */
void roll_slot_close(struct roll_slot *slot);

#endif
