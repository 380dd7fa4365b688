/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing and deleting rolled files. The process is killed at each call that changes anything. */
#include "roll_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "base/error.h"
#include "rolling/files.h"

#define KILLED 9
#define CONTENT_BYTES 200000

static int calls_left = -1; /* so many calls until the process is killed; < 0: it is not */
static int fails_with;      /* the call fails so instead, and all later ones */

static char order[200]; /* the calls in their order, without `read` */

static int is_cut(const char *name) {
    if (strcmp(name, "read") != 0 && strcmp(name, "fstatat") != 0) {
        snprintf(order + strlen(order), sizeof order - strlen(order), "%s ", name);
    }
    if (calls_left == 0 && fails_with == 0) {
        _exit(KILLED);
    }
    calls_left -= calls_left > 0;
    errno = fails_with;
    return fails_with != 0 && calls_left == 0;
}

#define CUT(type, name, parameters, arguments)                                                                         \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters {                                                                                    \
        return is_cut(#name) ? (type)-1 : __real_##name arguments;                                                     \
    }

CUT(ssize_t, read, (int fd, void *to, size_t bytes), (fd, to, bytes))
CUT(int, fchmod, (int fd, mode_t mode), (fd, mode))
CUT(int, futimens, (int fd, const struct timespec times[2]), (fd, times))
CUT(int, fsync, (int fd), (fd))

/* 1: the link is made, but its answer is an error; 2: others take the name at that moment. */
static int link_lies;

int __real_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags) {
    if (link_lies == 2) {
        close(openat(to, new, O_WRONLY | O_CREAT, 0600));
    }
    const int result = is_cut("linkat") ? -1 : __real_linkat(from, old, to, new, flags);
    errno = link_lies ? EEXIST : errno;
    return link_lies ? -1 : result;
}

CUT(int, fstatat, (int at, const char *path, struct stat *status, int flags), (at, path, status, flags))
CUT(int, unlinkat, (int at, const char *path, int flags), (at, path, flags))

static struct rolling_files files;
static int64_t again_ns; /* of the last tidying */
static _Atomic uint32_t is_stopped;
static char log_file[200];

static int begin(void **state) {
    make_paths(state);
    calls_left = -1;
    fails_with = link_lies = 0;
    is_stopped = 0;
    files = (struct rolling_files){
        .is_stopped = &is_stopped, .keep_files = UINT64_MAX, .keep_bytes = UINT64_MAX, .keep_ns = INT64_MAX};
    snprintf(log_file, sizeof log_file, "%s", paths[0]);
    assert_int_equal(rolling_name_read("r", rolling_of(0).pattern, &files.name), 0);
    return gzip_load("r", &files.gzip);
}

static const char *rolled(unsigned index, const char *suffix) {
    static char path[240];
    snprintf(path, sizeof path, "%s-%u.log%s", paths[0], index, suffix);
    return path;
}

/* Puts a rolled file whose time is so many seconds after 1970. */
static void put_rolled(unsigned index, const char *suffix, size_t bytes, int64_t changed_s) {
    static char content[CONTENT_BYTES];
    uint64_t random = index;
    for (size_t i = 0; i < bytes; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        content[i] = (char)('a' + (random >> 60));
    }
    const struct timespec times[2] = {{.tv_sec = changed_s}, {.tv_sec = changed_s, .tv_nsec = 123456789}};
    const int file = open(rolled(index, suffix), O_WRONLY | O_CREAT | O_TRUNC, 0640);
    assert_int_equal(write(file, content, bytes), bytes);
    assert_int_equal(__real_futimens(file, times), 0);
    close(file);
}

static int is_there(unsigned index, const char *suffix) {
    return access(rolled(index, suffix), F_OK) == 0;
}

/* The file has the content of put_rolled, plain or compressed. */
static void assert_whole(unsigned index, size_t bytes) {
    char command[BURST_PATH_BYTES + 200];
    put_rolled(index, ".wanted", bytes, 1);
    snprintf(command, sizeof command,
             "cd '%s'; p=stream0-%u.log; { cmp -s $p $p.wanted || gzip -dc $p.gz | cmp -s - $p.wanted; } 2>/dev/null",
             files.name.folder, index);
    if (system(command) != 0) {
        fail_msg("%s", command);
    }
    unlink(rolled(index, ".wanted"));
}

static unsigned entries(void) {
    unsigned count = 0;
    DIR *entries = opendir(files.name.folder);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        count += strstr(entry->d_name, "stream0") != NULL;
    }
    closedir(entries);
    return count;
}

