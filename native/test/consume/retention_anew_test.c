/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that come in the place of the one whose segments were deleted so far. */
#include "consume/retained_log.h"

/* Gives the folder a head of this uuid and time. */
static void put_head(const uint8_t uuid[16], int64_t created_ns) {
    struct segments_head head;
    char path[300];
    segments_head_make(&head, uuid, "orders", created_ns);
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    FILE *file = fopen(path, "r+");
    assert_int_equal(fwrite(&head, sizeof head, 1, file), 1);
    fclose(file);
}

static void begin_anew(void) {
    char command[700];
    snprintf(command, sizeof command, "rm -r '%s'/* && : > '%s/head'", seg_log.path, seg_log.path);
    assert_int_equal(system(command), 0);
}

static void acknowledge_up_to(uint64_t last) {
    reopen_consumer();
    while (next(0) == 1) {
    }
    assert_int_equal(record.sequence, last);
    assert_int_equal(burst_consumer_ack(consumer, record.number), 0);
}

static void another_folder_in_its_place_is_left_alone(void **state) {
    (void)state;
    char command[700], path[300];
    begin_to_retain(&(struct retention_limits){.limit_bytes = 1, .limit_ns = INT64_MAX, .releases = 1});
    look();
    assert_int_equal(log_write(600), 0);
    const size_t before = list();
    /* The same segments get the head of another folder. */
    const uint8_t uuid[16] = {3, 1};
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    snprintf(command, sizeof command, "cp '%s' '%s.kept'", path, path);
    assert_int_equal(system(command), 0);
    put_head(uuid, 5);
    look();
    assert_int_equal(list(), before);
    snprintf(command, sizeof command, "cat '%s.kept' > '%s'", path, path);
    assert_int_equal(system(command), 0);
    look();
    assert_int_equal(list(), 1);
}

/* The operator does so while the log is open: docs/segments.md. */
static void segments_of_a_folder_that_was_begun_anew_go_as_before(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    assert_int_equal(log_write(600), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    look();
    begin_anew();
    look(); /* no log has begun the folder yet */
    assert_int_equal(log_write(1200), 0);
    acknowledge_up_to(1200);
    assert_true(list() > 4);
    look();
    assert_int_equal(list(), 1);
}

/* The clock was set back meanwhile. */
static void and_so_they_do_if_it_seems_older_than_the_one_before(void **state) {
    (void)state;
    struct segments_head head;
    char path[300];
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    assert_int_equal(read_whole(path, (uint8_t *)&head, sizeof head), sizeof head);
    put_head(head.uuid, INT64_MAX);
    begin_to_retain(&(struct retention_limits){NO_LIMIT});
    assert_int_equal(log_write(600), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    look();
    begin_anew();
    assert_int_equal(log_write(1200), 0);
    acknowledge_up_to(1200);
    assert_true(list() > 4);
    look();
    assert_int_equal(list(), 1);
}

/* An operator put it there, and may need its segments. */
static void an_older_folder_of_the_same_log_is_left_alone(void **state) {
    (void)state;
    char command[1000];
    begin_to_retain(&(struct retention_limits){.limit_bytes = 1, .limit_ns = INT64_MAX, .releases = 1});
    assert_int_equal(log_write(600), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    const size_t before = list();
    assert_true(before > 4);
    snprintf(command, sizeof command, "cp -a '%s' '%s.older'", seg_log.path, seg_log.path);
    assert_int_equal(system(command), 0);
    begin_anew();
    assert_int_equal(log_write(1200), 0);
    look();
    assert_int_equal(list(), 1);
    snprintf(command, sizeof command, "mv '%s' '%s.newer' && mv '%s.older' '%s'", seg_log.path, seg_log.path,
             seg_log.path, seg_log.path);
    assert_int_equal(system(command), 0);
    look();
    assert_int_equal(list(), before);
}

static void a_folder_that_another_ring_has_begun_is_left_alone(void **state) {
    (void)state;
    begin_to_retain(&(struct retention_limits){.limit_bytes = 1, .limit_ns = INT64_MAX, .releases = 1});
    assert_int_equal(log_write(600), 0);
    look();
    begin_anew();
    seg_log.outlet->ops->destroy(seg_log.outlet);
    seg_log.parts.ring_uuid[0]++;
    seg_log.noted_sequence = seg_log.written = 0;
    log_make_outlet();
    assert_int_equal(log_bind(), OUTLET_NOTE);
    assert_int_equal(log_write(600), 0);
    const size_t before = list();
    assert_true(before > 4);
    look();
    assert_int_equal(list(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RETENTION_TEST(another_folder_in_its_place_is_left_alone),
        RETENTION_TEST(segments_of_a_folder_that_was_begun_anew_go_as_before),
        RETENTION_TEST(and_so_they_do_if_it_seems_older_than_the_one_before),
        RETENTION_TEST(an_older_folder_of_the_same_log_is_left_alone),
        RETENTION_TEST(a_folder_that_another_ring_has_begun_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
