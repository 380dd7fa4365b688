/* SPDX-License-Identifier: Apache-2.0 */
/* A thousand signals arrive each second, and none restarts a call: nothing is lost, nothing fails, no wait ends
 * early. */
#include "log_fixture.h"

#include <signal.h>
#include <sys/time.h>

#define SIGNALS_ENOUGH 200
#define RINGS_ENOUGH 20

static _Atomic int signals, is_watching;

static void count_signal(int number) {
    (void)number;
    atomic_fetch_add(&signals, 1);
}

static void set_timer(int every_us) {
    const struct itimerval timer = {.it_interval = {.tv_usec = every_us}, .it_value = {.tv_usec = every_us}};
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static int begin_signals(void **state) {
    struct sigaction action = {.sa_handler = count_signal}; /* without SA_RESTART */
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    make_folder(state);
    atomic_store(&signals, 0);
    set_timer(1000);
    return 0;
}

static int end_signals(void **state) {
    set_timer(0);
    return remove_folder(state);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void assert_numbered_lines(int64_t count) {
    size_t bytes;
    char *text = read_file(&bytes), *at = text;
    for (int64_t i = 1; i <= count; i++) {
        char wanted[32];
        const int length = snprintf(wanted, sizeof wanted, "line %lld\n", (long long)i);
        if (strncmp(at, wanted, (size_t)length) != 0) {
            fail_msg("line %lld is not there", (long long)i);
        }
        at += length;
    }
    assert_true(at == text + bytes);
    free(text);
}

static int64_t append_number(burst_t *log, int64_t number, int enqueue) {
    char line[32];
    const int length = snprintf(line, sizeof line, "line %lld\n", (long long)number);
    return (enqueue ? burst_enqueue : burst_append)(log, line, (size_t)length, 0);
}

static void every_call_survives_signals(void **state) {
    (void)state;
    burst_t *log = open_small();
    int64_t number = 0;
    while (atomic_load(&signals) < SIGNALS_ENOUGH) {
        const int enqueue = ++number % 4 == 0;
        assert_int_equal(append_number(log, number, enqueue), number);
        if (enqueue) {
            assert_int_equal(burst_await_durable(log, number, -1), 1);
        }
        if (number % 64 == 0) {
            assert_int_equal(burst_flush(log, -1), 1);
            assert_int_equal(burst_await_drained(log, -1), 1);
        }
    }
    assert_int_equal(burst_close(log), 0);
    assert_numbered_lines(number);
}

static void opening_and_closing_survive_signals(void **state) {
    (void)state;
    int64_t number = 0;
    for (int rings = 0; atomic_load(&signals) < SIGNALS_ENOUGH || rings < RINGS_ENOUGH; rings++) {
        if (rings % 2 == 0) {
            unlink(ring_path); /* all is drained: the next open makes a new ring */
        }
        burst_t *log = open_small();
        assert_true(append_number(log, ++number, 0) > 0);
        assert_int_equal(burst_close(log), 0);
    }
    assert_numbered_lines(number);
}

static void a_large_ring_is_created_under_signals(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.ring_bytes = 64 << 20;
    burst_t *log = open_with(&config);
    assert_int_equal(append_number(log, 1, 0), 1);
    assert_int_equal(burst_close(log), 0);
}

static int64_t fill(burst_t *log) {
    static char record[4000];
    memset(record, 'f', sizeof record);
    record[sizeof record - 1] = '\n';
    int64_t last = 0;
    for (;;) {
        const int64_t sequence = burst_offer(log, record, sizeof record, 0);
        if (sequence == -EAGAIN) {
            return last;
        }
        assert_true(sequence > last);
        last = sequence;
        assert_int_equal(burst_await_durable(log, sequence, -1), 1);
    }
}

static void waits_last_their_time_under_signals(void **state) {
    (void)state;
    burst_config_t config = small_config();
    main_config.block_timeout_ns = SECOND_NS / 5;
    burst_t *log = open_with(&config);
    assert_int_equal(append_number(log, 1, 0), 1);
    assert_int_equal(burst_await_drained(log, -1), 1);
    block_file();
    const int64_t last = fill(log);
    int64_t begin_ns = now_ns();
    assert_int_equal(append_number(log, 2, 0), -ETIMEDOUT); /* block on full */
    assert_true(now_ns() - begin_ns >= (int64_t)main_config.block_timeout_ns);
    begin_ns = now_ns();
    assert_int_equal(burst_await_drained(log, SECOND_NS / 5), 0);
    assert_true(now_ns() - begin_ns >= SECOND_NS / 5);
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 0) == 1) {
    }
    assert_true(burst_close(log) > 0);
    unblock_file();
    log = open_small();
    assert_int_equal(append_number(log, 2, 0), last + 1);
    assert_int_equal(burst_close(log), 0);
}

/* Makes room after the append has waited through 200 signals. This thread blocks them: they are for the appending
 * one. */
static void *unblock_who_waits(void *log) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    const uint64_t full_waits = stats_of(log).full_waits;
    atomic_store(&is_watching, 1);
    while (stats_of(log).full_waits == full_waits) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    rmdir(file_path);
    return NULL;
}

static void an_append_blocked_by_a_full_ring_goes_on_under_signals(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(append_number(log, 1, 0), 1);
    assert_int_equal(burst_await_drained(log, -1), 1);
    block_file();
    const int64_t last = fill(log);
    pthread_t thread;
    atomic_store(&is_watching, 0);
    assert_int_equal(pthread_create(&thread, NULL, unblock_who_waits, log), 0);
    while (!atomic_load(&is_watching)) {
    }
    const int before = atomic_load(&signals);
    static char large[200000];
    memset(large, 'l', sizeof large);
    assert_true(burst_append(log, large, sizeof large, 0) > last);
    assert_true(atomic_load(&signals) > before);
    pthread_join(thread, NULL);
    assert_int_equal(burst_close(log), 0);
}

#define SIGNAL_TEST(name) cmocka_unit_test_setup_teardown(name, begin_signals, end_signals)

int main(void) {
    const struct CMUnitTest tests[] = {
        SIGNAL_TEST(every_call_survives_signals),
        SIGNAL_TEST(opening_and_closing_survive_signals),
        SIGNAL_TEST(a_large_ring_is_created_under_signals),
        SIGNAL_TEST(waits_last_their_time_under_signals),
        SIGNAL_TEST(an_append_blocked_by_a_full_ring_goes_on_under_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
