/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door of a window: a socket in a configured folder, which hands a read-only descriptor to each process that may
 * connect, and the thread `burst-window` that wakes sleeping readers.
 *
 * DESIGN. The socket's permission bits say who may connect. A socket that a killed process left is replaced by a rename,
 * so that readers never find none. While no reader sleeps, the thread sleeps in poll, and a commit wakes nobody. While
 * one sleeps, the thread awaits commits for all of them, and wakes all with one call, at most every DOOR_WAKE_NS. A reader
 * can do no more than be woken too often: the door reads a fixed number of bytes from it, and never waits for it. Figures
 * cost some 100 us of this thread, and are filled only for readers who ask.
 *
 * A message may bring descriptors, and the kernel closes them in the thread that receives the message, or closes its
 * connection. Their sender says how long that takes: SO_LINGER of a TCP socket. So they are refused (SO_PASSRIGHTS).
 * Kernels before 6.16 cannot do that. There the thread may stand still, but only where it uses nothing of the log, and a
 * close does not wait for it.
 */
#ifndef BURST_WINDOW_DOOR_H
#define BURST_WINDOW_DOOR_H

#include <pthread.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/events.h"
#include "base/worker.h"
#include "media/window.h"
#include "window/protocol.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83 /* of the kernel: older headers lack it */
#endif

#define DOOR_READERS_MOST 256u /* connections at a time; more are closed at once */
#define DOOR_WAKE_NS 50000
#define DOOR_FIGURES_NS 50000000 /* figures are filled at most so often */

/* The log behind the door. */
struct door_host {
    const struct platform *platform;
    struct events *events;
    const char *ring; /* the ring's path, for sentences */
    void *argument;
    /* Waits until the watermark is above the position, or for that time. */
    void (*await_commit)(void *argument, uint64_t above_position, int64_t timeout_ns);
    struct event_count *commits; /* await_commit sleeps here */
    /* Fills the figures of the window. Only the door's thread calls it. */
    int (*fill_figures)(void *log, struct figures *figures);
    void *log;
};

struct door_reader {
    int fd;
    int is_asleep; /* it asked to be woken since it was last woken */
    uint64_t above_position;
};

struct door {
    struct door_host host;
    struct window *window;
    int window_fd;
    int listener;
    int folder;
    int stop; /* an eventfd that ends the thread's poll */
    dev_t device;
    ino_t inode;
    struct worker worker;
    /* The thread has it while it uses the log, the window, or a descriptor of the door's own. */
    pthread_mutex_t at_work;
    struct door_reader readers[DOOR_READERS_MOST];
    unsigned count;
    int has_figures_wish;
    int64_t figures_ns;    /* CLOCK_MONOTONIC when the figures were filled last; 0: never */
    int64_t deaf_until_ns; /* nobody is let in before; 0: a reader was never refused so */
    int is_told_deaf;      /* the operator knows */
    int is_crowded;        /* a reader was sent away, and the operator knows */
    char name[WINDOW_SOCKET_NAME_BYTES];
};

/* Checks that `folder` can have a socket. Returns 0, or -errno with a sentence. */
int door_check(const char *folder);

/* Makes the socket and starts the thread. Takes over window_fd, a descriptor of the whole window with read rights. mode:
 * permission bits of the socket. Returns 0, or -errno with a sentence; then nothing is left of it. */
int door_open(struct door *door, const struct door_host *host, const char *folder, uint32_t mode, struct window *window,
              int window_fd);

/* Tells all readers that the log goes away, removes the socket if it is this door's, and ends the thread. Returns 1; or 0 if a
 * reader holds the thread up: it closes its connections when it can, and then ends. Until then `door` must stay, and nothing
 * else. */
int door_close(struct door *door);

#endif
