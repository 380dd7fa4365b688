/* SPDX-License-Identifier: Apache-2.0 */
/* The file system of the log file is unmounted, or is another one. Here its folder stands for the mount point. */
#include "text_log.h"

#include <sys/stat.h>

#define NUMBER 77 /* of the file system of the log file */

static int is_mounted, is_linked;
static uint64_t number_here;
static uint64_t device;
static char away[sizeof host.folder + 8];

static int mount(const struct files *files, const char *path, struct mount_identity *mount) {
    const int rc = files_posix.ops->mount(files, path, mount);
    mount->device = is_mounted ? device : device + 1;
    mount->file_system = is_mounted ? NUMBER : number_here;
    mount->entry_bytes = is_mounted ? (uint32_t)strlen(host.folder) : 0;
    if (is_linked) {
        strcat(mount->folder, ".linked");
    }
    return rc;
}

static int identity_of_path(const struct files *files, const char *path, struct file_identity *identity) {
    const int rc = files_posix.ops->identity_of_path(files, path, identity);
    identity->device += is_mounted && strcmp(path, host.folder) == 0;
    return rc;
}

static int set_up(void **state) {
    struct stat status;
    format_ring(state);
    own_ops()->mount = mount;
    ops.identity_of_path = identity_of_path;
    is_mounted = 1;
    is_linked = 0;
    number_here = NUMBER + 1;
    snprintf(away, sizeof away, "%s.away", host.folder);
    assert_int_equal(stat(host.folder, &status), 0);
    device = status.st_dev;
    return 0;
}

static void unmount(void) {
    is_mounted = 0;
    assert_int_equal(rename(host.folder, away), 0);
    assert_int_equal(mkdir(host.folder, 0700), 0);
}

static void mount_again(void) {
    is_mounted = 1;
    assert_int_equal(rmdir(host.folder), 0); /* nothing was made in it */
    assert_int_equal(rename(away, host.folder), 0);
}

static int tear_down(void **state) {
    char command[sizeof away + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", away);
    return remove_folder(state) | system(command);
}

static const char *in_away(void) {
    static char path[sizeof away + 8];
    snprintf(path, sizeof path, "%s/log", away);
    return path;
}

static void begin(void) {
    open_ring();
    append_text("first\n");
    drain_all();
}

static void assert_stalls(void) {
    assert_int_equal(engine_step(host.engine, 1), -ENOMEDIUM);
    assert_true(drain_is_stalled(host.engine->drainer.drain));
    assert_int_equal(access(host.file, F_OK), -1);
}

static void no_file_is_begun_until_its_file_system_is_there_again(void **state) {
    (void)state;
    begin();
    append_text("second\n");
    assert_int_equal(engine_step(host.engine, 0), 1); /* written, and not yet synced */
    unmount();
    append_text("third\n");
    assert_stalls();
    assert_told("is not there, and its folder is on another file system than the file: that was unmounted");
    assert_stalls();
    mount_again();
    append_text("fourth\n");
    drain_all();
    assert_told("is being written again");
    assert_file(host.file, "first\nsecond\nthird\nfourth\n");
}

static void neither_in_the_place_of_a_deleted_one(void **state) {
    (void)state;
    begin();
    assert_int_equal(unlink(host.file), 0);
    unmount();
    append_text("second\n");
    assert_stalls();
    mount_again();
    drain_all();
    assert_file(host.file, "second\n");
}

static void what_stands_there_meanwhile_is_left_alone(void **state) {
    (void)state;
    begin();
    unmount();
    put_file(host.file, "of others, in the folder below\n");
    append_text("second\n");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(engine_step(host.engine, 1), -ENOMEDIUM);
    }
    assert_file(host.file, "of others, in the folder below\n");
    assert_int_equal(unlink(host.file), 0);
    mount_again();
    drain_all();
    assert_file(host.file, "first\nsecond\n");
}

static void an_empty_file_says_that_the_log_goes_on_here(void **state) {
    (void)state;
    begin();
    unmount();
    append_text("second\n");
    assert_stalls();
    put_file(host.file, "");
    drain_all();
    assert_file(host.file, "second\n");
    assert_file(in_away(), "first\n");
}

static void a_log_that_was_moved_along_goes_on(void **state) {
    (void)state;
    begin();
    unmount();
    append_text("second\n");
    assert_stalls();
    put_file(host.file, "first\n");
    drain_all();
    assert_file(host.file, "first\nsecond\n");
}

static void a_folder_that_a_link_makes_another_one_is_meant(void **state) {
    (void)state;
    begin();
    unmount();
    is_linked = 1;
    append_text("second\n");
    drain_all();
    assert_file(host.file, "second\n");
    assert_file(in_away(), "first\n");
}

