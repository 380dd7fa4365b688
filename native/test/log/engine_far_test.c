/* SPDX-License-Identifier: Apache-2.0 */
/* An engine that begins to drain where another process has drained. */
#include "ledger/ledger.h"
#include "text_log.h"

static _Alignas(4096) uint8_t pages[WINDOW_REQUESTS_END];
static struct window window;

static struct window *make(struct window_maker *maker, struct device *device, uint64_t capacity_bytes) {
    (void)maker, (void)device, (void)capacity_bytes;
    memset(pages, 0, sizeof pages);
    window = window_at(pages);
    window.requests = (struct stream_requests *)(pages + WINDOW_REQUESTS_OFFSET);
    return &window;
}

static struct window_maker maker = {.make = make};

static void open_beside_a_drain(void) {
    const struct engine_parts parts = {.platform = timeless_platform(),
                                       .device = &host.device,
                                       .files = &host.files,
                                       .events = &host.events,
                                       .reads_slots = 1,
                                       .window_maker = &maker};
    const struct engine_stream main_stream = {.name = "", .path = host.file};
    const struct engine_config config = {.main = &main_stream, .drains = ENGINE_DRAINS_NOW};
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    engine_end_draining(host.engine);
}

/* Another process notes in both slots that all is in the log file. */
static void drain_elsewhere(void) {
    struct ledger *ledger;
    struct stream_state state;
    const struct stream_state *states[] = {&state};
    assert_int_equal(ledger_read(timeless_platform(), &host.device, &ledger), 0);
    struct checkpoints *checkpoints = ledger_checkpoints(ledger);
    assert_int_equal(checkpoints_take(checkpoints), 0);
    checkpoints_stream(checkpoints, checkpoints_view(checkpoints)->newest, 0, &state);
    ring_durable(host.engine->ring, &state.drained_position, &state.next_sequence);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        assert_int_equal(checkpoints_write(checkpoints, host.engine->ring->epoch, states, 1), 0);
    }
    ledger_close(ledger);
}

/* It died behind its last checkpoint, and nobody has looked since: no checkpoint to come tells of that space. */
static void space_that_the_last_drain_has_freed_is_free(void **state) {
    (void)state;
    open_beside_a_drain();
    for (int i = 0; i < 8; i++) {
        append(BLOCK_BYTES - RECORD_HEADER_BYTES);
    }
    uint64_t durable, next_sequence;
    ring_durable(host.engine->ring, &durable, &next_sequence);
    drain_elsewhere();
    assert_true(host.engine->ring->freed < durable);
    assert_int_equal(engine_begin_draining(host.engine), 0);
    assert_int_equal(engine_step(host.engine, 1), 0); /* nothing is to be moved */
    assert_int_equal(host.engine->ring->freed, durable);
    assert_int_equal(engine_drained_sequence(host.engine) + 1, next_sequence);
}

/* The last drain may have died in the midst of a slot, which a loss of power still takes: then the next checkpoint,
 * which goes into the other slot, must not be torn. */
static void the_medium_is_flushed_before_its_slots_are_taken_over(void **state) {
    (void)state;
    open_beside_a_drain();
    host.flushes = host.reads_before_flush = 0;
    host.fail_flush = 1;
    assert_int_equal(engine_begin_draining(host.engine), -EIO);
    host.flushes = host.fail_flush = 0;
    assert_int_equal(engine_begin_draining(host.engine), 0);
    assert_int_equal(host.reads_before_flush, 0);
}

/* Its medium takes no more records: all the same the log begins to drain what is durable. */
static void what_is_durable_in_a_failed_ring_is_drained(void **state) {
    (void)state;
    open_beside_a_drain();
    append_text("one\n");
    host.fail_submitted = 1;
    assert_int_equal(ring_append(host.engine->ring, "two\n", 4, 0, STREAM(0), &for_ever), -EIO);
    assert_int_equal(engine_begin_draining(host.engine), 0);
    drain_all();
    assert_file(host.file, "one\n");
    assert_int_equal(engine_drained_sequence(host.engine), 1);
    assert_true(engine_is_drained(host.engine));
}

int main(void) {
    const struct CMUnitTest tests[] = {RING_TEST(space_that_the_last_drain_has_freed_is_free),
                                       RING_TEST(what_is_durable_in_a_failed_ring_is_drained),
                                       RING_TEST(the_medium_is_flushed_before_its_slots_are_taken_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
