/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The medium of a ring goes away, changes or is taken while a writer works: loop and zram devices; and ring files that
 * others cut, delete or rename.
 */
#include "harness/rigs/rig.h"

#include "media/layout.h"

#define NOTICED_NS (PATIENCE_NS / 4)

static struct loop_device loop;

static void format(const char *device) {
    char command[200];
    snprintf(command, sizeof command, RIG_CLI " format %s >/dev/null", device);
    assert_int_equal(system(command), 0);
}

static int on_a_loop_device(void **state) {
    const int rc = rig_up(state);
    make_file("fuse/disk", RIG_RING_BYTES);
    if (!make_loop("fuse/disk", &loop))
        fail_msg("no loop device: %s", strerror(errno));
    format(loop.path);
    ring_at_path(loop.path);
    return rc;
}

static int on_a_file(void **state) {
    loop.fd = -1;
    return rig_up(state);
}

static int done(void **state) {
    if (loop.fd >= 0)
        remove_loop(&loop);
    return rig_down(state);
}

static void *append_until_it_fails(void *log) {
    for (int64_t give_up_ns = now_ns() + PATIENCE_NS / 2; now_ns() < give_up_ns; pause_ms(10)) {
        if (witness.next[1] + 1 >= WITNESS_NUMBERS || witness_append(&witness, log, 1, 0) <= 0)
            break;
    }
    return NULL;
}

static pthread_t begin_writer(burst_t *log) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, append_until_it_fails, log), 0);
    while (stats_of(log).durable_sequence < 10)
        pause_ms(1);
    return thread;
}

/* The writer's append fails in time, the process lives, and the ring gives the reason. */
static void assert_noticed(burst_t *log, pthread_t writer, int64_t since_ns, const char *reason) {
    pthread_join(writer, NULL);
    const int64_t took_ns = now_ns() - since_ns;
    if (took_ns > NOTICED_NS)
        fail_msg("fail-stop after %lld ms", (long long)(took_ns / 1000000));
    assert_fail_stop(log, reason);
    hear(log);
    burst_close(log);
}

static void set_limit(uint64_t bytes) {
    struct loop_info64 info;
    assert_int_equal(ioctl(loop.fd, LOOP_GET_STATUS64, &info), 0);
    info.lo_sizelimit = bytes;
    assert_int_equal(ioctl(loop.fd, LOOP_SET_STATUS64, &info), 0);
}

static void a_device_that_shrinks_to_nothing_is_noticed(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log, 5, 0);
    pthread_t writer = begin_writer(log);
    const int64_t since_ns = now_ns();
    set_limit(512);
    assert_noticed(log, writer, since_ns, "the device has vanished or shrunk");
    const burst_config_t config = small_config();
    assert_refused(&config, ENODATA, "has only 512 bytes");
    set_limit(0);
    reopen_and_drain();
    assert_nothing_lost("plain");
}

static void a_device_that_shrinks_to_half_is_noticed_and_refused(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log, 5, 1500);
    set_limit(LAYOUT_DATA_OFFSET + 64 * 4096);
    int64_t result = 1;
    for (int i = 0; i < 1000 && result > 0; i++)
        result = witness_append(&witness, log, 0, 1500);
    assert_int_equal(result, -EIO);
    burst_close(log);
    const burst_config_t config = small_config();
    assert_refused(&config, EUCLEAN, "but was formatted with");
    set_limit(0);
    reopen_and_drain();
    assert_nothing_lost("plain");
}

static void a_device_whose_backing_dies_is_noticed(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log, 5, 0);
    pthread_t writer = begin_writer(log);
    const int64_t since_ns = now_ns();
    rig_end_faultfs(SIGKILL);
    assert_noticed(log, writer, since_ns, "EIO");
    burst_config_t config = small_config();
    assert_refused(&config, EIO, loop.path);
    remove_loop(&loop);
    rig_mount_faultfs();
    assert_true(make_loop("fuse/disk", &loop));
    ring_at_path(loop.path);
    reopen_and_drain();
    assert_nothing_lost("plain");
}

