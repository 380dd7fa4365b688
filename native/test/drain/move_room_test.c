/* SPDX-License-Identifier: Apache-2.0 */
/* A stream whose name and path no checkpoint has room for: the trouble is its own, and the ring and the others go on. */
#include "rolled_log.h"

static int allowed; /* so many allocations of two blocks succeed before the next one fails; < 0: all do */

/* A checkpoint that grows beyond a block takes two. */
static void *allocate_or_refuse(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    if (bytes == (size_t)2 * BLOCK_BYTES && allowed >= 0 && allowed-- == 0) {
        return NULL;
    }
    return platform_linux.ops->allocate(platform, bytes, kind);
}

static char middle[2000]; /* of the paths of streams */
static uint16_t ids[LAYOUT_STREAMS_MAX];

static int add(unsigned number) {
    char name[LAYOUT_STREAM_NAME_BYTES], path[LAYOUT_FILE_NAME_BYTES];
    snprintf(name, sizeof name, "%0250u", number);
    snprintf(path, sizeof path, "%.1000s%s/%u", host.folder, middle, number);
    const struct engine_stream stream = {.name = name, .path = path};
    return engine_add_stream(host.engine, &stream, &ids[number]);
}

static int begin(void **state) {
    begin_rolled_log(state);
    ops.write = files_posix.ops->write;
    host.allocate = allocate_or_refuse;
    allowed = -1;
    middle[0] = '\0';
    return 0;
}

static void append_to(unsigned number, const char *text) {
    assert_true(ring_append(host.engine->ring, text, strlen(text), 0, STREAM(ids[number]), &unless_full) > 0);
}

static uint64_t drained_sequence(unsigned number) {
    struct drain_figures figures;
    assert_int_equal(drain_get_figures(host.engine->drainer.drain, ids[number], &figures), 0);
    return figures.drained_sequence;
}

/* The room of both slots is made before the first of them is written. */
static void without_memory_for_it_a_stream_is_refused_and_the_ring_goes_on(void **state) {
    (void)state;
    unsigned number = 1;
    open_ring();
    for (allowed = 0; number < 30 && add(number) == 0; number++) {
    }
    assert_in_range(number, 2, 29);
    for (int more = 1; more <= 2; more++) {
        assert_non_null(strstr(error_text(), "no memory for a checkpoint of ring /ring: 8192 bytes"));
        assert_false(ring_has_failed(host.engine->ring));
        allowed = 1;
        assert_int_equal(add(number), more == 1 ? -ENOMEM : 0);
    }
    append_to(number, "b\n");
    append_text("a\n");
    drain_all();
    assert_file(host.file, "a\n");
    assert_int_equal(drained_sequence(number), 2);
}

/* Fills the checkpoint as far as streams with long paths do. Returns their number. */
static unsigned fill_checkpoint(void) {
    unsigned number = 1;
    for (size_t used = 0; used < 9 * 201; used += 201) {
        snprintf(middle + used, sizeof middle - used, "/%0200d", 1);
    }
    while (number < LAYOUT_STREAMS_MAX && add(number) == 0) {
        number++;
    }
    assert_in_range(number, 30, LAYOUT_STREAMS_MAX - 1);
    assert_non_null(strstr(error_text(), "use fewer streams, or shorter paths of log files"));
    return number - 1;
}

static void a_roll_to_a_path_that_does_not_fit_stalls_its_stream_alone(void **state) {
    (void)state;
    char next[LAYOUT_FILE_NAME_BYTES + 512];
    open_ring();
    const unsigned count = fill_checkpoint();
    struct event event;
    while (events_take(&host.events, &event, 0) == 1) {
    }
    snprintf(next, sizeof next, "%.400s%s%s/next", host.folder, middle, middle);
    const struct roll roll = roll_of("", "", "", next);
    append_text("a\n");
    append_roll_record(&roll, 4711);
    append_text("b\n");
    append_to(1, "c\n");
    for (int i = 0; i < 4; i++) {
        engine_step(host.engine, 1);
    }
    assert_int_equal(engine_step(host.engine, 1), -E2BIG);
    assert_int_equal(events_take(&host.events, &event, 0), 1);
    assert_int_equal(event.severity, EVENT_ERROR); /* the path leaves no space for more of the sentence */
    assert_memory_equal(event.text + strlen("log file "), next, strlen(host.folder));
    assert_true(drain_is_stalled(host.engine->drainer.drain));
    assert_false(ring_has_failed(host.engine->ring));
    assert_int_equal(drained_sequence(1), 4);
    assert_file(host.file, "a\n");
    assert_file(next, "");
    middle[0] = '\0'; /* others get shorter paths */
    for (unsigned number = count; number > count - 3; number--) {
        engine_remove_stream(host.engine, ids[number]);
        assert_int_equal(add(number), 0);
    }
    drain_all();
    assert_false(drain_is_stalled(host.engine->drainer.drain));
    assert_file(next, "b\n");
    assert_file(host.file, "a\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(without_memory_for_it_a_stream_is_refused_and_the_ring_goes_on),
        TEST(a_roll_to_a_path_that_does_not_fit_stalls_its_stream_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
