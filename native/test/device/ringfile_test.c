/* SPDX-License-Identifier: Apache-2.0 */
/* Creating ring files: a whole one, or none. */
#include "device/media.h"

#include <dirent.h>
#include <linux/fiemap.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"

#define RING_BYTES (4u << 20)
#define WORKING_NAME ".a.ring.burstlog-creating"

static const struct platform *const host = &platform_linux;

static int write_superblock(struct device *device, void *argument) {
    uint8_t *block = platform_allocate(host, 4096, PLATFORM_PLAIN);
    memset(block, 'S', 4096);
    int result = device->ops->write(device, 0, block, 4096);
    platform_release(host, block, 4096);
    if (argument != NULL)
        ++*(int *)argument;
    return result;
}

static int refuse_to_prepare(struct device *device, void *argument) {
    (void)device, (void)argument;
    return error_set(EUCLEAN, "not this time");
}

static int entries_in(const char *directory) {
    DIR *entries = opendir(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

static void assert_sentence_has(const char *part) {
    if (strstr(error_text(), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), part);
}

/* The file is prepared, has the right size, and is zero but for the superblock. */
static void assert_is_ring(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, RING_BYTES);
    uint8_t *content = malloc(RING_BYTES);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, content, RING_BYTES), RING_BYTES);
    close(fd);
    for (size_t i = 0; i < RING_BYTES; i++) {
        if (content[i] != (i < 4096 ? 'S' : 0))
            fail_msg("byte %zu is %d", i, content[i]);
    }
    free(content);
}

static void a_new_file_is_zeroed_prepared_private_and_alone(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    int prepared = 0;
    assert_int_equal(device_create_file(host, path, RING_BYTES, write_superblock, &prepared), 0);
    assert_int_equal(prepared, 1);
    assert_is_ring(path);
    struct stat status;
    stat(path, &status);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(entries_in(scratch), 1);
    struct device *device;
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    device_close(device);
}

static void every_block_of_a_new_file_is_written_and_not_just_allocated(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    assert_int_equal(device_create_file(host, path, RING_BYTES, write_superblock, NULL), 0);
    union {
        struct fiemap map;
        uint8_t room[sizeof(struct fiemap) + 256 * sizeof(struct fiemap_extent)];
    } answer = {.map = {.fm_length = RING_BYTES, .fm_extent_count = 256}};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (ioctl(fd, FS_IOC_FIEMAP, &answer.map) < 0) {
        close(fd);
        SKIP_WITH("the file system of %s tells no extents: %s", scratch, strerror(errno));
    }
    close(fd);
    uint64_t covered = 0;
    for (uint32_t i = 0; i < answer.map.fm_mapped_extents; i++) {
        assert_int_equal(answer.map.fm_extents[i].fe_flags & (FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_DELALLOC), 0);
        covered += answer.map.fm_extents[i].fe_length;
    }
    assert_true(covered >= RING_BYTES);
}

static void a_file_with_content_is_never_replaced(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    make_file(path, 0);
    write_text(path, "precious");
    assert_int_equal(device_create_file(host, path, RING_BYTES, write_superblock, NULL), -EEXIST);
    struct stat status;
    stat(path, &status);
    assert_int_equal(status.st_size, 8);
    assert_int_equal(entries_in(scratch), 1);
    assert_sentence_has(path);
}

/* Another process acts between the first look and the naming. */
static int somebody_else_is_faster(struct device *device, void *argument) {
    make_file(argument, 0);
    write_text(argument, "precious");
    return write_superblock(device, NULL);
}

static void a_file_that_gets_content_during_the_creation_is_not_replaced_either(void **state) {
    (void)state;
    for (int empty_before = 0; empty_before <= 1; empty_before++) {
        char path[PATH_BYTES * 2];
        snprintf(path, sizeof(path), "%s", scratch_path(empty_before ? "b.ring" : "a.ring"));
        if (empty_before)
            make_file(path, 0);
        assert_int_equal(device_create_file(host, path, RING_BYTES, somebody_else_is_faster, path), -EEXIST);
        struct stat status;
        stat(path, &status);
        assert_int_equal(status.st_size, 8);
    }
    assert_int_equal(entries_in(scratch), 2);
}

static void an_empty_file_gives_its_mode_and_owner(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    make_file(path, 0);
    chmod(path, 0640);
    if (geteuid() == 0)
        assert_int_equal(chown(path, 65534, 65533), 0);
    assert_int_equal(device_create_file(host, path, RING_BYTES, write_superblock, NULL), 0);
    assert_is_ring(path);
    struct stat status;
    stat(path, &status);
    assert_int_equal(status.st_mode & 07777, 0640);
    if (geteuid() == 0) {
        assert_int_equal(status.st_uid, 65534);
        assert_int_equal(status.st_gid, 65533);
    }
}

