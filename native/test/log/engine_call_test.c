/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are executed by the thread that steps. */
#define CAPACITY_BYTES (1024u * 4096u)
#include <sys/stat.h>

#include "drain/drain.h"
#include "memory_ring.h"

static struct call {
    struct engine_call call;
    struct engine *engine;
    int turn; /* 0: it did not run */
} calls[3];

static int turns;
static struct files_ops ops;

static void run(struct engine_call *asked, struct engine *engine) {
    struct call *call = (struct call *)asked;
    call->engine = engine;
    call->turn = ++turns;
}

static void ask(unsigned which) {
    calls[which] = (struct call){.call = {.run = run}};
    engine_ask(host.engine, &calls[which].call);
}

static int64_t ask_and_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    if (calls[0].call.run == NULL) {
        ask(0);
    }
    return files_posix.ops->write(files, file, data, bytes, offset);
}

static void open_clean(void) {
    memset(calls, 0, sizeof calls);
    turns = 0;
    ops = *files_posix.ops;
    host.files.ops = &ops;
    open_ring();
}

static size_t file_bytes(void) {
    struct stat status;
    assert_int_equal(stat(host.file, &status), 0);
    return (size_t)status.st_size;
}

static void calls_are_run_in_the_order_in_which_they_were_asked(void **state) {
    (void)state;
    open_clean();
    for (unsigned i = 0; i < 3; i++) {
        ask(i);
    }
    engine_step(host.engine, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(calls[i].turn, i + 1);
        assert_ptr_equal(calls[i].engine, host.engine);
    }
    engine_step(host.engine, 0);
    assert_int_equal(turns, 3);
}

static void a_step_ends_after_its_batch_for_who_asks(void **state) {
    (void)state;
    open_clean();
    for (int i = 0; i < 300; i++) {
        append(2 * BLOCK_BYTES);
    }
    ops.write = ask_and_write;
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_int_equal(calls[0].turn, 0);
    assert_in_range(file_bytes(), 1, 299 * 2 * BLOCK_BYTES);
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_int_equal(calls[0].turn, 1);
    assert_int_equal(file_bytes(), 300 * 2 * BLOCK_BYTES);
}

static void what_was_not_run_is_told_by_the_close(void **state) {
    (void)state;
    open_clean();
    ask(0);
    ask(1);
    close_ring();
    assert_int_equal(turns, 2);
    assert_null(calls[0].engine);
    assert_null(calls[1].engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(calls_are_run_in_the_order_in_which_they_were_asked),
        RING_TEST(a_step_ends_after_its_batch_for_who_asks),
        RING_TEST(what_was_not_run_is_told_by_the_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
