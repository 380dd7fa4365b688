/* SPDX-License-Identifier: Apache-2.0 */
/* The locks of writer and drain: who gets which byte, and what a death, a deletion or another user does to them. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "log_fixture.h"
#include "base/error.h"
#include "window/locks.h"

static const uint8_t uuid[16] = {0xab, 1, 2};
static struct ring_locks mine, others;

static int begin(void **state) {
    make_folder(state);
    assert_int_equal(locks_open(&mine, folder, uuid), 0);
    assert_int_equal(locks_open(&others, folder, uuid), 0);
    return 0;
}

static int end(void **state) {
    locks_close(&mine);
    locks_close(&others);
    return remove_folder(state);
}

static void each_byte_has_one_holder(void **state) {
    (void)state;
    for (enum locks_byte byte = 0; byte < LOCKS_BYTES; byte++) {
        assert_int_equal(locks_try(&mine, byte), 0);
        assert_true(locks_has(&mine, byte));
        assert_int_equal(locks_is_held(&others, byte), 1);
        assert_int_equal(locks_try(&others, byte), -EBUSY);
        assert_false(locks_has(&others, byte));
        for (enum locks_byte other = byte + 1; other < LOCKS_BYTES; other++) {
            assert_int_equal(locks_is_held(&others, other), 0);
        }
    }
    locks_let_go(&mine, LOCKS_DRAIN);
    assert_int_equal(locks_try(&others, LOCKS_DRAIN), 0);
    assert_int_equal(locks_try(&others, LOCKS_WRITER), -EBUSY);
    assert_int_equal(locks_is_held(&mine, LOCKS_DRAIN), 1);
}

static void ones_own_lock_is_not_anothers(void **state) {
    (void)state;
    assert_int_equal(locks_try(&mine, LOCKS_DRAIN), 0);
    assert_int_equal(locks_is_held(&mine, LOCKS_DRAIN), 0);
    assert_int_equal(locks_try(&mine, LOCKS_DRAIN), 0);
}

/* POSIX locks of a process go with any close of the file. */
static void a_close_elsewhere_in_the_process_loses_no_lock(void **state) {
    (void)state;
    assert_int_equal(locks_try(&mine, LOCKS_WRITER), 0);
    close(open(mine.path, O_RDONLY));
    assert_int_equal(locks_is_held(&others, LOCKS_WRITER), 1);
}

static void a_sentence_can_name_the_holder(void **state) {
    (void)state;
    char text[64], wanted[64];
    locks_holder(&others, LOCKS_DRAIN, text, sizeof text);
    assert_string_equal(text, "a process that cannot be named");
    assert_int_equal(locks_try(&mine, LOCKS_DRAIN), 0);
    locks_holder(&others, LOCKS_DRAIN, text, sizeof text);
    snprintf(wanted, sizeof wanted, "process %d", (int)getpid());
    assert_string_equal(text, wanted);
}

static void each_take_is_counted(void **state) {
    (void)state;
    assert_int_equal(locks_taken(&mine, LOCKS_WRITER), 0);
    assert_int_equal(locks_try(&others, LOCKS_WRITER), 0);
    assert_int_equal(locks_try(&mine, LOCKS_WRITER), -EBUSY);
    assert_int_equal(locks_taken(&mine, LOCKS_WRITER), 1);
    locks_let_go(&others, LOCKS_WRITER);
    assert_int_equal(locks_taken(&mine, LOCKS_WRITER), 1);
    assert_int_equal(locks_try(&mine, LOCKS_WRITER), 0);
    assert_int_equal(locks_taken(&others, LOCKS_WRITER), 2);
    assert_int_equal(locks_taken(&others, LOCKS_DRAIN), 0);
}

