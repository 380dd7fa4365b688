/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling: appending a roll, and whoever performs it in the place of the engine. */
#include "log/roll.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/path.h"
#include "log/config.h"
#include "log/log.h"
#include "log/rolling.h"
#include "media/roll.h"

_Static_assert(BURST_ROLL_NOTE_BYTES == ROLL_NOTE_BYTES, "a note fits");
_Static_assert(BURST_PATH_BYTES == LAYOUT_FILE_NAME_BYTES, "a path fits");

typedef int64_t ring_append_call(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                                 uint16_t stream, const struct ring_rule *rule);

/* ----------------------------------------------------------------------------------------------- append a roll */

void burst_roll_init_bytes(burst_roll_t *roll, size_t struct_bytes) {
    memset(roll, 0, struct_bytes);
    roll->struct_bytes = (uint32_t)struct_bytes;
}

struct checked_roll {
    burst_roll_t values;
    char target[BURST_PATH_BYTES];
    char next[BURST_PATH_BYTES];
};

static int is_empty(const char *path) {
    return path == NULL || *path == '\0';
}

/* An absolute path, or "" for none. */
static int check_path(const burst_stream_t *stream, const char *what, const char *given, char *path) {
    path[0] = '\0';
    const int rc = is_empty(given) ? 0 : path_absolute(given, path, BURST_PATH_BYTES);
    return rc < 0 ? error_set(EINVAL, "the %s of a roll of ring %s, \"%s\", cannot be used: %s", what,
                              stream->ring->path, given, error_name(-rc))
                  : 0;
}

static int check_next(const burst_stream_t *stream, const char *given, char *path) {
    return is_empty(given) ? check_path(stream, "next file", given, path)
                           : config_check_file_name(stream->ring->path, given, path, BURST_PATH_BYTES);
}

static int check_roll(const burst_stream_t *stream, const burst_roll_t *given, struct checked_roll *roll) {
    burst_roll_t *values = &roll->values;
    int rc = config_copy_given(given, "roll", sizeof *values, values, sizeof *values);
    rc = rc < 0 ? rc : check_path(stream, "target", values->target, roll->target);
    rc = rc < 0 ? rc : check_next(stream, values->next_file, roll->next);
    if (rc < 0) {
        return rc;
    }
    if (values->note_bytes > BURST_ROLL_NOTE_BYTES) {
        return error_set(EINVAL, "the note of a roll of ring %s has %zu bytes: at most %d", stream->ring->path,
                         values->note_bytes, BURST_ROLL_NOTE_BYTES);
    }
    if (values->next_time_ns < 0 || values->next_file_bytes > INT64_MAX) {
        return error_set(EINVAL, "the next roll of ring %s cannot be planned for a negative time or length",
                         stream->ring->path);
    }
    return roll->target[0] == '\0' && roll->next[0] == '\0' && stream->rolls == NULL && stream->rolling == NULL
               ? error_set(EINVAL,
                           "a roll of ring %s has neither a target nor a next file: nothing would be rolled; name one",
                           stream->ring->path)
               : 0;
}

static int refuse_device(burst_stream_t *stream) {
    struct drain_figures figures = {.kind = OUTLET_FILE};
    const int rc = log_look(stream->log);
    if (rc < 0) {
        return rc;
    }
    drain_get_figures(stream->log->engine->drain, stream->id, &figures);
    log_leave(stream->log);
    return figures.kind == OUTLET_RAW
               ? error_set(ENOTSUP, "stream %u of ring %s writes a device, which cannot be rolled: let it write a file",
                           stream->id, stream->ring->path)
               : 0;
}

static int64_t append_roll(burst_stream_t *stream, const struct checked_roll *checked, int64_t event_time_ns,
                           ring_append_call *call, const struct ring_rule *rule) {
    const burst_roll_t *values = &checked->values;
    const uint64_t most = stream->ring->limits.max_record_bytes;
    if (values->footer_bytes > most || values->header_bytes > most) {
        return error_set(EMSGSIZE,
                         "footer and header of a roll of ring %s have %zu and %zu bytes, and are longer than "
                         "maxRecordSize, %llu bytes: raise that, or shorten them",
                         stream->ring->path, values->footer_bytes, values->header_bytes, (unsigned long long)most);
    }
    const struct roll roll = {.footer = values->footer,
                              .header = values->header,
                              .target = checked->target,
                              .next = checked->next,
                              .note = values->note,
                              .footer_bytes = (uint32_t)values->footer_bytes,
                              .header_bytes = (uint32_t)values->header_bytes,
                              .target_bytes = (uint32_t)strlen(checked->target),
                              .next_bytes = (uint32_t)strlen(checked->next),
                              .note_bytes = (uint32_t)values->note_bytes,
                              .by_caller = stream->rolls != NULL,
                              .next_time_ns = values->next_time_ns,
                              .next_file_bytes = values->next_file_bytes};
    const size_t bytes = roll_size(&roll);
    uint8_t *payload = platform_allocate(&platform_linux, bytes, PLATFORM_PLAIN);
    if (payload == NULL) {
        return error_set(ENOMEM, "no memory for a roll of ring %s: %zu bytes", stream->ring->path, bytes);
    }
    roll_encode(&roll, payload);
    const int64_t sequence = call(stream->ring, payload, bytes, event_time_ns, stream->id, rule);
    platform_release(&platform_linux, payload, bytes);
    return sequence;
}

