/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors whose close takes long, from a listener of another user at the socket of a window: no reader waits. */
#include "log_fixture.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/un.h>

#include "base/error.h"
#include "window/attach.h"
#include "window/lingering.h"
#include "window/protocol.h"

#define GIVE_UP_S 30
#define THREADS_MOST 8 /* as many as may close at once */

static struct sockaddr_un address;
static int listener, memory;
static pthread_t thread;
static unsigned files_before;

/* Descriptors for the next guest: with the greeting, and behind it; -1: none. */
static struct {
    int first, second, later;
    int lingers; /* the one of these that is closed here */
} offer;
static atomic_int has_let_go;

int __real_getsockopt(int fd, int level, int option, void *value, socklen_t *bytes);
int __wrap_getsockopt(int fd, int level, int option, void *value, socklen_t *bytes);
int __wrap_getsockopt(int fd, int level, int option, void *value, socklen_t *bytes) {
    const int rc = __real_getsockopt(fd, level, option, value, bytes);
    if (rc == 0 && level == SOL_SOCKET && option == SO_PEERCRED) {
        ((struct ucred *)value)->uid = geteuid() + 1;
    }
    return rc;
}

/* So the reader has the last descriptor. */
ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags) {
    while (!atomic_load(&has_let_go)) {
        sched_yield();
    }
    return __real_recvmsg(fd, message, flags);
}

static void send_with(int guest, int first, int second) {
    struct window_greeting greeting = {.magic = WINDOW_GREETING_MAGIC, .version = WINDOW_VERSION};
    struct iovec part = {.iov_base = &greeting, .iov_len = sizeof greeting};
    const int fds[] = {first, second};
    const size_t bytes = (second < 0 ? 1 : 2) * sizeof fds[0];
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof fds)];
    } control = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(bytes)}};
    const struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(bytes)};
    memcpy(CMSG_DATA(&control.header), fds, bytes);
    assert_int_equal(sendmsg(guest, &message, MSG_NOSIGNAL), sizeof greeting);
}

static void *serve(void *unused) {
    int guest;
    while ((guest = accept(listener, NULL, NULL)) >= 0) {
        send_with(guest, offer.first, offer.second);
        if (offer.later >= 0) {
            send_with(guest, offer.later, -1);
        }
        if (offer.lingers >= 0) {
            close(offer.lingers);
        }
        close(guest);
        atomic_store(&has_let_go, 1);
    }
    return unused;
}

static void offer_this(int first, int second, int later, int lingers) {
    offer.first = first;
    offer.second = second;
    offer.later = later;
    offer.lingers = lingers;
    atomic_store(&has_let_go, 0);
}

/* Returns what window_connect returns. */
static int connect_and_leave(void) {
    struct window_socket socket;
    int fd;
    const int rc = window_connect(address.sun_path, &socket, &fd);
    if (rc == 0) {
        close(fd);
        window_disconnect(&socket);
    }
    return rc;
}

static void *read_window(void *rc) {
    *(int *)rc = connect_and_leave();
    return NULL;
}

/* The reader goes on while the connection still lingers. */
static void expect_no_wait(const struct lingering *lingering, int wanted) {
    pthread_t reader;
    struct timespec give_up_at;
    int got = 1;
    assert_int_equal(pthread_create(&reader, NULL, read_window, &got), 0);
    clock_gettime(CLOCK_REALTIME, &give_up_at);
    give_up_at.tv_sec += GIVE_UP_S;
    const int rc = pthread_timedjoin_np(reader, NULL, &give_up_at);
    close(lingering->other);
    if (rc != 0) {
        pthread_join(reader, NULL);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(got, wanted);
}

static unsigned count_open_files(void) {
    unsigned count = 0;
    DIR *files = opendir("/proc/self/fd");
    assert_non_null(files);
    while (readdir(files) != NULL) {
        count++;
    }
    closedir(files);
    return count;
}

static void await_that_all_is_closed(void) {
    while (count_open_files() != files_before) {
        sched_yield();
    }
}

static void one_in_the_place_of_a_window_holds_up_nobody(void **state) {
    (void)state;
    const struct lingering lingering = make_lingering();
    offer_this(lingering.fd, -1, -1, lingering.fd);
    expect_no_wait(&lingering, -EPROTO);
    await_that_all_is_closed();
}

static void nor_does_one_beside_a_window(void **state) {
    (void)state;
    const struct lingering lingering = make_lingering();
    offer_this(memory, lingering.fd, -1, lingering.fd);
    expect_no_wait(&lingering, 0);
    await_that_all_is_closed();
}

static void nor_does_one_in_a_message_that_is_not_received(void **state) {
    (void)state;
    const struct lingering lingering = make_lingering();
    offer_this(memory, -1, lingering.fd, lingering.fd);
    expect_no_wait(&lingering, 0);
    await_that_all_is_closed();
}

/* A thread that closes a connection which is over may count for a moment. */
static int connect_when_it_is_let(void) {
    int rc;
    while ((rc = connect_and_leave()) == -EBUSY) {
        sched_yield();
    }
    return rc;
}

static void while_as_many_linger_as_may_no_window_is_used(void **state) {
    (void)state;
    struct lingering all[THREADS_MOST];
    for (int i = 0; i < THREADS_MOST; i++) {
        all[i] = make_lingering();
        offer_this(all[i].fd, -1, -1, all[i].fd);
        assert_int_equal(connect_when_it_is_let(), -EPROTO);
    }
    assert_int_equal(connect_and_leave(), -EBUSY);
    assert_non_null(strstr(error_text(), "of other users"));
    for (int i = 0; i < THREADS_MOST; i++) {
        close(all[i].other);
    }
    offer_this(memory, -1, -1, -1);
    assert_int_equal(connect_when_it_is_let(), 0);
    await_that_all_is_closed();
}

static int begin(void **state) {
    make_folder(state);
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/w", folder);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    memory = (int)memfd_create("window", MFD_CLOEXEC);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    files_before = count_open_files();
    return pthread_create(&thread, NULL, serve, NULL);
}

static int end(void **state) {
    shutdown(listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(listener);
    close(memory);
    return remove_folder(state);
}

int main(void) {
#define DESCRIPTORS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        DESCRIPTORS_TEST(one_in_the_place_of_a_window_holds_up_nobody),
        DESCRIPTORS_TEST(nor_does_one_beside_a_window),
        DESCRIPTORS_TEST(nor_does_one_in_a_message_that_is_not_received),
        DESCRIPTORS_TEST(while_as_many_linger_as_may_no_window_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
