/* SPDX-License-Identifier: Apache-2.0 */
#include "consume/retention.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/keep.h"
#include "base/retry.h"
#include "consume/frames.h"

/* The messages so far about one entry in the folder of positions: a consumer, or a stranger. */
struct behind {
    struct consumer_facts consumer; /* name "": no consumer has opened the folder */
    /* The operator knows that the consumer is behind; or, with trouble, what the entry is. */
    int is_told;
    uint64_t told_at; /* the consumer's next number when that was told */
};

struct retention {
    struct retention_limits limits;
    struct events *events;
    struct segments_head head;    /* the folder's head */
    struct segment_header newest; /* of its newest segment; `magic` is 0 if none was read */
    int is_known;                 /* `head` is filled */
    struct behind *behind;
    size_t behind_count;
    int told_rc;          /* error of the last deletion that was told */
    pthread_mutex_t lock; /* guards the next two */
    struct retention_consumer *consumers;
    size_t consumer_count;
    char folder[];
};

struct retention *retention_create(const char *folder, const struct retention_limits *limits, struct events *events) {
    struct retention *retention = calloc(1, sizeof *retention + strlen(folder) + 1);
    if (retention != NULL) {
        retention->limits = *limits;
        retention->events = events;
        pthread_mutex_init(&retention->lock, NULL);
        strcpy(retention->folder, folder);
    }
    return retention;
}

void retention_destroy(struct retention *retention) {
    if (retention != NULL) {
        free(retention->behind);
        free(retention->consumers);
        free(retention);
    }
}

/* ------------------------------------------------------------------------------------------------------- rules */

static uint64_t bytes_from(const struct segment_list *list, size_t first) {
    uint64_t bytes = 0;
    for (size_t i = first; i < list->count; i++) {
        bytes += list->segments[i].bytes;
    }
    return bytes;
}

static struct keep_limits limits_of(const struct retention_limits *limits) {
    return (struct keep_limits){.count = UINT64_MAX, .bytes = limits->limit_bytes, .age_ns = limits->limit_ns};
}

/* Segments go in order. The last one stays, since the outlet may be writing it. */
size_t retention_count(const struct segment_list *list, uint64_t passed, const struct retention_limits *limits,
                       int64_t now_ns) {
    static const struct keep_limits none = {.count = UINT64_MAX, .bytes = UINT64_MAX, .age_ns = INT64_MAX};
    const struct keep_rule rule = {.limits = limits->releases ? limits_of(limits) : none,
                                   .least_bytes = limits->keep_bytes,
                                   .least_ns = limits->keep_ns,
                                   .in_order = 1};
    struct keep keep = {.rule = &rule, .now_ns = now_ns};
    size_t gone = 0;
    for (size_t i = list->count; i-- > 0;) {
        const struct segment_facts *segment = &list->segments[i];
        const struct keep_thing thing = {.bytes = segment->bytes,
                                         .changed_ns = segment->changed_ns,
                                         .need = i + 1 == list->count                ? KEEP_ALWAYS
                                                 : segment[1].first_number <= passed ? KEEP_FREE
                                                                                     : KEEP_NEEDED};
        gone = keep_goes(&keep, &thing) ? gone : i;
    }
    return gone;
}

int retention_is_behind(const struct segment_list *list, uint64_t next_number, const struct retention_limits *limits,
                        int64_t now_ns) {
    for (size_t i = 0; i + 1 < list->count; i++) {
        if (list->segments[i + 1].first_number > next_number) {
            const struct keep_limits most = limits_of(limits);
            const struct keep_sum sum = {.bytes = bytes_from(list, i)};
            return keep_is_beyond(&most, &sum, now_ns - list->segments[i].changed_ns);
        }
    }
    return 0;
}

static size_t count_consumers(const struct consumer_list *list) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        count += !consumer_is_stranger(&list->consumers[i]);
    }
    return count;
}

static uint64_t passed_by_all(const struct consumer_list *consumers) {
    uint64_t passed = count_consumers(consumers) == 0 ? 0 : UINT64_MAX;
    for (size_t i = 0; i < consumers->count; i++) {
        const uint64_t next = consumers->consumers[i].next_number;
        passed = next < passed && !consumer_is_stranger(&consumers->consumers[i]) ? next : passed;
    }
    return passed;
}

/* -------------------------------------------------------------------------------------------------------- tell */

