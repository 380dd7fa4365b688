/* SPDX-License-Identifier: Apache-2.0 */
/* The drain of a ring that no process writes. */
#include <errno.h>

#include "base/error.h"
#include "device/open.h"
#include "ledger/ledger.h"
#include "log/epoch.h"
#include "log/ring_drain_session.h"
#include "view/ring_view.h"

#define LOOK_NS 20000000 /* how often an idle drain looks for a writer */

/* Writes the marker: from here on everybody finds the same log. A ring from which nothing is to be moved needs none. */
static int mark(struct ring_drain *self, struct device *device, struct ring_view *view) {
    struct recovery *recovery = &view->recovery;
    struct ring_start start;
    char text[EVENT_TEXT_BYTES];
    if (recovery->records == 0 && recovery->jump_count == 0) {
        return 0;
    }
    int rc = ring_view_check(device, view);
    rc = rc < 0 ? rc : checkpoints_settle(ledger_checkpoints(view->ledger));
    rc = rc < 0 ? rc : checkpoints_take(ledger_checkpoints(view->ledger));
    rc = rc < 0 ? rc : ledger_repair(view->ledger, self->events);
    if (rc < 0) {
        return rc;
    }
    recovery_statement(recovery, text, sizeof text);
    const uint32_t severity = recovery->lost > 0 ? EVENT_ERROR : EVENT_INFO;
    events_post(self->events, severity, "ring %s has no writer, and is drained: %s", device->path, text);
    const uint64_t place = recovery->marker_position % ring_view_superblock(view)->capacity_bytes;
    return epoch_begin(self->platform, device, view, (struct record_header *)(view->own_image + place), &start);
}

static int recover(struct ring_drain *self, struct device *device) {
    struct ring_view *view;
    int rc = device->ops->flush(device);
    rc = rc < 0 ? rc : ring_view_open(self->platform, device, &view);
    if (rc == 0) {
        rc = mark(self, device, view);
        ring_view_close(self->platform, view);
    }
    return rc;
}

/* Whether nobody has written the ring since it was recovered, and this process need not look elsewhere. A writer may live
 * and die between two looks: a log that is known is opened while its drain hangs. */
static int is_at_rest(const struct ring_drain *self) {
    return !ring_drain_is_stopped(self) && locks_is_held(&self->locks, LOCKS_WRITER) == 0 &&
           locks_taken(&self->locks, LOCKS_WRITER) == self->writers && locks_is_named(&self->locks);
}

static int drain(struct ring_drain *self) {
    int rc = 0;
    while (rc >= 0 && is_at_rest(self)) {
        rc = drain_session_step(self);
        if (rc <= 0) {
            self->platform->ops->sleep_ns(self->platform, LOOK_NS);
        }
    }
    return rc < 0 ? rc : 0;
}

static int drain_view(struct ring_drain *self, struct device *device, struct ring_view *view) {
    const struct log_source source = ring_view_source(view);
    const struct drain_session_source given = {.device = device,
                                               .checkpoints = ledger_checkpoints(view->ledger),
                                               .source = &source,
                                               .epoch = view->recovery.epoch_highest,
                                               .epoch_begin = UINT64_MAX}; /* no epoch goes on */
    int rc = drain_session_open(self, &given);
    rc = rc < 0 ? rc : drain(self);
    drain_session_close(self);
    return rc;
}

/* Reads what is to be drained, through a device that does not keep a writer out. All that it reads is durable: recovery
 * has flushed what others wrote, and its own writes have returned. */
static int open_view(struct ring_drain *self, struct device **device, struct ring_view **view) {
    int rc = device_open(self->platform, self->ring, DEVICE_BESIDE, DEVICE_IO_AUTO, device);
    if (rc < 0) {
        return rc;
    }
    rc = ring_view_open(self->platform, *device, view);
    if (rc < 0) {
        device_close(*device);
    }
    return rc;
}

/* The ring's own guard is held until all is read: a writer that lived and died meanwhile would leave a view half of one
 * log and half of the next, and its lock may lie in a lock file that was deleted. */
int drain_session_at_rest(struct ring_drain *self) {
    struct device *guard, *device;
    struct ring_view *view;
    self->writers = locks_taken(&self->locks, LOCKS_WRITER);
    int rc = device_open(self->platform, self->ring, DEVICE_WRITER, DEVICE_IO_AUTO, &guard);
    if (rc == 0) {
        rc = recover(self, guard);
        rc = rc < 0 ? rc : open_view(self, &device, &view);
        device_close(guard);
    }
    locks_let_go(&self->locks, LOCKS_WRITER);
    if (rc == 0) {
        rc = drain_view(self, device, view);
        ring_view_close(self->platform, view);
        device_close(device);
    }
    return rc;
}