static void tidy(void) {
    if (rolling_files_tidy(&files, 1000ll * 1000000000, &again_ns) < 0) {
        fail_msg("%s", error_text());
    }
}

static void a_file_is_compressed_and_keeps_its_mode_and_time(void **state) {
    (void)state;
    struct stat status;
    files.compress = 1;
    put_rolled(1, "", CONTENT_BYTES, 500);
    put_rolled(2, "", 0, 500);
    tidy();
    assert_whole(1, CONTENT_BYTES);
    assert_false(is_there(1, ""));
    assert_int_equal(stat(rolled(1, ".gz"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(status.st_mtim.tv_sec, 500);
    assert_int_equal(status.st_mtim.tv_nsec, 123456789);
    assert_whole(2, 0);
    assert_int_equal(entries(), 2);
}

static void no_step_is_made_before_the_one_before_is_durable(void **state) {
    (void)state;
    files.compress = 1;
    put_rolled(1, "", 10, 500);
    order[0] = '\0';
    tidy();
    assert_string_equal(order, "unlinkat fchmod futimens fsync linkat unlinkat fsync unlinkat ");
}

static void a_kill_at_any_call_leaves_every_file_whole(void **state) {
    int calls = 0;
    for (int status = KILLED; status == KILLED; calls++) {
        remove_folder(state);
        begin(state);
        files.compress = 1;
        put_rolled(1, "", CONTENT_BYTES, 500);
        put_rolled(2, "", 10, 500);
        const pid_t child = fork();
        if (child == 0) {
            calls_left = calls;
            _exit(rolling_files_tidy(&files, 0, &again_ns) != 0);
        }
        waitpid(child, &status, 0);
        status = WEXITSTATUS(status);
        assert_int_not_equal(status, 1);
        assert_whole(1, CONTENT_BYTES);
        assert_whole(2, 10);
        if (is_there(1, ".gz")) { /* only a whole file gets this name */
            char command[400];
            snprintf(command, sizeof command, "gzip -t '%s'", rolled(1, ".gz"));
            assert_int_equal(system(command), 0);
        }
        tidy();
        assert_true(is_there(1, ".gz") && is_there(2, ".gz"));
        assert_int_equal(entries(), 2); /* no half-made file is left */
    }
    assert_true(calls > 12);
}

static void a_call_that_fails_leaves_every_file_whole(void **state) {
    for (int calls = 1, rc = -1; rc < 0; calls++) {
        remove_folder(state);
        begin(state);
        files.compress = 1;
        put_rolled(1, "", CONTENT_BYTES, 500);
        calls_left = calls;
        fails_with = ENOSPC;
        rc = rolling_files_tidy(&files, 0, &again_ns);
        calls_left = -1;
        fails_with = 0;
        assert_true(rc == 0 || strstr(error_text(), "could not be compressed") != NULL ||
                    strstr(error_text(), "cannot be read") != NULL);
        assert_whole(1, CONTENT_BYTES);
        tidy();
        assert_true(is_there(1, ".gz"));
        assert_int_equal(entries(), 1);
    }
}

static void what_is_under_another_compressed_name_stays(void **state) {
    (void)state;
    files.compress = 1;
    put_rolled(1, "", 10, 500);
    put_rolled(1, ".gz", 10, 501);
    assert_int_equal(rolling_files_tidy(&files, 0, &again_ns), -EEXIST);
    assert_true(is_there(1, "") && is_there(1, ".gz"));
    const struct timespec times[2] = {{.tv_sec = 500}, {.tv_sec = 500, .tv_nsec = 123456788}};
    assert_int_equal(utimensat(AT_FDCWD, rolled(1, ".gz"), times, 0), 0);
    assert_int_equal(rolling_files_tidy(&files, 0, &again_ns), -EEXIST);
    assert_true(is_there(1, "") && is_there(1, ".gz"));
}

static void a_file_that_another_process_compresses_is_left_to_it(void **state) {
    (void)state;
    files.compress = 1;
    put_rolled(1, "", 10, 500);
    const int other = open(rolled(1, ""), O_RDONLY);
    char unfinished[BURST_PATH_BYTES + 300];
    snprintf(unfinished, sizeof unfinished, "%s/.%s.burst-tmp", files.name.folder, path_name(rolled(1, "")));
    put_file(unfinished, "half");
    assert_int_equal(flock(other, LOCK_EX), 0);
    tidy();
    assert_true(is_there(1, "") && !is_there(1, ".gz") && access(unfinished, F_OK) == 0);
    close(other);
    tidy();
    assert_true(!is_there(1, "") && is_there(1, ".gz") && access(unfinished, F_OK) != 0);
}

static void what_a_kill_left_of_a_deleted_file_is_removed(void **state) {
    (void)state;
    char unfinished[BURST_PATH_BYTES + 300];
    snprintf(unfinished, sizeof unfinished, "%s/.%s.burst-tmp", files.name.folder, path_name(rolled(1, "")));
    put_file(unfinished, "half");
    tidy();
    assert_int_not_equal(access(unfinished, F_OK), 0);
}

static void the_newest_are_kept_by_index(void **state) {
    (void)state;
    for (unsigned i = 8; i <= 12; i++) {
        put_rolled(i, i % 2 ? ".gz" : "", 10, 500 - i); /* as if the clock had been set back all the time */
    }
    put_file(log_file, "the log");
    files.keep_files = 3;
    tidy();
    assert_true(!is_there(8, "") && !is_there(9, ".gz") && is_there(10, "") && is_there(11, ".gz") && is_there(12, ""));
    files.keep_files = UINT64_MAX;
    files.keep_bytes = 29;
    tidy();
    assert_true(!is_there(10, "") && is_there(11, ".gz"));
    files.keep_bytes = UINT64_MAX;
    put_rolled(11, ".gz", 10, 899);
    put_rolled(12, "", 10, 900);
    files.keep_ns = 100ll * 1000000000;
    tidy();
    assert_true(!is_there(11, ".gz") && is_there(12, ""));
    assert_holds(log_file, "the log");
}

static void age_counts_for_each_file_by_itself(void **state) {
    (void)state;
    static const int64_t times[] = {950, 960, 12000000000, 970, 980, 0, 990, -5000, 995}; /* seconds; now it is 1000 */
    for (unsigned i = 0; i < 9; i++) {
        put_rolled(1 + i, i % 2 ? ".gz" : "", 10, times[i]);
    }
    files.keep_ns = 100ll * 1000000000;
    tidy();
    for (unsigned i = 0; i < 9; i++) {
        assert_int_equal(is_there(1 + i, i % 2 ? ".gz" : ""), times[i] > 100);
    }
    files.keep_files = 6; /* of the files that remain */
    tidy();
    assert_true(!is_there(1, "") && is_there(2, ".gz") && is_there(9, ""));
}

static void those_that_age_takes_count_for_nothing_else(void **state) {
    (void)state;
    for (unsigned i = 1; i <= 4; i++) {
        put_rolled(i, "", 10, i == 4 ? 1 : 990);
    }
    files.keep_ns = 100ll * 1000000000;
    files.keep_files = 3;
    files.keep_bytes = 30;
    tidy();
    assert_true(is_there(1, "") && is_there(2, "") && is_there(3, "") && !is_there(4, ""));
}

/* Takes a lock, as another process does, or this one. */
static int write_lock(const char *path) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = open(path, O_RDWR);
    assert_int_equal(fcntl(file, F_OFD_SETLK, &whole), 0);
    return file;
}

/* Read rights are enough for this. */
static void a_file_that_a_reader_locks_goes_all_the_same(void **state) {
    (void)state;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    for (unsigned i = 1; i <= 4; i++) {
        put_rolled(i, "", 10, 500);
    }
    const int read = open(rolled(1, ""), O_RDONLY);
    assert_int_equal(fcntl(read, F_OFD_SETLK, &whole), 0);
    files.keep_files = 1;
    tidy();
    assert_true(!is_there(1, "") && !is_there(2, "") && !is_there(3, "") && is_there(4, ""));
    close(read);
}

static void a_file_that_somebody_writes_is_passed_over(void **state) {
    (void)state;
    for (unsigned i = 1; i <= 4; i++) {
        put_rolled(i, "", 10, 500);
    }
    const int held = write_lock(rolled(2, ""));
    files.compress = 1;
    assert_int_equal(rolling_files_tidy(&files, 0, &again_ns), -EBUSY);
    assert_non_null(strstr(error_text(), "stream0-2.log has the name of a rolled one"));
    assert_true(is_there(1, ".gz") && is_there(2, "") && !is_there(2, ".gz") && is_there(3, ".gz") &&
                is_there(4, ".gz"));
    files.compress = 0;
    files.keep_files = 1;
    assert_int_equal(rolling_files_tidy(&files, 0, &again_ns), -EBUSY);
    assert_true(!is_there(1, ".gz") && is_there(2, "") && !is_there(3, ".gz") && is_there(4, ".gz"));
    close(held);
    tidy();
    assert_false(is_there(2, ""));
}

static void a_link_that_is_made_and_reports_an_error_is_known(void **state) {
    (void)state;
    files.compress = 1;
    put_rolled(1, "", CONTENT_BYTES, 500);
    link_lies = 1;
    tidy();
    assert_whole(1, CONTENT_BYTES);
    assert_true(!is_there(1, "") && is_there(1, ".gz"));
    assert_int_equal(entries(), 1);
}

static void but_not_one_that_somebody_else_has_made(void **state) {
    (void)state;
    struct stat status;
    files.compress = 1;
    put_rolled(1, "", 10, 500);
    link_lies = 2;
    assert_int_equal(rolling_files_tidy(&files, 0, &again_ns), -EEXIST);
    assert_true(is_there(1, ""));
    assert_int_equal(stat(rolled(1, ".gz"), &status), 0);
    assert_int_equal(status.st_size, 0);
}

/* Another process may be compressing it. */
static void what_is_begun_of_a_file_that_cannot_be_opened_stays(void **state) {
    (void)state;
    char unfinished[BURST_PATH_BYTES + 300];
    snprintf(unfinished, sizeof unfinished, "%s/.%s.burst-tmp", files.name.folder, path_name(rolled(1, "")));
    put_file(unfinished, "half");
    assert_int_equal(symlink(paths[1], rolled(1, "")), 0); /* ELOOP */
    tidy();
    assert_int_equal(access(unfinished, F_OK), 0);
}

static void others_are_not_touched(void **state) {
    (void)state;
    const char *link = rolled(3, "");
    put_file(paths[1], "another");
    assert_int_equal(symlink(paths[1], link), 0);
    put_rolled(4, "x", 10, 1);
    files.keep_bytes = 1;
    tidy();
    assert_true(is_there(3, "") && is_there(4, "x"));
    assert_holds(paths[1], "another");
}

static void the_index_goes_on_behind_the_highest(void **state) {
    (void)state;
    uint64_t index;
    assert_int_equal(rolling_files_last(&files, &index), 0);
    assert_int_equal(index, 0);
    for (unsigned i = 1; i <= 100; i++) {
        put_rolled(i, i == 100 ? ".2.gz" : "", 1, 1000 - i);
    }
    assert_int_equal(rolling_files_last(&files, &index), 0);
    assert_int_equal(index, 100);
    for (int i = 0; i < 100; i++) { /* an unreadable index is not used again */
        calls_left = i;
        fails_with = EIO;
        assert_int_equal(rolling_files_last(&files, &index), -EIO);
    }
    calls_left = -1;
    fails_with = 0;
    snprintf(files.name.folder, sizeof files.name.folder, "%s-none", paths[0]);
    assert_int_equal(rolling_files_last(&files, &index), 0); /* its folder comes with the first roll */
    assert_int_equal(rolling_files_tidy(&files, 0, &again_ns), 0);
}

#define ROLLED(test) cmocka_unit_test_setup_teardown(test, begin, remove_folder)

int main(void) {
    struct gzip gzip;
    if (gzip_load("r", &gzip) < 0) {
        fprintf(stderr, "SKIPPED: %s\n", error_text());
        return 77;
    }
    const struct CMUnitTest tests[] = {
        ROLLED(a_file_is_compressed_and_keeps_its_mode_and_time),
        ROLLED(no_step_is_made_before_the_one_before_is_durable),
        ROLLED(a_kill_at_any_call_leaves_every_file_whole),
        ROLLED(a_call_that_fails_leaves_every_file_whole),
        ROLLED(what_is_under_another_compressed_name_stays),
        ROLLED(a_file_that_another_process_compresses_is_left_to_it),
        ROLLED(what_a_kill_left_of_a_deleted_file_is_removed),
        ROLLED(the_newest_are_kept_by_index),
        ROLLED(age_counts_for_each_file_by_itself),
        ROLLED(those_that_age_takes_count_for_nothing_else),
        ROLLED(a_file_that_a_reader_locks_goes_all_the_same),
        ROLLED(a_file_that_somebody_writes_is_passed_over),
        ROLLED(a_link_that_is_made_and_reports_an_error_is_known),
        ROLLED(but_not_one_that_somebody_else_has_made),
        ROLLED(what_is_begun_of_a_file_that_cannot_be_opened_stays),
        ROLLED(others_are_not_touched),
        ROLLED(the_index_goes_on_behind_the_highest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
