/* SPDX-License-Identifier: Apache-2.0 */
/* An open's work on the medium before anybody can append. */
#include "base/crc32c.h"
#include "memory_ring.h"

static uint8_t before[MEDIUM_BYTES];

/* Leaves the older checkpoint behind the newer one, as a crash between their writes does. */
static void drain_into_one_slot(void) {
    for (int i = 0; i < 4; i++) {
        append(BLOCK_BYTES - RECORD_HEADER_BYTES);
    }
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_int_not_equal(checkpoint(0)->stream.drained_position, checkpoint(1)->stream.drained_position);
}

static void the_medium_is_flushed_before_it_is_read(void **state) {
    (void)state;
    open_ring();
    assert_int_equal(host.flushes, 1);
    assert_int_equal(host.reads_before_flush, 0);
    close_ring();
    host.fail_flush = 1;
    assert_int_equal(try_to_open(), -EIO);
    assert_int_equal(host.accesses, 0);
}

static void the_marker_of_the_epoch_is_durable_when_the_open_returns(void **state) {
    (void)state;
    for (uint32_t epoch = 1; epoch <= 4; epoch++) {
        open_ring();
        assert_int_equal(host.engine->ring->epoch, epoch);
        const uint64_t position = host.engine->ring->begin_position - BLOCK_BYTES;
        assert_int_equal(
            record_judge(medium + LAYOUT_DATA_OFFSET, CAPACITY_BYTES, position, crc_seed_of(superblock(0)->uuid)),
            RECORD_VALID);
        const struct record_header *header = record_at(medium + LAYOUT_DATA_OFFSET, CAPACITY_BYTES, position);
        assert_int_equal(header->type, RECORD_MARKER);
        assert_int_equal(header->epoch, epoch);
        assert_int_equal(header->flags, RECORD_LAST);
        append(100);
        close_ring();
    }
}

static void a_bad_superblock_copy_is_repaired_from_the_other(void **state) {
    (void)state;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        const struct superblock whole = *superblock(copy);
        superblock(copy)->capacity_bytes ^= 8;
        open_ring();
        assert_memory_equal(superblock(copy), &whole, sizeof whole);
        close_ring();
    }
}

static uint64_t failing_offset;

static int fail_at(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    return offset == failing_offset ? error_set(EIO, "writing %s failed", device->path)
                                    : memory_write(device, offset, data, bytes);
}

static void fail_writes_at(uint64_t offset) {
    static struct device_ops ops;
    ops = memory_ops;
    ops.write = fail_at;
    failing_offset = offset;
    host.device.ops = &ops;
}

static void a_repair_or_a_format_that_fails_is_not_taken_for_done(void **state) {
    (void)state;
    superblock(1)->magic ^= 1;
    fail_writes_at(LAYOUT_SUPERBLOCK_OFFSET(1));
    assert_int_equal(try_to_open(), -EIO);
    struct event event;
    while (events_take(&host.events, &event, 0) == 1) {
        assert_null(strstr(event.text, "repaired"));
    }
    const uint64_t offsets[] = {LAYOUT_SUPERBLOCK_OFFSET(0), LAYOUT_SUPERBLOCK_OFFSET(1), LAYOUT_CHECKPOINT_OFFSET(0),
                                LAYOUT_CHECKPOINT_OFFSET(1)};
    for (int i = 0; i < 4; i++) {
        memset(medium, 0, sizeof medium);
        fail_writes_at(offsets[i]);
        assert_int_equal(ledger_format(&platform_linux, &host.device, MEDIUM_BYTES), -EIO);
        assert_int_equal(superblock(0)->magic, 0); /* format writes the first copy last: there is no ring yet */
    }
    host.device.ops = &memory_ops;
    assert_int_equal(ledger_format(&platform_linux, &host.device, MEDIUM_BYTES), 0);
    open_ring();
}

static void a_bad_checkpoint_is_repaired_from_the_other(void **state) {
    (void)state;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        open_ring();
        close_ring();
        checkpoint(slot)->stream.length ^= 8;
        assert_false(checkpoint_stands(slot));
        open_ring();
        assert_true(checkpoint_stands(slot));
        assert_memory_equal(&checkpoint(0)->stream, &checkpoint(1)->stream, sizeof checkpoint(0)->stream);
        close_ring();
    }
}

