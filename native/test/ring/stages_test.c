/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a record's time. The clock stands still unless the device, or a wait, takes time. */
#include "ring/fake_device.h"

#define WRITE_NS 30000
#define WAIT_NS 7000

static struct stages memory, *const stages = &memory;
static struct ring *waiting_ring;
static int64_t write_ns;

static void write_slowly(struct fake_device *fake) {
    (void)fake;
    fake_platform.now_ns += write_ns;
}

static struct ring *timed_ring(size_t bytes) {
    struct ring *ring = begun_ring(bytes, 1);
    fake_platform.now_ns = 1;
    write_ns = WRITE_NS;
    fake_device.before_completion = write_slowly;
    memset(stages, 0, sizeof *stages);
    stages_init(stages, &fake_platform.platform);
    ring->stages = stages;
    return ring;
}

static struct histogram_figures figures_of(enum stage stage) {
    struct histogram_figures figures[STAGES];
    stages_summarize(stages, figures);
    return figures[stage];
}

static void assert_stage(enum stage stage, uint64_t count, uint64_t max_ns) {
    const struct histogram_figures figures = figures_of(stage);
    assert_int_equal(figures.count, count);
    assert_int_equal(figures.max_ns, max_ns);
}

/* Releases all. Released space is not compared with the medium any more, since it will be written anew. */
static void release_all(struct ring *ring) {
    ring_release(ring, atomic_load(&ring->durable_position));
    ring->begin_position = atomic_load(&ring->durable_position);
}

static void append(struct ring *ring) {
    assert_true(ring_append(ring, "record", 6, 0, &stream_0, &fake_rule) > 0);
    release_all(ring);
}

static void enqueue(struct ring *ring) {
    assert_true(ring_enqueue(ring, "record", 6, 0, &stream_0, &fake_rule) > 0);
    assert_int_equal(ring_commit(ring), 1);
    release_all(ring);
}

static void a_slow_device_is_found_in_its_writes_and_in_the_wait_for_them(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    for (int i = 0; i < 10; i++) {
        append(ring);
    }
    assert_stage(STAGE_CLAIM_WAIT, 0, 0);
    assert_stage(STAGE_COPY, 10, 0);
    assert_stage(STAGE_COMMIT_WAIT, 10, WRITE_NS);
    assert_stage(STAGE_DEVICE_WRITE, 10, WRITE_NS);
    assert_int_equal(figures_of(STAGE_DEVICE_WRITE).p50_ns, WRITE_NS);
}

static void each_write_of_a_commit_is_timed_from_its_own_submission(void **state) {
    (void)state;
    struct ring *ring = timed_ring(LARGE_BYTES);
    static uint8_t record[3 * RING_WRITE_BYTES];
    assert_int_equal(ring_append(ring, record, sizeof record, 0, &stream_0, &fake_rule), 1);
    assert_stage(STAGE_DEVICE_WRITE, atomic_load(&ring->device_writes), WRITE_NS);
    assert_true(atomic_load(&ring->device_writes) >= 3);
    assert_stage(STAGE_COMMIT_WAIT, 1, (uint64_t)WRITE_NS * atomic_load(&ring->device_writes));
}

/* Appends a thousand records whose writes take so long; returns how many were timed, appends and writes together. */
static uint64_t timed_of_a_thousand(struct ring *ring, int64_t takes_ns) {
    write_ns = takes_ns;
    const uint64_t writes = figures_of(STAGE_DEVICE_WRITE).count, waits = figures_of(STAGE_COMMIT_WAIT).count;
    for (int i = 0; i < 1024; i++) {
        append(ring);
    }
    const uint64_t timed = figures_of(STAGE_DEVICE_WRITE).count - writes;
    assert_in_range(figures_of(STAGE_COMMIT_WAIT).count - waits, timed - timed / 50 - 1, timed + timed / 50 + 1);
    assert_int_equal(figures_of(STAGE_COMMIT_WAIT).count, figures_of(STAGE_COPY).count);
    return timed;
}

