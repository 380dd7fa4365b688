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

/* Opens a log with a copy and the most streams; each has a record. */
static burst_t *open_full_with_copy(burst_stream_t *streams[BURST_STREAMS_MAX]) {
    char name[16], path[160];
    burst_config_t config = small_config();
    config.main = NULL;
    config.copy = "B";
    burst_t *log = open_with(&config);
    for (int i = 1; i < BURST_STREAMS_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(path, sizeof path, "%s/s%d", folder, i);
        streams[i] = open_stream(log, name, path);
        append(streams[i], name);
    }
    return log;
}

static void begin_copy(burst_t *log) {
    burst_copy_begun_t begun = {.struct_bytes = sizeof begun};
    assert_int_equal(burst_copy_begin(log, 0, 0, 0, &begun), 0);
    assert_int_equal(begun.next_sequence, 1);
}

/* Takes what is there, up to a buffer. */
static burst_copy_block_t take(burst_t *log) {
    static char room[1 << 16];
    burst_copy_block_t block = {.struct_bytes = sizeof block};
    assert_int_equal(burst_copy_take(log, room, sizeof room, 0, &block), 1);
    return block;
}

static void assert_copy_names(burst_t *log, uint32_t id, const char *wanted) {
    char name[BURST_PATH_BYTES];
    assert_int_equal(burst_copy_stream(log, id, name, sizeof name), 0);
    assert_string_equal(name, wanted);
}

/* The copy asks for the name of a stream when it has taken a record. */
static void an_id_is_not_used_again_before_the_copy_has_its_records(void **state) {
    (void)state;
    static burst_stream_t *streams[BURST_STREAMS_MAX];
    burst_t *log = open_full_with_copy(streams);
    assert_int_equal(burst_stream_close(streams[5], 0), 0);
    assert_stream_refused(log, "one more", paths[0], ENOSPC,
                          "which its second copy may yet get"); /* it has not begun */
    begin_copy(log);
    assert_stream_refused(log, "one more", paths[0], ENOSPC, "which its second copy may yet get");
    const burst_copy_block_t block = take(log);
    assert_int_equal(block.last_sequence, BURST_STREAMS_MAX - 1);
    assert_copy_names(log, 5, "s5");
    assert_stream_refused(log, "one more", paths[0], ENOSPC, "which its second copy may yet get");
    assert_copy_names(log, 5, "s5");
    assert_is_missing(paths[0]);
    assert_int_equal(burst_copy_confirm(log, 5), 0); /* the others' records may wait */
    append(open_stream(log, "one more", paths[0]), "more");
    assert_copy_names(log, 5, "one more");
    assert_int_equal(take(log).last_sequence, BURST_STREAMS_MAX);
    assert_int_equal(burst_copy_confirm(log, BURST_STREAMS_MAX), 0);
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "more");
}

/* A copy that is away goes on behind the newest checkpoint, and one stream that stalls holds that up. */
static void nor_while_a_copy_that_is_away_may_come_back_to_them(void **state) {
    (void)state;
    char path[160];
    static burst_stream_t *streams[BURST_STREAMS_MAX];
    burst_t *log = open_full_with_copy(streams);
    begin_copy(log);
    assert_int_equal(burst_copy_away(log), 0);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_stream_close(streams[5], PATIENCE_NS), 1);
    streams[5] = open_stream(log, "one more", paths[0]);
    snprintf(path, sizeof path, "%s/s%d", folder, 7);
    block(path);
    append(streams[7], "waits");
    append(streams[5], "more");
    assert_int_equal(burst_stream_close(streams[5], PATIENCE_NS), 1); /* its record is in its file */
    assert_stream_refused(log, "another", paths[1], ENOSPC, "which its second copy may yet get");
    assert_int_equal(rmdir(path), 0);
    append(open_stream(log, "another", paths[1]), "another");
    assert_int_equal(burst_close(log), 0);
    assert_holds(path, "waits");
    assert_holds(paths[0], "more");
    assert_holds(paths[1], "another");
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
        STREAMS_TEST(an_id_is_not_used_again_before_the_copy_has_its_records),
        STREAMS_TEST(nor_while_a_copy_that_is_away_may_come_back_to_them),
        STREAMS_TEST(a_stream_whose_name_does_not_fit_is_refused_and_the_others_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
