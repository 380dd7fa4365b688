/* SPDX-License-Identifier: Apache-2.0 */
/* A reader beside a writer that does anything: the seeds choose what. */
#include "view/live_reader.h"

#define SEEDS 1000u

static uint64_t random_below(uint64_t below) {
    beside.random = beside.random * 6364136223846793005u + 1442695040888963407u;
    return (beside.random >> 33) % below;
}

static void anything(uint64_t offset) {
    (void)offset;
    for (uint64_t n = random_below(4); n > 0; n--) {
        const uint64_t what = random_below(16);
        if (what == 0) {
            assert_int_equal(keeper_note(&host.engine->keeper), 0);
        } else if (what < 4) {
            engine_step(host.engine, what == 1); /* fails if a stream is stalled */
        } else if (what == 4) {
            write_a_lap();
        } else {
            write_record_to(what % 2 == 0 ? other : 0, (char)('a' + what % 3));
        }
        if (random_below(40) == 0) {
            stalled_by = stalled_by == 0 ? (char)('a' + random_below(3)) : 0;
        }
    }
}

static void a_writer_that_does_anything_loses_nothing(void **state) {
    (void)state;
    begin_with_other();
    beside.before_block = anything;
    unsigned again = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        beside.random = seed;
        const unsigned before = beside.data_reads;
        assert_sees_no_loss(beside.written);
        again += beside.data_reads - before > 1;
    }
    assert_true(again > SEEDS / 10 && again < SEEDS);
}

/* Returns the damaged range with this position, or NULL. */
static const struct walk_gap *damage_at(const struct recovery *recovery, uint64_t position) {
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct walk_gap *gap = &recovery->jumps[i].gap;
        if (gap->damaged && gap->from <= position && position < gap->to) {
            return gap;
        }
    }
    return NULL;
}

/* The drain takes its records from the writer's memory, and goes on. */
static void nor_does_it_hide_a_loss(void **state) {
    (void)state;
    begin_with_other();
    unsigned told = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        stalled_by = 0;
        for (int i = 0; i < 3; i++) {
            drain();
        }
        const uint64_t position = watermark(), sequence = beside.written + 1;
        assert_true(write_record_to(seed % 2 == 0 ? other : 0, 'a') && write_record());
        spoil_block(position);
        stalled_by = seed % 3 == 0 ? 0 : 'a';
        beside.random = seed;
        beside.before_block = anything;
        struct ring_view *view = look();
        beside.before_block = NULL;
        const struct walk_gap *gap = damage_at(&view->recovery, position);
        assert_int_equal(gap != NULL, view->recovery.start <= position);
        assert_true(gap == NULL || (gap->first_sequence == sequence && gap->count == 1));
        assert_int_equal(view->recovery.lost, gap != NULL);
        told += gap != NULL;
        ring_view_close(platform_beside(), view);
    }
    assert_true(told > SEEDS / 10 && told < SEEDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_writer_that_does_anything_loses_nothing),
        RING_TEST(nor_does_it_hide_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
