/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's part of the window: head, gaps, the copy of the checkpoint, and the floor. */
#include "media/window.h"
#include "memory_ring.h"

static _Alignas(4096) uint8_t pages[WINDOW_PAGES_BYTES];
static struct window window;
static int is_refused;

static struct window *make(struct window_maker *maker, struct device *device, uint64_t capacity_bytes) {
    (void)maker, (void)device;
    assert_int_equal(capacity_bytes, CAPACITY_BYTES);
    memset(pages, 0, sizeof pages);
    window = window_at(pages);
    return is_refused ? NULL : &window;
}

static struct window_maker maker = {.make = make};

static int begin(void **state) {
    const int rc = format_ring(state);
    host.window_maker = &maker;
    is_refused = 0;
    return rc;
}

static void the_head_says_which_log_it_is(void **state) {
    (void)state;
    for (uint32_t epoch = 1; epoch <= 3; epoch++) {
        open_ring();
        const struct ring *ring = host.engine->ring;
        assert_true(window_is_sealed(window.head, window.gaps));
        assert_int_equal(window.head->epoch, epoch);
        assert_int_equal(window.head->begin_position, ring->begin_position);
        assert_int_equal(window.head->capacity_bytes, CAPACITY_BYTES);
        assert_int_equal(window.head->image_offset, 0); /* this device shares no image */
        assert_int_equal(window.head->gap_count, host.engine->view.recovery.jump_count);
        assert_memory_equal(window.head->uuid, superblock(0)->uuid, 16);
        assert_int_equal(window.lines->floor, ring->released);
        append(100);
        uint64_t position, sequence;
        assert_int_equal(window_get_watermark(window.lines, &position, &sequence), 0);
        assert_int_equal(sequence, epoch + 1);
        close_ring();
    }
}

static unsigned copied(struct stream_state *state) {
    static uint8_t copy[LAYOUT_CHECKPOINT_BYTES];
    const int bytes = window_get_checkpoint(window.lines, window.checkpoint, copy);
    assert_true(bytes > 0);
    assert_true(checkpoint_is_valid(copy, (size_t)bytes, crc_seed_of(superblock(0)->uuid), CAPACITY_BYTES));
    checkpoint_decode(copy, 0, state);
    return checkpoint_streams(copy);
}

static int refuse_checkpoint(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    return offset >= LAYOUT_CHECKPOINT_OFFSET(0) && offset < LAYOUT_CHECKPOINT_OFFSET(2)
               ? error_set(EIO, "writing %s failed", device->path)
               : memory_write(device, offset, data, bytes);
}

static void the_copy_of_the_checkpoint_is_the_newest_durable_one(void **state) {
    (void)state;
    struct stream_state seen;
    open_ring();
    assert_int_equal(copied(&seen), 1);
    append(100);
    append(100);
    assert_int_equal(engine_step(host.engine, 1), 1);
    copied(&seen);
    uint64_t position, sequence;
    ring_durable(host.engine->ring, &position, &sequence);
    assert_int_equal(seen.drained_position, position);
    assert_int_equal(seen.next_sequence, sequence);
    append(100);
    struct device_ops ops = memory_ops;
    ops.write = refuse_checkpoint;
    host.device.ops = &ops;
    assert_true(engine_step(host.engine, 1) < 0);
    host.device.ops = &memory_ops;
    copied(&seen);
    assert_int_equal(seen.drained_position, position);
}

static void a_host_without_memory_for_it_opens_the_ring_all_the_same(void **state) {
    (void)state;
    is_refused = 1;
    open_ring();
    assert_null(host.engine->window);
    append(100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_head_says_which_log_it_is, begin, remove_folder),
        cmocka_unit_test_setup_teardown(the_copy_of_the_checkpoint_is_the_newest_durable_one, begin, remove_folder),
        cmocka_unit_test_setup_teardown(a_host_without_memory_for_it_opens_the_ring_all_the_same, begin, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
