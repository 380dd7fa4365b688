/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that a guest sends to the door of a window: who closes them, and who waits for that. */
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "skip_with.h"
#include "window/door_fixture.h"
#include "window/lingering.h"

static struct lingering lingering;

/* Sends a wish, and a descriptor with it. Returns 0 or -errno. */
static int send_with(int socket, int fd) {
    struct window_wish wish = {.above_position = 0};
    struct iovec part = {.iov_base = &wish, .iov_len = sizeof wish};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
    const struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int sent_over;
static _Atomic int has_sent;

/* The thread of the door does it while it awaits a commit: so nobody has the descriptor when it receives the message. */
static void send_lingering(void) {
    assert_int_equal(send_with(sent_over, lingering.fd), 0);
    close(lingering.fd);
    atomic_store(&has_sent, 1);
}

static void send_lingering_and_await_the_close(void) {
    send_lingering();
    while (!worker_is_stopped(&door->worker)) {
        sched_yield();
    }
}

static void descriptors_of_a_guest_are_refused(void **state) {
    (void)state;
    struct window_socket socket;
    int fd, passes = 1;
    socklen_t bytes = sizeof passes;
    assert_int_equal(try_to_open(0600), 0);
    if (getsockopt(door->listener, SOL_SOCKET, SO_PASSRIGHTS, &passes, &bytes) < 0) {
        door_close(door);
        SKIP_WITH("this kernel is older than 6.16");
    }
    assert_int_equal(window_connect(socket_path, &socket, &fd), 0);
    assert_int_equal(send_with(socket.fd, fd), -EPERM);
    assert_int_equal(window_wish(&socket, 4096), 0);
    close(fd);
    window_disconnect(&socket);
    assert_int_equal(door_close(door), 1);
}

static void *close_door(void *has_ended) {
    *(int *)has_ended = door_close(door);
    return NULL;
}

/* Closes the door while its thread closes what lingers, and then lets that end. */
static void close_beside_lingering(struct window_socket *socket) {
    static struct door *left[2]; /* its thread ends in its own time */
    struct limit none = limit_of(-1);
    struct timespec give_up_at;
    pthread_t thread;
    int has_ended = -1;
    assert_int_equal(pthread_create(&thread, NULL, close_door, &has_ended), 0);
    clock_gettime(CLOCK_REALTIME, &give_up_at);
    give_up_at.tv_sec += 30;
    const int rc = pthread_timedjoin_np(thread, NULL, &give_up_at);
    close(lingering.other);
    if (rc != 0) {
        pthread_join(thread, NULL);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(has_ended, 0);
    assert_int_equal(worker_await_end(&door->worker, &none), 1);
    window_disconnect(socket);
    left[left[0] != NULL] = door;
    door = NULL;
}

/* As before Linux 6.16, where each socket takes descriptors. */
static void open_and_send(struct window_socket *socket, void (*send)(void)) {
    const int all = 1;
    int fd;
    atomic_store(&has_sent, 0);
    in_commit = send;
    assert_int_equal(try_to_open(0600), 0);
    setsockopt(door->listener, SOL_SOCKET, SO_PASSRIGHTS, &all, sizeof all);
    assert_int_equal(window_connect(socket_path, socket, &fd), 0);
    close(fd);
    lingering = make_lingering();
    sent_over = socket->fd;
    assert_int_equal(window_wish(socket, 4096), 0);
    while (!atomic_load(&has_sent)) {
        sched_yield();
    }
}

static void a_descriptor_that_is_long_closed_holds_up_no_close(void **state) {
    (void)state;
    struct window_socket socket;
    int unread = 1;
    open_and_send(&socket, send_lingering);
    while (unread != 0) {
        assert_int_equal(ioctl(socket.fd, SIOCOUTQ, &unread), 0);
        sched_yield();
    }
    close_beside_lingering(&socket);
}

static void nor_does_one_in_a_message_that_is_not_received(void **state) {
    (void)state;
    struct window_socket socket;
    open_and_send(&socket, send_lingering_and_await_the_close);
    close_beside_lingering(&socket);
}

int main(void) {
#define DOOR_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        DOOR_TEST(descriptors_of_a_guest_are_refused),
        DOOR_TEST(a_descriptor_that_is_long_closed_holds_up_no_close),
        DOOR_TEST(nor_does_one_in_a_message_that_is_not_received),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