static void a_link_to_nothing_or_to_an_empty_file_stays_a_link(void **state) {
    (void)state;
    const char *link = scratch_path("link"), *path = scratch_path("a.ring");
    assert_int_equal(symlink("a.ring", link), 0);
    for (int empty_before = 0; empty_before <= 1; empty_before++) {
        if (empty_before)
            make_file(path, 0);
        assert_int_equal(device_is_absent(link), 1);
        assert_int_equal(device_create_file(host, link, RING_BYTES, write_superblock, NULL), 0);
        assert_is_ring(path);
        struct stat status;
        assert_int_equal(lstat(link, &status), 0);
        assert_true(S_ISLNK(status.st_mode));
        unlink(path);
    }
}

static int die_here(struct device *device, void *argument) {
    (void)device, (void)argument;
    kill(getpid(), SIGKILL);
    return 0;
}

static void a_creation_that_was_killed_leaves_no_ring_and_the_next_one_succeeds(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    pid_t child = fork();
    if (child == 0) {
        device_create_file(host, path, RING_BYTES * 2, die_here, NULL);
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(device_is_absent(path), 1);
    assert_int_equal(access(scratch_path(WORKING_NAME), F_OK), 0);
    int leftover = open(scratch_path(WORKING_NAME), O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(leftover, "rubbish", 7, 50000), 7);
    close(leftover);
    assert_int_equal(device_create_file(host, path, RING_BYTES, write_superblock, NULL), 0);
    assert_is_ring(path);
    assert_int_equal(entries_in(scratch), 1);
}

static void a_leftover_that_others_could_write_is_not_taken_over(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring"), *working = scratch_path(WORKING_NAME);
    make_file(scratch_path("other"), 100);
    assert_int_equal(link(scratch_path("other"), working), 0);
    assert_int_equal(device_create_file(host, path, RING_BYTES, write_superblock, NULL), -EEXIST);
    assert_sentence_has(working);
    struct stat status;
    stat(scratch_path("other"), &status);
    assert_int_equal(status.st_size, 100);
    unlink(working);
    assert_int_equal(symlink("other", working), 0);
    assert_int_equal(device_create_file(host, path, RING_BYTES, write_superblock, NULL), -ELOOP);
    assert_int_equal(stat(scratch_path("other"), &status), 0);
    assert_int_equal(status.st_size, 100);
}

static int create_once_more(struct device *device, void *argument) {
    char path[PATH_BYTES * 2];
    snprintf(path, sizeof(path), "%s", scratch_path("a.ring"));
    *(int *)argument = device_create_file(host, path, RING_BYTES, write_superblock, NULL);
    return write_superblock(device, NULL);
}

static void of_two_creations_at_once_one_is_refused(void **state) {
    (void)state;
    int second = 0;
    assert_int_equal(device_create_file(host, scratch_path("a.ring"), RING_BYTES, create_once_more, &second), 0);
    assert_int_equal(second, -EBUSY);
    assert_is_ring(scratch_path("a.ring"));
}

static void many_processes_that_create_the_same_ring_make_one(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    for (int round = 0; round < 10; round++) {
        pid_t children[6];
        int created = 0;
        for (int i = 0; i < 6; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                int result;
                do {
                    result = device_create_file(host, path, RING_BYTES, write_superblock, NULL);
                } while (result == -EBUSY);
                _exit(result == 0 ? 0 : result == -EEXIST ? 1 : 2);
            }
        }
        for (int i = 0; i < 6; i++) {
            int status = 0;
            waitpid(children[i], &status, 0);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            created += WEXITSTATUS(status) == 0;
        }
        assert_int_equal(created, 1);
        assert_is_ring(path);
        unlink(path);
    }
    assert_int_equal(entries_in(scratch), 0);
}

static void another_one_fails(void) {
    if (device_create_file(host, scratch_path("a.ring"), RING_BYTES * 2, refuse_to_prepare, NULL) != -EUCLEAN)
        abort();
}

static void another_one_succeeds_and_its_ring_is_moved(void) {
    if (device_create_file(host, scratch_path("a.ring"), RING_BYTES, write_superblock, NULL) != 0 ||
        rename(scratch_path("a.ring"), scratch_path("moved.ring")) < 0)
        abort();
}

/* Stops a thread at the lock of its working file, until `meanwhile` is done. */
static struct {
    void (*meanwhile)(void);
    int listener;
    pthread_barrier_t filtered;
    int result;
} stopped;

