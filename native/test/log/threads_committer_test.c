/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that makes enqueued records durable: when it begins, and how it waits. */
#include "placed_log.h"

#include "log/log.h"

#define LONGEST_DELAY_NS 1000000000ull
#define RECORDS 200

static void enqueue_all(burst_t *log) {
    for (int i = 1; i <= RECORDS; i++) {
        assert_int_equal(burst_enqueue(log, "record\n", 7, 0), i);
    }
}

static void await_watermark(const burst_t *log, int64_t sequence) {
    for (int i = 0; i < 30000 && burst_durable_sequence(log) < sequence; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_true(burst_durable_sequence(log) >= sequence);
}

static int64_t now_ns(void) {
    return platform_monotonic_ns(&platform_linux);
}

/* The configuration allows a second at most, and a busy host may be as late. The committer reads the delay when it has its
 * first batch: ThreadSanitizer does not see that order. */
__attribute__((no_sanitize_thread, noinline)) static void let_batches_wait_for_an_hour(burst_t *log) {
    log->threads.settings.batch_delay_ns = 3600 * SECOND_NS;
}

static burst_t *open_with_patient_batches(const burst_config_t *config) {
    burst_t *log = open_with(config);
    let_batches_wait_for_an_hour(log);
    return log;
}

static burst_t *open_with_a_batch_that_waits(void) {
    burst_config_t config = small_config();
    config.batch_delay_ns = LONGEST_DELAY_NS;
    burst_t *log = open_with_patient_batches(&config);
    enqueue_all(log);
    assert_int_equal(burst_durable_sequence(log), 0);
    return log;
}

/* Opens a log, and enqueues a batch within one delay: none of it is durable yet. */
static burst_t *open_with_batch(int64_t *begin_ns) {
    burst_config_t config = small_config();
    config.batch_delay_ns = LONGEST_DELAY_NS;
    for (int i = 0; i < 20; i++) {
        burst_t *log = open_with(&config);
        *begin_ns = now_ns();
        enqueue_all(log);
        const int64_t durable = burst_durable_sequence(log);
        if (now_ns() - *begin_ns < (int64_t)LONGEST_DELAY_NS) {
            assert_int_equal(durable, 0);
            return log;
        }
        burst_close(log);
        remove_folder(NULL);
        make_folder(NULL);
    }
    fail_msg("%d records were not enqueued within a second, 20 times", RECORDS);
    return NULL;
}

static void a_batch_waits_for_its_delay_and_is_one_commit(void **state) {
    (void)state;
    int64_t begin_ns;
    burst_t *log = open_with_batch(&begin_ns);
    await_watermark(log, RECORDS);
    assert_true(now_ns() - begin_ns >= (int64_t)LONGEST_DELAY_NS);
    burst_close(log); /* the engine counts a commit after its records are durable */
    assert_int_equal(stats_of(log).commits, 1);
}

static void a_batch_that_is_large_enough_waits_no_longer(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.batch_delay_ns = LONGEST_DELAY_NS;
    config.batch_bytes = RECORDS / 2 * record_bytes(7);
    burst_t *log = open_with_patient_batches(&config);
    enqueue_all(log);
    await_watermark(log, RECORDS / 2);
    burst_close(log);
}

static void half_a_ring_is_batch_enough(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.batch_delay_ns = LONGEST_DELAY_NS;
    main_config.on_full = BURST_ON_FULL_FAIL; /* no append waits for the drain here */
    burst_t *log = open_with_patient_batches(&config);
    static char record[65536];
    const uint64_t half = stats_of(log).capacity_bytes / 2;
    for (uint64_t bytes = 0; bytes < half; bytes += sizeof record) {
        assert_true(burst_enqueue(log, record, sizeof record, 0) > 0);
    }
    await_watermark(log, 1);
    burst_close(log);
}

static void whoever_waits_for_durability_does_not_wait_for_the_batch(void **state) {
    (void)state;
    burst_t *log = open_with_a_batch_that_waits();
    assert_int_equal(burst_await_durable(log, RECORDS, -1), 1);
    assert_int_equal(burst_enqueue(log, "record\n", 7, 0), RECORDS + 1);
    assert_int_equal(burst_append(log, "record\n", 7, 0), RECORDS + 2);
    assert_true(burst_durable_sequence(log) == RECORDS + 2);
    assert_int_equal(burst_enqueue(log, "record\n", 7, 0), RECORDS + 3);
    assert_int_equal(burst_close(log), 0);
    size_t bytes;
    free(read_file(&bytes));
    assert_int_equal(bytes, 7 * (RECORDS + 3));
}

/* A call with a time limit does not write itself, and has the committer write at once. */
static void nor_does_one_with_a_time_limit(void **state) {
    (void)state;
    burst_t *log = open_with_a_batch_that_waits();
    assert_int_equal(burst_await_durable(log, RECORDS, PATIENCE_NS / 4), 1);
    burst_close(log);
}

/* The clock ticks that the thread has run. */
static unsigned long ticks_of(pid_t thread) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    assert_int_equal(read_line(path, line, sizeof line), 0);
    unsigned long user = 0, system = 0;
    assert_int_equal(
        sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system), 2);
    return user + system;
}

