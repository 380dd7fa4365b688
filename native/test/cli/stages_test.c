/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog info` tells where the time went: of the newest checkpoint, whoever wrote it. */
#include "log_fixture.h"
#include "cli/run.h"

#include "media/checkpoint_v1.h"
#include "media/record.h"
#include "media/superblock.h"

static void append_and_drain(burst_t *log) {
    for (int i = 0; i < 100; i++) {
        assert_true(burst_append(log, "record\n", 7, 0) > 0);
    }
    assert_int_equal(burst_await_drained(log, -1), 1);
}

static int has_said_figures(const char *format, const char *stage, uint64_t count) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, format, stage, (unsigned long long)count);
    return strstr(output, wanted) != NULL;
}

static void assert_said_figures(const char *format, const char *stage, uint64_t count) {
    if (!has_said_figures(format, stage, count)) {
        fail_msg("%llu of stage %s are not in: %s", (unsigned long long)count, stage, output);
    }
}

#define AS_TEXT "stage: %s\n      count: %llu\n"
#define AS_JSON "\"stage\": \"%s\",\n        \"count\": %llu,"

static void a_ring_without_figures_has_none_yet(void **state) {
    (void)state;
    assert_int_equal(run("format --size=2M %s", ring_path), 0);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("stages: none yet\n");
    assert_int_equal(run("info --json %s", ring_path), 0);
    assert_said("\"stages\": {");
    assert_said("\"figures\": []\n");
}

static void figures_are_shown_beside_the_writer_with_epoch_and_time(void **state) {
    (void)state;
    burst_close(open_small());
    burst_t *log = open_small();
    burst_stats_t stats;
    int rounds = 0;
    do { /* the last wait ends after the record is durable: the drain may have been faster */
        append_and_drain(log);
        stats = stats_of(log);
        assert_int_equal(run("info %s", ring_path), 0);
    } while (!has_said_figures(AS_TEXT, "commit wait", stats.stages[BURST_STAGE_COMMIT_WAIT].count) && ++rounds < 100);
    assert_said("stages\n  epoch: 2\n  written: 20");
    assert_said_figures(AS_TEXT, "claim wait", 0);
    assert_said_figures(AS_TEXT, "copy", stats.stages[BURST_STAGE_COPY].count);
    assert_said_figures(AS_TEXT, "commit wait", stats.stages[BURST_STAGE_COMMIT_WAIT].count);
    assert_said_figures(AS_TEXT, "device write", stats.stages[BURST_STAGE_DEVICE_WRITE].count);
    assert_said("stage: drain lag\n");
    assert_int_equal(run("info --json %s", ring_path), 0);
    assert_said_figures(AS_JSON, "device write", stats.stages[BURST_STAGE_DEVICE_WRITE].count);
    char max[64];
    snprintf(max, sizeof max, "\"max_ns\": %llu\n", (unsigned long long)stats.stages[BURST_STAGE_DEVICE_WRITE].max_ns);
    assert_said(max);
    burst_close(log);
}

static void figures_stay_after_the_writer(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_and_drain(log);
    burst_close(log);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said_figures(AS_TEXT, "device write", stats_of(log).stages[BURST_STAGE_DEVICE_WRITE].count);
}

/* Puts a number into every figure of the older and of the newer checkpoint. */
static void put_figures(uint64_t older, uint64_t newer) {
    const int fd = open(ring_path, O_RDWR);
    struct superblock superblock;
    struct checkpoint checkpoints[LAYOUT_CHECKPOINT_SLOTS];
    assert_int_equal(pread(fd, &superblock, sizeof superblock, 0), sizeof superblock);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        assert_int_equal(pread(fd, &checkpoints[slot], sizeof checkpoints[slot], (off_t)LAYOUT_CHECKPOINT_OFFSET(slot)),
                         sizeof checkpoints[slot]);
    }
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        struct checkpoint *checkpoint = &checkpoints[slot];
        const uint64_t figure = checkpoint->generation > checkpoints[1 - slot].generation ? newer : older;
        for (size_t i = 0; i < sizeof checkpoint->stages; i += sizeof figure) {
            memcpy((uint8_t *)checkpoint->stages + i, &figure, sizeof figure);
        }
        checkpoint_seal(checkpoint, crc_seed_of(superblock.uuid));
        assert_int_equal(pwrite(fd, checkpoint, sizeof *checkpoint, (off_t)LAYOUT_CHECKPOINT_OFFSET(slot)),
                         sizeof *checkpoint);
    }
    close(fd);
}

static void the_newer_checkpoint_is_the_one_that_is_shown(void **state) {
    (void)state;
    burst_close(open_small());
    put_figures(111111111111111, 222222222222222); /* no time that was measured looks like this */
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said_figures(AS_TEXT, "copy", 222222222222222);
    assert_null(strstr(output, "111111111111111\n"));
}

static void any_numbers_are_shown_as_they_are(void **state) {
    (void)state;
    burst_close(open_small());
    put_figures(UINT64_MAX, UINT64_MAX);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said_figures(AS_TEXT, "drain lag", UINT64_MAX);
    assert_int_equal(run("info --json %s", ring_path), 0);
    assert_said_figures(AS_JSON, "claim wait", UINT64_MAX);
    burst_t *log = open_small(); /* no decision depends on them */
    append_and_drain(log);
    assert_int_equal(burst_close(log), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_ring_without_figures_has_none_yet), TEST(figures_are_shown_beside_the_writer_with_epoch_and_time),
        TEST(figures_stay_after_the_writer),       TEST(the_newer_checkpoint_is_the_one_that_is_shown),
        TEST(any_numbers_are_shown_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
