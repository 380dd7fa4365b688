/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of burstlog_reader.h. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/platform.h"
#include "burstlog.h"
#include "read/needle.h"
#include "read/open.h"

#define STRUCT_MOST_BYTES 8192                              /* a larger struct is garbage */
#define FIRST_READ_BYTES offsetof(burst_read_t, durable_ns) /* what burst_read_t had in the first version */

struct burst_reader {
    struct read_source *source;
    burst_read_t held; /* the record that did not fit in the last poll's buffer; it comes next */
    int holds;
    int failure; /* that the last poll met behind records which it gave: the next call tells it, as `why` says; 0: none */
    char why[BURST_TEXT_BYTES];
    uint64_t records, missed, lost;
};

void burst_reader_config_init_bytes(burst_reader_config_t *config, size_t struct_bytes) {
    memset(config, 0, struct_bytes);
    config->struct_bytes = (uint32_t)struct_bytes;
}

static int check_bytes(const char *type, uint32_t bytes, size_t least) {
    return bytes >= least && bytes <= STRUCT_MOST_BYTES
               ? 0
               : error_set(EINVAL,
                           "%s has %zu bytes here and %u in the caller: set struct_bytes, and build against the "
                           "burstlog.h of this library",
                           type, least, bytes);
}

static int check_seek(uint32_t from, int64_t value) {
    if (from > BURST_FROM_LAST) {
        return error_set(EINVAL, "a reader cannot begin from %u: burst_read_from has the values 0 to %d", from,
                         BURST_FROM_LAST);
    }
    return (from == BURST_FROM_SEQUENCE && value < 1) || (from == BURST_FROM_LAST && value < 0)
               ? error_set(EINVAL, "a reader cannot begin from %s %lld: the first %s is %d",
                           from == BURST_FROM_LAST ? "the last" : "record", (long long)value,
                           from == BURST_FROM_LAST ? "number of records" : "one", from != BURST_FROM_LAST)
               : 0;
}

static int check_config(const burst_reader_config_t *config) {
    const uint8_t *const rest = (const uint8_t *)config;
    int rc = check_bytes("burst_reader_config_t", config->struct_bytes, sizeof *config);
    for (size_t i = sizeof *config; rc == 0 && i < config->struct_bytes; i++) {
        rc = rest[i] == 0
                 ? 0
                 : error_set(EINVAL, "burst_reader_config_t has a field that this library does not know: build "
                                     "against the burstlog.h of this library");
    }
    if (rc == 0 && (config->source == NULL || *config->source == '\0')) {
        rc = error_set(EINVAL,
                       "a reader needs a source: the path of a ring, of a log file, of a folder of segments, or of "
                       "a signed archive");
    }
    if (rc == 0 && config->wait > BURST_WAIT_SPIN) {
        rc = error_set(EINVAL, "a reader cannot wait as %u says: burst_read_wait has the values 0 to %d", config->wait,
                       BURST_WAIT_SPIN);
    }
    return rc < 0 ? rc : check_seek(config->from, config->from_value);
}

int burst_reader_open(const burst_reader_config_t *config, burst_reader_t **reader_out) {
    *reader_out = NULL;
    int rc = check_config(config);
    if (rc < 0) {
        return rc;
    }
    burst_reader_t *reader = platform_allocate(&platform_linux, sizeof *reader, PLATFORM_PLAIN);
    if (reader == NULL) {
        return error_set(ENOMEM, "no memory to read %s: %zu bytes", config->source, sizeof *reader);
    }
    rc = read_open(&platform_linux, config, &reader->source);
    rc =
        rc < 0 ? rc : reader->source->ops->seek(reader->source, (enum burst_read_from)config->from, config->from_value);
    if (rc < 0) {
        burst_reader_close(reader);
        return rc;
    }
    *reader_out = reader;
    return 0;
}

void burst_reader_close(burst_reader_t *reader) {
    if (reader != NULL) {
        if (reader->source != NULL) {
            reader->source->ops->close(reader->source);
        }
        platform_release(&platform_linux, reader, sizeof *reader);
    }
}

void read_set_needle(burst_reader_t *reader, struct read_needle *needle) {
    reader->source->needle = needle;
}

