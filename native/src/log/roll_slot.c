/* SPDX-License-Identifier: Apache-2.0 */
#include "log/roll_slot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "log/log.h"
#include "log/roll.h"

static struct roll_slot *slot_of(const struct roller *roller) {
    return (struct roll_slot *)((char *)roller - offsetof(struct roll_slot, roller));
}

static void copy_path(char *to, const char *from, uint32_t bytes) {
    snprintf(to, BURST_PATH_BYTES, "%.*s", (int)bytes, bytes == 0 ? "" : from);
}

static void fill_request(burst_roll_request_t *request, const struct roll_question *question) {
    const struct outlet_roll_record *record = question->record;
    const struct roll *roll = &record->roll;
    const struct outlet_state *state = question->state;
    *request = (burst_roll_request_t){.note_bytes = roll->note_bytes,
                                      .sequence = record->sequence,
                                      .time_ns = record->time_ns,
                                      .file_born_ns = state->roll.born_ns,
                                      .file_number = state->roll.file_number,
                                      .file_bytes = state->length};
    snprintf(request->file, sizeof request->file, "%s", question->file);
    copy_path(request->target, roll->target, roll->target_bytes);
    copy_path(request->next_file, roll->next, roll->next_bytes);
    if (roll->note_bytes > 0) {
        memcpy(request->note, roll->note, roll->note_bytes);
    }
}

static int ask(struct roll_slot *slot, const struct roll_question *question, struct roll_answer *answer) {
    const int is_asked = slot->state != ROLL_IDLE && slot->request.sequence == question->record->sequence;
    if (is_asked && slot->state == ROLL_ANSWERED) {
        *answer = slot->answer;
        return 0;
    }
    if (slot->is_closed || (!is_asked && question->is_renamed)) {
        return ROLL_NOBODY;
    }
    if (!is_asked) {
        fill_request(&slot->request, question);
        slot->state = ROLL_ASKED;
    }
    return -EINPROGRESS;
}

static int ask_caller(const struct roller *roller, const struct roll_question *question, struct roll_answer *answer) {
    struct roll_slot *slot = slot_of(roller);
    pthread_mutex_lock(&slot->lock);
    const int rc = ask(slot, question, answer);
    pthread_mutex_unlock(&slot->lock);
    event_count_notify(&slot->changed, &platform_linux);
    return rc;
}

struct roll_slot *roll_slot_create(void) {
    struct roll_slot *slot = platform_allocate(&platform_linux, sizeof *slot, PLATFORM_PLAIN);
    if (slot != NULL) {
        slot->roller.ask = ask_caller;
        pthread_mutex_init(&slot->lock, NULL);
    }
    return slot;
}

void roll_slot_destroy(struct roll_slot *slot) {
    if (slot != NULL) {
        platform_release(&platform_linux, slot, sizeof *slot);
    }
}

void roll_slot_close(struct roll_slot *slot) {
    if (slot != NULL) {
        pthread_mutex_lock(&slot->lock);
        slot->is_closed = 1;
        pthread_mutex_unlock(&slot->lock);
        event_count_notify(&slot->changed, &platform_linux);
    }
}

static int refuse_other(const burst_stream_t *stream) {
    return error_set(EINVAL,
                     "stream %u of ring %s was not opened with rolls_by_caller: its files are rolled by the engine",
                     stream->in_ring.id, stream->ring->path);
}

static int refuse_closed(const burst_stream_t *stream) {
    return error_set(ESHUTDOWN, "stream %u of ring %s is closed: no roll of it is to be performed any more",
                     stream->in_ring.id, stream->ring->path);
}

/* Returns 1 with *request filled up to its struct_bytes, 0, or -ESHUTDOWN. */
static int take(struct roll_slot *slot, burst_roll_request_t *request) {
    int rc = 0;
    pthread_mutex_lock(&slot->lock);
    if (slot->is_closed) {
        rc = -ESHUTDOWN;
    } else if (slot->state == ROLL_ASKED) {
        const uint32_t bytes = request->struct_bytes;
        *request = slot->request;
        request->struct_bytes = bytes;
        rc = 1;
    }
    pthread_mutex_unlock(&slot->lock);
    return rc;
}

int burst_stream_next_roll(burst_stream_t *stream, burst_roll_request_t *request, int64_t timeout_ns) {
    struct roll_slot *slot = stream->rolls;
    struct limit limit = limit_of(timeout_ns);
    const int alive = log_check_alive(stream->log);
    if (alive < 0 || slot == NULL) {
        return alive < 0 ? alive : refuse_other(stream);
    }
    if (request->struct_bytes != sizeof *request) {
        return error_set(EINVAL,
                         "burst_roll_request_t has %zu bytes here and %u in the caller: set struct_bytes, and build "
                         "against the burstlog.h of this library",
                         sizeof *request, request->struct_bytes);
    }
    for (;;) {
        const uint32_t ticket = event_count_register(&slot->changed);
        const int64_t left_ns = limit_left_ns(&limit, &platform_linux);
        const int rc = take(slot, request);
        if (rc != 0 || left_ns == 0) {
            event_count_leave(&slot->changed);
            return rc < 0 ? refuse_closed(stream) : rc;
        }
        event_count_wait(&slot->changed, &platform_linux, ticket, left_ns);
    }
}

static int answer(burst_stream_t *stream, uint64_t sequence, const struct roll_answer *given) {
    struct roll_slot *slot = stream->rolls;
    int rc = 0;
    pthread_mutex_lock(&slot->lock);
    if (slot->is_closed) {
        rc = -ESHUTDOWN;
    } else if (slot->state != ROLL_ASKED || slot->request.sequence != sequence) {
        rc = -ESTALE;
    } else {
        slot->answer = *given;
        slot->state = ROLL_ANSWERED;
    }
    pthread_mutex_unlock(&slot->lock);
    return rc == -ESHUTDOWN ? refuse_closed(stream)
           : rc == -ESTALE
               ? error_set(ESTALE,
                           "no answer to roll %llu is waited for at ring %s: it has one, or is performed already",
                           (unsigned long long)sequence, stream->ring->path)
               : 0;
}

int burst_stream_rolled(burst_stream_t *stream, uint64_t sequence, int rc, const char *target, const char *next_file) {
    struct roll_answer given = {.rc = rc};
    const int alive = log_check_alive(stream->log);
    if (alive < 0 || stream->rolls == NULL) {
        return alive < 0 ? alive : refuse_other(stream);
    }
    int result = rc > 0 ? error_set(EINVAL, "a roll of ring %s is answered with %d: 0, or a negative errno",
                                    stream->ring->path, rc)
                        : roll_check_path(stream, "target", target, given.target);
    result = result < 0 ? result : roll_check_next(stream, next_file, given.next);
    result = result < 0 ? result : answer(stream, sequence, &given);
    if (result == 0) {
        event_count_notify(&stream->ring->drain, &platform_linux);
    }
    return result;
}
