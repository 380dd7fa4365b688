/* SPDX-License-Identifier: Apache-2.0 */
#include "log/stream_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/umask.h"
#include "log/durability.h"
#include "log/hand_over.h"
#include "log/log_file_open.h"
#include "log/roll_slot.h"
#include "log/stream_rolling.h"
#include "log/stream_names.h"
#include "outlet/file/accounts.h"
#include "ring/leader.h"

#define KNOWN_WAIT_NS 2000000000 /* so long an open waits for a drain that need not answer */

/* Ends with the strings that `wanted` points to. */
struct stream_opening {
    struct log_file_before before;
    struct engine_stream wanted;
    struct roll_slot *rolls; /* NULL: the engine performs the rolls */
    struct rolling *rolling; /* NULL: the stream does not roll by itself */
    struct roll_rules_head rights;
    struct retention *retention; /* NULL: it has no segments */
    int is_far;                  /* another process may drain */
    size_t bytes;                /* of this struct with its strings */
    char strings[];
};

void burst_stream_config_init_bytes(burst_stream_config_t *config, size_t struct_bytes) {
    memset(config, 0, struct_bytes);
    config->struct_bytes = (uint32_t)struct_bytes;
}

/* --------------------------------------------------------------------------------------- for any stream */

static size_t string_bytes(const char *text) {
    return text == NULL ? 0 : strlen(text) + 1;
}

static const char *copy_string(char **room, const char *text) {
    const size_t bytes = string_bytes(text);
    char *copy = *room;
    *room += bytes;
    return text == NULL ? NULL : memcpy(copy, text, bytes);
}

/* Copies the caller's texts, which last only as long as the caller's call. */
static struct stream_opening *make_opening(const struct checked_stream *config) {
    const burst_stream_config_t *values = &config->values;
    const char *name = values->name == NULL ? "" : values->name;
    const size_t bytes = sizeof(struct stream_opening) + string_bytes(name) + string_bytes(config->file_name) +
                         string_bytes(config->segments.folder) + string_bytes(values->file_owner) +
                         string_bytes(values->file_group);
    struct stream_opening *opening = platform_allocate(&platform_linux, bytes, PLATFORM_PLAIN);
    if (opening != NULL) {
        char *room = opening->strings;
        opening->bytes = bytes;
        opening->wanted = (struct engine_stream){.name = copy_string(&room, name),
                                                 .path = copy_string(&room, config->file_name),
                                                 .segment_bytes = values->segment_bytes,
                                                 .has_index = (int)values->index,
                                                 .new_file = {.mode = values->file_mode,
                                                              .owner = copy_string(&room, values->file_owner),
                                                              .group = copy_string(&room, values->file_group)}};
        if (config->segments.folder[0] != '\0') {
            opening->wanted.segments = copy_string(&room, config->segments.folder);
        }
        log_file_look(config->file_name, &opening->before);
    }
    return opening;
}

/* Prepares the one who rolls the stream's files. Returns 0, or -errno with a sentence. */
static int give_rolls(const char *ring, uint64_t max_record_bytes, const struct checked_stream *config,
                      struct stream_opening *opening) {
    const burst_stream_config_t *values = &config->values;
    int rc = 0;
    if (values->rolls_by_caller) {
        opening->rolls = roll_slot_create();
        rc = opening->rolls == NULL ? error_set(ENOMEM, "no memory to open log file %s", config->file_name) : 0;
    } else if (values->rolling != NULL) {
        rc = stream_rolling_create(ring, config->file_name, values->rolling, max_record_bytes, &opening->rolling);
    }
    opening->wanted.is_tidied = opening->rolling != NULL && !opening->is_far;
    opening->wanted.roller = opening->rolls != NULL     ? &opening->rolls->roller
                             : opening->rolling != NULL ? &opening->rolling->roller
                                                        : NULL;
    return rc;
}

/* Finds out how new files of the stream are made: each of its rolls says it. */
static int find_rights(struct stream_opening *opening) {
    const struct new_file *new_file = &opening->wanted.new_file;
    opening->rights.mode_is_exact = new_file->mode != 0;
    opening->rights.file_mode = new_file->mode != 0 ? new_file->mode & 07777 : umask_leaves();
    return accounts_find(new_file, &opening->rights.file_owner, &opening->rights.file_group);
}

