/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of docs/durability.md on recorded machines, for all media that this host lacks. */
#include "device/recorded.h"

#include "burstlog.h"
#include "device/host/survival.h"

#define SDA "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda"
#define SDB "sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sdb"
#define USB "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdu"
#define VDA "sys/devices/pci0000:00/0000:00:05.0/virtio2/block/vda"
#define NVME "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1"
#define VIRTUAL(name) "sys/devices/virtual/block/" name

static void assert_verdict(const struct survival *survival, int survives, const char *part) {
    if (survival->survives != survives || strstr(survival->because, part) == NULL)
        fail_msg("%s: \"%s\", not %s and \"%s\"", survival_name(survival->survives), survival->because,
                 survival_name(survives), part);
}

static void assert_block(unsigned number_major, unsigned number_minor, int survives, const char *part) {
    struct survival survival;
    survival_of_block(machine, makedev(number_major, number_minor), &survival);
    assert_verdict(&survival, survives, part);
}

static void assert_path(const char *path, int survives, const char *part) {
    struct survival survival;
    survival_of_path(machine, path, &survival);
    assert_verdict(&survival, survives, part);
}

#define POWER BURST_DURABILITY_POWER
#define OS_CRASH BURST_DURABILITY_OS_CRASH
#define PROCESS BURST_DURABILITY_PROCESS

/* ------------------------------------------------------------------------------------------------------- disks */

static void a_disk_that_is_flushed_survives_power(void **state) {
    (void)state;
    record_disk("8:0", SDA, "write back");
    record_partition("8:1", SDA "/sda1");
    assert_block(8, 0, POWER, "sda is a disk with a write cache that is flushed");
    assert_block(8, 1, POWER, "sda is a disk with a write cache that is flushed");
}

static void a_disk_without_a_volatile_cache_survives_power(void **state) {
    (void)state;
    record_disk("259:0", NVME, "write through");
    assert_block(259, 0, POWER, "nvme0n1 is a disk without a volatile write cache");
}

static void a_disk_that_was_set_to_write_through_against_its_own_word_survives_os_crash(void **state) {
    (void)state;
    record_disk("8:0", SDA, "write through");
    attribute(SDA, "device/scsi_disk/0:0:0:0/cache_type", "write back");
    assert_block(8, 0, OS_CRASH, "never flushed");
    record_disk("254:0", VDA, "write through");
    attribute(VDA, "cache_type", "write back");
    assert_block(254, 0, OS_CRASH, "never flushed");
    record_disk("8:16", SDB, "write through");
    attribute(SDB, "device/scsi_disk/1:0:0:0/cache_type", "write through");
    assert_block(8, 16, POWER, "without a volatile");
}

static void a_disk_on_usb_is_believed_only_if_it_tells_of_a_cache(void **state) {
    (void)state;
    record_disk("8:32", USB, "write through");
    assert_block(8, 32, OS_CRASH, "only assumes");
    attribute(USB, "queue/write_cache", "write back");
    assert_block(8, 32, POWER, "is flushed");
}

static void a_disk_of_whose_cache_nothing_is_known_survives_os_crash(void **state) {
    (void)state;
    record_disk("8:0", SDA, NULL);
    assert_block(8, 0, OS_CRASH, "nothing is known");
}

static void a_virtual_or_remote_disk_survives_power_as_far_as_the_other_side_keeps_flushes(void **state) {
    (void)state;
    record_disk("254:0", VDA, "write back");
    assert_block(254, 0, POWER, "as far as its host keeps flushes");
    record_disk("202:0", "sys/devices/vbd-51712/block/xvda", "write back");
    assert_block(202, 0, POWER, "as far as its host keeps flushes");
    record_disk("8:64", "sys/devices/LNXSYSTM:00/ACPI0004:00/VMBUS:00/f8b3781a/host0/target0:0:0/0:0:0:0/block/sde",
                "write back");
    assert_block(8, 64, POWER, "as far as its host keeps flushes");
    record_disk("259:0", NVME, "write through");
    attribute(NVME, "device/transport", "tcp");
    assert_block(259, 0, POWER, "as far as its target keeps flushes");
    record_disk("8:48", "sys/devices/platform/host9/session1/target9:0:0/9:0:0:1/block/sdd", "write back");
    assert_block(8, 48, POWER, "as far as its target keeps flushes");
    attribute(NVME, "device/transport", "pcie");
    struct survival survival;
    survival_of_block(machine, makedev(259, 0), &survival);
    assert_null(strstr(survival.because, "as far as"));
}

