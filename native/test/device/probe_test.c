/* SPDX-License-Identifier: Apache-2.0 */
/* Media of this host, and their classes of survival. */
#include "device/media.h"

#include "burstlog.h"
#include "device/host/mounts.h"
#include "device/probe.h"

static struct medium_facts probe(const char *path) {
    struct medium_facts facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    medium_probe(fd, &facts);
    close(fd);
    assert_int_not_equal(facts.because[0], '\0');
    return facts;
}

static void assert_because(struct medium_facts facts, const char *part) {
    if (strstr(facts.because, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", facts.because, part);
}

static void a_file_on_tmpfs_survives_the_process_only(void **state) {
    (void)state;
    const char *directory = scratch_path("tmpfs");
    if (!mount_tmpfs(directory, "size=1m"))
        SKIP_WITH("mounting a tmpfs failed: %s", strerror(errno));
    make_file(scratch_path("tmpfs/a"), 4096);
    struct medium_facts facts = probe(scratch_path("tmpfs/a"));
    umount(directory);
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    assert_because(facts, "tmpfs");
    assert_int_equal(facts.logical_block_bytes, 0);
}

static void a_file_on_ramfs_survives_the_process_only(void **state) {
    (void)state;
    const char *directory = scratch_path("ramfs");
    if (mkdir(directory, 0700) < 0 || mount("burst-test", directory, "ramfs", 0, NULL) < 0)
        SKIP_WITH("mounting a ramfs failed: %s", strerror(errno));
    int fd = open(scratch_path("ramfs/a"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    close(fd);
    struct medium_facts facts = probe(scratch_path("ramfs/a"));
    umount(directory);
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    assert_because(facts, "ramfs");
}

static void a_file_on_a_disk_survives_the_loss_of_power(void **state) {
    (void)state;
    struct mount mount;
    make_file(scratch_path("a"), 4096);
    int fd = open(scratch_path("a"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(mount_of(fd, &mount), 0);
    close(fd);
    if (strcmp(mount.type, "ext4") != 0 && strcmp(mount.type, "xfs") != 0)
        SKIP_WITH("%s lies on %s", scratch, mount.type);
    struct medium_facts facts = probe(scratch_path("a"));
    assert_int_equal(facts.survives, BURST_DURABILITY_POWER);
    assert_because(facts, "is a disk");
}

static void a_zram_device_survives_the_process_only_and_has_no_cache(void **state) {
    (void)state;
    struct zram_device zram;
    if (!make_zram("16M", scratch_path("zram"), &zram))
        SKIP_WITH("no zram device here; wants root and the zram module");
    struct medium_facts facts = probe(zram.path);
    remove_zram(&zram);
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    assert_because(facts, "zram");
    assert_true(facts.write_through);
    assert_int_equal(facts.logical_block_bytes, 4096);
}

static void a_loop_device_is_what_its_backing_file_is(void **state) {
    (void)state;
    struct loop_device loop;
    make_file(scratch_path("backing"), 1 << 20);
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here; wants root");
    struct medium_facts file = probe(scratch_path("backing")), device = probe(loop.path);
    remove_loop(&loop);
    assert_int_equal(device.survives, file.survives);
    assert_because(device, "stores in");

    const char *directory = scratch_path("tmpfs");
    assert_true(mount_tmpfs(directory, "size=4m"));
    make_file(scratch_path("tmpfs/backing"), 1 << 20);
    assert_true(make_loop(scratch_path("tmpfs/backing"), &loop));
    device = probe(loop.path);
    remove_loop(&loop);
    umount2(directory, MNT_DETACH);
    assert_int_equal(device.survives, BURST_DURABILITY_PROCESS);
    assert_because(device, "tmpfs");
}

/* A file on a file system on a loop device over a file on tmpfs: three layers. */
static void check_file_system(const char *type, const char *mkfs, const char *options, int survives) {
    const char *memory = scratch_path("tmpfs"), *point = scratch_path("point");
    char command[PATH_BYTES * 3];
    assert_true(mount_tmpfs(memory, "size=400m"));
    make_file(scratch_path("tmpfs/backing"), 320u << 20); /* xfs wants 300 MB */
    snprintf(command, sizeof(command), "%s %s >/dev/null 2>&1", mkfs, scratch_path("tmpfs/backing"));
    int made = system(command) == 0, mounted = 0;
    struct loop_device loop = {.fd = -1};
    struct medium_facts facts = {0};
    if (made && make_loop(scratch_path("tmpfs/backing"), &loop)) {
        mkdir(point, 0700);
        mounted = mount(loop.path, point, type, 0, options) == 0;
        if (mounted) {
            make_file(scratch_path("point/a"), 4096);
            facts = probe(scratch_path("point/a"));
            umount(point);
        }
        remove_loop(&loop);
    }
    umount2(memory, MNT_DETACH);
    if (!mounted)
        SKIP_WITH("no %s here", type);
    assert_int_equal(facts.survives, survives);
    assert_because(facts, "tmpfs");
}

#define NEED_MOUNTS()                                                                                                  \
    if (geteuid() != 0)                                                                                                \
    SKIP_WITH("mounting wants root")

static void a_file_on_ext4_is_what_the_device_under_it_is(void **state) {
    (void)state;
    NEED_MOUNTS();
    check_file_system("ext4", "mkfs.ext4 -q -F", NULL, BURST_DURABILITY_PROCESS);
}

static void a_file_on_ext3_is_what_the_device_under_it_is(void **state) {
    (void)state;
    NEED_MOUNTS();
    check_file_system("ext3", "mkfs.ext3 -q -F", NULL, BURST_DURABILITY_PROCESS);
}

static void a_file_on_ext2_is_what_the_device_under_it_is(void **state) {
    (void)state;
    NEED_MOUNTS();
    check_file_system("ext2", "mkfs.ext2 -q -F", NULL, BURST_DURABILITY_PROCESS);
}

static void a_file_on_xfs_is_what_the_device_under_it_is(void **state) {
    (void)state;
    NEED_MOUNTS();
    check_file_system("xfs", "mkfs.xfs -q -f", NULL, BURST_DURABILITY_PROCESS);
}

static void a_file_on_btrfs_is_what_the_device_under_it_is(void **state) {
    (void)state;
    NEED_MOUNTS();
    check_file_system("btrfs", "mkfs.btrfs -q -f", NULL, BURST_DURABILITY_PROCESS);
}

static void a_file_system_without_barriers_survives_no_loss_of_power(void **state) {
    (void)state;
    NEED_MOUNTS();
    char command[PATH_BYTES * 3];
    struct loop_device loop;
    const char *point = scratch_path("point");
    make_file(scratch_path("backing"), 8u << 20);
    if (probe(scratch_path("backing")).survives != BURST_DURABILITY_POWER)
        SKIP_WITH("%s is in memory itself", scratch);
    snprintf(command, sizeof(command), "mkfs.ext4 -q -F %s >/dev/null 2>&1", scratch_path("backing"));
    if (system(command) != 0 || !make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no mkfs.ext4 or no loop device here");
    mkdir(point, 0700);
    struct medium_facts facts = {0};
    int mounted = mount(loop.path, point, "ext4", 0, "nobarrier") == 0;
    if (mounted) {
        make_file(scratch_path("point/a"), 4096);
        facts = probe(scratch_path("point/a"));
        umount(point);
    }
    remove_loop(&loop);
    if (!mounted)
        SKIP_WITH("mounting failed");
    assert_int_equal(facts.survives, BURST_DURABILITY_OS_CRASH);
    assert_because(facts, "without write barriers");
}

static void what_is_not_known_survives_the_process(void **state) {
    (void)state;
    struct medium_facts facts = probe("/proc/self/status");
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    assert_because(facts, "cannot be seen from here");
    medium_probe(-1, &facts);
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    assert_because(facts, "cannot be looked at");
}

static struct survival survival_of(const char *path) {
    struct survival survival;
    survival_of_place(path, &survival);
    return survival;
}

static void assert_survives(const char *path, int survives, const char *part) {
    const struct survival survival = survival_of(path);
    if (survival.survives != survives || strstr(survival.because, part) == NULL)
        fail_msg("%s survives %s: \"%s\"", path, survival_name(survival.survives), survival.because);
}

/* The class is that of the place where the log file is written, not of its name's place. */
static void a_log_file_is_what_the_place_that_its_links_lead_to_is(void **state) {
    (void)state;
    const char *memory = scratch_path("tmpfs");
    if (!mount_tmpfs(memory, "size=1m"))
        SKIP_WITH("mounting a tmpfs failed: %s", strerror(errno));
    const int here = survival_of(scratch_path("log")).survives;
    assert_int_equal(symlink(scratch_path("tmpfs/log"), scratch_path("link")), 0);
    assert_survives(scratch_path("link"), BURST_DURABILITY_PROCESS, "tmpfs"); /* the file does not exist yet */
    make_file(scratch_path("tmpfs/log"), 1);
    assert_survives(scratch_path("link"), BURST_DURABILITY_PROCESS, "tmpfs");
    assert_survives(scratch_path("tmpfs/none/there/log"), BURST_DURABILITY_PROCESS, "tmpfs");
    make_file(scratch_path("log"), 1);
    assert_int_equal(survival_of(scratch_path("log")).survives, here);
    assert_int_equal(mount(scratch_path("tmpfs/log"), scratch_path("log"), NULL, MS_BIND, NULL), 0);
    assert_survives(scratch_path("log"), BURST_DURABILITY_PROCESS, "tmpfs"); /* the file alone */
    assert_int_equal(umount(scratch_path("log")), 0);
}

static void check_overlay(const char *upper, const char *options, int survives, const char *part) {
    char mounted[PATH_BYTES * 4];
    snprintf(mounted, sizeof(mounted), "lowerdir=%s,upperdir=%s/upper,workdir=%s/work%s", scratch_path("lower"), upper,
             upper, options);
    if (mount("overlay", scratch_path("overlay"), "overlay", 0, mounted) < 0)
        SKIP_WITH("mounting an overlay failed: %s", strerror(errno));
    make_file(scratch_path("overlay/a"), 4096);
    const struct medium_facts facts = probe(scratch_path("overlay/a"));
    umount2(scratch_path("overlay"), MNT_DETACH);
    assert_int_equal(facts.survives, survives);
    assert_because(facts, part);
}

static void an_overlay_is_what_its_upper_directory_is(void **state) {
    (void)state;
    const char *memory = scratch_path("tmpfs");
    if (!mount_tmpfs(memory, "size=1m"))
        SKIP_WITH("mounting a tmpfs failed: %s", strerror(errno));
    static const char *const folders[] = {"tmpfs/upper", "tmpfs/work", "disk",   "disk/upper",
                                          "disk/work",   "lower",      "overlay"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        assert_int_equal(mkdir(scratch_path(folders[i]), 0700), 0);
    const int here = survival_of(scratch_path("disk/a")).survives;
    check_overlay(scratch_path("tmpfs"), "", BURST_DURABILITY_PROCESS, "tmpfs keeps");
    check_overlay(scratch_path("disk"), "", here, "overlay stores in ");
    check_overlay(scratch_path("disk"), ",volatile", BURST_DURABILITY_PROCESS, "syncs nothing");
}

/* A container sees only one mounted file of the file system below, or nothing of it. */
static void an_overlay_whose_upper_directory_is_out_of_sight_is_known_by_what_is_seen_of_its_file_system(void **state) {
    (void)state;
    struct loop_device loop;
    char command[PATH_BYTES * 3], options[PATH_BYTES * 4];
    make_file(scratch_path("backing"), 8u << 20);
    snprintf(command, sizeof(command), "mkfs.ext4 -q -F %s >/dev/null 2>&1", scratch_path("backing"));
    if (system(command) != 0 || !make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no mkfs.ext4 or no loop device here");
    assert_int_equal(mkdir(scratch_path("point"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("overlay"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("lower"), 0700), 0);
    assert_int_equal(mount(loop.path, scratch_path("point"), "ext4", 0, NULL), 0);
    assert_int_equal(mkdir(scratch_path("point/upper"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("point/work"), 0700), 0);
    make_file(scratch_path("point/hosts"), 100);
    make_file(scratch_path("log"), 0);
    snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", scratch_path("lower"),
             scratch_path("point/upper"), scratch_path("point/work"));
    if (mount("overlay", scratch_path("overlay"), "overlay", 0, options) < 0)
        SKIP_WITH("mounting an overlay failed: %s", strerror(errno));
    make_file(scratch_path("overlay/a"), 4096);
    assert_int_equal(mount(scratch_path("point/hosts"), scratch_path("log"), NULL, MS_BIND, NULL), 0);
    assert_int_equal(umount2(scratch_path("point"), MNT_DETACH), 0);
    const struct medium_facts seen = probe(scratch_path("overlay/a"));
    assert_int_equal(umount(scratch_path("log")), 0);
    const struct medium_facts unseen = probe(scratch_path("overlay/a"));
    assert_int_equal(umount(scratch_path("overlay")), 0);
    remove_loop(&loop);
    assert_int_equal(seen.survives, survival_of(scratch_path("backing")).survives);
    assert_because(seen, "overlay stores in the file system that is seen at ");
    assert_because(seen, "loop");
    assert_int_equal(unseen.survives, BURST_DURABILITY_PROCESS);
    assert_because(unseen, "cannot be seen from here");
}

static void a_loop_device_whose_file_was_deleted_survives_the_process(void **state) {
    (void)state;
    struct loop_device loop;
    make_file(scratch_path("backing"), 1 << 20);
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here; wants root");
    assert_int_equal(unlink(scratch_path("backing")), 0);
    const struct medium_facts facts = probe(loop.path);
    remove_loop(&loop);
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    assert_because(facts, "cannot be looked at");
}

/* The kernel then sends the device no flush, though its file needs one. */
static void a_loop_device_set_to_write_through_survives_the_process(void **state) {
    (void)state;
    struct loop_device loop;
    char cache[PATH_BYTES];
    make_file(scratch_path("backing"), 1 << 20);
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here; wants root");
    snprintf(cache, sizeof(cache), "/sys/block/%s/queue/write_cache", strrchr(loop.path, '/') + 1);
    write_text(cache, "write through");
    const struct medium_facts facts = probe(loop.path);
    write_text(cache, "write back");
    remove_loop(&loop);
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    if (survival_of(scratch_path("backing")).survives < BURST_DURABILITY_PROCESS)
        assert_because(facts, "never syncs");
}

/* One device of the file system is on disk, the other in memory. */
static void a_btrfs_of_two_devices_is_what_the_weaker_one_is(void **state) {
    (void)state;
    struct loop_device loop;
    struct zram_device zram;
    char command[PATH_BYTES * 4];
    make_file(scratch_path("backing"), 128u << 20);
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here; wants root");
    if (!make_zram("128M", scratch_path("zram"), &zram))
        SKIP_WITH("no zram device here; wants the zram module");
    snprintf(command, sizeof(command), "mkfs.btrfs -q -f -d single -m raid1 %s %s >/dev/null 2>&1", loop.path,
             zram.path);
    assert_int_equal(mkdir(scratch_path("point"), 0700), 0);
    snprintf(command + strlen(command), sizeof(command) - strlen(command), " && mount -t btrfs -o device=%s %s %s",
             zram.path, loop.path, scratch_path("point"));
    if (system(command) != 0)
        SKIP_WITH("no btrfs here");
    make_file(scratch_path("point/a"), 4096);
    const struct medium_facts facts = probe(scratch_path("point/a"));
    umount2(scratch_path("point"), MNT_DETACH);
    remove_loop(&loop);
    remove_zram(&zram);
    assert_int_equal(facts.survives, BURST_DURABILITY_PROCESS);
    assert_because(facts, "zram");
}

/* A failed test leaves its mounts: they must go before the directory. */
static int unmount_and_remove(void **state) {
    static const char *const points[] = {"point", "overlay", "log", "ramfs", "tmpfs"};
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        umount2(scratch_path(points[i]), MNT_DETACH);
    return remove_scratch(state);
}

int main(void) {
#define PROBE_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, unmount_and_remove)
    const struct CMUnitTest tests[] = {
        PROBE_TEST(a_file_on_tmpfs_survives_the_process_only),
        PROBE_TEST(a_file_on_ramfs_survives_the_process_only),
        PROBE_TEST(a_file_on_a_disk_survives_the_loss_of_power),
        PROBE_TEST(a_zram_device_survives_the_process_only_and_has_no_cache),
        PROBE_TEST(a_loop_device_is_what_its_backing_file_is),
        PROBE_TEST(a_file_on_ext4_is_what_the_device_under_it_is),
        PROBE_TEST(a_file_on_btrfs_is_what_the_device_under_it_is),
        PROBE_TEST(a_file_system_without_barriers_survives_no_loss_of_power),
        PROBE_TEST(what_is_not_known_survives_the_process),
        PROBE_TEST(a_log_file_is_what_the_place_that_its_links_lead_to_is),
        PROBE_TEST(an_overlay_is_what_its_upper_directory_is),
        PROBE_TEST(an_overlay_whose_upper_directory_is_out_of_sight_is_known_by_what_is_seen_of_its_file_system),
        PROBE_TEST(a_loop_device_whose_file_was_deleted_survives_the_process),
        PROBE_TEST(a_loop_device_set_to_write_through_survives_the_process),
        PROBE_TEST(a_btrfs_of_two_devices_is_what_the_weaker_one_is),
        PROBE_TEST(a_file_on_ext3_is_what_the_device_under_it_is),
        PROBE_TEST(a_file_on_ext2_is_what_the_device_under_it_is),
        PROBE_TEST(a_file_on_xfs_is_what_the_device_under_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