static void tell_behind(const struct retention *retention, const struct behind *behind, uint64_t bytes) {
    const char *name = behind->consumer.name, *folder = retention->folder;
    const char *becomes = retention->limits.releases ? "the oldest segments are deleted" : "the segments stay";
    if (name[0] == '\0') {
        events_post(
            retention->events, EVENT_WARN,
            "no consumer has opened segments folder %s, whose %llu bytes are beyond the limit: %s; open one, or "
            "write no segments",
            folder, (unsigned long long)bytes, becomes);
    } else {
        events_post(retention->events, EVENT_WARN,
                    "consumer %s has not passed what is beyond the limit of segments folder %s, which has %llu bytes: "
                    "%s; let it go on, or delete its file in the folder " SEGMENTS_POSITIONS_NAME
                    " there if it does not come back",
                    name, folder, (unsigned long long)bytes, becomes);
    }
}

static void tell_trouble(const struct retention *retention, const struct consumer_facts *consumer) {
    const char *holds = retention->limits.releases ? "the segments up to their limit" : "all segments";
    const char *name = consumer->name, *folder = retention->folder;
    if (consumer_is_stranger(consumer)) {
        events_post(retention->events, EVENT_WARN,
                    "%s/consumers/%s is no file, so it is no consumer, and is passed over: delete it or move it out",
                    folder, name);
    } else if (consumer->trouble == -EUCLEAN || consumer->trouble == -ELOOP) {
        events_post(retention->events, EVENT_WARN, "%s/consumers/%s holds %s: it is %s; delete it or move it out",
                    folder, name, holds,
                    consumer->trouble == -ELOOP
                        ? "a link, which no consumer follows"
                        : "no position of a consumer, or a damaged one, or one of another folder");
    } else {
        events_post(retention->events, EVENT_WARN,
                    "%s/consumers/%s holds %s: it cannot be read: %s; make it readable, or delete it or move it out",
                    folder, name, holds, error_name(-consumer->trouble));
    }
}

static void tell(const struct retention *retention, struct behind *behind, const struct segment_list *list,
                 int64_t now_ns) {
    const uint64_t next_number = behind->consumer.next_number;
    const int is_behind = retention_is_behind(list, next_number, &retention->limits, now_ns);
    if (is_behind && !behind->is_told) {
        tell_behind(retention, behind, bytes_from(list, 0));
        behind->is_told = 1;
        behind->told_at = next_number;
    } else if (!is_behind && behind->is_told && next_number > behind->told_at) {
        events_post(retention->events, EVENT_WARN, "consumer %s of segments folder %s is within the limit again",
                    behind->consumer.name, retention->folder);
        behind->is_told = 0;
    }
}

/* The entry with that name; NULL: the operator was told nothing about it. */
static const struct behind *known(const struct retention *retention, const char *name) {
    for (size_t i = 0; i < retention->behind_count; i++) {
        if (strcmp(retention->behind[i].consumer.name, name) == 0) {
            return &retention->behind[i];
        }
    }
    return NULL;
}

static void tell_all(struct retention *retention, const struct segment_list *list,
                     const struct consumer_list *consumers, int64_t now_ns) {
    static const struct consumer_facts nobody;
    const size_t count = consumers->count + (count_consumers(consumers) == 0);
    struct behind *all = calloc(count, sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++) {
        const struct consumer_facts *consumer = i == consumers->count ? &nobody : &consumers->consumers[i];
        const struct behind *before = known(retention, consumer->name);
        if (before != NULL && before->consumer.trouble == consumer->trouble) {
            all[i] = *before;
        }
        all[i].consumer = *consumer;
        if (consumer->trouble == 0) {
            tell(retention, &all[i], list, now_ns);
        } else if (!all[i].is_told) {
            tell_trouble(retention, consumer);
            all[i].is_told = 1;
        }
    }
    if (all != NULL) {
        free(retention->behind);
        retention->behind = all;
        retention->behind_count = count;
    }
}

/* ------------------------------------------------------------------------------------------------------- figures */

/* Keeps how far each consumer is. A segment counts as behind unless its successor begins at or before the next frame of
 * the consumer. */
static void keep_consumers(struct retention *retention, const struct segment_list *list,
                           const struct consumer_list *consumers) {
    struct retention_consumer *all = calloc(consumers->count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; all != NULL && i < consumers->count; i++) {
        const struct consumer_facts *consumer = &consumers->consumers[i];
        if (consumer->trouble != 0 || consumer_is_stranger(consumer)) {
            continue;
        }
        struct retention_consumer *const kept = &all[count++];
        size_t passed = 0;
        while (passed + 1 < list->count && list->segments[passed + 1].first_number <= consumer->next_number) {
            passed++;
        }
        memcpy(kept->name, consumer->name, sizeof kept->name);
        kept->segments_behind = list->count <= passed + 1 ? 0 : list->count - 1 - passed;
        kept->bytes_behind = kept->segments_behind == 0 ? 0 : bytes_from(list, passed);
    }
    pthread_mutex_lock(&retention->lock);
    struct retention_consumer *const old = retention->consumers;
    retention->consumers = all;
    retention->consumer_count = count;
    pthread_mutex_unlock(&retention->lock);
    free(old);
}

