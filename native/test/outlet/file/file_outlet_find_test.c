/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the log file again: which is ours, which is not, and what cannot be said now. */
#include "text_log.h"

#include <sys/stat.h>

static char moved[sizeof host.file + 8];

static void move_file(void) {
    snprintf(moved, sizeof moved, "%s.old", host.file);
    assert_int_equal(rename(host.file, moved), 0);
}

/* A record of two lines in the file, of which the newest checkpoint knows nothing. */
static void write_without_checkpoint(void) {
    open_ring();
    engine_step(host.engine, 1); /* past the marker: a sync is not due yet */
    append_text("first\nsecond\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_file(host.file, "first\nsecond\n");
    close_ring();
    assert_int_equal(checkpoint(0)->stream.length, 0);
    assert_int_equal(checkpoint(1)->stream.length, 0);
}

static void assert_found_renamed(void) {
    open_ring();
    append_text("third\n");
    drain_all();
    assert_file(moved, "first\nsecond\nthird\n");
    append_text("fourth\n");
    drain_all();
}

static void a_file_renamed_before_its_first_checkpoint_is_found(void **state) {
    (void)state;
    write_without_checkpoint();
    move_file();
    assert_found_renamed();
    assert_file(host.file, "fourth\n");
}

static void also_where_an_empty_file_has_taken_its_name(void **state) {
    (void)state;
    write_without_checkpoint();
    move_file();
    put_file(host.file, "");
    assert_found_renamed();
    assert_file(host.file, "fourth\n");
}

static void also_where_a_file_of_others_has_taken_its_name(void **state) {
    (void)state;
    write_without_checkpoint();
    move_file();
    put_file(host.file, "of others\n");
    assert_found_renamed();
    assert_file(host.file, "of others\n");
}

static void a_file_that_was_begun_anew_and_renamed_is_found(void **state) {
    (void)state;
    open_ring();
    append_text("zeroth\n");
    drain_all();
    move_file();
    append_text("first\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_file(host.file, "first\n");
    close_ring();
    char second[sizeof moved + 2];
    snprintf(second, sizeof second, "%s.2", moved);
    assert_int_equal(rename(host.file, second), 0);
    open_ring();
    append_text("second\n");
    drain_all();
    assert_file(moved, "zeroth\n");
    assert_file(second, "first\nsecond\n");
}

static int hides_its_name_once(const struct files *files, const char *path) {
    ops.open = files_posix.ops->open;
    (void)files;
    (void)path;
    return -ENOENT;
}

static void a_file_whose_name_is_hidden_for_a_moment_is_found_in_its_folder(void **state) {
    (void)state;
    write_without_checkpoint();
    own_ops()->open = hides_its_name_once;
    open_ring();
    drain_all();
    assert_file(host.file, "first\nsecond\n");
    close_ring();
    own_ops()->open = hides_its_name_once;
    open_ring();
    append_text("third\n");
    drain_all();
    assert_file(host.file, "first\nsecond\nthird\n");
}

/* Were it taken for ours, its two records were lost under the redo. */
static void an_older_file_of_the_same_line_over_and_over_is_not_written_to(void **state) {
    (void)state;
    snprintf(moved, sizeof moved, "%s.old", host.file);
    open_ring();
    for (int i = 0; i < 4; i++) {
        append_text("tick\n");
    }
    close_ring();
    put_file(moved, "tick\ntick\n");
    open_ring();
    drain_all();
    assert_file(moved, "tick\ntick\n");
    assert_file(host.file, "tick\ntick\ntick\ntick\n");
}

static void a_file_with_one_foreign_byte_is_not_ours(void **state) {
    (void)state;
    write_without_checkpoint();
    move_file();
    put_file(moved, "first\nsecoNd\n");
    open_ring();
    drain_all();
    assert_file(moved, "first\nsecoNd\n");
    assert_file(host.file, "first\nsecond\n");
}

/* One record in the file and checkpointed, one only in the file; then it is renamed. */
static void rename_with_a_checkpoint(void) {
    open_ring();
    append_text("first\n");
    drain_all();
    append_text("second\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
    move_file();
}

static int refusals; /* still to come, of operations on the renamed file */
static int refusal;

static int is_refused(const char *path) {
    return strcmp(path, moved) == 0 && refusals > 0 && refusals-- > 0;
}

static int refuse_to_open(const struct files *files, const char *path) {
    return is_refused(path) ? refusal : files_posix.ops->open(files, path);
}

static void refuse_moved(int rc, int times) {
    refusal = rc;
    refusals = times;
    own_ops()->open = refuse_to_open;
}

static void assert_redone(void) {
    host.files = files_posix;
    open_ring();
    drain_all();
    assert_file(moved, "first\nsecond\n");
    assert_int_equal(access(host.file, F_OK), -1);
}

/* Both looks of an open meet the error. */
static void what_may_be_the_file_and_cannot_be_opened_now_is_waited_for(void **state) {
    static const int passing[] = {EIO, ESTALE, ENOTCONN, EROFS, ENOMEM, EMFILE, ENFILE, ENOLCK, EINTR, ETIMEDOUT, 4000};
    (void)state;
    rename_with_a_checkpoint();
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
        refuse_moved(-passing[i], 2);
        assert_int_equal(try_to_open(), -passing[i]);
        assert_non_null(strstr(error_text(), "log.old, which may be it, cannot be read: "));
        assert_int_equal(refusals, 0);
    }
    assert_redone();
}

static void what_cannot_be_opened_for_good_keeps_no_ring_closed(void **state) {
    static const int lasting[] = {EACCES, EPERM,        EBUSY,  ETXTBSY, ENOENT, ENOTDIR,
                                  ELOOP,  ENAMETOOLONG, EISDIR, EINVAL,  ENXIO};
    (void)state;
    for (size_t i = 0; i < sizeof lasting / sizeof lasting[0]; i++) {
        if (i > 0) {
            remove_folder(NULL);
            format_ring(NULL);
        }
        rename_with_a_checkpoint();
        refuse_moved(-lasting[i], 1000);
        open_ring();
        drain_all();
        assert_file(host.file, "second\n");
        if (i < 4) {
            assert_told("log.old cannot be opened (E");
        }
    }
}

static void a_door_that_was_closed_for_a_moment_is_tried_twice(void **state) {
    static const int any[] = {EBUSY, ENOENT, EIO};
    (void)state;
    rename_with_a_checkpoint();
    for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) {
        refuse_moved(-any[i], 1);
        open_ring();
        assert_int_equal(refusals, 0);
        close_ring();
    }
    assert_redone();
}

static int listing;

static int refuse_to_list(const struct files *files, const char *path, int (*each)(void *argument, const char *name),
                          void *argument) {
    (void)files, (void)path, (void)each, (void)argument;
    return listing;
}

static void a_folder_that_is_there_and_cannot_be_listed_now_is_waited_for(void **state) {
    static const int passing[] = {EIO, ENOMEM, EMFILE, ENOENT};
    (void)state;
    rename_with_a_checkpoint();
    own_ops()->list_siblings = refuse_to_list;
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
        listing = -passing[i];
        assert_int_equal(try_to_open(), listing);
        assert_non_null(strstr(error_text(), "/, which may be it, cannot be read: "));
    }
    assert_redone();
}

