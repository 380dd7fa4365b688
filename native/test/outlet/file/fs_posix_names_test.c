/* SPDX-License-Identifier: Apache-2.0 */
/* When a log file's bytes are written, what is made durable beside them, and what a folder says of its files. The C library's calls that are defined
 * here take the place of its own. */
#include "device/media.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "refused_calls.h"
#include "outlet/file/fs.h"

static const struct files *const files = &files_posix;

#define SYNCED_MAX 64
static char synced[SYNCED_MAX][PATH_BYTES];
static int synced_count;
static const char *unwritable = ""; /* the end of a folder's name */

static int ends_with(const char *path, const char *end) {
    return strlen(path) >= strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0;
}

int fsync(int fd) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t bytes = readlink(link, synced[synced_count % SYNCED_MAX], PATH_BYTES - 1);
    synced[synced_count++ % SYNCED_MAX][bytes < 0 ? 0 : bytes] = '\0';
    return (int)syscall(SYS_fsync, fd);
}

int faccessat(int folder, const char *path, int mode, int flags) {
    (void)flags;
    if (*unwritable != '\0' && ends_with(path, unwritable)) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_faccessat, folder, path, mode);
}

static int64_t tick_s = 5000000000; /* of the kernel's coarse clock: long after every change */

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME_COARSE) {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    *time = (struct timespec){.tv_sec = tick_s};
    return 0;
}

static off_t begun_from, begun_bytes; /* of what the disk was told to write at once; added up */

int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) {
    (void)fd;
    assert_int_equal(flags, SYNC_FILE_RANGE_WRITE); /* nobody waits */
    begun_from = begun_bytes == 0 ? offset : begun_from;
    begun_bytes += bytes;
    return -1;
}

static int was_synced(const char *name) {
    int times = 0;
    for (int i = 0; i < synced_count && i < SYNCED_MAX; i++) {
        times += ends_with(synced[i], name);
    }
    return times;
}

static int made(const char *path) {
    const int file = files->ops->create(files, path, &(struct new_file){0});
    assert_true(file >= 0);
    synced_count = 0;
    assert_int_equal(files->ops->sync_name(files, path), 0);
    return file;
}

static void the_names_of_all_folders_above_a_new_file_are_durable_with_its_own(void **state) {
    (void)state;
    files->ops->close(files, made(scratch_path("logs/2026/orders/a.log")));
    assert_int_equal(was_synced("/logs/2026/orders"), 1);
    assert_int_equal(was_synced("/logs/2026"), 1);
    assert_int_equal(was_synced("/logs"), 1);
    assert_int_equal(was_synced(scratch), 1);
}

static void folders_above_are_synced_again_when_something_beside_the_lowest_has_changed(void **state) {
    (void)state;
    files->ops->close(files, made(scratch_path("logs/2026/orders/a.log")));
    files->ops->close(files, made(scratch_path("logs/2026/orders/b.log")));
    assert_int_equal(was_synced("/logs/2026/orders"), 1);
    assert_int_equal(synced_count, 1);
    const struct timespec later[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 4000000000}};
    assert_int_equal(utimensat(AT_FDCWD, scratch_path("logs/2026"), later, 0), 0);
    files->ops->close(files, made(scratch_path("logs/2026/orders/c.log")));
    assert_int_equal(was_synced("/logs/2026"), 1);
    assert_int_equal(was_synced("/logs"), 1);
    files->ops->close(files, made(scratch_path("logs/2026/bills/a.log")));
    assert_int_equal(was_synced("/logs/2026"), 1);
    files->ops->close(files, made(scratch_path("logs/2026/orders/d.log")));
    assert_int_equal(was_synced("/logs/2026"), 1);
}

/* It may change once more, and still have the same time. */
static void folders_above_are_synced_each_time_in_the_tick_of_a_change(void **state) {
    (void)state;
    tick_s = 0;
    files->ops->close(files, made(scratch_path("logs/2026/orders/a.log")));
    files->ops->close(files, made(scratch_path("logs/2026/orders/b.log")));
    tick_s = 5000000000;
    assert_int_equal(was_synced("/logs/2026"), 1);
}

