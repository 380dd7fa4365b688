/* SPDX-License-Identifier: Apache-2.0 */
/* Several streams of one ring: burst_stream_open and the other calls. */
#include "streams_fixture.h"

#define RECORD_BYTES 1000

/* Waits for the figure, which changes at the end of a drain step, a moment after the drain's other results. */
static void await_held(const burst_stream_t *stream, uint64_t least, uint64_t most) {
    while (stream_stats(stream).held_bytes < least || stream_stats(stream).held_bytes > most) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void each_record_is_in_the_file_of_its_stream(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_stream_t *orders = open_stream(log, "orders", paths[0]), *audit = open_stream(log, "audit", paths[1]);
    assert_int_equal(burst_append(log, "m1 ", 3, 0), 1);
    append(orders, "o1 ");
    append(audit, "a1 ");
    append(orders, "o2 ");
    assert_int_equal(burst_stream_enqueue(audit, "a2 ", 3, 0), 5);
    assert_int_equal(burst_stream_offer(orders, "o3 ", 3, 0), 6);
    assert_int_equal(burst_stream_append_within(audit, "a3 ", 3, 0, BURST_ON_FULL_FAIL, SECOND_NS), 7);
    assert_int_equal(burst_stream_await_drained(audit, PATIENCE_NS), 1);
    assert_holds(paths[1], "a1 a2 a3 ");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_holds(paths[0], "o1 o2 o3 ");
    assert_file_is("m1 ");
    await_held(orders, 0, 0);
    const burst_stream_stats_t stats = stream_stats(orders);
    assert_int_equal(stats.drained_records, 3);
    assert_int_equal(stats.drained_bytes, 9);
    assert_int_equal(stats.file_bytes, 9);
    assert_int_equal(stats.drained_sequence, 7);
    assert_int_equal(stats.destination_empty, 1);
    assert_int_equal(stats.state, BURST_STATE_OPEN);
    assert_int_equal(burst_close(log), 0);
}

static void a_ring_needs_no_main_stream(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    assert_int_equal(burst_append(log, "x", 1, 0), -EINVAL);
    burst_stream_t *orders = open_stream(log, NULL, paths[0]);
    append(orders, "o1 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "o1 ");
    log = open_without_file();
    append(open_stream(log, NULL, paths[0]), "o2 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "o1 o2 ");
}

static void a_stream_is_known_by_its_name(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *one = open_stream(log, "one", paths[0]);
    const uint32_t id = stream_stats(one).id;
    append(one, "1 ");
    assert_stream_refused(log, "one", paths[1], EBUSY, "open already");
    assert_stream_refused(log, "other", paths[0], EBUSY, paths[0]);
    assert_stream_refused(log, "other", ring_path, EINVAL, "same file");
    assert_stream_refused(log, "other", NULL, EINVAL, "no log file");
    assert_int_equal(burst_stream_close(one, PATIENCE_NS), 1);
    assert_int_equal(burst_stream_append(one, "x", 1, 0), -ESHUTDOWN);
    assert_int_equal(burst_stream_close(one, 0), -ESHUTDOWN);
    assert_int_equal(stream_stats(one).state, BURST_STATE_CLOSED);
    one = open_stream(log, "one", paths[1]); /* re-pointed */
    assert_int_equal(stream_stats(one).id, id);
    append(one, "2 ");
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(stream_stats(one).state, BURST_STATE_CLOSED);
    assert_int_equal(stream_stats(one).drained_sequence, 2);
    assert_holds(paths[0], "1 ");
    assert_holds(paths[1], "2 ");
}

static void a_stream_may_be_opened_again_as_soon_as_its_close_has_returned(void **state) {
    (void)state;
    char wanted[256] = "";
    burst_t *log = open_without_file();
    for (int i = 0; i < 50; i++) {
        burst_stream_t *stream = open_stream(log, "one", paths[0]);
        append(stream, "r ");
        strcat(wanted, "r ");
        assert_in_range(burst_stream_close(stream, 0), 0, 1); /* does not wait for the drain */
    }
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], wanted);
}

static void a_stream_whose_new_file_was_refused_is_opened_with_another(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    append(open_stream(log, "one", paths[0]), "1 ");
    assert_int_equal(burst_close(log), 0);
    log = open_without_file();
    assert_stream_refused(log, "one", folder, EISDIR, folder);
    append(open_stream(log, "one", paths[0]), "2 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "1 2 ");
}

/* The open is refused when the file exists already: the ring has no room for so many names. */
static void a_stream_that_is_refused_leaves_no_file(void **state) {
    (void)state;
    char path[BURST_PATH_BYTES], made[BURST_PATH_BYTES];
    burst_stream_t *stream;
    burst_t *log = open_without_file();
    for (int i = 0;; i++) {
        int used = snprintf(path, sizeof path, "%s/%02d", folder, i);
        snprintf(made, sizeof made, "%s", path);
        while (used < 3400) {
            used += snprintf(path + used, sizeof path - (size_t)used, "/%0200d", 0);
        }
        const burst_stream_config_t config = stream_config(NULL, path);
        const int rc = burst_stream_open(log, &config, &stream);
        if (rc < 0) {
            assert_int_equal(rc, -E2BIG);
            break;
        }
    }
    assert_is_missing(made);
    assert_int_equal(burst_close(log), 0);
}

/* Then another log may write the file: its lock is gone. */
static void a_closed_stream_holds_its_file_no_more(void **state) {
    (void)state;
    char other_ring[160];
    burst_t *log = open_without_file();
    snprintf(other_ring, sizeof other_ring, "%s/other", folder);
    burst_config_t config = small_config();
    config.ring = other_ring;
    config.main = NULL;
    burst_t *other = open_with(&config);
    burst_stream_t *one = open_stream(log, "one", paths[0]);
    append(one, "1 ");
    assert_int_equal(burst_stream_close(one, PATIENCE_NS), 1);
    one = open_stream(other, "one", paths[0]);
    append(one, "2 ");
    assert_int_equal(burst_close(other), 0);
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "1 2 ");
}

/* One stream's file system is "full": a directory stands in the place of its file. */
static void a_stalled_stream_holds_up_itself_alone(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stalled = open_stream(log, "stalled", paths[0]), *going = open_stream(log, "going", paths[1]);
    block(paths[0]);
    append(stalled, "s1 ");
    for (int i = 0; i < 100; i++) {
        append(going, "g");
    }
    assert_int_equal(burst_stream_await_drained(going, PATIENCE_NS), 1);
    assert_int_equal(stream_stats(going).drained_bytes, 100);
    assert_int_equal(burst_stream_await_drained(stalled, 0), 0);
    await_held(stalled, 100 * 4096ull, UINT64_MAX); /* one block for each commit */
    await_held(going, 0, 0);
    while (stream_stats(stalled).state != BURST_STATE_STALLED) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(stream_stats(going).state, BURST_STATE_OPEN);
    burst_event_t event = {.struct_bytes = sizeof event};
    int told = 0;
    while (burst_next_event(log, &event, 0) == 1) {
        told |= event.severity == BURST_ERROR && strstr(event.text, paths[0]) != NULL;
    }
    assert_true(told);
    assert_int_equal(rmdir(paths[0]), 0);
    assert_int_equal(burst_stream_await_drained(stalled, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "s1 ");
}

/* Records that wait for a stream go to its file, whichever streams are open. */
static void a_stream_that_is_not_opened_any_more_is_drained(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *old = open_stream(log, "old", paths[0]);
    open_stream(log, "kept", paths[1]);
    block(paths[0]);
    append(old, "1 ");
    append(old, "2 ");
    assert_int_equal(burst_close_within(log, SECOND_NS / 4), 2);
    assert_int_equal(rmdir(paths[0]), 0);
    log = open_without_file();
    append(open_stream(log, "kept", paths[1]), "k ");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_holds(paths[0], "1 2 ");
    assert_holds(paths[1], "k ");
    assert_int_equal(burst_close(log), 0);
}

/* The same file gets another name: records under the old name come first. */
static void a_renamed_stream_takes_its_file_over(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *old = open_stream(log, "old", paths[0]);
    block(paths[0]);
    append(old, "1 ");
    assert_int_equal(burst_close_within(log, SECOND_NS / 4), 1);
    assert_int_equal(rmdir(paths[0]), 0);
    log = open_without_file();
    append(open_stream(log, "new", paths[0]), "2 ");
    append(open_stream(log, "old", paths[1]), "3 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "1 2 ");
    assert_holds(paths[1], "3 ");
}

/* Two streams exchange their files over a restart. */
static void streams_can_exchange_their_files(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_stream_t *one = open_stream(log, "one", paths[0]), *two = open_stream(log, "two", paths[1]);
    append(one, "1a ");
    append(two, "2a ");
    assert_int_equal(burst_close(log), 0);
    log = open_small();
    one = open_stream(log, "one", paths[1]);
    two = open_stream(log, "two", paths[0]);
    append(one, "1b ");
    append(two, "2b ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "1a 2b ");
    assert_holds(paths[1], "2a 1b ");
}

static void a_stream_has_a_rule_of_its_own(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *filling = open_stream(log, "filling", paths[0]);
    burst_stream_config_t config = stream_config("discarding", paths[1]);
    config.on_full = BURST_ON_FULL_DISCARD;
    burst_stream_t *discarding;
    assert_int_equal(burst_stream_open(log, &config, &discarding), 0);
    config = stream_config("failing", paths[2]);
    config.on_full = BURST_ON_FULL_FAIL;
    burst_stream_t *failing;
    assert_int_equal(burst_stream_open(log, &config, &failing), 0);
    block(paths[0]);
    static char record[RECORD_BYTES];
    while (burst_stream_offer(filling, record, sizeof record, 0) > 0) {
    }
    while (burst_stream_append_within(filling, record, sizeof record, 0, BURST_ON_FULL_FAIL, -1) > 0) {
    }
    assert_int_equal(burst_stream_append(discarding, record, sizeof record, 0), 0);
    assert_int_equal(burst_stream_append(failing, record, sizeof record, 0), -EAGAIN);
    assert_int_equal(stream_stats(discarding).discarded, 1);
    assert_int_equal(stats_of(log).discarded, 1);
    assert_int_equal(rmdir(paths[0]), 0);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
}

struct late_append {
    burst_stream_t *stream;
    int64_t result;
};

static void *append_late(void *argument) {
    static const char record[RECORD_BYTES];
    struct late_append *late = argument;
    late->result = burst_stream_append(late->stream, record, sizeof record, 0);
    return NULL;
}

/* Otherwise its record would come when another stream has the file, and hold up the whole ring for ever. */
static void an_append_that_waits_for_space_ends_with_its_stream(void **state) {
    (void)state;
    static const char record[RECORD_BYTES];
    burst_t *log = open_without_file();
    struct late_append late = {.stream = open_stream(log, "late", paths[0])};
    burst_stream_t *filling = open_stream(log, "filling", paths[1]);
    pthread_t thread;
    append(late.stream, "l ");
    assert_int_equal(burst_stream_await_drained(late.stream, PATIENCE_NS), 1);
    block(paths[1]);
    while (burst_stream_append_within(filling, record, sizeof record, 0, BURST_ON_FULL_FAIL, -1) > 0) {
    }
    const uint64_t before = stats_of(log).full_waits;
    assert_int_equal(pthread_create(&thread, NULL, append_late, &late), 0);
    while (stats_of(log).full_waits == before) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(burst_stream_close(late.stream, PATIENCE_NS), 1);
    burst_stream_t *taker = open_stream(log, "taker", paths[0]);
    assert_int_equal(rmdir(paths[1]), 0);
    pthread_join(thread, NULL);
    assert_int_equal(late.result, -ESHUTDOWN);
    append(taker, "t ");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_holds(paths[0], "l t ");
    assert_int_equal(burst_close(log), 0);
}

/* There are 64 entries at most. An entry without records gives its place if nobody has its stream open. */
static void a_mapped_ring_carries_streams(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.io = BURST_IO_MAPPED;
    for (int i = 0; i < 2; i++) {
        burst_t *log = open_with(&config);
        burst_stream_t *one = open_stream(log, "one", paths[0]), *two = open_stream(log, "two", paths[1]);
        append(one, "1 ");
        append(two, "2 ");
        append(burst_main_stream(log), "m ");
        append(one, "3 ");
        assert_int_equal(stats_of(log).io, BURST_IO_MAPPED);
        assert_int_equal(burst_close(log), 0);
    }
    assert_holds(paths[0], "1 3 1 3 ");
    assert_holds(paths[1], "2 2 ");
    assert_file_is("m m ");
}

/* The main stream comes and goes like other streams. */
static void a_ring_loses_and_gets_its_main_stream(void **state) {
    (void)state;
    burst_t *log = open_small();
    open_stream(log, "one", paths[0]);
    block_file();
    assert_int_equal(burst_append(log, "m1 ", 3, 0), 1);
    assert_int_equal(burst_close_within(log, SECOND_NS / 4), 1);
    unblock_file();
    log = open_without_file();
    append(open_stream(log, "one", paths[0]), "1 ");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("m1 ");
    assert_int_equal(burst_append(log, "x", 1, 0), -EINVAL);
    assert_int_equal(burst_close(log), 0);
    log = open_small();
    assert_int_equal(burst_append(log, "m2 ", 3, 0), 3);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("m1 m2 ");
    assert_holds(paths[0], "1 ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        STREAMS_TEST(each_record_is_in_the_file_of_its_stream),
        STREAMS_TEST(a_ring_needs_no_main_stream),
        STREAMS_TEST(a_stream_is_known_by_its_name),
        STREAMS_TEST(a_stream_may_be_opened_again_as_soon_as_its_close_has_returned),
        STREAMS_TEST(a_closed_stream_holds_its_file_no_more),
        STREAMS_TEST(a_stream_whose_new_file_was_refused_is_opened_with_another),
        STREAMS_TEST(a_stream_that_is_refused_leaves_no_file),
        STREAMS_TEST(a_stalled_stream_holds_up_itself_alone),
        STREAMS_TEST(a_stream_that_is_not_opened_any_more_is_drained),
        STREAMS_TEST(a_renamed_stream_takes_its_file_over),
        STREAMS_TEST(streams_can_exchange_their_files),
        STREAMS_TEST(a_stream_has_a_rule_of_its_own),
        STREAMS_TEST(an_append_that_waits_for_space_ends_with_its_stream),
        STREAMS_TEST(a_mapped_ring_carries_streams),
        STREAMS_TEST(a_ring_loses_and_gets_its_main_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
