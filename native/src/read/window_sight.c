/* SPDX-License-Identifier: Apache-2.0 */
/* A ring through its window. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/path.h"
#include "burstlog.h"
#include "media/record.h"
#include "read/sight.h"
#include "window/attach.h"

#define NAP_NS 50000
#define NAP_SLACK_NS 1ul
#define SLEEP_MOST_NS 100000000 /* a log that died wakes nobody: so long it takes to look for another one */
#define SPINS_A_LOOK 64

struct window_sight {
    struct sight sight;
    const struct platform *platform;
    struct attached_window window;
    struct window_socket socket;
    struct device *medium; /* has the records if the window has no image */
    uint8_t *block;        /* for reads of the medium */
    size_t block_room;
    uint32_t wait;
    char path[BURST_PATH_BYTES];
};

static struct window_sight *window_of(const struct sight *sight) {
    return (struct window_sight *)sight;
}

static int get_watermark(struct sight *sight, uint64_t *position, uint64_t *sequence) {
    const struct window_sight *self = window_of(sight);
    /* If the log died while it moved the pair, each of the two is still a value that it had. */
    window_get_watermark(self->window.lines, position, sequence);
    return 0;
}

static uint64_t get_floor(const struct sight *sight) {
    atomic_thread_fence(memory_order_acquire); /* what was copied before was there before the floor is looked at */
    return atomic_load_explicit(&window_of(sight)->window.lines->floor, memory_order_acquire);
}

/* Reads whole blocks around the range. */
static int copy_of_medium(struct window_sight *self, uint64_t offset, void *out, size_t bytes) {
    struct device *medium = self->medium;
    const uint64_t from = align_down(offset, medium->block_bytes), to = align_up(offset + bytes, medium->block_bytes);
    if (to - from > self->block_room) {
        platform_release(self->platform, self->block, self->block_room);
        self->block_room = 2 * (to - from);
        self->block = platform_allocate(self->platform, self->block_room, PLATFORM_PLAIN);
        if (self->block == NULL) {
            self->block_room = 0;
            return error_set(ENOMEM, "no memory to read %zu bytes of ring %s", bytes, medium->path);
        }
    }
    const int rc = medium->ops->read(medium, from, self->block, to - from);
    if (rc == 0) {
        memcpy(out, self->block + (offset - from), bytes);
    }
    return rc;
}

static int copy(struct sight *sight, uint64_t position, void *out, size_t bytes) {
    struct window_sight *self = window_of(sight);
    const uint64_t place = position % sight->shape.capacity_bytes;
    if (self->window.image == NULL) {
        return copy_of_medium(self, self->window.head.data_offset + place, out, bytes);
    }
    memcpy(out, self->window.image + place, bytes);
    return 0;
}

static int oldest(struct sight *sight, struct sight_place *place) {
    *place = (struct sight_place){.position = get_floor(sight)};
    return 0;
}

/* The sequence of the record at a start, if it is there. */
static uint64_t sequence_at(struct sight *sight, uint64_t position) {
    struct record_header header;
    return position >= get_floor(sight) && copy(sight, position, &header, sizeof header) == 0 &&
                   header.position == position
               ? header.sequence
               : UINT64_MAX;
}

static void near(struct sight *sight, uint64_t sequence, struct sight_place *place) {
    const struct window_starts *starts = window_of(sight)->window.starts;
    for (unsigned i = 0; i < WINDOW_STARTS; i++) {
        const uint64_t position = atomic_load_explicit(&starts->positions[i], memory_order_relaxed);
        if (position > place->position && position % RECORD_ALIGN_BYTES == 0 &&
            lap_remaining(position, sight->shape.capacity_bytes) >= RECORD_HEADER_BYTES &&
            sequence_at(sight, position) <= sequence) {
            *place = (struct sight_place){.position = position};
        }
    }
}

static int get_checkpoint(struct sight *sight, uint8_t *out) {
    const struct window_sight *self = window_of(sight);
    const int bytes = window_get_checkpoint(self->window.lines, self->window.checkpoint, out);
    return bytes > 0 && checkpoint_is_valid(out, (size_t)bytes, sight->crc_seed, sight->shape.capacity_bytes)
               ? bytes
               : error_set(EUCLEAN,
                           "the window of %s has no whole checkpoint: the log died while it wrote it, or is none",
                           self->path);
}

int sight_window_is_over(const struct sight *sight) {
    const struct window_sight *self = window_of(sight);
    return atomic_load_explicit(&self->window.lines->state, memory_order_relaxed) == WINDOW_CLOSED ||
           window_socket_is_stale(&self->socket, self->path);
}

