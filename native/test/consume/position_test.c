/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of consumers: reading them, gaps behind them, and files that are none. */
#include <sys/stat.h>

#include "consume/consumer_log.h"

static int sync_error; /* of the next syncs; 0: they succeed */
static unsigned syncs;

int __real_fdatasync(int file);
int __wrap_fdatasync(int file);

static char synced_folders[4][300]; /* the last ones */
static unsigned folder_syncs;

int __real_fsync(int file);
int __wrap_fsync(int file);

int __wrap_fsync(int file) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    char *path = synced_folders[folder_syncs++ % 4];
    const ssize_t bytes = readlink(link, path, sizeof synced_folders[0] - 1);
    path[bytes < 0 ? 0 : bytes] = '\0';
    return __real_fsync(file);
}

int __wrap_fdatasync(int file) {
    syncs++;
    errno = sync_error;
    return sync_error != 0 ? -1 : __real_fdatasync(file);
}

/* ------------------------------------------------------------------------------------------------------ positions */

static void what_is_acknowledged_does_not_come_again(void **state) {
    (void)state;
    assert_int_equal(log_write(60), 0);
    reopen_consumer();
    assert_next(1, 1);
    assert_next(2, 3);
    assert_next(3, 4);
    assert_int_equal(burst_consumer_ack(consumer, 2), 0);
    reopen_consumer();
    assert_next(3, 4);
    for (uint64_t number = 3; number < 30; number++) {
        assert_int_equal(burst_consumer_ack(consumer, number), 0);
        reopen_consumer();
        assert_all(number + 1, 60);
    }
    assert_int_equal(burst_consumer_ack(consumer, 5), 0);
    reopen_consumer();
    assert_all(6, 60);
}

/* A consumer must be able to acknowledge segments when they have filled the disk. */
static void a_position_has_its_room_from_the_beginning(void **state) {
    (void)state;
    char path[300];
    struct stat before, after;
    snprintf(path, sizeof path, "%s/consumers/reader", seg_log.path);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(before.st_size, 4096 + 64);
    assert_int_equal(log_write(6), 0);
    assert_all(1, 6);
    for (uint64_t number = 1; number <= 4; number++) {
        assert_int_equal(burst_consumer_ack(consumer, number), 0);
    }
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    reopen_consumer();
    assert_int_equal(burst_consumer_position(consumer), 5);
}

static void what_is_acknowledged_is_durable(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0);
    assert_all(1, 6);
    syncs = 0;
    assert_int_equal(burst_consumer_ack(consumer, 2), 0);
    assert_int_equal(syncs, 1);
    sync_error = EIO;
    assert_int_equal(burst_consumer_ack(consumer, 3), -EIO);
    sync_error = 0;
    assert_int_equal(burst_consumer_ack(consumer, 4), 0);
    reopen_consumer();
    assert_int_equal(burst_consumer_position(consumer), 5);
}

static const char *position_file(void) {
    static char path[600];
    snprintf(path, sizeof path, "%s/consumers/reader", seg_log.path);
    return path;
}

/* Else a power cut takes the position, or the folder of positions, and what was acknowledged with it. */
static void the_names_of_a_new_position_are_durable(void **state) {
    (void)state;
    char positions[300];
    folder_syncs = 0;
    burst_consumer_close(open_consumer("new"));
    assert_int_equal(folder_syncs, 2);
    snprintf(positions, sizeof positions, "%s/consumers", seg_log.path);
    assert_string_equal(synced_folders[0], positions);
    assert_string_equal(synced_folders[1], seg_log.path);
}

/* Each goes into the older slot, so a torn one never is the only one. */
static void acknowledgements_take_turns_in_the_slots(void **state) {
    (void)state;
    assert_int_equal(log_write(15), 0);
    assert_all(1, 15);
    for (uint64_t number = 1; number < 6; number++) {
        struct segments_position slots[SEGMENTS_POSITION_SLOTS] = {{.magic = 0}};
        assert_int_equal(burst_consumer_ack(consumer, number), 0);
        FILE *file = fopen(position_file(), "r");
        for (unsigned slot = 0; slot < SEGMENTS_POSITION_SLOTS; slot++) {
            fseek(file, (long)SEGMENTS_POSITION_OFFSET(slot), SEEK_SET);
            assert_int_equal(fread(&slots[slot], sizeof slots[slot], 1, file), 1);
        }
        fclose(file);
        assert_int_equal(slots[number % 2].next_number, number + 1);
        assert_int_equal(slots[number % 2].generation, number);
        assert_int_equal(slots[(number + 1) % 2].next_number, number == 1 ? 0 : number);
    }
}

static void what_was_not_given_cannot_be_acknowledged(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0);
    assert_next(1, 1);
    assert_int_equal(burst_consumer_ack(consumer, 2), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "below 2"));
    assert_int_equal(burst_consumer_ack(consumer, 1), 0);
}

