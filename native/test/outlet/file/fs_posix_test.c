/* SPDX-License-Identifier: Apache-2.0 */
#include "device/media.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "refused_calls.h"
#include "outlet/file/fs.h"

static const struct files *const files = &files_posix;
static const struct new_file as_usual = {0};

static int create(const char *path) {
    return files->ops->create(files, path, &as_usual);
}

static int open_file(const char *path) {
    return files->ops->open(files, path);
}

static int open_locked(const char *path) {
    const int file = open_file(path);
    const int rc = file < 0 ? file : files->ops->lock(files, file);
    if (file >= 0 && rc < 0) {
        close(file);
    }
    return rc < 0 ? rc : file;
}

static void close_file(int file) {
    files->ops->close(files, file);
}

static void what_was_written_at_an_offset_is_read_there(void **state) {
    (void)state;
    char text[16] = "";
    int file = create(scratch_path("a.log"));
    assert_true(file >= 0);
    assert_int_equal(files->ops->write(files, file, "order 1\norder 2\n", 16, 0), 16);
    assert_int_equal(files->ops->write(files, file, "ORDER", 5, 8), 5);
    assert_int_equal(files->ops->sync(files, file), 0);
    assert_int_equal(files->ops->read(files, file, text, 8, 8), 8);
    assert_memory_equal(text, "ORDER 2\n", 8);
    assert_int_equal(files->ops->read(files, file, text, 16, 10), 6);
    assert_int_equal(files->ops->read(files, file, text, 16, 100), 0);
    assert_int_equal(files->ops->truncate(files, file, 8), 0);
    assert_int_equal(files->ops->read(files, file, text, 16, 0), 8);
    close_file(file);
}

static void a_missing_file_is_told_from_one_that_is_there(void **state) {
    (void)state;
    const char *path = scratch_path("a.log");
    assert_int_equal(open_file(path), -ENOENT);
    assert_int_equal(open_file(scratch_path("none/a.log")), -ENOENT);
    int file = create(path);
    assert_true(file >= 0);
    assert_int_equal(create(path), -EEXIST);
    close_file(file);
    file = open_file(path);
    assert_true(file >= 0);
    close_file(file);
}

