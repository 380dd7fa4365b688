/* SPDX-License-Identifier: Apache-2.0 */
/* Rolled files by the rules that only a record of a roll has. */
#include "roll_log.h"

#include "base/error.h"
#include "rolling/files.h"

static struct rolling_files files;
static int64_t again_ns; /* of the last tidying */
static _Atomic uint32_t is_stopped;

static int begin(void **state) {
    make_paths(state);
    files = (struct rolling_files){
        .is_stopped = &is_stopped, .keep_files = UINT64_MAX, .keep_bytes = UINT64_MAX, .keep_ns = INT64_MAX};
    assert_int_equal(rolling_name_read("r", rolling_of(0).pattern, &files.name), 0);
    return gzip_load("r", &files.gzip);
}

static const char *rolled(unsigned index, const char *suffix) {
    static char path[240];
    snprintf(path, sizeof path, "%s-%u.log%s", paths[0], index, suffix);
    return path;
}

/* Puts a rolled file whose time is so many seconds after 1970. */
static void put_rolled(unsigned index, int64_t changed_s) {
    const struct timespec times[2] = {{.tv_sec = changed_s}, {.tv_sec = changed_s, .tv_nsec = 123456789}};
    put_file(rolled(index, ""), "a line\n");
    assert_int_equal(utimensat(AT_FDCWD, rolled(index, ""), times, 0), 0);
}

static int is_there(unsigned index, const char *suffix) {
    return access(rolled(index, suffix), F_OK) == 0;
}

static void tidy(void) {
    if (rolling_files_tidy(&files, 1000ll * 1000000000, &again_ns) < 0) {
        fail_msg("%s", error_text());
    }
}

/* Its compressed form was whole when the process died. Then the other way of compressing was configured. */
static void a_file_is_compressed_once(void **state) {
    (void)state;
    files.compress = ROLL_COMPRESSION_GZIP;
    put_rolled(1, 500);
    tidy();
    put_rolled(1, 500);
    files.compress = ROLL_COMPRESSION_ZSTD;
    tidy();
    assert_true(is_there(1, ".gz"));
    assert_false(is_there(1, "") || is_there(1, ".zst"));
}

/* Each date may count anew. */
static void the_last_written_may_be_the_newest(void **state) {
    (void)state;
    files.is_by_time = 1;
    files.keep_files = 1;
    put_rolled(1, 600);
    put_rolled(2, 500);
    uint64_t index;
    assert_int_equal(rolling_files_last(&files, &index), 0);
    assert_int_equal(index, 2);
    tidy();
    assert_true(is_there(1, ""));
    assert_false(is_there(2, ""));
}

/* Nothing is waited for beyond the last file. */
static void the_delay_counts_from_the_last_write(void **state) {
    (void)state;
    files.compress = ROLL_COMPRESSION_GZIP;
    files.delay_ns = 600 * 1000000000ll;
    put_rolled(1, 300);
    put_rolled(2, 500);
    put_rolled(3, 2000); /* by a clock that was set back since */
    tidy();
    assert_true(is_there(1, ".gz"));
    assert_true(is_there(2, "") && is_there(3, ""));
    assert_int_equal(again_ns, 100 * 1000000000ll + 123456789);
    files.delay_ns = 0;
    tidy();
    assert_true(is_there(2, ".gz") && is_there(3, ".gz"));
    assert_int_equal(again_ns, -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_compressed_once),
        TEST(the_last_written_may_be_the_newest),
        TEST(the_delay_counts_from_the_last_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
