/* SPDX-License-Identifier: Apache-2.0 */
/* A block device that receives a log: preparing it, and reading it, also while a writer has it. */
#include "cli/loop_fixture.h"

#include "log/log.h"
#include "media/checkpoint.h"
#include "outlet/raw/raw.h"
#include "outlet/raw/view.h"

static struct events events;
static const struct raw_outlet_parts parts = {
    .platform = &platform_linux, .media = &raw_media_posix, .events = &events};
static struct outlet *outlet;
static struct outlet_state checkpoint;
static struct outlet_noted noted = {.state = &checkpoint, .sequence = 1};

static int begin_with_outlet(void **state) {
    outlet = NULL;
    events_init(&events, &platform_linux);
    return begin(state);
}

static int end_with_outlet(void **state) {
    if (outlet != NULL)
        outlet->ops->destroy(outlet);
    return end(state);
}

static void open_log(const char *path) {
    assert_int_equal(raw_outlet_create(&parts, &outlet), 0);
    if (outlet->ops->bind(outlet, path, &noted, &checkpoint) != OUTLET_NOTE)
        fail_msg("%s", burst_last_error());
    outlet->ops->noted(outlet, &noted);
}

static void close_log(void) {
    outlet->ops->destroy(outlet);
    outlet = NULL;
}

static void write_log(const char *text) {
    struct outlet_state state;
    const size_t bytes = strlen(text);
    assert_int_equal(outlet->ops->ready(outlet, &noted, text, bytes, 0, &state), OUTLET_READY);
    assert_int_equal(outlet->ops->write(outlet, text, bytes), bytes);
    assert_int_equal(outlet->ops->sync(outlet, &noted, &checkpoint), OUTLET_READY);
}

#define NEED_LOG_DEVICE()                                                                                              \
    NEED_LOOP(4 * MIB);                                                                                                \
    assert_int_equal(run("format --destination %s", loop.path), 0)

/* Changes a byte through the page cache, as the log is written. */
static void spoil(uint64_t offset) {
    uint8_t byte;
    const int fd = open(loop.path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)offset), 1);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

/* -------------------------------------------------------------------------------------------------------- format */

static void a_device_is_prepared_once_and_emptied_only_by_force(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    assert_said("log device, for 3145728 bytes");
    assert_int_equal(run("cat %s", loop.path), 0);
    assert_string_equal(output, "");
    open_log(loop.path);
    write_log("to be kept\n");
    close_log();
    assert_int_equal(run("format --destination %s", loop.path), 3);
    assert_said("holds a log of 11 bytes: `burstlog cat ");
    assert_int_equal(run("format --destination --discard-records=0 %s", loop.path), 3); /* only rings have records */
    assert_int_equal(run("cat %s", loop.path), 0);
    assert_string_equal(output, "to be kept\n");
    assert_int_equal(run("format --destination --force %s", loop.path), 0);
    assert_int_equal(run("cat %s", loop.path), 0);
    assert_string_equal(output, "");
}

static void a_ring_takes_the_place_of_a_log_only_by_force(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    open_log(loop.path);
    write_log("to be kept\n");
    close_log();
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said("holds a log of 11 bytes");
    spoil(RAW_END_OFFSET(0) + 20);
    spoil(RAW_END_OFFSET(1) + 20);
    assert_int_equal(run("format %s", loop.path), 1);
    assert_said("in both places");
    assert_int_equal(run("format --force %s", loop.path), 0);
    use_ring(loop.path);
    assert_int_equal(run("cat %s", loop.path), 0); /* the records of the ring */
    assert_said("no records, gaps none");
}

static void what_is_no_block_device_needs_no_preparation(void **state) {
    (void)state;
    make_file(scratch_path("file"), 4 * MIB);
    assert_int_equal(run("format --destination %s", scratch_path("file")), 3);
    assert_said("a log file needs no preparation");
    assert_int_equal(run("format --destination %s", scratch_path("nothing")), 3);
    assert_said("log device ");
    assert_said(" does not exist");
    assert_int_equal(access(scratch_path("nothing"), F_OK), -1);
    assert_int_equal(run("format --destination --size=1M /dev/null"), 2);
    assert_said("leave out --size");
}

static void a_device_that_is_too_small_is_refused_with_the_least_size(void **state) {
    (void)state;
    NEED_LOOP(2 * MIB - 512);
    assert_int_equal(run("format --destination %s", loop.path), 3);
    assert_said("at least 2097152 bytes");
    remove_loop(&loop);
    assert_int_equal(unlink(scratch_path("backing")), 0);
    NEED_LOOP(2 * MIB + 512);
    assert_int_equal(run("format --destination %s", loop.path), 0);
    assert_said("for 1048576 bytes");
}

