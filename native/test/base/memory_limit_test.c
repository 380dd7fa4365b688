/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of control groups, from recorded files of /proc and /sys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory_limit.h"

#define MIB (1024ull * 1024)
#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNTS                                                                                                      \
    "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"                                                      \
    "32 23 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"                                       \
    "33 23 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"

static char root[64];
static struct memory_limit limit;

static int begin(void **state) {
    (void)state;
    strcpy(root, "memory-limit-XXXXXX");
    return mkdtemp(root) == NULL;
}

static int end(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* Puts a file into the recorded machine, with the folders above it. */
static void put(const char *path, const char *text) {
    char command[512], whole[256];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    snprintf(command, sizeof command, "mkdir -p $(dirname %s)", whole);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(whole, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void put_bytes(const char *group, const char *name, uint64_t bytes) {
    char path[256], text[32];
    snprintf(path, sizeof path, "%s/%s", group, name);
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)bytes);
    put(path, text);
}

static void put_v2(const char *group, uint64_t limit_bytes, uint64_t used_bytes) {
    put_bytes(group, "memory.max", limit_bytes);
    put_bytes(group, "memory.current", used_bytes);
}

static void put_v2_stat(const char *group, uint64_t inactive, uint64_t active, uint64_t slab) {
    char text[256], path[256];
    snprintf(path, sizeof path, "%s/memory.stat", group);
    snprintf(text, sizeof text, "anon 77\nfile 99\ninactive_file %llu\nactive_file %llu\nslab_reclaimable %llu\n",
             (unsigned long long)inactive, (unsigned long long)active, (unsigned long long)slab);
    put(path, text);
}

static void in_group_v2(const char *line) {
    put("/proc/self/cgroup", line);
    put("/proc/self/mountinfo", "23 1 8:1 / / rw - ext4 /dev/sda1 rw\n" V2_MOUNT);
    put("/proc/meminfo", "MemTotal: 8000 kB\nSwapFree: 0 kB\n");
}

/* The most memory, less what the kernel counts in batches. */
static uint64_t most(void) {
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN), page_bytes = sysconf(_SC_PAGESIZE);
    return limit.most_bytes - (uint64_t)cpus * (uint64_t)page_bytes * 128;
}

static void without_control_groups_there_is_no_limit(void **state) {
    (void)state;
    memory_limit_read(root, &limit);
    assert_true(limit.limit_bytes == MEMORY_UNLIMITED);
    assert_int_equal(memory_limit_judge(&limit, 1ull << 60), MEMORY_FITS);
}

static void a_group_without_a_limit_has_none(void **state) {
    (void)state;
    in_group_v2("0::/a\n");
    put("/sys/fs/cgroup/a/memory.max", "max\n");
    put_bytes("/sys/fs/cgroup/a", "memory.current", 5 * MIB);
    memory_limit_read(root, &limit);
    assert_true(limit.limit_bytes == MEMORY_UNLIMITED && limit.left_bytes == MEMORY_UNLIMITED);
    assert_true(limit.most_bytes == MEMORY_UNLIMITED);
}

static void the_lowest_limit_of_all_groups_above_counts(void **state) {
    (void)state;
    in_group_v2("0::/a/b/c\n");
    put_v2("/sys/fs/cgroup/a/b/c", 900 * MIB, 10 * MIB);
    put_v2("/sys/fs/cgroup/a/b", 300 * MIB, 20 * MIB);
    put_v2("/sys/fs/cgroup/a", 400 * MIB, 390 * MIB);
    memory_limit_read(root, &limit);
    assert_int_equal(limit.limit_bytes, 300 * MIB);
    assert_string_equal(limit.file, "/sys/fs/cgroup/a/b/memory.max");
    assert_int_equal(limit.left_bytes, 10 * MIB); /* left in /a, whose other groups use the most */
}

