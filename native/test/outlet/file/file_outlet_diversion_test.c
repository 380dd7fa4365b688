/* SPDX-License-Identifier: Apache-2.0 */
/* A log that was diverted to <file name>.burst-<first sequence>, and its way back. */
#include "text_log.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char *named(const char *suffix) {
    static char paths[4][sizeof host.file + 32];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s%s", host.file, suffix);
    return path;
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* `cp log log.1; : > log` beside a writer. */
static void divert(void) {
    open_ring();
    append_text("first\n");
    drain_all();
    assert_int_equal(truncate(host.file, 0), 0);
    append_text("second\n");
    drain_all();
    assert_file(named(".burst-2"), "second\n");
    assert_file(host.file, "");
}

static void assert_log_is(const char *path, const char *wanted) {
    char current[LAYOUT_FILE_NAME_BYTES];
    drain_all();
    drain_copy_path(host.engine->drainer.drain, 0, current, sizeof current);
    assert_string_equal(current, path);
    assert_file(path, wanted);
}

static void the_next_open_goes_back_to_an_empty_file(void **state) {
    (void)state;
    divert();
    assert_told("go to log file ");
    close_ring();
    open_ring();
    assert_told("records from 3 on go to log file ");
    append_text("third\n");
    assert_log_is(host.file, "third\n");
    close_ring();
    open_ring();
    append_text("fourth\n");
    assert_log_is(host.file, "third\nfourth\n");
    assert_file(named(".burst-2"), "second\n");
}

static void the_next_open_goes_back_to_a_missing_file(void **state) {
    (void)state;
    divert();
    close_ring();
    assert_int_equal(unlink(host.file), 0);
    open_ring();
    assert_int_equal(assert_told(" again; those before are in "), EVENT_WARN); /* as its beginning */
    append_text("third\n");
    assert_log_is(host.file, "third\n");
}

static void as_long_as_the_name_is_taken_every_open_says_where_the_records_go(void **state) {
    (void)state;
    divert();
    put_file(host.file, "of others\n");
    for (int open = 0; open < 3; open++) {
        close_ring();
        host.events.first = host.events.end;
        open_ring();
        assert_told("records from 2 on go to log file ");
        append_text("more\n");
        drain_all();
    }
    assert_log_is(named(".burst-2"), "second\nmore\nmore\nmore\n");
    assert_file(host.file, "of others\n");
    assert_int_equal(unlink(host.file), 0);
    close_ring();
    open_ring();
    append_text("fifth\n");
    assert_log_is(host.file, "fifth\n");
}

static void a_diverted_file_that_is_renamed_away_ends_the_diversion(void **state) {
    (void)state;
    divert();
    assert_int_equal(rename(named(".burst-2"), named(".rotated")), 0);
    append_text("third\n");
    assert_log_is(host.file, "third\n");
    assert_file(named(".rotated"), "second\n");
    assert_false(exists(named(".burst-2")));
}

static void so_does_one_that_is_deleted_cut_or_extended(void **state) {
    (void)state;
    for (int change = 0; change < 3; change++) {
        divert();
        if (change == 0) {
            assert_int_equal(unlink(named(".burst-2")), 0);
        } else if (change == 1) {
            assert_int_equal(truncate(named(".burst-2"), 1), 0);
        } else {
            put_file(named(".burst-2"), "second\nof others\n");
        }
        append_text("third\n");
        assert_log_is(host.file, "third\n");
        remove_folder(NULL);
        format_ring(NULL);
    }
}

static int failing_sync(const struct files *files, int file) {
    (void)files, (void)file;
    ops.sync = files_posix.ops->sync;
    return -EIO;
}

static void so_does_one_that_cannot_be_synced(void **state) {
    (void)state;
    divert();
    append_text("third\n");
    own_ops()->sync = failing_sync;
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    assert_log_is(host.file, "third\n");
    assert_file(named(".burst-2"), "second\n");
}

static void one_that_is_renamed_while_its_name_is_taken_is_followed_by_another(void **state) {
    (void)state;
    divert();
    put_file(host.file, "of others\n");
    assert_int_equal(rename(named(".burst-2"), named(".rotated")), 0);
    append_text("third\n");
    assert_log_is(named(".burst-3"), "third\n");
    assert_told("records from 3 on go to log file ");
    close_ring();
    assert_int_equal(rename(named(".burst-3"), named(".rotated.2")), 0);
    open_ring();
    append_text("fourth\n");
    assert_log_is(named(".burst-4"), "fourth\n");
}

/* An operator renames the diverted file to have all records in one file. */
static void a_diverted_file_that_gets_the_name_is_the_log_file(void **state) {
    (void)state;
    for (int is_open = 0; is_open < 2; is_open++) {
        divert();
        if (!is_open) {
            close_ring();
        }
        assert_int_equal(rename(named(".burst-2"), host.file), 0);
        if (!is_open) {
            open_ring();
        }
        append_text("third\n");
        assert_log_is(host.file, "second\nthird\n");
        close_ring();
        open_ring();
        append_text("fourth\n");
        assert_log_is(host.file, "second\nthird\nfourth\n");
        remove_folder(NULL);
        format_ring(NULL);
    }
}