static void a_file_system_is_named_and_overwritten_only_by_force(void **state) {
    (void)state;
    NEED("mkfs.ext4");
    NEED_LOOP(16 * MIB);
    shell("mkfs.ext4 -q -F -L orders %s", loop.path);
    shell("cp %s %s", scratch_path("backing"), scratch_path("before"));
    assert_int_equal(run("format --destination %s", loop.path), 3);
    assert_said("ext4 labelled \"orders\"");
    assert_said("which a log device would destroy");
    shell("cmp %s %s", scratch_path("backing"), scratch_path("before"));
    assert_int_equal(run("format --destination --force %s", loop.path), 0);
    shell("test -z \"$(wipefs -n %s)\"", loop.path);
}

static void a_partition_table_is_named(void **state) {
    (void)state;
    NEED("sfdisk");
    NEED_LOOP(16 * MIB);
    shell("echo 'size=4M' | sfdisk -q -X gpt %s 2>/dev/null", loop.path);
    assert_int_equal(run("format --destination %s", loop.path), 3);
    assert_said("a partition table gpt");
}

static void a_device_in_use_is_never_overwritten(void **state) {
    (void)state;
    NEED("mkfs.ext4");
    NEED_LOOP(16 * MIB);
    shell("mkfs.ext4 -q -F %s", loop.path);
    assert_int_equal(mkdir(scratch_path("mounted"), 0700), 0);
    assert_int_equal(mount(loop.path, scratch_path("mounted"), "ext4", 0, NULL), 0);
    assert_int_equal(run("format --destination --force %s", loop.path), 3);
    assert_said("it is mounted on ");
}

