/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tasks that do not wait inside the engine, and of their waker. */
#include "log_fixture.h"

static burst_progress_t at_begin(burst_t *log) {
    burst_progress_t progress = {.struct_bytes = sizeof progress};
    burst_await_progress(log, &progress, 0);
    return progress;
}

static int64_t put(burst_t *log, const char *text, enum burst_on_full on_full, uint32_t choices) {
    return burst_stream_put(burst_main_stream(log), text, strlen(text), 0, on_full, choices);
}

static void await_durable(burst_t *log, burst_progress_t *progress, int64_t sequence) {
    while (progress->durable_sequence < sequence) {
        assert_int_equal(burst_await_progress(log, progress, PATIENCE_NS), 1);
    }
}

static void what_tasks_put_in_becomes_durable_whatever_the_batch_delay_is(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.batch_delay_ns = SECOND_NS;
    burst_t *log = open_with(&config);
    burst_progress_t progress = at_begin(log);
    for (int64_t i = 1; i <= 20; i++) {
        assert_int_equal(put(log, "record\n", BURST_ON_FULL_BLOCK, 0), i);
        await_durable(log, &progress, i);
        assert_true(burst_durable_sequence(log) >= i);
    }
    assert_int_equal(stats_of(log).commits, 20); /* none of them waited for others */
    burst_close(log);
}

static void a_full_ring_answers_at_once_and_counts_each_record_once(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "first\n", 6, 0), 1);
    await_released(log);
    block_file();
    fill_log(log);
    const burst_stats_t before = stats_of(log);
    assert_int_equal(put(log, "over\n", BURST_ON_FULL_BLOCK, 0), -EAGAIN);
    assert_int_equal(put(log, "over\n", BURST_ON_FULL_BLOCK, BURST_PUT_RETRY), -EAGAIN);
    assert_int_equal(put(log, "over\n", BURST_ON_FULL_BLOCK, BURST_PUT_RETRY | BURST_PUT_ENQUEUED), -EAGAIN);
    assert_int_equal(put(log, "over\n", BURST_ON_FULL_FAIL, BURST_PUT_ENQUEUED), -EAGAIN);
    assert_int_equal(put(log, "over\n", BURST_ON_FULL_DISCARD, 0), 0);
    assert_int_equal(put(log, "over\n", 3, 0), -EINVAL);
    const burst_stats_t after = stats_of(log);
    assert_int_equal(after.full_waits - before.full_waits, 3);
    assert_int_equal(after.discarded - before.discarded, 1);
    unblock_file();

    burst_progress_t progress = at_begin(log);
    int64_t sequence;
    while ((sequence = put(log, "late\n", BURST_ON_FULL_BLOCK, BURST_PUT_RETRY)) == -EAGAIN) {
        progress.space_since_ns = 1;
        assert_int_equal(burst_await_progress(log, &progress, PATIENCE_NS), 1);
    }
    assert_int_equal(sequence, before.accepted_sequence + 1);
    burst_close(log);
}

static void the_waker_hears_when_a_task_has_its_record_in_the_log_file(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.drain_interval_ns = 60 * SECOND_NS; /* only a sync that is asked for comes sooner */
    burst_t *log = open_with(&config);
    burst_progress_t progress = at_begin(log);
    const int64_t sequence = put(log, "record\n", BURST_ON_FULL_BLOCK, BURST_PUT_ENQUEUED);
    burst_nudge(log);
    await_durable(log, &progress, sequence);
    while (burst_stream_is_drained(burst_main_stream(log), sequence) == 0) {
        assert_int_equal(burst_await_progress(log, &progress, 30 * SECOND_NS), 1);
    }
    assert_int_equal(burst_stream_is_drained(burst_main_stream(log), sequence), 1);
    assert_int_equal(burst_is_drained(log, sequence), 1);
    assert_int_equal(burst_is_drained(log, sequence + 1), 0);
    assert_file_is("record\n");
    burst_close(log);
    assert_int_equal(burst_is_drained(log, sequence), -ESHUTDOWN);
}

static void a_close_acknowledges_what_was_put_in_and_then_it_is_over(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_progress_t progress = at_begin(log);
    assert_int_equal(put(log, "record\n", BURST_ON_FULL_BLOCK, 0), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(burst_await_progress(log, &progress, -1), 1);
    assert_int_equal(progress.durable_sequence, 1);
    assert_int_equal(progress.is_closing, 1);
    assert_int_equal(progress.is_over, 1);
    assert_int_equal(progress.is_failed, 0);
    assert_int_equal(burst_await_progress(log, &progress, -1), -ESHUTDOWN);
    assert_int_equal(put(log, "late\n", BURST_ON_FULL_BLOCK, 0), -ESHUTDOWN);
    burst_nudge(log);
    assert_file_is("record\n");
}

static void a_struct_of_another_size_is_refused(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_progress_t progress = {.struct_bytes = sizeof progress - 8};
    assert_int_equal(burst_await_progress(log, &progress, 0), -EINVAL);
    burst_close(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_tasks_put_in_becomes_durable_whatever_the_batch_delay_is),
        TEST(a_full_ring_answers_at_once_and_counts_each_record_once),
        TEST(the_waker_hears_when_a_task_has_its_record_in_the_log_file),
        TEST(a_close_acknowledges_what_was_put_in_and_then_it_is_over),
        TEST(a_struct_of_another_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
