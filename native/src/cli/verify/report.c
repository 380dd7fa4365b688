/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verify/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "cli/doctor/doctor.h"

#define PRINT_EVERY_NS 100000000ll
#define SILENCE_NS 5000000000ll

/* Splits "host:port" or "port". */
static int split_address(const char *where, char *host, size_t room, const char **port) {
    const char *colon = strrchr(where, ':');
    *port = colon == NULL ? where : colon + 1;
    const char *begin = where + (where[0] == '[');
    const size_t length = colon == NULL ? 0 : (size_t)(colon - begin) - (colon > begin && colon[-1] == ']');
    snprintf(host, room, "%.*s", (int)length, begin);
    return length < room && **port != '\0';
}

/* Connects to the first address that works, or listens on it. Returns the socket, or -errno with a sentence. */
static int open_socket(const char *where, int passive) {
    char host[256];
    const char *port;
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0}, *found = NULL;
    if (!split_address(where, host, sizeof host, &port) || (!passive && host[0] == '\0')) {
        return error_set(EINVAL, "%s is no %s", where, passive ? "[ADDRESS:]PORT" : "HOST:PORT");
    }
    int rc = getaddrinfo(host[0] == '\0' ? NULL : host, port, &wanted, &found);
    if (rc != 0) {
        return error_set(EINVAL, "the address %s cannot be resolved: %s", where, gai_strerror(rc));
    }
    rc = -ENOENT;
    for (const struct addrinfo *at = found; at != NULL; at = at->ai_next) {
        const int one = 1, fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (fd < 0) {
            rc = -errno;
            continue;
        }
        setsockopt(fd, passive ? SOL_SOCKET : IPPROTO_TCP, passive ? SO_REUSEADDR : TCP_NODELAY, &one, sizeof one);
        if ((passive ? bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, 1) == 0
                     : connect(fd, at->ai_addr, at->ai_addrlen) == 0)) {
            rc = fd;
            break;
        }
        rc = -errno;
        close(fd);
    }
    freeaddrinfo(found);
    return rc >= 0
               ? rc
               : error_set(-rc, "%s %s failed: %s", passive ? "listening on" : "connecting to", where, error_name(rc));
}

static int send_some(struct reporter *reporter, const char *text, size_t bytes, int flags) {
    const ssize_t sent = send(reporter->fd, text, bytes, MSG_NOSIGNAL | flags);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        const int failure = errno;
        return error_set(failure,
                         "the machine that --report names hung up: %s; the test ends, because a number that no other "
                         "machine knows proves nothing",
                         error_name(failure));
    }
    reporter->rest_bytes = bytes - (sent < 0 ? 0 : (size_t)sent);
    memmove(reporter->rest, text + (bytes - reporter->rest_bytes), reporter->rest_bytes);
    return 0;
}

int reporter_connect(struct reporter *reporter, const char *where, const char *path) {
    *reporter = (struct reporter){.fd = -1};
    if (where == NULL) {
        return 0;
    }
    reporter->fd = open_socket(where, 0);
    if (reporter->fd < 0) {
        return reporter->fd;
    }
    char line[4200];
    const int length = snprintf(line, sizeof line, "medium %s\n", path);
    return send(reporter->fd, line, (size_t)length, MSG_NOSIGNAL) == length
               ? 0
               : error_set(EPIPE, "%s hung up at once", where);
}

int reporter_tell(struct reporter *reporter, uint64_t number) {
    if (reporter->fd < 0) {
        return 0;
    }
    if (reporter->rest_bytes > 0) {
        char rest[sizeof reporter->rest];
        const size_t bytes = reporter->rest_bytes;
        memcpy(rest, reporter->rest, bytes);
        const int rc = send_some(reporter, rest, bytes, MSG_DONTWAIT);
        if (rc < 0 || reporter->rest_bytes > 0) {
            return rc;
        }
    }
    char line[32];
    const int length = snprintf(line, sizeof line, "%" PRIu64 "\n", number);
    const int rc = send_some(reporter, line, (size_t)length, MSG_DONTWAIT);
    if (reporter->rest_bytes == (size_t)length) {
        reporter->rest_bytes = 0; /* no byte of it was sent, so a later number replaces it */
    }
    return rc;
}