/* The kernel detaches a device in use when it is closed for the last time: the writer goes on. */
static void a_device_detached_in_use_stays_until_it_is_closed(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log, 5, 0);
    assert_int_equal(ioctl(loop.fd, LOOP_CLR_FD), 0);
    append_some(log, 5, 0);
    close_drained(log);
    remove_loop(&loop);
    loop.fd = -1;
    burst_t *none;
    const burst_config_t config = small_config();
    assert_true(burst_open(&config, &none) < 0);
    assert_non_null(strstr(burst_last_error(), ring_path));
    assert_true(make_loop("fuse/disk", &loop));
    ring_at_path(loop.path);
    reopen_and_drain();
    assert_nothing_lost("plain");
}

static void a_device_that_becomes_read_only_is_noticed(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log, 5, 0);
    pthread_t writer = begin_writer(log);
    int on = 1, off = 0;
    const int64_t since_ns = now_ns();
    assert_int_equal(ioctl(loop.fd, BLKROSET, &on), 0);
    assert_noticed(log, writer, since_ns, "EPERM");
    const burst_config_t config = small_config();
    assert_refused(&config, EPERM, "is read-only");
    assert_int_equal(ioctl(loop.fd, BLKROSET, &off), 0);
    reopen_and_drain();
    assert_nothing_lost("plain");
}

static void a_second_writer_through_another_node_is_refused(void **state) {
    (void)state;
    struct stat status;
    assert_int_equal(stat(loop.path, &status), 0);
    assert_int_equal(mknod("other-node", S_IFBLK | 0600, status.st_rdev), 0);
    burst_t *log = open_small();
    append_some(log, 5, 0);
    burst_config_t config = small_config();
    config.ring = "other-node";
    main_config.file_name = "plain/other";
    char holder[40];
    snprintf(holder, sizeof holder, "is held by process %d", (int)getpid());
    assert_refused(&config, EBUSY, holder);
    assert_int_equal(WEXITSTATUS(system(RIG_CLI " recover other-node >/dev/null 2>&1")), 3);
    assert_int_equal(WEXITSTATUS(system(RIG_CLI " format --force other-node >/dev/null 2>&1")), 3);
    append_some(log, 5, 0);
    close_drained(log);
    assert_nothing_lost("plain");
}

static void a_mounted_device_is_refused(void **state) {
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "mkfs.ext4 -q -F %s >/dev/null 2>&1", loop.path);
    if (system(command) != 0)
        SKIP_WITH("no mkfs.ext4 here");
    assert_int_equal(mkdir("mounted", 0700), 0);
    assert_int_equal(mount(loop.path, "mounted", "ext4", 0, NULL), 0);
    const burst_config_t config = small_config();
    assert_refused(&config, EBUSY, "is mounted on ");
    snprintf(command, sizeof command, RIG_CLI " format --force %s >/dev/null 2>&1", loop.path);
    assert_int_equal(WEXITSTATUS(system(command)), 3);
    assert_int_equal(umount("mounted"), 0);
}

/* ------------------------------------------------------------------------------------------------- ring files */

/* Each step of the drain begins with a look at the file. The step that moves the second record begins after the file was
 * destroyed. Records acknowledged until then are in memory, and go to the log file. */
static void assert_destroyed_file_is_noticed(void (*destroy)(void), const char *reason) {
    burst_t *log = open_small();
    append_some(log, 5, 0);
    destroy();
    for (int i = 0; i < 2 && witness_append(&witness, log, 0, 0) > 0; i++)
        burst_await_drained(log, PATIENCE_NS);
    assert_fail_stop(log, reason);
    hear(log);
    burst_close(log);
    assert_nothing_lost("plain");
}

static void cut_to_nothing(void) {
    assert_int_equal(truncate("plain/ring", 0), 0);
}

static void cut_to_half(void) {
    assert_int_equal(truncate("plain/ring", RIG_RING_BYTES / 2), 0);
}

static void delete_ring(void) {
    assert_int_equal(unlink("plain/ring"), 0);
}

/* Writes behind the cut would go on to succeed, and their records would be lost with the process. */
static void a_ring_file_cut_to_nothing_is_noticed_and_not_taken_for_a_new_one(void **state) {
    (void)state;
    assert_destroyed_file_is_noticed(cut_to_nothing, "was cut by others from 2097152 to ");
    assert_int_equal(truncate("plain/ring", RIG_RING_BYTES), 0); /* the length that the rest of the lap would give it */
    const burst_config_t config = small_config();
    assert_refused(&config, ENODATA, "holds no ring");
}

