/* SPDX-License-Identifier: Apache-2.0 */
/* An open's promises about its media, and its refusals. */
#include "device/media.h"
#include "log_fixture.h"

static int begin(void **state) {
    return make_scratch(state) < 0 || chdir(scratch) < 0 || mkdir("memory", 0700) < 0 || mkdir("point", 0700) < 0;
}

static int end(void **state) {
    umount2("memory", MNT_DETACH);
    umount2("point", MNT_DETACH);
    return chdir("..") < 0 ? -1 : remove_scratch(state);
}

static burst_config_t config_for(const char *ring, const char *file, uint32_t durability) {
    burst_config_t config = small_config();
    snprintf(ring_path, sizeof ring_path, "%s", ring);
    snprintf(file_path, sizeof file_path, "%s", file);
    config.durability = durability;
    return config;
}

static uint32_t class_of_here(void) {
    const burst_config_t config = config_for("probe.ring", "probe.log", BURST_DURABILITY_PROCESS);
    burst_t *log = open_with(&config);
    char text[1024];
    const int survives = burst_durability_statement(log, text, sizeof text);
    burst_close(log);
    return (uint32_t)survives;
}

#define NEED_MEMORY_AND_DISK()                                                                                         \
    if (mount("burst-test", "memory", "tmpfs", 0, "size=16m") < 0)                                                     \
        SKIP_WITH("mounting a tmpfs failed: %s", strerror(errno));                                                     \
    if (class_of_here() != BURST_DURABILITY_POWER)                                                                     \
    SKIP_WITH("%s does not survive power itself", scratch)

static void assert_sentence(const char *part) {
    if (strstr(burst_last_error(), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", burst_last_error(), part);
}

static void a_ring_in_memory_is_refused_with_its_reason_and_the_fix(void **state) {
    (void)state;
    NEED_MEMORY_AND_DISK();
    burst_config_t config = config_for("memory/ring", "log", BURST_DURABILITY_POWER);
    assert_refused(&config, EMEDIUMTYPE,
                   "memory/ring survives process only, not power: tmpfs keeps its files in memory");
    assert_sentence("put the ring on another medium, or set durability=\"process\"");
    assert_int_equal(access("memory/ring", F_OK), -1); /* the refused open left nothing behind */
    config = config_for("memory/ring", "log", BURST_DURABILITY_OS_CRASH);
    assert_refused(&config, EMEDIUMTYPE, "survives process only, not os-crash");
}

static void a_log_file_in_memory_is_refused_although_the_ring_is_safe(void **state) {
    (void)state;
    NEED_MEMORY_AND_DISK();
    burst_config_t config = config_for("ring", "memory/log", BURST_DURABILITY_POWER);
    assert_refused(&config, EMEDIUMTYPE, "log file ");
    assert_sentence("memory/log survives process only, not power: tmpfs keeps its files in memory");
    assert_sentence("put it elsewhere, or set durability=\"process\"");
    assert_int_equal(symlink("memory/log", "log"), 0); /* the place of the file counts, not that of its name */
    config = config_for("ring", "log", BURST_DURABILITY_POWER);
    assert_refused(&config, EMEDIUMTYPE, "survives process only, not power: tmpfs");
}

static void ring_and_log_file_that_both_survive_too_little_are_named_in_one_sentence(void **state) {
    (void)state;
    NEED_MEMORY_AND_DISK();
    burst_config_t config = config_for("memory/ring", "memory/log", BURST_DURABILITY_POWER);
    assert_refused(&config, EMEDIUMTYPE, "neither ring ");
    assert_sentence("survives process: tmpfs keeps its files in memory) nor log file ");
    assert_sentence(" survives power; put them elsewhere, or set durability=\"process\"");
}

static void an_open_log_tells_class_and_evidence_of_both(void **state) {
    (void)state;
    NEED_MEMORY_AND_DISK();
    burst_config_t config = config_for("ring", "memory/log", BURST_DURABILITY_PROCESS);
    burst_t *log = open_with(&config);
    char text[1024];
    assert_int_equal(burst_durability_statement(log, text, sizeof text), BURST_DURABILITY_PROCESS);
    const char *second = strchr(text, '\n');
    assert_non_null(second);
    assert_non_null(strstr(text, "ring survives power: "));
    assert_true(strstr(text, "ring survives power: ") < second);
    assert_non_null(strstr(second, "memory/log survives process: tmpfs keeps its files in memory"));
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    assert_int_equal(burst_stats(log, &stats), 0);
    assert_int_equal(stats.survives, BURST_DURABILITY_PROCESS);
    int told = 0;
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 0) == 1) {
        told += strstr(event.text, "ring survives power: ") != NULL && event.severity == BURST_INFO;
        told += strstr(event.text, "log survives process: tmpfs") != NULL && event.severity == BURST_INFO;
    }
    assert_int_equal(told, 2);
    burst_close(log);
    assert_int_equal(burst_durability_statement(log, text, sizeof text), BURST_DURABILITY_PROCESS);

    config = config_for("ring2", "log2", BURST_DURABILITY_POWER);
    log = open_with(&config);
    assert_int_equal(burst_durability_statement(log, text, sizeof text), BURST_DURABILITY_POWER);
    burst_close(log);
}

static void a_file_system_without_barriers_is_good_for_os_crash_and_refused_for_power(void **state) {
    (void)state;
    struct loop_device loop;
    if (class_of_here() != BURST_DURABILITY_POWER)
        SKIP_WITH("%s does not survive power itself", scratch);
    make_file("disk", 16u << 20);
    if (system("mkfs.ext4 -q -F disk >/dev/null 2>&1") != 0 || !make_loop(scratch_path("disk"), &loop))
        SKIP_WITH("no mkfs.ext4 or no loop device here");
    assert_int_equal(mount(loop.path, "point", "ext4", 0, "nobarrier"), 0);
    burst_config_t config = config_for("point/ring", "log", BURST_DURABILITY_POWER);
    assert_refused(&config, EMEDIUMTYPE, "survives os-crash only, not power");
    assert_sentence("is mounted without write barriers");
    config.durability = BURST_DURABILITY_OS_CRASH;
    burst_t *log = open_with(&config);
    assert_true(burst_append(log, "a\n", 2, 0) > 0);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(umount("point"), 0);
    remove_loop(&loop);
}

int main(void) {
#define DURABILITY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        DURABILITY_TEST(a_ring_in_memory_is_refused_with_its_reason_and_the_fix),
        DURABILITY_TEST(a_log_file_in_memory_is_refused_although_the_ring_is_safe),
        DURABILITY_TEST(ring_and_log_file_that_both_survive_too_little_are_named_in_one_sentence),
        DURABILITY_TEST(an_open_log_tells_class_and_evidence_of_both),
        DURABILITY_TEST(a_file_system_without_barriers_is_good_for_os_crash_and_refused_for_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
