/* SPDX-License-Identifier: Apache-2.0 */
/* Which file is the log file, where others lie beside it that read like it; and what is left alone. */
#include "text_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char paths[8][sizeof host.file + 40];

/* A file in the folder of the log. */
static const char *beside(const char *name) {
    static unsigned turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", host.folder, name);
    return path;
}

/* A process that died before the drain looked. */
static void append_and_die(const char *text) {
    open_ring();
    append_text(text);
    close_ring();
}

/* Writes `text` to the log file, and no checkpoint notes it. */
static void write_unnoted(const char *text) {
    append_text(text);
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
}

static void assert_no_alarm(void) {
    struct event event;
    while (events_take(&host.events, &event, 0) == 1) {
        if (event.severity != EVENT_INFO) {
            fail_msg("an alarm: %s", event.text);
        }
    }
}

static void an_older_file_that_begins_as_the_redo_does_gets_no_record(void **state) {
    (void)state;
    put_file(beside("log.old"), "service started\n");
    append_and_die("service started\n");
    append_and_die("ready\n");
    open_ring();
    drain_all();
    assert_file(beside("log.old"), "service started\n");
    assert_file(host.file, "service started\nready\n");
}

static void neither_does_one_that_is_the_whole_redo(void **state) {
    (void)state;
    put_file(beside("a"), "service started\nready\n");
    append_and_die("service started\n");
    append_and_die("ready\n");
    open_ring();
    drain_all();
    assert_file(host.file, "service started\nready\n");
}

/* Several, as the folder may be listed in any order. */
static void put_older_files(void) {
    char name[16], text[64];
    for (int i = 2; i < 8; i++) {
        snprintf(name, sizeof name, "log.%d", i);
        snprintf(text, sizeof text, i % 2 ? "header\n" : "header\nevent of file %d\n", i);
        put_file(beside(name), text);
    }
}

static void assert_older_files(void) {
    char name[16], text[64];
    for (int i = 2; i < 8; i++) {
        snprintf(name, sizeof name, "log.%d", i);
        snprintf(text, sizeof text, i % 2 ? "header\n" : "header\nevent of file %d\n", i);
        assert_file(beside(name), text);
    }
}

static void write_header_and_an_event(void) {
    open_ring();
    append_text("header\n");
    drain_all();
    write_unnoted("event\n");
}

static void a_renamed_file_is_found_among_older_ones_with_the_same_header(void **state) {
    (void)state;
    put_older_files();
    write_header_and_an_event();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    open_ring();
    append_text("next\n");
    drain_all();
    append_text("of the new file\n");
    drain_all();
    assert_file(beside("log.1"), "header\nevent\nnext\n");
    assert_file(host.file, "of the new file\n");
    assert_older_files();
    assert_no_alarm();
}

static void also_where_a_new_file_with_that_header_has_its_name(void **state) {
    (void)state;
    put_older_files();
    write_header_and_an_event();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    put_file(host.file, "header\n");
    open_ring();
    drain_all();
    assert_file(beside("log.1"), "header\nevent\n");
    assert_file(host.file, "header\n");
    assert_older_files();
}

static void the_folder_that_a_link_leads_to_is_searched(void **state) {
    (void)state;
    assert_int_equal(mkdir(beside("elsewhere"), 0700), 0);
    assert_int_equal(symlink("elsewhere/app.log", host.file), 0);
    put_older_files();
    write_header_and_an_event();
    assert_int_equal(rename(beside("elsewhere/app.log"), beside("elsewhere/app.log.1")), 0);
    open_ring();
    append_text("next\n");
    drain_all();
    append_text("of the new file\n");
    drain_all();
    assert_file(beside("elsewhere/app.log.1"), "header\nevent\nnext\n");
    assert_file(beside("elsewhere/app.log"), "of the new file\n");
    assert_older_files();
    assert_no_alarm();
}

static void a_second_name_of_the_file_does_not_matter(void **state) {
    (void)state;
    write_header_and_an_event();
    assert_int_equal(link(host.file, beside("a")), 0);
    open_ring();
    append_text("next\n");
    drain_all();
    assert_file(host.file, "header\nevent\nnext\n");
    close_ring();
    assert_int_equal(unlink(host.file), 0);
    open_ring();
    append_text("last\n");
    drain_all();
    assert_file(beside("a"), "header\nevent\nnext\n");
    assert_file(host.file, "last\n");
    assert_no_alarm();
}

