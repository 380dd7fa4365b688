/* SPDX-License-Identifier: Apache-2.0 */
/* Ring files from elsewhere: with holes, with unwritten blocks, with blocks that a copy shares. */
#include "cli/loop_fixture.h"

#include "base/error.h"
#include "device/extents.h"
#include "device/open.h"

#define RING_BYTES (4u << 20)

static char ring[2 * PATH_BYTES];

#define NEED_FILE_SYSTEM(type, mkfs, bytes)                                                                            \
    NEED_LOOP(bytes);                                                                                                  \
    if (!mount_here(type, mkfs))                                                                                       \
    SKIP_WITH("no %s here", type)

static int mount_here(const char *type, const char *mkfs) {
    char command[256];
    snprintf(command, sizeof command, "%s %s >/dev/null 2>&1", mkfs, loop.path);
    snprintf(ring, sizeof ring, "%s", scratch_path("mounted/ring"));
    return system(command) == 0 && mkdir(scratch_path("mounted"), 0700) == 0 &&
           mount(loop.path, scratch_path("mounted"), type, 0, NULL) == 0;
}

#define ON_EXT4 NEED_FILE_SYSTEM("ext4", "mkfs.ext4 -q -F -m 0", 48u << 20)

static uint64_t missing_bytes(const char *path) {
    uint64_t missing = 0, begin, end = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    while (extents_find_missing(fd, end, RING_BYTES, &begin, &end) == 1)
        missing += end - begin;
    close(fd);
    return missing;
}

static char events[4096];

static void collect_events(burst_t *log) {
    burst_event_t event = {.struct_bytes = sizeof event};
    events[0] = '\0';
    while (burst_next_event(log, &event, 0) > 0) {
        const size_t used = strlen(events);
        snprintf(events + used, sizeof events - used, "%s\n", event.text);
    }
}

static burst_t *open_ring(void) {
    burst_t *log;
    open_at(ring, &log);
    collect_events(log);
    return log;
}

/* Makes a ring that still holds each of its records. */
static void make_ring_with_records(void) {
    burst_t *log;
    assert_int_equal(run("format --size 4M %s", ring), 0);
    open_at(ring, &log);
    for (int n = 0; n < 20; n++)
        assert_true(burst_append(log, "a record\n", 9, 0) > 0);
    assert_int_equal(burst_close(log), 0);
}

static void copy_with(const char *command) {
    shell("cd %s && cp %s ring copy && mv copy ring && sync -f .", scratch_path("mounted"), command);
    assert_true(missing_bytes(ring) > 0);
}

