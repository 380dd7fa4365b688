/* SPDX-License-Identifier: Apache-2.0 */
/* Real block devices whose bytes others have changed. Every test runs on a loop and on a zram device. */
#include "cli/loop_fixture.h"

#include "log/log.h"
#include "media/layout.h"

static struct zram_device zram;
static char device[PATH_BYTES];

static int on_loop(void **state) {
    const int rc = begin(state);
    device[0] = '\0';
    make_file(scratch_path("backing"), 4 * MIB);
    if (make_loop(scratch_path("backing"), &loop))
        snprintf(device, sizeof device, "%s", loop.path);
    return rc;
}

static int on_zram(void **state) {
    const int rc = begin(state);
    device[0] = '\0';
    if (make_zram("4M", scratch_path("zram"), &zram))
        snprintf(device, sizeof device, "%s", zram.path);
    return rc;
}

#define NEED_DEVICE()                                                                                                  \
    if (device[0] == '\0')                                                                                             \
    SKIP_WITH("no such device here; wants root and its module")

/* Leaves three records that are in no log file, as a killed process does. */
static void leave_three(const char *const what[3]) {
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config;
        burst_config_init(&config);
        config.ring = device;
        config.main = main_of(scratch_path("log"));
        config.durability = BURST_DURABILITY_PROCESS;
        config.drain_interval_ns = 3600 * SECOND_NS;
        burst_t *log;
        int rc = burst_open(&config, &log);
        if (rc == 0)
            threads_stop_drain(&log->threads); /* before its first look */
        for (int i = 0; i < 3 && rc >= 0; i++)
            rc = burst_append(log, what[i], strlen(what[i]), 0) > 0 ? 0 : -1;
        _exit(rc < 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void leave_records(const char *what) {
    leave_three((const char *const[3]){what, what, what});
}

static const char *const three[3] = {"first\n", "second\n", "third\n"};

static void overwrite_at(uint64_t offset, size_t place) {
    uint8_t block[4096];
    const int fd = open(device, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, block, sizeof block, (off_t)offset), sizeof block);
    memset(block + place, 'x', 4);
    assert_int_equal(pwrite(fd, block, sizeof block, (off_t)offset), sizeof block);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

static void overwrite(uint64_t offset) {
    overwrite_at(offset, 40);
}

static void assert_log_is(const char *wanted) {
    snprintf(file_path, sizeof file_path, "%s", scratch_path("log"));
    assert_file_is(wanted);
}

static void copy_device(const char *name) {
    shell("dd if=%s of=%s bs=1M status=none", device, scratch_path(name));
}

static void records_of_a_ring_that_was_here_before_are_never_delivered(void **state) {
    (void)state;
    NEED_DEVICE();
    assert_int_equal(run("format %s", device), 0);
    leave_records("of the first ring\n");
    assert_int_equal(run("format --force %s", device), 3);
    assert_said("--discard-records=3");
    assert_int_equal(run("format --discard-records=3 %s", device), 0);
    assert_int_equal(run("dump %s", device), 0);
    assert_null(strstr(output, "of the first ring"));
    leave_records("second\n");
    assert_int_equal(run("recover %s", device), 0);
    assert_said("records moved: 3");
    assert_log_is("second\nsecond\nsecond\n");
}

static void one_bad_copy_is_used_around_and_repaired(void **state) {
    (void)state;
    NEED_DEVICE();
    assert_int_equal(run("format %s", device), 0);
    leave_records("a\n");
    overwrite(LAYOUT_SUPERBLOCK_OFFSET(0));
    overwrite(LAYOUT_CHECKPOINT_OFFSET(1));
    assert_int_equal(run("info %s", device), 0);
    assert_said("copy 0: damaged");
    assert_int_equal(run("recover %s", device), 0);
    assert_said("superblock copy 0 of ring");
    assert_said("is repaired");
    assert_log_is("a\na\na\n");
    assert_int_equal(run("info %s", device), 0);
    assert_said("copy 0: valid");
    overwrite(LAYOUT_SUPERBLOCK_OFFSET(1)); /* the repaired copy must be whole */
    assert_int_equal(run("recover %s", device), 0);
}

static void assert_refused_and_left_as_it_is(const char *word) {
    copy_device("before");
    assert_ring_refused(device, EUCLEAN, word);
    assert_int_equal(run("recover %s", device), 1);
    assert_said(word);
    assert_int_equal(run("info %s", device), 1);
    assert_int_equal(run("format %s", device), 1);
    assert_int_equal(run("format --force %s", device), 1);
    assert_said("--force and --discard-records=0 together");
    copy_device("after");
    shell("cmp %s %s", scratch_path("before"), scratch_path("after"));
    assert_int_equal(run("dump %s", device), 1); /* its records can still be read */
    assert_said(word);
    assert_said("\"first\\n\"");
    assert_int_equal(run("dump --json %s", device), 1);
    const char *first = strstr(output, "\"first"), *second = strstr(output, "\"second"),
               *third = strstr(output, "\"third");
    assert_true(first != NULL && first < second && second < third);
    copy_device("after");
    shell("cmp %s %s", scratch_path("before"), scratch_path("after"));
}

static void with_both_superblocks_bad_it_is_refused_and_left_as_it_is(void **state) {
    (void)state;
    NEED_DEVICE();
    assert_int_equal(run("format %s", device), 0);
    leave_three(three);
    overwrite(LAYOUT_SUPERBLOCK_OFFSET(0));
    overwrite(LAYOUT_SUPERBLOCK_OFFSET(1));
    assert_refused_and_left_as_it_is("both superblock copies");
}

static void with_both_checkpoints_bad_it_is_refused_and_left_as_it_is(void **state) {
    (void)state;
    NEED_DEVICE();
    assert_int_equal(run("format %s", device), 0);
    leave_three(three);
    overwrite(LAYOUT_CHECKPOINT_OFFSET(0));
    overwrite(LAYOUT_CHECKPOINT_OFFSET(1));
    assert_refused_and_left_as_it_is("both checkpoints");
}

static void without_any_superblock_or_checkpoint_its_own_records_can_be_read(void **state) {
    (void)state;
    NEED_DEVICE();
    assert_int_equal(run("dump %s", device), 3);
    assert_said("holds no ring");
    assert_int_equal(run("format %s", device), 0);
    leave_records("of the first ring\n");
    assert_int_equal(run("format --discard-records=3 %s", device), 0);
    leave_three(three);
    for (int i = 0; i < 2; i++) {
        overwrite(LAYOUT_SUPERBLOCK_OFFSET(i));
        overwrite(LAYOUT_CHECKPOINT_OFFSET(i));
    }
    assert_int_equal(run("dump %s", device), 1);
    assert_null(strstr(output, "of the first ring"));
    assert_said("\"second");
    /* Block 0 has the marker, block 1 has record 1. */
    overwrite_at(LAYOUT_DATA_OFFSET + 2 * 4096, RECORD_HEADER_BYTES + 1);
    assert_int_equal(run("dump %s", device), 1);
    assert_said("\"first");
    assert_said("\"third");
    assert_null(strstr(output, "\"second"));
    overwrite(LAYOUT_DATA_OFFSET + 1 * 4096);
    assert_int_equal(run("dump %s", device), 1);
    assert_null(strstr(output, "\"first"));
    assert_said("\"third");
}

/* The writer's writes succeed and make the file longer again. Records in memory reach the log
 * file, but the ring is gone. */
static void a_loop_device_whose_file_is_cut_loses_nothing_that_its_writer_still_has(void **state) {
    (void)state;
    NEED_DEVICE();
    assert_int_equal(run("format %s", device), 0);
    burst_t *log;
    open_at(device, &log);
    assert_true(burst_append(log, "before\n", 7, 0) > 0);
    assert_int_equal(truncate(scratch_path("backing"), 0), 0);
    const int64_t rc = burst_append(log, "after\n", 6, 0);
    burst_close(log);
    assert_log_is(rc > 0 ? "before\nafter\n" : "before\n");
    burst_config_t config;
    burst_config_init(&config);
    config.ring = device;
    config.main = main_of(scratch_path("log"));
    config.durability = BURST_DURABILITY_PROCESS;
    assert_true(burst_open(&config, &log) < 0); /* the open makes no new ring in its place */
    assert_null(log);
}

#define ON_BOTH(name)                                                                                                  \
    {#name "[loop]", name, on_loop, end, NULL}, {                                                                      \
#name "[zram]", name, on_zram, end, NULL                                                                       \
    }

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_BOTH(records_of_a_ring_that_was_here_before_are_never_delivered),
        ON_BOTH(one_bad_copy_is_used_around_and_repaired),
        ON_BOTH(with_both_superblocks_bad_it_is_refused_and_left_as_it_is),
        ON_BOTH(with_both_checkpoints_bad_it_is_refused_and_left_as_it_is),
        ON_BOTH(without_any_superblock_or_checkpoint_its_own_records_can_be_read),
        cmocka_unit_test_setup_teardown(a_loop_device_whose_file_is_cut_loses_nothing_that_its_writer_still_has,
                                        on_loop, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