static void on_a_slow_device_all_are_timed(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    assert_int_equal(timed_of_a_thousand(ring, STAGES_WORTHWHILE_US * 1000), 1024);
    assert_int_equal(timed_of_a_thousand(ring, 1000000000), 1024);
}

static void the_faster_the_device_the_fewer_are_timed(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    assert_in_range(timed_of_a_thousand(ring, 13000), 64 + 480 - 5, 64 + 480 + 5); /* one in 2, after the first 64 */
    timed_of_a_thousand(ring, 4000);
    assert_in_range(timed_of_a_thousand(ring, 4000), 126, 130); /* one in 8 */
    for (int i = 0; i < 20; i++) {
        timed_of_a_thousand(ring, 900); /* until 64 were timed */
    }
    for (int i = 0; i < 10; i++) {
        assert_in_range(timed_of_a_thousand(ring, 0), 1, 3); /* one in 512 */
    }
}

static void a_device_that_becomes_slow_does_not_count_for_more(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    timed_of_a_thousand(ring, 4000);
    assert_in_range(timed_of_a_thousand(ring, 4000), 126, 130);
    assert_in_range(timed_of_a_thousand(ring, 10000000), 126, 130);
}

static void a_write_that_hangs_does_not_hide_that_the_others_are_fast(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    write_ns = 60000000000ll;
    append(ring);
    assert_in_range(timed_of_a_thousand(ring, 4000), 63 + 118, 63 + 122); /* one in 8: 5 us on average */
}

static void threads_that_take_turns_are_all_timed(void **state) {
    (void)state;
    timed_ring(SMALL_BYTES);
    atomic_store(&stages->share, STAGES_SHARE(4));
    for (uint64_t threads = 2; threads <= 16; threads++) {
        for (uint64_t thread = 0; thread < threads; thread++) {
            int timed = 0;
            for (uint64_t turn = 0; turn < 1000; turn++) {
                timed += stages_claimed(stages, turn * threads + thread, 0) != 0;
            }
            assert_in_range(timed, 200, 300);
        }
    }
}

static void of_enqueued_records_one_in_64_is_timed_and_nobody_waits(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    for (int i = 0; i < 6400; i++) {
        enqueue(ring);
    }
    assert_in_range(figures_of(STAGE_COPY).count, 98, 102);
    assert_stage(STAGE_COMMIT_WAIT, 0, 0);
}

static void the_lag_of_an_enqueued_record_is_the_time_until_it_is_durable(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    for (int i = 0; i < 6400; i++) {
        assert_true(ring_enqueue(ring, "record", 6, 0, &stream_0, &fake_rule) > 0);
        fake_platform.now_ns += WAIT_NS;
        assert_int_equal(ring_commit(ring), 1);
        release_all(ring);
        append(ring); /* a call waits for this one, so it counts as no lag */
    }
    assert_in_range(figures_of(STAGE_ENQUEUE_LAG).count, 98, 102);
    assert_int_equal(figures_of(STAGE_ENQUEUE_LAG).max_ns, WAIT_NS + WRITE_NS);
    assert_in_range(figures_of(STAGE_ENQUEUE_LAG).p50_ns, WAIT_NS + WRITE_NS, WAIT_NS + WRITE_NS);
}

/* A commit of 9 MiB of small records, four writes at a time. The first records are durable after one of the writes. */
static void each_record_of_a_long_commit_has_the_lag_of_its_own_write(void **state) {
    (void)state;
    struct ring *ring = timed_ring(LARGE_BYTES);
    ring->device->write_depth = 4;
    static const uint8_t record[64];
    const uint64_t records = 9 * RING_WRITE_BYTES / (sizeof record + RECORD_HEADER_BYTES);
    for (uint64_t i = 0; i < records; i++) {
        assert_true(ring_enqueue(ring, record, sizeof record, 0, &stream_0, &fake_rule) > 0);
    }
    assert_int_equal(ring_commit(ring), 1);
    const uint64_t writes = atomic_load(&ring->device_writes);
    assert_true(writes >= 9);
    const struct histogram_figures figures = figures_of(STAGE_ENQUEUE_LAG);
    assert_in_range(figures.count, records / 64 - 2, records / 64 + 2);
    assert_int_equal(figures.max_ns, writes * WRITE_NS);
    assert_in_range(figures.p50_ns, (writes / 2 - 1) * WRITE_NS, (writes / 2 + 2) * WRITE_NS);
    assert_int_equal(stages->lagging_count, 0);
}

