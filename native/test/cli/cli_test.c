/* SPDX-License-Identifier: Apache-2.0 */
/* The command `burstlog` as its users run it: output and exit codes. */
#include "log_fixture.h"
#include "cli/run.h"

#include <fcntl.h>

#include "base/crc32c.h"
#include "one_stream.h"
#include "media/record.h"

/* Leaves three records in the ring, none of them in the log file, as a killed process does. */
static void leave_records_written_with(uint32_t io) {
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = small_config();
        config.io = io;
        burst_t *log = open_with(&config);
        block_file();
        _exit(burst_append(log, "one\n", 4, 0) == 1 && burst_append(log, "two\n", 4, 0) == 2 &&
                      burst_append(log, "three\n", 6, 0) == 3
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    unblock_file();
}

static void leave_records(void) {
    leave_records_written_with(BURST_IO_AUTO);
}

static void wrong_usage_is_told_and_exits_with_2(void **state) {
    (void)state;
    assert_int_equal(run(" "), 2);
    assert_said("usage: burstlog COMMAND");
    assert_int_equal(run("frobnicate x"), 2);
    assert_said("there is no command frobnicate");
    assert_int_equal(run("info"), 2);
    assert_int_equal(run("info a b"), 2);
    assert_int_equal(run("format --size=10Q %s", ring_path), 2);
    assert_said("10Q");
    const char *const sizes[] = {"0", "-5", "-1M", "M", "18446744073709551616", "99999999T", "1.5M", "2 Mi"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(run("format '--size=%s' %s", sizes[i], ring_path), 2);
        assert_int_equal(access(ring_path, F_OK), -1);
    }
    assert_int_equal(run("--help"), 0);
    assert_int_equal(run("recover --help"), 0);
}

static void what_is_no_ring_is_refused(void **state) {
    (void)state;
    assert_int_equal(run("info %s/none", folder), 3);
    assert_said("does not exist");
    char command[256];
    snprintf(command, sizeof command, "head -c 3000000 /dev/urandom > %s", ring_path);
    assert_int_equal(system(command), 0);
    assert_int_equal(run("info %s", ring_path), 3);
    assert_said("holds no ring");
    assert_int_equal(run("format %s", ring_path), 3);
    assert_said("is not blank");
    assert_int_equal(run("format --force %s", ring_path), 0);
    assert_int_equal(run("info %s", ring_path), 0);
}

static void format_makes_a_ring_of_the_size_asked_for(void **state) {
    (void)state;
    assert_int_equal(run("format --size=3M %s", ring_path), 0);
    struct stat status;
    assert_int_equal(stat(ring_path, &status), 0);
    assert_int_equal(status.st_size, 3 << 20);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("ring bytes: 3145728");
    assert_int_equal(run("recover %s", ring_path), 3);
    assert_said("nothing to move");
}

static void records_that_wait_are_destroyed_only_with_their_number(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("format %s", ring_path), 3);
    assert_said("--discard-records=3");
    assert_int_equal(run("format --force %s", ring_path), 3);
    assert_int_equal(run("format --force --discard-records=2 %s", ring_path), 3);
    assert_int_equal(run("format --force --discard-records=4 %s", ring_path), 3);
    assert_int_equal(run("format --force --discard-records=3x %s", ring_path), 2);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("records waiting: 3");
    assert_int_equal(run("format --discard-records=3 %s", ring_path), 0);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("records waiting: 0");
}

static void the_plug_pull_test_does_not_overwrite_records_that_wait(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1 --force", ring_path), 3);
    assert_said("holds a ring with 3 records that are in no log file yet");
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_file_is("one\ntwo\nthree\n");
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1", ring_path), 3);
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 1 --force", ring_path), 0);
}

static void recover_moves_what_waits_and_a_second_time_nothing(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("records moved: 3");
    assert_file_is("one\ntwo\nthree\n");
    assert_int_equal(run("recover --json %s", ring_path), 0);
    assert_said("\"records_moved\": 0");
    assert_file_is("one\ntwo\nthree\n");
    assert_int_equal(run("format %s", ring_path), 3);
    assert_said("--force");
}

static void a_mapped_ring_is_shown_recovered_and_formatted_like_any_other(void **state) {
    (void)state;
    leave_records_written_with(BURST_IO_MAPPED);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("engine: mapped");
    assert_said("no other engine can write it");
    assert_said("survives: process");
    assert_said("line bytes: 64");
    assert_said("records waiting: 3");
    assert_int_equal(run("dump %s", ring_path), 0);
    assert_said("three");
    assert_int_equal(run("format --force %s", ring_path), 3);
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("records moved: 3");
    assert_file_is("one\ntwo\nthree\n");
    burst_config_t config = small_config();
    config.io = BURST_IO_MAPPED;
    burst_t *log = open_with(&config);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_int_equal(run("recover %s", ring_path), 3);
    burst_close(log);
    assert_int_equal(run("format --force %s", ring_path), 0);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("line bytes: 64");
}