static void a_ring_file_cut_to_half_is_noticed_and_refused(void **state) {
    (void)state;
    assert_destroyed_file_is_noticed(cut_to_half, "was cut by others from 2097152 to ");
    const burst_config_t config = small_config();
    assert_refused(&config, EUCLEAN, "but was formatted with");
}

static void a_ring_file_deleted_under_its_writer_is_noticed(void **state) {
    (void)state;
    assert_destroyed_file_is_noticed(delete_ring, "was deleted by others");
    reopen_and_drain(); /* a new ring, which continues the log file */
    assert_nothing_lost("plain");
}

static void a_ring_file_renamed_under_its_writer_goes_on(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log, 5, 0);
    assert_int_equal(rename("plain/ring", "plain/ring.moved"), 0);
    append_some(log, 5, 0);
    /* A new ring under the old name would be another ring, which may not write this log. */
    const burst_config_t config = small_config();
    assert_refused(&config, EBUSY, "is held by another writer");
    append_some(log, 5, 0);
    close_drained(log);
    ring_at_path("plain/ring.moved");
    reopen_and_drain();
    assert_nothing_lost("plain");
}

/* ------------------------------------------------------------------------------------------------- zram */

static void a_zram_device_that_takes_no_more_is_noticed(void **state) {
    (void)state;
    struct zram_device zram;
    char path[100];
    if (!make_zram("2M", scratch_path("zram"), &zram))
        SKIP_WITH("no zram device here (%s); wants the zram module", strerror(errno));
    format("zram");
    ring_at_path("zram");
    burst_t *log = open_small();
    append_some(log, 5, 0);
    snprintf(path, sizeof path, "/sys/block/zram%d/mem_limit", zram.number);
    write_text(path, "4K");
    int64_t result = 1;
    for (int i = 0; i < 5000 && result > 0; i++)
        result = witness_append(&witness, log, 0, 1500);
    assert_int_equal(result, -EIO);
    assert_fail_stop(log, "writing 4096 bytes at offset ");
    write_text(path, "0");
    burst_close(log);
    reopen_and_drain();
    assert_nothing_lost("plain");
    remove_zram(&zram);
}

static void a_zram_device_in_use_cannot_be_reset(void **state) {
    (void)state;
    struct zram_device zram;
    char path[100];
    if (!make_zram("2M", scratch_path("zram"), &zram))
        SKIP_WITH("no zram device here (%s); wants the zram module", strerror(errno));
    format("zram");
    ring_at_path("zram");
    burst_t *log = open_small();
    append_some(log, 5, 0);
    snprintf(path, sizeof path, "/sys/block/zram%d/reset", zram.number);
    const int reset = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(write(reset, "1", 1) < 0);
    assert_int_equal(errno, EBUSY);
    append_some(log, 5, 0);
    close_drained(log);
    assert_int_equal(write(reset, "1", 1), 1);
    close(reset);
    const burst_config_t config = small_config();
    assert_refused(&config, ENODATA, "has only 0 bytes"); /* an open never formats it */
    assert_nothing_lost("plain");
    remove_zram(&zram);
}

#define LOOP_TEST(name) cmocka_unit_test_setup_teardown(name, on_a_loop_device, done)
#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, on_a_file, done)

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        LOOP_TEST(a_device_that_shrinks_to_nothing_is_noticed),
        LOOP_TEST(a_device_that_shrinks_to_half_is_noticed_and_refused),
        LOOP_TEST(a_device_whose_backing_dies_is_noticed),
        LOOP_TEST(a_device_detached_in_use_stays_until_it_is_closed),
        LOOP_TEST(a_device_that_becomes_read_only_is_noticed),
        LOOP_TEST(a_second_writer_through_another_node_is_refused),
        LOOP_TEST(a_mounted_device_is_refused),
        FILE_TEST(a_ring_file_cut_to_nothing_is_noticed_and_not_taken_for_a_new_one),
        FILE_TEST(a_ring_file_cut_to_half_is_noticed_and_refused),
        FILE_TEST(a_ring_file_deleted_under_its_writer_is_noticed),
        FILE_TEST(a_ring_file_renamed_under_its_writer_goes_on),
        FILE_TEST(a_zram_device_that_takes_no_more_is_noticed),
        FILE_TEST(a_zram_device_in_use_cannot_be_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
