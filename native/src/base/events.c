/* SPDX-License-Identifier: Apache-2.0 */
#include "base/events.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sentence.h"

#define WHOLE_BYTES (2 * PATH_MAX + ERROR_TEXT_BYTES) /* two paths and the sentence of an error */

void events_init(struct events *events, const struct platform *platform) {
    events->platform = platform;
    pthread_mutex_init(&events->lock, NULL);
}

void events_post(struct events *events, uint32_t severity, const char *format, ...) {
    char text[WHOLE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sentence_fit(text, EVENT_TEXT_BYTES);
    pthread_mutex_lock(&events->lock);
    struct event *event = &events->kept[events->end % EVENTS_KEPT];
    event->severity = severity;
    event->time_ns = platform_realtime_ns(events->platform);
    memcpy(event->text, text, strlen(text) + 1);
    events->end++;
    if (events->end - events->first > EVENTS_KEPT) {
        events->first++;
    }
    pthread_mutex_unlock(&events->lock);
    event_count_notify(&events->changed, events->platform);
}

static int take_now(struct events *events, struct event *event) {
    int rc = 0;
    pthread_mutex_lock(&events->lock);
    if (events->first != events->end) {
        *event = events->kept[events->first++ % EVENTS_KEPT];
        rc = 1;
    } else if (events->closed) {
        rc = -ESHUTDOWN;
    }
    pthread_mutex_unlock(&events->lock);
    return rc;
}

int events_take(struct events *events, struct event *event, int64_t timeout_ns) {
    const struct platform *platform = events->platform;
    const int64_t deadline_ns = platform_deadline_ns(platform, timeout_ns);
    for (;;) {
        uint32_t ticket = event_count_register(&events->changed);
        int rc = take_now(events, event);
        int64_t left_ns = timeout_ns < 0 ? -1 : deadline_ns - platform_monotonic_ns(platform);
        if (rc != 0 || (timeout_ns >= 0 && left_ns <= 0)) {
            event_count_leave(&events->changed);
            return rc;
        }
        event_count_wait(&events->changed, platform, ticket, left_ns);
    }
}

uint64_t events_last(struct events *events, struct event *event) {
    pthread_mutex_lock(&events->lock);
    const uint64_t posted = events->end;
    if (posted > 0) {
        *event = events->kept[(posted - 1) % EVENTS_KEPT];
    }
    pthread_mutex_unlock(&events->lock);
    return posted;
}

uint64_t events_since(struct events *events, uint64_t number, struct event *event) {
    pthread_mutex_lock(&events->lock);
    const uint64_t end = events->end, kept = end < EVENTS_KEPT ? 0 : end - EVENTS_KEPT;
    const uint64_t found = number > kept ? number : kept;
    if (found < end) {
        *event = events->kept[found % EVENTS_KEPT];
    }
    pthread_mutex_unlock(&events->lock);
    return found < end ? found + 1 : 0;
}

void events_close(struct events *events) {
    pthread_mutex_lock(&events->lock);
    events->closed = 1;
    pthread_mutex_unlock(&events->lock);
    event_count_notify(&events->changed, events->platform);
}