static void a_record_that_a_failed_write_loses_has_no_lag(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    fake_device.fail_submitted = (int)fake_device.submitted;
    for (int i = 0; i < 64; i++) {
        assert_true(ring_enqueue(ring, "record", 6, 0, &stream_0, &fake_rule) > 0);
    }
    assert_true(ring_commit(ring) < 0);
    assert_stage(STAGE_COPY, 1, 0);
    assert_stage(STAGE_ENQUEUE_LAG, 0, 0);
}

static int release_while_parked(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected,
                                int64_t timeout_ns) {
    (void)word, (void)expected, (void)timeout_ns;
    platform_of(platform)->now_ns += WAIT_NS;
    if (platform_of(platform)->now_ns > 2 * WAIT_NS) {
        release_all(waiting_ring);
    }
    return 0;
}

static void only_who_finds_the_ring_full_waits_and_the_whole_wait_counts(void **state) {
    (void)state;
    static struct platform_ops ops; /* lives until the ring is freed */
    ops = fake_platform_ops;
    ops.park = release_while_parked;
    struct ring *ring = timed_ring(SMALL_BYTES);
    fake_device.before_completion = NULL;
    fake_platform.platform.ops = &ops;
    fake_rule.on_full = RING_ON_FULL_BLOCK;
    waiting_ring = ring;
    int64_t sequence = 0;
    while (figures_of(STAGE_CLAIM_WAIT).count == 0) {
        sequence = ring_append(ring, "record", 6, 0, &stream_0, &fake_rule);
        assert_true(sequence > 0 && sequence < 10);
    }
    assert_stage(STAGE_CLAIM_WAIT, 1, 2 * WAIT_NS);
    assert_stage(STAGE_COPY, (uint64_t)sequence, 0); /* the copy's time does not include the wait */
    assert_int_equal(ring_append(ring, "record", 6, 0, &stream_0, &fake_rule), sequence + 1);
    assert_stage(STAGE_CLAIM_WAIT, 1, 2 * WAIT_NS);
}

static void the_lag_is_that_of_the_oldest_commit_of_a_sync(void **state) {
    (void)state;
    timed_ring(SMALL_BYTES);
    fake_platform.now_ns = 1000;
    stages_committed(stages, 4096);
    fake_platform.now_ns = 2000;
    stages_committed(stages, 8192);
    stages_drain_looks(stages); /* the drain has moved both without a sync */
    fake_platform.now_ns = 3000;
    stages_committed(stages, 12288);
    fake_platform.now_ns = 5000;
    stages_committed(stages, 16384);
    stages_drain_looks(stages);
    fake_platform.now_ns = 6000;
    stages_committed(stages, 20480); /* committed while the drain syncs */
    fake_platform.now_ns = 9000;
    stages_drained(stages, 20480);
    assert_stage(STAGE_DRAIN_LAG, 1, 8000);
    stages_drained(stages, 20480); /* the other slot */
    assert_stage(STAGE_DRAIN_LAG, 1, 8000);
    stages_drain_looks(stages);
    fake_platform.now_ns = 20000;
    stages_drained(stages, 24576);
    assert_stage(STAGE_DRAIN_LAG, 2, 14000);
}

static void a_checkpoint_that_moves_nothing_leaves_the_lag_open(void **state) {
    (void)state;
    timed_ring(SMALL_BYTES);
    fake_platform.now_ns = 1000;
    stages_committed(stages, 8192);
    stages_drain_looks(stages);
    fake_platform.now_ns = 2000;
    stages_drained(stages, 8192);
    assert_stage(STAGE_DRAIN_LAG, 0, 0);
    fake_platform.now_ns = 4000;
    stages_drained(stages, 12288);
    assert_stage(STAGE_DRAIN_LAG, 1, 3000);
}