static void a_folder_that_may_not_be_listed_keeps_no_ring_closed(void **state) {
    (void)state;
    rename_with_a_checkpoint();
    own_ops()->list_siblings = refuse_to_list;
    listing = -EACCES;
    open_ring();
    drain_all();
    assert_file(host.file, "second\n");
    assert_told("/ cannot be opened (EACCES");
}

static int64_t read_nothing(const struct files *files, int file, void *data, size_t bytes, uint64_t offset) {
    (void)files, (void)file, (void)data, (void)bytes, (void)offset;
    return 0;
}

static void a_read_that_stops_short_says_nothing_about_whose_file_it_is(void **state) {
    (void)state;
    rename_with_a_checkpoint();
    own_ops()->read = read_nothing;
    assert_int_equal(try_to_open(), -EIO);
    assert_redone();
    close_ring();
    assert_int_equal(rename(moved, host.file), 0);
    own_ops()->read = read_nothing;
    assert_int_equal(try_to_open(), -EIO);
    host.files = files_posix;
    open_ring();
    assert_file(host.file, "first\nsecond\n");
}

static uint64_t readable_until;

static int64_t read_beginning(const struct files *files, int file, void *data, size_t bytes, uint64_t offset) {
    return offset < readable_until
               ? files_posix.ops->read(files, file, data,
                                       readable_until - offset < bytes ? readable_until - offset : bytes, offset)
               : 0;
}

/* Others' bytes stand behind the checkpoint. If they cannot be read, the redo must not overwrite them. */
static void bytes_that_cannot_be_read_are_not_overwritten(void **state) {
    (void)state;
    open_ring();
    append_text("first\n");
    drain_all();
    append_text("second\n");
    close_ring();
    put_file(host.file, "first\nothers\n");
    readable_until = 6;
    own_ops()->read = read_beginning;
    assert_int_equal(try_to_open(), -EIO);
    host.files = files_posix;
    open_ring();
    drain_all();
    assert_file(host.file, "first\nothers\n");
}

static int locks, held; /* taken; refused before the first is given */

static int lock_later(const struct files *files, int file) {
    if (held > 0) {
        held--;
        return -EBUSY;
    }
    locks++;
    return files_posix.ops->lock(files, file);
}

static void hold_for(int attempts) {
    locks = 0, held = attempts;
    own_ops()->lock = lock_later;
}

static void a_lock_that_others_hold_for_a_moment_is_waited_for(void **state) {
    (void)state;
    put_file(host.file, "of before\n");
    hold_for(3);
    open_ring();
    assert_int_equal(held, 0);
    append_text("first\n");
    drain_all();
    close_ring();
    hold_for(3);
    open_ring();
    assert_int_equal(held, 0);
    append_text("second\n");
    drain_all();
    assert_file(host.file, "of before\nfirst\nsecond\n");
}

