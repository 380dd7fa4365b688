/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog format` refuses to destroy data on a device, and a device that somebody uses, be it in part. */
#include "cli/loop_fixture.h"

/* --------------------------------------------------------------------------------------- what is there already */

static void assert_signature_is_kept_and_overwritten_by_force(const char *name) {
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said(loop.path);
    assert_said(name);
    assert_said("--force");
    shell("cp %s %s", scratch_path("backing"), scratch_path("before"));
    assert_int_equal(run("format --discard-records=0 %s", loop.path), 3); /* this option is for rings only */
    shell("cmp %s %s", scratch_path("backing"), scratch_path("before"));
    assert_int_equal(run("format --force %s", loop.path), 0);
    assert_said(name);
    assert_said("is overwritten");
    use_ring(loop.path);
    shell("test -z \"$(wipefs -n %s)\"", loop.path); /* no signature is left at the device's end either */
}

static void a_file_system_is_named_and_overwritten_only_by_force(void **state) {
    (void)state;
    NEED("mkfs.ext4");
    NEED_LOOP(16 * MIB);
    shell("mkfs.ext4 -q -F -L orders -U 6fa459ea-ee8a-3ca4-894e-db77e160355e %s", loop.path);
    assert_signature_is_kept_and_overwritten_by_force(
        "ext4 labelled \"orders\" (UUID 6fa459ea-ee8a-3ca4-894e-db77e160355e)");
}

static void a_swap_signature_is_named_and_overwritten_only_by_force(void **state) {
    (void)state;
    NEED("mkswap");
    NEED_LOOP(16 * MIB);
    shell("mkswap -L spare %s >/dev/null", loop.path);
    assert_signature_is_kept_and_overwritten_by_force("swap labelled \"spare\"");
}

static void a_partition_table_is_named_and_overwritten_only_by_force(void **state) {
    (void)state;
    NEED("sfdisk");
    NEED_LOOP(16 * MIB);
    shell("echo 'size=4M' | sfdisk -q -X gpt %s 2>/dev/null", loop.path);
    assert_signature_is_kept_and_overwritten_by_force("a partition table gpt");
}

static void two_claims_are_both_named(void **state) {
    (void)state;
    NEED("sfdisk");
    NEED("mkfs.btrfs");
    NEED_LOOP(128 * MIB);
    shell("mkfs.btrfs -q -f -L data %s >/dev/null && echo 'size=4M' | sfdisk -q -X dos --wipe never %s 2>/dev/null",
          loop.path, loop.path);
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said("btrfs labelled \"data\"");
    assert_said("a partition table dos");
}

/* The dynamic linker takes the first file of this name, and here that is no library. */
static void without_libblkid_nothing_is_formatted(void **state) {
    (void)state;
    NEED_LOOP(16 * MIB);
    make_file(scratch_path("libblkid.so.1"), 100);
    shell("cp %s %s", scratch_path("backing"), scratch_path("before"));
    setenv("LD_LIBRARY_PATH", scratch_path(""), 1);
    const int plain = run("format %s", loop.path), forced = run("format --force %s", loop.path);
    unsetenv("LD_LIBRARY_PATH");
    assert_int_equal(plain, 3);
    assert_int_equal(forced, 3);
    assert_said(loop.path);
    assert_said("cannot be told without libblkid.so.1");
    shell("cmp %s %s", scratch_path("backing"), scratch_path("before"));
}

static void unknown_bytes_are_overwritten_only_by_force(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    const int fd = open(loop.path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "mine", 4, 4 * MIB - 4096), 4);
    assert_int_equal(fsync(fd), 0);
    close(fd);
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said("is not blank");
    assert_int_equal(run("format --force %s", loop.path), 0);
}

static void another_ring_is_overwritten_only_by_force(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    assert_int_equal(run("format %s", loop.path), 0);
    use_ring(loop.path);
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said("holds a ring already, drained up to sequence 100");
    assert_int_equal(run("format --force %s", loop.path), 0);
}

/* --------------------------------------------------------------------------------------------- who is using it */

static void swap_space_in_use_is_never_overwritten(void **state) {
    (void)state;
    NEED("mkswap");
    NEED_LOOP(16 * MIB);
    shell("mkswap %s >/dev/null", loop.path);
    if (swapon(loop.path, 0) < 0)
        SKIP_WITH("swapon gives %s", strerror(errno));
    is_swapped_to = 1;
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said("it is in use as swap space");
    assert_int_equal(run("format --force %s", loop.path), 3);
    assert_said("it is in use as swap space");
    assert_int_equal(run("info %s", loop.path), 3);
    assert_int_equal(swapoff(loop.path), 0);
    is_swapped_to = 0;
    assert_int_equal(run("format --force %s", loop.path), 0);
}

static void a_device_that_a_loop_device_stores_in_is_overwritten_only_by_force(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    assert_true(make_loop(loop.path, &above));
    char users[100];
    snprintf(users, sizeof users, "%s stores in it", strrchr(above.path, '/') + 1);
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said(users);
    remove_loop(&above);
    above.fd = -1;
    assert_int_equal(run("format %s", loop.path), 0);
    assert_int_equal(run("info %s", loop.path), 0);
    assert_said("in use: by nobody else");
}

static void a_device_open_for_writing_elsewhere_is_overwritten_only_by_force(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    char process[40];
    snprintf(process, sizeof process, "open for writing in process %d (", (int)getpid());
    const int fd = open(loop.path, O_RDWR | O_CLOEXEC);
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said(process);
    assert_int_equal(run("format --force %s", loop.path), 0);
    close(fd);
}

static void a_device_under_the_device_mapper_is_never_overwritten(void **state) {
    (void)state;
    if (system("dmsetup version >/dev/null 2>&1") != 0)
        SKIP_WITH("no device mapper in this kernel, or no dmsetup");
    NEED_LOOP(4 * MIB);
    char name[40];
    snprintf(name, sizeof name, "burst-test-%d", (int)getpid());
    shell("dmsetup create %s --table '0 8192 linear %s 0'", name, loop.path);
    const int plain = run("format %s", loop.path), forced = run("format --force %s", loop.path);
    shell("dmsetup remove %s", name);
    assert_int_equal(plain, 3);
    assert_int_equal(forced, 3);
    assert_said(name);
    assert_said("is made of it");
}

static void a_mounted_device_is_never_overwritten(void **state) {
    (void)state;
    NEED("mkfs.ext4");
    NEED_LOOP(16 * MIB);
    shell("mkfs.ext4 -q -F %s", loop.path);
    assert_int_equal(mkdir(scratch_path("mounted"), 0700), 0);
    assert_int_equal(mount(loop.path, scratch_path("mounted"), "ext4", 0, NULL), 0);
    assert_int_equal(run("format --force %s", loop.path), 3);
    assert_said("it is mounted on ");
    assert_said(scratch_path("mounted"));
}

/* ---------------------------------------------------------------------------------------------------- partitions */

#define NEED_PARTITIONS()                                                                                              \
    NEED_LOOP_WITH(16 * MIB, 0, LO_FLAGS_PARTSCAN);                                                                    \
    if (!make_partition(&loop, 1, 1 * MIB, 4 * MIB, scratch_path("p1")) ||                                             \
        !make_partition(&loop, 2, 8 * MIB, 4 * MIB, scratch_path("p2")))                                               \
    SKIP_WITH("this kernel makes no partitions on loop devices: %s", strerror(errno))

static void several_rings_live_on_one_card_in_partitions(void **state) {
    (void)state;
    NEED_PARTITIONS();
    char one[256], two[256];
    snprintf(one, sizeof one, "%s", scratch_path("p1"));
    snprintf(two, sizeof two, "%s", scratch_path("p2"));
    assert_int_equal(run("format %s", one), 0);
    assert_int_equal(run("format %s", two), 0);
    burst_t *first, *second;
    open_at(one, &first);
    burst_config_t config;
    burst_config_init(&config);
    config.ring = two;
    config.main = main_of(scratch_path("log2"));
    config.durability = BURST_DURABILITY_PROCESS;
    if (burst_open(&config, &second) < 0)
        fail_msg("%s", burst_last_error());
    for (int i = 0; i < 20; i++) {
        assert_true(burst_append(first, "first\n", 6, 0) > 0);
        assert_true(burst_append(second, "second\n", 7, 0) > 0);
    }
    assert_int_equal(burst_close(first), 0);
    assert_int_equal(burst_close(second), 0);
    shell("test $(grep -c '^first$' %s) = 20 && test $(wc -l <%s) = 20", scratch_path("log"), scratch_path("log"));
    shell("test $(grep -c '^second$' %s) = 20 && test $(wc -l <%s) = 20", scratch_path("log2"), scratch_path("log2"));
    assert_int_equal(run("info %s", one), 0);
    assert_said("partition of: loop");
}

static void a_disk_with_partitions_is_overwritten_only_by_force(void **state) {
    (void)state;
    NEED_PARTITIONS();
    char partitions[100];
    const char *name = strrchr(loop.path, '/') + 1;
    assert_int_equal(run("format %s", loop.path), 3);
    snprintf(partitions, sizeof partitions, "it has partition %sp1", name);
    assert_said(partitions);
    snprintf(partitions, sizeof partitions, "it has partition %sp2", name);
    assert_said(partitions);
    assert_int_equal(run("format --force %s", loop.path), 0);
}

static void a_disk_of_which_a_partition_is_in_use_is_busy(void **state) {
    (void)state;
    NEED_PARTITIONS();
    burst_t *log;
    char path[256], user[100];
    snprintf(path, sizeof path, "%s", scratch_path("p1"));
    snprintf(user, sizeof user, "its partition %sp1 is open in process %d (", strrchr(loop.path, '/') + 1,
             (int)getpid());
    assert_int_equal(run("format %s", path), 0);
    open_at(path, &log);
    assert_ring_refused(loop.path, EBUSY, user);
    assert_int_equal(run("format --force %s", loop.path), 3);
    assert_said(user);
    burst_close(log);
}

static void a_partition_of_a_disk_that_is_a_ring_in_use_is_busy(void **state) {
    (void)state;
    NEED_PARTITIONS();
    burst_t *log;
    char user[100];
    snprintf(user, sizeof user, "its disk %s is open in process %d (", strrchr(loop.path, '/') + 1, (int)getpid());
    assert_int_equal(run("format --force %s", loop.path), 0);
    open_at(loop.path, &log);
    assert_ring_refused(scratch_path("p1"), EBUSY, user);
    burst_close(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(a_file_system_is_named_and_overwritten_only_by_force),
        DEVICE_TEST(a_swap_signature_is_named_and_overwritten_only_by_force),
        DEVICE_TEST(a_partition_table_is_named_and_overwritten_only_by_force),
        DEVICE_TEST(two_claims_are_both_named),
        DEVICE_TEST(without_libblkid_nothing_is_formatted),
        DEVICE_TEST(unknown_bytes_are_overwritten_only_by_force),
        DEVICE_TEST(another_ring_is_overwritten_only_by_force),
        DEVICE_TEST(swap_space_in_use_is_never_overwritten),
        DEVICE_TEST(a_device_that_a_loop_device_stores_in_is_overwritten_only_by_force),
        DEVICE_TEST(a_device_open_for_writing_elsewhere_is_overwritten_only_by_force),
        DEVICE_TEST(a_device_under_the_device_mapper_is_never_overwritten),
        DEVICE_TEST(a_mounted_device_is_never_overwritten),
        DEVICE_TEST(several_rings_live_on_one_card_in_partitions),
        DEVICE_TEST(a_disk_with_partitions_is_overwritten_only_by_force),
        DEVICE_TEST(a_disk_of_which_a_partition_is_in_use_is_busy),
        DEVICE_TEST(a_partition_of_a_disk_that_is_a_ring_in_use_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
