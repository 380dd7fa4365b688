/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joined view where files and ring meet: the linker puts a ring in the place of a real one, whose checkpoints are those
 * of the test, one for each look. So what happens between two looks of a reader happens here.
 */
#include "log_fixture.h"

#include "base/error.h"
#include "base/platform.h"
#include "media/checkpoint.h"
#include "read/joined.h"
#include "read/ring_source.h"

/* ------------------------------------------------------------------------------------------------------------ ring */

static struct stream_state checkpoint;
static void (*at_next_look)(void); /* NULL: the checkpoint stays */
static int is_lapped;
static struct read_source ring;
static burst_read_t ring_records[4]; /* kind 0: the last one was given */
static unsigned ring_given;

int __wrap_ring_source_look(struct read_source *source);
unsigned __wrap_ring_source_streams(const struct read_source *source);
void __wrap_ring_source_stream(const struct read_source *source, unsigned index, struct stream_state *state);
int __wrap_ring_source_go(struct read_source *source, uint64_t position, uint64_t sequence, uint32_t epoch);
void __wrap_ring_source_choose(struct read_source *source, uint32_t stream);
struct ring_source_place __wrap_ring_source_place(const struct read_source *source);
struct ring_source_mark __wrap_ring_source_mark(const struct read_source *source);

int __wrap_ring_source_look(struct read_source *source) {
    void (*const change)(void) = at_next_look;
    (void)source;
    at_next_look = NULL;
    if (change != NULL) {
        change();
    }
    return 0;
}

unsigned __wrap_ring_source_streams(const struct read_source *source) {
    (void)source;
    return 1;
}

void __wrap_ring_source_stream(const struct read_source *source, unsigned index, struct stream_state *state) {
    (void)source, (void)index;
    *state = checkpoint;
}

int __wrap_ring_source_go(struct read_source *source, uint64_t position, uint64_t sequence, uint32_t epoch) {
    (void)source, (void)position, (void)sequence, (void)epoch;
    return !is_lapped;
}

void __wrap_ring_source_choose(struct read_source *source, uint32_t stream) {
    (void)source, (void)stream;
}

struct ring_source_mark __wrap_ring_source_mark(const struct read_source *source) {
    (void)source;
    return (struct ring_source_mark){.wanted = 0};
}

struct ring_source_place __wrap_ring_source_place(const struct read_source *source) {
    (void)source;
    return (struct ring_source_place){.position = UINT64_MAX};
}

static int next_of_ring(struct read_source *source, burst_read_t *record) {
    (void)source;
    *record = ring_records[ring_given];
    ring_given += record->length > 0 || record->count > 0;
    return record->length > 0 || record->count > 0;
}

static void close_ring(struct read_source *source) {
    (void)source;
}

/* ----------------------------------------------------------------------------------------------------------- files */

static struct read_source *joined;

static void shell(const char *command) {
    char all[400];
    snprintf(all, sizeof all, "cd %s && %s", folder, command);
    assert_int_equal(system(all), 0);
}

static uint64_t inode_of(const char *name) {
    char path[200];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(stat(path, &status), 0);
    return status.st_ino;
}

/* The drain is in its file of that number, which has so many bytes; inode 0: the file has not begun. */
static void put_checkpoint(uint64_t number, uint64_t length, uint64_t inode) {
    checkpoint.drained_position += 4096;
    checkpoint.outlet.length = length;
    checkpoint.outlet.roll.file_number = number;
    checkpoint.outlet.mark.inode = inode;
}

static void open_joined(void) {
    static const struct read_source_ops ops = {.next = next_of_ring, .close = close_ring};
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = ring_path;
    ring.ops = &ops;
    assert_int_equal(joined_open(&platform_linux, &config, &ring, &joined), 0);
    assert_int_equal(joined->ops->seek(joined, BURST_FROM_OLDEST, 0), 0);
}

static void expect(const char *text) {
    burst_read_t record = {.struct_bytes = sizeof record};
    const int rc = joined->ops->next(joined, &record);
    if (rc < 0) {
        fail_msg("%s", error_text());
    }
    assert_int_equal(rc, 1);
    if (record.length != strlen(text) || memcmp(record.data, text, record.length) != 0) {
        fail_msg("\"%.*s\" in the place of \"%s\"", (int)record.length, (const char *)record.data, text);
    }
}

static void expect_nothing(void) {
    burst_read_t record = {.struct_bytes = sizeof record};
    assert_int_equal(joined->ops->next(joined, &record), 0);
}

/* ----------------------------------------------------------------------------------------------------------- tests */

static void the_fourth_file_is_the_newest(void) {
    put_checkpoint(4, 11, inode_of("log"));
}

/* The third file was rolled and went; the fourth one got its inode, and its name. */
static void the_third_file_was_the_newest(void) {
    shell("mv log log.1 && echo two > log.2 && echo three line > log");
    put_checkpoint(3, 4, inode_of("log"));
    at_next_look = the_fourth_file_is_the_newest;
}

static void a_file_with_the_inode_of_another_one_is_not_taken_for_it(void **state) {
    (void)state;
    shell("echo one > log");
    put_checkpoint(2, 4, inode_of("log"));
    open_joined();
    is_lapped = 1;
    expect("one\n");
    at_next_look = the_third_file_was_the_newest;
    expect("two\n");
    expect("three line\n");
}

