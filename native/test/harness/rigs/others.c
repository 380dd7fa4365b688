/* SPDX-License-Identifier: Apache-2.0 */
/* Other processes rename, delete, cut, extend and replace the log file while appends run. */
#include "harness/rigs/rig.h"

#include <fcntl.h>

#define ROUNDS 12

/* 1 while another thread appends and the other process acts. */
static atomic_int appending;

/* Appends as fast as it can, and slower when the witness runs short of numbers. */
static void *append_all_the_time(void *log) {
    while (atomic_load(&appending) && witness_append(&witness, log, 1, 0) > 0) {
        if (witness.next[1] > WITNESS_NUMBERS / 2)
            pause_ms(witness.next[1] > WITNESS_NUMBERS * 3 / 4 ? 10 : 1);
    }
    return NULL;
}

static void shell(const char *format, ...) {
    char command[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void while_appending(burst_t *log, void (*act)(int round)) {
    pthread_t thread;
    atomic_store(&appending, 1);
    assert_int_equal(pthread_create(&thread, NULL, append_all_the_time, log), 0);
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t seen = stats_of(log).drained_sequence;
        for (const int64_t give_up_ns = now_ns() + PATIENCE_NS;
             stats_of(log).drained_sequence < seen + 20 || access(file_path, F_OK) < 0;) {
            assert_true(now_ns() < give_up_ns);
            pause_ms(1);
        }
        act(round);
    }
    atomic_store(&appending, 0);
    pthread_join(thread, NULL);
}

static burst_t *open_plain(void) {
    burst_t *log = open_small();
    append_some(log, 5, 0);
    drain_all(log);
    return log;
}

static void rename_it(int round) {
    shell("mv plain/log plain/log.moved.%d", round);
}

static void renames_begin_a_new_file_each_and_lose_nothing(void **state) {
    (void)state;
    burst_t *log = open_plain();
    while_appending(log, rename_it);
    close_drained(log);
    assert_told(log, "was renamed or replaced; a new one is begun");
    assert_int_equal(log_files_in("plain"), ROUNDS + 1);
    assert_nothing_lost("plain");
}

/* logrotate does the same: it never overwrites a file that the log has begun meanwhile. */
static void rename_and_create(int round) {
    shell("mv plain/log plain/log.moved.%d && { (set -C; : > plain/log) 2>/dev/null || :; }", round);
}

static void a_rotation_with_create_loses_nothing(void **state) {
    (void)state;
    burst_t *log = open_plain();
    while_appending(log, rename_and_create);
    close_drained(log);
    assert_int_equal(log_files_in("plain"), ROUNDS + 1);
    assert_nothing_lost("plain");
}

static void rotate_by_logrotate(int round) {
    (void)round;
    shell("logrotate -f -s rotate.state rotate.conf");
}

static void logrotate_itself_loses_nothing(void **state) {
    (void)state;
    if (system("command -v logrotate >/dev/null 2>&1") != 0)
        SKIP_WITH("logrotate is not installed");
    shell("chmod 755 plain && printf '%%s/plain/log {\\n su root root\\n rotate 50\\n create 0600 root root\\n}\\n' "
          "\"$PWD\" > rotate.conf");
    burst_t *log = open_plain();
    while_appending(log, rotate_by_logrotate);
    close_drained(log);
    assert_true(log_files_in("plain") > ROUNDS); /* one more for each file begun between its rename and create */
    assert_nothing_lost("plain");
}

/* Copies as copytruncate does, with no append between copy and cut. */
static void a_copytruncate_outside_its_window_loses_nothing(void **state) {
    (void)state;
    burst_t *log = open_plain();
    for (int round = 0; round < 3; round++) {
        append_some(log, 20, 0);
        drain_all(log);
        char current[BURST_PATH_BYTES];
        burst_current_file(log, current, sizeof current);
        shell("cp '%s' plain/log.copy.%d && : > '%s'", current, round, current);
    }
    append_some(log, 20, 0);
    close_drained(log);
    assert_told(log, "was cut by others to less than the ");
    assert_nothing_lost("plain");
}

static void copy_and_truncate(int round) {
    shell("f=$(ls plain | grep '^log' | sort -t. -k2n | tail -1) && cp plain/$f plain/keep.%d && : > plain/$f", round);
}

/* The cut takes what was written after the copy. It doubles no line, changes none and reorders none, and the log
 * goes on. */
static void a_copytruncate_within_its_window_loses_only_what_it_cut(void **state) {
    (void)state;
    burst_t *log = open_plain();
    while_appending(log, copy_and_truncate);
    append_some(log, 20, 0);
    close_drained(log);
    /* A cut between the drain's look at the file and its write leaves a hole, as with any writer. */
    shell("for f in plain/log*; do tr -d '\\000' < $f > without && cat without > $f; done; rm -f without");
    witness.needed_from[0] = witness.next[0] - 20;
    witness.needed_from[1] = witness.next[1];
    assert_nothing_lost("plain");
}

/* A deleted file takes its checkpointed records along. The drain writes all others again. */
static void a_deleted_file_is_begun_again(void **state) {
    (void)state;
    burst_t *log = open_plain();
    assert_int_equal(unlink("plain/log"), 0);
    witness.needed_from[0] = witness.next[0];
    append_some(log, 20, 0);
    close_drained(log);
    assert_told(log, "was deleted");
    assert_nothing_lost("plain");
}

static void keep_and_delete(int round) {
    shell("ln plain/log plain/keep.%d && rm plain/log && sleep 0.02 && rm plain/keep.%d", round, round);
}

/* Others delete the file's last name while the drain writes to it. The drain writes again what was not checkpointed,
 * so no later record is missing. */
static void deletions_while_appends_run_do_not_stop_the_log(void **state) {
    (void)state;
    burst_t *log = open_plain();
    while_appending(log, keep_and_delete);
    append_some(log, 20, 0);
    close_drained(log);
    witness.needed_from[0] = witness.next[0] - 20;
    witness.needed_from[1] = witness.next[1];
    assert_nothing_lost("plain");
}

static void append_foreign_bytes(int round) {
    (void)round;
    shell("f=$(ls plain | grep '^log' | sort -t. -k2n | tail -1) && echo '[foreign]' >> plain/$f");
}

/* A write of the drain at the same moment may hit the foreign bytes: no lock that others respect keeps the two
 * apart. The log itself loses nothing. */
static void foreign_bytes_at_any_moment_do_no_harm_to_the_log(void **state) {
    (void)state;
    burst_t *log = open_plain();
    while_appending(log, append_foreign_bytes);
    close_drained(log);
    shell("sed -i '/^.foreign.$/d' plain/log*");
    assert_nothing_lost("plain");
}

static void foreign_bytes_are_left_alone(void **state) {
    (void)state;
    burst_t *log = open_plain();
    for (int round = 0; round < ROUNDS; round++) {
        append_foreign_bytes(round);
        append_some(log, 5, 0);
        drain_all(log);
    }
    close_drained(log);
    assert_told(log, "others wrote behind the ");
    shell("n=$(cat plain/log* | grep -cx '.foreign.') && test $n = %d", ROUNDS);
    shell("sed -i '/^.foreign.$/d' plain/log*");
    assert_nothing_lost("plain");
}

static void a_cut_within_what_was_written_begins_a_new_file(void **state) {
    (void)state;
    burst_t *log = open_plain();
    append_some(log, 20, 200);
    drain_all(log);
    assert_int_equal(truncate("plain/log", 0), 0); /* others destroy checkpointed records */
    witness.needed_from[0] = witness.next[0];
    append_some(log, 20, 0);
    close_drained(log);
    assert_told(log, "was cut by others");
    assert_nothing_lost("plain");
}

static void assert_current(burst_t *log, const char *name) {
    char current[BURST_PATH_BYTES];
    burst_current_file(log, current, sizeof current);
    if (strcmp(strrchr(current, '/'), name) != 0)
        fail_msg("the log is in %s, not in %s", current, name);
}

static void a_log_that_was_diverted_by_a_cut_goes_back_at_the_next_open(void **state) {
    (void)state;
    burst_t *log = open_plain();
    shell("cp plain/log plain/log.copy && : > plain/log");
    append_some(log, 20, 0);
    drain_all(log);
    assert_current(log, "/log.burst-6");
    assert_told(log, "records from 6 on go to log file ");
    append_some(log, 20, 0);
    close_drained(log);
    shell("echo '[foreign]' > plain/log");
    log = open_small();
    assert_told(log, "to bring the log back, move ");
    append_some(log, 20, 0);
    drain_all(log);
    assert_current(log, "/log.burst-6");
    close_drained(log);
    shell("rm plain/log");
    log = open_small();
    assert_told(log, " again; those before are in ");
    append_some(log, 20, 0);
    drain_all(log);
    assert_current(log, "/log");
    close_drained(log);
    assert_nothing_lost("plain");
}

#define DIVERTED_FILE "ls plain/log.* | grep -x 'plain/log.burst-[0-9]*'"

/* Writes foreign bytes until the log is diverted. The drain may overwrite those that come between its look and its
 * write. */
static void divert_and_make_way(int round) {
    const int64_t give_up_ns = now_ns() + PATIENCE_NS;
    while (system(DIVERTED_FILE " >/dev/null 2>&1 || { echo '[foreign]' >> plain/log; false; }") != 0) {
        assert_true(now_ns() < give_up_ns);
        pause_ms(20);
    }
    shell("mv plain/log plain/log.foreign.%d && mv $(" DIVERTED_FILE ") plain/log.moved.%d", round, round);
}

static void diverted_files_that_are_renamed_away_while_appends_run_bring_the_log_back(void **state) {
    (void)state;
    burst_t *log = open_plain();
    while_appending(log, divert_and_make_way);
    append_some(log, 20, 0);
    drain_all(log);
    assert_current(log, "/log");
    close_drained(log);
    shell("sed -i '/^.foreign.$/d' plain/log*");
    assert_nothing_lost("plain");
}

static void a_directory_in_its_place_diverts_the_log(void **state) {
    (void)state;
    burst_t *log = open_plain();
    assert_int_equal(rename("plain/log", "plain/log.moved"), 0);
    assert_int_equal(mkdir("plain/log", 0700), 0);
    append_some(log, 20, 0);
    await_state(log, BURST_STATE_STALLED);
    assert_told(log, "cannot be written: EISDIR");
    assert_int_equal(rmdir("plain/log"), 0);
    close_drained(log);
    assert_nothing_lost("plain");
}

static void a_link_in_its_place_is_followed(void **state) {
    (void)state;
    burst_t *log = open_plain();
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    assert_int_equal(rename("plain/log", "plain/log.moved"), 0);
    assert_int_equal(symlink("../elsewhere/log", "plain/log"), 0);
    append_some(log, 20, 0);
    close_drained(log);
    shell("cp elsewhere/log plain/log.linked");
    assert_nothing_lost("plain");
}

static void a_link_to_the_ring_in_its_place_is_not_written_to(void **state) {
    (void)state;
    burst_t *log = open_plain();
    assert_int_equal(rename("plain/log", "plain/log.moved"), 0);
    assert_int_equal(symlink("ring", "plain/log"), 0);
    append_some(log, 20, 0);
    drain_all(log);
    close_drained(log);
    assert_told(log, "plain/log.burst-6");
    assert_int_equal(unlink("plain/log"), 0);
    reopen_and_drain(); /* the link did not harm the ring */
    assert_nothing_lost("plain");
}

static void its_folder_is_renamed_and_made_again(void **state) {
    (void)state;
    ring_at_path("ring");
    burst_t *log = open_plain();
    assert_int_equal(rename("plain", "moved"), 0);
    append_some(log, 20, 0);
    drain_all(log);
    append_some(log, 20, 0);
    close_drained(log);
    shell("mv moved/log plain/log.moved");
    assert_nothing_lost("plain");
}

static void an_edit_in_the_middle_is_noticed_at_the_next_open(void **state) {
    (void)state;
    burst_t *log = open_plain();
    append_some(log, 50, 0);
    close_drained(log);
    shell("cp plain/log keep && sed -i '$s/./X/' plain/log"); /* as an editor does: a new file, with a change */
    log = open_small();
    append_some(log, 5, 0);
    hear(log);
    close_drained(log);
    assert_told(log, "is not the one that was written");
    shell("mv keep plain/log");
    assert_nothing_lost("plain");
}

int main(void) {
    const int missing = rig_enter();
    if (missing)
        return missing;
    const struct CMUnitTest tests[] = {
        RIG_TEST(renames_begin_a_new_file_each_and_lose_nothing),
        RIG_TEST(a_rotation_with_create_loses_nothing),
        RIG_TEST(logrotate_itself_loses_nothing),
        RIG_TEST(a_copytruncate_outside_its_window_loses_nothing),
        RIG_TEST(a_copytruncate_within_its_window_loses_only_what_it_cut),
        RIG_TEST(a_deleted_file_is_begun_again),
        RIG_TEST(deletions_while_appends_run_do_not_stop_the_log),
        RIG_TEST(foreign_bytes_at_any_moment_do_no_harm_to_the_log),
        RIG_TEST(foreign_bytes_are_left_alone),
        RIG_TEST(a_cut_within_what_was_written_begins_a_new_file),
        RIG_TEST(a_log_that_was_diverted_by_a_cut_goes_back_at_the_next_open),
        RIG_TEST(diverted_files_that_are_renamed_away_while_appends_run_bring_the_log_back),
        RIG_TEST(a_directory_in_its_place_diverts_the_log),
        RIG_TEST(a_link_in_its_place_is_followed),
        RIG_TEST(a_link_to_the_ring_in_its_place_is_not_written_to),
        RIG_TEST(its_folder_is_renamed_and_made_again),
        RIG_TEST(an_edit_in_the_middle_is_noticed_at_the_next_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