static void the_group_at_the_mount_counts_as_in_a_container(void **state) {
    (void)state;
    in_group_v2("0::/\n");
    put_v2("/sys/fs/cgroup", 64 * MIB, MIB);
    memory_limit_read(root, &limit);
    assert_int_equal(limit.limit_bytes, 64 * MIB);
    assert_string_equal(limit.file, "/sys/fs/cgroup/memory.max");
}

static void cache_that_rests_is_left_and_cache_in_use_can_be_had(void **state) {
    (void)state;
    in_group_v2("0::/a\n");
    put_v2("/sys/fs/cgroup/a", 100 * MIB, 90 * MIB);
    put_v2_stat("/sys/fs/cgroup/a", 20 * MIB, 5 * MIB, 3 * MIB);
    memory_limit_read(root, &limit);
    assert_int_equal(limit.left_bytes, 30 * MIB);
    assert_int_equal(most(), 38 * MIB);
    assert_int_equal(memory_limit_judge(&limit, 30 * MIB), MEMORY_FITS);
    assert_int_equal(memory_limit_judge(&limit, 30 * MIB + 1), MEMORY_IS_SHORT);
    assert_int_equal(memory_limit_judge(&limit, limit.most_bytes), MEMORY_IS_SHORT);
    assert_int_equal(memory_limit_judge(&limit, limit.most_bytes + 1), MEMORY_IS_LACKING);
    assert_int_equal(memory_limit_judge(&limit, 100 * MIB + 1), MEMORY_IS_LACKING);
}

/* Nothing says then how much the kernel can take back. */
static void without_its_figures_only_the_limit_refuses(void **state) {
    (void)state;
    in_group_v2("0::/a\n");
    put_v2("/sys/fs/cgroup/a", 100 * MIB, 90 * MIB);
    memory_limit_read(root, &limit);
    assert_int_equal(memory_limit_judge(&limit, 10 * MIB), MEMORY_FITS);
    assert_int_equal(memory_limit_judge(&limit, 11 * MIB), MEMORY_IS_SHORT);
    assert_int_equal(memory_limit_judge(&limit, 100 * MIB), MEMORY_IS_SHORT);
    assert_int_equal(memory_limit_judge(&limit, 100 * MIB + 1), MEMORY_IS_LACKING);
}

static void swap_of_the_host_counts_as_far_as_the_group_may_have_it(void **state) {
    (void)state;
    in_group_v2("0::/a\n");
    put("/proc/meminfo", "MemTotal: 8000 kB\nSwapFree: 51200 kB\n");
    put_v2("/sys/fs/cgroup/a", 100 * MIB, 90 * MIB);
    put_v2_stat("/sys/fs/cgroup/a", 0, 0, 0);
    memory_limit_read(root, &limit);
    assert_int_equal(most(), 60 * MIB);
    put_bytes("/sys/fs/cgroup/a", "memory.swap.max", 30 * MIB);
    put_bytes("/sys/fs/cgroup/a", "memory.swap.current", 10 * MIB);
    memory_limit_read(root, &limit);
    assert_int_equal(most(), 30 * MIB);
    put_bytes("/sys/fs/cgroup/a", "memory.swap.max", 0);
    memory_limit_read(root, &limit);
    assert_int_equal(most(), 10 * MIB);
}