static void a_file_is_held_against_a_second_writer_until_it_is_closed(void **state) {
    (void)state;
    const char *path = scratch_path("a.log");
    int file = create(path);
    assert_int_equal(open_locked(path), -EBUSY);
    pid_t child = fork();
    if (child == 0) {
        close_file(file); /* the child's copy: the lock stays with the parent's */
        _exit(open_locked(path) == -EBUSY ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    close(open(path, O_RDWR | O_CLOEXEC));
    assert_int_equal(open_locked(path), -EBUSY);
    close_file(file);
    file = open_locked(path);
    assert_true(file >= 0);
    assert_int_equal(open_locked(path), -EBUSY);
    close_file(file);
}

static void directories_and_devices_and_pipes_are_refused(void **state) {
    (void)state;
    assert_int_equal(open_file(scratch), -EISDIR);
    assert_int_equal(open_file("/dev/null"), -EINVAL);
    const char *fifo = scratch_path("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(open_file(fifo), -EINVAL);
    assert_int_equal(create(fifo), -EEXIST);
    assert_int_equal(create(scratch), -EEXIST);
    make_file(scratch_path("a.log"), 0);
    assert_int_equal(create(scratch_path("a.log/b.log")), -ENOTDIR);
}

static void parent_directories_are_made_and_synced(void **state) {
    (void)state;
    const char *path = scratch_path("logs/2026/orders/a.log");
    mode_t before = umask(027);
    int file = create(path);
    umask(before);
    assert_true(file >= 0);
    assert_int_equal(files->ops->sync_name(files, path), 0);
    close_file(file);
    struct stat status;
    assert_int_equal(stat(scratch_path("logs/2026"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0750);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(files->ops->sync_name(files, scratch_path("none/a.log")), -ENOENT);
}

static void a_name_whose_directory_cannot_be_synced_is_not_durable(void **state) {
    (void)state;
    const char *path = scratch_path("a.log");
    const int file = create(path);
    assert_true(file >= 0);
    const pid_t child = fork();
    if (child == 0) {
        refuse_call(SYS_fsync, 0, EIO);
        _exit(files->ops->sync_name(files, path) == -EIO ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close_file(file);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_WITH("system call filters are not allowed here");
    assert_int_equal(status, 0);
}

static void a_relative_name_works_as_an_absolute_one(void **state) {
    (void)state;
    char before[PATH_BYTES * 2];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(scratch), 0);
    int file = create("logs/a.log");
    int synced = files->ops->sync_name(files, "logs/a.log");
    assert_int_equal(chdir(before), 0);
    assert_true(file >= 0);
    assert_int_equal(synced, 0);
    close_file(file);
    assert_int_equal(access(scratch_path("logs/a.log"), F_OK), 0);
}

static void mode_and_owner_are_those_asked_for(void **state) {
    (void)state;
    const char *path = scratch_path("a.log");
    struct stat status;
    int file = files->ops->create(files, path, &(struct new_file){.mode = 0666});
    assert_true(file >= 0);
    close_file(file);
    stat(path, &status);
    assert_int_equal(status.st_mode & 07777, 0666);
    unlink(path);

    assert_int_equal(files->ops->create(files, path, &(struct new_file){.owner = "no such user"}), -EINVAL);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(files->ops->create(files, path, &(struct new_file){.group = "no such group"}), -EINVAL);
    assert_int_equal(access(path, F_OK), -1);
    if (geteuid() != 0)
        SKIP_WITH("wants root, to give a file away");
    file = files->ops->create(files, path, &(struct new_file){.mode = 0640, .owner = "daemon", .group = "12345"});
    assert_true(file >= 0);
    close_file(file);
    stat(path, &status);
    assert_int_equal(status.st_uid, 1);
    assert_int_equal(status.st_gid, 12345);
    assert_int_equal(status.st_mode & 07777, 0640);
}

/* Another user's application may ask a drain for it, and says what the file holds. */
static void no_new_file_runs_as_its_owner(void **state) {
    (void)state;
    const struct new_file asked[] = {{.mode = 06755}, {.usual_mode = 06755}};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        struct stat status;
        const char *path = scratch_path(i == 0 ? "exact.log" : "usual.log");
        const int file = files->ops->create(files, path, &asked[i]);
        assert_true(file >= 0);
        assert_int_equal(fstat(file, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0755);
        close_file(file);
    }
}

static void a_link_leads_to_the_file_whether_it_is_there_or_not(void **state) {
    (void)state;
    const char *link = scratch_path("current.log");
    assert_int_equal(mkdir(scratch_path("logs"), 0700), 0);
    assert_int_equal(symlink("logs/a.log", link), 0);
    assert_int_equal(open_file(link), -ENOENT);
    int file = create(link);
    assert_true(file >= 0);
    assert_int_equal(files->ops->sync_name(files, link), 0);
    close_file(file);
    assert_int_equal(access(scratch_path("logs/a.log"), F_OK), 0);
    file = open_file(link);
    assert_true(file >= 0);
    close_file(file);
    struct stat status;
    lstat(link, &status);
    assert_true(S_ISLNK(status.st_mode));
}

static void identity_tells_a_renamed_a_deleted_and_a_replaced_file(void **state) {
    (void)state;
    const char *path = scratch_path("a.log"), *rotated = scratch_path("a.log.1");
    struct file_identity held, named;
    int file = create(path);
    assert_int_equal(files->ops->write(files, file, "12345", 5, 0), 5);
    assert_int_equal(files->ops->identity(files, file, &held), 0);
    assert_int_equal(files->ops->identity_of_path(files, path, &named), 0);
    assert_memory_equal(&held, &named, sizeof(held));
    assert_int_equal(held.bytes, 5);
    assert_int_equal(held.links, 1);

    assert_int_equal(rename(path, rotated), 0);
    assert_int_equal(files->ops->identity_of_path(files, path, &named), -ENOENT);
    assert_int_equal(files->ops->identity_of_path(files, rotated, &named), 0);
    assert_int_equal(named.inode, held.inode);
    make_file(path, 3);
    assert_int_equal(files->ops->identity_of_path(files, path, &named), 0);
    assert_int_not_equal(named.inode, held.inode);

    unlink(rotated);
    assert_int_equal(files->ops->identity(files, file, &held), 0);
    assert_int_equal(held.links, 0);
    close_file(file);
}

static int stop_at_b(void *argument, const char *sibling) {
    ++*(int *)argument;
    return strcmp(sibling, scratch_path("b.log")) == 0 ? 42 : 0;
}

static int count_all(void *argument, const char *sibling) {
    assert_int_equal(access(sibling, F_OK), 0);
    assert_int_not_equal(strrchr(sibling, '/')[1], '.');
    ++*(int *)argument;
    errno = EIO; /* what a caller does inside is no failure of the listing */
    return 0;
}

static void siblings_are_listed_until_the_caller_has_seen_enough(void **state) {
    (void)state;
    make_file(scratch_path("a.log"), 0);
    make_file(scratch_path("b.log"), 0);
    make_file(scratch_path("c.log"), 0);
    int count = 0;
    assert_int_equal(files->ops->list_siblings(files, scratch_path("any"), count_all, &count), 0);
    assert_int_equal(count, 3);
    count = 0;
    assert_int_equal(files->ops->list_siblings(files, scratch_path("a.log"), stop_at_b, &count), 42);
    assert_in_range(count, 1, 3);
    assert_int_equal(files->ops->list_siblings(files, scratch_path("none/a"), count_all, &count), -ENOENT);
}

static void a_full_file_system_is_a_short_write_or_no_space(void **state) {
    (void)state;
    if (!mount_tmpfs(scratch_path("small"), "size=64k"))
        SKIP_WITH("mounting a tmpfs failed: %s", strerror(errno));
    static char data[100000];
    int file = create(scratch_path("small/a.log"));
    int64_t first = files->ops->write(files, file, data, sizeof(data), 0);
    int64_t second = first > 0 ? files->ops->write(files, file, data, sizeof(data), (uint64_t)first) : first;
    close_file(file);
    umount(scratch_path("small"));
    assert_in_range(first, 1, sizeof(data) - 1);
    assert_int_equal(second, -ENOSPC);
}

int main(void) {
#define FILES_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        FILES_TEST(what_was_written_at_an_offset_is_read_there),
        FILES_TEST(a_missing_file_is_told_from_one_that_is_there),
        FILES_TEST(a_file_is_held_against_a_second_writer_until_it_is_closed),
        FILES_TEST(directories_and_devices_and_pipes_are_refused),
        FILES_TEST(parent_directories_are_made_and_synced),
        FILES_TEST(a_name_whose_directory_cannot_be_synced_is_not_durable),
        FILES_TEST(a_relative_name_works_as_an_absolute_one),
        FILES_TEST(mode_and_owner_are_those_asked_for),
        FILES_TEST(no_new_file_runs_as_its_owner),
        FILES_TEST(a_link_leads_to_the_file_whether_it_is_there_or_not),
        FILES_TEST(identity_tells_a_renamed_a_deleted_and_a_replaced_file),
        FILES_TEST(siblings_are_listed_until_the_caller_has_seen_enough),
        FILES_TEST(a_full_file_system_is_a_short_write_or_no_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