/* Under the lock of `rolling`: what it says of a roll that does not say that itself. 0 or -errno with a sentence. */
static int complete(struct rolling *rolling, struct checked_roll *roll, int64_t born_ns) {
    int rc = 0;
    if (roll->target[0] == '\0' && roll->next[0] == '\0') {
        rc = rolling_take_name(rolling, roll->target, sizeof roll->target);
    }
    if (roll->values.next_time_ns == 0 && roll->values.next_file_bytes == 0) {
        roll->values.next_time_ns = rolling_next_ns(rolling, born_ns);
        roll->values.next_file_bytes = rolling->size_bytes == UINT64_MAX ? 0 : rolling->size_bytes;
    }
    return rc;
}

static int64_t roll_now(burst_stream_t *stream, struct checked_roll *roll, int64_t event_time_ns) {
    struct rolling *rolling = stream->rolling;
    if (rolling == NULL) {
        return append_roll(stream, roll, event_time_ns, ring_append_roll, &stream->rule);
    }
    if (!atomic_load(&rolling->has_begun)) {
        return error_set(
            EAGAIN,
            "log file %s of ring %s is not rolled yet: records of an earlier run wait for it; roll it when "
            "it can be written and has those",
            rolling->file, stream->ring->path);
    }
    pthread_mutex_lock(&rolling->lock);
    const uint64_t bytes = atomic_load(&rolling->bytes);
    const int rc = complete(rolling, roll, event_time_ns);
    const int64_t sequence = rc < 0 ? rc : append_roll(stream, roll, event_time_ns, ring_append_roll, &stream->rule);
    if (sequence > 0 || sequence == -EINPROGRESS) {
        const uint64_t last = sequence > 0 ? (uint64_t)sequence : ring_next_sequence(stream->ring) - 1;
        rolling_rolled(rolling, last, bytes, event_time_ns);
    }
    pthread_mutex_unlock(&rolling->lock);
    return sequence;
}

int64_t burst_stream_roll(burst_stream_t *stream, const burst_roll_t *given, int64_t event_time_ns) {
    struct checked_roll roll;
    int rc = log_check_alive(stream->log);
    rc = rc < 0 ? rc : stream_check(stream);
    rc = rc < 0 ? rc : check_roll(stream, given, &roll);
    rc = rc < 0 ? rc : refuse_device(stream);
    return rc < 0 ? rc : stream_count(stream, roll_now(stream, &roll, event_time_ns));
}

/* -------------------------------------------------------------------------------------------------- roll unasked */

/* Under the lock. A file without a byte is as good as the next one, whose birth it gets: so it is not renamed. */
static void roll_unasked(burst_stream_t *stream, const struct ring_rule *rule) {
    static const struct ring_rule never_wait = {.on_full = RING_ON_FULL_FAIL, .timeout_ns = 0};
    struct rolling *rolling = stream->rolling;
    struct checked_roll roll = {.values = {.struct_bytes = sizeof roll.values}};
    const int64_t now_ns = platform_realtime_ns(&platform_linux);
    const int may_wait = rule->on_full == RING_ON_FULL_BLOCK && rule->timeout_ns < 0;
    const uint64_t bytes = atomic_load(&rolling->bytes);
    if (bytes == 0) {
        memcpy(roll.next, rolling->file, sizeof roll.next);
    }
    if (complete(rolling, &roll, now_ns) < 0) {
        rolling_put_off(rolling);
        return;
    }
    const int64_t sequence = append_roll(stream, &roll, now_ns, ring_enqueue_roll, may_wait ? rule : &never_wait);
    if (sequence > 0) {
        rolling_rolled(rolling, (uint64_t)sequence, bytes, now_ns);
    }
}

void roll_if_due(burst_stream_t *stream, size_t length, const struct ring_rule *rule) {
    struct rolling *rolling = stream->rolling;
    if (rolling_is_due(rolling, length) && pthread_mutex_trylock(&rolling->lock) == 0) {
        if (rolling_is_due(rolling, length)) { /* nobody else has rolled it meanwhile */
            roll_unasked(stream, rule);
        }
        pthread_mutex_unlock(&rolling->lock);
    }
}

int64_t roll_count(burst_stream_t *stream, size_t length, int64_t sequence) {
    if (sequence > 0) {
        atomic_fetch_add_explicit(&stream->rolling->bytes, length, memory_order_relaxed);
    }
    return sequence;
}

/* ------------------------------------------------------------------------------------------------ ask and answer */

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
                     stream->id, stream->ring->path);
}

static int refuse_closed(const burst_stream_t *stream) {
    return error_set(ESHUTDOWN, "stream %u of ring %s is closed: no roll of it is to be performed any more", stream->id,
                     stream->ring->path);
}

/* 1 with *request filled up to its struct_bytes, 0, or -ESHUTDOWN. */
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
                        : check_path(stream, "target", target, given.target);
    result = result < 0 ? result : check_next(stream, next_file, given.next);
    result = result < 0 ? result : answer(stream, sequence, &given);
    if (result == 0) {
        event_count_notify(&stream->ring->drain, &platform_linux);
    }
    return result;
}
