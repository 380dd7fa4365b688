/* SPDX-License-Identifier: Apache-2.0 */
/* A log file on a file system that fails: the drain's answers lose no record and double none. */
#include "harness/rigs/rig.h"

static burst_t *open_in_fuse(void) {
    log_in("fuse");
    burst_t *log = open_small();
    append_some(log, 5, 0);
    drain_all(log);
    return log;
}

static const char *current_file(burst_t *log) {
    static char path[BURST_PATH_BYTES];
    assert_int_equal(burst_current_file(log, path, sizeof path), 0);
    return path;
}

static int file_count(void) {
    return log_files_in("fuse");
}

/* Appends go on while the file cannot be written; then the same file gets everything. */
static void assert_stall_and_resumption(int error, const char *name) {
    burst_t *log = open_in_fuse();
    struct fault_rule *rule = RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = error, .name = "log");
    append_some(log, 50, 0);
    await_hits(rule, 3);
    await_state(log, BURST_STATE_STALLED);
    assert_told(log, "cannot be written: ");
    assert_told(log, name);
    append_some(log, 50, 0);
    assert_int_equal(burst_await_drained(log, SECOND_NS / 20), 0);
    rules_off();
    await_told(log, "is being written again");
    close_drained(log);
    assert_int_equal(file_count(), 1);
    assert_nothing_lost("fuse");
}

static void a_write_that_fails_with_eio_is_tried_again(void **state) {
    (void)state;
    assert_stall_and_resumption(EIO, "EIO");
}

static void a_full_file_system_stalls_the_drain_until_there_is_space(void **state) {
    (void)state;
    assert_stall_and_resumption(ENOSPC, "ENOSPC");
}

static void a_used_up_quota_stalls_the_drain_until_there_is_space(void **state) {
    (void)state;
    assert_stall_and_resumption(EDQUOT, "EDQUOT");
}

static void a_read_only_file_system_stalls_the_drain(void **state) {
    (void)state;
    assert_stall_and_resumption(EROFS, "EROFS");
}

static void an_interrupted_write_is_repeated_without_a_word(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    struct fault_rule *rule =
        RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = EINTR, .count = 5, .name = "log");
    append_some(log, 10, 0);
    drain_all(log);
    assert_int_equal(atomic_load(&rule->hits), 5);
    hear(log);
    assert_null(strstr(events_text, "cannot be written"));
    close_drained(log);
    assert_nothing_lost("fuse");
}