static void an_open_brings_the_older_checkpoint_up_to_the_newer(void **state) {
    (void)state;
    open_ring();
    drain_into_one_slot();
    const uint64_t drained = host.engine->ring->begin_position + 4 * BLOCK_BYTES;
    close_ring();
    open_ring();
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        assert_true(checkpoint_stands(slot));
        assert_int_equal(checkpoint(slot)->stream.drained_position, drained);
    }
    assert_int_equal(host.engine->ring->freed, drained);
}

static void space_that_the_older_checkpoint_needs_is_not_released(void **state) {
    (void)state;
    open_ring();
    const uint64_t released = host.engine->ring->freed;
    drain_into_one_slot();
    assert_int_equal(host.engine->ring->freed, released);
    assert_int_equal(engine_step(host.engine, 0), 0); /* nothing else to do: the drain levels the older slot */
    assert_true(host.engine->ring->freed > released);
    assert_int_equal(checkpoint(0)->stream.drained_position, checkpoint(1)->stream.drained_position);
}

static void bytes_of_others_behind_the_log_divert_it_at_once(void **state) {
    (void)state;
    open_ring();
    append(100);
    assert_int_equal(engine_step(host.engine, 1), 1);
    close_ring();
    FILE *file = fopen(host.file, "a");
    assert_non_null(file);
    fputs("of others\n", file);
    fclose(file);
    open_ring();
    char path[sizeof host.file], wanted[sizeof host.file + 8];
    drain_copy_path(host.engine->drainer.drain, 0, path, sizeof path);
    snprintf(wanted, sizeof wanted, "%s.burst-2", host.file);
    assert_string_equal(path, wanted);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        assert_int_equal(checkpoint(slot)->stream.diverted_sequence, 2);
        assert_int_equal(checkpoint(slot)->stream.length, 0);
    }
}

static void assert_left_as_it_is(int code) {
    memcpy(before, medium, sizeof medium);
    assert_int_equal(try_to_open(), code);
    assert_memory_equal(medium, before, sizeof medium);
    assert_int_not_equal(access(host.file, F_OK), 0);
}

static void a_ring_that_cannot_be_trusted_is_refused_and_left_as_it_is(void **state) {
    (void)state;
    superblock(0)->capacity_bytes ^= 8;
    superblock(1)->capacity_bytes ^= 8;
    assert_left_as_it_is(-EUCLEAN);
    superblock(0)->capacity_bytes ^= 8;
    superblock(1)->capacity_bytes ^= 8;
    checkpoint(0)->head.generation ^= 8;
    checkpoint(1)->head.generation ^= 8;
    assert_left_as_it_is(-EUCLEAN);
    checkpoint(0)->head.generation ^= 8;
    checkpoint(1)->head.generation ^= 8;
    host.device.medium_bytes -= BLOCK_BYTES;
    assert_left_as_it_is(-EUCLEAN);
    host.device.medium_bytes += BLOCK_BYTES;
    host.device.block_bytes *= 2;
    assert_left_as_it_is(-EUCLEAN);
    host.device.block_bytes /= 2;
    open_ring();
}

/* The advice to format destroys the medium's content. So it is given only if all was read and holds no ring. */
static void format_is_advised_only_where_everything_was_read(void **state) {
    (void)state;
    host.unreadable_below = LAYOUT_CHECKPOINT_OFFSET(0);
    assert_int_equal(try_to_open(), -EIO);
    assert_non_null(strstr(error_text(), "cannot be read"));
    assert_null(strstr(error_text(), "format"));
    host.unreadable_below = LAYOUT_SUPERBLOCK_OFFSET(1);
    memset(superblock(1), 0, sizeof *superblock(1)); /* the only readable copy is gone */
    assert_int_equal(try_to_open(), -EIO);
    assert_null(strstr(error_text(), "format"));
    host.device.medium_bytes = 512;
    assert_int_equal(try_to_open(), -ENODATA);
    assert_non_null(strstr(error_text(), "has only 512 bytes"));
    assert_null(strstr(error_text(), "format"));
    host.device.medium_bytes = MEDIUM_BYTES;
    host.unreadable_below = 0;
    memset(medium, 0, sizeof medium);
    assert_int_equal(try_to_open(), -ENODATA);
    assert_non_null(strstr(error_text(), "`burstlog format` makes one"));
}

static void reseal(void) {
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        one_stream_seal(checkpoint(slot), crc_seed_of(superblock(0)->uuid));
    }
}

