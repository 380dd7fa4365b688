/* SPDX-License-Identifier: Apache-2.0 */
/* The log file when its writes or syncs fail. */
#include "text_log.h"

static int others_write;

static int failing_sync(const struct files *files, int file) {
    (void)files, (void)file;
    if (others_write) {
        FILE *log = fopen(host.file, "a");
        fputs("of others\n", log);
        fclose(log);
    }
    ops.sync = files_posix.ops->sync;
    return -EIO;
}

/* Bytes that were written since the last sync may be gone after this. */
static void fail_next_sync(void) {
    own_ops()->sync = failing_sync;
}

static int64_t full_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    (void)files, (void)file, (void)data, (void)bytes, (void)offset;
    return -ENOSPC;
}

static int64_t short_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    (void)bytes;
    ops.write = full_write;
    return files_posix.ops->write(files, file, data, 3, offset);
}

/* The next write of the log file takes 3 bytes; then the disk is full until space_is_back(). */
static void fill_disk(void) {
    own_ops()->write = short_write;
}

static void space_is_back(void) {
    host.files = files_posix;
}

static void write_until_a_sync_fails(void) {
    open_ring();
    append_text("first\n");
    assert_int_equal(engine_step(host.engine, 1), 1);
    append_text("second\n");
    fail_next_sync();
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    assert_int_equal(engine_step(host.engine, 1), 1);
}

static const char *diverted(void) {
    static char path[sizeof host.file + 8];
    snprintf(path, sizeof path, "%s.burst-2", host.file);
    return path;
}

static void a_file_whose_sync_failed_is_cut_and_its_records_go_to_a_new_one(void **state) {
    (void)state;
    others_write = 0;
    write_until_a_sync_fails();
    assert_file(host.file, "first\n");
    assert_file(diverted(), "second\n");
}

static void a_new_log_file_never_takes_a_name_that_has_content(void **state) {
    (void)state;
    others_write = 0;
    char next[sizeof host.file + 16];
    FILE *taken = fopen(diverted(), "w");
    assert_non_null(taken);
    fputs("of others\n", taken);
    fclose(taken);
    write_until_a_sync_fails();
    assert_file(diverted(), "of others\n");
    snprintf(next, sizeof next, "%s.1", diverted());
    assert_file(next, "second\n");
}

static void what_others_wrote_behind_it_is_not_cut(void **state) {
    (void)state;
    others_write = 1;
    write_until_a_sync_fails();
    assert_file(host.file, "first\nsecond\nof others\n");
    assert_file(diverted(), "second\n");
}

static void a_batch_that_stalled_in_a_file_that_others_extended_goes_to_a_new_one(void **state) {
    (void)state;
    open_ring();
    append_text("first\n");
    assert_int_equal(engine_step(host.engine, 1), 1);
    append_text("second\n");
    fill_disk();
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    FILE *log = fopen(host.file, "a");
    assert_non_null(log);
    fputs("of others\n", log);
    fclose(log);
    space_is_back();
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_file(host.file, "first\nsecof others\n");
    assert_file(diverted(), "second\n");
    assert_told("and records from 2 on may be in both");
}

static void a_batch_that_stalled_goes_on_where_it_stopped(void **state) {
    (void)state;
    open_ring();
    append_text("first\n");
    fill_disk();
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    assert_file(host.file, "fir");
    space_is_back();
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_file(host.file, "first\n");
}

static int sync_attempts;

static int never_syncing(const struct files *files, int file) {
    (void)files, (void)file;
    sync_attempts++;
    return -EIO;
}

/* A caller that awaits records asks for a sync whenever it is woken. If each change of file woke it, caller and drain would
 * keep each other running. */
static void a_file_that_is_never_synced_is_tried_once_a_step_and_wakes_nobody_who_awaits_its_records(void **state) {
    (void)state;
    open_ring();
    append_text("first\n");
    ops = *files_posix.ops;
    ops.sync = never_syncing;
    host.files.ops = &ops;
    struct event_count *drained = &host.engine->keeper.drained;
    const uint32_t ticket = event_count_register(drained);
    for (int step = 1; step <= 5; step++) {
        sync_attempts = 0;
        assert_int_equal(engine_step(host.engine, 1), -EIO);
        /* That of the records, that of the cut, and, once it was left, that of the empty file under the name. */
        assert_int_equal(sync_attempts, step <= 2 ? 2 : 3);
        assert_int_equal(atomic_load(&drained->count), ticket);
    }
    host.files = files_posix;
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_int_not_equal(atomic_load(&drained->count), ticket);
    event_count_leave(drained);
}