static void emmc_xen_and_multipath_disks_are_disks(void **state) {
    (void)state;
    record_disk("179:0", "sys/devices/platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0", "write back");
    assert_block(179, 0, POWER, "is flushed");
    record_disk("259:3", "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "write through");
    assert_block(259, 3, POWER, "without a volatile");
}

static void persistent_memory_survives_power_unless_it_is_made_up(void **state) {
    (void)state;
    record_disk("259:1", "sys/devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region0/namespace0.0/block/pmem0",
                "write back");
    attribute("sys/devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0", "provider", "ACPI.NFIT");
    assert_block(259, 1, POWER, "is flushed");
    record_disk("259:2", "sys/devices/platform/e820_pmem/ndbus1/region1/namespace1.0/block/pmem1", "write back");
    attribute("sys/devices/platform/e820_pmem/ndbus1", "provider", "e820");
    assert_block(259, 2, PROCESS, "nothing proves");
}

/* ------------------------------------------------------------------------------------------------------- memory */

static void disks_that_are_memory_survive_the_process(void **state) {
    (void)state;
    record_virtual("253:0", VIRTUAL("zram0"), "write through");
    assert_block(253, 0, PROCESS, "zram0 keeps its blocks in memory");
    record_virtual("1:0", VIRTUAL("ram0"), "write through");
    assert_block(1, 0, PROCESS, "brd");
    record_virtual("252:0", VIRTUAL("nullb0"), "write back");
    assert_block(252, 0, PROCESS, "null_blk");
    record_disk("8:0", SDA, "write back");
    attribute(SDA, "device/model", "scsi_debug      ");
    assert_block(8, 0, PROCESS, "by its model");
    record_disk("8:16", SDB, "write back");
    attribute(SDB, "device/model", "RAMDISK-MCP     ");
    assert_block(8, 16, PROCESS, "by its model");
}

static void a_block_device_of_an_unknown_kind_survives_the_process(void **state) {
    (void)state;
    record_virtual("43:0", VIRTUAL("nbd0"), "write back");
    assert_block(43, 0, PROCESS, "nothing is known");
    record_virtual("259:9", VIRTUAL("ublkb0"), "write through");
    assert_block(259, 9, PROCESS, "nothing is known");
    assert_block(77, 7, PROCESS, "nothing is known of block device 77:7");
}

static void a_disk_of_a_cluster_survives_os_crash(void **state) {
    (void)state;
    record_disk("251:0", "sys/devices/rbd/0/block/rbd0", "write back");
    assert_block(251, 0, OS_CRASH, "cannot be seen");
}

/* -------------------------------------------------------------------------------------------- devices of devices */

static void a_device_made_of_others_is_as_weak_as_the_weakest(void **state) {
    (void)state;
    record_disk("8:0", SDA, "write back");
    record_partition("8:1", SDA "/sda1");
    record_disk("8:16", SDB, "write back");
    record_virtual("253:0", VIRTUAL("zram0"), "write through");
    record_virtual("252:0", VIRTUAL("dm-0"), "write back");
    attribute(VIRTUAL("dm-0"), "dm/name", "vg-logs");
    record_member(VIRTUAL("dm-0"), SDA "/sda1");
    record_member(VIRTUAL("dm-0"), SDB);
    assert_block(252, 0, POWER, "dm-0 is made of others: sd");
    record_member(VIRTUAL("dm-0"), VIRTUAL("zram0"));
    assert_block(252, 0, PROCESS, "zram0 keeps its blocks in memory");

    record_virtual("9:0", VIRTUAL("md0"), "write back");
    record_member(VIRTUAL("md0"), SDA);
    assert_block(9, 0, POWER, "md0 is made of others");
    record_virtual("252:1", VIRTUAL("dm-1"), "write back"); /* on the md */
    record_member(VIRTUAL("dm-1"), VIRTUAL("md0"));
    assert_block(252, 1, POWER, "dm-1 is made of others: md0 is made of others: sda");
}

static void a_device_made_of_others_that_hands_no_flush_on_survives_os_crash(void **state) {
    (void)state;
    record_disk("8:0", SDA, "write back");
    record_virtual("252:0", VIRTUAL("dm-0"), "write through");
    record_member(VIRTUAL("dm-0"), SDA);
    assert_block(252, 0, OS_CRASH, "hands no flush on");
    attribute(SDA, "queue/write_cache", "write through");
    assert_block(252, 0, POWER, "without a volatile");
}

static void a_mapped_device_without_disks_survives_the_process(void **state) {
    (void)state;
    record_virtual("252:0", VIRTUAL("dm-0"), "write through"); /* dm-zero keeps nothing */
    attribute(VIRTUAL("dm-0"), "dm/name", "nothing");
    assert_block(252, 0, PROCESS, "cannot be seen");
}

static void a_loop_device_is_what_its_file_is_as_long_as_it_syncs_it(void **state) {
    (void)state;
    record_disk("8:0", SDA, "write back");
    record_mount("8:0", "/", "ext4", "/dev/sda", "rw");
    record_mount("0:30", "/dev/shm", "tmpfs", "tmpfs", "rw");
    record_virtual("7:0", VIRTUAL("loop0"), "write back");
    attribute(VIRTUAL("loop0"), "loop/backing_file", "/images/a");
    assert_block(7, 0, POWER, "loop0 stores in /images/a: sda is a disk");
    attribute(VIRTUAL("loop0"), "queue/write_cache", "write through");
    assert_block(7, 0, PROCESS, "never syncs /images/a");
    record_virtual("7:1", VIRTUAL("loop1"), "write back");
    attribute(VIRTUAL("loop1"), "loop/backing_file", "/dev/shm/a");
    assert_block(7, 1, PROCESS, "tmpfs");
    record_virtual("7:2", VIRTUAL("loop2"), "write back");
    attribute(VIRTUAL("loop2"), "loop/backing_file", "/dev/sda");
    assert_block(7, 2, POWER, "loop2 stores in /dev/sda: sda is a disk");
    record_virtual("7:3", VIRTUAL("loop3"), "write back");
    assert_block(7, 3, PROCESS, "no backing file");
}

static void media_in_a_circle_come_to_an_end(void **state) {
    (void)state;
    record_mount("7:0", "/one", "ext4", "/dev/loop0", "rw");
    record_mount("7:1", "/two", "ext4", "/dev/loop1", "rw");
    record_virtual("7:0", VIRTUAL("loop0"), "write back");
    attribute(VIRTUAL("loop0"), "loop/backing_file", "/two/a");
    record_virtual("7:1", VIRTUAL("loop1"), "write back");
    attribute(VIRTUAL("loop1"), "loop/backing_file", "/one/a");
    assert_path("/one/ring", PROCESS, "loop0 stores in /two/a");
}

/* ------------------------------------------------------------------------------------------------- file systems */

static void record_root(void) {
    record_disk("8:0", SDA, "write back");
    record_mount("8:0", "/", "ext4", "/dev/sda", "rw");
}

static void a_file_is_what_the_disk_under_its_file_system_is(void **state) {
    (void)state;
    record_root();
    record_disk("259:0", NVME, "write through");
    record_partition("259:1", NVME "/nvme0n1p1");
    record_mount("259:1", "/data", "xfs", "/dev/nvme0n1p1", "rw,noquota");
    record_virtual("253:0", VIRTUAL("zram0"), "write through");
    record_mount("253:0", "/data/fast", "ext2", "/dev/zram0", "rw");
    assert_path("/var/log/a.log", POWER, "sda is a disk");
    assert_path("/data/a.ring", POWER, "nvme0n1 is a disk");
    assert_path("/data/fast/a.ring", PROCESS, "zram0");
    assert_path("/data/faster/a.ring", POWER, "nvme0n1 is a disk");
    assert_path("/data/fast", PROCESS, "zram0");
    record_mount("8:0", "/data", "ext4", "/dev/sda", "rw"); /* the kernel lists it behind a mount within it */
    assert_path("/data/fast/a.ring", PROCESS, "zram0");
    assert_path("/data/a.ring", POWER, "sda is a disk");
}

static void the_mount_on_top_counts_also_with_a_blank_in_its_name(void **state) {
    (void)state;
    record_root();
    record_mount("0:40", "/my\\040logs", "tmpfs", "tmpfs", "rw");
    assert_path("/my logs/a", PROCESS, "tmpfs");
    record_mount("8:0", "/my\\040logs", "ext4", "/dev/sda", "rw");
    assert_path("/my logs/a", POWER, "sda");
}

static void file_systems_in_memory_survive_the_process(void **state) {
    (void)state;
    static const char *const types[] = {"tmpfs", "ramfs", "hugetlbfs", "devtmpfs", "rootfs"};
    record_root();
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        record_mount("0:50", "/memory", types[i], "none", "rw");
        assert_path("/memory/a", PROCESS, types[i]);
    }
}

