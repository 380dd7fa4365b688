/* SPDX-License-Identifier: Apache-2.0 */
/* Real file systems run full, become read-only or stop: a small tmpfs, and an ext4 on a loop device. */
#include "harness/rigs/rig.h"

#define FILL_STEP 4096

static struct loop_device loop;

static int without_loop(void **state) {
    loop.fd = -1;
    const int rc = rig_up(state);
    assert_int_equal(mkdir("mounted", 0700), 0);
    return rc;
}

static int done(void **state) {
    umount2("mounted", MNT_DETACH);
    if (loop.fd >= 0)
        remove_loop(&loop);
    return rig_down(state);
}

/* 0 without mkfs.ext4. */
static int mount_ext4(const char *options) {
    make_file("disk", 16 << 20);
    if (system("mkfs.ext4 -q -F -b 4096 -m 0 disk >/dev/null 2>&1") != 0)
        return 0;
    if (!make_loop("disk", &loop))
        fail_msg("no loop device: %s", strerror(errno));
    if (mount(loop.path, "mounted", "ext4", 0, options) < 0)
        fail_msg("mounting ext4: %s", strerror(errno));
    return 1;
}

static void fill(void) {
    static const char bytes[FILL_STEP] = {1};
    const int fd = open("mounted/fill", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    while (write(fd, bytes, sizeof bytes) > 0)
        ;
    assert_int_equal(errno, ENOSPC);
    close(fd);
}

static burst_t *open_mounted(void) {
    log_in("mounted");
    burst_t *log = open_small();
    append_some(log, 5, 0);
    drain_all(log);
    return log;
}

static void assert_full_and_space_again(void) {
    burst_t *log = open_mounted();
    fill();
    append_some(log, 100, 1500); /* more than fits the log file's last block */
    await_state(log, BURST_STATE_STALLED);
    assert_told(log, "cannot be written: ENOSPC (No space left on device); the ring keeps the records");
    assert_int_equal(unlink("mounted/fill"), 0);
    close_drained(log);
    assert_told(log, "is being written again");
    assert_int_equal(assert_whole("mounted").files, 1);
    reopen_and_drain();
    assert_nothing_lost("mounted");
}

static void a_full_tmpfs_stalls_the_drain_until_there_is_space(void **state) {
    (void)state;
    assert_int_equal(mount("burst-test", "mounted", "tmpfs", 0, "size=1m"), 0);
    assert_full_and_space_again();
}

static void a_full_ext4_stalls_the_drain_until_there_is_space(void **state) {
    (void)state;
    if (!mount_ext4(NULL))
        SKIP_WITH("no mkfs.ext4 here");
    assert_full_and_space_again();
}

static void a_full_file_system_while_the_ring_is_opened(void **state) {
    (void)state;
    assert_int_equal(mount("burst-test", "mounted", "tmpfs", 0, "size=1m"), 0);
    burst_t *log = open_mounted();
    fill();
    append_some(log, 100, 1500);
    await_state(log, BURST_STATE_STALLED);
    assert_true(burst_close(log) > 0);
    log = open_small(); /* the file exists and the ring is whole: appends go on */
    append_some(log, 10, 0);
    await_state(log, BURST_STATE_STALLED);
    assert_int_equal(WEXITSTATUS(system(RIG_CLI " recover plain/ring >/dev/null 2>&1")), 3);
    assert_true(burst_close(log) > 0);
    assert_int_equal(WEXITSTATUS(system(RIG_CLI " recover plain/ring >recovered 2>&1")), 4);
    if (system("grep -q 'cannot be written: ENOSPC' recovered") != 0)
        fail_msg("%s", "recover does not say why it could not");
    assert_int_equal(unlink("mounted/fill"), 0);
    assert_int_equal(system(RIG_CLI " recover plain/ring >/dev/null"), 0);
    assert_nothing_lost("mounted");
}

static void a_ring_file_for_which_there_is_no_space_is_not_half_made(void **state) {
    (void)state;
    assert_int_equal(mount("burst-test", "mounted", "tmpfs", 0, "size=1m"), 0);
    ring_at_path("mounted/ring");
    const burst_config_t config = small_config();
    assert_refused(&config, ENOSPC, "make room or choose a smaller ring");
    assert_int_equal(rmdir("mounted"), -1);
    assert_int_equal(system("test -z \"$(ls -A mounted)\""), 0);
}

static void an_ext4_that_became_read_only_stalls_the_drain(void **state) {
    (void)state;
    if (!mount_ext4("errors=remount-ro"))
        SKIP_WITH("no mkfs.ext4 here");
    char trigger[100];
    snprintf(trigger, sizeof trigger, "/sys/fs/ext4/%s/trigger_fs_error", strrchr(loop.path, '/') + 1);
    burst_t *log = open_mounted();
    if (access(trigger, W_OK) < 0) {
        burst_close(log);
        SKIP_WITH("no %s", trigger);
    }
    write_text(trigger, "error of the test");
    append_some(log, 50, 1500);
    await_state(log, BURST_STATE_STALLED);
    assert_told(log, "cannot be written: EROFS");
    append_some(log, 5, 0);
    assert_int_equal(burst_close(log), 55);
    const burst_config_t config = small_config();
    assert_refused(&config, EROFS, "mounted/log");
    assert_int_equal(umount("mounted"), 0);
    assert_int_equal(mount(loop.path, "mounted", "ext4", 0, NULL), 0);
    reopen_and_drain();
    assert_nothing_lost("mounted");
}

static void a_log_file_on_a_file_system_remounted_read_only(void **state) {
    (void)state;
    if (!mount_ext4(NULL))
        SKIP_WITH("no mkfs.ext4 here");
    burst_t *log = open_mounted();
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(mount(NULL, "mounted", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    const burst_config_t config = small_config();
    assert_refused(&config, EROFS, "mounted/log");
    assert_int_equal(mount(NULL, "mounted", NULL, MS_REMOUNT, NULL), 0);
    reopen_and_drain();
    assert_nothing_lost("mounted");
}

/* The disk under the log file refuses writes: ext4 reports that as an error of the sync. */
static void an_ext4_whose_disk_fails_keeps_everything_in_the_ring(void **state) {
    (void)state;
    make_file("backing/disk", 16 << 20);
    if (system("mkfs.ext4 -q -F -b 4096 -m 0 backing/disk >/dev/null 2>&1") != 0)
        SKIP_WITH("no mkfs.ext4 here");
    assert_true(make_loop("fuse/disk", &loop));
    assert_int_equal(mount(loop.path, "mounted", "ext4", 0, "errors=continue"), 0);
    burst_t *log = open_mounted();
    RULE(.operations = FAULT_WRITE | FAULT_FSYNC, .action = FAULT_FAIL, .error = EIO, .name = "disk");
    append_some(log, 50, 1500);
    await_state(log, BURST_STATE_STALLED);
    append_some(log, 5, 0);
    assert_int_equal(burst_close(log), 55);
    umount("mounted");
    rules_off();
    assert_int_equal(mount(loop.path, "mounted", "ext4", 0, NULL), 0);
    reopen_and_drain();
    assert_nothing_lost("mounted");
}

static void unmount_lazily(void) {
    assert_int_equal(umount2("mounted", MNT_DETACH), 0);
}

static void mount_again(void) {
    assert_int_equal(log_files_in("mounted"), 0); /* the log began no file below the mount point */
    assert_int_equal(mount(loop.path, "mounted", "ext4", 0, NULL), 0);
}

static void a_file_system_unmounted_in_use_is_waited_for(void **state) {
    (void)state;
    if (!mount_ext4(NULL))
        SKIP_WITH("no mkfs.ext4 here");
    burst_t *log = open_mounted();
    for (int round = 0; round < 3; round++) {
        unmount_lazily();
        append_some(log, 20, 100);
        await_state(log, BURST_STATE_STALLED);
        assert_told(log, "its folder is on another file system than the file");
        mount_again();
        append_some(log, 20, 100);
        drain_all(log);
    }
    close_drained(log);
    assert_told(log, "is being written again");
    assert_int_equal(log_files_in("mounted"), 1);
    assert_nothing_lost("mounted");
}

static void one_that_another_is_mounted_over_is_waited_for(void **state) {
    (void)state;
    if (!mount_ext4(NULL))
        SKIP_WITH("no mkfs.ext4 here");
    burst_t *log = open_mounted();
    assert_int_equal(mount("burst-test", "mounted", "tmpfs", 0, "size=1m"), 0);
    append_some(log, 20, 100);
    await_state(log, BURST_STATE_STALLED);
    assert_int_equal(log_files_in("mounted"), 0);
    assert_int_equal(umount("mounted"), 0);
    append_some(log, 20, 100);
    close_drained(log);
    assert_int_equal(log_files_in("mounted"), 1);
    assert_nothing_lost("mounted");
}

static void an_open_before_it_is_mounted_is_refused(void **state) {
    (void)state;
    if (!mount_ext4(NULL))
        SKIP_WITH("no mkfs.ext4 here");
    assert_int_equal(mkdir("mounted/sub", 0700), 0);
    snprintf(file_path, sizeof file_path, "mounted/sub/log");
    burst_t *log = open_small();
    append_some(log, 5, 0);
    close_drained(log);
    assert_int_equal(umount("mounted"), 0);
    const burst_config_t config = small_config();
    assert_refused(&config, ENOMEDIUM, "mounted, where its file system was: mount it and open the ring again");
    assert_int_equal(WEXITSTATUS(system(RIG_CLI " recover plain/ring >recovered 2>&1")), 3);
    if (system("grep -q 'nothing is mounted at ' recovered") != 0)
        fail_msg("%s", "recover does not say why it could not");
    assert_int_equal(access("mounted/sub", F_OK), -1); /* the folder neither */
    mount_again();
    reopen_and_drain();
    assert_nothing_lost("mounted/sub");
}

static void a_log_goes_on_elsewhere_if_its_files_or_an_empty_one_are_there(void **state) {
    (void)state;
    if (!mount_ext4(NULL))
        SKIP_WITH("no mkfs.ext4 here");
    burst_t *log = open_mounted();
    assert_int_equal(system("mkdir kept && cp mounted/log kept/log"), 0);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(umount("mounted"), 0);
    assert_int_equal(system("cp kept/log mounted/log"), 0);
    reopen_and_drain();
    assert_nothing_lost("mounted");
    assert_int_equal(system("mv mounted/log mounted/log.1"), 0);
    assert_int_equal(mount(loop.path, "mounted", "ext4", 0, NULL), 0);
    assert_int_equal(unlink("mounted/log"), 0);
    reopen_and_drain(); /* another file system takes its place: nothing tells that a file is missing */
    assert_int_equal(system("mv mounted/log kept/log.2"), 0);
    assert_int_equal(umount("mounted"), 0);
    assert_int_equal(close(open("mounted/log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
    reopen_and_drain();
    assert_int_equal(system("mv kept/log.2 mounted"), 0);
    assert_nothing_lost("mounted");
}

/* As an operator does who moves a log to a larger disk. */
static void a_folder_replaced_by_a_link_to_another_file_system_is_followed(void **state) {
    (void)state;
    if (!mount_ext4(NULL))
        SKIP_WITH("no mkfs.ext4 here");
    assert_int_equal(mkdir("logs", 0700), 0);
    log_in("logs");
    burst_t *log = open_small();
    append_some(log, 5, 0);
    drain_all(log);
    assert_int_equal(system("mv logs before && ln -s mounted logs"), 0);
    append_some(log, 5, 0);
    close_drained(log);
    assert_int_equal(log_files_in("mounted"), 1);
    assert_int_equal(system("mv mounted/log before/log.2 && rm logs && mkdir logs"),
                     0); /* back again, while it is closed */
    reopen_and_drain();
    assert_int_equal(system("mv before/log before/log.1 && mv before/log.* logs"), 0);
    assert_nothing_lost("logs");
}

#define MOUNT_TEST(name) cmocka_unit_test_setup_teardown(name, without_loop, done)

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        MOUNT_TEST(a_full_tmpfs_stalls_the_drain_until_there_is_space),
        MOUNT_TEST(a_full_ext4_stalls_the_drain_until_there_is_space),
        MOUNT_TEST(a_full_file_system_while_the_ring_is_opened),
        MOUNT_TEST(a_ring_file_for_which_there_is_no_space_is_not_half_made),
        MOUNT_TEST(an_ext4_that_became_read_only_stalls_the_drain),
        MOUNT_TEST(a_log_file_on_a_file_system_remounted_read_only),
        MOUNT_TEST(an_ext4_whose_disk_fails_keeps_everything_in_the_ring),
        MOUNT_TEST(a_file_system_unmounted_in_use_is_waited_for),
        MOUNT_TEST(one_that_another_is_mounted_over_is_waited_for),
        MOUNT_TEST(an_open_before_it_is_mounted_is_refused),
        MOUNT_TEST(a_log_goes_on_elsewhere_if_its_files_or_an_empty_one_are_there),
        MOUNT_TEST(a_folder_replaced_by_a_link_to_another_file_system_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