/* Frees the opening, with everything in it that no stream has taken. */
static void forget_opening(struct stream_opening *opening) {
    roll_slot_destroy(opening->rolls);
    rolling_destroy(opening->rolling);
    retention_destroy(opening->retention);
    platform_release(&platform_linux, opening, opening->bytes);
}

int stream_prepare(burst_t *log, const char *ring, uint64_t max_record_bytes, const struct checked_stream *config,
                   burst_stream_t *stream, struct stream_opening **opening_out) {
    const burst_stream_config_t *values = &config->values;
    struct stream_opening *opening = make_opening(config);
    if (opening == NULL) {
        return error_set(ENOMEM, "no memory to open log file %s", config->file_name);
    }
    opening->is_far = hand_over_is_external(log);
    opening->wanted.is_main = stream == &log->main;
    int rc = hand_over_check_stream(log, ring, values);
    rc = rc < 0 ? rc : give_rolls(ring, max_record_bytes, config, opening);
    rc = rc < 0 ? rc : find_rights(opening);
    rc = rc < 0 ? rc : segments_prepare(log, &config->segments, &opening->retention);
    rc = rc < 0 ? rc : stream_names_take(log, stream, config->file_name, opening->rolling);
    if (rc < 0) {
        forget_opening(opening);
        return rc;
    }
    stream->rule.on_full = values->on_full;
    stream->rule.timeout_ns = values->block_timeout_ns == 0 ? -1 : (int64_t)values->block_timeout_ns;
    *opening_out = opening;
    return 0;
}

const struct engine_stream *stream_wanted(const struct stream_opening *opening) {
    return &opening->wanted;
}

/* Gives these parts to the stream, which owns them from now on. */
static void move_to_stream(struct stream_opening *opening, burst_stream_t *stream) {
    stream->rolls = opening->rolls;
    stream->rolling = opening->rolling;
    stream->rights = opening->rights;
    stream->retention = opening->retention;
    opening->rolls = NULL;
    opening->rolling = NULL;
    opening->retention = NULL;
}

/* Puts the stream among those of its log, unless that is being closed: the close lets go of those that it finds there. */
static int enlist(burst_stream_t *stream, struct stream_opening *opening, uint16_t id) {
    burst_t *log = stream->log;
    pthread_mutex_lock(&log->names_lock);
    const int is_open = !users_are_closing(&log->users);
    if (is_open) {
        move_to_stream(opening, stream);
        stream->in_ring.id = id;
        atomic_store(&stream->refusal, stream->rolling != NULL ? STREAM_ROLLS : STREAM_TAKES_RECORDS);
        stream->next = atomic_load(&log->streams);
        atomic_store(&log->streams, stream);
    }
    pthread_mutex_unlock(&log->names_lock);
    return is_open;
}

int stream_start(burst_stream_t *stream, struct stream_opening *opening, uint16_t id) {
    if (!enlist(stream, opening, id)) {
        return 0;
    }
    forget_opening(opening);
    stream_rolling_begin(stream);
    segments_begin(stream);
    return 1;
}

void stream_take_back(burst_stream_t *stream, struct stream_opening *opening) {
    stream_names_let_go(stream);
    log_file_take_back(&opening->before);
    forget_opening(opening);
}

/* ------------------------------------------------------------------------------------------ a stream of an open log
 *
 * Only the drain may open it, and a log file that does not answer may hold the drain up for ever. So the caller asks
 * the drain, and waits within a limit. If that is over the caller withdraws the request, and the drain gets the opening:
 * it frees it once it has dealt with that. */

/* Runs in the thread of the drain, or when the log is closed. */
static void forget_withdrawn(void *opening) {
    forget_opening(opening);
}

