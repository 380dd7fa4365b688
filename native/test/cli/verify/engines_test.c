/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-pull test of each engine that may write a ring. */
#include "cli/verify/medium.h"

static struct verify_block read_run(void) {
    uint8_t block[BLOCK];
    struct verify_block run_header;
    const int fd = open(medium, O_RDONLY);
    assert_int_equal(pread(fd, block, BLOCK, 0), BLOCK);
    close(fd);
    assert_int_equal(verify_judge_block(block, BLOCK, &run_header), VERIFY_WHOLE);
    return run_header;
}

static void the_engine_whose_blocks_were_lost_is_named(void **state) {
    (void)state;
    char line[64];
    uint64_t spoiled = 0;
    assert_int_equal(run("doctor --verify-device %s --serve --size 256K --blocks 60", medium), 0);
    const struct verify_block header = read_run();
    if (header.turns[1].io == 0)
        SKIP_WITH("one engine alone works here");
    for (uint64_t number = 1; number <= 60; number++) {
        if (verify_turn_of(&header, number) == 1) {
            spoil(number, 63, zeros, BLOCK, 0);
            spoiled++;
        }
    }
    assert_int_equal(run("doctor --verify-device %s --check 60", medium), 1);
    snprintf(line, sizeof line, "(0 of %llu blocks lost)", (unsigned long long)(60 - spoiled));
    assert_said("  pwrite     lost none, ");
    assert_said(line);
    snprintf(line, sizeof line, "(%llu of %llu blocks lost)", (unsigned long long)spoiled, (unsigned long long)spoiled);
    assert_said("  uring      lost acknowledged blocks");
    assert_said(line);
    assert_int_equal(run("doctor --verify-device %s --check 60 --json", medium), 1);
    assert_said("\"engine\": \"uring\"");
}

/* Overwrites the blocks of these numbers, as if the cut had come before they were written. */
static void unwrite(uint64_t from, uint64_t to) {
    for (uint64_t number = from; number <= to; number++) {
        spoil(number, 63, zeros, BLOCK, 0);
    }
}

static void assert_clears_none(uint64_t last) {
    const unsigned long long number = last;
    assert_int_equal(run("doctor --verify-device %s --check %llu", medium, number), 0);
    assert_said("  pwrite     lost none, but another engine may have been writing when the power went (0 of ");
    assert_null(strstr(output, "and was writing"));
    assert_int_equal(run("doctor --verify-device %s --check %llu --json", medium, number), 0);
    assert_null(strstr(output, "\"was_writing\": true"));
    assert_int_equal(
        run("doctor --drive-report %s --blocks 10 --verify-device %s --check %llu", scratch_path("."), medium, number),
        0);
    assert_said("| one cut, by an unknown engine: 0 of ");
}

/* A flush of the next engine saves what this one left in the cache. */
static void an_engine_is_cleared_only_if_none_wrote_behind_the_last_number(void **state) {
    (void)state;
    assert_int_equal(run("doctor --verify-device %s --serve --size 256K --blocks 60", medium), 0);
    const struct verify_block header = read_run();
    const uint64_t end = header.turns[0].blocks;
    if (header.turns[1].io == 0 || end < 2)
        SKIP_WITH("one engine alone works here, or the disk is very slow");
    assert_clears_none(end - 1); /* the number is older than a turn */
    unwrite(end + 1, 60);
    assert_clears_none(end); /* a block of the next turn may have been under way */
    unwrite(end, end);
    assert_int_equal(run("doctor --verify-device %s --check %llu", medium, (unsigned long long)end - 1), 0);
    assert_said("  pwrite     lost none, and was writing when the power went");
    assert_said("  uring      lost none, but was not writing when the power went");
}

static unsigned calls_in(const char *trace, const char *name) {
    char line[1024];
    unsigned calls = 0;
    FILE *file = fopen(trace, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        calls += strstr(line, name) != NULL;
    fclose(file);
    return calls;
}

/* A traced run: how many blocks were uring's, and how often each call was made. */
struct traced_run {
    unsigned by_uring, uring_calls, pwrite_calls;
};

static struct traced_run trace_run(unsigned blocks) {
    char command[8 * PATH_BYTES];
    struct traced_run run = {.by_uring = 0};
    /* The leak sanitizer does not work in a traced process. */
    snprintf(
        command, sizeof command,
        "ASAN_OPTIONS=detect_leaks=0 strace -f -o %s -e trace=io_uring_enter,pwritev2 %s doctor --verify-device %s "
        "--serve --size 256K --blocks %u --force >/dev/null",
        scratch_path("trace"), BURST_CLI, medium, blocks);
    assert_int_equal(system(command), 0);
    const struct verify_block header = read_run();
    for (uint64_t number = 1; number <= blocks; number++)
        run.by_uring += header.turns[verify_turn_of(&header, number)].io == BURST_IO_URING;
    run.uring_calls = calls_in(scratch_path("trace"), "io_uring_enter(");
    run.pwrite_calls = calls_in(scratch_path("trace"), "pwritev2(");
    return run;
}

static void every_engine_writes_what_is_its_turn(void **state) {
    (void)state;
    if (system("strace -o /dev/null true 2>/dev/null") != 0)
        SKIP_WITH("strace cannot be used here");
    /* A run of one block makes all calls of each engine's trial, so the other run's further calls are for blocks. */
    const struct traced_run one = trace_run(1), many = trace_run(60);
    assert_int_equal(one.by_uring, 0);
    if (many.by_uring == 0)
        SKIP_WITH("io_uring cannot be used here");
    assert_true(many.uring_calls - one.uring_calls >= many.by_uring);
    assert_true(many.pwrite_calls - one.pwrite_calls >= 59 - many.by_uring);
}

static void one_engine_alone_is_tested_if_it_is_named(void **state) {
    (void)state;
    assert_int_equal(run("doctor --verify-device %s --serve --size 256K --blocks 60 --io flush", medium), 0);
    assert_said("is written with flush\n");
    assert_int_equal(run("doctor --verify-device %s --check 60", medium), 0);
    assert_said("  flush      lost none, and was writing when the power went (0 of 60 blocks lost)\n");
    assert_int_equal(run("doctor --verify-device %s --serve --io fast", medium), 2);
    assert_said("--io wants the name of an engine");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        MEDIA_TEST(the_engine_whose_blocks_were_lost_is_named),
        MEDIA_TEST(an_engine_is_cleared_only_if_none_wrote_behind_the_last_number),
        MEDIA_TEST(every_engine_writes_what_is_its_turn),
        MEDIA_TEST(one_engine_alone_is_tested_if_it_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
