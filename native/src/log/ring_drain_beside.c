/* SPDX-License-Identifier: Apache-2.0 */
/* The drain beside the process that writes the ring: the window of that process is its source. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "device/open.h"
#include "ledger/ledger.h"
#include "log/ring_drain_session.h"

struct beside {
    struct window_socket socket;
    struct attached_window window;
    struct device *device;
    struct ledger *ledger;
    struct recovery recovery; /* only its gaps and the end of the earlier log */
    struct requests *requests;
    struct log_source source;
    /* The watermark that was read last: a writer that dies while it moves the pair leaves a torn one. */
    uint64_t position, next_sequence;
};

static void durable(const struct log_source *source, uint64_t *position, uint64_t *next_sequence) {
    struct beside *beside = (struct beside *)((char *)(uintptr_t)source - offsetof(struct beside, source));
    uint64_t newer, sequence;
    if (window_get_watermark(beside->window.lines, &newer, &sequence) == 0 && newer > beside->position &&
        newer <= LAYOUT_NUMBER_MAX) {
        beside->position = newer;
        beside->next_sequence = sequence;
    }
    *position = beside->position;
    *next_sequence = beside->next_sequence;
}

static const struct log_source_ops beside_ops = {.durable = durable};

/* Returns 0, or -errno with a sentence if this window is none to drain. */
static int check_window(const struct ring_drain *self, const struct attached_window *window) {
    if (memcmp(window->head.uuid, self->uuid, sizeof self->uuid) != 0) {
        return error_set(EUCLEAN, "the window %s is of another ring than %s: remove it", self->window, self->ring);
    }
    if (window->requests == NULL) {
        return error_set(EBUSY,
                         "ring %s is open in a process that drains it by itself (drain=inner): open it there with "
                         "drain=external",
                         self->ring);
    }
    if (window->requests->version != HANDOVER_VERSION) {
        return error_set(EPROTO,
                         "the process that writes ring %s asks its drain in version %u of the words between them, and "
                         "this drain knows %u: run `burstlog drain` of the version of that process",
                         self->ring, window->requests->version, HANDOVER_VERSION);
    }
    return window->image != NULL
               ? 0
               : error_set(
                     ENOTSUP,
                     "the window of ring %s shares no memory of the ring, which needs Linux 5.1: open the ring with "
                     "drain=inner",
                     self->ring);
}

/* The slots are of the same ring as the window, and of no later log. */
static int check_ledger(const struct ring_drain *self, const struct beside *beside) {
    const struct window_head *head = &beside->window.head;
    const struct superblock *superblock = &ledger_view(beside->ledger)->superblock;
    if (head->capacity_bytes != superblock->capacity_bytes || head->block_bytes != superblock->block_bytes ||
        memcmp(head->uuid, superblock->uuid, sizeof head->uuid) != 0) {
        return error_set(EUCLEAN, "the window %s is not that of ring %s, which was formatted anew: open the log again",
                         self->window, self->ring);
    }
    return 0;
}

static int is_outdated(const struct beside *beside) {
    return ledger_slots(beside->ledger)->facts[ledger_newest(beside->ledger)].epoch > beside->window.head.epoch;
}

