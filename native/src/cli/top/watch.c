/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/watch.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "device/open.h"
#include "read/best_sight.h"

#define ANSWER_NS 200000000
#define LOOK_NS 5000000 /* a wake-up for other readers may come before the figures */

int watch_open(struct watch *watch, const char *name, const char *folder) {
    struct stat status;
    struct device *device;
    watch->name = name;
    watch->socket.fd = -1;
    if (stat(name, &status) == 0 && S_ISSOCK(status.st_mode)) {
        snprintf(watch->window, sizeof watch->window, "%s", name);
        return 0;
    }
    int rc = device_open(&platform_linux, name, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &device);
    if (rc == 0) {
        rc = best_sight_find_window(&platform_linux, device, folder, watch->window, sizeof watch->window);
        device_close(device);
    }
    return rc;
}

static void leave(struct watch *watch) {
    if (watch->is_attached) {
        window_disconnect(&watch->socket);
        window_detach(&watch->attached);
        watch->is_attached = 0;
    }
}

static int attach(struct watch *watch) {
    int fd;
    int rc = window_connect(watch->window, &watch->socket, &fd);
    if (rc < 0) {
        return rc;
    }
    rc = window_attach(fd, watch->window, &watch->attached);
    close(fd);
    if (rc < 0) {
        window_disconnect(&watch->socket);
        return rc;
    }
    watch->is_attached = 1;
    return 0;
}

/* Waits until the figures change, or for the time. */
static int await_figures(struct watch *watch) {
    const struct window_lines *lines = watch->attached.lines;
    const int64_t deadline_ns = platform_monotonic_ns(&platform_linux) + ANSWER_NS;
    const uint32_t before = atomic_load(&lines->figures_version);
    if (window_wish(&watch->socket, WINDOW_WISH_FIGURES) < 0) {
        return error_set(ECONNRESET, "the log behind the window %s is gone", watch->window);
    }
    while (atomic_load(&lines->figures_version) == before || (atomic_load(&lines->figures_version) & 1) != 0) {
        static const struct timespec limit = {.tv_nsec = LOOK_NS};
        const uint32_t wakes = atomic_load(&lines->wakes);
        if (platform_monotonic_ns(&platform_linux) >= deadline_ns) {
            return error_set(ETIMEDOUT, "the log behind the window %s does not answer: its process stands still",
                             watch->window);
        }
        if (atomic_load(&lines->figures_version) == before) {
            syscall(SYS_futex, &lines->wakes, FUTEX_WAIT, wakes, &limit, NULL, 0);
        }
    }
    return 0;
}

static int take_figures(struct watch *watch) {
    const struct attached_window *window = &watch->attached;
    static struct figures figures;
    const int rc = window_get_figures(window->lines, window->figures, &figures);
    if (rc <= 0) {
        return error_set(EPROTO,
                         "the log behind the window %s tells its figures as another version of this program does",
                         watch->window);
    }
    watch->figures = figures;
    watch->is_closed = 0;
    watch->checkpoint_bytes = window_get_checkpoint(window->lines, window->checkpoint, watch->checkpoint);
    if (watch->checkpoint_bytes > 0 && !checkpoint_is_valid(watch->checkpoint, (size_t)watch->checkpoint_bytes,
                                                            window->crc_seed, window->head.capacity_bytes)) {
        watch->checkpoint_bytes = 0;
    }
    history_add(&watch->history, &watch->figures);
    return 0;
}

/* The memory of a log that does not answer still tells its last watermark. */
static void take_watermark(struct watch *watch) {
    uint64_t position, next_sequence;
    if (window_get_watermark(watch->attached.lines, &position, &next_sequence) == 0) {
        watch->durable_sequence = next_sequence - (next_sequence > 0);
    }
}

static void leave_one_that_ended(struct watch *watch) {
    const int is_closed = atomic_load(&watch->attached.lines->state) == WINDOW_CLOSED;
    if (is_closed || window_socket_is_stale(&watch->socket, watch->window)) {
        take_watermark(watch);
        watch->is_closed = is_closed;
        leave(watch);
    }
}

int watch_look(struct watch *watch) {
    if (watch->is_attached) {
        leave_one_that_ended(watch);
    }
    int rc = watch->is_attached ? 0 : attach(watch);
    rc = rc < 0 ? rc : await_figures(watch);
    rc = rc < 0 ? rc : take_figures(watch);
    if (watch->is_attached) {
        take_watermark(watch);
    }
    snprintf(watch->why, sizeof watch->why, "%s", rc < 0 ? error_text() : "");
    watch->is_fresh = rc == 0;
    return watch->is_fresh;
}

void watch_close(struct watch *watch) {
    leave(watch);
}
