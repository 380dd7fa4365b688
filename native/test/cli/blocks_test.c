/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of other sizes, other blocks and other names. */
#include "cli/loop_fixture.h"

#include <sched.h>
#include <sys/sysinfo.h>

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
        assert_ring_refused(loop.path, ENODATA, loop.path);
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
    assert_int_equal(run("recover %s", scratch_path("backing")), 0); /* an image of the device still opens */
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
    use_ring(loop.path);
    remove_loop(&loop);
    assert_int_equal(truncate(scratch_path("backing"), 3 * MIB), 0);
    assert_true(make_loop(scratch_path("backing"), &loop));
    assert_int_equal(run("dump %s", loop.path), 1);
    assert_said("\"a record\\n\"");
    assert_ring_refused(loop.path, EUCLEAN, "has 3145728 bytes but was formatted with 4194304");
    assert_int_equal(run("recover %s", loop.path), 1);
    assert_int_equal(run("format --force %s", loop.path), 1); /* nobody knows how many records wait */
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
    config.main = main_of(scratch_path("log"));
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
    use_ring(loop.path);
    assert_int_equal(run("info %s", loop.path), 0);
    assert_said("log files\n  -\n    name: "); /* the log file's medium has its own class */
    assert_non_null(strstr(strstr(output, "log files\n"), "\n    survives: "));
    assert_int_equal(run("format --force %s", loop.path), 0);
    assert_int_equal(run("info --json %s", loop.path), 0);
    assert_int_equal(sscanf(strstr(output, "\"uuid\": "), "\"uuid\": \"%32s", second), 1);
    assert_string_not_equal(first, second);
    assert_said("\"write_cache\": ");
    assert_said("\"physical_block_bytes\": ");
    assert_said("\"rotational\": ");
}

/* In a /dev of its own the device has another node than at the last boot; the link still leads to it. */
static int find_by_lasting_name(void) {
    struct stat status;
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return 77;
    if (stat(loop.path, &status) < 0 || mount("burst-test", "/dev", "tmpfs", 0, NULL) < 0 ||
        mkdir("/dev/disk", 0700) < 0 || mkdir("/dev/disk/by-id", 0700) < 0 ||
        mknod("/dev/moved", S_IFBLK | 0600, status.st_rdev) < 0 ||
        symlink("../../moved", "/dev/disk/by-id/card-17") < 0)
        return 1;
    if (run("info /dev/moved") != 0 || strstr(output, "lasting name: /dev/disk/by-id/card-17") == NULL)
        return 2;
    return run("recover /dev/disk/by-id/card-17") == 0 && strstr(output, "records moved: 0") != NULL ? 0 : 3;
}

static void a_ring_is_found_again_by_the_name_that_lasts(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    assert_int_equal(run("format %s", loop.path), 0);
    use_ring(loop.path);
    const pid_t child = fork();
    if (child == 0)
        _exit(find_by_lasting_name());
    int status;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 77)
        SKIP_WITH("no mount namespace here; wants root");
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(rings_work_on_any_logical_block_size),
        DEVICE_TEST(a_device_of_an_odd_size_is_used_up_to_its_last_whole_block),
        DEVICE_TEST(a_device_that_is_too_small_is_refused_with_the_least_size),
        DEVICE_TEST(a_large_device_gets_a_ring_that_memory_can_hold),
        DEVICE_TEST(a_ring_on_other_logical_blocks_is_refused_naming_both_and_can_be_read),
        DEVICE_TEST(a_ring_on_a_larger_device_keeps_its_size_and_tells),
        DEVICE_TEST(a_ring_on_a_smaller_device_is_refused_naming_both_sizes),
        DEVICE_TEST(an_open_never_formats_a_device_and_says_how_to_name_it),
        DEVICE_TEST(a_ring_is_found_again_by_the_name_that_lasts),
        DEVICE_TEST(info_tells_rings_apart_by_their_uuid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
