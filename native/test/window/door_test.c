/* SPDX-License-Identifier: Apache-2.0 */
/* The door of a window: who gets in, who is woken, and what a bad guest can do. */
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "window/door_fixture.h"

static _Atomic int accepts;

/* Stands in for that of libc. */
int accept4(int listener, struct sockaddr *address, socklen_t *bytes, int flags);
int accept4(int listener, struct sockaddr *address, socklen_t *bytes, int flags) {
    atomic_fetch_add(&accepts, 1);
    return (int)syscall(SYS_accept4, listener, address, bytes, flags);
}

static void a_reader_gets_the_window(void **state) {
    (void)state;
    struct window_socket socket;
    struct attached_window attached;
    int fd;
    assert_int_equal(try_to_open(0600), 0);
    assert_string_equal(door->name, "ab010200000000000000000000000000.window");
    for (int reader = 0; reader < 3; reader++) {
        assert_int_equal(window_connect(socket_path, &socket, &fd), 0);
        assert_int_equal(window_attach(fd, socket_path, &attached), 0);
        assert_int_equal(attached.head.epoch, 7);
        assert_null(attached.image);
        assert_int_equal(window_socket_is_stale(&socket, socket_path), 0);
        window_detach(&attached);
        close(fd);
        window_disconnect(&socket);
    }
    door_close(door);
}