void reporter_close(struct reporter *reporter, uint64_t number) {
    char line[sizeof reporter->rest + 32];
    if (reporter->fd < 0) {
        return;
    }
    memcpy(line, reporter->rest, reporter->rest_bytes);
    const size_t bytes =
        reporter->rest_bytes + (size_t)snprintf(line + reporter->rest_bytes, 32, "%" PRIu64 "\n", number);
    if (number > 0 && send(reporter->fd, line, bytes, MSG_NOSIGNAL) < 0) {
        fprintf(stderr, "burstlog: the last number could not be sent: %s\n", error_name(errno));
    }
    close(reporter->fd);
}

/* ---------------------------------------------------------------------------------------- the other machine */

struct listener {
    char medium[4100];
    uint64_t last;
    int64_t heard_ns, printed_ns;
    int silence_is_told;
};

static void tell_number(const struct listener *listener) {
    printf("acknowledged %" PRIu64 "\n", listener->last);
    fflush(stdout);
}

static void tell_last(const struct listener *listener, const char *why) {
    printf("%s. Last acknowledged: %" PRIu64 ". After the start of that machine: burstlog doctor --verify-device %s "
           "--check %" PRIu64 "\n",
           why, listener->last, listener->medium, listener->last);
    fflush(stdout);
}

static void handle_line(struct listener *listener, char *line) {
    unsigned long long number;
    if (sscanf(line, "medium %4095[^\n]", listener->medium) == 1) {
        printf("the other machine writes to %s\n", listener->medium);
        fflush(stdout);
    } else if (sscanf(line, "%llu", &number) == 1 && number > listener->last) {
        listener->last = number;
    }
}

/* Handles whole lines, and moves the rest to the front. Returns the length of the rest. */
static size_t handle_lines(struct listener *listener, char *text, size_t bytes) {
    char *begin = text, *end;
    while ((end = memchr(begin, '\n', bytes - (size_t)(begin - text))) != NULL) {
        *end = '\0';
        handle_line(listener, begin);
        begin = end + 1;
    }
    const size_t left = bytes - (size_t)(begin - text);
    memmove(text, begin, left);
    return left;
}

/* Prints the numbers until the other side hangs up, or is silent for most_silence_s (0: no limit). */
static void follow_numbers(int fd, double most_silence_s) {
    static struct listener listener;
    char text[8192];
    size_t bytes = 0;
    listener.heard_ns = platform_monotonic_ns(&platform_linux);
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const ssize_t got = poll(&wait, 1, 100) > 0 ? recv(fd, text + bytes, sizeof text - bytes, 0) : -1;
        const int64_t now_ns = platform_monotonic_ns(&platform_linux);
        if (got == 0 || (got < 0 && wait.revents != 0 && errno != EINTR && errno != EAGAIN)) {
            tell_last(&listener, got == 0 ? "The other side has ended" : "The connection broke");
            return;
        }
        if (got > 0) {
            bytes = handle_lines(&listener, text, bytes + (size_t)got);
            bytes = bytes == sizeof text ? 0 : bytes; /* a line that long is not from our side */
            listener.heard_ns = now_ns;
            listener.silence_is_told = 0;
            if (now_ns - listener.printed_ns >= PRINT_EVERY_NS) {
                tell_number(&listener);
                listener.printed_ns = now_ns;
            }
            continue;
        }
        const int64_t silence_ns = now_ns - listener.heard_ns;
        const int ends = most_silence_s > 0 && (double)silence_ns >= most_silence_s * 1e9;
        if ((ends || silence_ns >= SILENCE_NS) && !listener.silence_is_told) {
            tell_last(&listener, "Silence");
            listener.silence_is_told = 1;
        }
        if (ends) {
            return;
        }
    }
}

int verify_listen(const struct verify_request *request) {
    const int listening = open_socket(request->listen, 1);
    if (listening < 0) {
        return cli_failed(listening);
    }
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    socklen_t bytes = sizeof address;
    getsockname(listening, &address.any, &bytes);
    printf("listening on port %u\n",
           ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port));
    fflush(stdout);
    int fd;
    while ((fd = accept(listening, NULL, NULL)) < 0 && errno == EINTR) {
    }
    const int failure = errno;
    close(listening);
    if (fd < 0) {
        return cli_failed(error_set(failure, "listening on %s failed: %s", request->listen, error_name(failure)));
    }
    follow_numbers(fd, request->seconds);
    close(fd);
    return EXIT_OK;
}