static void await_ticks(pid_t thread, unsigned long ticks) {
    for (int i = 0; i < 30000 && ticks_of(thread) < ticks; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_true(ticks_of(thread) >= ticks);
}

static void told_to_spin_it_spins_and_is_never_woken(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.commit_spin = 1;
    burst_t *log = open_with(&config);
    const pid_t thread = thread_named("burst-commit");
    await_ticks(thread, ticks_of(thread) + 5);
    for (int i = 1; i <= RECORDS; i++) {
        assert_int_equal(burst_offer(log, "record\n", 7, 0), i);
        assert_int_equal(atomic_load(&log->ring->committer.count), 0); /* nobody was woken */
        await_watermark(log, i);
    }
    burst_close(log);
}

static void otherwise_it_sleeps_when_there_is_nothing_to_do(void **state) {
    (void)state;
    burst_t *log = open_small();
    const pid_t thread = thread_named("burst-commit");
    enqueue_all(log);
    await_watermark(log, RECORDS);
    const unsigned long before = ticks_of(thread);
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    assert_in_range(ticks_of(thread), before, before + 1); /* half a second is 50 ticks */
    burst_close(log);
}

/* Their number decides whether threads spin. */
static void the_cpus_of_the_process_are_known_to_the_ring(void **state) {
    (void)state;
    cpu_set_t own, one;
    assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
    burst_t *log = open_small();
    assert_int_equal(log->ring->limits.cpus, CPU_COUNT(&own));
    burst_close(log);
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &own)) {
            CPU_SET(cpu, &one);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    log = open_small();
    const uint32_t cpus = log->ring->limits.cpus;
    burst_close(log);
    sched_setaffinity(0, sizeof own, &own);
    assert_int_equal(cpus, 1);
}

static void what_cannot_be_meant_is_refused(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.batch_delay_ns = LONGEST_DELAY_NS + 1;
    assert_refused(&config, EINVAL, "is 1000000001 ns: at most 1 s");
    config = small_config();
    config.batch_bytes = 4096;
    assert_refused(&config, EINVAL, "is 4096 bytes, but it has no batchDelay");
    config = small_config();
    config.commit_spin = 2;
    assert_refused(&config, EINVAL, "commitSpin");
    config = small_config();
    config.commit_spin = 1;
    config.realtime_priority = 1;
    assert_refused(&config, EINVAL, "give it one with commitCpu");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_batch_waits_for_its_delay_and_is_one_commit),
        TEST(a_batch_that_is_large_enough_waits_no_longer),
        TEST(half_a_ring_is_batch_enough),
        TEST(whoever_waits_for_durability_does_not_wait_for_the_batch),
        TEST(nor_does_one_with_a_time_limit),
        TEST(told_to_spin_it_spins_and_is_never_woken),
        TEST(otherwise_it_sleeps_when_there_is_nothing_to_do),
        TEST(the_cpus_of_the_process_are_known_to_the_ring),
        TEST(what_cannot_be_meant_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