static void version_one_is_read_beside_a_second_hierarchy_without_memory(void **state) {
    (void)state;
    const char *group = "/sys/fs/cgroup/memory/docker/abc";
    put("/proc/self/cgroup", "5:cpu:/x\n4:hugetlb,memory:/docker/abc\n0::/unified\n");
    put("/proc/self/mountinfo", V1_MOUNTS);
    put_bytes("/sys/fs/cgroup/memory", "memory.limit_in_bytes", 9223372036854771712ull);
    put_bytes("/sys/fs/cgroup/memory/docker", "memory.limit_in_bytes", 9223372036854771712ull);
    put_bytes(group, "memory.limit_in_bytes", 128 * MIB);
    put_bytes(group, "memory.usage_in_bytes", 100 * MIB);
    put_bytes(group, "memory.kmem.usage_in_bytes", 2 * MIB);
    put("/sys/fs/cgroup/memory/docker/abc/memory.stat",
        "inactive_file 1\ntotal_inactive_file 4194304\ntotal_active_file 8388608\n");
    memory_limit_read(root, &limit);
    assert_int_equal(limit.limit_bytes, 128 * MIB);
    assert_string_equal(limit.file, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes");
    assert_int_equal(limit.left_bytes, 32 * MIB);
    assert_int_equal(most(), 42 * MIB);
}

static void version_one_has_as_much_swap_as_both_limits_leave(void **state) {
    (void)state;
    const char *group = "/sys/fs/cgroup/memory/a";
    put("/proc/self/cgroup", "4:memory:/a\n");
    put("/proc/self/mountinfo", V1_MOUNTS);
    put("/proc/meminfo", "SwapFree: 51200 kB\n");
    put_bytes(group, "memory.limit_in_bytes", 100 * MIB);
    put_bytes(group, "memory.usage_in_bytes", 90 * MIB);
    put_bytes(group, "memory.memsw.limit_in_bytes", 120 * MIB);
    put("/sys/fs/cgroup/memory/a/memory.stat", "total_inactive_file 0\n");
    memory_limit_read(root, &limit);
    assert_int_equal(most(), 30 * MIB);
}

/* A container without its own namespace of control groups sees only its own group, under the host's path. */
static void a_mount_of_a_part_of_the_groups_is_understood(void **state) {
    (void)state;
    put("/proc/self/cgroup", "4:memory:/docker/abc/inner\n");
    put("/proc/self/mountinfo", "32 23 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    put_bytes("/sys/fs/cgroup/memory/inner", "memory.limit_in_bytes", 50 * MIB);
    put_bytes("/sys/fs/cgroup/memory", "memory.limit_in_bytes", 60 * MIB);
    memory_limit_read(root, &limit);
    assert_string_equal(limit.file, "/sys/fs/cgroup/memory/inner/memory.limit_in_bytes");
    put("/proc/self/cgroup", "4:memory:/docker/abcd\n"); /* not below it */
    memory_limit_read(root, &limit);
    assert_string_equal(limit.file, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
}

static void figures_of_more_use_than_the_limit_leave_nothing(void **state) {
    (void)state;
    in_group_v2("0::/a\n");
    put_v2("/sys/fs/cgroup/a", 100 * MIB, 120 * MIB);
    put_v2_stat("/sys/fs/cgroup/a", 0, 0, 0);
    memory_limit_read(root, &limit);
    assert_int_equal(limit.left_bytes, 0);
    assert_int_equal(memory_limit_judge(&limit, 99 * MIB), MEMORY_IS_LACKING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_control_groups_there_is_no_limit, begin, end),
        cmocka_unit_test_setup_teardown(a_group_without_a_limit_has_none, begin, end),
        cmocka_unit_test_setup_teardown(the_lowest_limit_of_all_groups_above_counts, begin, end),
        cmocka_unit_test_setup_teardown(the_group_at_the_mount_counts_as_in_a_container, begin, end),
        cmocka_unit_test_setup_teardown(cache_that_rests_is_left_and_cache_in_use_can_be_had, begin, end),
        cmocka_unit_test_setup_teardown(without_its_figures_only_the_limit_refuses, begin, end),
        cmocka_unit_test_setup_teardown(swap_of_the_host_counts_as_far_as_the_group_may_have_it, begin, end),
        cmocka_unit_test_setup_teardown(version_one_is_read_beside_a_second_hierarchy_without_memory, begin, end),
        cmocka_unit_test_setup_teardown(version_one_has_as_much_swap_as_both_limits_leave, begin, end),
        cmocka_unit_test_setup_teardown(a_mount_of_a_part_of_the_groups_is_understood, begin, end),
        cmocka_unit_test_setup_teardown(figures_of_more_use_than_the_limit_leave_nothing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