static void a_failed_sync_is_not_repeated_and_the_records_go_to_a_new_file(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    struct fault_rule *failing =
        RULE(.operations = FAULT_FSYNC, .action = FAULT_FAIL, .error = EIO, .count = 1, .name = "log");
    struct fault_rule *writes = RULE(.operations = FAULT_WRITE, .action = FAULT_STALL, .name = "log");
    append_some(log, 20, 0);
    drain_all(log);
    /* The second sync is that of the cut. After it nobody touches the file any more. */
    const uint64_t syncs = atomic_load(&failing->seen), written = atomic_load(&writes->seen);
    assert_int_equal(syncs, 2);
    append_some(log, 20, 0);
    drain_all(log);
    assert_int_equal(atomic_load(&failing->seen), syncs);
    assert_int_equal(atomic_load(&writes->seen), written);
    assert_told(log, "syncing log file");
    assert_told(log, "records from 6 on go to log file");
    assert_non_null(strstr(current_file(log), "/fuse/log.burst-6"));
    close_drained(log);
    assert_int_equal(file_count(), 2);
    assert_nothing_lost("fuse");
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

static void syncs_that_never_succeed_leave_everything_in_the_ring(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    struct fault_rule *rule = RULE(.operations = FAULT_FSYNC, .action = FAULT_FAIL, .error = EIO);
    append_some(log, 20, 0);
    await_hits(rule, 20);
    await_state(log, BURST_STATE_STALLED);
    assert_int_equal(stats_of(log).drained_sequence, 5);
    append_some(log, 20, 0);
    assert_int_equal(burst_close(log), 40);
    assert_true(file_count() <= 3); /* not one for each attempt */
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

static void a_sync_whose_cut_fails_too_is_reported(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    RULE(.operations = FAULT_FSYNC, .action = FAULT_FAIL, .error = EIO, .count = 1, .name = "log");
    RULE(.operations = FAULT_TRUNCATE, .action = FAULT_FAIL, .error = EIO, .name = "log");
    append_some(log, 20, 0);
    drain_all(log);
    assert_told(log, "could not be cut: EIO");
    assert_told(log, "records from 6 on may be twice, at its end and in the new file");
    close_drained(log);
    witness.doubles_allowed = 1;
    const struct findings findings = witness_check(&witness, "fuse");
    assert_true(findings.duplicates > 0); /* as the event says; and none of them is missing */
    assert_int_equal(findings.present - findings.duplicates, 25);
    assert_int_equal(findings.violations, 0);
}

static void short_writes_are_continued(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    struct fault_rule *rule = RULE(.operations = FAULT_WRITE, .action = FAULT_SHORT, .amount = 7, .name = "log");
    append_some(log, 30, 200);
    await_hits(rule, 30);
    rules_off();
    close_drained(log);
    assert_int_equal(file_count(), 1);
    assert_nothing_lost("fuse");
}

static void writes_of_nothing_stall_the_drain(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    RULE(.operations = FAULT_WRITE, .action = FAULT_SHORT, .amount = 0, .name = "log");
    append_some(log, 30, 0);
    await_state(log, BURST_STATE_STALLED);
    rules_off();
    close_drained(log);
    assert_nothing_lost("fuse");
}

static void a_file_system_that_stalls_does_not_stall_appends(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    struct fault_rule *rule = RULE(.operations = FAULT_WRITE, .action = FAULT_STALL, .amount = 120000, .name = "log");
    append_some(log, 1, 0);
    await_hits(rule, 1);
    append_some(log, 100, 0);
    assert_int_equal(stats_of(log).drained_sequence, 5);
    assert_int_equal(stats_of(log).durable_sequence, 106);
    rules_off();
    close_drained(log);
    assert_int_equal(file_count(), 1);
    assert_nothing_lost("fuse");
}

/* Waits until the older checkpoint also releases the space, a moment after the drain. */
static void await_space(burst_t *log) {
    for (const int64_t give_up_ns = now_ns() + PATIENCE_NS; stats_of(log).used_bytes > (512 << 10); pause_ms(1))
        assert_true(now_ns() < give_up_ns);
}

static void fill_ring(burst_t *log, int last) {
    int64_t result = 1;
    for (int i = 0; i < 20000 && result > 0; i++)
        result = witness_append(&witness, log, 0, 1500);
    assert_int_equal(result, last);
}

static void a_dead_destination_fills_the_ring_and_then_appends_fail(void **state) {
    (void)state;
    log_in("fuse");
    burst_config_t config = small_config();
    main_config.on_full = BURST_ON_FULL_FAIL;
    burst_t *log = open_with(&config);
    RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = EIO, .name = "log");
    fill_ring(log, -EAGAIN);
    await_state(log, BURST_STATE_STALLED);
    assert_non_null(strstr(burst_last_error(), "is full"));
    rules_off();
    drain_all(log);
    await_space(log);
    append_some(log, 10, 0);
    close_drained(log);
    assert_nothing_lost("fuse");
}

static void a_dead_destination_fills_the_ring_and_then_appends_time_out(void **state) {
    (void)state;
    log_in("fuse");
    burst_config_t config = small_config();
    main_config.block_timeout_ns = SECOND_NS / 5;
    burst_t *log = open_with(&config);
    RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = EIO, .name = "log");
    fill_ring(log, -ETIMEDOUT);
    rules_off();
    drain_all(log);
    await_space(log);
    append_some(log, 10, 0);
    close_drained(log);
    assert_nothing_lost("fuse");
}