/* The gaps that the writer's recovery has found. */
static int take_gaps(const struct ring_drain *self, struct beside *beside) {
    const struct window_head *head = &beside->window.head;
    beside->recovery.platform = self->platform;
    beside->recovery.log_end = head->log_end;
    for (uint32_t i = 0; i < head->gap_count; i++) {
        const struct recovery_jump jump = {.gap = beside->window.gaps[i]};
        const int rc = recovery_add_jump(&beside->recovery, &jump);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int open_beside(const struct ring_drain *self, struct beside *beside) {
    const struct window_head *head = &beside->window.head;
    if (window_get_watermark(beside->window.lines, &beside->position, &beside->next_sequence) < 0 ||
        beside->position > LAYOUT_NUMBER_MAX) {
        return error_set(EAGAIN, "the window %s has no whole watermark: its log died, or is none", self->window);
    }
    /* The table is only read, but for atomic loads: requests_create asks for no const. */
    struct stream_requests *table = (struct stream_requests *)(uintptr_t)beside->window.requests;
    const uint32_t io = table->io == DEVICE_IO_FLUSH ? DEVICE_IO_FLUSH : DEVICE_IO_PWRITE;
    int rc = device_open(self->platform, self->ring, DEVICE_BESIDE, io, &beside->device);
    rc = rc < 0 ? rc : beside->device->ops->flush(beside->device);
    rc = rc < 0 ? rc : ledger_read(self->platform, beside->device, &beside->ledger);
    rc = rc < 0 ? rc : check_ledger(self, beside);
    rc = rc < 0 ? rc : take_gaps(self, beside);
    if (rc < 0) {
        return rc;
    }
    beside->requests = requests_create(self->platform, table);
    beside->source = (struct log_source){.ops = &beside_ops,
                                         .image = beside->window.image,
                                         .shape = {.capacity_bytes = head->capacity_bytes,
                                                   .block_bytes = head->block_bytes,
                                                   .line_bytes = head->line_bytes},
                                         .crc_seed = beside->window.crc_seed,
                                         .recovery = &beside->recovery};
    return beside->requests != NULL ? 0 : error_set(ENOMEM, "no memory to drain ring %s", self->ring);
}

static void close_beside(const struct ring_drain *self, struct beside *beside) {
    requests_destroy(self->platform, beside->requests);
    recovery_free(&beside->recovery);
    ledger_close(beside->ledger);
    if (beside->device != NULL) {
        device_close(beside->device);
    }
    window_detach(&beside->window);
    window_disconnect(&beside->socket);
}

/* Whether the writer is there. Its lock says so, and no word. */
static int is_written(const struct ring_drain *self, const struct beside *beside) {
    return !ring_drain_is_stopped(self) && atomic_load(&beside->window.lines->state) != WINDOW_CLOSED &&
           locks_is_held(&self->locks, LOCKS_WRITER) == 1 && locks_is_named(&self->locks) &&
           !window_socket_is_over(&beside->socket, self->window);
}

static int drain(struct ring_drain *self, const struct beside *beside) {
    int rc = 0;
    while (rc >= 0 && is_written(self, beside)) {
        rc = drain_session_step(self);
        if (rc == 0) {
            drain_session_pause(self);
        }
    }
    if (rc >= 0) {
        rc = drain_session_step(self); /* what is durable by now need not be recovered */
    }
    return rc < 0 ? rc : 0;
}

static int serve(struct ring_drain *self, struct beside *beside) {
    const struct drain_session_source given = {.device = beside->device,
                                               .checkpoints = ledger_checkpoints(beside->ledger),
                                               .source = &beside->source,
                                               .requests = beside->requests,
                                               .epoch = beside->window.head.epoch,
                                               .epoch_begin = beside->window.head.begin_position};
    int rc = drain_session_open(self, &given);
    rc = rc == 0 ? drain(self, beside) : rc == -ESTALE ? rc : DRAIN_NOT_BESIDE;
    drain_session_close(self);
    return rc;
}

/* Returns 0, DRAIN_NO_WINDOW or DRAIN_NOT_BESIDE, each but 0 with a sentence. */
static int connect_to(const struct ring_drain *self, struct beside *beside) {
    int fd;
    *beside = (struct beside){.socket.fd = -1};
    if (window_connect(self->window, &beside->socket, &fd) < 0) {
        return DRAIN_NO_WINDOW;
    }
    int rc = window_attach(fd, self->window, &beside->window);
    close(fd);
    rc = rc < 0 ? rc : check_window(self, &beside->window);
    rc = rc < 0 ? rc : open_beside(self, beside);
    return rc == 0 ? 0 : rc == -EAGAIN ? DRAIN_NO_WINDOW : DRAIN_NOT_BESIDE;
}

int drain_session_beside(struct ring_drain *self) {
    struct beside beside;
    int rc = connect_to(self, &beside);
    if (rc == 0 && is_outdated(&beside)) {
        rc = DRAIN_NO_WINDOW; /* the writer is gone, and will let go of its lock in a moment */
        error_set(ESTALE, "the window %s is of an earlier log", self->window);
    }
    rc = rc == 0 ? serve(self, &beside) : rc;
    close_beside(self, &beside);
    return rc;
}

int drain_session_look_beside(struct ring_drain *self) {
    struct beside beside;
    const int rc = connect_to(self, &beside);
    close_beside(self, &beside);
    return rc;
}