static int no_mount(const struct files *files, const char *path, struct mount_identity *mount) {
    (void)files, (void)path, (void)mount;
    return -EACCES;
}

static void where_nobody_knows_the_place_a_new_file_is_begun(void **state) {
    (void)state;
    ops.mount = no_mount;
    begin();
    unmount();
    append_text("second\n");
    drain_all();
    assert_file(host.file, "second\n");
}

/* While this is set, an open file answers with that error. */
static int is_stale;
static const int died[] = {-ESTALE, -ENOTCONN, -ECONNABORTED};

static int stale_identity(const struct files *files, int file, struct file_identity *identity) {
    return is_stale ? is_stale : files_posix.ops->identity(files, file, identity);
}

static int64_t stale_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    return is_stale ? is_stale : files_posix.ops->write(files, file, data, bytes, offset);
}

static int stale_sync(const struct files *files, int file) {
    return is_stale ? is_stale : files_posix.ops->sync(files, file);
}

static void end_of_stale(const struct files *files, int file) {
    is_stale = 0;
    files_posix.ops->close(files, file);
}

static void make_stale(int rc) {
    ops.identity = stale_identity;
    ops.write = stale_write;
    ops.sync = stale_sync;
    ops.close = end_of_stale;
    is_stale = rc;
}

static void a_stale_file_is_opened_again(void **state) {
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof died / sizeof died[0]; i++) {
        make_stale(died[i]);
        append_text("again\n");
        drain_all();
    }
    assert_file(host.file, "first\nagain\nagain\nagain\n");
}

static void also_one_that_became_stale_before_its_sync(void **state) {
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof died / sizeof died[0]; i++) {
        append_text("again\n");
        assert_int_equal(engine_step(host.engine, 0), 1);
        make_stale(died[i]);
        assert_int_equal(engine_step(host.engine, 1), died[i]);
        drain_all();
    }
    assert_file(host.file, "first\nagain\nagain\nagain\n");
}

static int disconnected_sync(const struct files *files, int file) {
    (void)files, (void)file;
    ops.sync = files_posix.ops->sync;
    return -ENOTCONN;
}

/* As of a file system whose own network failed: a cache may show bytes that no sync will write any more. */
static void a_sync_that_fails_while_the_file_answers_is_not_repeated(void **state) {
    (void)state;
    begin();
    append_text("second\n");
    assert_int_equal(engine_step(host.engine, 0), 1);
    ops.sync = disconnected_sync;
    assert_int_equal(engine_step(host.engine, 1), -ENOTCONN);
    drain_all();
    assert_file(host.file, "first\n");
}

static void a_stale_file_that_is_gone_from_its_file_system_is_begun_again(void **state) {
    (void)state;
    begin();
    make_stale(-ESTALE);
    assert_int_equal(unlink(host.file), 0);
    append_text("second\n");
    drain_all();
    assert_file(host.file, "second\n");
}

/* The file system is mounted while the file is created that the search has missed. */
static int create_behind_a_mount(const struct files *files, const char *path, const struct new_file *new_file) {
    if (access(away, F_OK) == 0) {
        assert_int_equal(rename(away, path), 0);
    }
    return files_posix.ops->create(files, path, new_file);
}

static void make_stale_and_take_away(void) {
    begin();
    make_stale(-ESTALE);
    assert_int_equal(rename(host.file, away), 0);
    append_text("second\n");
}

static void a_file_that_comes_behind_the_search_goes_on(void **state) {
    (void)state;
    make_stale_and_take_away();
    ops.create = create_behind_a_mount;
    drain_all();
    assert_file(host.file, "first\nsecond\n");
}

static int mounts_seen;

/* Mounted while the file is looked for, and not any more when the next one is to begin. */
static int mounted_for_a_moment(const struct files *files, const char *path, struct mount_identity *found) {
    is_mounted = mounts_seen++ == 0;
    return mount(files, path, found);
}

static void also_one_whose_file_system_comes_and_goes(void **state) {
    (void)state;
    make_stale_and_take_away();
    ops.mount = mounted_for_a_moment;
    mounts_seen = 0;
    assert_int_equal(engine_step(host.engine, 1), -ENOMEDIUM);
    assert_true(mounts_seen > 1);
    ops.mount = mount;
    is_mounted = 1;
    assert_int_equal(rename(away, host.file), 0);
    drain_all();
    assert_file(host.file, "first\nsecond\n");
}

