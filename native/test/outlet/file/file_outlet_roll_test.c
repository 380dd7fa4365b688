/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a log file at a roll, their order, and the acts of others meanwhile. */
#include "rolled_log.h"

#include <sys/stat.h>

static char done[512]; /* a letter for each operation */
static uint64_t renamed_inode;
static int late_writes; /* to a file after its rename */
static int rename_fails, write_fails;
static int other_device; /* the folder of the log file is on another file system now */

static void note_operation(char letter) {
    const size_t used = strlen(done);
    if (used + 1 < sizeof done) {
        done[used] = letter;
    }
}

static uint64_t inode_of(int file) {
    struct file_identity identity = {.inode = 0};
    files_posix.ops->identity(&files_posix, file, &identity);
    return identity.inode;
}

static int create(const struct files *files, const char *path, const struct new_file *new_file) {
    note_operation('c');
    return files_posix.ops->create(files, path, new_file);
}

static int sync_name(const struct files *files, const char *path) {
    note_operation(strcmp(path, archive) == 0 ? 'T' : 'N');
    return files_posix.ops->sync_name(files, path);
}

static int rename_file(const struct files *files, const char *from, const char *to) {
    struct file_identity identity;
    note_operation('r');
    if (rename_fails != 0) {
        return rename_fails;
    }
    files_posix.ops->identity_of_path(files, from, &identity);
    renamed_inode = identity.inode;
    return files_posix.ops->rename(files, from, to);
}

static int64_t write_file(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    note_operation('w');
    late_writes += inode_of(file) == renamed_inode;
    if (write_fails != 0 && --write_fails == 0) {
        return files_posix.ops->write(files, file, data, 1, offset);
    }
    return write_fails != 0 ? -ENOSPC : files_posix.ops->write(files, file, data, bytes, offset);
}

static int sync_file(const struct files *files, int file) {
    note_operation('s');
    return files_posix.ops->sync(files, file);
}

static int mount(const struct files *files, const char *path, struct mount_identity *seen) {
    const int rc = files_posix.ops->mount(files, path, seen);
    seen->device += (uint64_t)other_device;
    return rc;
}

static int write_note(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    const struct one_stream *slot = data;
    if (slot->head.magic == CHECKPOINT_MAGIC) {
        note_operation((char)('0' + slot->stream.roll.phase));
    }
    return memory_write(device, offset, data, bytes);
}

static int begin(void **state) {
    static struct device_ops device_ops;
    begin_rolled_log(state);
    ops.create = create;
    ops.sync_name = sync_name;
    ops.rename = rename_file;
    ops.write = write_file;
    ops.sync = sync_file;
    ops.mount = mount;
    device_ops = memory_ops;
    device_ops.write = write_note;
    host.device.ops = &device_ops;
    memset(done, 0, sizeof done);
    renamed_inode = 0;
    late_writes = rename_fails = write_fails = other_device = 0;
    open_ring();
    return 0;
}

static const struct outlet_roll *noted(void) {
    return &drain_stream(host.engine->drainer.drain, 0)->noted.outlet.roll;
}

/* Steps until a roll is noted as far as this. */
static void step_to(enum roll_phase phase) {
    struct drain *drain = host.engine->drainer.drain;
    struct drain_stream *stream = drain_stream(drain, 0);
    drain_look(drain);
    for (int i = 0; i < 50 && noted()->phase != phase; i++) {
        stream->rc = 0;
        stream_move(drain, stream, drain->durable);
        if (stream->must_sync) {
            drain->wanted = (unsigned)stream_sync(drain, stream);
        }
        assert_true(drain_checkpoint(drain) >= 0);
    }
    assert_int_equal(noted()->phase, phase);
}

static void reopen(void) {
    close_ring();
    open_ring();
}

static int told(const char *words) {
    struct event event;
    int count = 0;
    while (events_take(&host.events, &event, 0) == 1) {
        count += strstr(event.text, words) != NULL;
    }
    return count;
}

/* -------------------------------------------------------------------------------------------------------- order */

static void each_step_is_durable_before_the_next(void **state) {
    (void)state;
    append_text("a\n");
    drain_all();
    memset(done, 0, sizeof done);
    append_roll("f", "h", archive);
    drain_all();
    /* The footer, its sync, both slots; the rename, both folders, the next file and its folder, both slots; the header, its
     * sync, a slot, and the other one when it is idle. */
    assert_string_equal(done, "ws11rNTcN22ws00");
    assert_int_equal(late_writes, 0);
}

