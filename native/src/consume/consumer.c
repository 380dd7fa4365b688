/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of burstlog_consumer.h. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/error.h"
#include "base/platform.h"
#include "burstlog.h"
#include "consume/frames.h"
#include "consume/position.h"

#define RECORD_MOST_BYTES 4096 /* a larger struct is garbage */
#define LOOK_AGAIN_NS 1000000  /* where nothing tells of a write */

struct burst_consumer {
    struct frames frames;
    struct position position;
    int changes; /* an inotify of the folder; -1: the host gives none */
};

static int check_name(const char *name) {
    const size_t bytes = name == NULL ? 0 : strlen(name);
    return bytes > 0 && bytes < BURST_CONSUMER_NAME_BYTES && name[0] != '.' && strchr(name, '/') == NULL
               ? 0
               : error_set(
                     EINVAL,
                     "\"%s\" cannot be the name of a consumer: it has 1 to %d bytes, no slash, and does not begin "
                     "with a dot",
                     name == NULL ? "" : name, BURST_CONSUMER_NAME_BYTES - 1);
}

static int begin(burst_consumer_t *consumer, const char *folder, const char *name) {
    uint64_t number;
    int rc = position_open(&consumer->position, consumer->frames.folder, consumer->frames.head.uuid, name);
    if (rc == 1) {
        rc = frames_lowest(&consumer->frames, &number);
    } else {
        number = consumer->position.next_number;
    }
    if (rc < 0) {
        return rc;
    }
    frames_seek(&consumer->frames, number);
    consumer->changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (consumer->changes >= 0 && inotify_add_watch(consumer->changes, folder, IN_MODIFY | IN_CREATE) < 0) {
        close(consumer->changes);
        consumer->changes = -1;
    }
    return 0;
}

int burst_consumer_open(const char *folder, const char *name, burst_consumer_t **consumer_out) {
    *consumer_out = NULL;
    int rc = check_name(name);
    burst_consumer_t *consumer = rc < 0 ? NULL : calloc(1, sizeof *consumer);
    if (consumer == NULL) {
        return rc < 0 ? rc : error_set(ENOMEM, "no memory for consumer %s: %zu bytes", name, sizeof *consumer);
    }
    consumer->position.file = consumer->changes = -1;
    rc = frames_open(&consumer->frames, folder);
    rc = rc < 0 ? rc : begin(consumer, folder, name);
    if (rc < 0) {
        burst_consumer_close(consumer);
        return rc;
    }
    *consumer_out = consumer;
    return 0;
}

void burst_consumer_close(burst_consumer_t *consumer) {
    if (consumer != NULL) {
        frames_close(&consumer->frames);
        position_close(&consumer->position);
        if (consumer->changes >= 0) {
            close(consumer->changes);
        }
        free(consumer);
    }
}

/* ------------------------------------------------------------------------------------------------------------ next */

static burst_consumed_t consumed(const struct frame *frame) {
    const struct record_header *header = &frame->header;
    struct marker_loss loss;
    burst_consumed_t record = {.number = frame->number,
                               .sequence = (int64_t)header->sequence,
                               .event_time_ns = header->event_time_ns,
                               .count = 1};
    if (frame->missing > 0) {
        record.kind = BURST_CONSUMED_MISSING;
        record.count = frame->missing;
    } else if (header->type == SEGMENT_FRAME_LOSS) {
        memcpy(&loss, frame->payload, sizeof loss);
        record.kind = BURST_CONSUMED_LOST;
        record.count = loss.count;
    } else {
        record.kind = (header->flags & RECORD_ROLL) != 0 ? BURST_CONSUMED_ROLL : BURST_CONSUMED_RECORD;
        record.data = frame->payload;
        record.length = header->length;
    }
    return record;
}

/* Forgets what has changed until now. What changes from now on ends the next wait. */
static void forget_changes(const burst_consumer_t *consumer) {
    char events[4096];
    while (consumer->changes >= 0 && read(consumer->changes, events, sizeof events) > 0) {
    }
}

static void wait_for_change(const burst_consumer_t *consumer, int64_t left_ns) {
    struct pollfd changes = {.fd = consumer->changes, .events = POLLIN};
    if (consumer->changes < 0) {
        platform_linux.ops->sleep_ns(&platform_linux, left_ns < LOOK_AGAIN_NS ? left_ns : LOOK_AGAIN_NS);
    } else {
        const struct timespec limit = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
        ppoll(&changes, 1, &limit, NULL);
    }
}

static int await_frame(burst_consumer_t *consumer, struct frame *frame, int64_t timeout_ns) {
    const int64_t end_ns = timeout_ns < 0 ? INT64_MAX : platform_deadline_ns(&platform_linux, timeout_ns);
    int rc = frames_next(&consumer->frames, frame);
    while (rc == FRAMES_NONE && timeout_ns != 0) {
        forget_changes(consumer);
        rc = frames_next(&consumer->frames, frame);
        const int64_t left_ns = end_ns - platform_monotonic_ns(&platform_linux);
        if (rc != FRAMES_NONE || left_ns <= 0) {
            break;
        }
        wait_for_change(consumer, left_ns);
    }
    return rc;
}

int burst_consumer_next(burst_consumer_t *consumer, burst_consumed_t *record, int64_t timeout_ns) {
    const uint32_t bytes = record->struct_bytes;
    struct frame frame;
    if (bytes < sizeof *record || bytes > RECORD_MOST_BYTES) {
        return error_set(
            EINVAL,
            "burst_consumed_t has %zu bytes here and %u in the caller: set struct_bytes, and build against "
            "the burstlog.h of this library",
            sizeof *record, bytes);
    }
    const int rc = await_frame(consumer, &frame, timeout_ns);
    if (rc <= 0) {
        return rc;
    }
    const burst_consumed_t found = consumed(&frame);
    memset(record, 0, bytes);
    memcpy(record, &found, sizeof found);
    record->struct_bytes = bytes;
    return 1;
}

/* ------------------------------------------------------------------------------------------------------- position */

int burst_consumer_ack(burst_consumer_t *consumer, uint64_t number) {
    return number >= consumer->frames.wanted
               ? error_set(EINVAL,
                           "number %llu cannot be acknowledged: the consumer has got those below %llu, and no others",
                           (unsigned long long)number, (unsigned long long)consumer->frames.wanted)
               : position_write(&consumer->position, number + 1, platform_realtime_ns(&platform_linux));
}

int burst_consumer_seek(burst_consumer_t *consumer, uint64_t number) {
    if (number < 1 || number > LAYOUT_NUMBER_MAX) {
        return error_set(EINVAL, "there is no number %llu: the first one is 1", (unsigned long long)number);
    }
    frames_seek(&consumer->frames, number);
    return 0;
}

uint64_t burst_consumer_position(const burst_consumer_t *consumer) {
    return consumer->frames.wanted;
}