static void the_second_file_has_begun(void) {
    shell("echo two > log");
    put_checkpoint(2, 4, inode_of("log"));
}

static void a_file_that_had_no_byte_is_read_once_it_has(void **state) {
    (void)state;
    shell("echo one > log.1");
    put_checkpoint(2, 0, 0);
    open_joined();
    is_lapped = 1;
    expect("one\n");
    at_next_look = the_second_file_has_begun;
    expect("two\n");
}

static void the_second_file_has_three_lines(void) {
    shell("printf 'two\\nthree\\nfour\\n' > log");
    put_checkpoint(2, 15, inode_of("log"));
}

/* The text behind the seam is in the file that had no byte there, not in the one before it. */
static void a_lapped_reader_goes_on_in_the_file_of_the_seam(void **state) {
    (void)state;
    shell("printf 'one\\nanother line\\nand another one\\n' > log.1");
    put_checkpoint(2, 0, 0);
    open_joined();
    expect("one\n");
    expect("another line\n");
    expect("and another one\n");
    ring_records[0] = (burst_read_t){.kind = BURST_READ_RECORD, .data = "two\n", .length = 4, .count = 1};
    ring_records[1] = (burst_read_t){.kind = BURST_READ_MISSED, .sequence = 3, .count = 2};
    expect("two\n");
    at_next_look = the_second_file_has_three_lines;
    is_lapped = 1;
    expect("three\n");
    expect("four\n");
}

/* The drain has rolled it, and made the next file, but no checkpoint says so yet. */
static void the_second_file_was_rolled(void) {
    shell("printf 'two\\nthree\\nfour\\n' > log");
    put_checkpoint(2, 15, inode_of("log"));
    shell("mv log log.2 && touch log");
}

static void a_lapped_reader_does_not_take_the_next_file_for_that_of_the_seam(void **state) {
    burst_read_t record = {.struct_bytes = sizeof record};
    (void)state;
    shell("echo one > log.1");
    put_checkpoint(2, 0, 0);
    open_joined();
    expect("one\n");
    ring_records[0] = (burst_read_t){.kind = BURST_READ_RECORD, .data = "two\n", .length = 4, .count = 1};
    ring_records[1] = (burst_read_t){.kind = BURST_READ_MISSED, .sequence = 3, .count = 2};
    expect("two\n");
    at_next_look = the_second_file_was_rolled;
    is_lapped = 1;
    assert_int_equal(joined->ops->next(joined, &record), 1);
    assert_int_equal(record.kind, BURST_READ_MISSED);
    assert_int_equal(record.sequence, 3);
    assert_int_equal(record.count, 2);
}

static void the_third_file_has_begun(void) {
    shell("echo three > log");
    put_checkpoint(3, 6, inode_of("log"));
}

/* The archive that was read stays read. */
static void a_lapped_reader_whose_last_archive_is_gone_repeats_no_other(void **state) {
    (void)state;
    shell("echo one > log.1 && echo two > log.2 && touch -d @1000000000 log.1");
    put_checkpoint(3, 0, 0);
    open_joined();
    is_lapped = 1;
    expect("one\n");
    shell("rm log.2");
    at_next_look = the_third_file_has_begun;
    expect("three\n");
}

/* The reader left the last file, and came back. */
static void the_checkpoint_is_a_seam(void **state) {
    (void)state;
    shell("echo one > log");
    put_checkpoint(1, 4, inode_of("log"));
    open_joined();
    expect("one\n");
    expect_nothing();
    ring_records[0] = (burst_read_t){.kind = BURST_READ_RECORD, .data = "two\n", .length = 4, .count = 1};
    ring_records[1] = (burst_read_t){.kind = BURST_READ_MISSED, .sequence = 3, .count = 2};
    expect("two\n");
    shell("printf 'two\\nthree\\nfour\\n' >> log");
    put_checkpoint(1, 19, inode_of("log"));
    is_lapped = 1;
    expect("three\n");
    expect("four\n");
}

static int begin(void **state) {
    const int rc = make_folder(state);
    memset(ring_records, 0, sizeof ring_records);
    ring_given = 0;
    is_lapped = 0;
    at_next_look = NULL;
    checkpoint = (struct stream_state){.outlet.kind = OUTLET_FILE};
    assert_non_null(realpath(folder, checkpoint.outlet.path));
    strcat(checkpoint.outlet.path, "/log");
    return rc;
}

static int end(void **state) {
    if (joined != NULL) {
        joined->ops->close(joined);
    }
    joined = NULL;
    return remove_folder(state);
}

int main(void) {
#define SEAM_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        SEAM_TEST(the_checkpoint_is_a_seam),
        SEAM_TEST(a_file_with_the_inode_of_another_one_is_not_taken_for_it),
        SEAM_TEST(a_file_that_had_no_byte_is_read_once_it_has),
        SEAM_TEST(a_lapped_reader_goes_on_in_the_file_of_the_seam),
        SEAM_TEST(a_lapped_reader_does_not_take_the_next_file_for_that_of_the_seam),
        SEAM_TEST(a_lapped_reader_whose_last_archive_is_gone_repeats_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
