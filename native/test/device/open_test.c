/* SPDX-License-Identifier: Apache-2.0 */
/* Opening ring files: kinds, refusals, the lock. */
#include "device/media.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"
#include "device/probe.h"

#define RING_BYTES (1u << 20)

static const struct platform *const host = &platform_linux;

static const char *ring_file(void) {
    const char *path = scratch_path("a.ring");
    make_file(path, RING_BYTES);
    return path;
}

static void assert_sentence_has(const char *part) {
    if (strstr(error_text(), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), part);
}

static void what_was_written_is_read_back_after_a_reopen(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device;
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    assert_true(device->is_file);
    assert_int_equal(device->medium_bytes, RING_BYTES);
    assert_int_equal(device->block_bytes, 4096);
    assert_string_equal(device->path, path);
    assert_string_equal(device->ops->name, "pwrite");
    uint8_t *image = device->ops->image(device, 8192);
    assert_non_null(image);
    memset(image, 'a', 4096);
    memset(image + 4096, 'b', 4096);
    assert_int_equal(device->ops->write(device, 4096, image, 8192), 0);
    assert_int_equal(device->ops->flush(device), 0);
    device_close(device);

    assert_int_equal(device_open(host, path, DEVICE_READ_ONLY, BURST_IO_PWRITE, &device), 0);
    uint8_t *read = platform_allocate(host, 8192, PLATFORM_PLAIN);
    assert_int_equal(device->ops->read(device, 8192, read, 4096), 0);
    assert_int_equal(read[0], 'b');
    assert_int_equal(device->ops->read(device, 0, read, 8192), 0);
    assert_int_equal(read[0], 0);
    assert_int_equal(read[4096], 'a');
    platform_release(host, read, 8192);
    device_close(device);
}

static void submitted_writes_are_durable_and_come_back_in_order(void **state) {
    (void)state;
    struct device *device;
    assert_int_equal(device_open(host, ring_file(), DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    uint8_t *image = device->ops->image(device, 4096);
    struct device_write writes[3];
    assert_null(device->ops->complete(device));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            uint64_t offset = 4096u * (unsigned)i;
            writes[i] = (struct device_write){.offset = offset, .data = image, .bytes = 4096, .result = 77};
            device->ops->submit(device, &writes[i]);
        }
        for (int i = 0; i < 3; i++) {
            assert_ptr_equal(device->ops->complete(device), &writes[i]);
            assert_int_equal(writes[i].result, 0);
        }
        assert_null(device->ops->complete(device));
    }
    device_close(device);
}

static void a_second_writer_in_this_process_is_refused_by_its_own_pid(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *first, *second;
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &first), 0);
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &second), -EBUSY);
    assert_null(second);
    char pid[32];
    snprintf(pid, sizeof(pid), "process %d (", (int)getpid());
    assert_sentence_has(pid);
    assert_sentence_has("which is this one");
    assert_sentence_has(path);
    device_close(first);
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &second), 0);
    device_close(second);
}

static void the_lock_survives_another_open_and_close_of_the_file_in_the_same_process(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *first, *second;
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &first), 0);
    int other = open(path, O_RDWR | O_CLOEXEC);
    close(other); /* this close would take a POSIX lock away */
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &second), -EBUSY);
    device_close(first);
}

static void a_child_that_holds_the_ring_is_named_also_under_a_link(void **state) {
    (void)state;
    const char *path = ring_file(), *link = scratch_path("link.ring");
    assert_int_equal(symlink("a.ring", link), 0);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct device *device;
        int result = device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device);
        if (write(ready[1], &result, sizeof(result)) != sizeof(result))
            _exit(1);
        pause();
        _exit(0);
    }
    int result = -1;
    assert_int_equal(read(ready[0], &result, sizeof(result)), sizeof(result));
    assert_int_equal(result, 0);
    struct device *device;
    assert_int_equal(device_open(host, link, DEVICE_WRITER, BURST_IO_AUTO, &device), -EBUSY);
    char pid[32];
    snprintf(pid, sizeof(pid), "process %d (", (int)child);
    assert_sentence_has(pid);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(device_open(host, link, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    device_close(device);
    unlink(link);
}

static void a_reader_opens_beside_a_writer_and_is_not_named_as_its_holder(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *reader, *writer;
    assert_int_equal(device_open(host, path, DEVICE_READ_ONLY, BURST_IO_AUTO, &reader), 0);
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &writer), 0);
    struct device *second;
    assert_int_equal(device_open(host, path, DEVICE_READ_ONLY, BURST_IO_AUTO, &second), 0);
    device_close(second);
    device_close(writer);

    char holders[200];
    int fd = open(path, O_RDWR | O_CLOEXEC);
    medium_holders(fd, holders, sizeof(holders));
    assert_string_equal(holders, "");
    close(fd);
    device_close(reader);
}

/* Puts the descriptor into a message that nobody takes: the lock stays, and no process has it. Returns the socket whose
 * end releases it. */
static int send_away(int fd) {
    int ends[2];
    char byte = 0, control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(sendmsg(ends[0], &message, 0), 1);
    close(ends[0]);
    close(fd);
    return ends[1];
}

/* A lock that no process shows; it is released after so many sleeps of the opener. */
static int unseen_lock = -1, sleeps_until_release;

