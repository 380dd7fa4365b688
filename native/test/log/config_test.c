/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong configuration is refused at once, and nothing is touched. The open says how much a ring holds. */
#include "log_fixture.h"

#include <sys/resource.h>

#include "media/layout.h"

static burst_config_t wrong_config(void) {
    burst_config_t config = small_config();
    config.ring_bytes = 4096;
    main_config.on_full = 7;
    main_config.block_timeout_ns = UINT64_MAX;
    config.drain_cpu = "left";
    config.commit_cpu = "4999";
    config.realtime_priority = 100;
    config.batch_bytes = 100;
    main_config.file_owner = "no-such-user-of-burstlog";
    return config;
}

static void assert_names_all(void) {
    static const char *const all[] = {"ringSize",           "onFull",
                                      "blockTimeout",       "drainCpu=\"left\"",
                                      "commitCpu=\"4999\"", "realtimePriority=\"100\"",
                                      "batchSize",          "no-such-user-of-burstlog"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *found = strstr(burst_last_error(), all[i]);
        if (found == NULL || strstr(found + 1, all[i]) != NULL) {
            fail_msg("\"%s\" does not name %s once", burst_last_error(), all[i]);
        }
    }
}

static void everything_that_is_wrong_is_said_at_once_and_nothing_is_made(void **state) {
    (void)state;
    const burst_config_t config = wrong_config();
    burst_t *log;
    assert_int_equal(burst_open(&config, &log), -EINVAL);
    assert_names_all();
    assert_int_equal(access(ring_path, F_OK), -1);
    assert_int_equal(access(file_path, F_OK), -1);
}

static void a_check_says_what_an_open_would_and_makes_nothing(void **state) {
    (void)state;
    burst_config_t config = wrong_config();
    assert_int_equal(burst_config_check(&config), -EINVAL);
    assert_names_all();
    config = small_config();
    assert_int_equal(burst_config_check(&config), 0);
    assert_int_equal(access(ring_path, F_OK), -1);
    assert_int_equal(access(file_path, F_OK), -1);
}

static void a_ring_larger_than_any_is_refused_before_a_file_system_is_filled(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.ring_bytes = 1ull << 40;
    assert_int_equal(burst_config_check(&config), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "at most 274878955520 (256 GiB)"));
}

static void a_record_longer_than_any_ring_takes_is_refused_before_anything_is_made(void **state) {
    (void)state;
    burst_config_t config = small_config();
    burst_t *log;
    config.max_record_bytes = (1u << 30) + 1;
    config.ring_bytes = 0;
    assert_int_equal(burst_config_check(&config), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "at most 1073741824, 1 GiB"));
    config.max_record_bytes = 1u << 30;
    assert_int_equal(burst_config_check(&config), 0);
    config.ring_bytes = 4u << 20;
    config.max_record_bytes = 1u << 20;
    assert_int_equal(burst_config_check(&config), -EINVAL);
    assert_int_equal(access(ring_path, F_OK), -1);
    config.max_record_bytes = (3u << 20) / 4 - RECORD_HEADER_BYTES + 1;
    assert_int_equal(burst_config_check(&config), -EINVAL);
    config.max_record_bytes--; /* a quarter of the space behind the head */
    assert_int_equal(burst_config_check(&config), 0);
    assert_int_equal(burst_open(&config, &log), 0);
    burst_close(log);
}