static void assert_last_told(const char *words) {
    struct event event;
    while (events_take(&host.events, &event, 0) == 1) {
    }
    if (strstr(event.text, words) == NULL) {
        fail_msg("\"%s\" does not say: %s", event.text, words);
    }
    assert_int_equal(event.severity, EVENT_ERROR); /* as its beginning */
}

static void the_end_of_a_stall_names_the_file_that_is_written_now(void **state) {
    (void)state;
    char words[sizeof host.file * 2 + 64];
    open_ring();
    append_text("first\n");
    fill_disk();
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    space_is_back();
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_last_told("log is being written again");
    append_text("second\n");
    others_write = 0;
    fail_next_sync();
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    assert_int_equal(engine_step(host.engine, 1), 1);
    snprintf(words, sizeof words, "log file %s is being written, in the place of %s", diverted(), host.file);
    assert_last_told(words);
}

/* As NFS and FUSE do with what others delete while it is open. */
static void a_file_with_the_name_of_a_deleted_one_is_deleted(void **state) {
    static const char *const names[] = {".nfs0000000000c0ffee00000001", ".fuse_hidden0000000100000001"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char hidden[sizeof host.file];
        snprintf(hidden, sizeof hidden, "%s/%s", host.folder, names[i]);
        open_ring();
        append_text("first\n");
        assert_int_equal(engine_step(host.engine, 1), 1);
        append_text("second\n");
        assert_int_equal(engine_step(host.engine, 0), 1);
        assert_file(host.file, "first\nsecond\n");
        assert_int_equal(rename(host.file, hidden), 0);
        append_text("third\n");
        assert_int_equal(engine_step(host.engine, 1), 1);
        assert_file(host.file, "second\nthird\n");
        append_text("fourth\n");
        assert_int_equal(engine_step(host.engine, 0), 1);
        close_ring();
        snprintf(hidden, sizeof hidden, "%s/%s", host.folder, names[1 - i]);
        assert_int_equal(rename(host.file, hidden), 0);
        open_ring();
        assert_int_equal(engine_step(host.engine, 1), 1);
        assert_file(host.file, "fourth\n");
        remove_folder(NULL);
        format_ring(NULL);
    }
}

static void a_file_in_the_place_of_its_folder_is_a_rename(void **state) {
    (void)state;
    char folder[sizeof host.file], moved[sizeof host.file + 16], path[sizeof moved + 8];
    snprintf(folder, sizeof folder, "%s/sub", host.folder);
    snprintf(moved, sizeof moved, "%s.moved", folder);
    snprintf(path, sizeof path, "%s/log", moved);
    assert_true(snprintf(host.file, sizeof host.file, "%s/sub/log", host.folder) < (int)sizeof host.file);
    open_ring();
    append_text("first\n");
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_int_equal(rename(folder, moved), 0);
    FILE *file = fopen(folder, "w");
    assert_non_null(file);
    fclose(file);
    append_text("second\n");
    assert_true(engine_step(host.engine, 1) < 0);
    assert_int_equal(unlink(folder), 0);
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_file(path, "first\n");
    assert_file(host.file, "second\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_file_whose_sync_failed_is_cut_and_its_records_go_to_a_new_one),
        RING_TEST(a_new_log_file_never_takes_a_name_that_has_content),
        RING_TEST(what_others_wrote_behind_it_is_not_cut),
        RING_TEST(a_batch_that_stalled_in_a_file_that_others_extended_goes_to_a_new_one),
        RING_TEST(a_batch_that_stalled_goes_on_where_it_stopped),
        RING_TEST(a_file_that_is_never_synced_is_tried_once_a_step_and_wakes_nobody_who_awaits_its_records),
        RING_TEST(the_end_of_a_stall_names_the_file_that_is_written_now),
        RING_TEST(a_file_with_the_name_of_a_deleted_one_is_deleted),
        RING_TEST(a_file_in_the_place_of_its_folder_is_a_rename),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
