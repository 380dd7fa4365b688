/* SPDX-License-Identifier: Apache-2.0 */
/* Other processes rotate the log file while no log is open. The last writer died, and left records behind its last
 * checkpoint. All records read alike, and copies of the file lie beside it. */
#include "harness/rigs/rig.h"

#include <fcntl.h>

#include "outlet/file/fs.h"

static void shell(const char *format, ...) {
    char command[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void append_lines(burst_t *log, int count) {
    for (int i = 0; i < count; i++) {
        if (burst_append(log, "the same line\n", 14, 0) <= 0)
            _exit(1);
    }
}

static void live_and_die(int noted, int failed_checkpoints) {
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = small_config();
        config.drain_interval_ns = 3600 * SECOND_NS;
        burst_t *log = NULL;
        if (burst_open(&config, &log) < 0)
            _exit(1);
        append_lines(log, noted);
        if (burst_await_drained(log, PATIENCE_NS) != 1)
            _exit(1);
        append_lines(log, failed_checkpoints);
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Writes lines as a drain would that died before its checkpoint. */
static void put_lines(const char *path, int count) {
    shell("yes 'the same line' | head -%d >> %s", count, path);
}

static void assert_lines(const char *path, int count) {
    shell("test \"$(wc -l < %s)\" = %d && ! grep -vx 'the same line' %s", path, count, path);
}

static void a_file_behind_a_link_that_was_rotated_is_found_beside_copies_of_it(void **state) {
    (void)state;
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    assert_int_equal(symlink("../elsewhere/app.log", "plain/log"), 0);
    live_and_die(2, 3);
    shell("cd elsewhere && cp app.log app.log.0");
    put_lines("elsewhere/app.log", 1);
    shell("cd elsewhere && mv app.log app.log.1 && cp app.log.1 app.log.2 && head -1 app.log.1 > a");
    burst_t *log = open_small();
    close_drained(log);
    assert_told(log, "was renamed; what it lacks is added to it first");
    assert_lines("elsewhere/app.log.1", 5);
    assert_lines("elsewhere/app.log.0", 2);
    assert_lines("elsewhere/app.log.2", 3);
    assert_lines("elsewhere/a", 1);
}

static void a_rotation_of_a_closed_log_with_compress_is_told_with_the_records_that_may_be_twice(void **state) {
    (void)state;
    live_and_die(2, 3);
    put_lines("plain/log", 3);
    shell("gzip plain/log");
    burst_t *log = open_small();
    close_drained(log);
    assert_told(log, "is gone; records from 3 on go to a new file; records 3 to 5 may be twice");
    assert_lines("plain/log", 3);
}

static void a_rotation_of_a_closed_log_with_delaycompress_doubles_nothing(void **state) {
    (void)state;
    if (system("command -v logrotate >/dev/null 2>&1") != 0)
        SKIP_WITH("logrotate is not installed");
    shell(
        "chmod 755 plain && printf '%%s/plain/log {\n su root root\n rotate 50\n compress\n delaycompress\n create 0600 root "
        "root\n}\n' \"$PWD\" > rotate.conf");
    live_and_die(2, 3);
    put_lines("plain/log", 3);
    shell("logrotate -f -s rotate.state rotate.conf");
    burst_t *log = open_small();
    close_drained(log);
    assert_lines("plain/log.1", 5);
    assert_lines("plain/log", 0);
}

static void assert_locked(const int *locked, int count) {
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child == 0) {
            struct flock whole = {.l_type = F_WRLCK};
            _exit(fcntl(locked[i], F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK ? 0 : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        if (status != 0)
            fail_msg("the lock on file %d is gone", i);
    }
}

/* A database that keeps its files beside the log has such locks. */
static void locks_of_another_library_outlive_open_search_drain_and_close(void **state) {
    (void)state;
    static const char *const names[] = {"plain/a.db", "plain/log.db", "plain/z.db", "plain/ring.db"};
    const struct flock whole = {.l_type = F_WRLCK};
    int locked[4];
    live_and_die(2, 3);
    put_lines("plain/log", 2);
    for (int i = 0; i < 4; i++) {
        shell("cp plain/log %s && test %d = 1 || seq 9999 >> %s", names[i], i, names[i]);
        locked[i] = open(names[i], O_RDWR | O_CLOEXEC);
        assert_int_equal(fcntl(locked[i], F_SETLK, &whole), 0);
    }
    shell("mv plain/log plain/log.1");
    burst_t *log = open_small();
    drain_all(log);
    assert_locked(locked, 4);
    assert_lines("plain/log.1", 5);
    append_lines(log, 1);
    drain_all(log);
    shell("mv plain/log plain/log.2 && mv plain/z.db plain/log"); /* a foreign file takes the name */
    append_lines(log, 1);
    close_drained(log);
    assert_locked(locked, 4);
    live_and_die(0, 2);
    log = open_small();
    close_drained(log);
    assert_locked(locked, 4);
    for (int i = 0; i < 4; i++)
        close(locked[i]);
}

/* FUSE makes up the inode numbers at each mount. */
static void a_file_behind_fuse_is_known_by_its_name_and_its_bytes(void **state) {
    (void)state;
    struct file_mark mark;
    log_in("fuse");
    live_and_die(2, 3);
    put_lines("fuse/log", 2);
    assert_int_equal(files_posix.ops->mark_of_path(&files_posix, "fuse/log", &mark), 0);
    assert_int_equal(mark.handle_bytes, 0); /* nothing that would outlast a mount */
    assert_int_equal(mark.born_ns, 0);
    shell("for i in 1 2 3 4 5 6 7 8; do : > fuse/empty.$i; done");
    rig_end_faultfs(SIGTERM);
    rig_mount_faultfs();
    burst_t *log = open_small();
    close_drained(log);
    assert_lines("fuse/log", 5);
    shell("! test -s fuse/empty.1 && test $(cat fuse/empty.* | wc -c) = 0");
}

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_file_behind_a_link_that_was_rotated_is_found_beside_copies_of_it),
        RIG_TEST(a_rotation_of_a_closed_log_with_compress_is_told_with_the_records_that_may_be_twice),
        RIG_TEST(a_rotation_of_a_closed_log_with_delaycompress_doubles_nothing),
        RIG_TEST(locks_of_another_library_outlive_open_search_drain_and_close),
        RIG_TEST(a_file_behind_fuse_is_known_by_its_name_and_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
