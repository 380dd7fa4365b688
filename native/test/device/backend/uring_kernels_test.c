/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that refuse what the engine `uring` asks of them, or do it in part. liburing makes its system calls inline, so two of
 * its functions are wrapped. */
#include "device/backend/uring_ring.h"

#define LONG_ENTRIES (IORING_SETUP_SQE128 | IORING_SETUP_CQE32)

/* ------------------------------------------------------------------------------------------- setting it up */

static unsigned int lacks;        /* flags that this kernel does not know */
static int setup_failure;         /* what it answers in any case, unless 0 */
static unsigned int setups_asked; /* so often */
static unsigned int setup_flags;  /* with these at last */

int __real_io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags);
int __wrap_io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags);
int __wrap_io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags) {
    setups_asked++;
    setup_flags = flags;
    if (setup_failure != 0 || (flags & lacks) != 0)
        return setup_failure != 0 ? setup_failure : -EINVAL;
    return __real_io_uring_queue_init(entries, ring, flags);
}

static void kernel_is(unsigned int without_flags, int failure) {
    lacks = without_flags;
    setup_failure = failure;
    setups_asked = 0;
}

static void a_kernel_without_the_newer_flag_is_asked_again_without_it(void **state) {
    (void)state;
    kernel_is(0, 0);
    struct device *device = open_ring(ring_file());
    const unsigned int newest = setup_flags;
    assert_int_equal(setups_asked, 1);
    assert_int_not_equal(newest, 0);
    device_close(device);
    kernel_is(newest, 0);
    device = open_ring(ring_file());
    assert_int_equal(setups_asked, 2);
    assert_int_equal(setup_flags, 0);
    assert_string_equal(device->fallback, "");
    check_commit(device);
    device_close(device);
    kernel_is(0, 0);
}

static void assert_refused(int failure, unsigned int times, const char *way_out) {
    struct device *device = NULL;
    const char *path = ring_file();
    kernel_is(0, failure);
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_URING, &device), failure);
    assert_null(device);
    assert_int_equal(setups_asked, times);
    if (strstr(error_text(), way_out) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), way_out);
    kernel_is(0, 0);
    device = open_ring(path); /* nothing holds it */
    device_close(device);
}

static void a_kernel_that_refuses_the_older_flags_too_is_told_with_a_way_out(void **state) {
    (void)state;
    assert_refused(-EINVAL, 2, "use a kernel");
    assert_refused(-ENOMEM, 1, "raise RLIMIT_MEMLOCK");
}

/* As the engine `nvme` has them. */
static struct device *open_with_long_entries(void) {
    struct device *device = open_ring(ring_file());
    struct uring *uring = uring_of(device);
    uring_queue_close(uring);
    uring->is_set_up = uring->file_is_registered = 0;
    uring->buffers = 0;
    if (uring_queue_open(uring, LONG_ENTRIES) < 0) {
        device_close(device);
        return NULL;
    }
    return device;
}

static void long_entries_are_asked_for_in_both_questions(void **state) {
    (void)state;
    kernel_is(~LONG_ENTRIES, 0);
    struct device *device = open_with_long_entries();
    if (device == NULL)
        SKIP_WITH("this kernel has no long entries (%s); wants Linux 5.19", error_text());
    assert_int_equal(setup_flags, LONG_ENTRIES);
    check_commit(device);
    device_close(device);
    kernel_is(0, 0);
}

static void after_a_close_no_mapping_keeps_the_io_uring_in_the_kernel(void **state) {
    (void)state;
    struct device *device = open_with_long_entries();
    if (device == NULL)
        SKIP_WITH("this kernel has no long entries (%s); wants Linux 5.19", error_text());
    assert_true(maps_have("[io_uring]"));
    device_close(device);
    assert_false(maps_have("[io_uring]"));
}

/* --------------------------------------------------------------------------------------- taking commands */

static int refusals, refusal;   /* so many calls fail with that */
static unsigned int takes_most; /* commands in one call, unless 0 */
static unsigned int entered;    /* calls that commands were given with */