static void a_ring_in_use_can_be_shown_but_not_recovered(void **state) {
    (void)state;
    burst_t *log = open_small();
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said(pid);
    assert_int_equal(run("recover %s", ring_path), 3);
    assert_said(pid);
    assert_int_equal(run("format --force %s", ring_path), 3);
    burst_close(log);
}

static void of_a_ring_in_use_threads_and_image_are_shown(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.drain_cpu = first_cpu();
    assert_int_equal(run("format --size=2M %s", ring_path), 0);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_null(strstr(output, "placement"));
    burst_t *log = open_with(&config);
    char process[48], placed[64];
    snprintf(process, sizeof process, "process: %d", (int)getpid());
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("placement");
    assert_said(process);
    assert_said("locked, ");
    assert_said("of 1 MiB in huge pages");
    assert_said("thread: burst-drain");
    snprintf(placed, sizeof placed, "runs on: CPU %s, SCHED_OTHER\n", config.drain_cpu);
    assert_said(placed);
    assert_said("thread: burst-commit");
    assert_int_equal(run("info --json %s", ring_path), 0);
    snprintf(placed, sizeof placed, "\"runs_on\": \"CPU %s, SCHED_OTHER\"", config.drain_cpu);
    assert_said(placed);
    burst_close(log);
    assert_int_equal(run("info --json %s", ring_path), 0);
    assert_said("\"placement\": []");
}

static void damage_is_shown_with_its_range_and_exits_with_1(void **state) {
    (void)state;
    leave_records();
    const int ring = open(ring_path, O_RDWR);
    /* Block 0 has the marker, block 1 has record 1. */
    assert_int_equal(pwrite(ring, "x", 1, LAYOUT_DATA_OFFSET + 4096 + RECORD_HEADER_BYTES + 1), 1);
    close(ring);
    assert_int_equal(run("info --json %s", ring_path), 1);
    assert_said("\"records_lost\": 1");
    assert_said("LOST: records 1..1 (1), damaged at positions 4096..8192");
    assert_int_equal(run("recover %s", ring_path), 1);
    assert_file_is("[burstlog: records 1..1 (1) are lost: the ring is damaged at positions 4096..8192]\ntwo\nthree\n");
    assert_int_equal(run("recover %s", ring_path), 0);
}

static void one_bad_copy_is_used_around_and_repaired_two_are_refused(void **state) {
    (void)state;
    leave_records();
    const int ring = open(ring_path, O_RDWR);
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_SUPERBLOCK_OFFSET(0) + 40), 4);
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_CHECKPOINT_OFFSET(1) + 40), 4);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("copy 0: damaged");
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("superblock copy 0 of ring");
    assert_file_is("one\ntwo\nthree\n");
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("copy 0: valid");
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_CHECKPOINT_OFFSET(0) + 40), 4);
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_CHECKPOINT_OFFSET(1) + 40), 4);
    assert_int_equal(run("recover %s", ring_path), 1);
    assert_said("both checkpoints");
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_SUPERBLOCK_OFFSET(0) + 40), 4);
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_SUPERBLOCK_OFFSET(1) + 40), 4);
    close(ring);
    assert_int_equal(run("info %s", ring_path), 1);
    assert_said("both superblock copies");
}

static void a_ring_that_is_whole_and_cannot_be_opened_is_shown_as_refused(void **state) {
    (void)state;
    leave_records();
    static struct one_stream slot;
    struct superblock superblock;
    const int ring = open(ring_path, O_RDWR);
    assert_int_equal(pread(ring, &superblock, sizeof superblock, 0), sizeof superblock);
    for (unsigned i = 0; i < LAYOUT_CHECKPOINT_SLOTS; i++) { /* all epochs are used up */
        assert_int_equal(pread(ring, &slot, sizeof slot, (off_t)LAYOUT_CHECKPOINT_OFFSET(i)), sizeof slot);
        slot.head.epoch = UINT32_MAX;
        one_stream_seal(&slot, crc_seed_of(superblock.uuid));
        assert_int_equal(pwrite(ring, &slot, sizeof slot, (off_t)LAYOUT_CHECKPOINT_OFFSET(i)), sizeof slot);
    }
    close(ring);
    const char *const commands[] = {"info", "verify", "dump"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run("%s %s", commands[i], ring_path), 1);
        assert_said("refused: ring ");
        assert_said("epoch 4294967295");
    }
    assert_int_equal(run("recover %s", ring_path), 1);
}