int burst_reader_seek(burst_reader_t *reader, enum burst_read_from from, int64_t value) {
    int rc = check_seek(from, value);
    rc = rc < 0 ? rc : reader->source->ops->seek(reader->source, from, value);
    if (rc == 0) {
        reader->holds = reader->failure = 0;
    }
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------ next */

static int take(burst_reader_t *reader, burst_read_t *record) {
    if (reader->holds) {
        *record = reader->held;
        reader->holds = 0;
        return 1;
    }
    if (reader->failure < 0) {
        const int failure = reader->failure;
        reader->failure = 0;
        return error_set(-failure, "%s", reader->why);
    }
    record->struct_bytes = sizeof *record;
    return reader->source->ops->next(reader->source, record);
}

static int await(burst_reader_t *reader, burst_read_t *record, int64_t timeout_ns) {
    reader->source->waits = timeout_ns != 0;
    int rc = take(reader, record);
    if (rc != 0 || timeout_ns == 0 || reader->source->ops->wait == NULL) {
        return rc;
    }
    const int64_t end_ns = platform_deadline_ns(&platform_linux, timeout_ns);
    for (int64_t left_ns = timeout_ns; rc == 0;) {
        rc = reader->source->ops->wait(reader->source, left_ns);
        rc = rc < 0 ? rc : take(reader, record);
        const int64_t now_ns = timeout_ns < 0 ? 0 : platform_monotonic_ns(&platform_linux);
        if (rc == 0 && now_ns >= end_ns) {
            return 0;
        }
        left_ns = timeout_ns < 0 ? -1 : end_ns - now_ns;
    }
    return rc;
}

static void count(burst_reader_t *reader, const burst_read_t *record) {
    reader->records += record->kind <= BURST_READ_LINE;
    reader->missed += record->kind == BURST_READ_MISSED ? record->count : 0;
    reader->lost += record->kind == BURST_READ_LOST ? record->count : 0;
}

int burst_reader_next(burst_reader_t *reader, burst_read_t *record, int64_t timeout_ns) {
    const uint32_t bytes = record->struct_bytes;
    burst_read_t found;
    int rc = check_bytes("burst_read_t", bytes, sizeof found);
    rc = rc < 0 ? rc : await(reader, &found, timeout_ns);
    if (rc > 0) {
        count(reader, &found);
        memset(record, 0, bytes);
        memcpy(record, &found, bytes < sizeof found ? bytes : sizeof found);
        record->struct_bytes = bytes;
    }
    return rc;
}

/* Writes the record with its data and returns the bytes that it needs. If the room is too small it writes nothing. */
static size_t put(const burst_read_t *record, uint8_t *out, size_t room) {
    const size_t length = record->data == NULL ? 0 : record->length;
    const size_t needed = sizeof(burst_read_polled_t) + (length + 7) / 8 * 8;
    if (needed <= room) {
        const burst_read_polled_t polled = {.kind = record->kind,
                                            .length = (uint32_t)length,
                                            .sequence = record->sequence,
                                            .event_time_ns = record->event_time_ns,
                                            .count = record->count,
                                            .position = record->position,
                                            .stream = record->stream,
                                            .epoch = record->epoch,
                                            .place = record->place,
                                            .enqueued = record->enqueued,
                                            .durable_ns = record->durable_ns};
        memcpy(out, &polled, sizeof polled);
        if (length > 0) {
            memset(out + needed - 8, 0, 8);
            memcpy(out + sizeof polled, record->data, length);
        }
    }
    return needed;
}

int64_t burst_reader_poll(burst_reader_t *reader, void *buffer, size_t bytes, int64_t timeout_ns) {
    size_t filled = 0;
    burst_read_t record;
    int rc;
    for (rc = await(reader, &record, timeout_ns); rc > 0; rc = take(reader, &record)) {
        const size_t needed = put(&record, (uint8_t *)buffer + filled, bytes - filled);
        if (needed > bytes - filled) {
            reader->held = record;
            reader->holds = 1;
            return (int64_t)(filled > 0 ? filled : needed);
        }
        count(reader, &record);
        filled += needed;
    }
    if (rc < 0 && filled > 0) {
        reader->failure = rc;
        snprintf(reader->why, sizeof reader->why, "%s", error_text());
    }
    return filled > 0 ? (int64_t)filled : rc;
}

int burst_reader_state(const burst_reader_t *reader, burst_reader_state_t *state) {
    burst_reader_state_t found = {.records = reader->records, .missed = reader->missed, .lost = reader->lost};
    const uint32_t bytes = state->struct_bytes;
    const int rc = check_bytes("burst_reader_state_t", bytes, sizeof found);
    if (rc == 0) {
        reader->source->ops->state(reader->source, &found);
        if (reader->holds) {
            found.next_sequence = reader->held.sequence;
        }
        memset(state, 0, bytes);
        memcpy(state, &found, sizeof found);
        state->struct_bytes = bytes;
    }
    return rc;
}