static int refuse_late(burst_t *log, const char *path) {
    char drain[64];
    if (!users_are_closing(&log->users) && log->engine->far != NULL) {
        hand_over_drain(log, drain, sizeof drain);
        return error_set(ETIMEDOUT,
                         "log file %s was not opened within shutdownTimeout, %s: the drain of ring %s, %s, has not "
                         "answered; let it go on, or end it, and open the stream again",
                         path, error_time(log->shutdown_timeout_ns), log->ring->path, drain);
    }
    return users_are_closing(&log->users)
               ? error_set(ESHUTDOWN, "the log on ring %s was closed while log file %s was being opened",
                           log->ring->path, path)
               : error_set(ETIMEDOUT,
                           "log file %s was not opened within shutdownTimeout, %s: the thread burst-drain of ring %s "
                           "still waits for a log file that does not answer, or still writes what waits for one; open "
                           "the stream again when that has passed",
                           path, error_time(log->shutdown_timeout_ns), log->ring->path);
}

int stream_await_opening(burst_stream_t *stream, struct stream_opening *opening, const char *path, int is_known) {
    burst_t *log = stream->log;
    struct requests *requests = log->engine->requests;
    struct limit limit = limit_of(is_known ? KNOWN_WAIT_NS : log->shutdown_timeout_ns);
    if (log->engine->far != NULL) {
        ring_commit(log->ring); /* what engine_add_stream does for a drain of this process */
    }
    int rc = requests_open(requests, log->ring->path, &opening->wanted, &stream->request);
    if (rc == 0) {
        engine_ask(log->engine);
        const struct stream_answer *answer = log_await_answer(log, &stream->request, &limit);
        const int is_refused = answer != NULL && answer->rc < 0;
        const int is_there = answer != NULL ? !is_refused : is_known;
        if (is_there && stream_start(stream, opening, answer != NULL ? answer->id : LAYOUT_MAIN_STREAM)) {
            return 0;
        }
        if (!is_refused) {
            requests_close(requests, &stream->request, forget_withdrawn, opening);
            engine_ask(log->engine);
            stream_names_let_go(stream);
            return refuse_late(log, path);
        }
        rc = error_set(-answer->rc, "%s", answer->text);
        requests_forget(requests, &stream->request);
    }
    stream_names_let_go(stream);
    forget_opening(opening);
    return rc;
}

static int add(burst_stream_t *stream, const struct checked_stream *config) {
    burst_t *log = stream->log;
    struct stream_opening *opening;
    struct survival of_ring = {.survives = log->device->survives};
    uint32_t survives = 0;
    snprintf(of_ring.because, sizeof of_ring.because, "%s", log->device->survives_because);
    int rc = durability_check_stream((int)log->durability_asked, log->ring->path, &of_ring, config, &survives);
    rc = rc < 0 ? rc
                : stream_prepare(log, log->ring->path, log->ring->limits.max_record_bytes, config, stream, &opening);
    rc = rc < 0 ? rc : stream_await_opening(stream, opening, config->file_name, 0);
    if (rc == 0 && survives > atomic_load(&log->survives)) {
        atomic_store(&log->survives, survives);
    }
    return rc;
}

static int open_stream(burst_t *log, const burst_stream_config_t *given, burst_stream_t **stream_out) {
    struct checked_stream config;
    *stream_out = NULL;
    int rc = log_check_alive(log);
    rc = rc < 0 ? rc : config_check_stream(log->ring->path, given, &config);
    rc = rc < 0 ? rc : log_enter(log);
    if (rc < 0) {
        return rc;
    }
    burst_stream_t *stream = platform_allocate(&platform_linux, sizeof *stream, PLATFORM_PLAIN);
    if (stream == NULL) {
        rc = error_set(ENOMEM, "no memory for a stream of ring %s: %zu bytes", log->ring->path, sizeof *stream);
    } else {
        stream->ring = log->ring;
        stream->log = log;
        rc = add(stream, &config);
    }
    if (rc == 0) {
        *stream_out = stream;
    } else if (stream != NULL) {
        platform_release(&platform_linux, stream, sizeof *stream);
    }
    log_leave(log);
    return rc;
}

int burst_stream_open(burst_t *log, const burst_stream_config_t *config, burst_stream_t **stream) {
    const int before = cancel_hold();
    const int rc = open_stream(log, config, stream);
    cancel_restore(before);
    return rc;
}