static void consumers_do_not_touch_each_other(void **state) {
    (void)state;
    burst_consumer_t *first = consumer, *same;
    assert_int_equal(log_write(6), 0);
    assert_all(1, 6);
    assert_int_equal(burst_consumer_ack(consumer, 4), 0);
    assert_int_equal(burst_consumer_open(seg_log.path, "reader", &same), -EBUSY);
    assert_null(same);
    consumer = open_consumer("other");
    assert_all(1, 6);
    burst_consumer_close(consumer);
    consumer = first;
    assert_int_equal(next(0), 0);
}

static void damage(long at) {
    FILE *file = fopen(position_file(), "r+");
    fseek(file, at, SEEK_SET);
    fputc('?', file);
    fclose(file);
}

static void a_torn_position_leaves_the_one_before(void **state) {
    (void)state;
    assert_int_equal(log_write(15), 0);
    assert_all(1, 15);
    assert_int_equal(burst_consumer_ack(consumer, 3), 0); /* into slot 1 */
    assert_int_equal(burst_consumer_ack(consumer, 5), 0); /* into slot 0 */
    damage(20);
    reopen_consumer();
    assert_next(4, 6);
    damage(4096 + 20);
    burst_consumer_close(consumer);
    assert_int_equal(burst_consumer_open(seg_log.path, "reader", &consumer), -EUCLEAN);
    assert_int_equal(unlink(position_file()), 0);
    consumer = open_consumer("reader");
    assert_next(1, 1);
}

static void a_position_of_another_folder_is_refused(void **state) {
    (void)state;
    char command[1300];
    assert_int_equal(log_write(6), 0);
    assert_next(1, 1);
    assert_int_equal(burst_consumer_ack(consumer, 1), 0);
    burst_consumer_close(consumer);
    seg_log.outlet->ops->close(seg_log.outlet);
    snprintf(command, sizeof command, "rm '%s'/*.seg; : > '%s/head'", seg_log.path, seg_log.path);
    assert_int_equal(system(command), 0);
    struct outlet_state other;
    assert_int_equal(seg_log.outlet->ops->bind(seg_log.outlet, seg_log.path, &seg_log.noted, &other), OUTLET_NOTE);
    assert_int_equal(burst_consumer_open(seg_log.path, "reader", &consumer), -EUCLEAN);
    assert_non_null(strstr(burst_last_error(), "of another folder"));
}

static void a_consumer_goes_where_it_is_told(void **state) {
    (void)state;
    assert_int_equal(log_write(600), 0);
    const uint64_t numbers[] = {1, 350, 20, 399, 2, 77};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(burst_consumer_seek(consumer, numbers[i]), 0);
        assert_int_equal(burst_consumer_position(consumer), numbers[i]);
        assert_int_equal(next(0), 1);
        assert_int_equal(record.number, numbers[i]);
        assert_int_equal(next(0), 1);
        assert_int_equal(record.number, numbers[i] + 1);
    }
    assert_int_equal(burst_consumer_seek(consumer, 500), 0);
    assert_int_equal(next(0), 0);
    assert_int_equal(log_write(900), 0);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.number, 500);
    assert_int_equal(burst_consumer_seek(consumer, 0), -EINVAL);
}

/* ------------------------------------------------------------------------------------------------------- missing */

static uint64_t second_segment(uint64_t *third) {
    uint64_t second = 2;
    while (access(segment_path(second), F_OK) != 0) {
        second++;
    }
    for (*third = second + 1; access(segment_path(*third), F_OK) != 0; ++*third) {
    }
    return second;
}

static void assert_missing(uint64_t last, uint64_t count) {
    assert_int_equal(next(0), 1);
    assert_int_equal(record.kind, BURST_CONSUMED_MISSING);
    assert_int_equal(record.number, last);
    assert_int_equal(record.count, count);
    assert_null(record.data);
}

static void segments_that_are_gone_are_told(void **state) {
    (void)state;
    uint64_t third;
    assert_int_equal(log_write(600), 0);
    const uint64_t second = second_segment(&third);
    assert_int_equal(unlink(segment_path(second)), 0);
    while (next(0) == 1 && record.number < second - 1) {
        assert_int_equal(record.kind, BURST_CONSUMED_RECORD);
    }
    assert_missing(third - 1, third - second);
    assert_int_equal(burst_consumer_ack(consumer, record.number), 0);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.number, third);
    assert_int_equal(unlink(segment_path(1)), 0);
    assert_int_equal(burst_consumer_seek(consumer, 3), 0);
    assert_missing(third - 1, third - 3);
}

