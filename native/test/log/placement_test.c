/* SPDX-License-Identifier: Apache-2.0 */
/* The places of threads and image of an open log: the kernel says them, not the library. */
#include "placed_log.h"

#include <sys/mman.h>

#include "base/residence.h"
#include "log/log.h"

static void threads_have_names_and_run_anywhere_unless_told(void **state) {
    (void)state;
    burst_t *log = open_small();
    int priority;
    cpu_set_t own, drain, committer;
    sched_getaffinity(0, sizeof own, &own);
    assert_true(get_cpus_of("burst-drain", &drain) && CPU_EQUAL(&drain, &own));
    assert_true(get_cpus_of("burst-commit", &committer) && CPU_EQUAL(&committer, &own));
    assert_int_equal(policy_of("burst-commit", &priority), SCHED_OTHER);
    assert_string_equal(told(log, BURST_INFO, "burst-drain"), "");
    burst_close(log);
}

static void each_thread_runs_on_its_own_cpus(void **state) {
    (void)state;
    need_two_cpus(__func__);
    burst_config_t config = small_config();
    config.drain_cpu = "1";
    config.commit_cpu = "0";
    burst_t *log = open_with(&config);
    assert_int_equal(cpus_of("burst-drain"), 1ul << 1);
    assert_int_equal(cpus_of("burst-commit"), 1ul << 0);
    const char *line = told(log, BURST_INFO, "burst-drain");
    assert_non_null(strstr(line, "burst-drain on CPU 1, SCHED_OTHER; burst-commit on CPU 0, SCHED_OTHER; image"));
    assert_true(burst_enqueue(log, "x", 1, 0) == 1 && burst_await_durable(log, 1, SECOND_NS * 30) == 1);
    burst_close(log);
    config.drain_cpu = " 0-1";
    config.commit_cpu = "";
    log = open_with(&config);
    assert_int_equal(cpus_of("burst-drain") & 3, 3);
    burst_close(log);
}

static void cpus_that_are_not_there_are_refused_naming_those_that_are(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.drain_cpu = "0,4999";
    assert_refused(&config, EINVAL, "drainCpu=\"0,4999\"");
    assert_refused(&config, EINVAL, "no CPU 4999");
    assert_refused(&config, EINVAL, "online here: 0");
    config = small_config();
    config.commit_cpu = "one";
    assert_refused(&config, EINVAL, "commitCpu=\"one\"");
    assert_refused(&config, EINVAL, "\"3-5,8\"");
    config = small_config();
    config.realtime_priority = 100;
    assert_refused(&config, EINVAL, "realtimePriority=\"100\"");
    config.realtime_priority = -1;
    assert_refused(&config, EINVAL, "1 to 99");
    config = small_config();
    config.huge_pages = 2;
    assert_refused(&config, EINVAL, "hugePages=\"2\"");
    struct stat status;
    assert_int_equal(stat(ring_path, &status), -1); /* nothing was touched */
}

static struct image_residence image_of(const burst_t *log) {
    struct image_residence residence;
    if (image_residence_of("/proc/self", log->ring->geometry.capacity_bytes, &residence) < 0) {
        fail_msg("the image of %llu bytes is not found", (unsigned long long)log->ring->geometry.capacity_bytes);
    }
    return residence;
}

static int host_gives_huge_pages(void) {
    char text[64];
    return read_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text) == 0 &&
           (strstr(text, "[always]") != NULL || strstr(text, "[madvise]") != NULL);
}

/* Asks for huge pages as the image does. If memory is short or too scattered this gets none either. */
static int host_has_huge_pages_left(void) {
    const size_t bytes = 12 << 20; /* 8 MiB fit into it at any address; no other mapping has this size */
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct image_residence own;
    assert_true(memory != MAP_FAILED);
    assert_int_equal(madvise(memory, bytes, MADV_HUGEPAGE) | madvise(memory, bytes, MADV_DONTFORK), 0);
    memset(memory, 1, bytes);
    assert_int_equal(image_residence_of("/proc/self", bytes, &own), 0);
    munmap(memory, bytes);
    return own.huge_bytes >= 8 << 20;
}

static void the_image_is_in_huge_pages_unless_they_are_off(void **state) {
    (void)state;
    if (!host_gives_huge_pages()) {
        SKIP_WITH("this host has transparent huge pages switched off");
    }
    burst_config_t config = small_config();
    config.ring_bytes = 9 << 20;
    burst_t *log = open_with(&config);
    struct image_residence image = image_of(log);
    if (image.huge_bytes < 2 << 20 && !host_has_huge_pages_left()) {
        SKIP_WITH("this host has no memory for huge pages left");
    }
    assert_true(image.huge_bytes >= 2 << 20);
    assert_true(image.huge_bytes <= image.bytes);
    burst_close(log);
    config.huge_pages = BURST_HUGE_PAGES_OFF;
    log = open_with(&config);
    image = image_of(log);
    assert_int_equal(image.huge_bytes, 0);
    assert_non_null(strstr(told(log, BURST_INFO, "image"), "0 of 8 MiB in huge pages"));
    burst_close(log);
}

static void the_image_is_seen_to_be_locked(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP_WITH("the sanitizers replace mlock by nothing");
#endif
    burst_t *log = open_small();
    const struct image_residence image = image_of(log);
    if (told(log, BURST_INFO, "mlock")[0] == '\0') {
        assert_int_equal(image.locked_bytes, image.bytes);
    } else {
        assert_int_equal(image.locked_bytes, 0);
    }
    burst_close(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(threads_have_names_and_run_anywhere_unless_told),
        TEST(each_thread_runs_on_its_own_cpus),
        TEST(cpus_that_are_not_there_are_refused_naming_those_that_are),
        TEST(the_image_is_in_huge_pages_unless_they_are_off),
        TEST(the_image_is_seen_to_be_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