int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned int wanted);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned int wanted);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned int wanted) {
    const unsigned int ready = io_uring_sq_ready(ring), all = ring->sq.sqe_tail;
    entered += ready > 0;
    if (refusals > 0) { /* the kernel sees the commands, as if it were asked, and takes none */
        const int fd = ring->enter_ring_fd;
        ring->enter_ring_fd = -1;
        const int result = __real_io_uring_submit_and_wait(ring, wanted);
        ring->enter_ring_fd = fd;
        refusals--;
        return result == -EBADF ? refusal : result;
    }
    if (takes_most == 0 || ready <= takes_most)
        return __real_io_uring_submit_and_wait(ring, wanted);
    ring->sq.sqe_tail = all - (ready - takes_most);
    const int result = __real_io_uring_submit_and_wait(ring, 0); /* it waits only if it took all */
    ring->sq.sqe_tail = all;
    return result;
}

static void kernel_refuses(int times, int failure) {
    refusals = times;
    refusal = failure;
    entered = 0;
}

/* Short writes: their commands are given to the kernel together. */
static void write_short(struct device *device, unsigned int count) {
    struct device_write writes[URING_DEPTH];
    for (unsigned int i = 0; i < count; i++) {
        writes[i] = (struct device_write){.offset = 8192 * i, .data = image + 4096 * i, .bytes = 4096, .result = 77};
        device->ops->submit(device, &writes[i]);
    }
    for (unsigned int i = 0; i < count; i++)
        CHECK(device->ops->complete(device) != NULL);
    CHECK(device->ops->complete(device) == NULL);
    for (unsigned int i = 0; i < count; i++) {
        CHECK(writes[i].result == 0);
        check_medium(device, writes[i].offset, writes[i].data, writes[i].bytes);
    }
}

static void refused_for_a_moment(struct device *device) {
    static const int failures[] = {-EINTR, -EAGAIN};
    for (int i = 0; i < 2; i++) {
        kernel_refuses(3, failures[i]);
        write_short(device, 1);
        CHECK(refusals == 0);
        CHECK(entered == 4); /* no pwrite: the fourth call took it */
        check_commit(device);
    }
}

static void a_kernel_that_refuses_for_a_moment_is_asked_until_it_takes_the_command(void **state) {
    (void)state;
    in_child(refused_for_a_moment);
}

/* The next commands have the places of those that were taken back. */
static void refused_once(struct device *device) {
    static const int failures[] = {-EBUSY, -EPERM, -ENOMEM};
    for (int i = 0; i < 3; i++) {
        for (unsigned int count = 1; count <= URING_DEPTH; count += 2) {
            kernel_refuses(1, failures[i]);
            write_short(device, count);
            CHECK(entered == 1); /* the leader wrote them */
            write_short(device, count);
            CHECK(entered == 2); /* the kernel did */
        }
        kernel_refuses(1, failures[i]);
        check_commit(device);
        check_commit(device);
    }
}

static void what_a_busy_kernel_does_not_take_is_written_by_the_leader_and_the_next_goes_to_the_kernel(void **state) {
    (void)state;
    in_child(refused_once);
}

static void commands_in_long_entries_are_taken_back_one_by_one(void **state) {
    (void)state;
    struct device *device = open_with_long_entries();
    if (device == NULL)
        SKIP_WITH("this kernel has no long entries (%s); wants Linux 5.19", error_text());
    device_close(device);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        refused_once(open_with_long_entries());
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* Writes of many commands, of which each call takes a few. */
static void taken_in_part(struct device *device) {
    struct uring *uring = uring_of(device);
    uring->command_bytes = 4096;
    takes_most = 3;
    check_commit(device);
    CHECK(entered >= (PIECE_BYTES / 4096 + 2) / 3);
    kernel_refuses(1, -EBUSY);
    check_commit(device);
    takes_most = 0;
    check_commit(device);
}

static void a_kernel_that_takes_some_of_the_commands_is_given_the_others_again(void **state) {
    (void)state;
    in_child(taken_in_part);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_the_newer_flag_is_asked_again_without_it),
        cmocka_unit_test(a_kernel_that_refuses_the_older_flags_too_is_told_with_a_way_out),
        cmocka_unit_test(long_entries_are_asked_for_in_both_questions),
        cmocka_unit_test(after_a_close_no_mapping_keeps_the_io_uring_in_the_kernel),
        cmocka_unit_test(a_kernel_that_refuses_for_a_moment_is_asked_until_it_takes_the_command),
        cmocka_unit_test(what_a_busy_kernel_does_not_take_is_written_by_the_leader_and_the_next_goes_to_the_kernel),
        cmocka_unit_test(commands_in_long_entries_are_taken_back_one_by_one),
        cmocka_unit_test(a_kernel_that_takes_some_of_the_commands_is_given_the_others_again),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
