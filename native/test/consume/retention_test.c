/* SPDX-License-Identifier: Apache-2.0 */
/* The segments that are deleted, and the events about consumers that do not come. */
#include "consume/retained_log.h"

#include <sys/stat.h>

/* A listing fails behind so many entries; 0: none does. */
static int entries_left;

static unsigned syncs, syncs_before_deletion;

int __real_fdatasync(int file);
int __wrap_fdatasync(int file);
int __real_unlinkat(int folder, const char *path, int flags);
int __wrap_unlinkat(int folder, const char *path, int flags);

int __wrap_fdatasync(int file) {
    syncs++;
    return __real_fdatasync(file);
}

int __wrap_unlinkat(int folder, const char *path, int flags) {
    syncs_before_deletion = syncs;
    return __real_unlinkat(folder, path, flags);
}

struct dirent *__real_readdir(DIR *entries);
struct dirent *__wrap_readdir(DIR *entries);

struct dirent *__wrap_readdir(DIR *entries) {
    if (entries_left > 0 && --entries_left == 0) {
        errno = EIO;
        return NULL;
    }
    return __real_readdir(entries);
}

#define SECOND_NS 1000000000ll

static struct segment_facts facts[] = {{1, 100, 10}, {11, 100, 20}, {21, 100, 30}, {31, 50, 40}};
static const struct segment_list four = {.segments = facts, .count = 4};

static void what_all_have_passed_goes_but_the_last_one(void **state) {
    (void)state;
    const struct retention_limits limits = {NO_LIMIT};
    assert_int_equal(retention_count(&four, 0, &limits, 100), 0);
    assert_int_equal(retention_count(&four, 10, &limits, 100), 0);
    assert_int_equal(retention_count(&four, 11, &limits, 100), 1);
    assert_int_equal(retention_count(&four, 30, &limits, 100), 2);
    assert_int_equal(retention_count(&four, UINT64_MAX, &limits, 100), 3);
    assert_int_equal(retention_count(&four, UINT64_MAX, &limits, -5), 3); /* a clock that was set back */
    assert_int_equal(retention_count(&(struct segment_list){.count = 0}, UINT64_MAX, &limits, 100), 0);
}

static void what_is_to_be_kept_stays_until_both_are_over(void **state) {
    (void)state;
    struct retention_limits limits = {NO_LIMIT, .keep_bytes = 150};
    assert_int_equal(retention_count(&four, 99, &limits, 100), 2);
    limits.keep_bytes = 151;
    assert_int_equal(retention_count(&four, 99, &limits, 100), 1);
    limits.keep_bytes = 50;
    limits.keep_ns = 80;
    assert_int_equal(retention_count(&four, 99, &limits, 100), 2);
    assert_int_equal(retention_count(&four, 11, &limits, 100), 1);
    assert_int_equal(retention_count(&four, 99, &limits, 5), 0);
}

static void none_goes_before_an_older_one(void **state) {
    (void)state;
    static struct segment_facts touched[] = {{1, 100, 10}, {11, 100, 90}, {21, 100, 30}, {31, 50, 40}};
    static const struct segment_list list = {.segments = touched, .count = 4};
    const struct retention_limits limits = {NO_LIMIT, .keep_ns = 50};
    assert_int_equal(retention_count(&list, 99, &limits, 100), 1);
}

static void beyond_the_limit_segments_are_released_if_that_is_asked_for(void **state) {
    (void)state;
    struct retention_limits limits = {.limit_bytes = 249, .limit_ns = INT64_MAX};
    assert_int_equal(retention_count(&four, 0, &limits, 100), 0);
    limits.releases = 1;
    assert_int_equal(retention_count(&four, 0, &limits, 100), 2);
    limits.limit_bytes = 250;
    assert_int_equal(retention_count(&four, 0, &limits, 100), 1);
    limits.limit_bytes = 1;
    assert_int_equal(retention_count(&four, 0, &limits, 100), 3);
    limits = (struct retention_limits){.limit_bytes = UINT64_MAX, .limit_ns = 70, .releases = 1};
    assert_int_equal(retention_count(&four, 0, &limits, 100), 2);
    assert_int_equal(retention_count(&four, 0, &limits, 101), 3);
}

static void a_consumer_is_behind_by_what_it_has_not_passed(void **state) {
    (void)state;
    const struct retention_limits limits = {.limit_bytes = 150, .limit_ns = INT64_MAX};
    assert_true(retention_is_behind(&four, 0, &limits, 100));
    assert_true(retention_is_behind(&four, 20, &limits, 100));
    assert_false(retention_is_behind(&four, 21, &limits, 100));
    assert_false(retention_is_behind(&four, 99, &limits, 100));
    const struct retention_limits of_age = {.limit_bytes = UINT64_MAX, .limit_ns = 75};
    assert_true(retention_is_behind(&four, 20, &of_age, 100));
    assert_false(retention_is_behind(&four, 21, &of_age, 100));
    assert_false(retention_is_behind(&four, 31, &of_age, 1000)); /* the last segment is being written */
}

