/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the drain process: its state, and a session, which serves one source. */
#ifndef BURST_LOG_RING_DRAIN_SESSION_H
#define BURST_LOG_RING_DRAIN_SESSION_H

#include <pthread.h>

#include "base/events.h"
#include "log/drainer.h"
#include "log/requests.h"
#include "rolling/tidier.h"
#include "window/attach.h"
#include "window/locks.h"
#include "window/page_file.h"

struct ring_drain {
    const struct platform *platform;
    struct events *events;
    const _Atomic uint32_t *stop;
    int64_t interval_ns;
    const char *const *below; /* struct ring_drain_config */
    size_t below_count;
    char ring[4096];
    char window[4096]; /* the socket */
    uint8_t uuid[16];
    struct ring_locks locks;
    struct page_file file;
    struct drain_page *page;
    struct tidier_host tidier_host;
    struct tidier tidier;
    pthread_mutex_t drainer_lock; /* the tidier asks the drainer, which comes and goes */

    uint64_t writers; /* so often the writer's lock was taken when this drain recovered the ring */

    /* The session: */
    struct drainer drainer;
    struct checkpoints *checkpoints;
    const struct log_source *source;
    struct requests *requests; /* NULL: nobody asks */
    uint32_t epoch;            /* of the log whose requests are answered; 0: of none */
    int failed_rc;             /* no checkpoint could be written */
    int has_news;              /* for the page */
    uint64_t told_events;      /* on the page */
    int64_t page_ns;           /* when it was written */
    uint64_t looked;           /* the watermark of the last step */
    uint64_t syncs;            /* as the requests had them in the last step */
};

static inline int ring_drain_is_stopped(const struct ring_drain *self) {
    return atomic_load(self->stop) != 0;
}

struct drain_session_source {
    struct device *device; /* open beside others */
    struct checkpoints *checkpoints;
    const struct log_source *source;
    struct requests *requests; /* NULL: nobody asks */
    uint32_t epoch;
    uint64_t epoch_begin;
};

/* Makes the drainer: the caller is the drain from here on. Returns 0, or -errno with a sentence; drain_session_close is called in
 * each case. */
int drain_session_open(struct ring_drain *self, const struct drain_session_source *source);

/* Notes what it has, and closes the drainer. */
void drain_session_close(struct ring_drain *self);

/* One step, and the page. Returns 1 if it moved anything, 0, or -errno with a sentence if no checkpoint can be written. A
 * stream that stalls is told by itself. */
int drain_session_step(struct ring_drain *self);

/* Sleeps until the next step: not long while records come fast. */
void drain_session_pause(struct ring_drain *self);

/* Drains a ring that no process writes. The caller has the writer's lock, which this lets go of. Returns 0 when a writer
 * has come or when it was stopped; or -errno with a sentence. */
int drain_session_at_rest(struct ring_drain *self);

/* Results of the next two beside 0 and -errno, with a sentence. */
#define DRAIN_NO_WINDOW 1  /* the writer gives none now: it opens the ring, or closes it, or has lost its socket */
#define DRAIN_NOT_BESIDE 2 /* this process cannot drain that writer's ring, which may be of another version */

/* Drains the ring of a writer. Returns 0 when that is gone, or when it was stopped; DRAIN_NO_WINDOW or DRAIN_NOT_BESIDE, and
 * nothing was drained; or -errno with a sentence. */
int drain_session_beside(struct ring_drain *self);

/* Mends a slot that is torn. A writer that opens the ring waits for whole slots before it makes its window, and only the drain
 * writes them: so a drain that waits for a window calls this. If it fails, the writer tells that it cannot open the ring. */
void drain_session_level(const struct ring_drain *self);

/* Whether that could drain now: returns 0, DRAIN_NO_WINDOW or DRAIN_NOT_BESIDE. */
int drain_session_look_beside(struct ring_drain *self);

#endif
