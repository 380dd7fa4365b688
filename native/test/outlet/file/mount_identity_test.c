/* SPDX-License-Identifier: Apache-2.0 */
#include "device/media.h"

#include "outlet/file/fs.h"

static char here[PATH_MAX]; /* the scratch directory, absolute and without links */

static int set_up(void **state) {
    return make_scratch(state) < 0 || realpath(scratch, here) == NULL ? -1 : 0;
}

static struct mount_identity place_of(const char *format, ...) {
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    struct mount_identity mount;
    assert_int_equal(files_posix.ops->mount(&files_posix, path, &mount), 0);
    return mount;
}

static void assert_folder(const struct mount_identity *mount, const char *name) {
    char wanted[PATH_MAX + 64];
    snprintf(wanted, sizeof wanted, "%s%s", here, name);
    assert_string_equal(mount->folder, wanted);
}

static void a_file_is_in_its_folder_whether_that_is_there_or_not(void **state) {
    (void)state;
    struct stat status;
    assert_int_equal(stat(here, &status), 0);
    struct mount_identity mount = place_of("%s/log", here);
    assert_folder(&mount, "");
    assert_int_equal(mount.device, status.st_dev);
    mount = place_of("%s/no/such/folder/log", here);
    assert_folder(&mount, "/no/such/folder");
    assert_int_equal(mount.device, status.st_dev);
    mount = place_of("/burst-no-such-folder/log");
    assert_string_equal(mount.folder, "/burst-no-such-folder");
    mount = place_of("/log");
    assert_string_equal(mount.folder, "/");
    assert_int_equal(mount.entry_bytes, 0);
}

static void links_are_followed(void **state) {
    (void)state;
    char link[PATH_MAX + 16];
    assert_int_equal(mkdir(scratch_path("real"), 0700), 0);
    snprintf(link, sizeof link, "%s/link", here);
    assert_int_equal(symlink("real", link), 0);
    struct mount_identity mount = place_of("%s/link/log", here);
    assert_folder(&mount, "/real");
    snprintf(link, sizeof link, "%s/log", here);
    assert_int_equal(symlink("real/other", link), 0); /* to where nothing is yet */
    mount = place_of("%s/log", here);
    assert_folder(&mount, "/real");
}

static void a_file_in_the_place_of_its_folder_has_no_place(void **state) {
    (void)state;
    struct mount_identity mount;
    char path[PATH_MAX + 16];
    make_file(scratch_path("file"), 0);
    snprintf(path, sizeof path, "%s/file/log", here);
    assert_int_equal(files_posix.ops->mount(&files_posix, path, &mount), -ENOTDIR);
}

static void nobody_misses_what_is_in_memory(void **state) {
    (void)state;
    struct stat shm, root;
    assert_int_equal(stat("/", &root), 0);
    if (stat("/dev/shm", &shm) < 0 || shm.st_dev == root.st_dev) {
        print_message("SKIPPED: nothing is mounted at /dev/shm\n");
        skip();
    }
    const struct mount_identity mount = place_of("/dev/shm/log");
    assert_int_equal(mount.device, shm.st_dev);
    assert_int_equal(mount.entry_bytes, 0);
    assert_int_equal(mount.file_system, 0);
}

static void a_path_leads_onto_a_file_system_where_it_is_mounted(void **state) {
    (void)state;
    const struct mount_identity mount = place_of("/proc/sys/log");
    assert_int_equal(mount.entry_bytes, strlen("/proc"));
    assert_int_equal(mount.file_system, 0);
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_file_is_in_its_folder_whether_that_is_there_or_not), PLACE_TEST(links_are_followed),
        PLACE_TEST(a_file_in_the_place_of_its_folder_has_no_place),       PLACE_TEST(nobody_misses_what_is_in_memory),
        PLACE_TEST(a_path_leads_onto_a_file_system_where_it_is_mounted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