static void a_ring_whose_epochs_or_numbers_are_used_up_is_refused_and_left_as_it_is(void **state) {
    (void)state;
    checkpoint(0)->head.epoch = checkpoint(1)->head.epoch = UINT32_MAX;
    reseal();
    assert_left_as_it_is(-EUCLEAN);
    assert_non_null(strstr(error_text(), "epoch 4294967295"));
    checkpoint(0)->head.epoch = checkpoint(1)->head.epoch = UINT32_MAX - 1;
    checkpoint(0)->stream.next_sequence = checkpoint(1)->stream.next_sequence = LAYOUT_NUMBER_MAX;
    reseal();
    assert_left_as_it_is(-EUCLEAN);
    checkpoint(0)->stream.next_sequence = checkpoint(1)->stream.next_sequence = 1;
    checkpoint(0)->stream.drained_position = checkpoint(1)->stream.drained_position = LAYOUT_NUMBER_MAX;
    reseal();
    assert_left_as_it_is(-EUCLEAN);
    checkpoint(0)->stream.drained_position = checkpoint(1)->stream.drained_position = 0;
    const uint64_t generation = checkpoint(1)->head.generation;
    checkpoint(1)->head.generation = LAYOUT_NUMBER_MAX;
    reseal();
    assert_left_as_it_is(-EUCLEAN);
    checkpoint(1)->head.generation = generation;
    reseal();
    open_ring();
    assert_int_equal(host.engine->ring->epoch, UINT32_MAX);
}

static void an_older_checkpoint_that_has_drained_more_is_not_believed(void **state) {
    (void)state;
    open_ring();
    close_ring();
    const unsigned newer = checkpoint(0)->head.generation > checkpoint(1)->head.generation ? 0 : 1;
    checkpoint(1 - newer)->stream.drained_position = 1ull << 40;
    reseal();
    open_ring();
    assert_true(checkpoint(1 - newer)->stream.drained_position < CAPACITY_BYTES);
    append(100);
}

static void set_stream(uint64_t position, uint16_t stream) {
    struct record_header *header = (struct record_header *)(medium + LAYOUT_DATA_OFFSET + position % CAPACITY_BYTES);
    assert_int_equal(header->type, RECORD_DATA);
    header->stream = stream;
    header->header_crc = crc32c(crc_seed_of(superblock(0)->uuid), header, RECORD_CRC_COVERS);
}

static void a_record_of_a_stream_that_no_checkpoint_knows_is_refused(void **state) {
    (void)state;
    open_ring();
    const uint64_t position = host.engine->ring->begin_position;
    append(100);
    close_ring();
    assert_int_equal(unlink(host.file), 0);
    set_stream(position, 1);
    assert_left_as_it_is(-EUCLEAN);
    assert_non_null(strstr(error_text(), "records of stream 1, which its checkpoints do not know"));
    set_stream(position, LAYOUT_STREAMS_MAX - 1);
    assert_left_as_it_is(-EUCLEAN);
    assert_non_null(strstr(error_text(), "of stream 63,"));
    set_stream(position, UINT16_MAX);
    assert_left_as_it_is(-EUCLEAN);
    assert_non_null(strstr(error_text(), "of stream 64 or above,"));
    set_stream(position, 0);
    open_ring();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(the_medium_is_flushed_before_it_is_read),
        RING_TEST(the_marker_of_the_epoch_is_durable_when_the_open_returns),
        RING_TEST(a_bad_superblock_copy_is_repaired_from_the_other),
        RING_TEST(a_repair_or_a_format_that_fails_is_not_taken_for_done),
        RING_TEST(a_bad_checkpoint_is_repaired_from_the_other),
        RING_TEST(an_open_brings_the_older_checkpoint_up_to_the_newer),
        RING_TEST(space_that_the_older_checkpoint_needs_is_not_released),
        RING_TEST(bytes_of_others_behind_the_log_divert_it_at_once),
        RING_TEST(a_ring_that_cannot_be_trusted_is_refused_and_left_as_it_is),
        RING_TEST(format_is_advised_only_where_everything_was_read),
        RING_TEST(a_ring_whose_epochs_or_numbers_are_used_up_is_refused_and_left_as_it_is),
        RING_TEST(an_older_checkpoint_that_has_drained_more_is_not_believed),
        RING_TEST(a_record_of_a_stream_that_no_checkpoint_knows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
