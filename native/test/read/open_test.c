/* SPDX-License-Identifier: Apache-2.0 */
/* A source of which a look fails: it is refused, or read right, and never taken for another kind of source. */
#include "log_fixture.h"

#include <dirent.h>

/* These stand in for the calls of libc. */
static struct {
    int pread_of_magic; /* 0: as ever; -1: fails; else so many bytes at most */
    int fstat_at;       /* the call that fails; 0: none */
    int readdir_at;     /* the entry of each listing; 0: none */
} faults;

ssize_t __real_pread(int file, void *out, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *out, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *out, size_t bytes, off_t offset) {
    if (bytes > sizeof(uint64_t) || faults.pread_of_magic == 0) {
        return __real_pread(file, out, bytes, offset);
    }
    if (faults.pread_of_magic < 0) {
        errno = EIO;
        return -1;
    }
    return __real_pread(file, out, bytes < (size_t)faults.pread_of_magic ? bytes : (size_t)faults.pread_of_magic,
                        offset);
}

int __real_fstat(int file, struct stat *status);
int __wrap_fstat(int file, struct stat *status);
int __wrap_fstat(int file, struct stat *status) {
    if (faults.fstat_at > 0 && --faults.fstat_at == 0) {
        errno = EIO;
        return -1;
    }
    return __real_fstat(file, status);
}

struct dirent *__real_readdir(DIR *folder_read);
struct dirent *__wrap_readdir(DIR *folder_read);
struct dirent *__wrap_readdir(DIR *folder_read) {
    static int entries;
    struct dirent *entry = NULL;
    errno = EIO;
    if (++entries != faults.readdir_at) {
        errno = 0;
        entry = __real_readdir(folder_read);
    }
    entries = entry == NULL ? 0 : entries; /* that listing has ended */
    return entry;
}

static burst_reader_t *reader;

static int try_to_open(const char *source) {
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = source;
    config.window = "";
    return burst_reader_open(&config, &reader);
}

static int next(burst_read_t *record) {
    record->struct_bytes = sizeof *record;
    return burst_reader_next(reader, record, 0);
}

static void a_ring_that_cannot_be_read_is_no_text(void **state) {
    (void)state;
    burst_read_t record;
    faults.pread_of_magic = -1;
    assert_int_equal(try_to_open(ring_path), -EIO);
    assert_non_null(strstr(burst_last_error(), "cannot be read: EIO"));
    for (int bytes = 1; bytes <= 8; bytes++) {
        faults.pread_of_magic = bytes;
        assert_int_equal(try_to_open(ring_path), 0);
        assert_int_equal(next(&record), 1);
        assert_memory_equal(record.data, "one\n", 4);
        burst_reader_close(reader);
        reader = NULL;
    }
}

/* Each line once, or an error. */
static void a_file_that_cannot_be_looked_at_is_not_read_twice(void **state) {
    (void)state;
    static const char *const lines[] = {"one\n", "two\n", "three\n"};
    burst_read_t record;
    int refused = 0;
    for (int call = 1; call < 12; call++) {
        int line = 0, rc;
        faults.fstat_at = call;
        if (try_to_open(file_path) < 0) {
            refused++;
            continue;
        }
        for (int looks = 0; looks < 3; looks++) {
            while ((rc = next(&record)) == 1) {
                assert_true(line < 3);
                assert_memory_equal(record.data, lines[line], strlen(lines[line]));
                line++;
            }
            refused += rc < 0;
        }
        assert_true(rc < 0 || line == 3);
        burst_reader_close(reader);
        reader = NULL;
    }
    assert_true(refused >= 2);
}

/* A reader without one of them would lack its records. */
static void a_folder_that_cannot_be_listed_is_told(void **state) {
    (void)state;
    burst_read_t record;
    char path[160];
    snprintf(path, sizeof path, "%s.1", file_path);
    FILE *archive = fopen(path, "w");
    assert_true(archive != NULL && fputs("zero\n", archive) > 0 && fclose(archive) == 0);
    for (int entry = 1; entry <= 12; entry++) {
        faults.readdir_at = entry;
        if (try_to_open(ring_path) < 0) {
            assert_non_null(strstr(burst_last_error(), "cannot be listed"));
            continue;
        }
        assert_int_equal(next(&record), 1);
        assert_memory_equal(record.data, "zero\n", 5);
        burst_reader_close(reader);
        reader = NULL;
    }
}

static int begin(void **state) {
    make_folder(state);
    burst_t *log = open_small();
    assert_true(burst_append(log, "one\n", 4, 1) > 0 && burst_append(log, "two\n", 4, 2) > 0 &&
                burst_append(log, "three\n", 6, 3) > 0);
    return burst_close(log);
}

static int end(void **state) {
    memset(&faults, 0, sizeof faults);
    burst_reader_close(reader);
    reader = NULL;
    return remove_folder(state);
}

int main(void) {
#define OPEN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        OPEN_TEST(a_ring_that_cannot_be_read_is_no_text),
        OPEN_TEST(a_file_that_cannot_be_looked_at_is_not_read_twice),
        OPEN_TEST(a_folder_that_cannot_be_listed_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
