/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of writing of public tables: which system calls each of them is. */
#include "device/media.h"

#include <fcntl.h>
#include <stdarg.h>

#include "base/error.h"
#include "cli/doctor/drive.h"

#define WRITES 20
#define BYTES (4 * DRIVE_WAY_BYTES)

static struct {
    int flags, opens;
    unsigned writes[DRIVE_WAYS], syncs[DRIVE_WAYS], behind_a_write[DRIVE_WAYS];
    off_t highest;
    int wrote_last, fails_at; /* fails_at: this write fails; 0: none */
} seen;

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

/* Opens the file without O_DIRECT, which not every file system has. */
int __wrap_open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (strstr(path, "drive") == NULL) {
        return __real_open(path, flags, mode);
    }
    assert_true(flags & O_DIRECT);
    assert_int_equal((flags & O_DSYNC) != 0, seen.opens == DRIVE_DSYNC);
    seen.opens++;
    return __real_open(path, flags & ~O_DIRECT, mode);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    unsigned *writes = &seen.writes[seen.opens - 1];
    assert_int_equal(bytes, DRIVE_WAY_BYTES);
    assert_int_equal((uintptr_t)data % 4096, 0);
    seen.highest = offset > seen.highest ? offset : seen.highest;
    seen.wrote_last = 1;
    if (++*writes == (unsigned)seen.fails_at) {
        errno = EIO;
        return -1;
    }
    return __real_pwrite(fd, data, bytes, offset);
}

int __wrap_fdatasync(int fd) {
    seen.syncs[seen.opens - 1]++;
    seen.behind_a_write[seen.opens - 1] += seen.wrote_last;
    seen.wrote_last = 0;
    return __real_fdatasync(fd);
}

static int begin(void **state) {
    memset(&seen, 0, sizeof seen);
    return make_scratch(state);
}

static int measure(struct drive_figures ways[DRIVE_WAYS]) {
    const char *path = scratch_path("drive");
    const int fd = __real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, BYTES), 0);
    close(fd);
    memset(ways, 0, DRIVE_WAYS * sizeof *ways);
    return drive_measure_ways(path, "the drive", BYTES, WRITES, ways);
}

static void release(struct drive_figures ways[DRIVE_WAYS]) {
    for (int way = 0; way < DRIVE_WAYS; way++) {
        free(ways[way].took_ns);
    }
}

static void each_way_is_its_system_calls(void **state) {
    (void)state;
    struct drive_figures ways[DRIVE_WAYS];
    assert_int_equal(measure(ways), 0);
    assert_int_equal(seen.opens, DRIVE_WAYS);
    assert_int_equal(seen.writes[DRIVE_NO_SYNC], 4 + WRITES); /* each block once before the clock runs */
    assert_int_equal(seen.writes[DRIVE_DSYNC], WRITES);
    assert_int_equal(seen.writes[DRIVE_FDATASYNC], WRITES);
    /* One sync before the clock runs; it may have nothing to do. */
    assert_int_equal(seen.syncs[DRIVE_NO_SYNC], 1);
    assert_int_equal(seen.syncs[DRIVE_DSYNC], 1);
    assert_int_equal(seen.syncs[DRIVE_FDATASYNC], 1 + WRITES);
    assert_true(seen.behind_a_write[DRIVE_FDATASYNC] >= WRITES);
    assert_int_equal(seen.highest, BYTES - DRIVE_WAY_BYTES);
    for (int way = 0; way < DRIVE_WAYS; way++) {
        assert_int_equal(ways[way].writes, WRITES);
        for (int i = 1; i < WRITES; i++) {
            assert_true(ways[way].took_ns[i - 1] <= ways[way].took_ns[i]);
        }
    }
    release(ways);
}

static void a_write_that_fails_ends_it_and_is_told(void **state) {
    (void)state;
    struct drive_figures ways[DRIVE_WAYS];
    seen.fails_at = WRITES; /* of the first way, while the clock runs */
    assert_int_equal(measure(ways), -EIO);
    assert_non_null(strstr(error_text(), "of the drive failed: EIO"));
    assert_int_equal(seen.opens, 1);
    release(ways);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_way_is_its_system_calls, begin, remove_scratch),
        cmocka_unit_test_setup_teardown(a_write_that_fails_ends_it_and_is_told, begin, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