size_t retention_consumers(struct retention *retention, struct retention_consumer *consumers, size_t most) {
    pthread_mutex_lock(&retention->lock);
    const size_t count = retention->consumer_count < most ? retention->consumer_count : most;
    for (size_t i = 0; i < count; i++) {
        consumers[i] = retention->consumers[i];
    }
    pthread_mutex_unlock(&retention->lock);
    return count;
}

/* -------------------------------------------------------------------------------------------------------- look */

static int delete_oldest(const struct retention *retention, int folder, const struct segment_list *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char name[SEGMENT_NAME_BYTES];
        segment_name(name, list->segments[i].first_number);
        if (unlinkat(folder, name, 0) < 0 && errno != ENOENT) {
            return error_set(errno, "segment %s/%s could not be deleted: %s; it is tried again", retention->folder,
                             name, error_name(errno));
        }
    }
    return 0;
}

/* Reads the header of that segment. Returns 0 if it cannot be read, or is not of this folder. */
static int read_header(const struct frames *frames, uint64_t first_number, struct segment_header *header) {
    struct segment_header found;
    char name[SEGMENT_NAME_BYTES];
    segment_name(name, first_number);
    const int file =
        (int)TEMP_FAILURE_RETRY(openat(frames->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    const ssize_t got = file < 0 ? -1 : TEMP_FAILURE_RETRY(pread(file, &found, sizeof found, 0));
    if (file >= 0) {
        close(file);
    }
    const int is_read =
        got == (ssize_t)sizeof found && segment_header_judge(&found, frames->head.uuid) == SEGMENT_VALID;
    if (is_read) {
        *header = found;
    }
    return is_read;
}

/*
 * Whether our log has begun this folder anew: it is for a stream of the same name, and the ring that wrote our newest
 * segment has written one here that does not come before it. Any other folder in its place is not ours. Sequences tell
 * the order, since a clock may have been set back.
 */
static int is_begun_anew(const struct retention *retention, const struct frames *frames) {
    const struct segment_header *ours = &retention->newest;
    struct segment_list list;
    struct segment_header header;
    if (memcmp(frames->head.uuid, retention->head.uuid, sizeof frames->head.uuid) == 0 ||
        strcmp(frames->head.name, retention->head.name) != 0 || ours->magic == 0 ||
        folder_segments(frames->folder, &list) < 0) {
        return 0;
    }
    const int is_ours = list.count > 0 && read_header(frames, list.segments[list.count - 1].first_number, &header) &&
                        memcmp(header.ring_uuid, ours->ring_uuid, sizeof header.ring_uuid) == 0 &&
                        header.first_sequence >= ours->first_sequence;
    segment_list_free(&list);
    return is_ours;
}

static int look(struct retention *retention, const struct frames *frames, int64_t now_ns) {
    struct segment_list list = {.count = 0};
    struct consumer_list consumers = {.count = 0};
    size_t gone = 0;
    int rc = folder_consumers(frames->folder, frames->head.uuid, &consumers);
    rc = rc < 0 ? rc : folder_segments(frames->folder, &list);
    if (rc == 0) {
        tell_all(retention, &list, &consumers, now_ns);
        keep_consumers(retention, &list, &consumers);
        gone = retention_count(&list, passed_by_all(&consumers), &retention->limits, now_ns);
        rc = gone == 0 ? 0 : folder_sync_consumers(frames->folder, &consumers);
    }
    if (rc == 0 && list.count > 0) {
        read_header(frames, list.segments[list.count - 1].first_number, &retention->newest);
    }
    rc = rc < 0 ? error_set(-rc, "what is in segments folder %s cannot be read: %s", retention->folder, error_name(-rc))
                : delete_oldest(retention, frames->folder, &list, gone);
    segment_list_free(&list);
    consumer_list_free(&consumers);
    return rc;
}

void retention_look(struct retention *retention, int64_t now_ns) {
    struct frames frames;
    if (frames_open(&frames, retention->folder) < 0) {
        return; /* the drain tells the operator */
    }
    if (!retention->is_known || is_begun_anew(retention, &frames)) {
        retention->head = frames.head;
        retention->is_known = 1;
    }
    if (memcmp(retention->head.uuid, frames.head.uuid, sizeof retention->head.uuid) == 0) {
        const int rc = look(retention, &frames, now_ns);
        if (rc < 0 && rc != retention->told_rc) {
            events_post(retention->events, EVENT_WARN, "old segments stay: %s", error_text());
        }
        retention->told_rc = rc;
    }
    frames_close(&frames);
}
