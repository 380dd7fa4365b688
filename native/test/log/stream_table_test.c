/* SPDX-License-Identifier: Apache-2.0 */
/* A ring's places for streams: their number, their reuse, and names that do not fit. */
#include "streams_fixture.h"

static void a_ring_has_64_streams(void **state) {
    (void)state;
    burst_t *log = open_small();
    char name[16], path[160];
    burst_stream_t *streams[BURST_STREAMS_MAX];
    for (int i = 1; i < BURST_STREAMS_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(path, sizeof path, "%s/s%d", folder, i);
        streams[i] = open_stream(log, name, path);
        append(streams[i], name);
    }
    assert_stream_refused(log, "one more", paths[0], ENOSPC, "64");
    assert_is_missing(paths[0]);
    assert_int_equal(burst_stream_close(streams[5], PATIENCE_NS), 1);
    append(open_stream(log, "one more", paths[0]), "more");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "more");
    for (int i = 1; i < BURST_STREAMS_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(path, sizeof path, "%s/s%d", folder, i);
        assert_holds(path, name);
    }
}

/* A new stream gets the place of one that is gone, and none of its records. */
static void an_id_that_is_used_again_brings_no_record_along(void **state) {
    (void)state;
    char name[16], path[160];
    burst_t *log = open_without_file();
    burst_stream_t *last = NULL;
    for (int i = 1; i < BURST_STREAMS_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(path, sizeof path, "%s/s%d", folder, i);
        last = open_stream(log, name, path);
        append(last, name);
    }
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    block(path);
    append(last, "waits");
    assert_int_equal(burst_close_within(log, SECOND_NS / 4), 1);
    log = open_without_file(); /* only other streams are open: a place is free if its records are drained */
    for (int i = 1; i < BURST_STREAMS_MAX - 1; i++) {
        snprintf(name, sizeof name, "t%d", i);
        snprintf(path, sizeof path, "%s/t%d", folder, i);
        append(open_stream(log, name, path), name);
    }
    assert_stream_refused(log, "one more", paths[0], ENOSPC, "64");
    snprintf(path, sizeof path, "%s/s%d", folder, BURST_STREAMS_MAX - 1);
    assert_int_equal(rmdir(path), 0);
    append(open_stream(log, "one more", paths[0]), "more");
    assert_int_equal(burst_close(log), 0);
    assert_holds(path, "waits");
    assert_holds(paths[0], "more");
    for (int i = 1; i < BURST_STREAMS_MAX - 1; i++) {
        snprintf(name, sizeof name, "t%d", i);
        snprintf(path, sizeof path, "%s/t%d", folder, i);
        assert_holds(path, name);
    }
}

/* One slot of the ring's head holds the names and paths of all streams. */
static void a_stream_whose_name_does_not_fit_is_refused_and_the_others_go_on(void **state) {
    (void)state;
    char name[BURST_STREAM_NAME_BYTES], path[2400];
    static burst_stream_t *streams[BURST_STREAMS_MAX];
    int count = 0, used = snprintf(path, sizeof path, "%s", folder), rc = 0;
    for (int level = 0; level < 9; level++) {
        used += snprintf(path + used, sizeof path - (size_t)used, "/%0200d", level);
    }
    burst_t *log = open_small();
    for (; count < BURST_STREAMS_MAX - 1; count++) {
        snprintf(name, sizeof name, "%0250d", count);
        snprintf(path + used, sizeof path - (size_t)used, "/%d", count);
        const burst_stream_config_t config = stream_config(name, path);
        rc = burst_stream_open(log, &config, &streams[count]);
        if (rc < 0) {
            break;
        }
        append(streams[count], "1 ");
    }
    assert_int_equal(rc, -E2BIG);
    assert_in_range(count, 40, 60);
    assert_null(streams[count]);
    assert_int_not_equal(strlen(burst_last_error()), 0);
    assert_is_missing(path);
    for (int i = 0; i < count; i++) {
        append(streams[i], "2 ");
    }
    assert_int_equal(burst_append(log, "main", 4, 0), 2 * count + 1);
    assert_int_equal(burst_close(log), 0);
    for (int i = 0; i < count; i++) {
        snprintf(path + used, sizeof path - (size_t)used, "/%d", i);
        assert_holds(path, "1 2 ");
    }
    assert_file_is("main");
    assert_int_equal(burst_close(open_small()), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STREAMS_TEST(a_ring_has_64_streams),
        STREAMS_TEST(an_id_that_is_used_again_brings_no_record_along),
        STREAMS_TEST(a_stream_whose_name_does_not_fit_is_refused_and_the_others_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
