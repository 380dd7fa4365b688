/* SPDX-License-Identifier: Apache-2.0 */
/* The engine `uring` from inside: its commands, a kernel that does not take or complete them, and its child. */
#include "device/backend/uring_ring.h"

static void a_command_writes_the_bytes_durably_from_registered_memory_to_the_registered_file(void **state) {
    (void)state;
    struct device *device = open_ring(ring_file());
    const struct io_uring_sqe sqe = command_for(device, image + 4096, 4096);
    assert_int_equal(sqe.opcode, IORING_OP_WRITE_FIXED);
    assert_int_equal(sqe.rw_flags, RWF_DSYNC);
    assert_int_equal(sqe.flags, IOSQE_FIXED_FILE);
    assert_int_equal(sqe.fd, 0);
    assert_int_equal(sqe.buf_index, 0);
    assert_int_equal(sqe.off, 8192);
    assert_int_equal(sqe.len, 4096);
    assert_int_equal(sqe.addr, (uintptr_t)(image + 4096));
    assert_string_equal(device->fallback, "");
    device_close(device);
}

static void memory_that_is_not_registered_is_written_all_the_same(void **state) {
    (void)state;
    struct device *device = open_ring(ring_file());
    uint8_t *other = platform_allocate(host, 8192, PLATFORM_PLAIN),
            *back = platform_allocate(host, 4096, PLATFORM_PLAIN);
    assert_int_equal(command_for(device, other, 4096).opcode, IORING_OP_WRITE);
    assert_int_equal(command_for(device, image + RING_BYTES - 4096, 8192).opcode, IORING_OP_WRITE);
    assert_int_equal(command_for(device, image + RING_BYTES - 4096, 4096).opcode, IORING_OP_WRITE_FIXED);
    memset(other, 'o', 4096);
    struct device_write write = {.offset = 4096, .data = other, .bytes = 4096};
    device->ops->submit(device, &write);
    assert_ptr_equal(device->ops->complete(device), &write);
    assert_int_equal(write.result, 0);
    assert_int_equal(device->ops->read(device, 4096, back, 4096), 0);
    assert_memory_equal(other, back, 4096);
    platform_release(host, other, 8192);
    platform_release(host, back, 4096);
    device_close(device);
}

static void a_device_without_a_volatile_cache_is_asked_for_nothing_more_than_the_write(void **state) {
    (void)state;
    struct zram_device zram;
    if (!make_zram("16M", scratch_path("zram"), &zram))
        SKIP_WITH("no zram device here (%s); wants root and the zram module", strerror(errno));
    struct device *device = open_ring(zram.path);
    assert_int_equal(command_for(device, image, 4096).rw_flags, 0);
    device_close(device);
    remove_zram(&zram);
}

static void on_a_loop_device(void (*body)(struct device *device)) {
    struct loop_device loop;
    make_file(scratch_path("backing"), RING_BYTES);
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here (%s); wants root", strerror(errno));
    in_child_on(loop.path, body);
    remove_loop(&loop);
}

static void dsync_for_the_command(struct device *device) {
    CHECK(command_for(device, image, 4096).rw_flags == RWF_DSYNC);
}

/* A write notices a failing flush only if it flushes, and a failing RWF_DSYNC only if it flushes twice. */
static void one_flush_for_pwrite(struct device *device) {
    refuse_call(SYS_pwritev2, 0, EPERM);
    CHECK(device->ops->write(device, 4096, image, 4096) == 0);
    refuse_call(SYS_fdatasync, 0, EIO);
    CHECK(device->ops->write(device, 4096, image, 4096) == -EIO);
}

static void a_raw_device_with_a_volatile_cache_is_flushed_once_a_write(void **state) {
    (void)state;
    on_a_loop_device(dsync_for_the_command);
    on_a_loop_device(one_flush_for_pwrite);
}

/* ------------------------------------------------------------------------- kernels that do not take a command */