static void nothing_waits_in_the_batch_of_a_roll(void **state) {
    (void)state;
    append_text("a\n");
    append_roll("", "", archive);
    append_text("b\n");
    append_text("c\n");
    memset(done, 0, sizeof done);
    drain_all();
    assert_string_equal(done, "ws0s11rNTcN22ws00");
    assert_file(archive, "a\n");
    assert_file(host.file, "b\nc\n");
}

static void the_next_file_is_known_as_one(void **state) {
    (void)state;
    const int64_t born_ns = noted()->born_ns;
    assert_int_equal(noted()->file_number, 1);
    assert_int_equal(noted()->first_sequence, 1);
    assert_true(born_ns > 0);
    struct roll roll = roll_of("", "", archive, "");
    roll.next_time_ns = 5000;
    roll.next_file_bytes = 6000;
    append_roll_record(&roll, -7);
    drain_all();
    assert_int_equal(noted()->file_number, 2);
    assert_int_equal(noted()->first_sequence, 2);
    assert_int_equal(noted()->born_ns, -7);
    assert_int_equal(noted()->next_time_ns, 5000);
    assert_int_equal(noted()->next_file_bytes, 6000);
    reopen();
    assert_int_equal(noted()->born_ns, -7);
    const struct drain_figures none = {.file_number = 0};
    struct drain_figures figures = none;
    assert_int_equal(drain_get_figures(host.engine->drainer.drain, 0, &figures), 0);
    assert_int_equal(figures.file_number, 2);
    assert_int_equal(figures.file_born_ns, -7);
    /* One that others make the log begin was not begun by a roll. */
    append_text("a\n");
    drain_all();
    assert_int_equal(rename(host.file, archive), 0);
    append_text("b\n");
    drain_all();
    assert_int_equal(noted()->file_number, 2);
    assert_true(noted()->born_ns > 0);
    assert_int_equal(noted()->first_sequence, 3);
    assert_int_equal(noted()->next_time_ns, 5000);
}

/* ------------------------------------------------------------------------------------------------------- others */

static void others_bytes_in_the_place_of_the_footer_are_left_alone(void **state) {
    (void)state;
    char diverted[sizeof host.file + 16];
    append_text("a\n");
    drain_all();
    append_roll("footer", "h", archive);
    close_ring();
    FILE *file = fopen(host.file, "a");
    fputs("bar", file);
    fclose(file);
    open_ring();
    drain_all();
    snprintf(diverted, sizeof diverted, "%s.burst-2", host.file);
    assert_file(host.file, "a\nbar");
    assert_file(archive, "footer"); /* of the diverted file */
    assert_file(diverted, "h");
}

static void a_file_renamed_by_others_before_its_roll_is_not_rolled(void **state) {
    (void)state;
    char theirs[sizeof host.file + 16];
    snprintf(theirs, sizeof theirs, "%s.theirs", host.file);
    append_text("a\n");
    drain_all();
    assert_int_equal(rename(host.file, theirs), 0);
    append_roll("f", "h", archive);
    append_text("b\n");
    drain_all();
    assert_file(theirs, "a\n");
    assert_file(archive, "f"); /* of the file that was begun in its place */
    assert_file(host.file, "hb\n");
}

static void a_file_that_is_gone_in_the_middle_was_rolled(void **state) {
    (void)state;
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    step_to(ROLL_ROLLING);
    assert_int_equal(unlink(host.file), 0); /* compressed, and removed */
    reopen();
    drain_all();
    assert_missing(archive);
    assert_file(host.file, "hb\n");
    assert_int_equal(told("is gone"), 0);
}

static void a_copy_in_its_place_is_not_renamed_again(void **state) {
    (void)state;
    char diverted[sizeof host.file + 16];
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    step_to(ROLL_ROLLING);
    snprintf(diverted, sizeof diverted, "%s.moved", host.file);
    assert_int_equal(rename(host.file, diverted), 0);
    put_file(host.file, "theirs");
    reopen();
    drain_all();
    assert_file(host.file, "theirs");
    assert_file(diverted, "a\nf");
    snprintf(diverted, sizeof diverted, "%s.burst-2", host.file);
    assert_file(diverted, "hb\n");
    assert_missing(archive);
}

static void a_file_system_that_is_away_is_waited_for(void **state) {
    (void)state;
    char away[sizeof host.file + 16];
    snprintf(away, sizeof away, "%s.away", host.file);
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    step_to(ROLL_ROLLING);
    assert_int_equal(rename(host.file, away), 0);
    other_device = 1;
    assert_int_equal(engine_step(host.engine, 1), -ENOMEDIUM);
    assert_missing(host.file);
    assert_int_equal(rename(away, host.file), 0);
    other_device = 0;
    drain_all();
    assert_file(archive, "a\nf");
    assert_file(host.file, "hb\n");
}

