/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's messages to the operator: a queue of the last EVENTS_KEPT sentences. Any thread may use it. */
#ifndef BURST_BASE_EVENTS_H
#define BURST_BASE_EVENTS_H

#include <pthread.h>

#include "base/platform.h"
#include "base/event_count.h"

#define EVENTS_KEPT 16u
#define EVENT_TEXT_BYTES 512

enum event_severity {
    EVENT_INFO,
    EVENT_WARN,
    EVENT_ERROR,
};

struct event {
    uint32_t severity; /* enum event_severity */
    int64_t time_ns;   /* CLOCK_REALTIME */
    char text[EVENT_TEXT_BYTES];
};

struct events {
    const struct platform *platform;
    pthread_mutex_t lock;
    uint64_t first; /* number of the oldest event kept */
    uint64_t end;   /* number of the next event */
    int closed;
    struct event_count changed;
    struct event kept[EVENTS_KEPT];
};

void events_init(struct events *events, const struct platform *platform);

/* A text that is too long loses the middle of its paths (sentence_fit). */
void events_post(struct events *events, uint32_t severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Waits for the next event. Returns 1 with *event, 0 if none came within timeout_ns (< 0: no limit), -ESHUTDOWN if none
 * is left and the queue is closed. */
int events_take(struct events *events, struct event *event, int64_t timeout_ns);

/* Copies the newest event that was ever posted, taken or not. Returns how many were posted; 0: *event is unchanged. */
uint64_t events_last(struct events *events, struct event *event);

/* Copies the oldest event that is still kept of those with this number and later ones, taken or not; the first one ever has
 * number 0. Returns the number behind it, with which to ask for the next one; 0: there is none. */
uint64_t events_since(struct events *events, uint64_t number, struct event *event);

/* Closes the queue: no more events come. Wakes all takers. */
void events_close(struct events *events);

#endif
