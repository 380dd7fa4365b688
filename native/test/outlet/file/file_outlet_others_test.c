/* SPDX-License-Identifier: Apache-2.0 */
/* Others change log file and ring in the midst of a drain step or of a search. */
#include "text_log.h"

#include <sys/stat.h>

static int writes;
static void (*act)(void);

/* Writes 7 bytes at most, and lets others act behind the second write. */
static int64_t write_a_line(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    const int64_t rc = files_posix.ops->write(files, file, data, bytes < 7 ? bytes : 7, offset);
    if (++writes == 2) {
        act();
    }
    return rc;
}

static void let_others_act(void (*others)(void)) {
    writes = 0;
    act = others;
    own_ops()->write = write_a_line;
}

static void append_lines(void) {
    append_text("line 1\nline 2\nline 3\nline 4\n");
}

/* They are in the file, and the checkpoint knows nothing of that. */
static void crash_before_the_checkpoint(void) {
    open_ring();
    engine_step(host.engine, 1);
    append_lines();
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
    assert_int_equal(checkpoint(0)->stream.length, 0);
    assert_int_equal(checkpoint(1)->stream.length, 0);
}

static void assert_all_in_the_next_file(void) {
    char next[sizeof host.file + 16];
    snprintf(next, sizeof next, "%s.burst-1", host.file);
    drain_all();
    assert_told("was cut by others to less than the ");
    assert_file(next, "line 1\nline 2\nline 3\nline 4\n");
}

static void cut(void) {
    assert_int_equal(truncate(host.file, 0), 0);
}

static void a_cut_in_the_midst_of_a_redo_is_noticed(void **state) {
    (void)state;
    crash_before_the_checkpoint();
    let_others_act(cut);
    open_ring();
    assert_all_in_the_next_file();
}

static void cut_ahead(void) {
    assert_int_equal(truncate(host.file, 20), 0);
}

static void also_a_cut_of_what_the_redo_has_not_come_to(void **state) {
    (void)state;
    crash_before_the_checkpoint();
    let_others_act(cut_ahead);
    open_ring();
    assert_all_in_the_next_file();
}

static void a_cut_in_the_midst_of_a_batch_is_noticed(void **state) {
    (void)state;
    let_others_act(cut);
    open_ring();
    append_lines();
    assert_all_in_the_next_file();
}

static void cut_and_grow(void) {
    assert_int_equal(truncate(host.file, 3), 0);
    assert_int_equal(truncate(host.file, 28), 0);
}

static void a_file_that_is_cut_and_grows_again_is_noticed(void **state) {
    (void)state;
    crash_before_the_checkpoint();
    let_others_act(cut_and_grow);
    open_ring();
    assert_all_in_the_next_file();
}

static int64_t write_to_a_cut_file(const struct files *files, int file, const void *data, size_t bytes,
                                   uint64_t offset) {
    ops.write = files_posix.ops->write;
    cut();
    return ops.write(files, file, data, bytes, offset);
}

