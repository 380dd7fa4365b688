/* SPDX-License-Identifier: Apache-2.0 */
/* The log file's mark on file systems that give more or less of it. */
#define CAPACITY_BYTES (64u * 4096u) /* a few records are no reason for a checkpoint */
#include "text_log.h"

static enum { HANDLES, BIRTHS, NUMBERS, NUMBERS_OF_EACH_MOUNT, BIRTHS_BUT_SUCH_NUMBERS, NOTHING } kind;
static unsigned life; /* of every inode number: another one is another file */
static int failure;   /* of looking at a path */
static char moved[sizeof host.file + 8];

static int reduce(int rc, struct file_mark *mark) {
    const uint64_t inode = mark->inode;
    *mark = (struct file_mark){.inode = kind >= NUMBERS_OF_EACH_MOUNT ? inode + life : inode};
    if (kind == HANDLES) {
        mark->handle_type = 1, mark->handle_bytes = 8, mark->handle_crc = (uint32_t)inode + life;
    } else if (kind == BIRTHS) {
        mark->born_ns = 1 + life;
    } else if (kind == BIRTHS_BUT_SUCH_NUMBERS) {
        mark->born_ns = 1;
    }
    return rc;
}

static int mark(const struct files *files, int file, struct file_mark *seen) {
    return kind == NOTHING ? -EIO : reduce(files_posix.ops->mark(files, file, seen), seen);
}

static int mark_of_path(const struct files *files, const char *path, struct file_mark *seen) {
    return failure != 0 ? failure : reduce(files_posix.ops->mark_of_path(files, path, seen), seen);
}

static int set_up(void **state) {
    format_ring(state);
    own_ops()->mark = mark;
    ops.mark_of_path = mark_of_path;
    snprintf(moved, sizeof moved, "%s.old", host.file);
    kind = HANDLES;
    life = 0;
    failure = 0;
    return 0;
}