static void a_truncated_ring_is_refused_naming_both_sizes(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(truncate(ring_path, 1500 * 1024), 0);
    assert_int_equal(run("info %s", ring_path), 1);
    assert_said("has 1536000 bytes but was formatted with 2097152");
}

/* The figures differ from medium to medium: the test looks only at where they are. */
static void info_shows_which_engine_auto_takes_and_measures_anew_when_asked(void **state) {
    (void)state;
    assert_int_equal(run("format --size=2M %s", ring_path), 0);
    assert_said("io=auto writes it by ");
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("io auto\n  engine: ");
    assert_int_equal(run("info --json %s", ring_path), 0);
    assert_said("\"io_auto\": {");
    assert_said("\"because\": \"");
    assert_said("\"figures\": [");
    const int measured = times_said("\"faster_than_the_first\": ");
    assert_int_equal(run("info --calibrate %s", ring_path), 0);
    assert_said("io auto\n  engine: ");
    assert_int_equal(times_said("p50 ns: "), measured);
    assert_int_equal(times_said("beat pwrite in: ") + times_said(" pairs\n"), 2 * (measured - 1));
    burst_t *log = open_small();
    assert_int_equal(run("info %s", ring_path), 0);
    assert_int_equal(run("info --calibrate --json %s", ring_path), 3); /* refused while a writer has the ring */
    assert_said("is held by process");
    burst_close(log);
    assert_int_equal(run("info --calibrate %s/none", folder), 3);
}

static void dump_shows_what_waits_what_is_drained_and_what_is_lost(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("dump %s", ring_path), 0);
    assert_said("marker");
    assert_said("waiting data");
    assert_said("\"three\\n\"");
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_int_equal(run("dump %s", ring_path), 0);
    assert_said("drained data");
    assert_said("\"one\\n\"");
    assert_null(strstr(output, "waiting data"));
    assert_int_equal(run("dump %s/none", folder), 3);
    assert_int_equal(run("dump"), 2);
}

static void dump_shows_a_damaged_ring_and_exits_with_1(void **state) {
    (void)state;
    leave_records();
    const int ring = open(ring_path, O_RDWR);
    assert_int_equal(pwrite(ring, "x", 1, LAYOUT_DATA_OFFSET + 4096 + RECORD_HEADER_BYTES + 1), 1);
    close(ring);
    assert_int_equal(run("dump %s", ring_path), 1);
    assert_said("4096 up to 8192: LOST, records 1..1 (1)");
    assert_null(strstr(output, "\"one"));
    assert_said("\"two\\n\"");
    assert_int_equal(run("dump --json %s", ring_path), 1);
    assert_said("\"state\": \"lost\"");
    assert_said("\"payload\": \"two\\\\n\"");
}

static void dump_shows_what_stands_in_a_ring_that_cannot_be_opened(void **state) {
    (void)state;
    leave_records();
    const int ring = open(ring_path, O_RDWR);
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_CHECKPOINT_OFFSET(0) + 40), 4);
    assert_int_equal(pwrite(ring, "xxxx", 4, (off_t)LAYOUT_CHECKPOINT_OFFSET(1) + 40), 4);
    assert_int_equal(run("dump %s", ring_path), 1);
    assert_said("refused: both checkpoints");
    assert_said("found   data");
    assert_said("\"one\\n\"");
    assert_said("\"three\\n\"");
    assert_int_equal(run("dump --json %s", ring_path), 1);
    assert_said("\"state\": \"found\"");
    assert_int_equal(run("verify %s", ring_path), 1);
    assert_said("refused: both checkpoints");
    assert_int_equal(ftruncate(ring, LAYOUT_DATA_OFFSET + 3 * 4096), 0);
    assert_int_equal(run("dump %s", ring_path), 1);
    assert_said("it was cut");
    assert_said("\"two\\n\"");
    assert_null(strstr(output, "\"three"));
    close(ring);
}

/* The head claims 128 GiB, which the file does not have. */
static void a_refused_ring_is_read_as_far_as_its_medium_goes(void **state) {
    (void)state;
    struct superblock superblock;
    leave_records();
    const int ring = open(ring_path, O_RDWR);
    assert_int_equal(pread(ring, &superblock, sizeof superblock, 0), sizeof superblock);
    superblock.capacity_bytes = 1ull << 37;
    superblock.medium_bytes = superblock.data_offset + superblock.capacity_bytes;
    superblock.crc = crc32c(0, &superblock, offsetof(struct superblock, crc));
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        assert_int_equal(pwrite(ring, &superblock, sizeof superblock, (off_t)LAYOUT_SUPERBLOCK_OFFSET(copy)),
                         sizeof superblock);
    }
    close(ring);
    assert_int_equal(run("dump %s", ring_path), 1);
    assert_said("it was cut");
    assert_said("\"three\\n\"");
}

