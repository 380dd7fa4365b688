/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a roll: checks the caller's values, and appends it. */
#include "log/roll.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "log/config.h"
#include "log/log.h"
#include "media/roll.h"
#include "rolling/rolling.h"

_Static_assert(BURST_ROLL_NOTE_BYTES == ROLL_NOTE_BYTES, "a note fits");
_Static_assert(BURST_PATH_BYTES == LAYOUT_FILE_NAME_BYTES, "a path fits");

typedef int64_t ring_append_call(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                                 const struct ring_stream *stream, const struct ring_rule *rule);

void burst_roll_init_bytes(burst_roll_t *roll, size_t struct_bytes) {
    memset(roll, 0, struct_bytes);
    roll->struct_bytes = (uint32_t)struct_bytes;
}

struct checked_roll {
    burst_roll_t values;
    struct rolling_roll files;
};

static int is_empty(const char *path) {
    return path == NULL || *path == '\0';
}

int roll_check_path(const burst_stream_t *stream, const char *what, const char *given, char *path) {
    path[0] = '\0';
    const int rc = is_empty(given) ? 0 : path_absolute(given, path, BURST_PATH_BYTES);
    return rc < 0 ? error_set(EINVAL, "the %s of a roll of ring %s, \"%s\", cannot be used: %s", what,
                              stream->ring->path, given, error_name(-rc))
                  : 0;
}

int roll_check_next(const burst_stream_t *stream, const char *given, char *path) {
    return is_empty(given) ? roll_check_path(stream, "next file", given, path)
                           : config_check_file_name(stream->ring->path, given, path, BURST_PATH_BYTES);
}

static int check_roll(const burst_stream_t *stream, const burst_roll_t *given, struct checked_roll *roll) {
    burst_roll_t *values = &roll->values;
    int rc = config_copy_given(given, "roll", sizeof *values, values, sizeof *values);
    rc = rc < 0 ? rc : roll_check_path(stream, "target", values->target, roll->files.target);
    rc = rc < 0 ? rc : roll_check_next(stream, values->next_file, roll->files.next);
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
    roll->files.next_time_ns = values->next_time_ns;
    roll->files.next_file_bytes = values->next_file_bytes;
    return roll->files.target[0] == '\0' && roll->files.next[0] == '\0' && stream->rolls == NULL &&
                   stream->rolling == NULL
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
    engine_get_figures(stream->log->engine, stream->in_ring.id, &figures);
    log_leave(stream->log);
    return figures.kind == OUTLET_RAW
               ? error_set(ENOTSUP, "stream %u of ring %s writes a device, which cannot be rolled: let it write a file",
                           stream->in_ring.id, stream->ring->path)
               : 0;
}

static int refuse_long(const burst_stream_t *stream, const burst_roll_t *values) {
    const uint64_t most = stream->ring->limits.max_record_bytes;
    return values->footer_bytes > most || values->header_bytes > most
               ? error_set(EMSGSIZE,
                           "footer and header of a roll of ring %s have %zu and %zu bytes, and are longer than "
                           "maxRecordSize, %llu bytes: raise that, or shorten them",
                           stream->ring->path, values->footer_bytes, values->header_bytes, (unsigned long long)most)
               : 0;
}

static int64_t put(burst_stream_t *stream, const struct roll *roll, int64_t time_ns, ring_append_call *call,
                   const struct ring_rule *rule) {
    const size_t bytes = roll_size(roll);
    uint8_t *payload = platform_allocate(&platform_linux, bytes, PLATFORM_PLAIN);
    if (payload == NULL) {
        return error_set(ENOMEM, "no memory for a roll of ring %s: %zu bytes", stream->ring->path, bytes);
    }
    roll_encode(roll, payload);
    const int64_t sequence = call(stream->ring, payload, bytes, time_ns, &stream->in_ring, rule);
    platform_release(&platform_linux, payload, bytes);
    return sequence;
}

/* The rules for a performer that has nothing but the record. */
static struct roll_rules rules_of(const burst_stream_t *stream) {
    struct roll_rules rules = {.are_there = 1, .head = stream->rights};
    if (stream->rolling != NULL) {
        rolling_rules(stream->rolling, &rules);
    }
    return rules;
}

static struct roll roll_of(const burst_stream_t *stream, const struct rolling_roll *files) {
    return (struct roll){.target = files->target,
                         .next = files->next,
                         .target_bytes = (uint32_t)strlen(files->target),
                         .next_bytes = (uint32_t)strlen(files->next),
                         .by_caller = stream->rolls != NULL,
                         .next_time_ns = files->next_time_ns,
                         .next_file_bytes = files->next_file_bytes,
                         .rules = rules_of(stream)};
}

int64_t roll_enqueue(burst_stream_t *stream, const struct rolling_roll *files, int64_t time_ns,
                     const struct ring_rule *rule) {
    const struct roll roll = roll_of(stream, files);
    return put(stream, &roll, time_ns, ring_enqueue_roll, rule);
}

static int64_t append(burst_stream_t *stream, const struct checked_roll *checked, int64_t time_ns, int may_wait) {
    static const struct ring_rule never_wait = {.on_full = RING_ON_FULL_FAIL, .timeout_ns = 0, .is_retry = 1};
    const burst_roll_t *values = &checked->values;
    struct roll roll = roll_of(stream, &checked->files);
    const int rc = refuse_long(stream, values);
    roll.footer = values->footer;
    roll.header = values->header;
    roll.note = values->note;
    roll.footer_bytes = (uint32_t)values->footer_bytes;
    roll.header_bytes = (uint32_t)values->header_bytes;
    roll.note_bytes = (uint32_t)values->note_bytes;
    return rc < 0     ? rc
           : may_wait ? put(stream, &roll, time_ns, ring_append_roll, &stream->rule)
                      : put(stream, &roll, time_ns, ring_enqueue_roll, &never_wait);
}

/* The engine also rolls the stream by itself: it completes this roll, and its names and figures go on behind it. */
static int64_t append_between(struct rolling *rolling, burst_stream_t *stream, struct checked_roll *roll,
                              int64_t time_ns, int may_wait) {
    const int rc = rolling_begin_roll(rolling, &roll->files, time_ns, may_wait);
    if (rc < 0) {
        return rc;
    }
    const int64_t sequence = append(stream, roll, time_ns, may_wait);
    const uint64_t last = sequence > 0               ? (uint64_t)sequence
                          : sequence == -EINPROGRESS ? ring_next_sequence(stream->ring) - 1
                                                     : 0;
    rolling_end_roll(rolling, last, time_ns);
    return sequence;
}

static int64_t roll_now(burst_stream_t *stream, const burst_roll_t *given, int64_t event_time_ns, int may_wait) {
    struct checked_roll roll;
    int rc = log_check_alive(stream->log);
    rc = rc < 0 ? rc : stream_check(stream);
    rc = rc < 0 ? rc : check_roll(stream, given, &roll);
    rc = rc < 0 ? rc : refuse_device(stream);
    if (rc < 0) {
        return rc;
    }
    return stream_count(stream, stream->rolling != NULL
                                    ? append_between(stream->rolling, stream, &roll, event_time_ns, may_wait)
                                    : append(stream, &roll, event_time_ns, may_wait));
}

int64_t burst_stream_roll(burst_stream_t *stream, const burst_roll_t *roll, int64_t event_time_ns) {
    return roll_now(stream, roll, event_time_ns, 1);
}

int64_t burst_stream_offer_roll(burst_stream_t *stream, const burst_roll_t *roll, int64_t event_time_ns) {
    return roll_now(stream, roll, event_time_ns, 0);
}