/* One record in the file and noted, one only in the file. */
static void write_two(void) {
    open_ring();
    append_text("first\n");
    drain_all();
    append_text("second\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
}

static void write_unnoted(void) {
    open_ring();
    engine_step(host.engine, 1); /* past the marker: a sync is not due yet */
    append_text("first\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
    assert_int_equal(checkpoint(0)->stream.length, 0);
    assert_int_equal(checkpoint(1)->stream.length, 0);
}

static void open_and_drain(void) {
    open_ring();
    drain_all();
}

static void rename_it(void) {
    assert_int_equal(rename(host.file, moved), 0);
}

static int is_noted(unsigned slot) {
    return checkpoint(slot)->stream.mark.inode != 0;
}

static void it_is_noted_before_its_first_byte(void **state) {
    (void)state;
    write_unnoted();
    assert_true(is_noted(0) && is_noted(1));
    assert_int_equal(checkpoint(0)->stream.mark.handle_bytes, 8);
}

static void also_when_it_is_begun_later(void **state) {
    (void)state;
    open_ring();
    append_text("first\n");
    drain_all();
    const uint64_t inode = checkpoint(0)->stream.mark.inode;
    rename_it();
    append_text("second\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
    assert_true(checkpoint(0)->stream.mark.inode != inode && checkpoint(1)->stream.mark.inode != inode);
    assert_true(is_noted(0) && is_noted(1));
}

static int writes_left;

static int write_and_crash(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    return writes_left-- > 0 ? memory_write(device, offset, data, bytes) : -EIO;
}

/* Neither file has a byte, so that the two checkpoints differ in nothing else. */
static void a_crash_between_the_two_notes_leads_both_to_the_new_file(void **state) {
    (void)state;
    struct device_ops crashing = memory_ops;
    crashing.write = write_and_crash;
    open_ring();
    engine_step(host.engine, 1); /* past the marker, in both */
    engine_step(host.engine, 1);
    append_text("first\n");
    rename_it();
    host.device.ops = &crashing;
    writes_left = 1; /* the first that notes the new one */
    assert_true(engine_step(host.engine, 0) < 0);
    close_ring();
    host.device.ops = &memory_ops;
    assert_memory_equal(&checkpoint(0)->stream, &checkpoint(1)->stream, offsetof(struct checkpoint_entry, mark));
    assert_int_not_equal(checkpoint(0)->stream.mark.inode, checkpoint(1)->stream.mark.inode);

    open_ring();
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
    assert_file(host.file, "first\n");
    const unsigned newest = checkpoint(1)->head.generation > checkpoint(0)->head.generation;
    memset(checkpoint(newest), 0, sizeof(struct one_stream));
    open_and_drain();
    assert_file(moved, "");
    assert_file(host.file, "first\n");
    assert_int_equal(checkpoint(newest)->stream.diverted_sequence, 0);
    assert_int_equal(checkpoint(newest)->stream.length, 6);
}

static void a_file_with_the_number_of_the_old_one_is_another(void **state) {
    (void)state;
    for (int each = HANDLES; each <= BIRTHS; each++) {
        kind = each;
        write_unnoted();
        life++;
        open_and_drain();
        assert_told("is not the one that was written; records from 1 on go to a new file; records 1 to 1 may be twice");
        assert_file(host.file, "first\n");
        snprintf(moved, sizeof moved, "%s.burst-1", host.file);
        assert_file(moved, "first\n");
        remove_folder(NULL);
        set_up(NULL);
    }
}

static void neither_is_it_looked_at_under_another_name(void **state) {
    (void)state;
    for (int each = HANDLES; each <= BIRTHS; each++) {
        kind = each;
        write_two();
        rename_it();
        life++;
        open_and_drain();
        assert_file(moved, "first\nsecond\n");
        assert_file(host.file, "second\n");
        remove_folder(NULL);
        set_up(NULL);
    }
}

static void a_renamed_file_is_found_by_whatever_there_is(void **state) {
    (void)state;
    for (int each = HANDLES; each <= NUMBERS; each++) {
        kind = each;
        write_two();
        rename_it();
        open_and_drain();
        assert_file(moved, "first\nsecond\n");
        assert_int_equal(access(host.file, F_OK), -1);
        remove_folder(NULL);
        set_up(NULL);
    }
}

static void where_only_numbers_are_known_the_bytes_must_prove_it(void **state) {
    (void)state;
    kind = NUMBERS;
    write_two();
    rename_it();
    put_file(moved, "First\nsecond\n");
    open_and_drain();
    assert_file(moved, "First\nsecond\n");
    assert_file(host.file, "second\n");
}

static void or_where_none_of_them_is_noted_those_of_the_redo(void **state) {
    (void)state;
    kind = NUMBERS;
    write_unnoted();
    rename_it();
    open_and_drain();
    assert_file(moved, "first\n");
    assert_int_equal(access(host.file, F_OK), -1);
    close_ring();
    remove_folder(NULL);
    set_up(NULL);
    kind = NUMBERS;
    write_unnoted();
    rename_it();
    put_file(moved, ""); /* another file that has got its number, of zeros */
    assert_int_equal(truncate(moved, 6), 0);
    open_and_drain();
    assert_file(moved, "");
    assert_file(host.file, "first\n");
}

static void where_not_even_they_stay_the_name_and_the_bytes_count(void **state) {
    (void)state;
    kind = NUMBERS_OF_EACH_MOUNT;
    write_two();
    life++;
    open_and_drain();
    assert_file(host.file, "first\nsecond\n");
    close_ring();
    remove_folder(NULL);
    set_up(NULL);
    kind = NUMBERS_OF_EACH_MOUNT;
    write_unnoted();
    life++;
    open_and_drain();
    assert_file(host.file, "first\n");
    close_ring();
    life++;
    rename_it();
    open_ring();
    append_text("second\n");
    drain_all();
    assert_file(host.file, "second\n");
    assert_told("is gone; records from 2 on go to a new file");
}

/* As on a file system that says nothing. */
static void forget_the_mark(void) {
    for (unsigned slot = 0; slot < 2; slot++) {
        checkpoint(slot)->stream.mark = (struct outlet_mark){.inode = 0};
        one_stream_seal(checkpoint(slot), crc_seed_of(superblock(0)->uuid));
    }
}

/* As CIFS does where it does not use the numbers of its server. */
static void a_new_number_alone_makes_no_other_file(void **state) {
    (void)state;
    kind = BIRTHS_BUT_SUCH_NUMBERS;
    write_unnoted();
    life++;
    open_and_drain();
    assert_file(host.file, "first\n");
    assert_int_equal(checkpoint(0)->stream.diverted_sequence, 0);
    assert_int_equal(checkpoint(1)->stream.diverted_sequence, 0);
}

static void without_a_mark_the_name_and_the_bytes_count(void **state) {
    (void)state;
    write_two();
    forget_the_mark();
    open_ring();
    assert_true(is_noted(0) && is_noted(1)); /* before it gets a byte */
    assert_int_equal(checkpoint(0)->stream.mark.inode, checkpoint(1)->stream.mark.inode);
    assert_int_equal(checkpoint(0)->stream.length, 6);
    drain_all();
    assert_file(host.file, "first\nsecond\n");
}

static void without_a_mark_nothing_else_is_looked_at(void **state) {
    (void)state;
    write_two();
    forget_the_mark();
    rename_it();
    open_and_drain();
    assert_told("is gone; records from 2 on go to a new file; records 2 to 2 may be twice");
    assert_file(moved, "first\nsecond\n");
    assert_file(host.file, "second\n");
}

/* It would lead root to any file of the folder. */
static void what_a_ring_of_a_stranger_says_names_no_file(void **state) {
    (void)state;
    write_two();
    rename_it();
    const struct engine_parts parts = {
        .platform = timeless_platform(), .device = &host.device, .files = &host.files, .events = &host.events};
    const struct engine_stream main_stream = {.name = "", .path = host.file};
    const struct engine_config config = {.main = &main_stream, .untrusted_ring_owner = 1000};
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    drain_all();
    assert_file(moved, "first\nsecond\n");
    assert_file(host.file, "second\n");
    assert_told("records 2 to 2 may be twice");
}

static void a_file_that_cannot_be_marked_now_gets_no_byte(void **state) {
    (void)state;
    kind = NOTHING;
    assert_int_equal(try_to_open(), -EIO);
    kind = HANDLES;
    write_two();
    kind = NOTHING;
    assert_int_equal(try_to_open(), -EIO);
    kind = HANDLES;
    rename_it();
    open_and_drain();
    assert_file(moved, "first\nsecond\n");
    append_text("third\n");
    kind = NOTHING;
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    assert_file(host.file, "");
    kind = HANDLES;
    drain_all();
    assert_file(host.file, "third\n");
}

/* The diverted file has got the configured name; what it is known by cannot be noted at first. */
static void neither_does_one_whose_name_has_changed(void **state) {
    char diverted[sizeof host.file + 8];
    (void)state;
    open_ring();
    append_text("first\n");
    drain_all();
    put_file(host.file, "first\nof others\n");
    append_text("second\n");
    drain_all();
    snprintf(diverted, sizeof diverted, "%s.burst-2", host.file);
    assert_file(diverted, "second\n");
    rename_it();
    assert_int_equal(rename(diverted, host.file), 0);
    append_text("third\n");
    kind = NOTHING;
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    assert_file(host.file, "second\n");
    kind = HANDLES;
    drain_all();
    assert_file(host.file, "second\nthird\n");
    close_ring();
    open_ring();
    append_text("fourth\n");
    drain_all();
    assert_file(host.file, "second\nthird\nfourth\n");
}

static void a_name_that_cannot_be_looked_at_now_is_no_other_file(void **state) {
    (void)state;
    write_two();
    failure = -EIO;
    assert_int_equal(try_to_open(), -EIO);
    failure = 0;
    open_and_drain();
    assert_file(host.file, "first\nsecond\n");
}

static void another_file_system_with_the_same_numbers_is_another(void **state) {
    (void)state;
    const struct file_mark noted = {.file_system = 5, .inode = 7, .handle_type = 1, .handle_bytes = 8, .handle_crc = 9};
    struct file_mark seen = noted;
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_SAME);
    seen.file_system = 6;
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_OTHER);
    seen.file_system = 0; /* not known */
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_SAME);
}