static void a_lock_that_stays_held_refuses_the_open(void **state) {
    (void)state;
    hold_for(1000000);
    put_file(host.file, "");
    assert_int_equal(try_to_open(), -EBUSY);
    assert_non_null(strstr(error_text(), "is held by another writer"));
    assert_true(held < 1000000 - 2);
}

/* Its writer may come for it at this moment, and would be refused. */
static void the_search_locks_no_file_of_others(void **state) {
    static const char *const others[] = {"a", "b", "z"};
    char path[sizeof host.file + 4];
    (void)state;
    for (int with_checkpoint = 0; with_checkpoint < 2; with_checkpoint++) {
        if (with_checkpoint) {
            rename_with_a_checkpoint();
        } else {
            write_without_checkpoint();
            move_file();
        }
        for (int i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s.%s", host.file, others[i]);
            put_file(path, "as long as it\nbut of others\n");
        }
        hold_for(0);
        open_ring();
        assert_int_equal(locks, 1);
        drain_all();
        assert_file(moved, "first\nsecond\n");
        remove_folder(NULL);
        format_ring(NULL);
    }
}

static int create_held(const struct files *files, const char *path, const struct new_file *new_file) {
    (void)files, (void)path, (void)new_file;
    return -EBUSY;
}

static int extend_and_lock(const struct files *files, int file) {
    FILE *log = fopen(moved, "a");
    fputs("others\n", log);
    fclose(log);
    return files_posix.ops->lock(files, file);
}

static void what_others_write_until_it_is_locked_is_not_overwritten(void **state) {
    (void)state;
    write_without_checkpoint();
    move_file();
    own_ops()->lock = extend_and_lock;
    open_ring();
    host.files = files_posix;
    drain_all();
    assert_file(moved, "first\nsecond\nothers\n");
    assert_file(host.file, "first\nsecond\n");
}

static void a_renamed_file_that_others_hold_for_a_moment_is_waited_for(void **state) {
    (void)state;
    rename_with_a_checkpoint();
    hold_for(7);
    open_ring();
    assert_int_equal(held, 0);
    drain_all();
    assert_file(moved, "first\nsecond\n");
}

static void one_that_they_keep_is_passed_over_and_told(void **state) {
    (void)state;
    rename_with_a_checkpoint();
    hold_for(1000000);
    ops.create = create_held;
    assert_int_equal(try_to_open(), -EBUSY); /* and the new one, too */
    ops.create = files_posix.ops->create;
    open_ring();
    drain_all();
    assert_told("log.old cannot be opened (EBUSY");
    assert_file(moved, "first\nsecond\n");
    assert_file(host.file, "second\n");
}

static int open_read_only(const struct files *files, const char *path) {
    (void)files, (void)path;
    return -EROFS;
}

static void a_read_only_file_system_is_not_called_unreadable(void **state) {
    (void)state;
    open_ring();
    close_ring();
    own_ops()->open = open_read_only;
    assert_int_equal(try_to_open(), -EROFS);
    assert_null(strstr(error_text(), "readable"));
    assert_non_null(strstr(error_text(), "mend its file system"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_file_renamed_before_its_first_checkpoint_is_found),
        RING_TEST(also_where_an_empty_file_has_taken_its_name),
        RING_TEST(also_where_a_file_of_others_has_taken_its_name),
        RING_TEST(a_file_that_was_begun_anew_and_renamed_is_found),
        RING_TEST(a_file_whose_name_is_hidden_for_a_moment_is_found_in_its_folder),
        RING_TEST(an_older_file_of_the_same_line_over_and_over_is_not_written_to),
        RING_TEST(a_file_with_one_foreign_byte_is_not_ours),
        RING_TEST(what_may_be_the_file_and_cannot_be_opened_now_is_waited_for),
        RING_TEST(what_cannot_be_opened_for_good_keeps_no_ring_closed),
        RING_TEST(a_door_that_was_closed_for_a_moment_is_tried_twice),
        RING_TEST(a_folder_that_is_there_and_cannot_be_listed_now_is_waited_for),
        RING_TEST(a_folder_that_may_not_be_listed_keeps_no_ring_closed),
        RING_TEST(a_read_that_stops_short_says_nothing_about_whose_file_it_is),
        RING_TEST(bytes_that_cannot_be_read_are_not_overwritten),
        RING_TEST(a_lock_that_others_hold_for_a_moment_is_waited_for),
        RING_TEST(a_lock_that_stays_held_refuses_the_open),
        RING_TEST(the_search_locks_no_file_of_others),
        RING_TEST(what_others_write_until_it_is_locked_is_not_overwritten),
        RING_TEST(a_renamed_file_that_others_hold_for_a_moment_is_waited_for),
        RING_TEST(one_that_they_keep_is_passed_over_and_told),
        RING_TEST(a_read_only_file_system_is_not_called_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
