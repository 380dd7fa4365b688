/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drain beside the process that writes the ring: the window of that process is its source. That process may be another
 * user's. So each record is copied before it is looked at, and nothing that no log writes is used: the session then ends with a
 * sentence.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "device/open.h"
#include "ledger/ledger.h"
#include "log/ring_drain_session.h"
#include "media/record.h"

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
    const char *path;
    uint8_t *record; /* room for a copy of the longest one */
    size_t record_room;
    int is_foul; /* the window holds what no log writes */
    char foul[ERROR_TEXT_BYTES];
};

static struct beside *beside_of(const struct log_source *source) {
    return (struct beside *)((char *)(uintptr_t)source - offsetof(struct beside, source));
}

/* No writer has space for more: it gets it back from the slots, of which the newest is known here. */
static uint64_t most_position(const struct beside *beside) {
    return checkpoints_least(ledger_checkpoints(beside->ledger)).drained_position + beside->window.head.capacity_bytes;
}

/* Returns whether the window's words about the log agree: -EUCLEAN with a sentence if not. */
static int check_position(const struct beside *beside, const char *what, uint64_t position) {
    const uint64_t most = most_position(beside);
    return position <= most
               ? 0
               : error_set(
                     EUCLEAN,
                     "the window %s is none that a log makes: its %s is %llu, and its ring has space up to %llu; end "
                     "the process that makes it, and open the log again",
                     beside->path, what, (unsigned long long)position, (unsigned long long)most);
}

/* Keeps the sentence, with which the session ends. */
static void keep_foul(struct beside *beside) {
    if (!beside->is_foul) {
        beside->is_foul = 1;
        snprintf(beside->foul, sizeof beside->foul, "%s", error_text());
    }
}

static void durable(const struct log_source *source, uint64_t *position, uint64_t *next_sequence) {
    struct beside *beside = beside_of(source);
    uint64_t newer, sequence;
    if (window_get_watermark(beside->window.lines, &newer, &sequence) == 0 && newer > beside->position) {
        if (check_position(beside, "watermark", newer) < 0) {
            keep_foul(beside);
        } else {
            beside->position = newer;
            beside->next_sequence = sequence;
        }
    }
    *position = beside->position;
    *next_sequence = beside->next_sequence;
}

static int is_whole(const struct beside *beside, uint64_t position) {
    const uint64_t capacity_bytes = beside->source.shape.capacity_bytes;
    const uint8_t *const there = beside->source.image + position % capacity_bytes;
    struct record_header *const header = (struct record_header *)beside->record;
    if (lap_remaining(position, capacity_bytes) < RECORD_HEADER_BYTES) {
        return 0;
    }
    memcpy(header, there, RECORD_HEADER_BYTES);
    if (!record_header_is_whole(header, capacity_bytes, position, beside->source.crc_seed)) {
        return 0;
    }
    if (header->type != RECORD_DATA) {
        return 1; /* nobody reads its payload */
    }
    if (record_bytes(header->length) > beside->record_room) {
        return 0;
    }
    memcpy(header + 1, there + RECORD_HEADER_BYTES, header->length);
    return header->payload_crc == crc32c(0, header + 1, header->length);
}

static const struct record_header *fetch(const struct log_source *source, uint64_t position) {
    struct beside *beside = beside_of(source);
    if (!is_whole(beside, position)) {
        error_set(
            EUCLEAN,
            "the window %s is none that a log makes: below its watermark, at position %llu, is no whole record; end the "
            "process that makes it, and open the log again",
            beside->path, (unsigned long long)position);
        keep_foul(beside);
        return NULL;
    }
    return (const struct record_header *)beside->record;
}

static int is_foul(const struct log_source *source) {
    return beside_of(source)->is_foul;
}

static const struct log_source_ops beside_ops = {.durable = durable, .has_lost_pages = is_foul, .fetch = fetch};

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
    if (head->log_end > head->begin_position) {
        return error_set(
            EUCLEAN,
            "the window %s is none that a log makes: it begins at %llu, before the end of the log before it, "
            "%llu; end the process that makes it, and open the log again",
            self->window, (unsigned long long)head->begin_position, (unsigned long long)head->log_end);
    }
    const int rc = check_position(beside, "begin", head->begin_position);
    return rc < 0 ? rc : check_position(beside, "watermark", beside->position);
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
    if (window_get_watermark(beside->window.lines, &beside->position, &beside->next_sequence) < 0) {
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
    beside->record_room = align_up(head->capacity_bytes / 4 + RECORD_HEADER_BYTES, 4096); /* no record is longer */
    beside->record = platform_allocate(self->platform, beside->record_room, PLATFORM_PLAIN);
    beside->requests = requests_create(self->platform, table);
    beside->source = (struct log_source){.ops = &beside_ops,
                                         .image = beside->window.image,
                                         .shape = {.capacity_bytes = head->capacity_bytes,
                                                   .block_bytes = head->block_bytes,
                                                   .line_bytes = head->line_bytes},
                                         .crc_seed = beside->window.crc_seed,
                                         .recovery = &beside->recovery};
    return beside->requests != NULL && beside->record != NULL
               ? 0
               : error_set(ENOMEM, "no memory to drain ring %s: %zu bytes", self->ring, beside->record_room);
}

static void close_beside(const struct ring_drain *self, struct beside *beside) {
    requests_destroy(self->platform, beside->requests);
    if (beside->record != NULL) {
        platform_release(self->platform, beside->record, beside->record_room);
    }
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
    return !ring_drain_is_stopped(self) && !beside->is_foul &&
           atomic_load(&beside->window.lines->state) != WINDOW_CLOSED &&
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
    if (rc >= 0 && !beside->is_foul) {
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
    *beside = (struct beside){.socket.fd = -1, .path = self->window};
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
    return rc == 0 && beside.is_foul ? error_set(EUCLEAN, "%s", beside.foul) : rc;
}

static int level_torn(const struct ring_drain *self, struct checkpoints *checkpoints) {
    const struct checkpoints_view *slots = checkpoints_view(checkpoints);
    if (slots->is_valid[0] && slots->is_valid[1]) {
        return 0;
    }
    int rc = checkpoints_settle(checkpoints);
    rc = rc < 0 ? rc : checkpoints_take(checkpoints);
    return rc < 0 ? rc : checkpoints_level(checkpoints, self->events);
}

void drain_session_level(const struct ring_drain *self) {
    struct device *device;
    struct ledger *ledger = NULL;
    if (device_open(self->platform, self->ring, DEVICE_BESIDE, DEVICE_IO_AUTO, &device) == 0) {
        if (device->ops->flush(device) == 0 && ledger_read(self->platform, device, &ledger) == 0) {
            level_torn(self, ledger_checkpoints(ledger));
        }
        ledger_close(ledger);
        device_close(device);
    }
}

int drain_session_look_beside(struct ring_drain *self) {
    struct beside beside;
    const int rc = connect_to(self, &beside);
    close_beside(self, &beside);
    return rc;
}
