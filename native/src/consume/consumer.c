/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of burstlog_consumer.h. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/platform.h"
#include "burstlog.h"
#include "consume/frames.h"
#include "consume/head.h"
#include "consume/position.h"
#include "media/record.h"

#define RECORD_MOST_BYTES 4096 /* a larger struct is garbage */
#define LOOK_AGAIN_NS 1000000  /* pause between two looks if the host does not tell of writes */

/* The host does not tell when an open folder is deleted. So the consumer checks the folder so often while there is no
 * record. */
#define CHECK_EVERY_NS 900000000

struct burst_consumer {
    struct frames frames;
    struct frames newest; /* for the lag: reads to the end of the folder. Has no buffer until the first call */
    struct position position;
    int changes;                 /* an inotify descriptor of the folder; -1: the host gives none */
    int is_moved;                /* inotify told that the folder was renamed */
    int64_t check_ns;            /* CLOCK_MONOTONIC of the next check of the folder */
    struct frame held;           /* the frame that did not fit in the last poll's buffer; it comes next */
    int holds;                   /* FRAMES_NONE: no frame is held */
    char path[BURST_PATH_BYTES]; /* absolute path of the folder; "": unknown */
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
    if (path_absolute(folder, consumer->path, sizeof consumer->path) < 0) {
        consumer->path[0] = '\0';
    }
    consumer->changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (consumer->changes >= 0 &&
        inotify_add_watch(consumer->changes, folder, IN_MODIFY | IN_CREATE | IN_MOVE_SELF) < 0) {
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
    consumer->newest.folder = consumer->newest.segment = -1;
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
        frames_close(&consumer->newest);
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

static int next_frame(burst_consumer_t *consumer, struct frame *frame) {
    if (consumer->holds == FRAMES_NONE) {
        return frames_next(&consumer->frames, frame);
    }
    const int held = consumer->holds;
    *frame = consumer->held;
    consumer->holds = FRAMES_NONE;
    return held;
}

/* Forgets all changes until now but a new name of the folder. Later changes end the next wait. */
static void forget_changes(burst_consumer_t *consumer) {
    char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t bytes;
    while (consumer->changes >= 0 && (bytes = read(consumer->changes, events, sizeof events)) > 0) {
        for (const char *at = events; at < events + bytes;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            if ((event->mask & IN_MOVE_SELF) != 0) {
                consumer->is_moved = 1;
                consumer->check_ns = 0;
            }
            at += sizeof *event + event->len;
        }
    }
}

/* Checks once a second, while there is no record, whether more records may come. Once they may not, checks at each
 * call. */
static int check_folder(burst_consumer_t *consumer) {
    const int64_t now_ns = platform_monotonic_ns(&platform_linux);
    if (now_ns < consumer->check_ns) {
        return 0;
    }
    const int rc = head_check(consumer->frames.folder, consumer->path, &consumer->frames.head, consumer->is_moved);
    consumer->check_ns = rc < 0 ? 0 : now_ns + CHECK_EVERY_NS;
    return rc;
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

/* Gets the next frame. If there is none, the answer is the state of the folder. */
static int next_or_none(burst_consumer_t *consumer, struct frame *frame) {
    const int rc = next_frame(consumer, frame);
    return rc == FRAMES_NONE ? check_folder(consumer) : rc;
}

static int await_frame(burst_consumer_t *consumer, struct frame *frame, int64_t timeout_ns) {
    const int64_t end_ns = timeout_ns < 0 ? INT64_MAX : platform_deadline_ns(&platform_linux, timeout_ns);
    int rc = next_or_none(consumer, frame);
    while (rc == FRAMES_NONE && timeout_ns != 0) {
        forget_changes(consumer);
        rc = next_or_none(consumer, frame);
        const int64_t now_ns = platform_monotonic_ns(&platform_linux);
        if (rc != FRAMES_NONE || end_ns <= now_ns) {
            break;
        }
        const int64_t until_ns = end_ns < consumer->check_ns ? end_ns : consumer->check_ns;
        wait_for_change(consumer, until_ns > now_ns ? until_ns - now_ns : 0);
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

/* Writes the frame with its data and returns the bytes that it needs. If the room is too small it writes nothing. */
static size_t put(const struct frames *frames, const struct frame *frame, uint8_t *out, size_t room) {
    const burst_consumed_t record = consumed(frame);
    const size_t needed = sizeof(burst_polled_t) + (record.length + 7) / 8 * 8;
    if (needed <= room) {
        burst_polled_t polled = {.kind = record.kind,
                                 .length = (uint32_t)record.length,
                                 .number = record.number,
                                 .sequence = record.sequence,
                                 .event_time_ns = record.event_time_ns,
                                 .count = record.count};
        memcpy(polled.ring, frames->header.ring_uuid, sizeof polled.ring);
        memcpy(out, &polled, sizeof polled);
        if (record.length > 0) {
            memset(out + needed - 8, 0, 8);
            memcpy(out + sizeof polled, record.data, record.length);
        }
    }
    return needed;
}

int64_t burst_consumer_poll(burst_consumer_t *consumer, void *buffer, size_t bytes, int64_t timeout_ns) {
    size_t filled = 0;
    struct frame frame;
    int rc;
    for (rc = await_frame(consumer, &frame, timeout_ns); rc > 0; rc = next_frame(consumer, &frame)) {
        const size_t needed = put(&consumer->frames, &frame, (uint8_t *)buffer + filled, bytes - filled);
        if (needed > bytes - filled) {
            consumer->held = frame;
            consumer->holds = rc;
            return (int64_t)(filled > 0 ? filled : needed);
        }
        filled += needed;
    }
    return filled > 0 ? (int64_t)filled : rc;
}

int burst_consumer_source(const burst_consumer_t *consumer, burst_consumer_source_t *source) {
    const struct segments_head *head = &consumer->frames.head;
    if (source->struct_bytes < sizeof *source || source->struct_bytes > RECORD_MOST_BYTES) {
        return error_set(EINVAL, "burst_consumer_source_t has %zu bytes here and %u in the caller", sizeof *source,
                         source->struct_bytes);
    }
    memcpy(source->folder_id, head->uuid, sizeof source->folder_id);
    snprintf(source->stream, sizeof source->stream, "%.*s", (int)head->name_bytes, head->name);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- position */

int burst_consumer_ack(burst_consumer_t *consumer, uint64_t number) {
    const uint64_t position = burst_consumer_position(consumer);
    return number >= position
               ? error_set(EINVAL,
                           "number %llu cannot be acknowledged: the consumer has got those below %llu, and no others",
                           (unsigned long long)number, (unsigned long long)position)
               : position_write(&consumer->position, number + 1, platform_realtime_ns(&platform_linux));
}

int burst_consumer_seek(burst_consumer_t *consumer, uint64_t number) {
    if (number < 1 || number > LAYOUT_NUMBER_MAX) {
        return error_set(EINVAL, "there is no number %llu: the first one is 1", (unsigned long long)number);
    }
    frames_seek(&consumer->frames, number);
    consumer->holds = FRAMES_NONE;
    return 0;
}

static int has_time(const struct frames_sought *sought, const struct record_header *header) {
    return header->event_time_ns >= sought->value;
}

static int has_sequence(const struct frames_sought *sought, const struct record_header *header) {
    return (int64_t)header->sequence >= sought->value;
}

static int seek_to(burst_consumer_t *consumer, const struct frames_sought *sought) {
    const uint64_t before = burst_consumer_position(consumer);
    consumer->holds = FRAMES_NONE;
    const int rc = frames_find(&consumer->frames, sought);
    if (rc < 0) {
        frames_seek(&consumer->frames, before);
    }
    return rc;
}

int burst_consumer_seek_time(burst_consumer_t *consumer, int64_t event_time_ns) {
    return seek_to(consumer, &(struct frames_sought){.is_reached = has_time, .value = event_time_ns});
}

int burst_consumer_seek_sequence(burst_consumer_t *consumer, int64_t sequence) {
    return seek_to(consumer,
                   &(struct frames_sought){.is_reached = has_sequence, .value = sequence, .in_newest_ring = 1});
}

uint64_t burst_consumer_position(const burst_consumer_t *consumer) {
    const struct frame *held = &consumer->held;
    return consumer->holds == FRAMES_NONE      ? consumer->frames.wanted
           : consumer->holds == FRAMES_MISSING ? held->number + 1 - held->missing
                                               : held->number;
}

/* Missing and lost records have no event time: the first record behind them has the oldest one that is known. */
static int find_oldest_time(const struct frames *from, int64_t *event_time_ns) {
    struct frames frames;
    struct frame oldest;
    int rc = frames_open_beside(&frames, from);
    if (rc == 0) {
        frames_seek(&frames, from->wanted);
        rc = frames_next_record(&frames, &oldest);
        *event_time_ns = rc == FRAMES_ONE ? oldest.header.event_time_ns : 0;
        frames_close(&frames);
    }
    return rc < 0 ? rc : 0;
}

static int look_how_far(burst_consumer_t *consumer, burst_consumer_lag_t *lag) {
    int rc = consumer->newest.buffer != NULL ? 0 : frames_open_beside(&consumer->newest, &consumer->frames);
    rc = rc < 0 ? rc : frames_seek_end(&consumer->newest);
    if (rc == 0 && consumer->holds == FRAMES_NONE && (rc = frames_next(&consumer->frames, &consumer->held)) > 0) {
        consumer->holds = rc;
    }
    const uint64_t position = burst_consumer_position(consumer), end = consumer->newest.wanted;
    if (rc >= 0 && end > position && (rc = frames_bytes_left(&consumer->frames, &lag->bytes)) == 0) {
        const struct record_header *oldest = &consumer->held.header;
        lag->records = end - position;
        lag->bytes += consumer->holds == FRAMES_ONE ? record_bytes(oldest->length) : 0;
        lag->oldest_event_time_ns = oldest->event_time_ns;
        if (consumer->holds != FRAMES_ONE || oldest->type != RECORD_DATA) {
            rc = find_oldest_time(&consumer->frames, &lag->oldest_event_time_ns);
        }
    }
    return rc < 0 ? rc : 0;
}

int burst_consumer_lag(burst_consumer_t *consumer, burst_consumer_lag_t *lag) {
    burst_consumer_lag_t found = {.struct_bytes = sizeof found};
    if (lag->struct_bytes < sizeof *lag || lag->struct_bytes > RECORD_MOST_BYTES) {
        return error_set(EINVAL, "burst_consumer_lag_t has %zu bytes here and %u in the caller", sizeof *lag,
                         lag->struct_bytes);
    }
    forget_changes(consumer);
    consumer->check_ns = 0; /* check now: for a folder that nobody writes to, each number would be wrong */
    int rc = check_folder(consumer);
    rc = rc < 0 ? rc : look_how_far(consumer, &found);
    if (rc == 0) {
        *lag = found;
    }
    return rc;
}