static void folders_above_are_synced_again_when_the_one_above_was_moved(void **state) {
    (void)state;
    char from[PATH_BYTES], to[PATH_BYTES];
    snprintf(from, sizeof from, "%s", scratch_path("logs/2026"));
    files->ops->close(files, made(scratch_path("logs/2026/orders/a.log")));
    files->ops->close(files, made(scratch_path("logs/2027/other.log")));
    files->ops->close(files, made(scratch_path("logs/2026/orders/b.log")));
    snprintf(to, sizeof to, "%s", scratch_path("logs/old"));
    assert_int_equal(rename(from, to), 0);
    files->ops->close(files, made(scratch_path("logs/old/orders/c.log")));
    assert_int_equal(was_synced("/logs"), 1);
}

static void a_folder_that_this_process_may_not_change_ends_nothing(void **state) {
    (void)state;
    unwritable = "/2026";
    files->ops->close(files, made(scratch_path("logs/2026/orders/a.log")));
    unwritable = "";
    assert_int_equal(was_synced("/logs/2026/orders"), 1);
    assert_int_equal(was_synced("/logs/2026"), 0);
    assert_int_equal(was_synced("/logs"), 1);
}

/* As glibc before 2.33: faccessat above asks for the real user. */
static void a_folder_that_the_c_library_calls_writable_because_the_real_user_is_root_ends_nothing(void **state) {
    (void)state;
    if (geteuid() != 0)
        SKIP_WITH("only root can act for another user");
    char place[] = P_tmpdir "/burst-names-XXXXXX"; /* a user can get there, and may not read it */
    assert_non_null(mkdtemp(place));
    assert_int_equal(chmod(place, 0711), 0);
    char folder[64], path[96];
    snprintf(folder, sizeof folder, "%s/logs", place);
    snprintf(path, sizeof path, "%s/a.log", folder);
    files->ops->close(files, files->ops->create(files, path, &(struct new_file){0}));
    const pid_t child = fork();
    if (child == 0) {
        _exit(seteuid(65534) == 0 && files->ops->sync_name(files, path) == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(unlink(path) | rmdir(folder) | rmdir(place), 0);
    assert_int_equal(status, 0);
}

static int count(void *argument, const char *name) {
    (void)name;
    ++*(int *)argument;
    return 0;
}

static void a_listing_that_breaks_off_is_no_whole_one(void **state) {
    (void)state;
    make_file(scratch_path("a.log"), 1);
    const pid_t child = fork();
    if (child == 0) {
        int found = 0;
        refuse_call(SYS_getdents64, 0, EIO);
#ifdef SYS_getdents
        refuse_call(SYS_getdents, 0, EIO); /* glibc before 2.28 */
#endif
        _exit(files->ops->list_siblings(files, scratch_path("a.log"), count, &found) == -EIO && found == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_WITH("system call filters are not allowed here");
    assert_int_equal(status, 0);
}

static void no_log_file_is_handed_on_to_a_program_that_this_process_starts(void **state) {
    (void)state;
    const char *path = scratch_path("a.log");
    int file = made(path);
    assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
    files->ops->close(files, file);
    file = files->ops->open(files, path);
    assert_true(file >= 0);
    assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
    files->ops->close(files, file);
}

static void the_disk_begins_to_write_what_is_whole_long_before_the_sync(void **state) {
    (void)state;
    enum { MIB = 1 << 20 };
    static char data[3 * MIB];
    int file = made(scratch_path("a.log"));
    begun_bytes = 0;
    assert_int_equal(files->ops->write(files, file, data, sizeof data, 0), sizeof data);
    assert_int_equal(begun_bytes, 0); /* its last page gets more */
    assert_int_equal(files->ops->write(files, file, data, sizeof data, 3 * MIB), sizeof data);
    assert_int_equal(begun_from, 0);
    assert_int_equal(begun_bytes, 4 * MIB);
    assert_int_equal(files->ops->write(files, file, data, sizeof data, 6 * MIB), sizeof data);
    assert_int_equal(begun_bytes, 8 * MIB);
    files->ops->close(files, file);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_names_of_all_folders_above_a_new_file_are_durable_with_its_own),
        TEST(folders_above_are_synced_again_when_something_beside_the_lowest_has_changed),
        TEST(folders_above_are_synced_each_time_in_the_tick_of_a_change),
        TEST(folders_above_are_synced_again_when_the_one_above_was_moved),
        TEST(a_folder_that_this_process_may_not_change_ends_nothing),
        TEST(a_folder_that_the_c_library_calls_writable_because_the_real_user_is_root_ends_nothing),
        TEST(a_listing_that_breaks_off_is_no_whole_one),
        TEST(no_log_file_is_handed_on_to_a_program_that_this_process_starts),
        TEST(the_disk_begins_to_write_what_is_whole_long_before_the_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
