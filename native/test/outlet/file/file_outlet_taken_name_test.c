/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a rolled file does not get, and those that it has although the call said no. */
#include "rolled_log.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/path.h"

static char beside[sizeof archive + 8];

static int begin(void **state) {
    begin_rolled_log(state);
    snprintf(archive, sizeof archive, "%.4000s/1", host.folder);
    snprintf(beside, sizeof beside, "%s.1", archive);
    open_ring();
    return 0;
}

static void roll_it(void) {
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    drain_all();
    assert_file(host.file, "hb\n");
}

static void a_twin_of_any_kind_takes_the_name(void **state) {
    static const char *const suffixes[] = {".gz", ".zip", ".bz2", ".xz", ".zst", ".deflate", ".pack200"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char twin[sizeof archive + 16];
        snprintf(twin, sizeof twin, "%s%s", archive, suffixes[i]);
        put_file(twin, "");
        roll_it();
        assert_missing(archive);
        assert_file(beside, "a\nf");
        assert_told("which is there, or compressed");
        remove_folder(state);
        begin(state);
    }
}

static void nothing_but_an_empty_file_is_replaced(void **state) {
    for (int kind = 0; kind < 4; kind++) {
        struct stat status;
        const int rc = kind == 0   ? mkfifo(archive, 0600)
                       : kind == 1 ? mkdir(archive, 0700)
                       : kind == 2 ? symlink("/dev/null", archive)
                                   : symlink("nowhere", archive);
        assert_int_equal(rc, 0);
        roll_it();
        assert_int_equal(renames, kind == 3 ? 2 : 1); /* only what leads nowhere is not seen before the call */
        assert_int_equal(lstat(archive, &status), 0);
        assert_false(S_ISREG(status.st_mode));
        assert_file(beside, "a\nf");
        remove_folder(state);
        begin(state);
    }
    put_file(archive, "");
    roll_it();
    assert_file(archive, "a\nf");
    assert_missing(beside);
}

/* A folder of archives that is the folder of the log itself. */
static void its_own_name_by_another_path_is_taken(void **state) {
    (void)state;
    char alias[sizeof archive];
    snprintf(alias, sizeof alias, "%.4000s/alias", host.folder);
    assert_int_equal(symlink(".", alias), 0);
    snprintf(archive, sizeof archive, "%.4000s/%s", alias, path_name(host.file));
    snprintf(beside, sizeof beside, "%s.1", archive);
    roll_it();
    assert_file(beside, "a\nf");
    assert_told("which is there, or compressed");
}

static int answer;

/* As over NFS, whose answer was lost: the call is made again, and finds what the first one did. */
static int rename_and_lose_the_answer(const struct files *files, const char *from, const char *to) {
    const int rc = stopping_rename(files, from, to);
    return rc == 0 && renames == 1 ? answer : rc;
}

static int link_and_lose_the_answer(const struct files *files, const char *from, const char *to) {
    renames++;
    return renames > 1 ? files_posix.ops->rename(files, from, to) : link(from, to) < 0 ? -errno : answer;
}

static void a_rename_that_is_done_and_reports_an_error_is_no_second_one(void **state) {
    static const int answers[] = {-EEXIST, -ENOENT, -EIO, -EACCES};
    for (int i = 0; i < 8; i++) {
        ops.rename = i % 2 == 0 ? rename_and_lose_the_answer : link_and_lose_the_answer;
        answer = answers[i / 2];
        roll_it();
        assert_file(archive, "a\nf");
        assert_missing(beside);
        struct stat status;
        assert_int_equal(stat(archive, &status), 0);
        assert_int_equal(status.st_nlink, 1);
        struct event event;
        while (events_take(&host.events, &event, 0) == 1) {
            assert_int_not_equal(event.severity, EVENT_WARN);
        }
        remove_folder(state);
        begin(state);
    }
}

static int take_the_name(const struct files *files, const char *from, const char *to) {
    renames++;
    if (renames > 1) {
        return files_posix.ops->rename(files, from, to);
    }
    put_file(to, "theirs");
    return -EEXIST;
}

static void one_that_others_took_at_that_moment_is_theirs(void **state) {
    (void)state;
    ops.rename = take_the_name;
    roll_it();
    assert_file(archive, "theirs");
    assert_file(beside, "a\nf");
}

static char away[sizeof archive + 8];

static int take_name_and_file(const struct files *files, const char *from, const char *to) {
    (void)files;
    assert_int_equal(rename(from, away), 0);
    put_file(to, "theirs");
    return -ENOENT;
}

static void what_has_the_name_when_the_file_is_gone_is_not_taken_for_it(void **state) {
    (void)state;
    snprintf(away, sizeof away, "%s.away", archive);
    ops.rename = take_name_and_file;
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    drain_all();
    assert_told("could not be rolled");
    assert_file(archive, "theirs");
    assert_file(away, "a\nf");
    assert_file(host.file, "b\n");
}

/* chattr +i, or -i. Whether the file system can. */
static int make_immutable(int is_immutable) {
    unsigned flags = 0; /* an int, whatever the name of the call says */
    const int file = open(host.file, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    int rc = ioctl(file, FS_IOC_GETFLAGS, &flags);
    flags = is_immutable ? flags | FS_IMMUTABLE_FL : flags & ~(unsigned)FS_IMMUTABLE_FL;
    rc = rc < 0 ? rc : ioctl(file, FS_IOC_SETFLAGS, &flags);
    close(file);
    return rc == 0;
}

/* For the time of the call alone: no test that ends early leaves a file that nobody can remove. */
static int rename_immutable(const struct files *files, const char *from, const char *to) {
    const int is_real = make_immutable(1);
    const int rc = is_real ? files_posix.ops->rename(files, from, to) : -EPERM;
    if (!is_real || !make_immutable(0)) {
        print_message("no file can be made immutable here: the rename was made to fail\n");
    }
    ops.rename = files_posix.ops->rename;
    return rc;
}

static int64_t write_immutable(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    (void)files, (void)file, (void)data, (void)bytes, (void)offset;
    return -EPERM;
}

static void a_file_that_is_made_immutable_before_its_rename_goes_on(void **state) {
    (void)state;
    append_text("a\n");
    drain_all();
    append_roll("f", "h", archive);
    ops.rename = rename_immutable;
    drain_all();
    assert_told("until the next roll: take back what forbids it (lsattr; or its folder is sticky and of another user)");
    append_text("b\n");
    ops.write = write_immutable;
    assert_int_equal(engine_step(host.engine, 1), -EPERM);
    assert_told("take back what forbids it (lsattr), or give this process the right to write it");
    ops.write = files_posix.ops->write;
    drain_all();
    assert_file(host.file, "a\nfb\n");
    append_roll("f", "h", archive);
    drain_all();
    assert_file(archive, "a\nfb\nf");
    assert_file(host.file, "h");
}

#define TAKEN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TAKEN_TEST(a_twin_of_any_kind_takes_the_name),
        TAKEN_TEST(nothing_but_an_empty_file_is_replaced),
        TAKEN_TEST(its_own_name_by_another_path_is_taken),
        TAKEN_TEST(a_rename_that_is_done_and_reports_an_error_is_no_second_one),
        TAKEN_TEST(one_that_others_took_at_that_moment_is_theirs),
        TAKEN_TEST(what_has_the_name_when_the_file_is_gone_is_not_taken_for_it),
        TAKEN_TEST(a_file_that_is_made_immutable_before_its_rename_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