static void the_kernel_lets_go_of_a_dead_process_s_lock(void **state) {
    (void)state;
    int done[2];
    char byte;
    assert_int_equal(pipe(done), 0);
    locks_close(&mine); /* else the child has that open file, too */
    const pid_t child = fork();
    if (child == 0) {
        struct ring_locks own;
        const int rc = locks_open(&own, folder, uuid) == 0 && locks_try(&own, LOCKS_DRAIN) == 0;
        if (write(done[1], rc ? "1" : "0", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    assert_int_equal(read(done[0], &byte, 1), 1);
    assert_int_equal(byte, '1');
    assert_int_equal(locks_try(&others, LOCKS_DRAIN), -EBUSY);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(locks_try(&others, LOCKS_DRAIN), 0);
    close(done[0]);
    close(done[1]);
}

/* Those who come later meet in the file that has the name. */
static void a_deleted_file_is_not_locked_anew(void **state) {
    (void)state;
    assert_int_equal(unlink(mine.path), 0);
    assert_false(locks_is_named(&mine));
    assert_int_equal(locks_try(&mine, LOCKS_DRAIN), 0);
    assert_true(locks_is_named(&mine));
    assert_int_equal(locks_try(&others, LOCKS_DRAIN), -EBUSY);
}

static void a_lock_on_a_deleted_file_stays(void **state) {
    (void)state;
    assert_int_equal(locks_try(&mine, LOCKS_WRITER), 0);
    assert_int_equal(unlink(mine.path), 0);
    assert_int_equal(locks_try(&mine, LOCKS_DRAIN), 0);
    assert_int_equal(locks_is_held(&others, LOCKS_WRITER), 1);
    assert_int_equal(locks_is_held(&others, LOCKS_DRAIN), 1);
}

static void a_missing_file_is_made_by_those_alone_who_want_that(void **state) {
    (void)state;
    struct ring_locks found;
    struct stat status;
    static const uint8_t another[16] = {7};
    assert_int_equal(locks_find(&found, folder, another), -ENOENT);
    assert_int_equal(locks_find(&found, folder, uuid), 0);
    locks_close(&found);
    assert_int_equal(stat(mine.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_non_null(strstr(mine.path, "ab010200000000000000000000000000.locks"));
}

/* Another user's folder must not keep a log from its ring. */
static void a_folder_that_this_user_may_not_search_has_no_file(void **state) {
    (void)state;
    int status;
    if (geteuid() != 0) {
        print_message("SKIPPED: only root can become another user\n");
        skip();
    }
    assert_int_equal(chmod(folder, 0700), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct ring_locks found;
        _exit(setuid(65534) < 0 ? 2 : locks_find(&found, folder, uuid) == -ENOENT ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(folder, 0755), 0);
    const pid_t other = fork();
    if (other == 0) {
        struct ring_locks found;
        const int is_in_sight = setuid(65534) == 0 && access(folder, X_OK) == 0;
        _exit(locks_find(&found, folder, uuid) == (is_in_sight ? -EACCES : -ENOENT) ? 0 : 1);
    }
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
}

static void a_file_that_others_can_open_is_refused(void **state) {
    (void)state;
    struct ring_locks found;
    char link_path[sizeof found.path + 8];
    assert_int_equal(chmod(mine.path, 0640), 0);
    assert_int_equal(locks_open(&found, folder, uuid), -EPERM);
    assert_non_null(strstr(error_text(), "mode 0600"));
    assert_int_equal(chmod(mine.path, 0600), 0);
    snprintf(link_path, sizeof link_path, "%s.two", mine.path);
    assert_int_equal(link(mine.path, link_path), 0);
    assert_int_equal(locks_open(&found, folder, uuid), -EPERM);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(unlink(mine.path), 0);
    assert_int_equal(symlink("/dev/null", mine.path), 0);
    assert_int_equal(locks_open(&found, folder, uuid), -ELOOP);
}

/* Such a folder says that its group is both sides. */
static void a_folder_that_two_users_share_has_a_file_of_their_group(void **state) {
    (void)state;
    struct ring_locks found;
    struct stat status;
    locks_close(&mine);
    assert_int_equal(unlink(mine.path), 0);
    assert_int_equal(chmod(folder, 02770), 0);
    assert_int_equal(locks_open(&mine, folder, uuid), 0);
    assert_int_equal(stat(mine.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0660);
    assert_int_equal(locks_open(&found, folder, uuid), 0);
    locks_close(&found);
    assert_int_equal(chmod(folder, 02777), 0); /* anybody could have put it there */
    assert_int_equal(locks_open(&found, folder, uuid), -EPERM);
    assert_int_equal(chmod(folder, 02770) | chmod(mine.path, 0664), 0);
    assert_int_equal(locks_open(&found, folder, uuid), -EPERM);
}

#define LOCKED(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        LOCKED(each_byte_has_one_holder),
        LOCKED(ones_own_lock_is_not_anothers),
        LOCKED(a_close_elsewhere_in_the_process_loses_no_lock),
        LOCKED(a_sentence_can_name_the_holder),
        LOCKED(each_take_is_counted),
        LOCKED(the_kernel_lets_go_of_a_dead_process_s_lock),
        LOCKED(a_deleted_file_is_not_locked_anew),
        LOCKED(a_lock_on_a_deleted_file_stays),
        LOCKED(a_missing_file_is_made_by_those_alone_who_want_that),
        LOCKED(a_folder_that_this_user_may_not_search_has_no_file),
        LOCKED(a_file_that_others_can_open_is_refused),
        LOCKED(a_folder_that_two_users_share_has_a_file_of_their_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
