/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are cancelled (pthread_cancel) within a call: they finish it, since others may wait for their write. */
#include "log_fixture.h"

#include "base/platform.h"
#include "device/backend/direct.h"

/* Runs the body in a thread that was cancelled before, and that ends at the first cancellation point. */
static void assert_finished_and_then_cancelled(void *(*body)(void *), void *argument) {
    pthread_t thread;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

static int finished; /* the body has come to its end */

static void *call_everything(void *argument) {
    (void)argument;
    const burst_config_t config = small_config();
    burst_t *log;
    pthread_cancel(pthread_self());
    finished += burst_open(&config, &log) == 0;
    for (int64_t i = 0; i < 3; i++) {
        finished += burst_append(log, "a\n", 2, 0) == 2 * i + 1;
        finished += burst_enqueue(log, "b\n", 2, 0) == 2 * i + 2;
    }
    finished += burst_flush(log, -1) == 1;
    finished += burst_await_drained(log, -1) == 1;
    finished += burst_close(log) == 0;
    pthread_testcancel();
    return NULL;
}

static void a_cancelled_thread_finishes_its_calls(void **state) {
    (void)state;
    finished = 0;
    assert_finished_and_then_cancelled(call_everything, NULL);
    assert_int_equal(finished, 10);
    assert_file_is("a\nb\na\nb\na\nb\n");
}

static void *write_and_flush(void *argument) {
    pthread_cancel(pthread_self());
    finished += direct_write_durably(argument, 4096, "written", 7) == 0;
    pthread_testcancel();
    return NULL;
}

/* libc's system calls are cancellation points. Writes make them on raw devices, and where each write flushes. */
static void so_it_does_a_write_for_others(void **state) {
    (void)state;
    for (int pays_twice = 0; pays_twice < 2; pays_twice++) {
        struct direct direct = {.device = {.platform = &platform_linux, .is_file = 1},
                                .medium = {.fd = open(ring_path, O_RDWR | O_CREAT | O_TRUNC, 0600),
                                           .is_file = 1,
                                           .flush_after = pays_twice,
                                           .write_flags = pays_twice}};
        char text[8] = "";
        finished = 0;
        assert_finished_and_then_cancelled(write_and_flush, &direct);
        assert_int_equal(finished, 1);
        assert_int_equal(pread(direct.medium.fd, text, 7, 4096), 7);
        assert_string_equal(text, "written");
        close(direct.medium.fd);
    }
}

static void *sleep_a_little(void *argument) {
    (void)argument;
    pthread_cancel(pthread_self());
    platform_linux.ops->sleep_ns(&platform_linux, 1000000);
    finished++;
    pthread_testcancel();
    return NULL;
}

static void so_it_does_a_sleep_in_which_it_waits_for_another(void **state) {
    (void)state;
    finished = 0;
    assert_finished_and_then_cancelled(sleep_a_little, NULL);
    assert_int_equal(finished, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_cancelled_thread_finishes_its_calls),
        TEST(so_it_does_a_write_for_others),
        TEST(so_it_does_a_sleep_in_which_it_waits_for_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