/* Its size is right again, and so are all the bytes at its end that a checkpoint notes. */
static void a_cut_between_look_and_write_is_noticed(void **state) {
    char next[sizeof host.file + 16];
    struct stat status;
    (void)state;
    open_ring();
    engine_step(host.engine, 1);
    append_text("line 1\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    append(5000);
    own_ops()->write = write_to_a_cut_file;
    drain_all();
    assert_told("was cut by others to less than the ");
    snprintf(next, sizeof next, "%s.burst-1", host.file);
    assert_int_equal(stat(next, &status), 0);
    assert_int_equal(status.st_size, 7 + 5000);
}

/* As NFS and FUSE delete what is open. */
static void delete_by_a_hidden_name(void) {
    char hidden[sizeof host.file];
    snprintf(hidden, sizeof hidden, "%s/.nfs0000000000c0ffee00000001", host.folder);
    assert_int_equal(rename(host.file, hidden), 0);
}

static void a_file_deleted_in_the_midst_of_a_redo_is_written_again(void **state) {
    (void)state;
    crash_before_the_checkpoint();
    let_others_act(delete_by_a_hidden_name);
    open_ring();
    drain_all();
    assert_told("was deleted");
    assert_file(host.file, "line 1\nline 2\nline 3\nline 4\n");
}

static void append_foreign_line(void) {
    FILE *log = fopen(host.file, "a");
    assert_non_null(log);
    fputs("somebody else's\n", log);
    fclose(log);
}

static void what_others_append_in_the_midst_of_a_batch_is_not_overwritten(void **state) {
    char next[sizeof host.file + 16];
    (void)state;
    let_others_act(append_foreign_line);
    open_ring();
    append_lines();
    drain_all();
    snprintf(next, sizeof next, "%s.burst-1", host.file);
    assert_file(host.file, "line 1\nline 2\nsomebody else's\n");
    assert_file(next, "line 1\nline 2\nline 3\nline 4\n");
}

/* Others have cut it to less than the drain had checkpointed, and then its sync fails. */
static int sync_of_a_cut_file(const struct files *files, int file) {
    (void)files, (void)file;
    ops.sync = files_posix.ops->sync;
    cut();
    return -EIO;
}

static void a_file_that_others_cut_does_not_grow_when_its_sync_fails(void **state) {
    (void)state;
    open_ring();
    append_text("line 1\n");
    drain_all();
    append_text("line 2\n");
    own_ops()->sync = sync_of_a_cut_file;
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    drain_all();
    struct stat status;
    assert_int_equal(stat(host.file, &status), 0);
    assert_int_equal(status.st_size, 0);
}

static int lost_check(struct device *device) {
    return device_lost_pages(device) > 0 ? error_set(EIO, "pages of the ring are gone") : 0;
}

/* The mapping loses what it held. */
static int64_t lose_pages_in_a_read(const struct files *files, int file, void *data, size_t bytes, uint64_t offset) {
    memset(image, 0, sizeof image);
    atomic_store(&host.device.lost_pages, 1);
    return files_posix.ops->read(files, file, data, bytes, offset);
}

static void a_ring_that_loses_pages_while_its_log_file_is_looked_for_ends_the_open(void **state) {
    static struct device_ops mapped_ops;
    (void)state;
    crash_before_the_checkpoint();
    mapped_ops = memory_ops;
    mapped_ops.check = lost_check;
    host.device.ops = &mapped_ops;
    own_ops()->read = lose_pages_in_a_read;
    alarm(60); /* it looked for ever */
    assert_int_equal(try_to_open(), -EIO);
    alarm(0);
    assert_string_equal(error_text(), "pages of the ring are gone");
}

static void put_a_fifo(void) {
    char moved[sizeof host.file + 8];
    snprintf(moved, sizeof moved, "%s.moved", host.file);
    assert_int_equal(rename(host.file, moved), 0);
    assert_int_equal(mkfifo(host.file, 0600), 0);
}

/* The batch is finished where it began; what comes next goes past the FIFO, and back once that is gone. */
static void a_fifo_that_takes_the_name_in_the_midst_of_a_batch_is_left_alone(void **state) {
    (void)state;
    char moved[sizeof host.file + 8], diverted[sizeof host.file + 16];
    struct stat status;
    snprintf(moved, sizeof moved, "%s.moved", host.file);
    snprintf(diverted, sizeof diverted, "%s.burst-2", host.file);
    open_ring();
    let_others_act(put_a_fifo);
    append_lines();
    assert_int_equal(engine_step(host.engine, 1), 1);
    append_text("line 5\n");
    drain_all();
    assert_told(", which is no file; to bring the log back");
    assert_file(moved, "line 1\nline 2\nline 3\nline 4\n");
    assert_file(diverted, "line 5\n");
    assert_int_equal(stat(host.file, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    close_ring();
    open_ring();
    assert_told(", which is no file; to bring the log back");
    close_ring();
    assert_int_equal(unlink(host.file), 0);
    open_ring();
    append_text("line 6\n");
    drain_all();
    assert_file(host.file, "line 6\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_fifo_that_takes_the_name_in_the_midst_of_a_batch_is_left_alone),
        RING_TEST(a_cut_in_the_midst_of_a_redo_is_noticed),
        RING_TEST(also_a_cut_of_what_the_redo_has_not_come_to),
        RING_TEST(a_cut_in_the_midst_of_a_batch_is_noticed),
        RING_TEST(a_file_that_is_cut_and_grows_again_is_noticed),
        RING_TEST(a_cut_between_look_and_write_is_noticed),
        RING_TEST(a_file_deleted_in_the_midst_of_a_redo_is_written_again),
        RING_TEST(what_others_append_in_the_midst_of_a_batch_is_not_overwritten),
        RING_TEST(a_file_that_others_cut_does_not_grow_when_its_sync_fails),
        RING_TEST(a_ring_that_loses_pages_while_its_log_file_is_looked_for_ends_the_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
