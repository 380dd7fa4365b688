/* SPDX-License-Identifier: Apache-2.0 */
#include "log/ring_drain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alarm.h"
#include "base/error.h"
#include "base/path.h"
#include "device/open.h"
#include "ledger/ledger.h"
#include "log/ring_drain_session.h"

#define DEFAULT_INTERVAL_NS 100000000
#define POLL_NS 10000000
#define AFTER_ERROR_NS 500000000
#define WINDOW_WITHIN_NS 10000000000 /* an open that reads a large ring takes some seconds */
#define HOLDER_BYTES 64

/* ------------------------------------------------------------------------------------------------------------ begin */

/* Finds out which ring it is, and where its lock file lies. */
static int identify(struct ring_drain *self, const struct ring_drain_config *config, char *folder, size_t room) {
    struct device *device;
    struct ledger *ledger = NULL;
    int rc = device_open(self->platform, config->ring, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &device);
    if (rc < 0) {
        return rc;
    }
    snprintf(self->ring, sizeof self->ring, "%s", device->path);
    rc = ledger_read(self->platform, device, &ledger);
    if (rc == 0) {
        memcpy(self->uuid, ledger_view(ledger)->superblock.uuid, sizeof self->uuid);
    }
    if (rc == 0 && device->mapping != NULL) {
        rc = error_set(ENOTSUP, "ring %s is mapped memory, which one process alone can drain: the one that writes it",
                       self->ring);
    }
    ledger_close(ledger);
    if (rc == 0) {
        rc = locks_folder(config->window, self->ring, device->is_file, folder, room);
    }
    device_close(device);
    return rc;
}

static int next_rules(const struct tidier_host *host, struct outlet_rules *rules) {
    struct ring_drain *self = (struct ring_drain *)((char *)(uintptr_t)host - offsetof(struct ring_drain, tidier_host));
    pthread_mutex_lock(&self->drainer_lock);
    const int id = self->drainer.drain == NULL ? -ENOENT : drain_next_rules(self->drainer.drain, rules);
    pthread_mutex_unlock(&self->drainer_lock);
    return id;
}

static void put_back_rules(const struct tidier_host *host, int id) {
    struct ring_drain *self = (struct ring_drain *)((char *)(uintptr_t)host - offsetof(struct ring_drain, tidier_host));
    pthread_mutex_lock(&self->drainer_lock);
    if (self->drainer.drain != NULL) {
        drain_return_rules(self->drainer.drain, (uint16_t)id);
    }
    pthread_mutex_unlock(&self->drainer_lock);
}