static void a_file_system_without_barriers_survives_os_crash(void **state) {
    (void)state;
    record_root();
    record_mount("8:0", "/a", "ext4", "/dev/sda", "rw,nobarrier,data=ordered");
    record_mount("8:0", "/b", "ext3", "/dev/sda", "rw,barrier=0");
    record_mount("8:0", "/c", "f2fs", "/dev/sda", "rw,fsync_mode=nobarrier");
    record_mount("8:0", "/d", "ext4", "/dev/sda", "rw,barrier=1,prefix_nobarrier_suffix");
    record_mount("8:0", "/f", "reiserfs", "/dev/sda", "rw,barrier=none");
    assert_path("/f/x", OS_CRASH, "without write barriers");
    assert_path("/a/x", OS_CRASH, "ext4 is mounted without write barriers (/a)");
    assert_path("/b/x", OS_CRASH, "without write barriers");
    assert_path("/c/x", OS_CRASH, "without write barriers");
    assert_path("/d/x", POWER, "sda");
    record_virtual("253:0", VIRTUAL("zram0"), "write through");
    record_mount("253:0", "/e", "ext4", "/dev/zram0", "rw,nobarrier");
    assert_path("/e/x", PROCESS, "zram0");
}

static void a_journal_on_another_device_counts_as_well(void **state) {
    (void)state;
    record_root();
    record_virtual("1:0", VIRTUAL("ram0"), "write through");
    record_mount("8:0", "/data", "xfs", "/dev/sda", "rw,logdev=/dev/ram0,logbufs=8");
    assert_path("/data/a", PROCESS, "brd");
    record_mount("8:0", "/data", "xfs", "/dev/sda", "rw,logdev=/dev/sda");
    assert_path("/data/a", POWER, "sda");
    record_mount("8:0", "/data", "xfs", "/dev/sda", "rw,rtdev=/dev/gone");
    assert_path("/data/a", PROCESS, "/dev/gone cannot be looked at");
}