/* Somebody copied a segment; its header says which numbers it has. */
static void a_segment_under_the_name_of_another_one_is_not_read(void **state) {
    (void)state;
    char copy[700], first[300];
    assert_int_equal(log_write(6), 0);
    const uint64_t behind = assert_all(1, 6);
    snprintf(first, sizeof first, "%s", segment_path(1));
    snprintf(copy, sizeof copy, "cp '%s' '%s'", first, segment_path(behind));
    assert_int_equal(system(copy), 0);
    assert_int_equal(next(0), 0);
    assert_int_equal(burst_consumer_position(consumer), behind);
}

static void a_new_consumer_begins_with_the_oldest_segment(void **state) {
    (void)state;
    uint64_t third;
    assert_int_equal(log_write(600), 0);
    const uint64_t second = second_segment(&third);
    assert_int_equal(unlink(segment_path(1)), 0);
    reopen_consumer();
    assert_int_equal(next(0), 1);
    assert_int_equal(record.number, second);
    assert_int_equal(record.kind, BURST_CONSUMED_RECORD);
}

static void damaged_records_are_told_and_passed(void **state) {
    (void)state;
    uint64_t third;
    assert_int_equal(log_write(600), 0);
    const uint64_t second = second_segment(&third);
    FILE *file = fopen(segment_path(second), "r+");
    fseek(file, 128 + 8, SEEK_SET);
    fputc('?', file);
    fclose(file);
    while (next(0) == 1 && record.number < second - 1) {
    }
    assert_missing(third - 1, third - second);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.number, third);
    file = fopen(segment_path(second), "r+");
    fputc('?', file); /* in its header */
    fclose(file);
    assert_int_equal(burst_consumer_seek(consumer, second + 1), 0);
    assert_missing(third - 1, third - second - 1);
}

/* ------------------------------------------------------------------------------------------------------- refused */

static void assert_refused(const char *path, const char *name, int code) {
    burst_consumer_t *opened = consumer;
    assert_int_equal(burst_consumer_open(path, name, &opened), -code);
    assert_null(opened);
    assert_true(strlen(burst_last_error()) > 20);
}

static void names_that_are_no_file_are_refused(void **state) {
    (void)state;
    char name[300];
    memset(name, 'n', sizeof name);
    name[BURST_CONSUMER_NAME_BYTES] = '\0';
    assert_refused(seg_log.path, name, EINVAL);
    assert_refused(seg_log.path, "", EINVAL);
    assert_refused(seg_log.path, NULL, EINVAL);
    assert_refused(seg_log.path, "../head", EINVAL);
    assert_refused(seg_log.path, ".", EINVAL);
    name[BURST_CONSUMER_NAME_BYTES - 1] = '\0';
    burst_consumer_close(open_consumer(name));
}

static void folders_that_are_none_are_refused(void **state) {
    (void)state;
    char head[600];
    assert_refused(seg_log.folder, "second", ENOENT);
    assert_refused("/no such folder", "second", ENOENT);
    snprintf(head, sizeof head, "%s/head", seg_log.path);
    assert_refused(head, "second", ENOTDIR);
    FILE *file = fopen(head, "r+");
    fseek(file, 100, SEEK_SET);
    fputc('?', file);
    fclose(file);
    assert_refused(seg_log.path, "second", EUCLEAN);
    assert_int_equal(truncate(head, 0), 0);
    assert_refused(seg_log.path, "second", ENOENT);
}

static void a_struct_of_another_size_is_refused(void **state) {
    (void)state;
    record.struct_bytes = 8;
    assert_int_equal(burst_consumer_next(consumer, &record, 0), -EINVAL);
    record.struct_bytes = sizeof record;
    burst_consumer_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CONSUMER_TEST(what_is_acknowledged_does_not_come_again),
        CONSUMER_TEST(a_position_has_its_room_from_the_beginning),
        CONSUMER_TEST(what_is_acknowledged_is_durable),
        CONSUMER_TEST(the_names_of_a_new_position_are_durable),
        CONSUMER_TEST(acknowledgements_take_turns_in_the_slots),
        CONSUMER_TEST(what_was_not_given_cannot_be_acknowledged),
        CONSUMER_TEST(consumers_do_not_touch_each_other),
        CONSUMER_TEST(a_torn_position_leaves_the_one_before),
        CONSUMER_TEST(a_position_of_another_folder_is_refused),
        CONSUMER_TEST(a_consumer_goes_where_it_is_told),
        CONSUMER_TEST(segments_that_are_gone_are_told),
        CONSUMER_TEST(a_segment_under_the_name_of_another_one_is_not_read),
        CONSUMER_TEST(a_new_consumer_begins_with_the_oldest_segment),
        CONSUMER_TEST(damaged_records_are_told_and_passed),
        CONSUMER_TEST(names_that_are_no_file_are_refused),
        CONSUMER_TEST(folders_that_are_none_are_refused),
        CONSUMER_TEST(a_struct_of_another_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