static void an_empty_file_that_others_hold_is_not_taken(void **state) {
    (void)state;
    divert();
    close_ring();
    const int held = open(host.file, O_RDWR | O_CLOEXEC);
    assert_int_equal(files_posix.ops->lock(&files_posix, held), 0);
    open_ring();
    assert_told("which is held by another writer");
    append_text("third\n");
    assert_log_is(named(".burst-2"), "second\nthird\n");
    close(held);
    close_ring();
    open_ring();
    append_text("fourth\n");
    assert_log_is(host.file, "fourth\n");
}

static void a_link_to_another_folder_is_followed_to_an_empty_file_only(void **state) {
    char elsewhere[sizeof host.file];
    (void)state;
    divert();
    close_ring();
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", host.folder);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(unlink(host.file), 0);
    assert_int_equal(symlink("elsewhere/log", host.file), 0);
    open_ring();
    assert_told("leads to another folder, and is missing there");
    append_text("third\n");
    assert_log_is(named(".burst-2"), "second\nthird\n");
    close_ring();
    strcat(elsewhere, "/log");
    assert_false(exists(elsewhere));
    put_file(elsewhere, "");
    open_ring();
    append_text("fourth\n");
    assert_log_is(host.file, "fourth\n");
    assert_file(elsewhere, "fourth\n");
}

/* Half of a record is in it, and the rest in the ring. */
static int64_t full_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    (void)files, (void)file, (void)data, (void)bytes, (void)offset;
    return -ENOSPC;
}

static int64_t short_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    (void)bytes;
    ops.write = full_write;
    return files_posix.ops->write(files, file, data, 3, offset);
}

static void the_diverted_file_gets_all_its_records_first(void **state) {
    (void)state;
    divert();
    append_text("third\n");
    own_ops()->write = short_write;
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    close_ring();
    open_ring();
    assert_told("records from 2 on go to log file "); /* it takes no more: the log stays there */
    assert_file(host.file, "");
    host.files = files_posix;
    append_text("fourth\n");
    assert_log_is(named(".burst-2"), "second\nthird\nfourth\n");
    append_text("fifth\n");
    own_ops()->write = short_write;
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    close_ring();
    host.files = files_posix;
    open_ring();
    assert_file(named(".burst-2"), "second\nthird\nfourth\nfifth\n");
    append_text("sixth\n");
    assert_log_is(host.file, "sixth\n");
}

static int empty_syncs, empty_sync_fails;

static int sync_of_an_empty_file(const struct files *files, int file) {
    struct stat status;
    const int is_empty = fstat(file, &status) == 0 && status.st_size == 0;
    empty_syncs += is_empty;
    return is_empty && empty_sync_fails ? -EIO : files_posix.ops->sync(files, file);
}

static void a_file_that_cannot_be_synced_empty_is_not_taken(void **state) {
    (void)state;
    divert();
    close_ring();
    empty_sync_fails = 1;
    own_ops()->sync = sync_of_an_empty_file;
    open_ring();
    assert_told("which cannot be used: EIO");
    append_text("third\n");
    assert_log_is(named(".burst-2"), "second\nthird\n");
}

static void that_it_is_empty_is_durable_before_a_checkpoint_names_it(void **state) {
    (void)state;
    divert();
    close_ring();
    empty_syncs = empty_sync_fails = 0;
    own_ops()->sync = sync_of_an_empty_file;
    open_ring();
    assert_int_equal(empty_syncs, 1);
    assert_int_equal(checkpoint(0)->stream.diverted_sequence, 0);
    assert_int_equal(checkpoint(1)->stream.diverted_sequence, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(the_next_open_goes_back_to_an_empty_file),
        RING_TEST(the_next_open_goes_back_to_a_missing_file),
        RING_TEST(as_long_as_the_name_is_taken_every_open_says_where_the_records_go),
        RING_TEST(a_diverted_file_that_is_renamed_away_ends_the_diversion),
        RING_TEST(so_does_one_that_is_deleted_cut_or_extended),
        RING_TEST(so_does_one_that_cannot_be_synced),
        RING_TEST(one_that_is_renamed_while_its_name_is_taken_is_followed_by_another),
        RING_TEST(a_diverted_file_that_gets_the_name_is_the_log_file),
        RING_TEST(an_empty_file_that_others_hold_is_not_taken),
        RING_TEST(a_link_to_another_folder_is_followed_to_an_empty_file_only),
        RING_TEST(the_diverted_file_gets_all_its_records_first),
        RING_TEST(a_file_that_cannot_be_synced_empty_is_not_taken),
        RING_TEST(that_it_is_empty_is_durable_before_a_checkpoint_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