static void *serve_stops(void *unused) {
    (void)unused;
    pthread_barrier_wait(&stopped.filtered);
    struct pollfd events = {.fd = stopped.listener, .events = POLLIN};
    for (int stops = 0; stopped.listener >= 0 && poll(&events, 1, 20000) == 1 && events.revents & POLLIN; stops++) {
        struct seccomp_notif stop = {0};
        if (ioctl(stopped.listener, SECCOMP_IOCTL_NOTIF_RECV, &stop) < 0)
            break;
        if (stops == 0)
            stopped.meanwhile();
        struct seccomp_notif_resp go_on = {.id = stop.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        ioctl(stopped.listener, SECCOMP_IOCTL_NOTIF_SEND, &go_on);
    }
    return NULL;
}

static void *create_with_stops(void *unused) {
    (void)unused;
    struct sock_filter stop_at_lock[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof(stop_at_lock) / sizeof(stop_at_lock[0]), .filter = stop_at_lock};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    stopped.listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    pthread_barrier_wait(&stopped.filtered);
    if (stopped.listener >= 0)
        stopped.result = device_create_file(host, scratch_path("a.ring"), RING_BYTES, write_superblock, NULL);
    return NULL;
}

static void a_creation_never_touches_a_working_file_that_went_while_it_locked_it(void **state) {
    (void)state;
    void (*const cases[])(void) = {another_one_fails, another_one_succeeds_and_its_ring_is_moved};
    for (int i = 0; i < 2; i++) {
        pthread_t late, server;
        stopped.meanwhile = cases[i];
        pthread_barrier_init(&stopped.filtered, NULL, 2);
        pthread_create(&server, NULL, serve_stops, NULL);
        pthread_create(&late, NULL, create_with_stops, NULL);
        pthread_join(late, NULL);
        pthread_join(server, NULL);
        pthread_barrier_destroy(&stopped.filtered);
        if (stopped.listener < 0)
            SKIP_WITH("system call listeners are not allowed here");
        close(stopped.listener);
        assert_int_equal(stopped.result, 0);
        assert_is_ring(scratch_path("a.ring"));
        unlink(scratch_path("a.ring"));
    }
    assert_is_ring(scratch_path("moved.ring"));
    assert_int_equal(entries_in(scratch), 1);
}

static void a_failed_preparation_leaves_nothing(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    assert_int_equal(device_create_file(host, path, RING_BYTES, refuse_to_prepare, NULL), -EUCLEAN);
    assert_string_equal(error_text(), "not this time");
    assert_int_equal(entries_in(scratch), 0);
}

static void a_full_file_system_is_one_sentence_and_leaves_nothing(void **state) {
    (void)state;
    const char *directory = scratch_path("small");
    if (!mount_tmpfs(directory, "size=2m"))
        SKIP_WITH("mounting a tmpfs failed: %s", strerror(errno));
    int result = device_create_file(host, scratch_path("small/a.ring"), RING_BYTES, write_superblock, NULL);
    int left = entries_in(directory);
    umount(directory);
    assert_int_equal(result, -ENOSPC);
    assert_int_equal(left, 0);
    assert_sentence_has("ENOSPC");
    assert_sentence_has("2 MiB free");
}

static void a_place_where_no_file_can_be_is_refused(void **state) {
    (void)state;
    make_file(scratch_path("file"), 0);
    assert_int_equal(device_create_file(host, scratch_path("file/a.ring"), RING_BYTES, write_superblock, NULL),
                     -ENOTDIR);
    assert_sentence_has("opening its directory");
    assert_int_equal(unlink(scratch_path("file")), 0);
    assert_int_equal(device_create_file(host, "/proc/none/a.ring", RING_BYTES, write_superblock, NULL), -ENOENT);
    assert_sentence_has("making its directory");
    assert_int_equal(device_create_file(host, scratch, RING_BYTES, write_superblock, NULL), -EEXIST);
    assert_int_equal(device_create_file(host, scratch_path("a.ring"), 5000, write_superblock, NULL), -EINVAL);
    assert_sentence_has("multiple of 4096");
    assert_int_equal(entries_in(scratch), 0);
}

int main(void) {
#define RINGFILE_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        RINGFILE_TEST(a_new_file_is_zeroed_prepared_private_and_alone),
        RINGFILE_TEST(every_block_of_a_new_file_is_written_and_not_just_allocated),
        RINGFILE_TEST(a_file_with_content_is_never_replaced),
        RINGFILE_TEST(a_file_that_gets_content_during_the_creation_is_not_replaced_either),
        RINGFILE_TEST(an_empty_file_gives_its_mode_and_owner),
        RINGFILE_TEST(a_link_to_nothing_or_to_an_empty_file_stays_a_link),
        RINGFILE_TEST(a_creation_that_was_killed_leaves_no_ring_and_the_next_one_succeeds),
        RINGFILE_TEST(a_leftover_that_others_could_write_is_not_taken_over),
        RINGFILE_TEST(of_two_creations_at_once_one_is_refused),
        RINGFILE_TEST(many_processes_that_create_the_same_ring_make_one),
        RINGFILE_TEST(a_creation_never_touches_a_working_file_that_went_while_it_locked_it),
        RINGFILE_TEST(a_failed_preparation_leaves_nothing),
        RINGFILE_TEST(a_full_file_system_is_one_sentence_and_leaves_nothing),
        RINGFILE_TEST(a_place_where_no_file_can_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
