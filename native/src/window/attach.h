/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader's side of the window: the socket that gives it, and the judgement of what it gave. Nothing in a window is
 * believed before it is checked: the process that gave it may be hostile.
 */
#ifndef BURST_WINDOW_ATTACH_H
#define BURST_WINDOW_ATTACH_H

#include <sys/types.h>

#include "media/window.h"
#include "window/protocol.h"

struct attached_window {
    struct window_head head;          /* a copy that was judged */
    const struct window_lines *lines; /* of the shared memory: may change at any time */
    const struct window_starts *starts;
    const uint8_t *checkpoint;
    const struct figures *figures;
    const uint8_t *image;                   /* NULL: the window has none */
    const struct stream_requests *requests; /* for a drain; NULL: the log drains by itself */
    struct walk_gap *gaps;                  /* a copy, head.gap_count long */
    uint32_t crc_seed;
    const void *memory;
    size_t memory_bytes;
};

/* Maps and judges the window of this descriptor, which stays the caller's. Returns 0, or with a sentence that names
 * `path` -EPROTO (another version), -EUCLEAN (no writer makes such a window), -EPERM (others could cut it while it is
 * read) or another -errno. */
int window_attach(int fd, const char *path, struct attached_window *window);

void window_detach(struct attached_window *window);

/* A connection to the socket of a window. */
struct window_socket {
    int fd;
    dev_t device; /* which socket it was: a newer log makes another one */
    ino_t inode;
    int is_strange; /* a process of another user listens, which is not root: it may send what is long closed */
};

/* Connects to the socket at `path`, and gets the window's descriptor, which is memory: its close takes no time. Returns 0
 * with *window_fd, or -errno with a sentence: -ENOENT or -ECONNREFUSED (no log offers a window there), -EACCES, -ETIMEDOUT
 * (no answer within a second), -EPROTO (no greeting), -EBUSY (threads still close what other listeners sent). */
int window_connect(const char *path, struct window_socket *socket, int *window_fd);

/* Whether another socket is at `path` now, or no process holds the other end any more. */
int window_socket_is_over(const struct window_socket *socket, const char *path);

/* The same, or there is no socket at `path`. */
int window_socket_is_stale(const struct window_socket *socket, const char *path);

/* Asks the log to wake this reader when the watermark is above the position. Returns 0, or -errno without a sentence if
 * nobody listens any more. */
int window_wish(const struct window_socket *socket, uint64_t above_position);

void window_disconnect(struct window_socket *socket);

#endif
