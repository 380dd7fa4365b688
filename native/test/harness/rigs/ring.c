/* SPDX-License-Identifier: Apache-2.0 */
/* A ring on a medium that fails: a file on the failing file system, and a loop device over such a file, which is a
 * raw block device with any fault. Every test runs on both. */
#include "harness/rigs/rig.h"

#include "media/layout.h"

#define BLOCK 4096u
#define LAP_RECORDS ((RIG_RING_BYTES - LAYOUT_DATA_OFFSET) / BLOCK) /* of records of one block each */

static struct loop_device loop;
static const char *medium_name; /* the file that has the faults */

static int on_a_file(void **state) {
    const int rc = rig_up(state);
    loop.fd = -1;
    ring_at_path("fuse/ring");
    medium_name = "ring";
    return rc;
}

static void attach_loop(void) {
    if (!make_loop("fuse/disk", &loop))
        fail_msg("no loop device: %s", strerror(errno));
    ring_at_path(loop.path);
}

static int on_a_device(void **state) {
    const int rc = rig_up(state);
    medium_name = "disk";
    make_file("backing/disk", RIG_RING_BYTES);
    attach_loop();
    char command[200];
    snprintf(command, sizeof command, RIG_CLI " format %s >/dev/null", loop.path);
    assert_int_equal(system(command), 0);
    return rc;
}

static int done(void **state) {
    if (loop.fd >= 0)
        remove_loop(&loop);
    return rig_down(state);
}

/* Lets the medium fail behind its fixed head. */
static struct fault_rule *ring_fault(struct fault_rule wanted) {
    snprintf(wanted.name, sizeof wanted.name, "%s", medium_name);
    if (wanted.to == 0) {
        wanted.from = LAYOUT_DATA_OFFSET;
        wanted.to = UINT64_MAX;
    }
    return rule_on(&wanted);
}

#define RING_FAULT(...) ring_fault((struct fault_rule){__VA_ARGS__})

/* Opens a log whose file takes nothing: records stay in the ring. */
static burst_t *open_without_drain(void) {
    log_in("fuse");
    burst_t *log = open_small();
    append_some(log, 3, 0);
    drain_all(log);
    RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = ENOSPC, .name = "log");
    return log;
}

static void close_with_records_left(burst_t *log) {
    assert_true(burst_close(log) > 0);
    rules_off();
}

/* ------------------------------------------------------------------------------------------------ errors it says */