static void a_commit_that_was_synced_before_it_was_stamped_has_no_lag(void **state) {
    (void)state;
    timed_ring(SMALL_BYTES);
    stages_drained(stages, 12288);
    stages_committed(stages, 8192);
    stages_drain_looks(stages);
    fake_platform.now_ns = 900000;
    stages_drained(stages, 16384);
    assert_stage(STAGE_DRAIN_LAG, 0, 0);
}

static void a_commit_is_stamped_with_where_it_begins(void **state) {
    (void)state;
    struct ring *ring = timed_ring(SMALL_BYTES);
    const uint64_t begin = atomic_load(&ring->durable_position);
    append(ring);
    append(ring);
    assert_int_equal(atomic_load(&stages->stamped), begin);
    assert_int_equal(atomic_load(&stages->stamped_ns), 1 + WRITE_NS);
}

static void a_clock_that_jumps_back_counts_as_no_time(void **state) {
    (void)state;
    timed_ring(SMALL_BYTES);
    stages_end(stages, STAGE_COPY, 100);
    assert_stage(STAGE_COPY, 1, 0);
}

static void what_was_counted_stays_after_close_and_its_memory_does_not(void **state) {
    (void)state;
    static struct histogram before[STAGES], after;
    struct ring *ring = timed_ring(SMALL_BYTES);
    for (int i = 0; i < 50; i++) {
        fake_platform.now_ns += i * i * 1000;
        append(ring);
        stages_end(stages, STAGE_DRAIN_LAG, 1);
        stages_end(stages, STAGE_ENQUEUE_LAG, 1);
        stages_end(stages, STAGE_COPY_WAIT, 1);
        stages_end(stages, STAGE_CLAIM_WAIT, fake_platform.now_ns - (1ll << 36) * i);
    }
    static struct platform_ops ops; /* until the ring is freed */
    ops = fake_platform_ops;
    ops.forget = platform_linux.ops->forget;
    fake_platform.platform.ops = &ops;
    for (unsigned stage = 0; stage < STAGES; stage++) {
        stages_copy(stages, stage, &before[stage]);
        assert_int_equal(before[stage].count, 50);
    }
    stages_keep(stages);
    stages_forget(stages);
    stages_end(stages, STAGE_COMMIT_WAIT, 1); /* a late caller */
    for (unsigned stage = 0; stage < STAGES; stage++) {
        stages_copy_kept(stages, stage, &after);
        assert_memory_equal(&after, &before[stage], sizeof after);
        assert_int_equal(stages->histograms[stage].counts[0], 0);
    }
    assert_int_equal(figures_of(STAGE_COPY).count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_slow_device_is_found_in_its_writes_and_in_the_wait_for_them),
        RING_TEST(each_write_of_a_commit_is_timed_from_its_own_submission),
        RING_TEST(on_a_slow_device_all_are_timed),
        RING_TEST(the_faster_the_device_the_fewer_are_timed),
        RING_TEST(a_device_that_becomes_slow_does_not_count_for_more),
        RING_TEST(a_write_that_hangs_does_not_hide_that_the_others_are_fast),
        RING_TEST(threads_that_take_turns_are_all_timed),
        RING_TEST(of_enqueued_records_one_in_64_is_timed_and_nobody_waits),
        RING_TEST(the_lag_of_an_enqueued_record_is_the_time_until_it_is_durable),
        RING_TEST(each_record_of_a_long_commit_has_the_lag_of_its_own_write),
        RING_TEST(a_record_that_a_failed_write_loses_has_no_lag),
        RING_TEST(only_who_finds_the_ring_full_waits_and_the_whole_wait_counts),
        RING_TEST(the_lag_is_that_of_the_oldest_commit_of_a_sync),
        RING_TEST(a_checkpoint_that_moves_nothing_leaves_the_lag_open),
        RING_TEST(a_commit_that_was_synced_before_it_was_stamped_has_no_lag),
        RING_TEST(a_commit_is_stamped_with_where_it_begins),
        RING_TEST(a_clock_that_jumps_back_counts_as_no_time),
        RING_TEST(what_was_counted_stays_after_close_and_its_memory_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
