/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rig without help from the program: strace changes the results of its system calls, or kills it in the midst of one.
 * A run without strace must then find everything that was acknowledged.
 */
#include "harness/rigs/rig.h"

#define RECORDS 40

static char said[65536];
static int seconds_to_drain;

/* Tells the witness what the writer printed; the rest goes into `said`. */
static void take_output(void) {
    char line[1024];
    unsigned long long number;
    long long result;
    FILE *file = fopen("output", "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            snprintf(said + strlen(said), sizeof said - strlen(said), "%s", line);
        else if (sscanf(line, "%llu %lld", &number, &result) == 2)
            witness_recall(&witness, 0, number, result);
    }
    fclose(file);
    if (getenv("RIG_EVENTS") != NULL)
        fputs(said, stderr);
}

static int run_writer(const char *under) {
    char command[400];
    snprintf(command, sizeof command, "%s " RIG_WRITER " plain/ring plain/log %llu %d %d > output", under,
             (unsigned long long)witness.next[0], RECORDS, seconds_to_drain);
    const int status = system(command);
    said[0] = '\0';
    take_output();
    return status;
}

static int run_with(const char *call, const char *injection) {
    char strace[300];
    snprintf(strace, sizeof strace, "strace -f -qq -o trace -e trace=%s -e inject=%s:%s", call, call, injection);
    const int status = run_writer(strace);
    if (system("grep -qE 'INJECTED|killed by' trace") != 0)
        fail_msg("strace changed no %s", call);
    return status;
}

static void assert_said(const char *part) {
    if (strstr(said, part) == NULL)
        fail_msg("nothing of \"%s\" in:\n%s", part, said);
}

/* An undisturbed run finds all records, and appends more. */
static void assert_recovered(void) {
    const uint64_t before = witness.next[0];
    witness.next[0] = before > 0 ? before + 1 : 0; /* the append under way at a kill may have this number */
    assert_int_equal(run_writer(""), 0);
    assert_nothing_lost("plain");
}

#define NEED_STRACE()                                                                                                  \
    (void)state;                                                                                                       \
    seconds_to_drain = PATIENCE_NS / SECOND_NS;                                                                        \
    if (system("strace -o /dev/null true >/dev/null 2>&1") != 0)                                                       \
    SKIP_WITH("no strace here, or it may not trace")

static void a_ring_write_that_fails_is_fail_stop(void **state) {
    NEED_STRACE();
    assert_int_not_equal(run_with("pwritev2", "error=EIO:when=20"), 0);
    assert_said("# append: ring ");
    assert_said("EIO (Input/output error); every append fails");
    assert_recovered();
}

static void a_ring_write_that_is_short_is_fail_stop(void **state) {
    NEED_STRACE();
    assert_int_not_equal(run_with("pwritev2", "retval=512:when=20"), 0);
    assert_said("every append fails until");
    assert_recovered();
}

static void ring_writes_that_are_interrupted_are_repeated(void **state) {
    NEED_STRACE();
    assert_int_equal(run_with("pwritev2", "error=EINTR:when=5+2"), 0);
    assert_nothing_lost("plain");
    assert_int_equal(run_with("pwritev2", "error=EAGAIN:when=5+2"), 0);
    assert_recovered();
}

static void ring_writes_that_are_always_interrupted_fail_in_the_end(void **state) {
    NEED_STRACE();
    assert_int_not_equal(run_with("pwritev2", "error=EINTR:when=20+"), 0);
    assert_said("EINTR");
    assert_recovered();
}

static void file_writes_that_find_no_space_are_tried_again(void **state) {
    NEED_STRACE();
    assert_int_equal(run_writer(""), 0);
    assert_int_equal(run_with("pwrite64", "error=ENOSPC:when=1..3"), 0);
    assert_said("cannot be written: ENOSPC");
    assert_said("is being written again");
    assert_recovered();
}

static void a_file_sync_that_fails_begins_a_new_file(void **state) {
    NEED_STRACE();
    assert_int_equal(run_with("fdatasync", "error=EIO:when=1"), 0);
    assert_said("# event: syncing log file ");
    assert_said("go to a new file");
    assert_int_equal(log_files_in("plain"), 2);
    assert_recovered();
}

static void a_new_file_whose_name_cannot_be_synced_is_not_written(void **state) {
    NEED_STRACE();
    assert_int_equal(run_writer(""), 0);
    assert_int_equal(rename("plain/log", "plain/log.moved"), 0);
    seconds_to_drain = 0;                   /* until that is told */
    run_with("fsync", "error=EIO:when=3+"); /* the folder's; the open syncs the ring's folder before */
    seconds_to_drain = PATIENCE_NS / SECOND_NS;
    assert_said("log cannot be written: EIO");
    struct stat status;
    assert_true(stat("plain/log", &status) < 0 || status.st_size == 0);
    assert_recovered();
}

static void kills_in_the_middle_of_a_call_lose_nothing(void **state) {
    NEED_STRACE();
    static const struct {
        const char *call, *when;
    } kills[] = {{"pwritev2", "signal=KILL:when=2"},
                 {"pwritev2", "signal=KILL:when=6"},
                 {"pwritev2", "signal=KILL:when=25"},
                 {"pwrite64", "signal=KILL:when=1"},
                 {"fdatasync", "signal=KILL:when=1"}}; /* the drain may need only one batch */
    assert_int_equal(run_writer(""), 0);
    for (size_t i = 0; i < sizeof kills / sizeof kills[0]; i++) {
        assert_int_not_equal(run_with(kills[i].call, kills[i].when), 0);
        assert_recovered();
    }
}

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_ring_write_that_fails_is_fail_stop),
        RIG_TEST(a_ring_write_that_is_short_is_fail_stop),
        RIG_TEST(ring_writes_that_are_interrupted_are_repeated),
        RIG_TEST(ring_writes_that_are_always_interrupted_fail_in_the_end),
        RIG_TEST(file_writes_that_find_no_space_are_tried_again),
        RIG_TEST(a_file_sync_that_fails_begins_a_new_file),
        RIG_TEST(a_new_file_whose_name_cannot_be_synced_is_not_written),
        RIG_TEST(kills_in_the_middle_of_a_call_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
