/* SPDX-License-Identifier: Apache-2.0 */
#include "log/ring_drain_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "device/device.h"
#include "media/record.h"

#define PAGE_NS 1000000000 /* the page is written so often even without news */
#define BUSY_LOOKS 8       /* looks in each interval while records come fast */
#define FAST_LOOKS 64      /* while a quarter of the ring comes between two looks */
#define PAUSE_SLICE_NS 20000000

static struct ring_drain *drain_of(void *drainer) {
    return (struct ring_drain *)((char *)drainer - offsetof(struct ring_drain, drainer));
}

static void noted(void *drainer) {
    drain_of(drainer)->has_news = 1;
}

static void failed(void *drainer, int rc) {
    drain_of(drainer)->failed_rc = rc;
}

static uint64_t durable_position(const struct ring_drain *self) {
    uint64_t position, next_sequence;
    self->source->ops->durable(self->source, &position, &next_sequence);
    return position;
}

/* The source itself tells why, and its session ends. */
static int unreadable(void *drainer) {
    (void)drainer;
    return 1;
}

/* The writer does not say whether an append waits: the longest record takes a quarter of the ring. */
static int is_space_awaited(void *drainer) {
    const struct ring_drain *self = drain_of(drainer);
    return durable_position(self) - checkpoints_released(self->checkpoints) >=
           self->source->shape.capacity_bytes / 4 * 3;
}

static int is_wanted(void *drainer) {
    const struct ring_drain *self = drain_of(drainer);
    return ring_drain_is_stopped(self) || (self->requests != NULL && requests_wait(self->requests));
}

static void rolled(void *drainer) {
    tidier_wake(&drain_of(drainer)->tidier);
}

int drain_session_open(struct ring_drain *self, const struct drain_session_source *given) {
    const struct drain_host host = {.argument = &self->drainer,
                                    .noted = noted,
                                    .failed = failed,
                                    .unreadable = unreadable,
                                    .is_space_awaited = is_space_awaited,
                                    .rolled = rolled,
                                    .is_wanted = is_wanted};
    self->checkpoints = given->checkpoints;
    self->source = given->source;
    self->requests = given->requests;
    self->epoch = given->requests != NULL ? given->epoch : 0;
    self->failed_rc = 0;
    int rc = checkpoints_settle(given->checkpoints);
    rc = rc < 0 ? rc : checkpoints_take(given->checkpoints);
    rc = rc < 0 ? rc : checkpoints_level(given->checkpoints, self->events);
    if (rc < 0) {
        return rc;
    }
    const struct drainer_parts parts = {
        .platform = self->platform,
        .files = &files_posix,
        .raw_media = &raw_media_posix,
        .events = self->events,
        .host = &host,
        .ring_path = self->ring,
        .ring_uuid = self->uuid,
        .drain = {.platform = self->platform,
                  .checkpoints = given->checkpoints,
                  .source = given->source,
                  .epoch = given->epoch,
                  .epoch_begin = given->epoch_begin,
                  .longest = given->source->shape.capacity_bytes / 4, /* no record is longer */
                  .is_apart = 1}};
    pthread_mutex_lock(&self->drainer_lock);
    rc = drainer_open(&self->drainer, &parts, NULL);
    pthread_mutex_unlock(&self->drainer_lock);
    self->page->epoch = self->epoch;
    self->has_news = 1;
    self->looked = durable_position(self);
    return rc;
}

void drain_session_close(struct ring_drain *self) {
    pthread_mutex_lock(&self->drainer_lock);
    drainer_close(&self->drainer);
    pthread_mutex_unlock(&self->drainer_lock);
    self->requests = NULL;
    self->epoch = 0;
}

/* ------------------------------------------------------------------------------------------------------- requests */

/* Whether the names of a path lead out of the place where it begins. */
static int leads_out(const char *path) {
    int depth = 0;
    while (*path != '\0' && depth >= 0) {
        const size_t slashes = strspn(path, "/"), length = strcspn(path + slashes, "/");
        const char *name = path + slashes;
        depth += length == 2 && memcmp(name, "..", 2) == 0 ? -1 : length > 1 || (length == 1 && *name != '.');
        path = name + length;
    }
    return depth < 0;
}

/* Links are the kernel's to see (cli/below.h). */
static int is_below(const char *path, const char *folder) {
    const size_t bytes = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, bytes) == 0 && (path[bytes] == '/' || (path[bytes] == '\0' && bytes > 0)) &&
           !leads_out(path + bytes);
}

/* path NULL: nothing is to be written. Returns 0, or -EPERM with a sentence. */
static int check_below(const struct ring_drain *self, const char *path) {
    int is_allowed = path == NULL || self->below_count == 0;
    for (size_t i = 0; i < self->below_count && !is_allowed; i++) {
        is_allowed = is_below(path, self->below[i]);
    }
    return is_allowed
               ? 0
               : error_set(EPERM,
                           "%s, to which records of ring %s are to go, is below none of the folders that its "
                           "drain may write (--below): give the log another place, or name this one to the drain",
                           path, self->ring);
}

