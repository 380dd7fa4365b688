/* SPDX-License-Identifier: Apache-2.0 */
/* The durable parts of a new ring file when its creation returns, and its owner. The functions here take the place
 * of the C library's, and note the order of the calls. */
#include "device/media.h"

#include <sys/syscall.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"

#define RING_BYTES (2u << 20)

static char order[64]; /* one letter a call: s syncs the file, d its folder; m sets its mode, o its owner, n its name */
static int sync_error; /* of the file */

static void note(char letter) {
    const size_t used = strlen(order);
    if (used + 1 < sizeof order) {
        order[used] = letter;
        order[used + 1] = '\0';
    }
}

int fsync(int fd) {
    struct stat status;
    if (fstat(fd, &status) == 0)
        note(S_ISDIR(status.st_mode) ? 'd' : 's');
    if (S_ISREG(status.st_mode) && sync_error != 0) {
        errno = sync_error;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int fchmod(int fd, mode_t mode) {
    note('m');
    return (int)syscall(SYS_fchmod, fd, mode);
}

int fchown(int fd, uid_t owner, gid_t group) {
    note('o');
    return (int)syscall(SYS_fchown, fd, owner, group);
}

static int prepare(struct device *device, void *argument) {
    (void)device, (void)argument;
    note('p');
    return 0;
}

static int create(const char *path) {
    order[0] = '\0';
    return device_create_file(&platform_linux, path, RING_BYTES, prepare, NULL);
}

static void a_new_ring_file_is_durable_with_its_mode_and_its_name(void **state) {
    (void)state;
    assert_int_equal(create(scratch_path("ring")), 0);
    const char *prepared = strchr(order, 'p');
    assert_non_null(prepared);
    assert_true(strchr(order, 's') < prepared); /* its zeros */
    assert_string_equal(prepared, "pmsd");
}

static void one_that_cannot_be_synced_is_not_there(void **state) {
    (void)state;
    sync_error = EIO;
    const int rc = create(scratch_path("ring"));
    sync_error = 0;
    assert_int_equal(rc, -EIO);
    assert_int_equal(access(scratch_path("ring"), F_OK), -1);
    assert_int_equal(create(scratch_path("ring")), 0);
}

static void assert_keeps(uid_t owner, gid_t group, mode_t mode) {
    struct stat status;
    const char *path = scratch_path("ring");
    make_file(path, 0);
    assert_int_equal(chown(path, owner, group), 0);
    assert_int_equal(chmod(path, mode), 0);
    if (create(path) < 0)
        fail_msg("%s", error_text());
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, RING_BYTES);
    assert_int_equal(status.st_uid, owner);
    assert_int_equal(status.st_gid, group);
    assert_int_equal(status.st_mode & 07777, mode);
    assert_int_equal(unlink(path), 0);
}

static void an_empty_file_keeps_its_owner_its_group_and_its_mode(void **state) {
    (void)state;
    if (geteuid() != 0)
        SKIP_WITH("only root may give files away");
    assert_keeps(0, 4321, 0640);
    assert_keeps(4321, 0, 0600);
    assert_keeps(4321, 4322, 0660);
}

#define CREATED_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        CREATED_TEST(a_new_ring_file_is_durable_with_its_mode_and_its_name),
        CREATED_TEST(one_that_cannot_be_synced_is_not_there),
        CREATED_TEST(an_empty_file_keeps_its_owner_its_group_and_its_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
