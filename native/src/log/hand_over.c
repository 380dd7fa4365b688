/* SPDX-License-Identifier: Apache-2.0 */
#include "log/hand_over.h"

#include <errno.h>
#include <string.h>

#include "base/alarm.h"
#include "base/error.h"
#include "window/locks.h"
#include "window/page_file.h"

#define PATIENCE_NS 10000000000
#define SPACE_POLL_NS 1000000  /* while an append waits for space */
#define ANSWER_POLL_NS 5000000 /* while a thread waits for a log file or a stream */
#define HOLDER_BYTES 64

struct hand_over {
    struct ring_locks locks;
    int is_external;
    struct page_file file;
    struct drain_page *page;
    uint64_t drain; /* whose events were heard up to `heard` */
    uint64_t heard;
    int64_t absent_since_ns;  /* 0: a drain is there */
    int64_t stopped_since_ns; /* the drain has not moved since then, though it should; 0: it need not */
    int64_t stopped_told_ns;
    uint64_t moved;   /* the drained sequence at that time */
    int refused_rc;   /* why this process could not drain, told once */
    int is_name_told; /* that the lock file was deleted, and none can be had */
};

/* ------------------------------------------------------------------------------------------------------------ open */

/* A log that always drains takes part only if there is a lock file. */
static int begin_inner(struct hand_over *self, const burst_t *log, const char *folder, const uint8_t uuid[16]) {
    int rc = locks_find(&self->locks, folder, uuid);
    if (rc == -ENOENT) {
        return 0;
    }
    return rc < 0 ? rc : locks_take_both(&self->locks, log->device->path, LOCKS_WAIT_NS);
}

static int begin_external(struct hand_over *self, const burst_t *log, const char *folder, const uint8_t uuid[16],
                          enum engine_drains *drains) {
    const struct device *device = log->device;
    if (device->mapping != NULL || device->io == DEVICE_IO_NVME) {
        return error_set(ENOTSUP,
                         "ring %s is written by io=%s, which one process alone can do: leave out drain=external",
                         device->path, device->ops->name);
    }
    self->page = platform_allocate(&platform_linux, sizeof *self->page, PLATFORM_PLAIN);
    int rc =
        self->page == NULL ? error_set(ENOMEM, "no memory for the drain's page: %zu bytes", sizeof *self->page) : 0;
    rc = rc < 0 ? rc : page_file_name(&self->file, folder, uuid);
    rc = rc < 0 ? rc : locks_open(&self->locks, folder, uuid);
    rc = rc < 0 ? rc : locks_await_writer(&self->locks, device->path, LOCKS_WAIT_NS);
    if (rc < 0) {
        return rc;
    }
    /* One that waits for the lock has it in a moment. */
    rc = locks_is_held(&self->locks, LOCKS_WANTED) == 1 ? -EBUSY : locks_try(&self->locks, LOCKS_DRAIN);
    *drains = rc == -EBUSY ? ENGINE_DRAINS_NOT : ENGINE_DRAINS_NOW;
    return rc == -EBUSY ? 0 : rc;
}

int hand_over_begin(burst_t *log, const struct checked_config *checked, const uint8_t uuid[16],
                    enum engine_drains *drains) {
    char folder[BURST_PATH_BYTES];
    struct hand_over *self = platform_allocate(&platform_linux, sizeof *self, PLATFORM_PLAIN);
    *drains = ENGINE_DRAINS;
    if (self == NULL) {
        return error_set(ENOMEM, "no memory for the locks of ring %s: %zu bytes", log->device->path, sizeof *self);
    }
    log->hand_over = self;
    self->locks.fd = self->file.fd = -1;
    self->is_external = log->is_external;
    const int rc = locks_folder(checked->values.window, log->device->path, log->device->is_file, folder, sizeof folder);
    if (rc < 0) {
        return rc;
    }
    return self->is_external ? begin_external(self, log, folder, uuid, drains) : begin_inner(self, log, folder, uuid);
}

void hand_over_end(burst_t *log) {
    struct hand_over *self = log->hand_over;
    if (self != NULL) {
        locks_close(&self->locks);
        if (self->page != NULL) {
            platform_release(&platform_linux, self->page, sizeof *self->page);
        }
        platform_release(&platform_linux, self, sizeof *self);
        log->hand_over = NULL;
    }
}

int hand_over_is_external(const burst_t *log) {
    return log->is_external;
}

void hand_over_drain(const burst_t *log, char *text, size_t room) {
    locks_holder(&log->hand_over->locks, LOCKS_DRAIN, text, room);
}

int hand_over_check_stream(const burst_t *log, const char *ring, const burst_stream_config_t *stream) {
    return log->is_external && stream->rolls_by_caller
               ? error_set(EINVAL,
                           "log file %s of ring %s is rolled by its caller (rolls_by_caller), whom the "
                           "drain of another process cannot ask: let the engine roll it (rolling), or leave out "
                           "drain=external",
                           stream->file_name, ring)
               : 0;
}