static void verify_finds_no_damage_in_a_whole_ring(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("verify %s", ring_path), 0);
    assert_said("records waiting: 3");
    assert_said("payload bytes: 14");
    assert_said("verdict: no damage found");
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_int_equal(run("verify --json %s", ring_path), 0);
    assert_said("\"records_drained\": 3");
    assert_int_equal(run("verify"), 2);
    assert_int_equal(run("verify %s/none", folder), 3);
}

static void assert_verify_finds(off_t offset, const char *words) {
    char kept;
    const int ring = open(ring_path, O_RDWR);
    assert_int_equal(pread(ring, &kept, 1, offset), 1);
    const char other = (char)(kept ^ 1);
    assert_int_equal(pwrite(ring, &other, 1, offset), 1);
    assert_int_equal(run("verify %s", ring_path), 1);
    assert_said(words);
    assert_said("verdict: damage found");
    assert_int_equal(pwrite(ring, &kept, 1, offset), 1);
    assert_int_equal(run("verify %s", ring_path), 0);
    close(ring);
}

static void verify_finds_each_bad_copy_and_each_bad_record(void **state) {
    (void)state;
    leave_records();
    assert_verify_finds(LAYOUT_SUPERBLOCK_OFFSET(1) + 40, "bad superblocks: 1");
    assert_verify_finds(LAYOUT_CHECKPOINT_OFFSET(0) + 40, "bad checkpoints: 1");
    assert_verify_finds(LAYOUT_DATA_OFFSET + 4096 + RECORD_HEADER_BYTES, "records lost: 1");
    assert_verify_finds(LAYOUT_DATA_OFFSET + 4096 + 8, "records lost: 1");
}

static void bytes_that_are_no_text_do_not_reach_the_terminal(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        static const char bytes[] = "\x1b[2J\xff\xc3\xa4\"\\\x80\t\xe2\x80\xae";
        burst_t *log = open_small();
        block_file();
        _exit(burst_append(log, bytes, sizeof bytes, 0) == 1 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    unblock_file();
    assert_int_equal(run("dump %s", ring_path), 0);
    assert_said("\"\\x1b[2J\\xff\xc3\xa4\"\\\\\\x80\\t\\xe2\\x80\\xae\\x00\"");
    assert_int_equal(run("dump --json %s", ring_path), 0);
    assert_said("\"\\\\x1b[2J\\\\xff\xc3\xa4\\\"\\\\\\\\\\\\x80\\\\t");
}

static void names_that_are_no_text_are_escaped_in_json(void **state) {
    (void)state;
    char odd[256];
    burst_close(open_small());
    snprintf(odd, sizeof odd, "%s/o\"d\\d\x01\xff\n", folder);
    assert_int_equal(rename(ring_path, odd), 0);
    const char *const commands[] = {"info", "verify", "recover", "dump"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(run("%s --json '%s'", commands[i], odd), 0);
        assert_said("/o\\\"d\\\\d\\u0001\\ufffd\\u000a\"");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(wrong_usage_is_told_and_exits_with_2),
        TEST(what_is_no_ring_is_refused),
        TEST(format_makes_a_ring_of_the_size_asked_for),
        TEST(records_that_wait_are_destroyed_only_with_their_number),
        TEST(the_plug_pull_test_does_not_overwrite_records_that_wait),
        TEST(recover_moves_what_waits_and_a_second_time_nothing),
        TEST(a_mapped_ring_is_shown_recovered_and_formatted_like_any_other),
        TEST(a_ring_in_use_can_be_shown_but_not_recovered),
        TEST(of_a_ring_in_use_threads_and_image_are_shown),
        TEST(damage_is_shown_with_its_range_and_exits_with_1),
        TEST(one_bad_copy_is_used_around_and_repaired_two_are_refused),
        TEST(a_ring_that_is_whole_and_cannot_be_opened_is_shown_as_refused),
        TEST(a_truncated_ring_is_refused_naming_both_sizes),
        TEST(info_shows_which_engine_auto_takes_and_measures_anew_when_asked),
        TEST(dump_shows_what_waits_what_is_drained_and_what_is_lost),
        TEST(dump_shows_a_damaged_ring_and_exits_with_1),
        TEST(dump_shows_what_stands_in_a_ring_that_cannot_be_opened),
        TEST(a_refused_ring_is_read_as_far_as_its_medium_goes),
        TEST(verify_finds_no_damage_in_a_whole_ring),
        TEST(verify_finds_each_bad_copy_and_each_bad_record),
        TEST(bytes_that_are_no_text_do_not_reach_the_terminal),
        TEST(names_that_are_no_text_are_escaped_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