/* The next log writes the medium, and moves the floor of its own window only. */
static int is_outdated(struct sight *sight, uint64_t position) {
    (void)position;
    return window_of(sight)->window.image == NULL && sight_window_is_over(sight);
}

static void sleep_until_woken(struct window_sight *self, uint64_t above_position, int64_t timeout_ns) {
    const struct window_lines *lines = self->window.lines;
    uint64_t position, sequence;
    const uint32_t wakes = atomic_load_explicit(&lines->wakes, memory_order_acquire);
    if (window_wish(&self->socket, above_position) < 0) { /* the log is gone */
        self->platform->ops->sleep_ns(self->platform, timeout_ns < NAP_NS ? timeout_ns : NAP_NS);
        return;
    }
    if (get_watermark(&self->sight, &position, &sequence) == 0 && position > above_position) {
        return;
    }
    const struct timespec limit = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};
    syscall(SYS_futex, &lines->wakes, FUTEX_WAIT, wakes, &limit, NULL, 0);
}

static void wait_for(struct sight *sight, uint64_t above_position, int64_t timeout_ns) {
    struct window_sight *self = window_of(sight);
    const int64_t most_ns = timeout_ns < 0 || timeout_ns > SLEEP_MOST_NS ? SLEEP_MOST_NS : timeout_ns;
    if (self->wait == BURST_WAIT_SPIN) {
        for (int spin = 0; spin < SPINS_A_LOOK; spin++) {
            if (atomic_load_explicit(&self->window.lines->watermark, memory_order_relaxed) > above_position) {
                return;
            }
            cpu_pause();
        }
    } else if (self->wait == BURST_WAIT_NAP) {
        self->platform->ops->sleep_ns(self->platform, most_ns < NAP_NS ? most_ns : NAP_NS);
    } else {
        sleep_until_woken(self, above_position, most_ns);
    }
}

static void close_sight(struct sight *sight) {
    struct window_sight *self = window_of(sight);
    window_disconnect(&self->socket);
    window_detach(&self->window);
    if (self->block != NULL) {
        platform_release(self->platform, self->block, self->block_room);
    }
    platform_release(self->platform, self, sizeof *self);
}

static const struct sight_ops window_ops = {
    .watermark = get_watermark,
    .floor = get_floor,
    .copy = copy,
    .oldest = oldest,
    .near = near,
    .checkpoint = get_checkpoint,
    .is_outdated = is_outdated,
    .wait = wait_for,
    .close = close_sight,
};

static int attach(struct window_sight *self, struct device *medium) {
    int fd;
    int rc = window_connect(self->path, &self->socket, &fd);
    if (rc < 0) {
        return rc;
    }
    rc = window_attach(fd, self->path, &self->window);
    close(fd);
    if (rc == 0 && self->window.image == NULL && medium == NULL) {
        rc = error_set(ENODATA,
                       "the window of %s has no records, which are on the medium of the ring: name the ring, whose "
                       "medium has to be readable",
                       self->path);
    }
    return rc;
}

int sight_of_window(const struct platform *platform, const char *path, uint32_t wait, struct device *medium,
                    struct sight **sight) {
    struct window_sight *self = platform_allocate(platform, sizeof *self, PLATFORM_PLAIN);
    if (self == NULL) {
        return error_set(ENOMEM, "no memory to read the window of %s: %zu bytes", path, sizeof *self);
    }
    self->platform = platform;
    self->wait = wait;
    self->medium = medium;
    self->socket.fd = -1;
    int rc = path_absolute(path, self->path, sizeof self->path);
    rc = rc < 0 ? rc : attach(self, medium);
    if (rc < 0) {
        close_sight(&self->sight);
        return rc;
    }
    const struct window_head *head = &self->window.head;
    self->sight = (struct sight){.ops = &window_ops,
                                 .shape = {.capacity_bytes = head->capacity_bytes,
                                           .block_bytes = head->block_bytes,
                                           .line_bytes = head->line_bytes},
                                 .crc_seed = self->window.crc_seed,
                                 .epoch = head->epoch,
                                 .gaps = self->window.gaps,
                                 .gap_count = head->gap_count};
    if (wait == BURST_WAIT_NAP) {
        prctl(PR_SET_TIMERSLACK, NAP_SLACK_NS); /* else the kernel adds 50 us to each nap of this thread */
    }
    *sight = &self->sight;
    return 0;
}