/* As logrotate does it with compress or olddir. */
static void of_a_file_that_was_moved_away_it_is_told_what_may_be_twice(void **state) {
    (void)state;
    assert_int_equal(mkdir(beside("old"), 0700), 0);
    write_header_and_an_event();
    append_and_die("after\n"); /* not in the file: nobody knows */
    assert_int_equal(rename(host.file, beside("old/log.1")), 0);
    open_ring();
    drain_all();
    assert_told("is gone; records from 2 on go to a new file; records 2 to 3 may be twice, at the end of the old file");
    assert_file(beside("old/log.1"), "header\nevent\n");
    assert_file(host.file, "event\nafter\n");
}

static void where_all_was_noted_nothing_is_said_to_be_twice(void **state) {
    (void)state;
    struct event event;
    open_ring();
    append_text("header\n");
    drain_all();
    close_ring();
    assert_int_equal(unlink(host.file), 0);
    open_ring();
    drain_all();
    int told = 0;
    while (events_take(&host.events, &event, 0) == 1) {
        assert_null(strstr(event.text, "twice"));
        told |= strstr(event.text, "is gone; records from 2 on go to a new file") != NULL;
    }
    assert_true(told);
}

static void of_an_empty_file_that_is_gone_nothing_is_told(void **state) {
    (void)state;
    open_ring();
    close_ring();
    assert_int_equal(unlink(host.file), 0);
    open_ring();
    append_text("first\n");
    drain_all();
    assert_file(host.file, "first\n");
    assert_no_alarm();
}

static void neither_of_one_that_was_renamed(void **state) {
    (void)state;
    open_ring();
    append_text("first\n");
    drain_all();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    append_text("second\n");
    drain_all();
    close_ring();
    assert_int_equal(rename(host.file, beside("log.2")), 0);
    open_ring();
    append_text("third\n");
    drain_all();
    close_ring();
    open_ring();
    close_ring();
    assert_int_equal(rename(host.file, beside("log.3")), 0);
    append_and_die("fourth\n");
    open_ring();
    drain_all();
    assert_no_alarm();
}

/* The file as a backup brings it back: another one, with the same bytes. */
static void restore(const char *text) {
    assert_int_equal(rename(host.file, beside("log.kept")), 0);
    put_file(host.file, text);
    assert_int_equal(unlink(beside("log.kept")), 0);
}

static void a_file_from_a_backup_is_continued(void **state) {
    (void)state;
    write_header_and_an_event();
    restore("header\nevent\n");
    open_ring();
    append_text("next\n");
    drain_all();
    assert_file(host.file, "header\nevent\nnext\n");
    assert_told("is taken for its copy (from a backup) and continued");
}

/* It is known from its first byte on as any other. */
static void and_is_known_from_then_on(void **state) {
    (void)state;
    write_header_and_an_event();
    restore("header\n");
    open_ring();
    assert_int_equal(engine_step(host.engine, 0), 1);
    close_ring();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    put_file(host.file, "header\n");
    open_ring();
    drain_all();
    assert_file(beside("log.1"), "header\nevent\n");
    assert_file(host.file, "header\n");
}

static void behind_which_others_wrote_it_is_left_alone(void **state) {
    (void)state;
    struct event event;
    write_header_and_an_event();
    restore("header\nof others\n");
    open_ring();
    drain_all();
    assert_file(host.file, "header\nof others\n");
    while (events_take(&host.events, &event, 0) == 1) {
        assert_null(strstr(event.text, "continued"));
    }
}

static void of_a_file_without_a_noted_byte_there_is_no_copy(void **state) {
    (void)state;
    append_and_die("first\n");
    restore("first\n");
    open_ring();
    append_text("second\n");
    drain_all();
    assert_file(host.file, "first\n");
    assert_file(beside("log.burst-1"), "first\nsecond\n");
}

static void an_empty_file_in_its_place_is_taken(void **state) {
    (void)state;
    append_and_die("first\n");
    restore("");
    open_ring();
    drain_all();
    assert_file(host.file, "first\n");
}

static void a_renamed_file_that_was_cut_is_left_alone(void **state) {
    (void)state;
    write_header_and_an_event();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    assert_int_equal(truncate(beside("log.1"), 3), 0);
    open_ring();
    drain_all();
    assert_file(beside("log.1"), "hea");
    assert_file(host.file, "event\n");
    assert_told("may be twice");
}

/* Its name is free, and the log does not stay beside it for ever. */
static void behind_a_renamed_file_that_others_wrote_to_the_log_has_its_name_again(void **state) {
    (void)state;
    write_header_and_an_event();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    put_file(beside("log.1"), "header\nof others\n");
    open_ring();
    drain_all();
    assert_told("others wrote behind the 7 bytes");
    assert_file(beside("log.1"), "header\nof others\n");
    assert_file(host.file, "event\n");
}