static void assert_write_error_is_fail_stop(int error, const char *reason) {
    burst_t *log = open_without_drain();
    append_some(log, 10, 0);
    struct fault_rule *rule = RING_FAULT(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = error, .count = 1);
    assert_fail_stop(log, reason);
    assert_int_equal(atomic_load(&rule->hits), 1); /* one try, although a second one would succeed */
    assert_told(log, "every append fails until the log is closed and opened again");
    assert_true(burst_close(log) < 0);
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

static void a_write_error_is_fail_stop(void **state) {
    (void)state;
    assert_write_error_is_fail_stop(EIO, "EIO");
}

static void a_medium_without_space_is_fail_stop(void **state) {
    (void)state;
    assert_write_error_is_fail_stop(ENOSPC, loop.fd < 0 ? "ENOSPC" : "E");
}

static void what_is_durable_is_drained_after_the_failure(void **state) {
    (void)state;
    burst_t *log = open_without_drain();
    append_some(log, 10, 0);
    RING_FAULT(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = EIO);
    assert_fail_stop(log, "EIO");
    atomic_store(&faults->rules[0].on, 0); /* the log file takes records again */
    for (const int64_t give_up_ns = now_ns() + PATIENCE_NS; stats_of(log).drained_sequence < 13; pause_ms(1))
        assert_true(now_ns() < give_up_ns);
    hear(log);
    burst_close(log);
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

static void a_checkpoint_that_cannot_be_written_is_fail_stop(void **state) {
    (void)state;
    log_in("fuse");
    burst_t *log = open_small();
    append_some(log, 3, 0);
    drain_all(log);
    RING_FAULT(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = EIO, .from = LAYOUT_CHECKPOINT_OFFSET(0),
               .to = LAYOUT_CHECKPOINT_OFFSET(2));
    witness_append(&witness, log, 0, 0); /* acknowledged; or refused, if the drain came first */
    await_state(log, BURST_STATE_FAILED);
    assert_fail_stop(log, "could not be written to ring");
    burst_close(log);
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

static void a_short_write_is_never_acknowledged(void **state) {
    (void)state;
    if (loop.fd >= 0)
        SKIP_WITH(
            "a loop device says of a short write that all is written: see a_short_write_of_the_backing_file_is_reported");
    burst_t *log = open_without_drain();
    append_some(log, 10, 0);
    RING_FAULT(.operations = FAULT_WRITE, .action = FAULT_SHORT, .amount = 512, .count = 1);
    assert_fail_stop(log, "EIO");
    burst_close(log);
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

static void a_flush_that_fails_refuses_the_open(void **state) {
    (void)state;
    burst_t *log = open_without_drain();
    append_some(log, 10, 0);
    close_with_records_left(log);
    struct fault_rule *rule = RING_FAULT(.operations = FAULT_FSYNC, .action = FAULT_FAIL, .error = EIO);
    const burst_config_t config = small_config();
    assert_refused(&config, EIO, "flushing ");
    assert_int_equal(atomic_load(&rule->hits), 1);
    reopen_and_drain();
    assert_nothing_lost("fuse");
}

/* ------------------------------------------------------------------------------------------------------- stalls */

struct slow_append {
    burst_t *log;
    int thread;
    _Atomic int64_t result;
};

static void *append_one(void *argument) {
    struct slow_append *append = argument;
    append->result = witness_append(&witness, append->log, append->thread, 0);
    return NULL;
}

/* A writer waits for the medium as long as it takes. A thread that waits for that writer gives up after
 * block_timeout. */
static void a_stall_is_waited_for_and_nothing_is_acknowledged_early(void **state) {
    (void)state;
    burst_config_t config = small_config();
    main_config.block_timeout_ns = SECOND_NS / 5;
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    struct fault_rule *rule = RING_FAULT(.operations = FAULT_WRITE, .action = FAULT_STALL, .amount = 120000);
    struct slow_append leader = {.log = log, .thread = 1};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, append_one, &leader), 0);
    await_hits(rule, 1);
    const int64_t result = witness_append(&witness, log, 0, 0);
    assert_int_equal(result, -EINPROGRESS);
    assert_non_null(strstr(burst_last_error(), "may still become so"));
    assert_int_equal(leader.result, 0);
    assert_int_equal(stats_of(log).durable_sequence, 3);
    assert_int_equal(stats_of(log).state, BURST_STATE_OPEN);
    rules_off();
    pthread_join(thread, NULL);
    assert_true(leader.result > 0);
    assert_int_equal(burst_flush(log, -1), 1); /* another thread commits the record */
    append_some(log, 3, 0);
    close_drained(log);
    assert_nothing_lost("plain");
}

/* --------------------------------------------------------------------------------------- what it does silently */

static void assert_reported(uint64_t first, uint64_t count) {
    char wanted[100], text[1000];
    burst_t *log = open_small();
    assert_int_equal(burst_recovery_statement(log, text, sizeof text), count);
    snprintf(wanted, sizeof wanted, "LOST: records %llu..%llu (%llu)", (unsigned long long)first,
             (unsigned long long)(first + count - 1), (unsigned long long)count);
    if (strstr(text, wanted) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text, wanted);
    append_some(log, 3, 0);
    close_drained(log);
    const struct findings findings = assert_whole("fuse");
    assert_int_equal(findings.told_lost, count);
    assert_int_equal(findings.lost, count);
    reopen_and_drain();
    assert_int_equal(assert_whole("fuse").told_lost, count);
}

/* The fault hits records 9 and 10 of 4 to 23. Each of these has a block of its own. */
static void assert_silent_fault_is_reported(struct fault_rule fault, int records_before) {
    burst_t *log = open_without_drain();
    if (records_before > 0) {
        rules_off();
        append_some(log, records_before, 1500);
        drain_all(log);
        RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = ENOSPC, .name = "log");
    }
    append_some(log, 5, 1500);
    fault.operations = FAULT_WRITE;
    fault.count = 2;
    struct fault_rule *rule = ring_fault(fault);
    append_some(log, 2, 1500);
    assert_int_equal(atomic_load(&rule->hits), 2);
    append_some(log, 13, 1500);
    close_with_records_left(log);
    assert_reported(9 + (uint64_t)records_before, 2);
}

static void lost_writes_are_reported(void **state) {
    (void)state;
    assert_silent_fault_is_reported((struct fault_rule){.action = FAULT_LOSE}, 0);
}

static void lost_writes_of_a_later_lap_are_reported(void **state) {
    (void)state;
    assert_silent_fault_is_reported((struct fault_rule){.action = FAULT_LOSE}, LAP_RECORDS + 20);
}

static void torn_writes_are_reported(void **state) {
    (void)state;
    assert_silent_fault_is_reported((struct fault_rule){.action = FAULT_TEAR, .amount = 512}, 0);
}

static void torn_writes_of_a_later_lap_are_reported(void **state) {
    (void)state;
    assert_silent_fault_is_reported((struct fault_rule){.action = FAULT_TEAR, .amount = 1024}, LAP_RECORDS + 20);
}

static void misdirected_writes_are_reported(void **state) {
    (void)state;
    assert_silent_fault_is_reported((struct fault_rule){.action = FAULT_MISDIRECT, .amount = 64 * BLOCK}, 0);
}

static void a_short_write_of_the_backing_file_is_reported(void **state) {
    (void)state;
    if (loop.fd < 0)
        SKIP_WITH("a file system hands a short write on: it is not silent");
    assert_silent_fault_is_reported((struct fault_rule){.action = FAULT_SHORT, .amount = 512}, 0);
}

static void unreadable_blocks_are_reported(void **state) {
    (void)state;
    burst_t *log = open_without_drain();
    append_some(log, 20, 1500);
    const struct fault_rule readable = {.operations = FAULT_READ, .action = FAULT_FAIL, .error = EIO};
    close_with_records_left(log);
    /* Finds records 9 and 10 by their text: records 1 to 3 may share a block. */
    char block[BLOCK];
    const int fd = open(loop.fd < 0 ? "backing/ring" : "backing/disk", O_RDONLY);
    uint64_t victim = 0;
    for (uint64_t at = LAYOUT_DATA_OFFSET; at < RIG_RING_BYTES && victim == 0; at += BLOCK) {
        assert_int_equal(pread(fd, block, BLOCK, (off_t)at), BLOCK);
        victim = memcmp(block + RECORD_HEADER_BYTES, "0 8 ", 4) == 0 ? at : 0;
    }
    close(fd);
    assert_true(victim != 0);
    struct fault_rule unreadable = readable;
    unreadable.from = victim + 100;
    unreadable.to = victim + BLOCK + 10; /* one sector of each record */
    ring_fault(unreadable);
    assert_reported(9, 2);
}

/* ------------------------------------------------------------------------------------------------------ recovered by hand */

static void assert_command(const char *name, int code, const char *words) {
    char command[300], said[8192];
    snprintf(command, sizeof command, RIG_CLI " %s %s 2>&1", name, ring_path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    const int rc = WEXITSTATUS(pclose(pipe));
    if (rc != code || strstr(said, words) == NULL)
        fail_msg("%s exits with %d, not %d, or does not say \"%s\": %s", name, rc, code, words, said);
}

static void assert_recover(int code, const char *words) {
    assert_command("recover", code, words);
}

/* The position on the medium where the next record would stand. */
static uint64_t end_of_the_records(void) {
    char block[BLOCK];
    uint64_t end = 0;
    const int fd = open(loop.fd < 0 ? "backing/ring" : "backing/disk", O_RDONLY);
    for (uint64_t at = LAYOUT_DATA_OFFSET; at < RIG_RING_BYTES; at += BLOCK) {
        assert_int_equal(pread(fd, block, BLOCK, (off_t)at), BLOCK);
        end = memcmp(block + RECORD_HEADER_BYTES, "0 ", 2) == 0 ? at + BLOCK : end;
    }
    close(fd);
    return end;
}

static void a_log_file_that_takes_nothing_fails_the_recovery(void **state) {
    (void)state;
    burst_t *log = open_without_drain();
    append_some(log, 5, 0);
    close_with_records_left(log);
    RULE(.operations = FAULT_WRITE, .action = FAULT_FAIL, .error = ENOSPC, .name = "log");
    assert_recover(4, "records moved: 0\n");
    rules_off();
    assert_recover(0, "records moved: 5\n");
    assert_recover(0, "records moved: 0\n");
    assert_nothing_lost("fuse");
}

static void a_ring_that_cannot_be_read_or_written_at_all_is_an_io_error(void **state) {
    (void)state;
    close_drained(open_small());
    struct fault_rule all = {.operations = FAULT_READ, .action = FAULT_FAIL, .error = EIO, .to = UINT64_MAX};
    ring_fault(all);
    assert_recover(4, "can");
    rules_off();
    RULE(.operations = FAULT_OPEN, .action = FAULT_FAIL, .error = EROFS, .name = "ring");
    assert_recover(4, "EROFS");
    rules_off();
    assert_recover(0, "records moved: 0\n");
}

static void an_end_of_the_log_that_cannot_be_read_is_told_once(void **state) {
    (void)state;
    burst_t *log = open_without_drain();
    append_some(log, 5, 1500);
    close_with_records_left(log);
    struct fault_rule unreadable = {.operations = FAULT_READ, .action = FAULT_FAIL, .error = EIO};
    unreadable.from = end_of_the_records();
    unreadable.to = unreadable.from + 512;
    ring_fault(unreadable);
    assert_command("info", 1, "of the ring cannot be read");
    assert_recover(
        1, "of the ring cannot be read: if a record after 8 stood there it is lost, and only who wrote it can know");
    assert_recover(0, "the last provable record is 8");
    assert_command("info", 1, "the last provable record is 8"); /* and has the number of bytes */
    log = open_small();
    append_some(log, 3, 0);
    close_drained(log);
    assert_recover(0, "record 11 was the last when the log was closed");
    assert_nothing_lost("fuse");
}

/* ----------------------------------------------------------------------------------------------------- power cuts */

static void cut_power(void) {
    rig_end_faultfs(SIGTERM);
    if (loop.fd >= 0)
        remove_loop(&loop);
    loop.fd = -1;
}

static void power_on(void) {
    atomic_store(&faults->cache, FAULT_CACHE_NONE);
    rig_mount_faultfs();
    if (strcmp(medium_name, "disk") == 0)
        attach_loop();
}

static struct findings cut_with(enum fault_cache cache) {
    burst_t *log = open_small();
    append_some(log, 5, 0);
    drain_all(log);
    burst_close(log);
    log = open_small();
    atomic_store(&faults->cache, cache);
    assert_int_equal(rename("plain/log", "plain/log.moved"), 0);
    assert_int_equal(mkdir("plain/log", 0700), 0); /* the drain can write nothing: the ring must hold it all */
    append_some(log, 30, 0);
    cut_power();
    witness_append(&witness, log, 0, 0);
    burst_close(log);
    assert_int_equal(rmdir("plain/log"), 0);
    power_on();
    log = open_small();
    append_some(log, 3, 0);
    close_drained(log);
    return witness_check(&witness, "plain");
}

static void a_power_cut_takes_nothing_that_was_acknowledged(void **state) {
    (void)state;
    assert_int_equal(cut_with(FAULT_CACHE_HONEST).violations, 0);
}

/* The control for the test before: this cut does take what a flush does not hold. */
static void a_power_cut_after_lying_flushes_takes_acknowledged_records(void **state) {
    (void)state;
    fputs("the violations that follow are wanted: this medium lies\n", stderr);
    const struct findings findings = cut_with(FAULT_CACHE_LYING);
    assert_true(findings.violations > 0);
    assert_int_equal(findings.duplicates, 0);
}

#define ON_BOTH(name)                                                                                                  \
    {#name "[file]", name, on_a_file, done, NULL}, {                                                                   \
#name "[device]", name, on_a_device, done, NULL                                                                \
    }

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        ON_BOTH(a_write_error_is_fail_stop),
        ON_BOTH(a_medium_without_space_is_fail_stop),
        ON_BOTH(what_is_durable_is_drained_after_the_failure),
        ON_BOTH(a_checkpoint_that_cannot_be_written_is_fail_stop),
        ON_BOTH(a_short_write_is_never_acknowledged),
        ON_BOTH(a_flush_that_fails_refuses_the_open),
        ON_BOTH(a_stall_is_waited_for_and_nothing_is_acknowledged_early),
        ON_BOTH(lost_writes_are_reported),
        ON_BOTH(lost_writes_of_a_later_lap_are_reported),
        ON_BOTH(torn_writes_are_reported),
        ON_BOTH(torn_writes_of_a_later_lap_are_reported),
        ON_BOTH(misdirected_writes_are_reported),
        ON_BOTH(a_short_write_of_the_backing_file_is_reported),
        ON_BOTH(unreadable_blocks_are_reported),
        ON_BOTH(a_log_file_that_takes_nothing_fails_the_recovery),
        cmocka_unit_test_setup_teardown(a_ring_that_cannot_be_read_or_written_at_all_is_an_io_error, on_a_file, done),
        ON_BOTH(an_end_of_the_log_that_cannot_be_read_is_told_once),
        ON_BOTH(a_power_cut_takes_nothing_that_was_acknowledged),
        ON_BOTH(a_power_cut_after_lying_flushes_takes_acknowledged_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