/* A record is in the ring, and the log file is not where the open looks for it. */
static void close_and_unmount(void) {
    begin();
    append_text("second\n");
    close_ring();
    unmount();
}

static void an_open_before_it_is_mounted_is_refused(void **state) {
    (void)state;
    close_and_unmount();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(try_to_open(), -ENOMEDIUM);
        assert_non_null(strstr(error_text(), "nothing is mounted at "));
        assert_non_null(strstr(error_text(), "make an empty file of that name"));
        assert_int_equal(access(host.file, F_OK), -1);
    }
    mount_again();
    open_ring();
    drain_all();
    assert_file(host.file, "first\nsecond\n");
}

static void assert_goes_on_here(const char *wanted) {
    open_ring();
    drain_all();
    assert_file(host.file, wanted);
    assert_file(in_away(), "first\n");
}

static void also_where_no_record_is_left_in_the_ring(void **state) {
    (void)state;
    begin();
    close_ring();
    unmount();
    assert_int_equal(try_to_open(), -ENOMEDIUM);
}

static void a_log_file_that_is_there_is_continued_wherever_it_is(void **state) {
    (void)state;
    close_and_unmount();
    put_file(host.file, "first\n");
    assert_goes_on_here("first\nsecond\n");
    close_ring();
    assert_int_equal(unlink(host.file), 0); /* from now on here is where it belongs */
    assert_goes_on_here("");
}

static void an_open_goes_on_in_an_empty_file(void **state) {
    (void)state;
    close_and_unmount();
    put_file(host.file, "");
    assert_goes_on_here("second\n");
}

static void a_file_deleted_from_the_same_file_system_is_begun_again(void **state) {
    (void)state;
    close_and_unmount();
    number_here = NUMBER; /* it is reached by another way */
    assert_goes_on_here("second\n");
}

static void a_folder_that_a_link_makes_another_one_refuses_no_open(void **state) {
    (void)state;
    close_and_unmount();
    is_linked = 1;
    assert_goes_on_here("second\n");
}

static void another_file_system_in_its_place_refuses_no_open(void **state) {
    (void)state;
    close_and_unmount();
    is_mounted = 1;
    assert_goes_on_here("second\n");
}

static void reseal(void (*change)(struct one_stream *checkpoint)) {
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        change(checkpoint(slot));
        one_stream_seal(checkpoint(slot), crc_seed_of(superblock(0)->uuid));
    }
}

static uint32_t crafted;

static void craft(struct one_stream *checkpoint) {
    checkpoint->stream.mount.entry_bytes = crafted;
}

static void no_crafted_length_leads_outside_the_path(void **state) {
    const uint32_t lengths[] = {1,         (uint32_t)strlen(host.file), (uint32_t)strlen(host.file) + 1, 4095, 4096,
                                UINT32_MAX};
    (void)state;
    close_and_unmount();
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        crafted = lengths[i];
        reseal(craft);
        open_ring();
        close_ring();
        assert_int_equal(unlink(host.file), 0);
    }
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACE_TEST(no_file_is_begun_until_its_file_system_is_there_again),
        PLACE_TEST(neither_in_the_place_of_a_deleted_one),
        PLACE_TEST(what_stands_there_meanwhile_is_left_alone),
        PLACE_TEST(an_empty_file_says_that_the_log_goes_on_here),
        PLACE_TEST(a_log_that_was_moved_along_goes_on),
        PLACE_TEST(a_folder_that_a_link_makes_another_one_is_meant),
        PLACE_TEST(where_nobody_knows_the_place_a_new_file_is_begun),
        PLACE_TEST(a_stale_file_is_opened_again),
        PLACE_TEST(also_one_that_became_stale_before_its_sync),
        PLACE_TEST(a_sync_that_fails_while_the_file_answers_is_not_repeated),
        PLACE_TEST(a_stale_file_that_is_gone_from_its_file_system_is_begun_again),
        PLACE_TEST(a_file_that_comes_behind_the_search_goes_on),
        PLACE_TEST(also_one_whose_file_system_comes_and_goes),
        PLACE_TEST(an_open_before_it_is_mounted_is_refused),
        PLACE_TEST(also_where_no_record_is_left_in_the_ring),
        PLACE_TEST(a_log_file_that_is_there_is_continued_wherever_it_is),
        PLACE_TEST(an_open_goes_on_in_an_empty_file),
        PLACE_TEST(a_file_deleted_from_the_same_file_system_is_begun_again),
        PLACE_TEST(a_folder_that_a_link_makes_another_one_refuses_no_open),
        PLACE_TEST(another_file_system_in_its_place_refuses_no_open),
        PLACE_TEST(no_crafted_length_leads_outside_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