/* ------------------------------------------------------------------------------------------------- a real folder */

static void segments_go_when_all_consumers_have_acknowledged_them(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    burst_consumer_t *second = open_consumer("second");
    assert_int_equal(log_write(900), 0);
    const size_t before = list();
    assert_true(before > 4);
    uint64_t wanted[200];
    memcpy(wanted, firsts, sizeof wanted);
    look();
    assert_int_equal(list(), before);

    burst_consumer_seek(consumer, wanted[3] + 1);
    assert_int_equal(burst_consumer_ack(consumer, wanted[3]), 0);
    look();
    assert_int_equal(list(), before); /* the second consumer has acknowledged nothing */
    burst_consumer_seek(second, wanted[2]);
    assert_int_equal(burst_consumer_ack(second, wanted[2] - 1), 0);
    syncs = 0;
    look();
    assert_int_equal(list(), before - 2);
    assert_int_equal(syncs_before_deletion, 2); /* both positions: a consumer may not have synced its own yet */
    assert_int_equal(firsts[0], wanted[2]);
    burst_consumer_seek(second, wanted[before - 1] + 1);
    assert_int_equal(burst_consumer_ack(second, wanted[before - 1]), 0);
    look();
    assert_int_equal(list(), before - 3);
    assert_int_equal(firsts[0], wanted[3]);
    burst_consumer_close(second);

    /* The consumer goes on where it was, and so does the log. */
    reopen_consumer();
    assert_int_equal(burst_consumer_position(consumer), wanted[3] + 1);
    assert_int_equal(log_write(1000), 0);
    uint64_t number = wanted[3] + 1;
    while (next(0) == 1) {
        assert_int_equal(record.kind, BURST_CONSUMED_RECORD);
        assert_int_equal(record.number, number++);
    }
    assert_int_equal(record.sequence, 1000);
}

static void without_a_consumer_nothing_goes(void **state) {
    (void)state;
    char path[300];
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    assert_int_equal(log_write(600), 0);
    const size_t before = list();
    burst_consumer_seek(consumer, 300);
    assert_int_equal(burst_consumer_ack(consumer, 299), 0);
    snprintf(path, sizeof path, "%s/consumers/reader", seg_log.path);
    assert_int_equal(unlink(path), 0);
    look();
    assert_int_equal(list(), before);
}

/* For a torn slot the older one counts. Without any slot the consumer has acknowledged nothing. */
static void what_a_consumer_has_not_surely_acknowledged_stays(void **state) {
    (void)state;
    char path[300];
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    assert_int_equal(log_write(900), 0);
    const size_t before = list();
    const uint64_t third = firsts[2];
    snprintf(path, sizeof path, "%s/consumers/reader", seg_log.path);
    burst_consumer_seek(consumer, third);
    assert_int_equal(burst_consumer_ack(consumer, third - 1), 0); /* slot 1 */
    FILE *file = fopen(path, "r+");
    fseek(file, 4096 + 20, SEEK_SET);
    fputc(0x55, file);
    fclose(file);
    look();
    assert_int_equal(list(), before);
    assert_int_equal(burst_consumer_ack(consumer, third - 1), 0); /* slot 0 */
    look();
    assert_int_equal(list(), before - 2);
}

static void a_consumer_beyond_the_limit_is_told_once_and_when_it_is_back(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){.limit_bytes = 3 * SEGMENT_BYTES, .limit_ns = INT64_MAX});
    assert_int_equal(log_write(40), 0);
    look();
    assert_int_equal(count_told("consumer"), 0);
    assert_int_equal(log_write(900), 0);
    const size_t before = list();
    look();
    look();
    assert_int_equal(count_told("consumer reader has not passed what is beyond"), 1);
    assert_int_equal(list(), before); /* they are held */
    burst_consumer_seek(consumer, firsts[before - 1]);
    assert_int_equal(burst_consumer_ack(consumer, firsts[before - 1] - 1), 0);
    look();
    look();
    assert_int_equal(count_told("consumer reader of segments folder"), 1);
    assert_int_equal(log_write(2000), 0);
    look();
    assert_int_equal(count_told("consumer reader has not passed what is beyond"), 1);
}

static void beyond_the_limit_they_are_released_and_the_consumer_is_told_what_is_missing(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){.limit_bytes = 3 * SEGMENT_BYTES, .limit_ns = INT64_MAX, .releases = 1});
    for (uint64_t until = 200; until <= 1800; until += 200) {
        assert_int_equal(log_write(until), 0);
        look();
        look(); /* no segment is beyond the limit now, but the consumer has not moved */
    }
    assert_int_equal(count_told("the oldest segments are deleted"), 1);
    list();
    assert_true(firsts[0] > 1);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.kind, BURST_CONSUMED_MISSING);
    assert_int_equal(record.number, firsts[0] - 1);
    assert_int_equal(record.count, firsts[0] - 1);
}