/* Both names are there when a system without renames that replace nothing stops between two calls. */
static void a_rename_cut_in_two_is_finished(void **state) {
    (void)state;
    char beside[sizeof archive + 8];
    snprintf(archive, sizeof archive, "%.4000s/1", host.folder);
    snprintf(beside, sizeof beside, "%s.1", archive);
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    step_to(ROLL_ROLLING);
    assert_int_equal(link(host.file, archive), 0);
    reopen();
    drain_all();
    assert_file(archive, "a\nf");
    assert_file(host.file, "hb\n");
    assert_missing(beside);
}

static void a_diverted_log_goes_back_with_a_roll(void **state) {
    (void)state;
    char diverted[sizeof host.file + 16];
    append_text("a\n");
    drain_all();
    put_file(host.file, ""); /* cut by others */
    append_text("b\n");
    drain_all();
    snprintf(diverted, sizeof diverted, "%s.burst-2", host.file);
    assert_file(diverted, "b\n");
    append_roll("f", "h", archive);
    append_text("c\n");
    drain_all();
    assert_file(archive, "b\nf");
    assert_missing(diverted);
    assert_file(host.file, "hc\n");
    assert_int_equal(checkpoint(newest_slot())->stream.diverted_sequence, 0);
}

/* --------------------------------------------------------------------------------------------------- it goes wrong */

static void a_rename_that_fails_is_told_once_and_given_up(void **state) {
    (void)state;
    rename_fails = -EACCES;
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    drain_all();
    append_roll("f", "h", archive);
    drain_all();
    assert_file(host.file, "a\nfb\nf");
    assert_int_equal(noted()->phase, ROLL_NONE);
    assert_int_equal(noted()->file_number, 1);
    assert_int_equal(told("could not be rolled"), 1);
    rename_fails = -EXDEV;
    append_roll("f", "h", archive);
    drain_all();
    assert_int_equal(told("on its own file system"), 1);
    rename_fails = 0;
    append_roll("f", "h", archive);
    drain_all();
    assert_file(archive, "a\nfb\nfff");
    assert_file(host.file, "h");
    rename_fails = -EXDEV;
    append_roll("f", "h", archive);
    drain_all();
    assert_int_equal(told("could not be rolled"), 1);
    assert_file(host.file, "hf");
}

static void what_was_given_up_is_so_after_a_crash(void **state) {
    (void)state;
    rename_fails = -EACCES;
    append_text("a\n");
    append_roll("f", "h", archive);
    append_text("b\n");
    step_to(ROLL_GIVEN_UP);
    rename_fails = 0;
    reopen();
    drain_all();
    assert_file(host.file, "a\nfb\n");
    assert_missing(archive);
    assert_int_equal(noted()->phase, ROLL_NONE);
}

static void a_full_disk_cuts_neither_footer_nor_header(void **state) {
    (void)state;
    append_text("a\n");
    drain_all();
    append_roll("footer", "header", archive);
    append_text("b\n");
    write_fails = 3; /* the third one takes a byte, the others none */
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    step_to(ROLL_ROLLED);
    write_fails = 2;
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    drain_all();
    assert_file(archive, "a\nfooter");
    assert_file(host.file, "headerb\n");
}

static void a_payload_that_nobody_makes_rolls_nothing(void **state) {
    (void)state;
    static const char rubbish[100] = "no roll";
    append_text("a\n");
    assert_true(ring_append_roll(host.engine->ring, rubbish, sizeof rubbish, 0, &stream_0, &for_ever) > 0);
    append_text("b\n");
    drain_all();
    assert_file(host.file, "a\nb\n");
    assert_int_equal(noted()->file_number, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_step_is_durable_before_the_next),
        TEST(nothing_waits_in_the_batch_of_a_roll),
        TEST(the_next_file_is_known_as_one),
        TEST(others_bytes_in_the_place_of_the_footer_are_left_alone),
        TEST(a_file_renamed_by_others_before_its_roll_is_not_rolled),
        TEST(a_file_that_is_gone_in_the_middle_was_rolled),
        TEST(a_copy_in_its_place_is_not_renamed_again),
        TEST(a_file_system_that_is_away_is_waited_for),
        TEST(a_rename_cut_in_two_is_finished),
        TEST(a_diverted_log_goes_back_with_a_roll),
        TEST(a_rename_that_fails_is_told_once_and_given_up),
        TEST(what_was_given_up_is_so_after_a_crash),
        TEST(a_full_disk_cuts_neither_footer_nor_header),
        TEST(a_payload_that_nobody_makes_rolls_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
