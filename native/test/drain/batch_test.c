/* SPDX-License-Identifier: Apache-2.0 */
/* How much the drain takes from a long backlog at a time. */
#define CAPACITY_BYTES (2048u * 4096u)
#include "drain/stream.h"
#include "memory_ring.h"

#define RECORD_BYTES 4000u
#define RECORDS 1500u /* more than the room of a batch, which the longest record has part in */

static struct outlet_ops ops;
static const struct outlet_ops *file_ops;
static size_t most_bytes;

static int note_bytes(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes,
                      int partly, struct outlet_state *state) {
    most_bytes = bytes > most_bytes ? bytes : most_bytes;
    return file_ops->ready(outlet, noted, data, bytes, partly, state);
}

static void a_long_backlog_is_taken_a_mebibyte_at_a_time(void **state) {
    (void)state;
    open_ring();
    struct drain *drain = host.engine->drainer.drain;
    struct outlet *outlet = drain_stream(drain, LAYOUT_MAIN_STREAM)->outlet;
    file_ops = outlet->ops;
    ops = *file_ops;
    ops.ready = note_bytes;
    outlet->ops = &ops;
    for (unsigned i = 0; i < RECORDS; i++) {
        append(RECORD_BYTES);
    }
    assert_true(drain->batch_room < RECORDS * RECORD_BYTES);
    while (!drain_is_done(drain)) {
        assert_true(engine_step(host.engine, 1) >= 0);
    }
    assert_in_range(most_bytes, DRAIN_BATCH_BYTES, DRAIN_BATCH_BYTES + RECORD_BYTES - 1);
    struct file_identity identity;
    assert_int_equal(files_posix.ops->identity_of_path(&files_posix, host.file, &identity), 0);
    assert_int_equal(identity.bytes, RECORDS * RECORD_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_long_backlog_is_taken_a_mebibyte_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