/* Compares the ring with its first copy, by cmp. */
static void assert_unchanged_by(int (*call)(struct device *device, uint64_t *taken), uint64_t wanted) {
    struct device *device;
    uint64_t taken;
    shell("cp %s %s", ring, scratch_path("before"));
    assert_int_equal(device_open(&platform_linux, ring, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    if (call(device, &taken) < 0)
        fail_msg("%s", error_text());
    device_close(device);
    assert_int_equal(taken, wanted);
    shell("cmp %s %s", ring, scratch_path("before"));
}

static void holes_become_blocks_and_nothing_changes(void **state) {
    (void)state;
    ON_EXT4;
    make_ring_with_records();
    copy_with("--sparse=always");
    assert_unchanged_by(extents_take, missing_bytes(ring));
    assert_int_equal(missing_bytes(ring), 0);
    assert_unchanged_by(extents_take, 0);
}

static void unwritten_blocks_are_written_and_nothing_changes(void **state) {
    (void)state;
    ON_EXT4;
    make_ring_with_records();
    copy_with("--sparse=always");
    shell("fallocate -l %u %s && sync -f %s", RING_BYTES, ring, ring);
    assert_unchanged_by(extents_take, missing_bytes(ring));
    assert_int_equal(missing_bytes(ring), 0);
}

static void shared_blocks_become_its_own_and_the_copy_stays(void **state) {
    (void)state;
    NEED_FILE_SYSTEM("xfs", "mkfs.xfs -q -f -m reflink=1", 320u << 20);
    make_ring_with_records();
    shell("cp --reflink=always %s %s.origin && cp %s %s && sync -f %s", ring, ring, ring, scratch_path("origin"), ring);
    assert_int_equal(missing_bytes(ring), RING_BYTES);
    assert_unchanged_by(extents_take, RING_BYTES);
    assert_int_equal(missing_bytes(ring), 0);
    shell("cmp %s.origin %s", ring, scratch_path("origin"));
}

static void a_file_that_has_them_is_not_written(void **state) {
    (void)state;
    struct stat before, after;
    ON_EXT4;
    make_ring_with_records();
    assert_int_equal(stat(ring, &before), 0);
    assert_unchanged_by(extents_take, 0);
    assert_int_equal(stat(ring, &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
}

static void fill_file_system(void) {
    shell("head -c 64M /dev/urandom > %s/filler 2>/dev/null; sync -f %s", scratch_path("mounted"),
          scratch_path("mounted"));
}

/* The open has given the sparse ring all its blocks: its first lap needs no space of the full file system. */
static void a_sparse_ring_goes_on_when_its_file_system_is_full(void **state) {
    (void)state;
    ON_EXT4;
    make_ring_with_records();
    copy_with("--sparse=always");
    burst_t *log = open_ring();
    if (strstr(events, "had no blocks of its own for") == NULL)
        fail_msg("not told: %s", events);
    fill_file_system();
    for (unsigned n = 0; n < 2 * RING_BYTES / 4096; n++) {
        if (burst_append(log, "a record\n", 9, 0) <= 0)
            fail_msg("append %u: %s", n, burst_last_error());
    }
    assert_int_equal(burst_close(log), 0);
    log = open_ring();
    assert_null(strstr(events, "had no blocks of its own for"));
    assert_int_equal(burst_close(log), 0);
}

static void a_copy_on_write_ring_is_told(void **state) {
    (void)state;
    NEED_FILE_SYSTEM("btrfs", "mkfs.btrfs -q -f", 160u << 20);
    make_ring_with_records();
    burst_t *log = open_ring();
    assert_null(strstr(events, "copy-on-write")); /* the engine makes rings without it */
    assert_int_equal(burst_close(log), 0);
    shell("cd %s && cp --reflink=never ring copy && mv copy ring && sync -f .", scratch_path("mounted"));
    log = open_ring();
    if (strstr(events, "is copy-on-write, so that each append takes new blocks") == NULL)
        fail_msg("not told: %s", events);
    assert_int_equal(burst_close(log), 0);
    shell("cd %s && touch nocow && chattr +C nocow && cat ring > nocow && mv nocow ring && sync -f .",
          scratch_path("mounted"));
    log = open_ring(); /* as the message advises */
    assert_null(strstr(events, "copy-on-write"));
    assert_int_equal(burst_close(log), 0);
}

/* In a mapped ring a hole without space for it would be a SIGBUS. */
static void a_mapped_ring_gets_them_too(void **state) {
    (void)state;
    ON_EXT4;
    burst_config_t config;
    burst_config_init(&config);
    config.ring = ring;
    config.ring_bytes = RING_BYTES;
    config.main = main_of(scratch_path("log"));
    config.durability = BURST_DURABILITY_PROCESS;
    config.io = BURST_IO_MAPPED;
    burst_t *log = open_with(&config);
    assert_true(burst_append(log, "a record\n", 9, 0) > 0);
    assert_int_equal(burst_close(log), 0);
    copy_with("--sparse=always");
    log = open_with(&config);
    fill_file_system();
    for (unsigned n = 0; n < 2 * RING_BYTES / 4096; n++)
        assert_true(burst_append(log, "a record of a mapped ring\n", 26, 0) > 0);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(missing_bytes(ring), 0);
}

static void without_room_it_is_refused_untouched(void **state) {
    (void)state;
    struct stat before, after;
    ON_EXT4;
    make_ring_with_records();
    copy_with("--sparse=always");
    fill_file_system();
    shell("truncate -s -1M %s && sync -f %s", scratch_path("mounted/filler"), ring); /* space for a part of the ring */
    shell("cp --sparse=always %s %s", ring, scratch_path("before"));
    assert_int_equal(stat(ring, &before), 0);
    assert_ring_refused(ring, ENOSPC, "make room");
    assert_int_equal(stat(ring, &after), 0);
    assert_int_equal(before.st_blocks, after.st_blocks);
    shell("cmp %s %s", ring, scratch_path("before"));
    assert_int_equal(run("format --force %s", ring), 4);
    assert_said("make room");
    assert_int_equal(unlink(scratch_path("mounted/filler")), 0);
    assert_int_equal(burst_close(open_ring()), 0);
}

static void a_file_that_is_no_ring_is_left_sparse(void **state) {
    (void)state;
    ON_EXT4;
    shell("truncate -s %u %s", RING_BYTES, ring);
    assert_ring_refused(ring, ENODATA, "");
    assert_int_equal(missing_bytes(ring), RING_BYTES);
    assert_int_equal(run("format %s", ring), 0);
    assert_said("4194304 bytes of it had no blocks of their own, and were written");
    assert_int_equal(missing_bytes(ring), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(holes_become_blocks_and_nothing_changes),
        DEVICE_TEST(unwritten_blocks_are_written_and_nothing_changes),
        DEVICE_TEST(shared_blocks_become_its_own_and_the_copy_stays),
        DEVICE_TEST(a_file_that_has_them_is_not_written),
        DEVICE_TEST(a_sparse_ring_goes_on_when_its_file_system_is_full),
        DEVICE_TEST(a_copy_on_write_ring_is_told),
        DEVICE_TEST(a_mapped_ring_gets_them_too),
        DEVICE_TEST(without_room_it_is_refused_untouched),
        DEVICE_TEST(a_file_that_is_no_ring_is_left_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