/* ---- locks of others, by fcntl, on files in the folder: they go when any descriptor of the file is closed */

static int locked[3];

static void lock(int number, const char *name, const char *text) {
    const struct flock whole = {.l_type = F_WRLCK};
    put_file(beside(name), text);
    locked[number] = open(beside(name), O_RDWR | O_CLOEXEC);
    assert_int_equal(fcntl(locked[number], F_SETLK, &whole), 0);
}

static void lock_databases(void) {
    lock(0, "a.db", "header\nof a database\n");
    lock(1, "log.lck", "first\nsecond\n");
    lock(2, "z.db", "a database that is longer than any log here\n");
}

static void assert_locked(int number) {
    const pid_t child = fork();
    if (child == 0) {
        struct flock whole = {.l_type = F_WRLCK};
        _exit(fcntl(locked[number], F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) {
        fail_msg("the lock on file %d is gone", number);
    }
}

static void assert_all_locked(void) {
    for (int i = 0; i < 3; i++) {
        assert_locked(i);
        close(locked[i]);
    }
}

static void locks_on_siblings_outlive_the_search_for_a_renamed_file(void **state) {
    (void)state;
    lock_databases();
    write_header_and_an_event();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    open_ring();
    drain_all();
    assert_file(beside("log.1"), "header\nevent\n");
    assert_all_locked();
}

static void and_the_search_for_one_that_is_gone(void **state) {
    (void)state;
    lock_databases();
    append_and_die("first\n");
    assert_int_equal(unlink(host.file), 0);
    open_ring();
    drain_all();
    assert_file(host.file, "first\n");
    assert_all_locked();
}

static void and_a_ring_with_records_for_a_file_that_is_there(void **state) {
    (void)state;
    lock_databases();
    append_and_die("first\n");
    open_ring();
    drain_all();
    assert_file(host.file, "first\n");
    assert_all_locked();
}

static void and_others_who_have_taken_its_name(void **state) {
    (void)state;
    lock_databases();
    write_header_and_an_event();
    assert_int_equal(unlink(host.file), 0);
    assert_int_equal(rename(beside("z.db"), host.file),
                     0); /* longer than what is noted: shorter is told apart by that */
    assert_int_equal(truncate(host.file, 5), 0);
    open_ring();
    drain_all();
    assert_file(beside("log.burst-2"), "event\n");
    append_text("next\n");
    drain_all();
    assert_all_locked();
}

static void and_a_change_of_file_while_the_log_runs(void **state) {
    (void)state;
    lock_databases();
    open_ring();
    append_text("first\n");
    drain_all();
    assert_int_equal(rename(host.file, beside("log.1")), 0);
    assert_int_equal(rename(beside("z.db"), host.file), 0);
    append_text("second\n");
    drain_all();
    assert_file(beside("log.burst-2"), "second\n");
    assert_all_locked();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(an_older_file_that_begins_as_the_redo_does_gets_no_record),
        RING_TEST(neither_does_one_that_is_the_whole_redo),
        RING_TEST(a_renamed_file_is_found_among_older_ones_with_the_same_header),
        RING_TEST(also_where_a_new_file_with_that_header_has_its_name),
        RING_TEST(the_folder_that_a_link_leads_to_is_searched),
        RING_TEST(a_second_name_of_the_file_does_not_matter),
        RING_TEST(of_a_file_that_was_moved_away_it_is_told_what_may_be_twice),
        RING_TEST(where_all_was_noted_nothing_is_said_to_be_twice),
        RING_TEST(of_an_empty_file_that_is_gone_nothing_is_told),
        RING_TEST(neither_of_one_that_was_renamed),
        RING_TEST(a_file_from_a_backup_is_continued),
        RING_TEST(and_is_known_from_then_on),
        RING_TEST(behind_which_others_wrote_it_is_left_alone),
        RING_TEST(of_a_file_without_a_noted_byte_there_is_no_copy),
        RING_TEST(an_empty_file_in_its_place_is_taken),
        RING_TEST(a_renamed_file_that_was_cut_is_left_alone),
        RING_TEST(behind_a_renamed_file_that_others_wrote_to_the_log_has_its_name_again),
        RING_TEST(locks_on_siblings_outlive_the_search_for_a_renamed_file),
        RING_TEST(and_the_search_for_one_that_is_gone),
        RING_TEST(and_a_ring_with_records_for_a_file_that_is_there),
        RING_TEST(and_others_who_have_taken_its_name),
        RING_TEST(and_a_change_of_file_while_the_log_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
