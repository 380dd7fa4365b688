/* SPDX-License-Identifier: Apache-2.0 */
/* burst_consumer_look: the positions of all consumers of a folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "consume/folder.h"
#include "consume/frames.h"
#include "media/record.h"

#define STATE_MOST_BYTES 4096 /* a larger struct is garbage */

static int measure(struct frames *at, struct frames *newest, burst_consumer_state_t *state) {
    struct frame frame = {.missing = 0};
    uint64_t next = state->acknowledged + 1;
    int rc = state->acknowledged > 0 ? 0 : frames_lowest(at, &next);
    rc = rc < 0 ? rc : frames_seek_end(newest);
    if (rc < 0 || newest->wanted <= next) {
        return rc;
    }
    frames_seek(at, next);
    rc = frames_next(at, &frame);
    rc = rc < 0 ? rc : frames_bytes_left(at, &state->bytes);
    state->records = newest->wanted - next;
    state->bytes += frame.payload == NULL ? 0 : record_bytes(frame.header.length);
    if (rc == 0 && frame.header.type != RECORD_DATA) {
        rc = frames_next_record(at, &frame);
    }
    state->oldest_event_time_ns = frame.header.event_time_ns; /* missing and lost ones have none */
    return rc;
}

static int fill(struct frames *at, const struct consumer_facts *facts, burst_consumer_state_t *state) {
    struct frames newest;
    state->acknowledged = facts->next_number == 0 ? 0 : facts->next_number - 1;
    state->acknowledged_ns = facts->acknowledged_ns;
    snprintf(state->name, sizeof state->name, "%.*s", BURST_CONSUMER_NAME_BYTES - 1, facts->name);
    int rc = frames_open_beside(&newest, at);
    if (rc == 0) {
        rc = measure(at, &newest, state);
        frames_close(&newest);
    }
    return rc;
}

static int look(struct frames *at, const char *folder, unsigned index, burst_consumer_state_t *state) {
    struct consumer_list list;
    int rc = folder_consumers(at->folder, at->head.uuid, &list);
    if (rc < 0) {
        return error_set(-rc, "the consumers of segments folder %s cannot be read: %s", folder, error_name(-rc));
    }
    unsigned passed = 0;
    size_t i = 0;
    while (i < list.count && (consumer_is_stranger(&list.consumers[i]) || passed++ < index)) {
        i++;
    }
    const int is_there = i < list.count;
    if (is_there && list.consumers[i].trouble < 0 && list.consumers[i].trouble != -EUCLEAN) {
        rc = error_set(-list.consumers[i].trouble, "what is at %s/" SEGMENTS_POSITIONS_NAME "/%s cannot be read: %s",
                       folder, list.consumers[i].name, error_name(-list.consumers[i].trouble));
    } else {
        rc = is_there ? fill(at, &list.consumers[i], state) : 0;
    }
    consumer_list_free(&list);
    return rc < 0 ? rc : is_there;
}

int burst_consumer_look(const char *folder, unsigned index, burst_consumer_state_t *state) {
    burst_consumer_state_t found = {.struct_bytes = sizeof found};
    struct frames at;
    if (state->struct_bytes < sizeof *state || state->struct_bytes > STATE_MOST_BYTES) {
        return error_set(EINVAL, "burst_consumer_state_t has %zu bytes here and %u in the caller", sizeof *state,
                         state->struct_bytes);
    }
    int rc = frames_open(&at, folder);
    if (rc == 0) {
        rc = look(&at, folder, index, &found);
        frames_close(&at);
    }
    if (rc == 1) {
        *state = found;
    }
    return rc;
}