static void sleep_and_release(const struct platform *platform, int64_t duration_ns) {
    platform_linux.ops->sleep_ns(platform, duration_ns);
    if (--sleeps_until_release == 0)
        close(unseen_lock);
}

static void a_holder_that_cannot_be_seen_is_waited_for_a_moment(void **state) {
    (void)state;
    const char *path = ring_file();
    struct platform_ops ops = *platform_linux.ops;
    ops.sleep_ns = sleep_and_release;
    struct platform releasing = {&ops};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct device *device;
    for (int released = 0; released <= 1; released++) {
        const int held = open(path, O_RDWR | O_CLOEXEC);
        assert_int_equal(fcntl(held, F_OFD_SETLK, &whole), 0);
        unseen_lock = send_away(held);
        sleeps_until_release = released ? 3 : 1000000;
        int64_t start_ns = platform_monotonic_ns(host);
        int result = device_open(&releasing, path, DEVICE_WRITER, BURST_IO_AUTO, &device);
        if (released) {
            assert_int_equal(result, 0);
            device_close(device);
        } else {
            assert_int_equal(result, -EBUSY);
            assert_sentence_has("cannot be seen");
            assert_in_range(platform_monotonic_ns(host) - start_ns, 900000000, 10000000000);
            close(unseen_lock);
        }
    }
}

static void what_is_neither_file_nor_device_is_refused(void **state) {
    (void)state;
    struct device *device;
    assert_int_equal(device_open(host, scratch, DEVICE_WRITER, BURST_IO_AUTO, &device), -EINVAL);
    assert_sentence_has("a directory");
    const char *fifo = scratch_path("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(device_open(host, fifo, DEVICE_READ_ONLY, BURST_IO_AUTO, &device), -EINVAL);
    assert_int_equal(device_open(host, "/dev/null", DEVICE_WRITER, BURST_IO_AUTO, &device), -EINVAL);
    assert_sentence_has("a character device");
    assert_int_equal(device_open(host, scratch_path("none"), DEVICE_WRITER, BURST_IO_AUTO, &device), -ENOENT);
    assert_int_equal(device_open(host, "", DEVICE_WRITER, BURST_IO_AUTO, &device), -ENOENT);
    assert_int_equal(device_is_absent(scratch), 0);
    assert_int_equal(device_is_absent(fifo), 0);
    unlink(fifo);
}

static void an_io_that_is_not_there_is_refused_with_those_that_are(void **state) {
    (void)state;
    struct device *device;
    assert_int_equal(device_open(host, ring_file(), DEVICE_WRITER, 9, &device), -EINVAL);
    assert_sentence_has("io=9");
    assert_sentence_has("pwrite");
}

static void a_file_of_another_user_is_refused_with_its_reason(void **state) {
    (void)state;
    const char *path = ring_file();
    if (geteuid() != 0)
        SKIP_WITH("wants root, to become another user");
    chmod(scratch, 0711);
    pid_t child = fork();
    if (child == 0) {
        struct device *device;
        if (setuid(65534) < 0 || device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device) != -EACCES)
            _exit(1);
        _exit(strstr(error_text(), "user 65534") != NULL ? 0 : 2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void a_file_that_was_cut_says_where_it_ends(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device;
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    uint8_t *data = platform_allocate(host, 16384, PLATFORM_PLAIN);
    assert_int_equal(truncate(path, 8192), 0);
    assert_int_equal(device->ops->read(device, 0, data, 16384), -EIO);
    assert_sentence_has("ends at byte 8192");
    assert_int_equal(truncate(path, 5000), 0);
    assert_int_equal(device->ops->read(device, 0, data, 16384), -EIO);
    assert_sentence_has("ends at byte 5000");
    platform_release(host, data, 16384);
    device_close(device);
}

static void an_empty_file_counts_as_absent(void **state) {
    (void)state;
    const char *path = scratch_path("empty.ring");
    assert_int_equal(device_is_absent(path), 1);
    make_file(path, 0);
    assert_int_equal(device_is_absent(path), 1);
    make_file(path, 1);
    assert_int_equal(device_is_absent(path), 0);
    assert_int_equal(device_is_absent(scratch_path("empty.ring/x")), -ENOTDIR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_back_after_a_reopen),
        cmocka_unit_test(submitted_writes_are_durable_and_come_back_in_order),
        cmocka_unit_test(a_second_writer_in_this_process_is_refused_by_its_own_pid),
        cmocka_unit_test(the_lock_survives_another_open_and_close_of_the_file_in_the_same_process),
        cmocka_unit_test(a_child_that_holds_the_ring_is_named_also_under_a_link),
        cmocka_unit_test(a_reader_opens_beside_a_writer_and_is_not_named_as_its_holder),
        cmocka_unit_test(a_holder_that_cannot_be_seen_is_waited_for_a_moment),
        cmocka_unit_test(what_is_neither_file_nor_device_is_refused),
        cmocka_unit_test(an_io_that_is_not_there_is_refused_with_those_that_are),
        cmocka_unit_test(a_file_of_another_user_is_refused_with_its_reason),
        cmocka_unit_test(a_file_that_was_cut_says_where_it_ends),
        cmocka_unit_test(an_empty_file_counts_as_absent),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
