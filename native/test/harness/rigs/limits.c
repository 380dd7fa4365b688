/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Media stall inside a call with a time limit, and go on only after the call has returned. So a call that waits for the
 * medium hangs until the stall gives up by itself; then its result is not the expected one.
 */
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "harness/rigs/rig.h"

#define STALL_MS 120000
#define LIMIT_NS (SECOND_NS / 5)
#define STALL(...) RULE(.action = FAULT_STALL, .amount = STALL_MS, __VA_ARGS__)

static burst_config_t limited_config(void) {
    burst_config_t config = small_config();
    main_config.block_timeout_ns = LIMIT_NS;
    config.shutdown_timeout_ns = LIMIT_NS;
    return config;
}

static struct fault_rule *stall_ring(void) {
    return STALL(.operations = FAULT_WRITE, .name = "ring");
}

struct slow_append {
    burst_t *log;
    int thread;
    int64_t result;
};

static void *append_one(void *argument) {
    struct slow_append *append = argument;
    append->result = witness_append(&witness, append->log, append->thread, 0);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------- the ring's medium */

static void assert_waits_return(burst_t *log, int64_t sequence) {
    assert_int_equal(burst_await_durable(log, sequence, 1000000), 0);
    assert_int_equal(burst_flush(log, 1000000), 0);
    assert_int_equal(burst_await_drained(log, 1000000), 0);
    assert_int_equal(burst_flush(log, LIMIT_NS), 0);
    assert_int_equal(witness_append(&witness, log, 0, 0), -EINPROGRESS);
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 1000000) == 1) {
    }
    assert_int_equal(stats_of(log).durable_sequence, sequence - 1);
}

static void waits_return_while(burst_t *log, struct fault_rule *rule, int64_t sequence) {
    assert_int_equal(burst_await_durable(log, sequence, 1000000), 0);
    await_hits(rule, 1); /* the committer writes at once */
    assert_waits_return(log, sequence);
    rules_off();
    assert_int_equal(burst_flush(log, PATIENCE_NS), 1);
    close_drained(log);
    assert_nothing_lost("plain");
}

static void waits_for_a_ring_that_stalls_return_in_time(void **state) {
    (void)state;
    ring_at_path("fuse/ring");
    burst_config_t config = limited_config();
    config.shutdown_timeout_ns = PATIENCE_NS;
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    struct fault_rule *rule = stall_ring();
    assert_int_equal(witness_enqueue(&witness, log, 0, 0), 4);
    waits_return_while(log, rule, 4);
}

/* Only the committer writes here, and it would wait for its batch. */
static void nor_do_they_wait_for_a_batch(void **state) {
    (void)state;
    ring_at_path("fuse/ring");
    burst_config_t config = limited_config();
    config.shutdown_timeout_ns = PATIENCE_NS;
    config.batch_delay_ns = SECOND_NS;
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    struct fault_rule *rule = stall_ring();
    assert_int_equal(witness_enqueue(&witness, log, 0, 0), 4);
    waits_return_while(log, rule, 4);
}

/* ------------------------------------------------------------------------------------------------------- closing */