static int begin(struct ring_drain *self, const struct ring_drain_config *config) {
    char folder[BURST_PATH_BYTES], name[WINDOW_SOCKET_NAME_BYTES];
    int rc = identify(self, config, folder, sizeof folder);
    rc = rc < 0 ? rc : page_file_name(&self->file, folder, self->uuid);
    rc = rc < 0 ? rc : locks_open(&self->locks, folder, self->uuid);
    if (rc < 0) {
        return rc;
    }
    window_socket_name(self->uuid, name);
    if (snprintf(self->window, sizeof self->window, "%s/%s", folder, name) >= (int)sizeof self->window) {
        return error_set(ENAMETOOLONG, "the path of the window of ring %s is too long", self->ring);
    }
    self->page = platform_allocate(self->platform, sizeof *self->page, PLATFORM_PLAIN);
    if (self->page == NULL) {
        return error_set(ENOMEM, "no memory to drain ring %s: %zu bytes", self->ring, sizeof *self->page);
    }
    self->page->drain = self->platform->ops->random(self->platform);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------- locks */

/* Waits for the byte, and tells once who has it. Returns 0; 1 if it was stopped; or -errno with a sentence. */
static int await_lock(struct ring_drain *self, enum locks_byte byte, const char *what) {
    int is_told = 0;
    for (;;) {
        const int rc = locks_try(&self->locks, byte);
        if (rc != -EBUSY || ring_drain_is_stopped(self)) {
            return rc == -EBUSY ? 1 : rc;
        }
        if (!is_told) {
            char holder[HOLDER_BYTES];
            locks_holder(&self->locks, byte, holder, sizeof holder);
            events_post(self->events, EVENT_INFO, "ring %s %s %s: this drain waits until that ends or gives way",
                        self->ring, what, holder);
            is_told = 1;
        }
        self->platform->ops->sleep_ns(self->platform, POLL_NS);
    }
}

static int await_turn(struct ring_drain *self) {
    int rc = await_lock(self, LOCKS_WANTED, "is to be drained by");
    rc = rc != 0 ? rc : await_lock(self, LOCKS_DRAIN, "is drained by");
    locks_let_go(&self->locks, LOCKS_WANTED);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------ serve */

struct trouble {
    int rc;
    int64_t told_ns;
};

static void pause_after_error(const struct ring_drain *self) {
    for (int64_t slept_ns = 0; slept_ns < AFTER_ERROR_NS && !ring_drain_is_stopped(self); slept_ns += POLL_NS) {
        self->platform->ops->sleep_ns(self->platform, POLL_NS);
    }
}

/* Tells an error when it begins and each minute, and waits a moment. A process that opens the ring has its guard a moment
 * before it has the writer's lock: that is told only if it lasts. */
static void wait_after(struct ring_drain *self, struct trouble *trouble, int rc) {
    const int64_t now_ns = platform_monotonic_ns(self->platform);
    if (rc == -EBUSY && trouble->rc != rc) {
        *trouble = (struct trouble){.rc = rc, .told_ns = now_ns - ALARM_EVERY_NS};
    } else if (rc != trouble->rc || now_ns - trouble->told_ns >= ALARM_EVERY_NS) {
        *trouble = (struct trouble){.rc = rc, .told_ns = now_ns};
        const uint32_t severity = rc == -EBUSY ? EVENT_WARN : EVENT_ERROR;
        events_post(self->events, severity, "ring %s is not drained: %s", self->ring, error_text());
    }
    pause_after_error(self);
}

/* Whether a writer without a window has had time enough to make one. */
static int is_overdue(const struct ring_drain *self, int64_t *since_ns) {
    const int64_t now_ns = platform_monotonic_ns(self->platform);
    *since_ns = *since_ns == 0 ? now_ns : *since_ns;
    self->platform->ops->sleep_ns(self->platform, POLL_NS);
    return now_ns - *since_ns >= WINDOW_WITHIN_NS;
}

/* Drains as long as this process has the lock and is not stopped. Returns 0; or, with a sentence, DRAIN_NOT_BESIDE if it cannot
 * drain beside the writer, or -ESTALE. */
static int serve(struct ring_drain *self) {
    struct trouble trouble = {.rc = 0};
    int64_t no_window_ns = 0;
    while (!ring_drain_is_stopped(self) && locks_is_named(&self->locks)) {
        int rc = locks_try(&self->locks, LOCKS_WRITER);
        rc = rc == 0 ? drain_session_at_rest(self) : rc == -EBUSY ? drain_session_beside(self) : rc;
        no_window_ns = rc == DRAIN_NO_WINDOW ? no_window_ns : 0;
        if (rc == DRAIN_NO_WINDOW && no_window_ns == 0) {
            drain_session_level(self);
        }
        if (rc == -ESTALE || rc == DRAIN_NOT_BESIDE || (rc == DRAIN_NO_WINDOW && is_overdue(self, &no_window_ns))) {
            return rc == -ESTALE ? rc : DRAIN_NOT_BESIDE;
        }
        if (rc < 0) {
            wait_after(self, &trouble, rc);
        } else {
            trouble.rc = 0;
        }
    }
    return 0;
}

/* The drain that cannot reach a writer must not keep the lock: the ring would fill. The writer drains by itself until this one
 * can, or until that writer has gone. */
static void leave_to_writer(struct ring_drain *self) {
    events_post(self->events, EVENT_WARN,
                "ring %s is left to the process that writes it, which drains it after 10 s, or when it is three "
                "quarters full: %s",
                self->ring, error_text());
    do {
        pause_after_error(self);
    } while (!ring_drain_is_stopped(self) && locks_is_named(&self->locks) &&
             locks_is_held(&self->locks, LOCKS_WRITER) == 1 && drain_session_look_beside(self) != 0);
}

static int run(struct ring_drain *self) {
    int rc = 0;
    while (rc == 0 && !ring_drain_is_stopped(self)) {
        rc = await_turn(self);
        if (rc == 0) {
            rc = page_file_open(&self->file);
            events_post(self->events, EVENT_INFO, "this process drains ring %s", self->ring);
            rc = rc < 0 ? rc : serve(self);
            page_file_close(&self->file);
        }
        locks_let_go(&self->locks, LOCKS_DRAIN);
        if (rc == DRAIN_NOT_BESIDE) {
            leave_to_writer(self);
            rc = 0;
        }
    }
    return rc < 0 ? rc : 0;
}

int ring_drain_run(const struct ring_drain_config *config, struct events *events, const _Atomic uint32_t *stop) {
    const struct platform *platform = &platform_linux;
    struct ring_drain *self = platform_allocate(platform, sizeof *self, PLATFORM_PLAIN);
    if (self == NULL) {
        return error_set(ENOMEM, "no memory to drain ring %s: %zu bytes", config->ring, sizeof *self);
    }
    self->platform = platform;
    self->events = events;
    self->stop = stop;
    self->below = config->below;
    self->below_count = config->below_count;
    self->interval_ns = config->interval_ns != 0 ? config->interval_ns : DEFAULT_INTERVAL_NS;
    self->locks.fd = self->file.fd = -1;
    pthread_mutex_init(&self->drainer_lock, NULL);
    self->tidier_host =
        (struct tidier_host){.ring = self->ring, .events = events, .next = next_rules, .put_back = put_back_rules};
    self->tidier.host = &self->tidier_host;
    int rc = begin(self, config);
    rc = rc < 0 ? rc : run(self);
    tidier_stop(&self->tidier);
    struct limit limit = limit_of(-1);
    tidier_await_end(&self->tidier, &limit);
    locks_close(&self->locks);
    if (self->page != NULL) {
        platform_release(platform, self->page, sizeof *self->page);
    }
    platform_release(platform, self, sizeof *self);
    return rc;
}