static int check_requested(void *argument, const struct engine_stream *stream) {
    const int rc = check_below(argument, stream->path);
    return rc < 0 ? rc : check_below(argument, stream->segments);
}

static int open_requested(void *argument, const struct engine_stream *stream, uint16_t *id) {
    struct ring_drain *self = argument;
    return drainer_add_stream(&self->drainer, stream, id);
}

static void close_requested(void *argument, uint16_t id) {
    struct ring_drain *self = argument;
    drainer_remove_stream(&self->drainer, id);
}

static void answered(void *argument) {
    struct ring_drain *self = argument;
    self->has_news = 1;
}

static void serve(struct ring_drain *self) {
    const struct request_server server = {.argument = self,
                                          .check = check_requested,
                                          .open = open_requested,
                                          .close = close_requested,
                                          .answered = answered};
    if (self->requests != NULL && requests_wait(self->requests)) {
        requests_serve(self->requests, &server);
    }
}

/* ----------------------------------------------------------------------------------------------------------- page */

static void fill_streams(struct ring_drain *self) {
    for (uint16_t id = 0; id < LAYOUT_STREAMS_MAX; id++) {
        struct drain_page_stream *told = &self->page->streams[id];
        struct drain_figures figures;
        *told = (struct drain_page_stream){.is_there = 0};
        if (drain_get_figures(self->drainer.drain, id, &figures) == 0) {
            *told = (struct drain_page_stream){.is_there = 1,
                                               .records = figures.records,
                                               .bytes = figures.bytes,
                                               .length = figures.length,
                                               .held_bytes = figures.held_bytes,
                                               .is_stalled = figures.stalled,
                                               .began_empty = figures.began_empty};
        }
    }
}

static void fill_events(struct ring_drain *self) {
    struct event event;
    uint64_t behind;
    while ((behind = events_since(self->events, self->told_events, &event)) != 0) {
        struct drain_page_event *told = &self->page->event[(behind - 1) % DRAIN_PAGE_EVENTS];
        told->severity = event.severity;
        told->time_ns = event.time_ns;
        memcpy(told->text, event.text, sizeof told->text);
        self->told_events = self->page->events = behind;
        self->has_news = 1;
    }
}

static void publish(struct ring_drain *self) {
    const int64_t now_ns = platform_monotonic_ns(self->platform);
    fill_events(self);
    if (!self->has_news && now_ns - self->page_ns < PAGE_NS) {
        return;
    }
    fill_streams(self);
    if (self->requests != NULL) {
        memcpy(self->page->answers, self->requests->answered, sizeof self->page->answers);
    } else {
        memset(self->page->answers, 0, sizeof self->page->answers);
    }
    self->page->epoch = self->epoch;
    self->page->pid = (uint32_t)getpid();
    self->page_ns = now_ns;
    self->has_news = page_file_write(&self->file, self->page) < 0; /* the next step tries again */
}

/* ----------------------------------------------------------------------------------------------------------- step */

int drain_session_step(struct ring_drain *self) {
    uint64_t syncs = 0;
    serve(self);
    if (self->requests != NULL) {
        syncs = atomic_load(&self->requests->table->syncs);
    }
    const uint64_t before = self->looked;
    const int rc = drain_step(self->drainer.drain, syncs != self->syncs);
    self->syncs = rc < 0 ? self->syncs : syncs;
    self->looked = durable_position(self);
    publish(self);
    return self->failed_rc < 0 ? self->failed_rc : rc == 1 || self->looked != before;
}

/* In slices: a stop must not wait. */
static void sleep_for(const struct ring_drain *self, int64_t ns) {
    while (ns > 0 && !ring_drain_is_stopped(self)) {
        const int64_t slice_ns = ns < PAUSE_SLICE_NS ? ns : PAUSE_SLICE_NS;
        self->platform->ops->sleep_ns(self->platform, slice_ns);
        ns -= slice_ns;
        if (self->requests != NULL &&
            (requests_wait(self->requests) || atomic_load(&self->requests->table->syncs) != self->syncs)) {
            return;
        }
    }
}

void drain_session_pause(struct ring_drain *self) {
    const uint64_t capacity_bytes = self->source->shape.capacity_bytes;
    const uint64_t moved = durable_position(self) - self->looked;
    const uint64_t held = durable_position(self) - checkpoints_released(self->checkpoints);
    const int64_t pause_ns = held >= capacity_bytes / 2 || moved >= capacity_bytes / 4 ? self->interval_ns / FAST_LOOKS
                             : held >= capacity_bytes / 16                             ? self->interval_ns / BUSY_LOOKS
                                                                                       : self->interval_ns;
    sleep_for(self, pause_ns);
}
