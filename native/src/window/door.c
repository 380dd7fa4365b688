/* SPDX-License-Identifier: Apache-2.0 */
#include "window/door.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"

#define BACKLOG 64
#define AWAIT_NS 20000000 /* so long the thread awaits a commit before it looks for new readers */
#define WISHES_A_TURN 8   /* more wishes of one reader wait for the next turn */
#define DEAF_NS 100000000 /* pause after a reader could not be let in, who then still waits */
#define END_NS 1000000000 /* so long a close waits for the thread, which a reader may hold up */

/* ---------------------------------------------------------------------------------------------------------- socket */

static int open_folder(const char *folder) {
    const int fd = (int)TEMP_FAILURE_RETRY(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    return fd >= 0
               ? fd
               : error_set(errno,
                           "window folder %s cannot be opened: %s; make it before the log is opened, and give it to "
                           "the users who may read",
                           folder, error_name(errno));
}

int door_check(const char *folder) {
    const int fd = open_folder(folder);
    if (fd < 0) {
        return fd;
    }
    const int rc = faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0
                       ? 0
                       : error_set(errno, "window folder %s cannot get a socket: %s; give this user the right to write",
                                   folder, error_name(errno));
    close(fd);
    return rc;
}

/* Binds under another name first: a rename then replaces what a killed process left. The bits are set before there is a
 * name, so that there is no moment in which more users may connect. */
static int bind_socket(struct door *door, const char *folder, uint32_t mode) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[WINDOW_SOCKET_NAME_BYTES + 16];
    struct stat status;
    snprintf(name, sizeof name, "%s.%d", door->name, (int)getpid());
    if (fstatat(door->folder, door->name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISSOCK(status.st_mode)) {
        return error_set(EEXIST,
                         "window folder %s has a file %s, which is no socket: it is left as it is; move it away",
                         folder, door->name);
    }
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", door->folder, name);
    unlinkat(door->folder, name, 0); /* of a process that had this number before */
    const int made = fchmod(door->listener, mode) == 0 &&
                     bind(door->listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
                     fstatat(door->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                     fchmodat(door->folder, name, mode, 0) == 0 && listen(door->listener, BACKLOG) == 0 &&
                     renameat(door->folder, name, door->folder, door->name) == 0;
    if (!made) {
        const int failure = errno;
        unlinkat(door->folder, name, 0);
        return error_set(failure, "window folder %s cannot get the socket %s: %s", folder, door->name,
                         error_name(failure));
    }
    door->device = status.st_dev;
    door->inode = status.st_ino;
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- readers */

/* Closes a connection, and with it all descriptors in messages that were not received. */
static void close_aside(struct door *door, int fd) {
    pthread_mutex_unlock(&door->at_work);
    close(fd);
    pthread_mutex_lock(&door->at_work);
}

/* Receives a message. The kernel closes the descriptors that come with it. Returns its length, or -errno. */
static ssize_t receive_aside(struct door *door, int fd, void *message, size_t bytes) {
    pthread_mutex_unlock(&door->at_work);
    const ssize_t got = recv(fd, message, bytes, MSG_DONTWAIT | MSG_TRUNC);
    const ssize_t rc = got < 0 ? -errno : got;
    pthread_mutex_lock(&door->at_work);
    return rc;
}

static void let_go(struct door *door, unsigned index) {
    close_aside(door, door->readers[index].fd);
    door->readers[index] = door->readers[--door->count];
}

/* Sends the greeting with the window's descriptor. Returns 0, or -1 if the reader cannot take it at once. */
static int greet(const struct door *door, int fd) {
    struct window_greeting greeting = {.magic = WINDOW_GREETING_MAGIC,
                                       .version = WINDOW_VERSION,
                                       .epoch = door->window->head->epoch,
                                       .window_bytes = door->window->head->window_bytes};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec part = {.iov_base = &greeting, .iov_len = sizeof greeting};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *with_fd = CMSG_FIRSTHDR(&message);
    with_fd->cmsg_level = SOL_SOCKET;
    with_fd->cmsg_type = SCM_RIGHTS;
    with_fd->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(with_fd), &door->window_fd, sizeof door->window_fd);
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof greeting ? 0 : -1;
}

static void send_away(struct door *door, int fd) {
    if (!door->is_crowded) {
        door->is_crowded = 1;
        events_post(
            door->host.events, EVENT_WARN,
            "the window of ring %s has %u readers, and takes no more: others read the medium, or wait until one "
            "of them has gone",
            door->host.ring, DOOR_READERS_MOST);
    }
    close_aside(door, fd);
}

/* The socket stays readable: without a pause the thread would spin for as long as the failure lasts. */
static void turn_deaf(struct door *door, int failure) {
    door->deaf_until_ns = platform_monotonic_ns(door->host.platform) + DEAF_NS;
    if (!door->is_told_deaf) {
        door->is_told_deaf = 1;
        events_post(
            door->host.events, EVENT_WARN,
            "the window of ring %s lets no reader in: %s; it tries again each 100 ms, and readers read the medium "
            "until then; let the process have more open files",
            door->host.ring, error_name(failure));
    }
}

/* For how many ms nobody is let in. */
static int deaf_ms(const struct door *door) {
    const int64_t left_ns =
        door->deaf_until_ns == 0 ? 0 : door->deaf_until_ns - platform_monotonic_ns(door->host.platform);
    return left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 0;
}

static void welcome(struct door *door) {
    for (unsigned turn = 0; turn < BACKLOG && !worker_is_stopped(&door->worker); turn++) {
        const int fd = accept4(door->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED) {
                turn_deaf(door, errno);
            }
            return;
        }
        if (door->count == DOOR_READERS_MOST) {
            send_away(door, fd);
        } else if (greet(door, fd) < 0) {
            close_aside(door, fd);
        } else {
            door->readers[door->count++] = (struct door_reader){.fd = fd};
        }
    }
}

/* Takes the wishes of a reader. Returns 0, or -1 if it is gone, or says what no reader says. */
static int listen_to(struct door *door, struct door_reader *reader) {
    struct window_wish wish;
    for (int turn = 0; turn < WISHES_A_TURN; turn++) {
        const ssize_t got = receive_aside(door, reader->fd, &wish, sizeof wish);
        if (got < 0) {
            return got == -EAGAIN || got == -EWOULDBLOCK || got == -EINTR ? 0 : -1;
        }
        if (got != (ssize_t)sizeof wish) {
            return -1;
        }
        if (wish.above_position == WINDOW_WISH_FIGURES) {
            door->has_figures_wish = 1;
        } else {
            reader->is_asleep = 1;
            reader->above_position = wish.above_position;
        }
    }
    return 0;
}

/* Waits for readers, at most that long (< 0: no limit), and serves them. */
static void serve(struct door *door, int timeout_ms) {
    struct pollfd fds[2 + DOOR_READERS_MOST];
    fds[0] = (struct pollfd){.fd = door->stop, .events = POLLIN};
    const int deaf = deaf_ms(door);
    fds[1] = (struct pollfd){.fd = deaf > 0 ? -1 : door->listener, .events = POLLIN};
    for (unsigned i = 0; i < door->count; i++) {
        fds[2 + i] = (struct pollfd){.fd = door->readers[i].fd, .events = POLLIN};
    }
    if (poll(fds, 2 + door->count, deaf > 0 && (timeout_ms < 0 || deaf < timeout_ms) ? deaf : timeout_ms) <= 0) {
        return;
    }
    for (unsigned i = door->count; i-- > 0;) { /* backwards: the last one takes the place of one that goes */
        if (fds[2 + i].revents != 0 && listen_to(door, &door->readers[i]) < 0) {
            let_go(door, i);
        }
    }
    if (fds[1].revents != 0) {
        welcome(door);
    }
}

/* ----------------------------------------------------------------------------------------------------------- thread */

/* The lowest position that a sleeping reader waits for. Returns 0 if none sleeps. */
static int is_awaited(const struct door *door, uint64_t *above_position) {
    int awaited = 0;
    *above_position = UINT64_MAX;
    for (unsigned i = 0; i < door->count; i++) {
        if (door->readers[i].is_asleep) {
            awaited = 1;
            *above_position =
                door->readers[i].above_position < *above_position ? door->readers[i].above_position : *above_position;
        }
    }
    return awaited;
}

static uint64_t watermark(const struct door *door) {
    return atomic_load_explicit(&door->window->lines->watermark, memory_order_acquire);
}

static void wake(const struct door *door) {
    _Atomic uint32_t *wakes = &door->window->lines->wakes;
    atomic_fetch_add(wakes, 1);
    syscall(SYS_futex, wakes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void wake_all(struct door *door) {
    for (unsigned i = 0; i < door->count; i++) {
        door->readers[i].is_asleep = 0;
    }
    wake(door);
}

/* Fills the figures if a reader wants them and they are old enough. Returns in how many ms to look again; -1: when a
 * reader comes. */
static int fill_figures(struct door *door) {
    if (!door->has_figures_wish) {
        return -1;
    }
    const int64_t now_ns = platform_monotonic_ns(door->host.platform);
    const int64_t left_ns = door->figures_ns == 0 ? 0 : door->figures_ns + DOOR_FIGURES_NS - now_ns;
    if (left_ns > 0) {
        return (int)(left_ns / 1000000) + 1;
    }
    window_begin_figures(door->window);
    door->host.fill_figures(door->host.log, door->window->figures);
    window_end_figures(door->window);
    door->figures_ns = now_ns;
    door->has_figures_wish = 0;
    wake_all(door);
    return -1;
}

/* Also those that nobody has accepted, with the messages in all of them. */
static void close_connections(struct door *door) {
    for (unsigned i = 0; i < door->count; i++) {
        close(door->readers[i].fd);
    }
    if (door->listener >= 0) {
        close(door->listener);
    }
}

static void door_loop(void *argument) {
    struct door *door = argument;
    uint64_t above_position;
    pthread_mutex_lock(&door->at_work);
    while (!worker_is_stopped(&door->worker)) {
        const int timeout_ms = fill_figures(door);
        serve(door, is_awaited(door, &above_position) ? 0 : timeout_ms);
        if (worker_is_stopped(&door->worker) || !is_awaited(door, &above_position)) {
            continue;
        }
        if (watermark(door) <= above_position) {
            door->host.await_commit(door->host.argument, above_position, AWAIT_NS);
        }
        if (watermark(door) > above_position) {
            wake_all(door);
            door->host.platform->ops->sleep_ns(door->host.platform, DOOR_WAKE_NS);
        }
    }
    pthread_mutex_unlock(&door->at_work);
    close_connections(door);
}

/* ---------------------------------------------------------------------------------------------------- open and close */

static void close_own(const struct door *door) {
    const int fds[] = {door->folder, door->stop, door->window_fd};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

static void remove_socket(const struct door *door) {
    struct stat status;
    if (fstatat(door->folder, door->name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_dev == door->device &&
        status.st_ino == door->inode) {
        unlinkat(door->folder, door->name, 0);
    }
}

int door_open(struct door *door, const struct door_host *host, const char *folder, uint32_t mode, struct window *window,
              int window_fd) {
    *door = (struct door){.host = *host, .window = window, .window_fd = window_fd, .folder = -1};
    window_socket_name(window->head->uuid, door->name);
    pthread_mutex_init(&door->at_work, NULL);
    door->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    door->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int rc = door->listener < 0 || door->stop < 0
                 ? error_set(errno, "no socket for the window of ring %s: %s", host->ring, error_name(errno))
                 : 0;
    const int none = 0;
    setsockopt(door->listener, SOL_SOCKET, SO_PASSRIGHTS, &none, sizeof none); /* older kernels do not know it */
    rc = rc < 0 ? rc : (door->folder = open_folder(folder));
    rc = rc < 0 ? rc : bind_socket(door, folder, mode);
    if (rc == 0) {
        rc = worker_start(&door->worker, "burst-window", door_loop, door);
        if (rc < 0) {
            remove_socket(door);
        }
    }
    if (rc < 0) {
        close_connections(door);
        close_own(door);
    }
    return rc;
}

int door_close(struct door *door) {
    const uint64_t one = 1;
    struct limit limit = limit_of(END_NS);
    atomic_store(&door->window->lines->state, WINDOW_CLOSED);
    remove_socket(door);
    worker_stop(&door->worker, door->host.commits);
    if (write(door->stop, &one, sizeof one) < 0) {
        /* The counter is full, so the thread is awake. */
    }
    pthread_mutex_lock(&door->at_work); /* from now on the thread uses its connections alone */
    pthread_mutex_unlock(&door->at_work);
    wake(door);
    close_own(door);
    const int has_ended = worker_await_end(&door->worker, &limit);
    if (has_ended) {
        worker_join(&door->worker);
    } else {
        worker_leave(&door->worker);
    }
    return has_ended;
}