static void enter_again(struct device *device) {
    refuse_call(SYS_io_uring_enter, 0, EAGAIN);
    check_commit(device);
    check_commit(device);
}

static void enter_interrupted(struct device *device) {
    refuse_call(SYS_io_uring_enter, 0, EINTR);
    check_commit(device);
}

static void enter_forbidden(struct device *device) {
    check_commit(device);
    refuse_call(SYS_io_uring_enter, 0, EPERM);
    check_commit(device);
}

static void what_the_kernel_does_not_take_is_written_by_the_leader_itself(void **state) {
    (void)state;
    in_child(enter_again);
    in_child(enter_interrupted);
    in_child(enter_forbidden);
}

static void a_completion_that_says_again_is_made_up_for_and_an_error_is_told(void **state) {
    (void)state;
    struct device *device = open_ring(ring_file());
    assert_int_equal(commit_with(device, 1, -EAGAIN, 4096), 0);
    check_medium(device, PIECE_BYTES, image, 4096);
    assert_int_equal(commit_with(device, 1, -EINTR, 4096), 0);
    assert_int_equal(commit_with(device, 1, -ENODATA, 4096), -ENODATA);
    assert_int_equal(commit_with(device, 0, 0, 4096), 0);
    device_close(device);
}

static void a_write_of_many_commands_is_done_when_all_are_and_failed_if_one_is(void **state) {
    (void)state;
    struct device *device = open_ring(ring_file());
    uring_of(device)->command_bytes = 4096; /* 256 commands; the queue has room for 64 */
    assert_int_equal(commit_with(device, 0, 0, PIECE_BYTES), 0);
    check_medium(device, PIECE_BYTES, image, PIECE_BYTES);
    assert_int_equal(commit_with(device, 1, -ENODATA, PIECE_BYTES), -ENODATA);
    assert_int_equal(commit_with(device, 200, -EAGAIN, PIECE_BYTES), 0);
    assert_int_equal(commit_with(device, 0, 0, PIECE_BYTES + 512), 0);
    device_close(device);
}

static void short_completion(struct device *device) {
    struct uring *uring = uring_of(device);
    CHECK(uring->meaning(uring, 4096, 4096) == 0);
    CHECK(uring->meaning(uring, 512, 4096) == -EIO);
    CHECK(uring->meaning(uring, 0, 4096) == -EIO);
    CHECK(uring->meaning(uring, -EIO, 4096) == -EIO);
    CHECK(uring->meaning(uring, -ENOSPC, 4096) == -ENOSPC);
    device->is_file = 0;
    CHECK(uring->meaning(uring, -ENOSPC, 4096) == -ENODEV);
}

static void a_short_completion_is_an_error_and_no_space_on_a_device_means_it_is_gone(void **state) {
    (void)state;
    in_child(short_completion);
}

static void unregistered(const char *path) {
    refuse_call(SYS_io_uring_register, 0, ENOMEM);
    struct device *device = open_ring(path);
    CHECK(strstr(device->fallback, "not registered") != NULL && strstr(device->fallback, "RLIMIT_MEMLOCK") != NULL);
    CHECK(command_for(device, image, 4096).opcode == IORING_OP_WRITE);
    CHECK(command_for(device, image, 4096).fd == direct_of(device)->medium.fd);
    check_commit(device);
}