static void that_nobody_reads_is_told(void **state) {
    (void)state;
    char path[300];
    begin_to_retain(&(struct retention_limits){.limit_bytes = SEGMENT_BYTES, .limit_ns = INT64_MAX});
    snprintf(path, sizeof path, "%s/consumers/reader", seg_log.path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(log_write(600), 0);
    look();
    look();
    assert_int_equal(count_told("no consumer has opened segments folder"), 1);
}

static void an_old_segment_is_beyond_the_limit(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){.limit_bytes = UINT64_MAX, .limit_ns = 100 * SECOND_NS, .releases = 1});
    assert_int_equal(log_write(600), 0);
    const size_t before = list();
    look();
    assert_int_equal(list(), before);
    const struct timespec long_ago[2] = {{.tv_sec = 5}, {.tv_sec = 5}};
    assert_int_equal(utimensat(AT_FDCWD, segment_path(1), long_ago, 0), 0);
    look();
    assert_int_equal(list(), before - 1);
    assert_int_equal(count_told("consumer reader has not passed"), 1);
}

/* Its time in nanoseconds is more than a number holds: it is no time before 1970. */
static void a_segment_of_the_far_future_is_not_an_old_one(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){.limit_bytes = UINT64_MAX, .limit_ns = 100 * SECOND_NS, .releases = 1});
    assert_int_equal(log_write(600), 0);
    const size_t before = list();
    const struct timespec far[2] = {{.tv_sec = 12000000000}, {.tv_sec = 12000000000}};
    assert_int_equal(utimensat(AT_FDCWD, segment_path(1), far, 0), 0);
    look();
    assert_int_equal(list(), before);
}

static void what_cannot_be_deleted_is_told_once(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    assert_int_equal(log_write(600), 0);
    list();
    burst_consumer_seek(consumer, firsts[1]);
    assert_int_equal(burst_consumer_ack(consumer, firsts[1] - 1), 0);
    assert_int_equal(unlink(segment_path(1)), 0);
    assert_int_equal(mkdir(segment_path(1), 0700), 0); /* unlink refuses a directory, even for root */
    look();
    look();
    assert_int_equal(count_told("old segments stay"), 1);
    assert_int_equal(rmdir(segment_path(1)), 0);
}

static void the_last_look_knows_how_far_each_consumer_is(void **state) {
    (void)state;
    struct retention_consumer consumers[3];
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    assert_int_equal(retention_consumers(retention, consumers, 3), 0);
    burst_consumer_t *second = open_consumer("second");
    assert_int_equal(log_write(900), 0);
    const size_t before = list();
    burst_consumer_seek(consumer, firsts[3]);
    assert_int_equal(burst_consumer_ack(consumer, firsts[3] - 1), 0);
    look();
    assert_int_equal(retention_consumers(retention, consumers, 3), 2);
    assert_string_equal(consumers[0].name, "reader");
    assert_int_equal(consumers[0].segments_behind, before - 1 - 3);
    assert_string_equal(consumers[1].name, "second");
    assert_int_equal(consumers[1].segments_behind, before - 1);
    assert_true(consumers[1].bytes_behind > consumers[0].bytes_behind && consumers[0].bytes_behind > 0);
    assert_int_equal(retention_consumers(retention, consumers, 1), 1);
    burst_consumer_close(second);
}

/* A consumer that could not be listed may still be there. */
static void what_could_not_be_listed_holds_all(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    burst_consumer_t *second = open_consumer("second");
    assert_int_equal(log_write(900), 0);
    const size_t before = list();
    burst_consumer_seek(consumer, firsts[3]);
    assert_int_equal(burst_consumer_ack(consumer, firsts[3] - 1), 0);
    for (int left = 1; left < 50; left++) {
        entries_left = left;
        look();
        entries_left = 0;
        assert_int_equal(list(), before);
    }
    assert_true(count_told("old segments stay") > 0);
    burst_consumer_close(second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_all_have_passed_goes_but_the_last_one),
        cmocka_unit_test(what_is_to_be_kept_stays_until_both_are_over),
        cmocka_unit_test(none_goes_before_an_older_one),
        cmocka_unit_test(beyond_the_limit_segments_are_released_if_that_is_asked_for),
        cmocka_unit_test(a_consumer_is_behind_by_what_it_has_not_passed),
        RETENTION_TEST(segments_go_when_all_consumers_have_acknowledged_them),
        RETENTION_TEST(without_a_consumer_nothing_goes),
        RETENTION_TEST(what_a_consumer_has_not_surely_acknowledged_stays),
        RETENTION_TEST(a_consumer_beyond_the_limit_is_told_once_and_when_it_is_back),
        RETENTION_TEST(beyond_the_limit_they_are_released_and_the_consumer_is_told_what_is_missing),
        RETENTION_TEST(that_nobody_reads_is_told),
        RETENTION_TEST(an_old_segment_is_beyond_the_limit),
        RETENTION_TEST(a_segment_of_the_far_future_is_not_an_old_one),
        RETENTION_TEST(what_cannot_be_deleted_is_told_once),
        RETENTION_TEST(the_last_look_knows_how_far_each_consumer_is),
        RETENTION_TEST(what_could_not_be_listed_holds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
