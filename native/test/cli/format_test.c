/* SPDX-License-Identifier: Apache-2.0 */
/* What `burstlog format` and an open make of block devices: loop devices of the test's own. */
#include "device/media.h"
#include "cli/run.h"

#include <sys/swap.h>
#include <sys/sysinfo.h>

#define MIB (1u << 20)

static struct loop_device loop, above;

static int begin(void **state) {
    loop.fd = above.fd = -1;
    return make_scratch(state);
}

static int end(void **state) {
    umount2(scratch_path("mounted"), MNT_DETACH);
    swapoff(loop.path);
    if (above.fd >= 0)
        remove_loop(&above);
    return remove_scratch(state);
}

#define NEED_LOOP_WITH(bytes, block_bytes, flags)                                                                      \
    make_file(scratch_path("backing"), bytes);                                                                         \
    if (!make_loop_with(scratch_path("backing"), block_bytes, flags, &loop))                                           \
    SKIP_WITH("no loop device with blocks of %u bytes here (%s); wants root", (unsigned)(block_bytes), strerror(errno))

#define NEED_LOOP(bytes) NEED_LOOP_WITH(bytes, 0, 0)

#define NEED(command)                                                                                                  \
    if (system("command -v " command " >/dev/null 2>&1") != 0)                                                         \
    SKIP_WITH("no %s here", command)

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...) {
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void open_at(const char *path, burst_t **log) {
    burst_config_t config;
    burst_config_init(&config);
    config.ring = path;
    config.file_name = scratch_path("log");
    config.durability = BURST_DURABILITY_PROCESS;
    if (burst_open(&config, log) < 0)
        fail_msg("%s", burst_last_error());
}

static void assert_ring_refused(const char *path, int code, const char *word) {
    burst_config_t config;
    burst_config_init(&config);
    config.ring = path;
    config.file_name = scratch_path("log");
    config.durability = BURST_DURABILITY_PROCESS;
    assert_refused(&config, code, word);
}

static void use_ring(const char *path) {
    burst_t *log;
    for (int i = 0; i < 2; i++) {
        open_at(path, &log);
        for (int n = 0; n < 50; n++)
            assert_true(burst_append(log, "a record\n", 9, 0) > 0);
        assert_int_equal(burst_close(log), 0);
    }
}

/* --------------------------------------------------------------------------------------- what is there already */

static void assert_signature_is_kept_and_overwritten_by_force(const char *name) {
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said(loop.path);
    assert_said(name);
    assert_said("--force");
    shell("cp %s %s", scratch_path("backing"), scratch_path("before"));
    assert_int_equal(run("format --discard-records=0 %s", loop.path), 3); /* that is for rings */
    shell("cmp %s %s", scratch_path("backing"), scratch_path("before"));
    assert_int_equal(run("format --force %s", loop.path), 0);
    assert_said(name);
    assert_said("is overwritten");
    use_ring(loop.path);
    shell("test -z \"$(wipefs -n %s)\"", loop.path); /* also at the end of the device */
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
    shell("mkfs.btrfs -q -f -L data %s >/dev/null && echo 'size=4M' | sfdisk -q -X dos --wipe never %s 2>/dev/null", loop.path,
          loop.path);
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said("btrfs labelled \"data\"");
    assert_said("a partition table dos");
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
    assert_int_equal(run("format %s", loop.path), 3);
    assert_said("it is in use as swap space");
    assert_int_equal(run("format --force %s", loop.path), 3);
    assert_said("it is in use as swap space");
    assert_int_equal(run("info %s", loop.path), 3);
    assert_int_equal(swapoff(loop.path), 0);
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
    config.file_name = scratch_path("log2");
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

/* --------------------------------------------------------------------------------------------- sizes and blocks */

static void rings_work_on_any_logical_block_size(void **state) {
    (void)state;
    static const uint32_t sizes[] = {512, 1024, 2048, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        NEED_LOOP_WITH(4 * MIB, sizes[i], 0);
        assert_int_equal(run("format %s", loop.path), 0);
        use_ring(loop.path);
        char shown[60];
        snprintf(shown, sizeof shown, "logical block bytes: %u", sizes[i]);
        assert_int_equal(run("info %s", loop.path), 0);
        assert_said(shown);
        remove_loop(&loop);
        assert_int_equal(unlink(scratch_path("backing")), 0);
        assert_int_equal(unlink(scratch_path("log")), 0);
    }
}

static void a_device_of_an_odd_size_is_used_up_to_its_last_whole_block(void **state) {
    (void)state;
    NEED_LOOP_WITH(5 * MIB + 3 * 512, 512, 0);
    assert_int_equal(run("format %s", loop.path), 0);
    assert_said("ring of 5242880 bytes");
    use_ring(loop.path);
}

static void a_device_that_is_too_small_is_refused_with_the_least_size(void **state) {
    (void)state;
    static const uint32_t sizes[] = {512, 64 * 1024, MIB, MIB + 7 * 4096 + 512};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        NEED_LOOP_WITH(sizes[i], 512, 0);
        assert_int_equal(run("format %s", loop.path), 3);
        assert_said("it takes 1081344 to ");
        assert_ring_refused(loop.path, ENODATA, "holds no ring");
        remove_loop(&loop);
        assert_int_equal(unlink(scratch_path("backing")), 0);
    }
    NEED_LOOP_WITH(MIB + 8 * 4096, 512, 0);
    assert_int_equal(run("format %s", loop.path), 0);
    use_ring(loop.path);
}

static void a_large_device_gets_a_ring_that_memory_can_hold(void **state) {
    (void)state;
    const int fd = open(scratch_path("backing"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(fd, (off_t)3 << 30), 0);
    close(fd);
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here; wants root");
    struct sysinfo host;
    assert_int_equal(sysinfo(&host), 0);
    unsigned long long wanted = (unsigned long long)host.totalram * host.mem_unit / 8 / 4096 * 4096;
    wanted = wanted < 1ull << 30 ? wanted : 1ull << 30;
    char said[60];
    snprintf(said, sizeof said, "ring of %llu bytes", wanted);
    assert_int_equal(run("format %s", loop.path), 0);
    assert_said(said);
    assert_int_equal(run("format --force --size=8M %s", loop.path), 0);
    assert_said("ring of 8388608 bytes");
    assert_int_equal(run("format --force --size=4G %s", loop.path), 3);
    assert_said("the medium has 3221225472");
}

static void a_ring_on_other_logical_blocks_is_refused_naming_both_and_can_be_read(void **state) {
    (void)state;
    NEED_LOOP_WITH(4 * MIB, 512, 0);
    assert_int_equal(run("format %s", loop.path), 0);
    use_ring(loop.path);
    remove_loop(&loop);
    if (!make_loop_with(scratch_path("backing"), 4096, 0, &loop))
        SKIP_WITH("no loop device with blocks of 4096 bytes: %s", strerror(errno));
    assert_ring_refused(loop.path, EUCLEAN, "has logical blocks of 4096 bytes but was formatted with 512");
    assert_int_equal(run("recover %s", loop.path), 1);
    assert_said("has logical blocks of 4096 bytes but was formatted with 512");
    assert_int_equal(run("dump %s", loop.path), 0);
    assert_said("\"a record\\n\"");
    assert_int_equal(run("recover %s", scratch_path("backing")), 0); /* the way out: as a file */
}

static void a_ring_on_a_larger_device_keeps_its_size_and_tells(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    burst_event_t event = {.struct_bytes = sizeof event};
    burst_t *log;
    assert_int_equal(run("format %s", loop.path), 0);
    remove_loop(&loop);
    assert_int_equal(truncate(scratch_path("backing"), 6 * MIB), 0);
    assert_true(make_loop(scratch_path("backing"), &loop));
    open_at(loop.path, &log);
    int told = 0;
    while (burst_next_event(log, &event, 0) == 1)
        told |= strstr(event.text, "has 6291456 bytes, and had 4194304 when it was formatted") != NULL;
    assert_true(told);
    assert_true(burst_append(log, "a record\n", 9, 0) > 0);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("info %s", loop.path), 0);
    assert_said("ring bytes: 4194304");
}

static void a_ring_on_a_smaller_device_is_refused_naming_both_sizes(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    assert_int_equal(run("format %s", loop.path), 0);
    remove_loop(&loop);
    assert_int_equal(truncate(scratch_path("backing"), 3 * MIB), 0);
    assert_true(make_loop(scratch_path("backing"), &loop));
    assert_ring_refused(loop.path, EUCLEAN, "has 3145728 bytes but was formatted with 4194304");
    assert_int_equal(run("recover %s", loop.path), 1);
    assert_int_equal(run("format --force %s", loop.path), 1); /* how many records wait is unknown */
    assert_said("--force and --discard-records=0 together make a new ring in its place");
    assert_int_equal(run("format --force --discard-records=0 %s", loop.path), 0);
}

/* -------------------------------------------------------------------------------------------------- names change */

static void an_open_never_formats_a_device_and_says_how_to_name_it(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    shell("cp %s %s", scratch_path("backing"), scratch_path("before"));
    assert_ring_refused(loop.path, ENODATA, "/dev/disk/by-id/");
    burst_config_t config;
    burst_config_init(&config);
    config.ring = loop.path;
    config.ring_bytes = 2 * MIB;
    config.file_name = scratch_path("log");
    config.durability = BURST_DURABILITY_PROCESS;
    assert_refused(&config, ENODATA, "/dev/disk/by-id/");
    assert_int_equal(run("recover %s", loop.path), 3);
    shell("cmp %s %s", scratch_path("backing"), scratch_path("before"));
}

static void info_tells_rings_apart_by_their_uuid(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    char first[64] = "", second[64] = "";
    assert_int_equal(run("format %s", loop.path), 0);
    assert_int_equal(run("info %s", loop.path), 0);
    assert_int_equal(sscanf(strstr(output, "uuid: "), "uuid: %63s", first), 1);
    assert_int_equal(strlen(first), 32);
    assert_int_equal(run("format --force %s", loop.path), 0);
    assert_int_equal(run("info --json %s", loop.path), 0);
    assert_int_equal(sscanf(strstr(output, "\"uuid\": "), "\"uuid\": \"%32s", second), 1);
    assert_string_not_equal(first, second);
    assert_said("\"write_cache\": ");
    assert_said("\"physical_block_bytes\": ");
    assert_said("\"rotational\": ");
}

int main(void) {
#define DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(a_file_system_is_named_and_overwritten_only_by_force),
        DEVICE_TEST(a_swap_signature_is_named_and_overwritten_only_by_force),
        DEVICE_TEST(a_partition_table_is_named_and_overwritten_only_by_force),
        DEVICE_TEST(two_claims_are_both_named),
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
        DEVICE_TEST(rings_work_on_any_logical_block_size),
        DEVICE_TEST(a_device_of_an_odd_size_is_used_up_to_its_last_whole_block),
        DEVICE_TEST(a_device_that_is_too_small_is_refused_with_the_least_size),
        DEVICE_TEST(a_large_device_gets_a_ring_that_memory_can_hold),
        DEVICE_TEST(a_ring_on_other_logical_blocks_is_refused_naming_both_and_can_be_read),
        DEVICE_TEST(a_ring_on_a_larger_device_keeps_its_size_and_tells),
        DEVICE_TEST(a_ring_on_a_smaller_device_is_refused_naming_both_sizes),
        DEVICE_TEST(an_open_never_formats_a_device_and_says_how_to_name_it),
        DEVICE_TEST(info_tells_rings_apart_by_their_uuid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