static void btrfs_is_as_weak_as_the_weakest_of_its_devices(void **state) {
    (void)state;
    record_root();
    record_disk("8:16", SDB, "write through");
    record_virtual("253:0", VIRTUAL("zram0"), "write through");
    record_link("sys/fs/btrfs/aaaa/devices/sdb", SDB);
    record_mount("0:60", "/data", "btrfs", "/dev/sdb", "rw,subvol=/");
    assert_path("/data/a", POWER, "sdb is a disk");
    record_link("sys/fs/btrfs/bbbb/devices/zram0", VIRTUAL("zram0")); /* of another one */
    assert_path("/data/a", POWER, "sdb is a disk");
    record_link("sys/fs/btrfs/aaaa/devices/zram0", VIRTUAL("zram0"));
    assert_path("/data/a", PROCESS, "zram0");
}

static void an_overlay_is_what_its_upper_directory_is(void **state) {
    (void)state;
    char options[6000] = "rw,lowerdir=";
    record_root();
    record_mount("0:30", "/dev/shm", "tmpfs", "tmpfs", "rw");
    record_mount("0:70", "/a", "overlay", "overlay", "rw,lowerdir=/l,upperdir=/u,workdir=/w");
    assert_path("/a/x", POWER, "overlay stores in /u: sda is a disk");
    record_mount("0:71", "/b", "overlay", "overlay", "rw,lowerdir=/l,upperdir=/dev/shm/u,workdir=/dev/shm/w");
    assert_path("/b/x", PROCESS, "tmpfs");
    record_mount("0:72", "/c", "overlay", "overlay", "rw,lowerdir=/l,upperdir=/u,workdir=/w,volatile");
    assert_path("/c/x", PROCESS, "it syncs nothing");
    record_mount("0:72", "/c", "overlay", "overlay", "rw,lowerdir=/l,upperdir=/u,workdir=/w,uuid=on,fsync=volatile");
    assert_path("/c/x", PROCESS, "it syncs nothing");
    record_mount("0:72", "/c", "overlay", "overlay", "rw,lowerdir=/l,upperdir=/u,workdir=/w,uuid=on,fsync=auto");
    assert_path("/c/x", POWER, "sda is a disk");
    record_mount("0:73", "/d", "overlay", "overlay", "ro,lowerdir=/l:/m");
    assert_path("/d/x", PROCESS, "cannot be seen from here");
    for (int i = 0; i < 80; i++)
        strcat(options, "/var/lib/containers/overlay/l/ABCDEFGHIJKLMNOPQRSTUVWXYZ:");
    strcat(options, "/l,upperdir=/u");
    record_mount("0:74", "/e", "overlay", "overlay", options);
    assert_path("/e/x", POWER, "overlay stores in /u");
}

