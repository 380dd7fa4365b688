/* SPDX-License-Identifier: Apache-2.0 */
/* A TCP connection whose other end reads nothing: the close of its last descriptor waits until the other end is closed. */
#ifndef BURST_TEST_WINDOW_LINGERING_H
#define BURST_TEST_WINDOW_LINGERING_H

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct lingering {
    int fd;
    int other;
};

static inline struct lingering make_lingering(void) {
    static char text[65536];
    struct lingering made;
    const struct linger an_hour = {.l_onoff = 1, .l_linger = 3600};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &bytes), 0);
    made.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(made.fd, (const struct sockaddr *)&address, sizeof address), 0);
    made.other = accept(listener, NULL, NULL);
    assert_true(made.other >= 0);
    close(listener);
    assert_int_equal(setsockopt(made.fd, SOL_SOCKET, SO_LINGER, &an_hour, sizeof an_hour), 0);
    while (send(made.fd, text, sizeof text, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    return made;
}

#endif