static void a_ring_is_no_log_file(void **state) {
    (void)state;
    burst_config_t config = small_config();
    burst_t *log;
    char other[sizeof ring_path + 8];
    snprintf(other, sizeof other, "%s.other", ring_path);
    config.ring = other;
    assert_int_equal(burst_open(&config, &log), 0);
    burst_close(log);
    struct stat before, after;
    assert_int_equal(stat(other, &before), 0);
    config = small_config();
    main_config.file_name = other;
    assert_int_equal(burst_open(&config, &log), -EEXIST);
    assert_non_null(strstr(burst_last_error(), ".other is a ring: give fileName the name of another file"));
    assert_int_equal(stat(other, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    unlink(other);
}

static void missing_names_are_said_at_once(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.ring = NULL;
    main_config.file_name = "";
    assert_int_equal(burst_config_check(&config), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "set ring"));
    assert_non_null(strstr(burst_last_error(), "set fileName"));
}

static void a_file_that_is_no_ring_is_told_so_and_left_as_it_is(void **state) {
    (void)state;
    FILE *file = fopen(ring_path, "w");
    fprintf(file, "%0*d", 1294, 7);
    fclose(file);
    const burst_config_t config = small_config();
    burst_t *log;
    assert_int_equal(burst_open(&config, &log), -ENODATA);
    assert_non_null(strstr(burst_last_error(), "is no ring, because it has only 1294 bytes: name another file"));
    assert_null(strstr(burst_last_error(), "1048576"));
    struct stat status;
    assert_int_equal(stat(ring_path, &status), 0);
    assert_int_equal(status.st_size, 1294);
}

static void a_new_ring_file_has_sixteen_mebibytes(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.ring_bytes = 0;
    burst_close(open_with(&config));
    struct stat status;
    assert_int_equal(stat(ring_path, &status), 0);
    assert_int_equal(status.st_size, 16 << 20);
}

static unsigned long long told_room(burst_t *log) {
    burst_event_t event = {.struct_bytes = sizeof event};
    unsigned long long room = 0;
    while (burst_next_event(log, &event, 0) == 1) {
        const char *text = strstr(event.text, "has room for ");
        if (text != NULL) {
            assert_int_equal(event.severity, BURST_INFO);
            assert_int_equal(sscanf(text, "has room for %llu records of 200 bytes", &room), 1);
        }
    }
    return room;
}

static void assert_room_is_told(uint32_t io) {
    struct rlimit all;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    const struct rlimit none = {.rlim_cur = 2 * 1024 * 1024, .rlim_max = all.rlim_max};
    burst_config_t config = small_config();
    config.io = io;
    main_config.on_full = BURST_ON_FULL_FAIL;
    assert_int_equal(truncate(file_path, 0) < 0 ? creat(file_path, 0600) < 0 : 0, 0);
    assert_int_equal(truncate(file_path, 4 * 1024 * 1024), 0); /* the file may not grow: the drain writes nothing */
    burst_t *log;
    assert_int_equal(burst_open(&config, &log), 0);
    const unsigned long long room = told_room(log);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    char record[200];
    memset(record, 'r', sizeof record);
    unsigned long long count = 0;
    while (burst_append(log, record, sizeof record, 0) > 0) {
        count++;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_int_equal(burst_config_check(&config), 0);
    assert_int_equal(burst_close_within(log, -1), 0); /* nothing of it writes behind the test */
    /* The block of this open's marker may be free again. */
    assert_in_range(count, room, room + LAYOUT_MIN_BLOCK_BYTES / 256);
}

static void an_open_tells_how_many_records_a_ring_of_blocks_holds(void **state) {
    (void)state;
    assert_room_is_told(BURST_IO_PWRITE);
}

static void an_open_tells_how_many_records_a_ring_of_lines_holds(void **state) {
    (void)state;
    assert_room_is_told(BURST_IO_MAPPED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(everything_that_is_wrong_is_said_at_once_and_nothing_is_made),
        TEST(a_check_says_what_an_open_would_and_makes_nothing),
        TEST(a_ring_larger_than_any_is_refused_before_a_file_system_is_filled),
        TEST(a_record_longer_than_any_ring_takes_is_refused_before_anything_is_made),
        TEST(a_ring_is_no_log_file),
        TEST(missing_names_are_said_at_once),
        TEST(a_file_that_is_no_ring_is_told_so_and_left_as_it_is),
        TEST(a_new_ring_file_has_sixteen_mebibytes),
        TEST(an_open_tells_how_many_records_a_ring_of_blocks_holds),
        TEST(an_open_tells_how_many_records_a_ring_of_lines_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