static int open_elsewhere(void) {
    const pid_t child = fork();
    if (child == 0) {
        const burst_config_t config = small_config();
        burst_t *log;
        _exit(burst_open(&config, &log) == -EBUSY ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void assert_close_hangs(burst_t *log, const char *why) {
    assert_int_equal(burst_close(log), -EINPROGRESS);
    if (strstr(burst_last_error(), "could not be closed within 200 ms: ") == NULL ||
        strstr(burst_last_error(), why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", burst_last_error(), why);
    assert_int_equal(burst_close(log), -ESHUTDOWN);
    assert_int_equal(stats_of(log).state, BURST_STATE_CLOSED);
    burst_histogram_t histogram = {.struct_bytes = sizeof histogram};
    assert_int_equal(burst_stage_histogram(log, BURST_STAGE_COPY, &histogram), 0);
    char path[BURST_PATH_BYTES];
    assert_int_equal(burst_current_file(log, path, sizeof path), 0);
    assert_int_equal(witness_append(&witness, log, 0, 0), -ESHUTDOWN);
    assert_int_equal(burst_await_drained(log, -1), -ESHUTDOWN);
    const burst_config_t config = small_config();
    assert_refused(&config, EBUSY, "is still held by this process, whose close of it has not ended: ");
    assert_non_null(strstr(burst_last_error(), why));
    assert_int_equal(open_elsewhere(), 0);
}

/* Waits until the close that was left behind ends, lets go of ring and file, and has made all durable. */
static void open_when_it_has_ended(burst_t *left) {
    rules_off();
    const burst_config_t config = small_config();
    burst_t *log = NULL;
    for (const int64_t give_up_ns = now_ns() + PATIENCE_NS; burst_open(&config, &log) < 0; pause_ms(1)) {
        if (now_ns() > give_up_ns)
            fail_msg("%s", burst_last_error());
    }
    burst_event_t event = {.struct_bytes = sizeof event};
    int heard;
    while ((heard = burst_next_event(left, &event, PATIENCE_NS)) == 1) {
    }
    assert_int_equal(heard, -ESHUTDOWN);
    assert_int_equal(stats_of(left).durable_sequence, stats_of(left).accepted_sequence);
    append_some(log, 3, 0);
    close_drained(log);
}

static void log_file_stalls_in(uint32_t operation) {
    log_in("fuse");
    const burst_config_t config = limited_config();
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    drain_all(log);
    struct fault_rule *rule = STALL(.operations = operation, .name = "log");
    append_some(log, 3, 0);
    assert_int_equal(burst_await_drained(log, 1000000), 0);
    await_hits(rule, 1);
    assert_int_equal(witness_enqueue(&witness, log, 0, 0), 7);
    assert_close_hangs(log, "a write or sync of the log file, or the checkpoint of it in the ring, has not returned");
    open_when_it_has_ended(log);
    assert_nothing_lost("fuse");
}

static void a_close_does_not_wait_for_a_write_of_the_log_file(void **state) {
    (void)state;
    log_file_stalls_in(FAULT_WRITE);
}

static void nor_for_a_sync_of_it(void **state) {
    (void)state;
    log_file_stalls_in(FAULT_FSYNC);
}

/* The committer is told to write at once, so the enqueued record becomes durable. */
static void what_was_enqueued_is_durable_though_the_log_file_hangs(void **state) {
    (void)state;
    log_in("fuse");
    burst_config_t config = limited_config();
    config.batch_delay_ns = SECOND_NS;
    config.shutdown_timeout_ns = PATIENCE_NS;
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    struct fault_rule *rule = STALL(.operations = FAULT_WRITE | FAULT_FSYNC, .name = "log");
    append_some(log, 1, 0);
    assert_int_equal(burst_await_drained(log, 1000000), 0);
    await_hits(rule, 1);
    assert_int_equal(witness_enqueue(&witness, log, 0, 0), 5);
    assert_int_equal(burst_close_within(log, LIMIT_NS), -EINPROGRESS);
    for (const int64_t give_up_ns = now_ns() + PATIENCE_NS; burst_durable_sequence(log) < 5; pause_ms(1))
        assert_true(now_ns() < give_up_ns);
    open_when_it_has_ended(log);
    assert_nothing_lost("fuse");
}

static void a_close_does_not_wait_for_the_medium_of_the_ring(void **state) {
    (void)state;
    ring_at_path("fuse/ring");
    const burst_config_t config = limited_config();
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    drain_all(log);
    struct fault_rule *rule = stall_ring();
    assert_int_equal(witness_enqueue(&witness, log, 0, 0), 4);
    await_hits(rule, 1);
    assert_close_hangs(log, " has not "); /* the enqueued record's write, or the last checkpoint */
    open_when_it_has_ended(log);
    assert_nothing_lost("plain");
}

static void nor_for_another_thread_that_writes_to_it(void **state) {
    (void)state;
    ring_at_path("fuse/ring");
    const burst_config_t config = limited_config();
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    drain_all(log);
    struct fault_rule *rule = stall_ring();
    struct slow_append append = {.log = log, .thread = 1};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, append_one, &append), 0);
    await_hits(rule, 1); /* may be the last checkpoint's write: then the append has not begun */
    while (stats_of(log).accepted_sequence < 4) {
        pause_ms(1);
    }
    assert_close_hangs(log, " has not "); /* that write, or the last checkpoint's */
    rules_off();
    pthread_join(thread, NULL);
    assert_int_equal(append.result, 4);
    open_when_it_has_ended(log);
    assert_nothing_lost("plain");
}

/* A thread that writes to a frozen file system cannot even be killed. */
static void a_frozen_file_system_holds_up_nobody_who_has_a_limit(void **state) {
    (void)state;
    struct loop_device loop = {.fd = -1};
    make_file("disk", 16 << 20);
    assert_int_equal(mkdir("mounted", 0700), 0);
    if (system("mkfs.ext4 -q -F -b 4096 -m 0 disk >/dev/null 2>&1") != 0 || !make_loop("disk", &loop))
        SKIP_WITH("an ext4 on a loop device");
    assert_int_equal(mount(loop.path, "mounted", "ext4", 0, NULL), 0);
    ring_at_path("mounted/ring");
    const burst_config_t config = limited_config();
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    drain_all(log);
    const int root = open("mounted", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(ioctl(root, FIFREEZE, 0), 0);
    const int64_t enqueued = witness_enqueue(&witness, log, 0, 0);
    const int waited = burst_await_durable(log, 4, 1000000);
    const int64_t closed = burst_close(log);
    assert_int_equal(ioctl(root, FITHAW, 0), 0);
    close(root);
    assert_int_equal(enqueued, 4);
    assert_int_equal(waited, 0);
    assert_int_equal(closed, -EINPROGRESS);
    open_when_it_has_ended(log);
    assert_nothing_lost("plain");
    umount2("mounted", MNT_DETACH);
    remove_loop(&loop);
}

/* -------------------------------------------------------------------------------------------- the caller's memory */

struct mapped_append {
    burst_t *log;
    const char *record;
    int64_t result;
};

static void *append_mapped(void *argument) {
    struct mapped_append *append = argument;
    append->result = burst_append(append->log, append->record, 6, 0);
    return NULL;
}

/* The record lies in a page of a file whose file system does not answer. */
static void memory_that_does_not_answer_holds_up_its_own_append_alone(void **state) {
    (void)state;
    burst_config_t config = limited_config();
    config.shutdown_timeout_ns = PATIENCE_NS;
    burst_t *log = open_with(&config);
    append_some(log, 3, 0);
    FILE *file = fopen("backing/source", "w");
    fputs("mapped\n", file);
    fclose(file);
    const int fd = open("fuse/source", O_RDONLY | O_CLOEXEC);
    struct mapped_append append = {.log = log, .record = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0)};
    close(fd);
    if (append.record == MAP_FAILED)
        SKIP_WITH("files of FUSE that can be mapped");
    struct fault_rule *rule = STALL(.operations = FAULT_READ, .name = "source");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, append_mapped, &append), 0);
    await_hits(rule, 1);
    append_some(log, 20, 0);
    assert_int_equal(stats_of(log).durable_sequence, 23);
    rules_off();
    pthread_join(thread, NULL);
    assert_int_equal(append.result, 24);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    munmap((void *)append.record, 4096);
}

int main(void) {
    const int missing = rig_enter();
    if (missing != 0)
        return missing;
    const struct CMUnitTest tests[] = {
        RIG_TEST(waits_for_a_ring_that_stalls_return_in_time),
        RIG_TEST(nor_do_they_wait_for_a_batch),
        RIG_TEST(a_close_does_not_wait_for_a_write_of_the_log_file),
        RIG_TEST(nor_for_a_sync_of_it),
        RIG_TEST(what_was_enqueued_is_durable_though_the_log_file_hangs),
        RIG_TEST(a_close_does_not_wait_for_the_medium_of_the_ring),
        RIG_TEST(nor_for_another_thread_that_writes_to_it),
        RIG_TEST(a_frozen_file_system_holds_up_nobody_who_has_a_limit),
        RIG_TEST(memory_that_does_not_answer_holds_up_its_own_append_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