/* Mount options and newer kernels change the type; filters of system calls take it away. */
static void a_handle_of_another_kind_says_nothing(void **state) {
    (void)state;
    const struct file_mark noted = {.inode = 7, .born_ns = 3, .handle_type = 1, .handle_bytes = 8, .handle_crc = 9};
    struct file_mark seen = {.inode = 7, .born_ns = 3, .handle_type = 2, .handle_bytes = 12, .handle_crc = 4};
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_SAME);
    seen.handle_bytes = 0;
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_SAME);
    seen.born_ns = 4;
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_OTHER);
    seen.born_ns = 0;
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_SAME);
    seen.inode = 8;
    assert_int_equal(file_mark_compare(&noted, &seen), FILE_UNKNOWN);
    assert_int_equal(file_mark_compare(&(struct file_mark){.inode = 0}, &seen), FILE_UNKNOWN);
}

int main(void) {
#define MARK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_folder)
    const struct CMUnitTest tests[] = {
        MARK_TEST(it_is_noted_before_its_first_byte),
        MARK_TEST(also_when_it_is_begun_later),
        MARK_TEST(a_crash_between_the_two_notes_leads_both_to_the_new_file),
        MARK_TEST(a_file_with_the_number_of_the_old_one_is_another),
        MARK_TEST(neither_is_it_looked_at_under_another_name),
        MARK_TEST(a_renamed_file_is_found_by_whatever_there_is),
        MARK_TEST(where_only_numbers_are_known_the_bytes_must_prove_it),
        MARK_TEST(or_where_none_of_them_is_noted_those_of_the_redo),
        MARK_TEST(where_not_even_they_stay_the_name_and_the_bytes_count),
        MARK_TEST(a_new_number_alone_makes_no_other_file),
        MARK_TEST(without_a_mark_the_name_and_the_bytes_count),
        MARK_TEST(without_a_mark_nothing_else_is_looked_at),
        MARK_TEST(what_a_ring_of_a_stranger_says_names_no_file),
        MARK_TEST(a_file_that_cannot_be_marked_now_gets_no_byte),
        MARK_TEST(neither_does_one_whose_name_has_changed),
        MARK_TEST(a_name_that_cannot_be_looked_at_now_is_no_other_file),
        MARK_TEST(another_file_system_with_the_same_numbers_is_another),
        MARK_TEST(a_handle_of_another_kind_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