static void *append_blocking(void *argument) {
    append_some(argument, 30, 1500);
    return NULL;
}

static void a_dead_destination_blocks_appends_until_it_lives_again(void **state) {
    (void)state;
    log_in("fuse");
    burst_t *log = open_small();
    RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = EIO, .name = "log");
    const uint64_t capacity = stats_of(log).capacity_bytes;
    while (stats_of(log).used_bytes + (64 << 10) < capacity)
        append_some(log, 1, 1500);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, append_blocking, log), 0);
    await_told(log, "appends wait until its records are in the log file");
    rules_off();
    assert_int_equal(pthread_join(thread, NULL), 0);
    close_drained(log);
    assert_nothing_lost("fuse");
}

static void the_daemon_of_the_file_system_dies_and_comes_back(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    append_some(log, 20, 0);
    rig_end_faultfs(SIGKILL);
    append_some(log, 20, 0);
    await_state(log, BURST_STATE_STALLED);
    rig_mount_faultfs();
    append_some(log, 20, 0);
    close_drained(log);
    assert_nothing_lost("fuse");
}

/* The daemon took bytes behind the last checkpoint along: they are not lost, and not in a second file. */
static void the_daemon_of_the_file_system_dies_during_a_sync(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    struct fault_rule *rule = RULE(.operations = FAULT_FSYNC, .action = FAULT_STALL, .amount = 120000, .name = "log");
    append_some(log, 20, 0);
    await_hits(rule, 1);
    rig_end_faultfs(SIGKILL);
    append_some(log, 20, 0);
    await_state(log, BURST_STATE_STALLED);
    rules_off();
    rig_mount_faultfs();
    close_drained(log);
    assert_nothing_lost("fuse");
    assert_int_equal(file_count(), 1);
}

static void what_a_dead_file_system_did_not_take_the_next_open_moves(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    rig_end_faultfs(SIGKILL);
    append_some(log, 20, 0);
    assert_int_equal(burst_close(log), 20);
    rig_mount_faultfs();
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

static void a_log_file_that_cannot_be_opened_refuses_the_open(void **state) {
    (void)state;
    burst_t *log = open_in_fuse();
    assert_int_equal(burst_close(log), 0);
    RULE(.operations = FAULT_OPEN, .action = FAULT_FAIL, .error = EIO, .name = "log");
    const burst_config_t config = small_config();
    assert_refused(&config, EIO, "fuse/log");
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_write_that_fails_with_eio_is_tried_again),
        RIG_TEST(a_full_file_system_stalls_the_drain_until_there_is_space),
        RIG_TEST(a_used_up_quota_stalls_the_drain_until_there_is_space),
        RIG_TEST(a_read_only_file_system_stalls_the_drain),
        RIG_TEST(an_interrupted_write_is_repeated_without_a_word),
        RIG_TEST(a_failed_sync_is_not_repeated_and_the_records_go_to_a_new_file),
        RIG_TEST(syncs_that_never_succeed_leave_everything_in_the_ring),
        RIG_TEST(a_sync_whose_cut_fails_too_is_reported),
        RIG_TEST(short_writes_are_continued),
        RIG_TEST(writes_of_nothing_stall_the_drain),
        RIG_TEST(a_file_system_that_stalls_does_not_stall_appends),
        RIG_TEST(a_dead_destination_fills_the_ring_and_then_appends_fail),
        RIG_TEST(a_dead_destination_fills_the_ring_and_then_appends_time_out),
        RIG_TEST(a_dead_destination_blocks_appends_until_it_lives_again),
        RIG_TEST(the_daemon_of_the_file_system_dies_and_comes_back),
        RIG_TEST(the_daemon_of_the_file_system_dies_during_a_sync),
        RIG_TEST(what_a_dead_file_system_did_not_take_the_next_open_moves),
        RIG_TEST(a_log_file_that_cannot_be_opened_refuses_the_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
