/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the engine `uring` that change while they are handled. */
#include "device/backend/uring_ring.h"

static int commit_of_two(struct device *device, int first, int second) {
    uring_of(device)->command_bytes = 4096;
    give_then = second;
    return commit_with(device, 1, first, 8192);
}

/* Whichever comes first: a command that said "again" is written by the leader, but one that failed may have left anything. */
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

/* The first commands have failed when the kernel refuses to take the others, which then say "again". */
static void error_before_a_refusal(struct device *device) {
    struct uring *uring = uring_of(device);
    struct device_write write = {.offset = PIECE_BYTES, .data = image, .bytes = 64 * 4096, .result = 77};
    uring->meaning = meaning_given;
    uring->command_bytes = 4096;
    given = 1000, give = -EIO;
    device->ops->submit(device, &write); /* 64 commands: they are given to the kernel at once */
    while (__atomic_load_n(uring->kernel.ended, __ATOMIC_ACQUIRE) - *uring->kernel.seen < 64) {
    }
    uring->writes[0].commands += 1; /* one more, which the kernel does not take */
    struct io_uring_sqe *sqe = kernel_next_entry(&uring->kernel);
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

/* No completion ever comes, and waiting for one is refused. */
static void wait_refused(struct device *device) {
    struct uring *uring = uring_of(device);
    struct device_write writes[2] = {{.offset = 0, .data = image, .bytes = PIECE_BYTES, .result = 77},
                                     {.offset = PIECE_BYTES, .data = image, .bytes = PIECE_BYTES, .result = 77}};
    unsigned int none = *uring->kernel.seen, *const ended = uring->kernel.ended;
    const int fd = uring->kernel.fd;
    uring->kernel.ended = &none;
    for (int i = 0; i < 2; i++)
        device->ops->submit(device, &writes[i]); /* the kernel takes them at once */
    uring->kernel.fd = -1;
    for (int i = 0; i < 2; i++)
        CHECK(device->ops->complete(device) == &writes[i]);
    CHECK(device->ops->complete(device) == NULL);
    for (int i = 0; i < 2; i++)
        CHECK(writes[i].result == -EBADF);
    /* A kernel that answers again is not believed any more: what it says may be of the writes that have failed. */
    uring->kernel.fd = fd;
    uring->kernel.ended = ended;
    const unsigned int filled = uring->kernel.filled;
    check_commit(device);
    CHECK(uring->kernel.filled == filled);
}

static void writes_that_the_kernel_never_completes_fail_and_later_ones_go_without_it(void **state) {
    (void)state;
    in_child(wait_refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_of_one_command_outlives_what_the_others_say),
        cmocka_unit_test(an_error_outlives_commands_that_the_kernel_does_not_take),
        cmocka_unit_test(writes_that_the_kernel_never_completes_fail_and_later_ones_go_without_it),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