static void what_a_server_stores_survives_the_crash_of_this_machine(void **state) {
    (void)state;
    static const char *const types[] = {"nfs", "nfs4", "cifs", "smb3", "ceph"};
    record_root();
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        record_mount("0:80", "/net", types[i], "server:/export", "rw,vers=4.2,hard,addr=10.0.0.1");
        assert_path("/net/a", OS_CRASH, "cannot be seen from here");
    }
    record_mount("0:80", "/net", "cifs", "//server/export", "rw,nostrictsync");
    assert_path("/net/a", PROCESS, "it syncs nothing");
}

static void what_is_not_known_survives_the_process(void **state) {
    (void)state;
    static const char *const types[] = {"fuse.sshfs", "fuse", "fuseblk", "9p", "virtiofs", "zfs", "bcachefs", "lustre"};
    record_root();
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        record_mount(i == 2 ? "8:0" : "0:90", "/other", types[i], "/dev/sda", "rw");
        assert_path("/other/a", PROCESS, i < 3 ? "is not known" : "cannot be seen from here");
    }
    assert_int_equal(unlink(scratch_path("machine/proc/self/mountinfo")), 0);
    assert_path("/a", PROCESS, "cannot be looked at");
}

int main(void) {
#define RECORDED_TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_scratch)
    const struct CMUnitTest tests[] = {
        RECORDED_TEST(a_disk_that_is_flushed_survives_power),
        RECORDED_TEST(a_disk_without_a_volatile_cache_survives_power),
        RECORDED_TEST(a_disk_that_was_set_to_write_through_against_its_own_word_survives_os_crash),
        RECORDED_TEST(a_disk_on_usb_is_believed_only_if_it_tells_of_a_cache),
        RECORDED_TEST(a_disk_of_whose_cache_nothing_is_known_survives_os_crash),
        RECORDED_TEST(a_virtual_or_remote_disk_survives_power_as_far_as_the_other_side_keeps_flushes),
        RECORDED_TEST(emmc_xen_and_multipath_disks_are_disks),
        RECORDED_TEST(persistent_memory_survives_power_unless_it_is_made_up),
        RECORDED_TEST(disks_that_are_memory_survive_the_process),
        RECORDED_TEST(a_block_device_of_an_unknown_kind_survives_the_process),
        RECORDED_TEST(a_disk_of_a_cluster_survives_os_crash),
        RECORDED_TEST(a_device_made_of_others_is_as_weak_as_the_weakest),
        RECORDED_TEST(a_device_made_of_others_that_hands_no_flush_on_survives_os_crash),
        RECORDED_TEST(a_mapped_device_without_disks_survives_the_process),
        RECORDED_TEST(a_loop_device_is_what_its_file_is_as_long_as_it_syncs_it),
        RECORDED_TEST(media_in_a_circle_come_to_an_end),
        RECORDED_TEST(a_file_is_what_the_disk_under_its_file_system_is),
        RECORDED_TEST(the_mount_on_top_counts_also_with_a_blank_in_its_name),
        RECORDED_TEST(file_systems_in_memory_survive_the_process),
        RECORDED_TEST(a_file_system_without_barriers_survives_os_crash),
        RECORDED_TEST(a_journal_on_another_device_counts_as_well),
        RECORDED_TEST(btrfs_is_as_weak_as_the_weakest_of_its_devices),
        RECORDED_TEST(an_overlay_is_what_its_upper_directory_is),
        RECORDED_TEST(what_a_server_stores_survives_the_crash_of_this_machine),
        RECORDED_TEST(what_is_not_known_survives_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
