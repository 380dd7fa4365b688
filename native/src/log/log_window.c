/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_window.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "log/figures.h"

#define DEFAULT_MODE (S_IRUSR | S_IWUSR)

static int is_wanted(const burst_config_t *config) {
    return config->window != NULL && *config->window != '\0';
}

int log_window_prepare(burst_t *log, const struct checked_config *checked) {
    window_memory_init(&log->window.memory);
    log->window.memory.has_requests = checked->values.drain == BURST_DRAIN_EXTERNAL;
    return is_wanted(&checked->values) ? door_check(checked->values.window) : 0;
}

void log_window_renew(burst_t *log, const struct checked_config *checked) {
    window_memory_close(&log->window.memory);
    log->device->image_shared = NULL;
    log_window_prepare(log, checked);
}

struct window_maker *log_window_maker(burst_t *log, const struct checked_config *checked) {
    return is_wanted(&checked->values) ? &log->window.memory.maker : NULL;
}

static void await_commit(void *argument, uint64_t above_position, int64_t timeout_ns) {
    struct ring *ring = argument;
    uint64_t position, next_sequence;
    const uint32_t ticket = event_count_register(&ring->ended);
    ring_durable(ring, &position, &next_sequence);
    if (position > above_position || ring_has_failed(ring)) {
        event_count_leave(&ring->ended);
    } else {
        event_count_wait(&ring->ended, ring->platform, ticket, timeout_ns);
    }
}

static int open_door(burst_t *log, const burst_config_t *config) {
    struct ring *ring = log->engine->ring;
    const struct door_host host = {.platform = ring->platform,
                                   .events = &log->events,
                                   .ring = ring->path,
                                   .argument = ring,
                                   .await_commit = await_commit,
                                   .fill_figures = log_fill_figures,
                                   .log = log,
                                   .commits = &ring->ended};
    const int fd = window_memory_seal(&log->window.memory);
    if (fd < 0) {
        return error_set(-fd, "%s", log->window.memory.why_not);
    }
    log->window.door = platform_allocate(ring->platform, sizeof *log->window.door, PLATFORM_PLAIN);
    int rc = log->window.door == NULL ? error_set(ENOMEM, "no memory for its socket") : 0;
    const uint32_t mode = config->window_mode == 0 ? DEFAULT_MODE : config->window_mode;
    rc = rc < 0 ? rc : door_open(log->window.door, &host, config->window, mode, log->engine->window, fd);
    if (rc < 0 && log->window.door != NULL) {
        platform_release(ring->platform, log->window.door, sizeof *log->window.door);
        log->window.door = NULL;
    }
    return rc;
}

void log_window_open(burst_t *log, const struct checked_config *checked) {
    const struct window_memory *memory = &log->window.memory;
    const char *const ring = log->device->path;
    if (!is_wanted(&checked->values)) {
        return;
    }
    const char *why = NULL;
    if (log->engine->window == NULL) {
        why = memory->why_not[0] != '\0' ? memory->why_not : NULL; /* else the engine has told why */
    } else if (open_door(log, &checked->values) < 0) {
        why = error_text();
    } else if (memory->why_not[0] != '\0') {
        events_post(&log->events, EVENT_INFO,
                    "the window of ring %s shares no memory of the ring, so readers read records from the medium: %s",
                    ring, memory->why_not);
    }
    if (why != NULL) {
        events_post(&log->events, EVENT_WARN,
                    "ring %s is opened without a window in %s: %s; readers read the medium, some milliseconds late",
                    ring, checked->values.window, why);
    }
}

/* The file of a ring file is beside it, so that both are found together. A device has no folder of its own: its file is where
 * the window is. */
static int name_record(burst_t *log, const burst_config_t *config) {
    struct recorder *const recorder = &log->recorder;
    char name[WINDOW_SOCKET_NAME_BYTES];
    const size_t room = sizeof recorder->path;
    window_socket_name(recorder->uuid, name);
    name[strlen(name) - strlen(WINDOW_SOCKET_SUFFIX)] = '\0';
    const int bytes = log->device->is_file
                          ? snprintf(recorder->path, room, "%s%s", log->device->path, FLIGHT_SUFFIX)
                          : snprintf(recorder->path, room, "%s/%s%s", config->window, name, FLIGHT_SUFFIX);
    return bytes < (int)room;
}

/* Those who may connect to the window may read the file. */
static uint32_t mode_of_record(const burst_config_t *config) {
    return DEFAULT_MODE | (config->window_mode & (S_IWGRP | S_IWOTH)) << 1;
}

void log_window_record(burst_t *log, const struct checked_config *checked) {
    const burst_config_t *const config = &checked->values;
    struct recorder *const recorder = &log->recorder;
    const struct recorder_host host = {
        .platform = log->ring->platform, .events = &log->events, .fill = log_fill_figures, .log = log};
    if (!is_wanted(config)) {
        return;
    }
    memcpy(recorder->uuid, ring_view_superblock(&log->engine->view)->uuid, sizeof recorder->uuid);
    snprintf(recorder->ring, sizeof recorder->ring, "%s", log->device->path);
    recorder->mode = mode_of_record(config);
    if (name_record(log, config)) {
        recorder_start(recorder, &host);
    } else {
        events_post(&log->events, EVENT_WARN,
                    "ring %s goes on without its flight recorder, and loses no record by that: %s", recorder->ring,
                    "the path of its file is too long");
    }
}

void log_window_close(burst_t *log) {
    struct door *const door = log->window.door;
    log->window.door = NULL;
    if (door != NULL && door_close(door)) {
        platform_release(log->ring->platform, door, sizeof *door);
    }
}

void log_window_free(burst_t *log) {
    window_memory_close(&log->window.memory);
}
