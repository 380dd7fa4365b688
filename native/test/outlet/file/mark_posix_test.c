/* SPDX-License-Identifier: Apache-2.0 */
/* The marks by which the file systems of this kernel tell a file from others. */
#include "device/media.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "refused_calls.h"
#include "outlet/file/fs.h"

static const struct files *const files = &files_posix;

static struct file_mark mark_of(const char *path) {
    struct file_mark mark;
    assert_int_equal(files->ops->mark_of_path(files, path, &mark), 0);
    return mark;
}

static void a_name_and_an_open_file_are_marked_alike_and_a_rename_changes_nothing(void **state) {
    (void)state;
    make_file(scratch_path("a"), 5);
    struct file_mark open_one;
    const struct file_mark before = mark_of(scratch_path("a"));
    const int file = files->ops->open(files, scratch_path("a"));
    assert_int_equal(files->ops->mark(files, file, &open_one), 0);
    files->ops->close(files, file);
    assert_memory_equal(&before, &open_one, sizeof before);
    assert_int_equal(rename(scratch_path("a"), scratch_path("b")), 0);
    assert_int_equal(symlink("b", scratch_path("c")), 0);
    const struct file_mark after = mark_of(scratch_path("c"));
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_not_equal(before.inode, 0);
}

static void what_is_not_there_has_none(void **state) {
    (void)state;
    struct file_mark mark;
    assert_int_equal(files->ops->mark_of_path(files, scratch_path("a"), &mark), -ENOENT);
    assert_int_equal(files->ops->mark(files, -1, &mark), -EBADF);
}

static int marks_differ(const char *path, int rounds, int *numbers_used_again) {
    make_file(path, 5);
    struct file_mark before = mark_of(path);
    for (int i = 0; i < rounds; i++) {
        assert_int_equal(unlink(path), 0);
        make_file(path, 5);
        const struct file_mark after = mark_of(path);
        *numbers_used_again += after.inode == before.inode;
        if (file_mark_compare(&before, &after) != FILE_OTHER) {
            return 0;
        }
        before = after;
    }
    return 1;
}

/* On a file system of its own: what others do on that of the test takes numbers away. */
static void check_file_system(const char *type, const char *mkfs, int has_handles) {
    char command[4 * PATH_BYTES], first[PATH_BYTES * 2];
    int used_again = 0;
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p on && truncate -s 400M image && { test -z '%s' || %s image >/dev/null 2>&1; } && "
             "mount %s -t %s %s on",
             scratch, mkfs, mkfs, *mkfs != '\0' ? "-o loop" : "", type, *mkfs != '\0' ? "image" : "none");
    if (system(command) != 0) {
        print_message("no %s here\n", type);
        return;
    }
    snprintf(first, sizeof first, "%s/on/a", scratch);
    const int differ = marks_differ(first, 20, &used_again);
    const struct file_mark before = mark_of(first);
    /* The numbers of devices change with a mount, these do not. */
    snprintf(command, sizeof command,
             "cd '%s' && umount on && truncate -s 4k other && { losetup -f other || :; } && mount -o loop -t %s "
             "image on; r=$?; losetup -j other | cut -d: -f1 | xargs -r losetup -d; exit $r",
             scratch, type);
    const int again = *mkfs != '\0' ? system(command) : 0;
    const struct file_mark after = mark_of(first);
    snprintf(command, sizeof command, "cd '%s' && umount on", scratch);
    assert_int_equal(system(command), 0);
    print_message(
        "%s: handle of %u bytes, birth time %d, number of its own %d; inode numbers used again %d times of 20\n", type,
        before.handle_bytes, before.born_ns != 0, before.file_system != 0, used_again);
    assert_int_equal(again, 0);
    assert_true(differ);
    assert_int_equal(before.handle_bytes != 0, has_handles);
    assert_memory_equal(&before, &after, sizeof before);
}

static void a_file_is_known_again_and_its_successor_is_not_taken_for_it(void **state) {
    (void)state;
    if (geteuid() != 0)
        SKIP_WITH("wants root, to mount file systems");
    check_file_system("tmpfs", "", 1);
    check_file_system("ext4", "mkfs.ext4 -q -F", 1);
    check_file_system("xfs", "mkfs.xfs -q -f", 1);
    check_file_system("btrfs", "mkfs.btrfs -q -f", 1);
}

static void an_overlay_has_no_handles(void **state) {
    (void)state;
    char command[4 * PATH_BYTES], path[PATH_BYTES * 2];
    if (geteuid() != 0)
        SKIP_WITH("wants root, to mount an overlay");
    snprintf(command, sizeof command,
             "cd '%s' && mkdir on && mount -t tmpfs none on && cd on && mkdir l u w o && "
             "mount -t overlay -o lowerdir=l,upperdir=u,workdir=w none o",
             scratch);
    if (system(command) != 0)
        SKIP_WITH("no overlay here");
    snprintf(path, sizeof path, "%s/on/o/a", scratch);
    make_file(path, 5);
    const struct file_mark mark = mark_of(path);
    snprintf(command, sizeof command, "cd '%s' && umount on/o && umount on", scratch);
    assert_int_equal(system(command), 0);
    assert_int_equal(mark.handle_bytes, 0);
    assert_int_not_equal(mark.inode, 0);
}

/* As old filters of containers do, and old kernels. */
static void a_refused_call_leaves_the_others(void **state) {
    (void)state;
    make_file(scratch_path("a"), 5);
    const char *path = scratch_path("a");
    static const struct {
        unsigned call, failure;
    } refused[] = {
        {SYS_name_to_handle_at, EPERM}, {SYS_name_to_handle_at, ENOSYS}, {SYS_statx, ENOSYS}, {SYS_statx, EPERM}};
    const struct file_mark whole = mark_of(path);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const pid_t child = fork();
        if (child == 0) {
            struct file_mark mark;
            struct file_mark wanted = whole;
            refuse_call(refused[i].call, 0, refused[i].failure);
            if (refused[i].call == SYS_statx) {
                wanted.born_ns = 0;
            } else {
                wanted.handle_type = wanted.handle_bytes = wanted.handle_crc = 0;
            }
            _exit(files->ops->mark_of_path(files, path, &mark) == 0 && memcmp(&mark, &wanted, sizeof mark) == 0 &&
                          file_mark_compare(&whole, &mark) == FILE_SAME
                      ? 0
                      : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            SKIP_WITH("system call filters are not allowed here");
        assert_int_equal(status, 0);
    }
}

static void a_lock_outlives_a_look_at_the_mark(void **state) {
    (void)state;
    make_file(scratch_path("a"), 5);
    struct flock whole = {.l_type = F_WRLCK};
    const int file = open(scratch_path("a"), O_RDWR | O_CLOEXEC);
    assert_int_equal(fcntl(file, F_SETLK, &whole), 0);
    mark_of(scratch_path("a"));
    const pid_t child = fork();
    if (child == 0)
        _exit(fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    close(file);
    assert_int_equal(status, 0);
}

int main(void) {
#define MARK_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        MARK_TEST(a_name_and_an_open_file_are_marked_alike_and_a_rename_changes_nothing),
        MARK_TEST(what_is_not_there_has_none),
        MARK_TEST(a_file_is_known_again_and_its_successor_is_not_taken_for_it),
        MARK_TEST(an_overlay_has_no_handles),
        MARK_TEST(a_refused_call_leaves_the_others),
        MARK_TEST(a_lock_outlives_a_look_at_the_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