static void without_locked_memory_the_image_is_written_unregistered_and_this_is_told(void **state) {
    (void)state;
    const char *path = ring_file();
    pid_t child = fork();
    if (child == 0) {
        unregistered(path);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_WITH("system call filters are not allowed here");
    assert_int_equal(status, 0);
}

/* ------------------------------------------------------------------------------------------- fork and SIGKILL */

static void a_child_has_no_part_of_the_ring_and_its_end_disturbs_nothing(void **state) {
    (void)state;
    struct device *device = open_ring(ring_file());
    assert_true(maps_have("[io_uring]"));
    struct device_write write = {.offset = 0, .data = image, .bytes = PIECE_BYTES, .result = 77};
    device->ops->submit(device, &write); /* under way while the child comes and goes */
    pid_t child = fork();
    if (child == 0)
        _exit(maps_have("[io_uring]") ? 1 : 0);
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_ptr_equal(device->ops->complete(device), &write);
    assert_int_equal(write.result, 0);
    check_commit(device);
    device_close(device);
}

static void write_until_killed(const char *path) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct device *device = open_ring(path);
    struct device_write writes[4];
    kill(getppid(), SIGUSR1);
    for (;;) {
        for (unsigned int i = 0; i < 4; i++) {
            writes[i] =
                (struct device_write){.offset = i * PIECE_BYTES, .data = image + i * PIECE_BYTES, .bytes = PIECE_BYTES};
            device->ops->submit(device, &writes[i]);
        }
        while (device->ops->complete(device) != NULL) {
        }
    }
}

static int waits;

static void count_sleep(const struct platform *platform, int64_t duration_ns) {
    waits++;
    platform_linux.ops->sleep_ns(platform, duration_ns);
}

/* The open waits for the killed process's last write. */
static void kill_and_reopen(const char *path, const char *what) {
    static struct platform_ops ops;
    static const struct platform counting = {&ops};
    ops = *platform_linux.ops;
    ops.sleep_ns = count_sleep;
    sigset_t ready;
    sigemptyset(&ready);
    sigaddset(&ready, SIGUSR1);
    sigprocmask(SIG_BLOCK, &ready, NULL);
    waits = 0;
    const int rounds = 30;
    for (int round = 0; round < rounds; round++) {
        pid_t child = fork();
        if (child == 0)
            write_until_killed(path);
        int signal_number = 0;
        sigwait(&ready, &signal_number);
        nanosleep(&(struct timespec){.tv_nsec = 1000000 + 300000 * round}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct device *device;
        if (open_patiently(&counting, path, BURST_IO_AUTO, &device) < 0)
            fail_msg("round %d: %s", round, error_text());
        device_close(device);
    }
    fprintf(stderr, "%s: killed and reopened at once %d times; the opens had to wait %d times\n", what, rounds, waits);
}

static void after_a_kill_in_the_middle_of_writes_the_ring_can_be_opened_at_once(void **state) {
    (void)state;
    struct loop_device loop;
    kill_and_reopen(ring_file(), "file");
    make_file(scratch_path("backing"), RING_BYTES);
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here (%s); wants root", strerror(errno));
    const int reader = open(loop.path, O_RDONLY | O_CLOEXEC); /* else this process would be a writer of the device */
    assert_int_equal(dup2(reader, loop.fd), loop.fd);
    close(reader);
    kill_and_reopen(loop.path, "loop");
    remove_loop(&loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_writes_the_bytes_durably_from_registered_memory_to_the_registered_file),
        cmocka_unit_test(memory_that_is_not_registered_is_written_all_the_same),
        cmocka_unit_test(a_device_without_a_volatile_cache_is_asked_for_nothing_more_than_the_write),
        cmocka_unit_test(a_raw_device_with_a_volatile_cache_is_flushed_once_a_write),
        cmocka_unit_test(what_the_kernel_does_not_take_is_written_by_the_leader_itself),
        cmocka_unit_test(a_completion_that_says_again_is_made_up_for_and_an_error_is_told),
        cmocka_unit_test(a_write_of_many_commands_is_done_when_all_are_and_failed_if_one_is),
        cmocka_unit_test(a_short_completion_is_an_error_and_no_space_on_a_device_means_it_is_gone),
        cmocka_unit_test(without_locked_memory_the_image_is_written_unregistered_and_this_is_told),
        cmocka_unit_test(a_child_has_no_part_of_the_ring_and_its_end_disturbs_nothing),
        cmocka_unit_test(after_a_kill_in_the_middle_of_writes_the_ring_can_be_opened_at_once),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
