/* SPDX-License-Identifier: Apache-2.0 */
#include "window/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/worker.h"
#include "media/record.h"

#define ANSWER_MS 1000
#define DESCRIPTORS_MOST 253 /* of one message: SCM_MAX_FD of the kernel */
#define CLOSING_MOST 8

static int refuse(const char *path, const char *what, unsigned long long value) {
    return error_set(EUCLEAN,
                     "the window of %s is none that a log makes: its %s is %llu; find out which process listens there",
                     path, what, value);
}

/* A memory that can be cut would end the reader by SIGBUS. */
static int check_seals(int fd, const char *path) {
    const int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0
               ? 0
               : error_set(EPERM,
                           "the window of %s is not used: its memory is not sealed, and could be cut while it is read; "
                           "find out which process listens there",
                           path);
}

static int is_power_of_two(uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/* Checks each field that a pointer or a walk will depend on. */
static int check_head(const struct window_head *head, uint64_t memory_bytes, const char *path) {
    if (head->magic != WINDOW_MAGIC) {
        return refuse(path, "magic number", head->magic);
    }
    if (head->version != WINDOW_VERSION || head->incompatible != 0) {
        return error_set(
            EPROTO,
            "the window of %s is of version %u with features %#llx, which this version (%u) does not know: "
            "read or drain it with the version of the process that writes the ring",
            path, head->version, (unsigned long long)head->incompatible, WINDOW_VERSION);
    }
    if (head->head_bytes < sizeof *head || head->head_bytes > WINDOW_LINES_OFFSET) {
        return refuse(path, "head length", head->head_bytes);
    }
    if (head->block_bytes < LAYOUT_MIN_BLOCK_BYTES || head->block_bytes > LAYOUT_MAX_BLOCK_BYTES ||
        !is_power_of_two(head->block_bytes)) {
        return refuse(path, "block size", head->block_bytes);
    }
    if (head->line_bytes != 0 && head->line_bytes != LAYOUT_LINE_BYTES) {
        return refuse(path, "line size", head->line_bytes);
    }
    if (head->capacity_bytes % head->block_bytes != 0 || head->capacity_bytes > LAYOUT_MAX_CAPACITY_BYTES ||
        head->capacity_bytes < LAYOUT_MIN_CAPACITY_BLOCKS * (uint64_t)head->block_bytes) {
        return refuse(path, "capacity", head->capacity_bytes);
    }
    if (head->data_offset != LAYOUT_DATA_OFFSET) {
        return refuse(path, "data offset", head->data_offset);
    }
    if (head->checkpoint_offset != WINDOW_CHECKPOINT_OFFSET || memory_bytes < WINDOW_PAGES_BYTES) {
        return refuse(path, "checkpoint offset", head->checkpoint_offset);
    }
    if (head->figures_offset != WINDOW_FIGURES_OFFSET) {
        return refuse(path, "figures offset", head->figures_offset);
    }
    if (head->requests_offset != 0 &&
        (head->requests_offset != WINDOW_REQUESTS_OFFSET || memory_bytes < WINDOW_REQUESTS_END ||
         (head->image_offset != 0 && head->image_offset < WINDOW_REQUESTS_END))) {
        return refuse(path, "requests offset", head->requests_offset);
    }
    if (head->image_offset != 0 &&
        (head->image_offset % 4096 != 0 || head->image_offset < WINDOW_PAGES_BYTES ||
         head->image_offset > memory_bytes || memory_bytes - head->image_offset < head->capacity_bytes)) {
        return refuse(path, "image offset", head->image_offset);
    }
    if (head->gap_count > WINDOW_GAPS_MAX) {
        return refuse(path, "number of gaps", head->gap_count);
    }
    return 0;
}

/* A walk goes over them one after the other, and each must lead forward. */
static int check_gaps(const struct walk_gap *gaps, uint32_t count, const char *path) {
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (gaps[i].from < before || gaps[i].to <= gaps[i].from || gaps[i].to > LAYOUT_NUMBER_MAX ||
            gaps[i].count > LAYOUT_NUMBER_MAX || gaps[i].first_sequence > LAYOUT_NUMBER_MAX) {
            return refuse(path, "gap number", i);
        }
        before = gaps[i].to;
    }
    return 0;
}

