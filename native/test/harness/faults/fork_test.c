/* SPDX-License-Identifier: Apache-2.0 */
/* A process forks at any moment, while another thread appends. */
#include "log_fixture.h"

#include <signal.h>

#define FORKS 30

struct appender {
    burst_t *log;
    _Atomic int stop;
    _Atomic int64_t count;
};

static void *append_until_stopped(void *argument) {
    struct appender *appender = argument;
    while (!atomic_load(&appender->stop)) {
        const int64_t number = atomic_load(&appender->count) + 1;
        char line[32];
        const int length = snprintf(line, sizeof line, "line %lld\n", (long long)number);
        if (burst_append(appender->log, line, (size_t)length, 0) != number) {
            return (void *)burst_last_error();
        }
        atomic_store(&appender->count, number);
    }
    return NULL;
}

/* Returns which check failed, or 0: in a child no assertion can report. */
static int look_at_parents_log(burst_t *log) {
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    burst_event_t event = {.struct_bytes = sizeof event};
    char path[BURST_PATH_BYTES];
    const int64_t codes[] = {
        burst_append(log, "child\n", 6, 0),
        burst_enqueue(log, "child\n", 6, 0),
        burst_offer(log, "child\n", 6, 0),
        burst_await_durable(log, 1, -1),
        burst_flush(log, -1),
        burst_await_drained(log, -1),
        burst_stats(log, &stats),
        burst_next_event(log, &event, -1),
        burst_current_file(log, path, sizeof path),
        burst_close(log),
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i] != -EOWNERDEAD) {
            return (int)i + 1;
        }
    }
    return strstr(burst_last_error(), "fork") == NULL ? 50 : 0;
}

/* The child opens a log of its own, beside its parent's. */
static int use_own_log(int number) {
    char ring[160], file[160];
    snprintf(ring, sizeof ring, "%s.%d", ring_path, number);
    snprintf(file, sizeof file, "%s.of-child.%d", file_path, number);
    burst_config_t config = small_config();
    config.ring = ring;
    main_config.file_name = file;
    burst_t *log;
    if (burst_open(&config, &log) != 0) {
        return 60;
    }
    if (burst_append(log, "child\n", 6, 0) != 1 || burst_await_drained(log, PATIENCE_NS) != 1) {
        return 61;
    }
    return burst_close(log) == 0 ? 0 : 62;
}

static void assert_numbered_lines(int64_t count) {
    size_t bytes;
    char *text = read_file(&bytes), *at = text;
    for (int64_t i = 1; i <= count; i++) {
        char wanted[32];
        const int length = snprintf(wanted, sizeof wanted, "line %lld\n", (long long)i);
        assert_memory_equal(at, wanted, length);
        at += length;
    }
    assert_true(at == text + bytes);
    free(text);
}

static void every_call_of_a_child_is_refused_and_the_parent_goes_on(void **state) {
    (void)state;
    struct appender appender = {.log = open_small()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, append_until_stopped, &appender), 0);
    while (atomic_load(&appender.count) < 100) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const int wrong = look_at_parents_log(appender.log);
            _exit(wrong != 0 ? wrong : use_own_log(i));
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&appender.stop, 1);
    void *wrong;
    pthread_join(thread, &wrong);
    assert_null(wrong);
    assert_int_equal(burst_close(appender.log), 0);
    assert_numbered_lines(appender.count);
}

/* The child has inherited the descriptors, and with them the locks: the next open names the child. */
static void a_child_that_outlives_the_log_is_named_and_its_end_frees_the_ring(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "line 1\n", 7, 0), 1);
    const pid_t child = fork();
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    assert_int_equal(burst_append(log, "line 2\n", 7, 0), 2);
    assert_int_equal(burst_close(log), 0);
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)child);
    const burst_config_t config = small_config();
    assert_refused(&config, EBUSY, pid);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    log = open_small();
    assert_int_equal(burst_append(log, "line 3\n", 7, 0), 3);
    assert_int_equal(burst_close(log), 0);
    assert_numbered_lines(3);
}

/* A child that runs another program keeps nothing of the log. */
static void a_child_that_runs_another_program_does_not_hold_the_ring(void **state) {
    (void)state;
    burst_t *log = open_small();
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ready[1], STDOUT_FILENO);
        execlp("sh", "sh", "-c", "echo ready; exec sleep 60", (char *)NULL);
        _exit(1);
    }
    char word[5];
    assert_int_equal(read(ready[0], word, sizeof word), sizeof word);
    assert_int_equal(burst_close(log), 0);
    log = open_small();
    assert_int_equal(burst_close(log), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_call_of_a_child_is_refused_and_the_parent_goes_on),
        TEST(a_child_that_outlives_the_log_is_named_and_its_end_frees_the_ring),
        TEST(a_child_that_runs_another_program_does_not_hold_the_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