static void a_ring_with_records_is_overwritten_only_with_their_number(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    assert_int_equal(run("format %s", loop.path), 0);
    use_ring(loop.path);
    assert_int_equal(run("format --destination %s", loop.path), 3);
    assert_said("--force makes a new log device in its place");
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config;
        burst_config_init(&config);
        config.ring = loop.path;
        config.main = main_of(scratch_path("log"));
        config.durability = BURST_DURABILITY_PROCESS;
        config.drain_interval_ns = 3600 * SECOND_NS;
        burst_t *log;
        const int rc = burst_open(&config, &log);
        if (rc == 0)
            threads_stop_drain(&log->threads);
        _exit(rc < 0 || burst_append(log, "a record\n", 9, 0) <= 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(run("format --destination --force %s", loop.path), 3);
    assert_said("--discard-records=1");
    assert_int_equal(run("format --destination --discard-records=1 %s", loop.path), 0);
    assert_int_equal(run("cat %s", loop.path), 0);
}

/* ------------------------------------------------------------------------------------------------------------ cat */

static void cat_prints_the_log_from_any_byte_on(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    open_log(loop.path);
    write_log("one\n");
    write_log("two\n");
    assert_int_equal(run("cat %s", loop.path), 0); /* beside its writer */
    assert_string_equal(output, "one\ntwo\n");
    write_log("three\n");
    close_log();
    assert_int_equal(run("cat --from=4 %s", loop.path), 0);
    assert_string_equal(output, "two\nthree\n");
    assert_int_equal(run("cat --from=14 %s", loop.path), 0);
    assert_string_equal(output, "");
    assert_int_equal(run("cat --from=15 %s", loop.path), 3);
    assert_said("lies behind the log");
    assert_said("which has 14 bytes");
    assert_int_equal(run("cat --from=x %s", loop.path), 2);
    assert_int_equal(run("cat %s", scratch_path("backing")), 0); /* an image of the device */
    assert_string_equal(output, "one\ntwo\nthree\n");
}

static void a_reader_that_goes_away_is_no_error(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    static char text[MIB];
    memset(text, 'x', sizeof text - 1);
    open_log(loop.path);
    write_log(text);
    write_log(text);
    close_log();
    shell("test $( { %s cat %s; echo $? >%s; } | head -c 5 ) = xxxxx && test $(cat %s) = 0", BURST_CLI, loop.path,
          scratch_path("code"), scratch_path("code"));
    shell("%s cat %s 2>%s >/dev/full; test $? = 4 && grep -q 'standard output failed: ENOSPC' %s", BURST_CLI, loop.path,
          scratch_path("code"), scratch_path("code"));
    shell("test $(%s cat --from=1M %s | wc -c) = %u", BURST_CLI, loop.path, MIB - 2);
}

static void cat_says_what_is_damaged_and_prints_what_the_other_copy_says(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    open_log(loop.path);
    write_log("one\n");
    write_log("two\n");
    close_log();
    spoil(RAW_HEADER_OFFSET(0) + 100);
    assert_int_equal(run("cat %s", loop.path), 1);
    assert_said("one\ntwo\n");
    assert_said("header copy 0");
    spoil(RAW_HEADER_OFFSET(0) + 100);
    spoil(RAW_END_OFFSET(1) + 20); /* format wrote slots 0 and 1; the log wrote 0 and 1 */
    assert_int_equal(run("cat %s", loop.path), 1);
    assert_said("one\n");
    assert_null(strstr(output, "two"));
    assert_said("end slot 1");
    spoil(RAW_END_OFFSET(0) + 20);
    assert_int_equal(run("cat %s", loop.path), 1);
    assert_said("in both places");
    assert_int_equal(run("info %s", loop.path), 1);
    spoil(RAW_HEADER_OFFSET(0) + 100);
    spoil(RAW_HEADER_OFFSET(1) + 100);
    assert_int_equal(run("cat %s", loop.path), 1);
    assert_said("in both copies");
}

static void info_shows_what_is_on_a_log_device(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    open_log(loop.path);
    write_log("to be kept\n");
    char process[40];
    snprintf(process, sizeof process, "open in: %d (", (int)getpid());
    assert_int_equal(run("info %s", loop.path), 0);
    assert_said(process);
    assert_said("capacity bytes: 3145728");
    assert_said("log bytes: 11");
    close_log();
    assert_int_equal(run("info --json %s", loop.path), 0);
    assert_said("\"log_bytes\": 11");
}

/* --------------------------------------------------------------------------------------------------------- writers */

static void a_second_writer_is_refused_naming_the_first(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    open_log(loop.path);
    char holder[60];
    snprintf(holder, sizeof holder, "is held by process %d (", (int)getpid());
    struct outlet *second;
    struct outlet_state found;
    assert_int_equal(raw_outlet_create(&parts, &second), 0);
    assert_int_equal(second->ops->bind(second, loop.path, &noted, &found), -EBUSY);
    assert_non_null(strstr(burst_last_error(), "log device /dev/loop"));
    assert_non_null(strstr(burst_last_error(), holder));
    second->ops->destroy(second);
    assert_int_equal(run("format --destination --force %s", loop.path), 3);
    assert_said(holder);
    assert_ring_refused(loop.path, EBUSY, holder);
}

static void a_log_goes_on_behind_its_bytes_whatever_the_blocks(void **state) {
    (void)state;
    static const uint32_t sizes[] = {512, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        NEED_LOOP_WITH(4 * MIB, sizes[i], 0);
        assert_int_equal(run("format --destination %s", loop.path), 0);
        open_log(loop.path);
        write_log("one\n");
        close_log();
        open_log(loop.path);
        write_log("two\n");
        close_log();
        remove_loop(&loop); /* bytes in memory only would be lost */
        assert_true(make_loop_with(scratch_path("backing"), sizes[i], 0, &loop));
        assert_int_equal(run("cat %s", loop.path), 0);
        assert_string_equal(output, "one\ntwo\n");
        remove_loop(&loop);
        assert_int_equal(unlink(scratch_path("backing")), 0);
    }
}

static void a_full_device_is_read_out_and_formatted_beside_the_log_which_goes_on(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    static char text[MIB + 1];
    struct outlet_state found;
    memset(text, 'x', sizeof text - 1);
    open_log(loop.path);
    for (int i = 0; i < 3; i++)
        write_log(text);
    for (int i = 0; i < 3; i++) /* the device is not held: else format would be refused */
        assert_int_equal(outlet->ops->ready(outlet, &noted, "y", 1, 0, &found), -ENOSPC);
    shell("test $(%s cat %s | tr -d x | wc -c) = 0 && test $(%s cat %s | wc -c) = %u", BURST_CLI, loop.path, BURST_CLI,
          loop.path, 3 * MIB);
    assert_int_equal(run("format --destination --force %s", loop.path), 0);
    assert_int_equal(outlet->ops->ready(outlet, &noted, "y", 1, 0, &found), OUTLET_REWIND);
    assert_int_equal(outlet->ops->ready(outlet, &noted, "y", 1, 0, &found), OUTLET_NOTE);
    checkpoint = found;
    outlet->ops->noted(outlet, &noted);
    write_log("y\n");
    assert_int_equal(run("cat %s", loop.path), 0);
    assert_string_equal(output, "y\n");
}

#define LOG_DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_outlet, end_with_outlet)

int main(void) {
    const struct CMUnitTest tests[] = {
        LOG_DEVICE_TEST(a_device_is_prepared_once_and_emptied_only_by_force),
        LOG_DEVICE_TEST(a_ring_takes_the_place_of_a_log_only_by_force),
        LOG_DEVICE_TEST(what_is_no_block_device_needs_no_preparation),
        LOG_DEVICE_TEST(a_device_that_is_too_small_is_refused_with_the_least_size),
        LOG_DEVICE_TEST(a_file_system_is_named_and_overwritten_only_by_force),
        LOG_DEVICE_TEST(a_partition_table_is_named),
        LOG_DEVICE_TEST(a_device_in_use_is_never_overwritten),
        LOG_DEVICE_TEST(a_ring_with_records_is_overwritten_only_with_their_number),
        LOG_DEVICE_TEST(cat_prints_the_log_from_any_byte_on),
        LOG_DEVICE_TEST(a_reader_that_goes_away_is_no_error),
        LOG_DEVICE_TEST(cat_says_what_is_damaged_and_prints_what_the_other_copy_says),
        LOG_DEVICE_TEST(info_shows_what_is_on_a_log_device),
        LOG_DEVICE_TEST(a_second_writer_is_refused_naming_the_first),
        LOG_DEVICE_TEST(a_log_goes_on_behind_its_bytes_whatever_the_blocks),
        LOG_DEVICE_TEST(a_full_device_is_read_out_and_formatted_beside_the_log_which_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