/* Copies head and gaps, then judges the copies: the memory may change at any time. */
static int judge(struct attached_window *window, const char *path) {
    const uint8_t *const base = window->memory;
    static const struct walk_gap none;
    memcpy(&window->head, base, sizeof window->head);
    int rc = check_head(&window->head, window->memory_bytes, path);
    if (rc < 0) {
        return rc;
    }
    const uint32_t count = window->head.gap_count;
    struct window_gap *sealed = calloc(count + 1u, sizeof *sealed);
    window->gaps = calloc(count + 1u, sizeof *window->gaps);
    if (sealed == NULL || window->gaps == NULL) {
        free(sealed);
        return error_set(ENOMEM, "no memory for the %u gaps of the window of %s", count, path);
    }
    memcpy(sealed, base + WINDOW_GAPS_OFFSET, count * sizeof *sealed);
    if (!window_is_sealed(&window->head, sealed)) {
        rc = refuse(path, "checksum", window->head.crc);
    }
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        window->gaps[i] = none;
        window->gaps[i].from = sealed[i].from;
        window->gaps[i].to = sealed[i].to;
        window->gaps[i].first_sequence = sealed[i].first_sequence;
        window->gaps[i].count = sealed[i].count;
        window->gaps[i].damaged = sealed[i].damaged != 0;
    }
    free(sealed);
    return rc < 0 ? rc : check_gaps(window->gaps, count, path);
}

int window_attach(int fd, const char *path, struct attached_window *window) {
    struct stat status;
    *window = (struct attached_window){.memory = NULL};
    int rc = check_seals(fd, path);
    if (rc < 0) {
        return rc;
    }
    if (fstat(fd, &status) < 0 || status.st_size < (off_t)WINDOW_PAGES_BYTES) {
        return refuse(path, "length", status.st_size > 0 ? (unsigned long long)status.st_size : 0);
    }
    void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        return error_set(errno, "the window of %s, %lld bytes, cannot be mapped: %s", path, (long long)status.st_size,
                         error_name(errno));
    }
    window->memory = memory;
    window->memory_bytes = (size_t)status.st_size;
    rc = judge(window, path);
    if (rc < 0) {
        window_detach(window);
        return rc;
    }
    const uint8_t *const base = memory;
    window->lines = (const struct window_lines *)(base + WINDOW_LINES_OFFSET);
    window->starts = (const struct window_starts *)(base + WINDOW_STARTS_OFFSET);
    window->checkpoint = base + WINDOW_CHECKPOINT_OFFSET;
    window->figures = (const struct figures *)(base + WINDOW_FIGURES_OFFSET);
    window->requests = window->head.requests_offset == 0
                           ? NULL
                           : (const struct stream_requests *)(base + window->head.requests_offset);
    window->image = window->head.image_offset == 0 ? NULL : base + window->head.image_offset;
    window->crc_seed = crc_seed_of(window->head.uuid);
    return 0;
}

void window_detach(struct attached_window *window) {
    if (window->memory != NULL) {
        munmap((void *)window->memory, window->memory_bytes);
    }
    free(window->gaps);
    *window = (struct attached_window){.memory = NULL};
}

/* -------------------------------------------------------------------------------------------------------- socket */

static _Atomic int closing; /* threads that have not closed what they were given */

struct leftover {
    size_t count;
    int fds[DESCRIPTORS_MOST];
};

static void *close_leftover(void *argument) {
    struct leftover *leftover = argument;
    for (size_t i = 0; i < leftover->count; i++) {
        close(leftover->fds[i]);
    }
    free(leftover);
    atomic_fetch_sub(&closing, 1);
    return NULL;
}

/* Closes descriptors that came by the connection, or itself, with those in messages that were not received. Nobody waits
 * for what another user sent: that may be a TCP socket with SO_LINGER, or a file of a file system that he serves. */
static void close_of(const struct window_socket *socket, const int *fds, size_t count) {
    struct leftover *leftover = socket->is_strange ? malloc(sizeof *leftover) : NULL;
    if (leftover == NULL) {
        for (size_t i = 0; i < count; i++) {
            close(fds[i]);
        }
        return;
    }
    leftover->count = count;
    memcpy(leftover->fds, fds, count * sizeof *fds);
    atomic_fetch_add(&closing, 1);
    if (worker_send_off("burst-close", close_leftover, leftover) < 0) {
        close_leftover(leftover);
    }
}

static int is_strange(int fd) {
    struct ucred listener;
    socklen_t bytes = sizeof listener;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &listener, &bytes) < 0 ||
           (listener.uid != 0 && listener.uid != geteuid());
}

/* Takes the descriptors of a message. Returns the first one if it is memory, or -1; closes all others. The message has room
 * for all that may come, since the kernel closes the rest in the thread that receives it. */
