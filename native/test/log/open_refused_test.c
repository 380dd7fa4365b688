/* SPDX-License-Identifier: Apache-2.0 */
/* An open makes the folders of ring and log file. A refused open leaves nothing behind. */
#include "log_fixture.h"

#include <ftw.h>
#include <limits.h>

static int threads_fail;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    return threads_fail ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

/* The directories that were synced by fsync. */
static char synced[4096];

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    char link[64], name[PATH_MAX] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, name, sizeof name - 1) > 0) {
        const size_t used = strlen(synced);
        snprintf(synced + used, sizeof synced - used, "%s\n", name);
    }
    return __real_fsync(fd);
}

static int begin(void **state) {
    threads_fail = 0;
    synced[0] = '\0';
    return make_folder(state);
}

static unsigned entries;

static int count_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)path, (void)status, (void)type;
    entries += place->level > 0;
    return 0;
}

static unsigned entries_in_folder(void) {
    entries = 0;
    assert_int_equal(nftw(folder, count_entry, 8, FTW_PHYS), 0);
    return entries;
}

static char deep_ring[128], deep_file[128];

static burst_config_t deep_config(void) {
    burst_config_t config = small_config();
    snprintf(deep_ring, sizeof deep_ring, "%s/new/rings/of/orders", folder);
    snprintf(deep_file, sizeof deep_file, "%s/else/logs/orders.log", folder);
    config.ring = deep_ring;
    main_config.file_name = deep_file;
    return config;
}

static void folders_of_ring_and_log_file_are_made_and_durable(void **state) {
    (void)state;
    const burst_config_t config = deep_config();
    burst_t *log = open_with(&config);
    assert_true(burst_append(log, "a record\n", 9, 0) > 0);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(access(deep_ring, F_OK), 0);
    assert_int_equal(access(deep_file, F_OK), 0);
    const char *const holders[] = {"", "/new", "/new/rings", "/new/rings/of", "/else", "/else/logs"};
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++) {
        char line[128];
        snprintf(line, sizeof line, "%s%s\n", folder, holders[i]);
        if (strstr(synced, line) == NULL) {
            fail_msg("%s was not synced, only:\n%s", line, synced);
        }
    }
}

static void no_durability_leaves_nothing(void **state) {
    (void)state;
    burst_config_t config = deep_config();
    config.io = BURST_IO_MAPPED; /* on a disk file that survives the process only */
    config.durability = BURST_DURABILITY_POWER;
    assert_refused(&config, EMEDIUMTYPE, "process");
    assert_int_equal(entries_in_folder(), 0);
}

static void an_unsuitable_place_is_refused_before_anything_is_made(void **state) {
    (void)state;
    struct stat status;
    burst_config_t config = small_config();
    if (stat("/dev/shm", &status) < 0) {
        print_message("SKIPPED: no /dev/shm\n");
        skip();
    }
    snprintf(deep_file, sizeof deep_file, "/dev/shm/%s/log", folder);
    main_config.file_name = deep_file;
    config.durability = BURST_DURABILITY_POWER;
    assert_refused(&config, EMEDIUMTYPE, "process");
    assert_null(strstr(synced, folder)); /* the open made no ring that it had to remove */
    assert_int_equal(entries_in_folder(), 0);
}

static void a_log_file_that_cannot_be_made_leaves_nothing(void **state) {
    (void)state;
    burst_config_t config = deep_config();
    char unreadable_candidate[128], below[256];
    snprintf(unreadable_candidate, sizeof unreadable_candidate, "%s/file", folder);
    const int fd = open(unreadable_candidate, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    snprintf(below, sizeof below, "%s/log", unreadable_candidate);
    main_config.file_name = below;
    assert_refused(&config, ENOTDIR, "log file");
    assert_int_equal(entries_in_folder(), 1);
}

static void a_ring_that_cannot_be_made_leaves_nothing(void **state) {
    (void)state;
    burst_config_t config = deep_config();
    config.ring_bytes = 1ull << 50;
    burst_t *log;
    assert_true(burst_open(&config, &log) < 0);
    assert_int_equal(entries_in_folder(), 0);
    config.ring_bytes = 2 * 1024 * 1024;
    config.max_record_bytes = 1u << 30;
    assert_refused(&config, EINVAL, "maxRecordSize of ring");
    assert_int_equal(entries_in_folder(), 0);
    config.max_record_bytes = 0;
    config.io = BURST_IO_NVME; /* a file is no NVMe device */
    assert_true(burst_open(&config, &log) < 0);
    assert_int_equal(entries_in_folder(), 0);
}

static void threads_that_cannot_be_had_leave_nothing(void **state) {
    (void)state;
    const burst_config_t config = deep_config();
    burst_t *log;
    threads_fail = 1;
    assert_true(burst_open(&config, &log) < 0);
    assert_int_equal(entries_in_folder(), 0);
    threads_fail = 0;
    log = open_with(&config);
    assert_int_equal(burst_close(log), 0);
}

static void what_was_there_stays(void **state) {
    (void)state;
    struct stat before, after;
    burst_config_t config = deep_config();
    char path[128];
    const char *const kept[] = {"new", "new/rings", "new/rings/of", "else", "else/logs"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, kept[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    const int ring = open(deep_ring, O_CREAT | O_WRONLY | O_CLOEXEC, 0640),
              file = open(deep_file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(ring >= 0 && file >= 0);
    close(ring);
    close(file);
    assert_int_equal(stat(deep_ring, &before), 0);
    burst_t *log;
    threads_fail = 1;
    assert_true(burst_open(&config, &log) < 0);
    assert_int_equal(entries_in_folder(), 7);
    assert_int_equal(stat(deep_ring, &after), 0);
    assert_int_equal(after.st_size, 0); /* the empty file is empty again */
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_equal(after.st_uid, before.st_uid);
}

#define OPEN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        OPEN_TEST(folders_of_ring_and_log_file_are_made_and_durable),
        OPEN_TEST(no_durability_leaves_nothing),
        OPEN_TEST(an_unsuitable_place_is_refused_before_anything_is_made),
        OPEN_TEST(a_log_file_that_cannot_be_made_leaves_nothing),
        OPEN_TEST(a_ring_that_cannot_be_made_leaves_nothing),
        OPEN_TEST(threads_that_cannot_be_had_leave_nothing),
        OPEN_TEST(what_was_there_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
