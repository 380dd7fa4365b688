/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the engine `uring` that change while they are handled. */
#include "device/backend/uring_ring.h"

#include <pthread.h>

static int commit_of_two(struct device *device, int first, int second) {
    uring_of(device)->command_bytes = 4096;
    give_then = second;
    return commit_with(device, 1, first, 8192);
}

/* The order does not matter: the leader writes a command that said "again", but a command that failed may have left anything. */
static void an_error_of_one_command_outlives_what_the_others_say(void **state) {
    (void)state;
    struct device *device = open_ring(ring_file());
    assert_int_equal(commit_of_two(device, -EIO, -EAGAIN), -EIO);
    assert_int_equal(commit_of_two(device, -EIO, -EINTR), -EIO);
    assert_int_equal(commit_of_two(device, -EAGAIN, -EIO), -EIO);
    assert_int_equal(commit_of_two(device, -EINTR, -ENODATA), -ENODATA);
    assert_int_equal(commit_of_two(device, -EIO, -ENODATA), -EIO);
    assert_int_equal(commit_of_two(device, -EAGAIN, -EINTR), 0);
    check_medium(device, PIECE_BYTES, image, 8192);
    device_close(device);
}

/* The first commands have failed when the kernel refuses the others, which then say "again". */
static void error_before_a_refusal(struct device *device) {
    struct uring *uring = uring_of(device);
    struct device_write write = {.offset = PIECE_BYTES, .data = image, .bytes = 64 * 4096, .result = 77};
    uring->meaning = meaning_given;
    uring->command_bytes = 4096;
    given = 1000, give = -EIO;
    device->ops->submit(device, &write); /* 64 commands, which go to the kernel at once */
    while (io_uring_cq_ready(&uring->ring) < 64) {
    }
    uring->writes[0].commands += 1; /* one command more, which the kernel does not take */
    struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
    uring->prepare(uring, sqe, write.offset, image, 4096);
    sqe->user_data = 4096u << 8;
    refuse_call(SYS_io_uring_enter, 0, EPERM);
    CHECK(device->ops->complete(device) == &write);
    CHECK(write.result == -EIO);
}

static void an_error_outlives_commands_that_the_kernel_does_not_take(void **state) {
    (void)state;
    in_child(error_before_a_refusal);
}

/* No completion ever comes, and the kernel refuses to wait for one. */
static void wait_refused(struct device *device) {
    struct uring *uring = uring_of(device);
    struct device_write writes[2] = {{.offset = 0, .data = image, .bytes = PIECE_BYTES, .result = 77},
                                     {.offset = PIECE_BYTES, .data = image, .bytes = PIECE_BYTES, .result = 77}};
    unsigned int none = *uring->ring.cq.khead, *const ended = uring->ring.cq.ktail;
    const int fd = uring->ring.enter_ring_fd;
    uring->ring.cq.ktail = &none;
    for (int i = 0; i < 2; i++)
        device->ops->submit(device, &writes[i]); /* the kernel takes them at once */
    uring->ring.enter_ring_fd = -1;
    for (int i = 0; i < 2; i++)
        CHECK(device->ops->complete(device) == &writes[i]);
    CHECK(device->ops->complete(device) == NULL);
    for (int i = 0; i < 2; i++)
        CHECK(writes[i].result == -EBADF);
    /* The engine believes no kernel that answers again: the answer may be about the writes that have failed. */
    uring->ring.enter_ring_fd = fd;
    uring->ring.cq.ktail = ended;
    const unsigned int filled = uring->ring.sq.sqe_tail;
    check_commit(device);
    CHECK(uring->ring.sq.sqe_tail == filled);
}

static void writes_that_the_kernel_never_completes_fail_and_later_ones_go_without_it(void **state) {
    (void)state;
    in_child(wait_refused);
}

static struct uring *interrupted;
static pthread_t waiting;

static void show_completion(int number) {
    (void)number;
    --*interrupted->ring.cq.khead;
}

/* Signals the thread with that id once it sleeps, which is in io_uring_enter. */
static void *signal_when_asleep(void *thread) {
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", *(const pid_t *)thread);
    while (state != 'S') {
        FILE *stat = fopen(path, "re");
        CHECK(stat != NULL);
        const int got = fscanf(stat, "%*d (%*[^)]) %c", &state);
        CHECK(got == 1);
        fclose(stat);
    }
    CHECK(pthread_kill(waiting, SIGUSR1) == 0);
    return NULL;
}

/* Hides the completion until the signal has ended the wait for it. */
static void wait_interrupted(struct device *device) {
    struct device_write write = {.offset = 0, .data = image, .bytes = PIECE_BYTES, .result = 77};
    const struct sigaction show = {.sa_handler = show_completion};
    const pid_t here = (pid_t)syscall(SYS_gettid);
    pthread_t helper;
    interrupted = uring_of(device);
    waiting = pthread_self();
    CHECK(sigaction(SIGUSR1, &show, NULL) == 0);
    device->ops->submit(device, &write);
    while (io_uring_cq_ready(&interrupted->ring) == 0) {
    }
    io_uring_cq_advance(&interrupted->ring, 1);
    CHECK(pthread_create(&helper, NULL, signal_when_asleep, (void *)&here) == 0);
    CHECK(device->ops->complete(device) == &write);
    CHECK(write.result == 0);
    pthread_join(helper, NULL);
    check_commit(device);
}

static void a_signal_while_a_completion_is_awaited_harms_nothing(void **state) {
    (void)state;
    in_child(wait_interrupted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_of_one_command_outlives_what_the_others_say),
        cmocka_unit_test(an_error_outlives_commands_that_the_kernel_does_not_take),
        cmocka_unit_test(a_signal_while_a_completion_is_awaited_harms_nothing),
        cmocka_unit_test(writes_that_the_kernel_never_completes_fail_and_later_ones_go_without_it),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