/* ---------------------------------------------------------------------------------------------------- who drains */

static void tell_absent(burst_t *log, const char *why) {
    events_post(
        &log->events, EVENT_WARN,
        "ring %s has no drain%s: its records stay in the ring, which takes more until it is full; start `burstlog "
        "drain`. After %s without one, or when the ring is three quarters full, this process drains by itself",
        log->device->path, why, error_time(PATIENCE_NS));
}

static void let_go(burst_t *log) {
    struct hand_over *self = log->hand_over;
    engine_end_draining(log->engine);
    locks_let_go(&self->locks, LOCKS_DRAIN);
}

static void give_way(burst_t *log, const struct ring_locks *locks, enum locks_byte byte) {
    struct hand_over *self = log->hand_over;
    char holder[HOLDER_BYTES];
    locks_holder(locks, byte, holder, sizeof holder);
    engine_step(log->engine, 1); /* as much as possible is noted: the drain begins with what is not */
    let_go(log);
    self->absent_since_ns = 0;
    events_post(&log->events, EVENT_INFO, "ring %s is drained by %s from now on, and no longer by this process",
                log->device->path, holder);
}

void hand_over_opened(burst_t *log) {
    struct hand_over *self = log->hand_over;
    if (self->is_external && engine_drains_here(log->engine)) {
        let_go(log);
        self->absent_since_ns = platform_monotonic_ns(&platform_linux);
        tell_absent(log, "");
    }
}

static int is_nearly_full(const burst_t *log) {
    const struct ring *ring = log->engine->ring;
    return ring_claimed(ring) - slot_watch_released(&log->engine->keeper.slots) >=
           ring->geometry.capacity_bytes / 4 * 3;
}

/* Drains here from now on, if nobody was faster. */
static void take(burst_t *log, const char *because) {
    struct hand_over *self = log->hand_over;
    int rc = locks_try(&self->locks, LOCKS_DRAIN);
    if (rc == -EBUSY) {
        return;
    }
    if (rc == 0) {
        rc = engine_begin_draining(log->engine);
    }
    if (rc == 0) {
        self->refused_rc = 0;
        events_post(&log->events, EVENT_WARN,
                    "this process drains ring %s by itself, since %s; it gives way to `burstlog drain`",
                    log->device->path, because);
        return;
    }
    locks_let_go(&self->locks, LOCKS_DRAIN);
    self->absent_since_ns = platform_monotonic_ns(&platform_linux); /* tries again after another while */
    if (rc != self->refused_rc) {
        self->refused_rc = rc;
        events_post(&log->events, EVENT_ERROR, "this process cannot drain ring %s: %s", log->device->path,
                    error_text());
    }
}

/* Posts what the drain has told its operator since it was heard last. */
static void hear_events(burst_t *log) {
    struct hand_over *self = log->hand_over;
    const struct drain_page *page = self->page;
    if (page->drain != self->drain) {
        self->drain = page->drain;
        self->heard = 0;
    }
    if (page->events - self->heard > DRAIN_PAGE_EVENTS || self->heard > page->events) {
        self->heard = page->events > DRAIN_PAGE_EVENTS ? page->events - DRAIN_PAGE_EVENTS : 0;
    }
    for (; self->heard < page->events; self->heard++) {
        const struct drain_page_event *event = &page->event[self->heard % DRAIN_PAGE_EVENTS];
        events_post(&log->events, event->severity <= EVENT_ERROR ? event->severity : EVENT_ERROR, "%s", event->text);
    }
}

/* A drain that was stopped (SIGSTOP), or hangs in the kernel, keeps its lock: only the operator can help. */
static void look_for_stop(burst_t *log) {
    struct hand_over *self = log->hand_over;
    const int64_t now_ns = platform_monotonic_ns(&platform_linux);
    const uint64_t moved = engine_drained_sequence(log->engine);
    if (moved != self->moved || engine_is_drained(log->engine)) {
        self->moved = moved;
        self->stopped_since_ns = self->stopped_told_ns = 0;
    } else if (self->stopped_since_ns == 0) {
        self->stopped_since_ns = self->stopped_told_ns = now_ns;
    } else if (now_ns - self->stopped_told_ns >= ALARM_EVERY_NS) {
        char holder[HOLDER_BYTES];
        locks_holder(&self->locks, LOCKS_DRAIN, holder, sizeof holder);
        self->stopped_told_ns = now_ns;
        events_post(
            &log->events, EVENT_WARN,
            "for %lld s the drain of ring %s, %s, has moved no record: the ring takes more until it is full; let "
            "that process go on, or end it",
            (long long)((now_ns - self->stopped_since_ns) / 1000000000), log->device->path, holder);
    }
}