static void only_those_may_connect_whom_the_mode_lets(void **state) {
    (void)state;
    struct stat status;
    const mode_t before = umask(0);
    assert_int_equal(try_to_open(0640), 0);
    umask(before);
    assert_int_equal(stat(socket_path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    door_close(door);
}

static void leave_socket(void) {
    const int other = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(socket_path) < sizeof address.sun_path);
    strcpy(address.sun_path, socket_path);
    assert_int_equal(bind(other, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(other, 1), 0);
    close(other);
}

static void a_socket_that_a_killed_process_left_is_replaced(void **state) {
    (void)state;
    struct stat before, after;
    struct window_socket socket;
    int fd;
    snprintf(socket_path, sizeof socket_path, "%s/ab010200000000000000000000000000.window", folder);
    leave_socket();
    assert_int_equal(stat(socket_path, &before), 0);
    assert_int_equal(window_connect(socket_path, &socket, &fd), -ECONNREFUSED);
    assert_int_equal(try_to_open(0600), 0);
    assert_int_equal(stat(socket_path, &after), 0);
    assert_int_equal(window_connect(socket_path, &socket, &fd), 0);
    close(fd);
    door_close(door);
    assert_true(window_socket_is_stale(&socket, socket_path));
    window_disconnect(&socket);
    assert_int_equal(stat(socket_path, &after), -1);
}

static void a_file_of_another_kind_in_its_place_stays(void **state) {
    (void)state;
    snprintf(socket_path, sizeof socket_path, "%s/ab010200000000000000000000000000.window", folder);
    const int file = open(socket_path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(try_to_open(0600), -EEXIST);
    struct stat status;
    assert_int_equal(stat(socket_path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
}

static void anothers_socket_is_not_removed_at_the_close(void **state) {
    (void)state;
    assert_int_equal(try_to_open(0600), 0);
    assert_int_equal(unlink(socket_path), 0);
    leave_socket();
    door_close(door);
    struct stat status;
    assert_int_equal(stat(socket_path, &status), 0);
}

static void sleeping_readers_are_woken_by_a_commit_and_by_the_close(void **state) {
    (void)state;
    struct window_socket sockets[3];
    int fd;
    assert_int_equal(try_to_open(0600), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(window_connect(socket_path, &sockets[i], &fd), 0);
        close(fd);
    }
    assert_int_equal(atomic_load(&awaited), 0); /* nobody sleeps: no commit is awaited */
    _Atomic uint32_t *wakes = &window->lines->wakes;
    uint32_t before = atomic_load(wakes);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(window_wish(&sockets[i], 4096), 0);
    }
    while (atomic_load(&awaited) == 0) {
        sched_yield();
    }
    assert_int_equal(atomic_load(wakes), before); /* the watermark is below */
    window_put_watermark(window, 2, 8192, 5);
    event_count_notify(&commits, &platform_linux);
    for (int turn = 0; turn < 10000 && atomic_load(wakes) == before; turn++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_not_equal(atomic_load(wakes), before);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* wishes that came later are answered, too */
    before = atomic_load(wakes);
    assert_int_equal(window_wish(&sockets[0], 4096), 0); /* it is above already */
    for (int turn = 0; turn < 10000 && atomic_load(wakes) == before; turn++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_not_equal(atomic_load(wakes), before);
    before = atomic_load(wakes);
    door_close(door);
    assert_int_not_equal(atomic_load(wakes), before);
    assert_int_equal(window->lines->state, WINDOW_CLOSED);
    for (int i = 0; i < 3; i++) {
        window_disconnect(&sockets[i]);
    }
}

static struct figures got;

static uint64_t await_figures(const struct attached_window *attached, uint64_t above) {
    for (int turn = 0; turn < 10000; turn++) {
        if (window_get_figures(attached->lines, attached->figures, &got) == 1 && got.commits > above) {
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return got.commits;
}

static void figures_are_filled_for_those_who_ask_and_not_too_often(void **state) {
    (void)state;
    struct attached_window attached;
    struct window_socket socket;
    int fd;
    atomic_store(&filled, 0);
    got.commits = 0;
    assert_int_equal(try_to_open(0600), 0);
    assert_int_equal(window_connect(socket_path, &socket, &fd), 0);
    assert_int_equal(window_attach(fd, socket_path, &attached), 0);
    close(fd);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    assert_int_equal(atomic_load(&filled), 0);
    assert_int_equal(window_get_figures(attached.lines, attached.figures, &got), 0);
    const int64_t before_ns = platform_monotonic_ns(&platform_linux);
    const uint32_t wakes = atomic_load(&window->lines->wakes);
    uint64_t fillings = 0;
    for (int ask = 0; ask < 4; ask++) {
        for (int again = 0; again < 100; again++) { /* many who ask at once cost no more than one */
            window_wish(&socket, WINDOW_WISH_FIGURES);
        }
        fillings = await_figures(&attached, fillings);
    }
    const int64_t took_ns = platform_monotonic_ns(&platform_linux) - before_ns;
    assert_true(fillings >= 4);
    assert_true((int64_t)fillings - 1 <= took_ns / DOOR_FIGURES_NS);
    assert_int_not_equal(atomic_load(&window->lines->wakes), wakes);
    assert_int_equal(atomic_load(&awaited), 0); /* no commit is awaited for it */
    window_detach(&attached);
    window_disconnect(&socket);
    door_close(door);
}

static void a_guest_that_says_garbage_is_sent_away(void **state) {
    (void)state;
    struct window_socket socket;
    int fd;
    assert_int_equal(try_to_open(0600), 0);
    for (size_t bytes = 0; bytes <= 64; bytes += bytes == 7 ? 2 : 1) { /* 8 is the length of a wish */
        char garbage[64] = {0};
        assert_int_equal(window_connect(socket_path, &socket, &fd), 0);
        close(fd);
        send(socket.fd, garbage, bytes, MSG_NOSIGNAL);
        struct pollfd end_of_it = {.fd = socket.fd, .events = POLLIN};
        assert_int_equal(poll(&end_of_it, 1, 60000), 1);
        assert_int_equal(recv(socket.fd, garbage, sizeof garbage, 0), 0);
        window_disconnect(&socket);
    }
    door_close(door);
}

static void a_crowd_is_sent_away_and_told_once(void **state) {
    (void)state;
    static struct window_socket sockets[DOOR_READERS_MOST + 3];
    struct event event;
    int fd, refused = 0, told = 0;
    assert_int_equal(try_to_open(0600), 0);
    for (size_t i = 0; i < DOOR_READERS_MOST + 3; i++) {
        const int rc = window_connect(socket_path, &sockets[i], &fd);
        refused += rc == -ECONNREFUSED;
        if (rc == 0) {
            close(fd);
        }
    }
    assert_int_equal(refused, 3);
    window_disconnect(&sockets[0]);
    for (int turn = 0; turn < 1000; turn++) { /* the door finds out soon that one has gone */
        if (window_connect(socket_path, &sockets[0], &fd) == 0) {
            close(fd);
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_true(sockets[0].fd >= 0);
    door_close(door);
    while (events_take(&events, &event, 0) == 1) {
        told += strstr(event.text, "takes no more") != NULL;
    }
    assert_int_equal(told, 1);
    for (size_t i = 0; i < DOOR_READERS_MOST + 3; i++) {
        window_disconnect(&sockets[i]);
    }
}

/* The socket of a reader who cannot be let in stays readable. */
static void a_process_without_a_free_descriptor_does_not_spin(void **state) {
    (void)state;
    struct rlimit limit, none_free;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct window_greeting greeting;
    struct event event;
    assert_int_equal(try_to_open(0600), 0);
    const int reader = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), next_free = dup(reader);
    assert_true(reader >= 0 && next_free >= 0 && close(next_free) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none_free = (struct rlimit){.rlim_cur = (rlim_t)next_free, .rlim_max = limit.rlim_max};
    memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none_free), 0);
    atomic_store(&accepts, 0);
    assert_int_equal(connect(reader, (const struct sockaddr *)&address, sizeof address), 0);
    while (events_take(&events, &event, 0) != 1) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(event.severity, EVENT_WARN);
    assert_non_null(strstr(event.text, "lets no reader in: EMFILE"));
    nanosleep(&(struct timespec){.tv_nsec = 450000000}, NULL);
    assert_in_range(atomic_load(&accepts), 1, 8); /* at most one each 100 ms, on a busy machine fewer */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(recv(reader, &greeting, sizeof greeting, 0), sizeof greeting);
    door_close(door);
    assert_int_not_equal(events_take(&events, &event, 0), 1); /* told once */
    close(reader);
}

static void a_folder_that_cannot_have_a_socket_is_refused(void **state) {
    (void)state;
    char missing[128];
    snprintf(missing, sizeof missing, "%s/missing", folder);
    assert_int_equal(door_check(missing), -ENOENT);
    assert_int_equal(door_check("/dev/null"), -ENOTDIR);
    assert_int_equal(door_check(folder), 0);
}

int main(void) {
#define DOOR_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        DOOR_TEST(a_reader_gets_the_window),
        DOOR_TEST(only_those_may_connect_whom_the_mode_lets),
        DOOR_TEST(a_socket_that_a_killed_process_left_is_replaced),
        DOOR_TEST(a_file_of_another_kind_in_its_place_stays),
        DOOR_TEST(anothers_socket_is_not_removed_at_the_close),
        DOOR_TEST(sleeping_readers_are_woken_by_a_commit_and_by_the_close),
        DOOR_TEST(figures_are_filled_for_those_who_ask_and_not_too_often),
        DOOR_TEST(a_guest_that_says_garbage_is_sent_away),
        DOOR_TEST(a_crowd_is_sent_away_and_told_once),
        DOOR_TEST(a_process_without_a_free_descriptor_does_not_spin),
        DOOR_TEST(a_folder_that_cannot_have_a_socket_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