static int take_descriptor(const struct window_socket *socket, struct msghdr *message) {
    const struct cmsghdr *part = CMSG_FIRSTHDR(message);
    int fds[DESCRIPTORS_MOST];
    if (part == NULL || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
        return -1;
    }
    const size_t bytes = part->cmsg_len - CMSG_LEN(0), count = bytes / sizeof fds[0];
    memcpy(fds, CMSG_DATA(part), bytes);
    const size_t taken = count > 0 && fcntl(fds[0], F_GET_SEALS) >= 0;
    if (count > taken) {
        close_of(socket, fds + taken, count - taken);
    }
    return taken > 0 ? fds[0] : -1;
}

/* Waits for the greeting, and takes the descriptor that comes with it. */
static int greet(const struct window_socket *socket, const char *path, int *window_fd) {
    struct window_greeting greeting = {.magic = 0};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(DESCRIPTORS_MOST * sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec part = {.iov_base = &greeting, .iov_len = sizeof greeting};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct pollfd answer = {.fd = socket->fd, .events = POLLIN};
    if (TEMP_FAILURE_RETRY(poll(&answer, 1, ANSWER_MS)) <= 0) {
        return error_set(ETIMEDOUT, "the process that listens on %s gave no window within %d ms: look whether it hangs",
                         path, ANSWER_MS);
    }
    const ssize_t got = TEMP_FAILURE_RETRY(recvmsg(socket->fd, &message, MSG_CMSG_CLOEXEC));
    *window_fd = got < 0 ? -1 : take_descriptor(socket, &message);
    if (got >= (ssize_t)sizeof greeting && greeting.magic == WINDOW_GREETING_MAGIC && *window_fd >= 0) {
        return 0;
    }
    if (*window_fd >= 0) {
        close(*window_fd);
    }
    return got == 0 ? error_set(ECONNREFUSED,
                                "the log that listens on %s gave no window: it is being closed, or it has as many "
                                "readers as it takes",
                                path)
                    : error_set(EPROTO, "the process that listens on %s gave no window: it is no log", path);
}

/* Connects through the folder's descriptor if the path is too long for an address. */
static int connect_to(int fd, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) < sizeof address.sun_path) {
        strcpy(address.sun_path, path);
        return connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
    }
    const char *name = strrchr(path, '/');
    char *folder = name == NULL ? NULL : strndup(path, (size_t)(name - path));
    const int folder_fd = folder == NULL ? -1 : open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int failure = errno;
    free(folder);
    if (folder_fd < 0) {
        return -failure;
    }
    const int bytes = snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d%s", folder_fd, name);
    int rc = bytes >= (int)sizeof address.sun_path ? -ENAMETOOLONG : 0;
    if (rc == 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        rc = -errno;
    }
    close(folder_fd);
    return rc;
}

int window_connect(const char *path, struct window_socket *socket_out, int *window_fd) {
    struct stat status;
    socket_out->fd = -1;
    if (stat(path, &status) < 0) {
        return error_set(errno, "there is no window at %s: %s", path, error_name(errno));
    }
    if (atomic_load(&closing) >= CLOSING_MOST) {
        return error_set(
            EBUSY,
            "the window at %s is not used: %d threads still close what listeners of other users sent; find "
            "out which process listens there",
            path, CLOSING_MOST);
    }
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return error_set(errno, "no socket for the window at %s: %s", path, error_name(errno));
    }
    struct window_socket connection = {.fd = fd, .device = status.st_dev, .inode = status.st_ino};
    int rc = connect_to(fd, path);
    if (rc < 0) {
        rc = error_set(-rc, "no process gives the window at %s: %s", path, error_name(-rc));
    } else {
        connection.is_strange = is_strange(fd);
        rc = greet(&connection, path, window_fd);
    }
    if (rc < 0) {
        window_disconnect(&connection);
        return rc;
    }
    *socket_out = connection;
    return 0;
}

int window_socket_is_over(const struct window_socket *socket, const char *path) {
    struct stat status;
    struct pollfd end = {.fd = socket->fd, .events = 0};
    const int has_hung_up = poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0;
    return has_hung_up ||
           (stat(path, &status) == 0 && (status.st_dev != socket->device || status.st_ino != socket->inode));
}

int window_socket_is_stale(const struct window_socket *socket, const char *path) {
    return access(path, F_OK) < 0 || window_socket_is_over(socket, path);
}

int window_wish(const struct window_socket *socket, uint64_t above_position) {
    const struct window_wish wish = {.above_position = above_position};
    const ssize_t sent = TEMP_FAILURE_RETRY(send(socket->fd, &wish, sizeof wish, MSG_NOSIGNAL | MSG_DONTWAIT));
    return sent == (ssize_t)sizeof wish ? 0 : sent < 0 ? -errno : -EIO;
}

void window_disconnect(struct window_socket *socket) {
    if (socket->fd >= 0) {
        close_of(socket, &socket->fd, 1);
        socket->fd = -1;
    }
}