static void look_at_drain(burst_t *log) {
    struct hand_over *self = log->hand_over;
    if (self->absent_since_ns != 0) {
        char holder[HOLDER_BYTES];
        locks_holder(&self->locks, LOCKS_DRAIN, holder, sizeof holder);
        self->absent_since_ns = 0;
        events_post(&log->events, EVENT_INFO, "ring %s is drained by %s", log->device->path, holder);
    }
    if (page_file_read(&self->file, self->page)) {
        hear_events(log);
        engine_far_take_page(log->engine, self->page);
    }
    look_for_stop(log);
}

static void look_at_absence(burst_t *log) {
    struct hand_over *self = log->hand_over;
    const int64_t now_ns = platform_monotonic_ns(&platform_linux);
    if (self->absent_since_ns == 0) {
        self->absent_since_ns = now_ns;
        tell_absent(log, " any more");
    }
    if (now_ns - self->absent_since_ns >= PATIENCE_NS) {
        take(log, "it has had no drain for 10 s");
    } else if (self->refused_rc == 0 && is_nearly_full(log)) {
        take(log, "it is three quarters full and has no drain");
    } else if (self->refused_rc == 0 && requests_are_waiting(log->engine->requests)) {
        take(log, "a stream is to be opened or closed and it has no drain");
    }
}

/* -------------------------------------------------------------------------------------------- a deleted lock file */

/* Returns 0 if this process now has its bytes in the file that has the name. -EBUSY: a drain has them there for a moment. */
static int follow(burst_t *log, struct ring_locks *named) {
    struct hand_over *self = log->hand_over;
    int rc = engine_drains_here(log->engine) ? locks_try(named, LOCKS_DRAIN) : 0;
    if (rc == -EBUSY && locks_is_held(named, LOCKS_WRITER) == 0) {
        give_way(log, named, LOCKS_DRAIN); /* before a drain may see the writer's lock: two would drain */
        rc = 0;
    }
    rc = rc < 0 ? rc : locks_try(named, LOCKS_WRITER);
    rc = rc < 0 ? rc : locks_replace(&self->locks, named);
    return rc;
}

/* Others have deleted the lock file. A drain that comes later makes a new one, and takes a ring whose writer is not there for
 * one that nobody writes. Until this process can follow, it goes on with the deleted one. */
static void look_at_name(burst_t *log) {
    struct hand_over *self = log->hand_over;
    struct ring_locks named;
    if (locks_is_named(&self->locks) ||
        (!engine_drains_here(log->engine) && locks_is_held(&self->locks, LOCKS_DRAIN) == 1)) {
        return; /* a drain that has the deleted file leaves it, too, and may be in the middle of a step */
    }
    int rc = locks_open_named(&self->locks, &named);
    if (rc == 0) {
        rc = follow(log, &named);
        locks_close(&named);
    }
    if (rc == 0) {
        events_post(
            &log->events, EVENT_WARN,
            "the lock file of ring %s, %s, was deleted while this process had it: it has its locks in a new one "
            "now; let nobody clean up that folder",
            log->device->path, self->locks.path);
    } else if (rc != -EBUSY && !self->is_name_told) {
        self->is_name_told = 1;
        events_post(&log->events, EVENT_WARN,
                    "the lock file of ring %s was deleted, and this process cannot have a new one, so no drain but "
                    "itself moves its records: %s",
                    log->device->path, error_text());
    }
}

void hand_over_look(void *argument) {
    burst_t *log = argument;
    struct hand_over *self = log->hand_over;
    if (!self->is_external) {
        return;
    }
    look_at_name(log);
    if (engine_drains_here(log->engine)) {
        if (engine_drain_is_lost(log->engine)) {
            let_go(log); /* the sentence was told */
        } else if (locks_is_held(&self->locks, LOCKS_WANTED) == 1) {
            give_way(log, &self->locks, LOCKS_WANTED);
        }
    } else if (locks_is_held(&self->locks, LOCKS_DRAIN) == 1) {
        look_at_drain(log);
    } else if (locks_is_held(&self->locks, LOCKS_WANTED) != 1) {
        look_at_absence(log);
    }
}

int64_t hand_over_pause_ns(const void *argument, int64_t pause_ns) {
    const burst_t *log = argument;
    const struct engine *engine = log->engine;
    int64_t most_ns = pause_ns;
    if (!log->hand_over->is_external || engine_drains_here(engine)) {
        return pause_ns;
    }
    if (keeper_awaits_space(&engine->keeper)) {
        most_ns = SPACE_POLL_NS;
    } else if (atomic_load(&engine->keeper.drained.waiters) != 0) {
        most_ns = ANSWER_POLL_NS;
    }
    return most_ns < pause_ns ? most_ns : pause_ns;
}
