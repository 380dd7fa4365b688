/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A drive acknowledges writes with forced unit access (FUA) and yet keeps them in its volatile cache, but honours a
 * flush; another drive honours both. Each is a file of the failing file system, which sees RWF_DSYNC as a flag of the
 * write, and fdatasync as a call of its own. On the first drive an engine that relies on FUA loses records, and one
 * that flushes loses none. The plug-pull test must tell them apart.
 */
#include "harness/rigs/rig.h"

#include <sys/wait.h>

static void cut_power(void) {
    rig_end_faultfs(SIGTERM);
}

static void power_on(void) {
    atomic_store(&faults->cache, FAULT_CACHE_NONE);
    rig_mount_faultfs();
}

static burst_t *open_by(uint32_t io) {
    burst_config_t config = small_config();
    config.ring = "fuse/ring";
    config.io = io;
    return open_with(&config);
}

/* Returns how many of 30 acknowledged records are missing after a cut. */
static unsigned lost_by(enum fault_cache cache, uint32_t io) {
    char expected[32];
    size_t bytes;
    unsigned lost = 0;
    burst_close(open_by(io));
    burst_t *log = open_by(io);
    atomic_store(&faults->cache, cache);
    assert_int_equal(rename("plain/log", "plain/log.moved"), 0);
    assert_int_equal(mkdir("plain/log", 0700), 0); /* the drain can write nothing: the ring must hold it all */
    for (unsigned n = 0; n < 30; n++) {
        const int length = snprintf(expected, sizeof expected, "record %02u\n", n);
        assert_true(burst_append(log, expected, (size_t)length, 0) > 0);
    }
    cut_power();
    burst_close(log);
    assert_int_equal(rmdir("plain/log"), 0);
    power_on();
    burst_close(open_by(io));
    char *text = read_file(&bytes);
    for (unsigned n = 0; n < 30; n++) {
        snprintf(expected, sizeof expected, "record %02u\n", n);
        lost += strstr(text, expected) == NULL;
    }
    free(text);
    return lost;
}

static void a_ring_that_rests_on_fua_loses_records(void **state) {
    (void)state;
    assert_int_equal(lost_by(FAULT_CACHE_NO_FUA, BURST_IO_PWRITE), 30);
}

static void a_ring_that_flushes_loses_none(void **state) {
    (void)state;
    assert_int_equal(lost_by(FAULT_CACHE_NO_FUA, BURST_IO_FLUSH), 0);
}

static void on_an_honest_drive_fua_loses_none(void **state) {
    (void)state;
    assert_int_equal(lost_by(FAULT_CACHE_HONEST, BURST_IO_PWRITE), 0);
}

static void on_an_honest_drive_flushes_lose_none(void **state) {
    (void)state;
    assert_int_equal(lost_by(FAULT_CACHE_HONEST, BURST_IO_FLUSH), 0);
}

/* ------------------------------------------------------------------------------------------- the plug-pull test */

static char said[8192];
static int was_in_turns; /* the test tried several engines: io_uring works here */

static int run_cli(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run_cli(const char *format, ...) {
    char command[512];
    int used = snprintf(command, sizeof command, "%s ", RIG_CLI);
    va_list arguments;
    va_start(arguments, format);
    used += vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    snprintf(command + used, sizeof command - (size_t)used, " 2>&1");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static void assert_said(const char *words) {
    if (strstr(said, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, said);
}

/* Cuts the power behind so many blocks and returns the exit code of the check. It makes the file first, without the
 * cache. */
static int check_after(enum fault_cache cache, const char *io, unsigned blocks) {
    assert_int_equal(run_cli("doctor --verify-device fuse/medium --serve --size 1M --blocks 1"), 0);
    atomic_store(&faults->cache, cache);
    if (run_cli("doctor --verify-device fuse/medium --serve --force --size 1M --blocks %u %s", blocks, io) != 0)
        fail_msg("%s", said);
    was_in_turns = strstr(said, ", in turns: ") != NULL;
    cut_power();
    power_on();
    return run_cli("doctor --verify-device fuse/medium --check %u", blocks);
}

static void the_test_finds_out_an_engine_that_rests_on_fua(void **state) {
    (void)state;
    assert_int_equal(check_after(FAULT_CACHE_NO_FUA, "--io pwrite", 40), 1);
    assert_said("40 are lost (40 missing, 0 torn): 1..40");
    assert_said("pwrite     lost acknowledged blocks: no ring is safe there with it (40 of 40 blocks lost)");
}

static void the_test_passes_an_engine_that_flushes(void **state) {
    (void)state;
    assert_int_equal(check_after(FAULT_CACHE_NO_FUA, "--io flush", 40), 0);
    assert_said("flush      lost none, and was writing when the power went (0 of 40 blocks lost)");
}

static void the_test_passes_all_engines_of_an_honest_drive(void **state) {
    (void)state;
    assert_int_equal(check_after(FAULT_CACHE_HONEST, "", 250), 0);
    assert_said("pwrite     lost none");
    assert_said("was writing when the power went");
}

static void the_test_tries_unasked_what_auto_may_take(void **state) {
    (void)state;
    assert_int_equal(check_after(FAULT_CACHE_NO_FUA, "", 250), 1);
    assert_said("pwrite     lost acknowledged blocks");
    if (was_in_turns)
        assert_said("uring      lost acknowledged blocks");
}

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_ring_that_rests_on_fua_loses_records),
        RIG_TEST(a_ring_that_flushes_loses_none),
        RIG_TEST(on_an_honest_drive_fua_loses_none),
        RIG_TEST(on_an_honest_drive_flushes_lose_none),
        RIG_TEST(the_test_finds_out_an_engine_that_rests_on_fua),
        RIG_TEST(the_test_passes_an_engine_that_flushes),
        RIG_TEST(the_test_passes_all_engines_of_an_honest_drive),
        RIG_TEST(the_test_tries_unasked_what_auto_may_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
