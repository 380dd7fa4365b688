/* SPDX-License-Identifier: Apache-2.0 */
/* Two writers of a file keep each other out, and readers keep no writer out, whatever they lock and whenever. */
#include "device/lock.h"

#include "device/media.h"

#include <sys/file.h>
#include <sys/wait.h>

enum kind { RING, LOG_FILE, KINDS };
enum { READ_LOCK = 1, FLOCK = 2, FLOCK_SHARED = 4, ALL = 8 };

static int lock_as(enum kind kind, int fd) {
    return kind == RING ? lock_ring(fd) : lock_log_file(fd);
}

static int open_to_write(void) {
    const int fd = open(scratch_path("file"), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* A reader that locks whatever it can. */
static int reader_locks(int locks) {
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    const int fd = open(scratch_path("file"), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    if ((locks & READ_LOCK) != 0)
        fcntl(fd, F_OFD_SETLK, &whole); /* a writer may be faster */
    if ((locks & (FLOCK | FLOCK_SHARED)) != 0)
        flock(fd, ((locks & FLOCK) != 0 ? LOCK_EX : LOCK_SH) | LOCK_NB);
    return fd;
}

static const char *guard(void) {
    return scratch_path(".file.burstlog-lock");
}

static int make_the_file(void **state) {
    const int rc = make_scratch(state);
    make_file(scratch_path("file"), 100);
    return rc;
}

/* Readers come before the first writer, between the writers, and go at each of these times. */
static void readers_keep_no_writer_out_and_let_no_second_one_in(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int before = 0; before < ALL; before++) {
            for (int between = 0; between < ALL; between++) {
                for (int goes = 0; goes <= 1; goes++) {
                    const int early = reader_locks(before);
                    const int first = open_to_write(), second = open_to_write();
                    if (lock_as(kind, first) != 0)
                        fail_msg("kind %d: a reader with locks %d keeps a writer out", kind, before);
                    if (goes)
                        close(early);
                    const int late = reader_locks(between);
                    if (lock_as(kind, second) != -EBUSY)
                        fail_msg("kind %d: two writers, readers with locks %d and then %d, goes %d", kind, before,
                                 between, goes);
                    assert_int_equal(lock_is_held(late), 1);
                    assert_int_equal(lock_is_writers(late), 1);
                    lock_close(first);
                    lock_close(second);
                    const int third = open_to_write();
                    assert_int_equal(lock_as(kind, third), 0);
                    lock_close(third);
                    close(late);
                    if (!goes)
                        close(early);
                }
            }
        }
    }
}

static void a_writer_is_told_from_readers(void **state) {
    (void)state;
    const int reader = reader_locks(READ_LOCK | FLOCK), other = open_to_write();
    assert_int_equal(lock_is_held(other), 1);
    assert_int_equal(lock_is_writers(other), 0);
    close(reader);
    assert_int_equal(lock_is_held(other), 0);
    const int writer = open_to_write();
    assert_int_equal(lock_log_file(writer), 0);
    assert_int_equal(lock_is_writers(other), 1);
    assert_int_equal(access(guard(), F_OK), -1); /* nobody was in the way */
    lock_close(writer);
    close(other);
}

static void assert_told(int fd, const char *words) {
    char text[256];
    lock_tell_holders(fd, text, sizeof text);
    if (strstr(text, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, text);
}

static void a_writer_with_a_guard_is_named(void **state) {
    (void)state;
    char own[32];
    snprintf(own, sizeof own, "%d (", (int)getpid());
    const int reader = reader_locks(READ_LOCK), other = open_to_write(), writer = open_to_write();
    assert_told(other, "no process");
    assert_int_equal(lock_ring(writer), 0);
    assert_told(other, own);
    lock_close(writer);
    assert_told(other, "no process");
    close(reader);
    close(other);
}

static void a_writer_that_cannot_be_seen_is_not_taken_for_none(void **state) {
    (void)state;
    if (geteuid() != 0)
        SKIP_WITH("root, which becomes another user");
    const int writer = open_to_write(), other = open_to_write();
    assert_int_equal(lock_ring(writer), 0);
    const pid_t child = fork();
    if (child == 0) {
        char text[256];
        close(writer);
        if (setgid(65534) < 0 || setuid(65534) < 0)
            _exit(2);
        lock_tell_holders(other, text, sizeof text);
        _exit(strstr(text, "unknown") != NULL ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    lock_close(writer);
    close(other);
}

static void a_guard_that_readers_could_open_is_not_used(void **state) {
    (void)state;
    const int reader = reader_locks(READ_LOCK | FLOCK), writer = open_to_write();
    assert_int_equal(close(open(guard(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)), 0);
    assert_int_equal(chmod(guard(), 0644), 0);
    assert_int_equal(lock_ring(writer), -EBUSY);
    assert_int_equal(lock_log_file(writer), -EBUSY);
    assert_int_equal(unlink(guard()), 0);
    assert_int_equal(symlink("file", guard()), 0);
    assert_int_equal(lock_ring(writer), -EBUSY);
    assert_int_equal(unlink(guard()), 0);
    assert_int_equal(lock_ring(writer), 0);
    lock_close(writer);
    close(reader);
}

/* The guard is known by the name. */
static void a_ring_of_two_names_has_one_writer_beside_readers(void **state) {
    (void)state;
    const int reader = reader_locks(READ_LOCK), first = open_to_write();
    assert_int_equal(lock_ring(first), 0);
    assert_int_equal(link(scratch_path("file"), scratch_path("other")), 0);
    const int second = open(scratch_path("other"), O_RDWR | O_CLOEXEC);
    assert_true(second >= 0);
    assert_int_equal(lock_ring(second), -EBUSY);
    lock_close(first);
    assert_int_equal(lock_ring(second), -EBUSY); /* whoever comes by the other name next could not tell */
    close(reader);
    assert_int_equal(lock_ring(second), 0);
    lock_close(second);
}

/* Each name has a guard of its own, and the reader that kept the first writer from one of the locks may have gone. */
static void a_log_file_of_two_names_has_one_writer(void **state) {
    (void)state;
    const int locks[] = {READ_LOCK, FLOCK, READ_LOCK | FLOCK};
    for (int i = 0; i < 6; i++) {
        const int reader = reader_locks(locks[i / 2]), first = open_to_write();
        assert_int_equal(lock_log_file(first), 0);
        if (i % 2 == 1)
            close(reader);
        assert_int_equal(link(scratch_path("file"), scratch_path("other")), 0);
        const int second = open(scratch_path("other"), O_RDWR | O_CLOEXEC);
        assert_true(second >= 0);
        if (lock_log_file(second) != -EBUSY)
            fail_msg("two writers beside a reader with locks %d, goes %d", locks[i / 2], i % 2);
        lock_close(first);
        if (i % 2 == 0)
            close(reader);
        close(second);
        assert_int_equal(unlink(scratch_path("other")), 0);
    }
}

/* The second one may not even look at the guard. */
static void a_log_file_of_two_users_has_one_writer(void **state) {
    (void)state;
    if (geteuid() != 0)
        SKIP_WITH("root, which becomes another user");
    const int reader = reader_locks(FLOCK), first = open_to_write();
    assert_int_equal(lock_log_file(first), 0);
    close(reader);
    const int second = open_to_write();
    const pid_t child = fork();
    if (child == 0)
        _exit(setgid(65534) == 0 && setuid(65534) == 0 && lock_log_file(second) == -EBUSY ? 0 : 1);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    lock_close(first);
    close(second);
}

/* No guard can be made there: then a flock of one's own has to do, as before. */
static void a_log_file_in_a_folder_that_cannot_be_written_is_locked_by_flock(void **state) {
    (void)state;
    if (geteuid() != 0)
        SKIP_WITH("root, which becomes another user");
    const int reader = reader_locks(READ_LOCK), first = open_to_write(), second = open_to_write();
    const pid_t child = fork();
    if (child == 0) {
        const int is_right = setgid(65534) == 0 && setuid(65534) == 0 && lock_log_file(first) == 0 &&
                             lock_log_file(second) == -EBUSY && lock_ring(second) == -EBUSY;
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(first);
    close(second);
    close(reader);
}

#define LOCK_TEST(name) cmocka_unit_test_setup_teardown(name, make_the_file, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        LOCK_TEST(readers_keep_no_writer_out_and_let_no_second_one_in),
        LOCK_TEST(a_writer_is_told_from_readers),
        LOCK_TEST(a_writer_with_a_guard_is_named),
        LOCK_TEST(a_writer_that_cannot_be_seen_is_not_taken_for_none),
        LOCK_TEST(a_guard_that_readers_could_open_is_not_used),
        LOCK_TEST(a_ring_of_two_names_has_one_writer_beside_readers),
        LOCK_TEST(a_log_file_of_two_names_has_one_writer),
        LOCK_TEST(a_log_file_of_two_users_has_one_writer),
        LOCK_TEST(a_log_file_in_a_folder_that_cannot_be_written_is_locked_by_flock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
