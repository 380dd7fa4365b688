/* SPDX-License-Identifier: Apache-2.0 */
/* Others move a ring file away under its writer, and the next open makes a new one in its place. */
#include "log_fixture.h"

#include <linux/fs.h>
#include <sys/syscall.h>

#define LOST "is not under its name any more"
#define NEW "What an earlier ring of this log file may still hold is not looked for"

static char moved_path[160];

static void move_ring_away(void) {
    snprintf(moved_path, sizeof moved_path, "%s/moved", folder);
    assert_int_equal(rename(ring_path, moved_path), 0);
}

/* Waits for the next event with these words. */
static burst_event_t await_told(burst_t *log, const char *words) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 10 * SECOND_NS) == 1) {
        if (strstr(event.text, words) != NULL) {
            return event;
        }
    }
    fail_msg("nobody said: %s", words);
    return event;
}

/* Counts the events with these words, until some drain intervals bring none. */
static int times_told(burst_t *log, const char *words) {
    burst_event_t event = {.struct_bytes = sizeof event};
    int told = 0;
    while (burst_next_event(log, &event, SECOND_NS / 20) == 1) {
        told += strstr(event.text, words) != NULL;
    }
    return told;
}

static void a_ring_that_is_moved_goes_on_and_is_told_once(void **state) {
    for (uint32_t io = BURST_IO_AUTO; io <= BURST_IO_MAPPED; io += BURST_IO_MAPPED - BURST_IO_AUTO) {
        burst_config_t config = small_config();
        config.io = io;
        burst_t *log = open_with(&config);
        assert_int_equal(times_told(log, LOST), 0);
        move_ring_away();
        const burst_event_t event = await_told(log, LOST);
        assert_int_equal(event.severity, BURST_WARN);
        assert_non_null(strstr(event.text, "/moved: records go on being durable in it"));
        assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
        assert_int_equal(times_told(log, LOST), 0);
        block_file();
        assert_int_equal(burst_append(log, "two\n", 4, 0), 2);
        burst_close(log);
        unblock_file();
        assert_int_equal(rename(moved_path, ring_path), 0);
        log = open_with(&config);
        assert_int_equal(burst_append(log, "three\n", 6, 0), 3);
        assert_int_equal(burst_close(log), 0);
        remove_folder(state);
        make_folder(state);
    }
}

static void moved_back_and_away_again_it_is_told_again(void **state) {
    (void)state;
    burst_t *log = open_small();
    move_ring_away();
    await_told(log, LOST);
    assert_int_equal(rename(moved_path, ring_path), 0);
    for (int64_t sequence = 1; sequence <= 2; sequence++) { /* the drain looks at the name before each of two steps */
        assert_int_equal(burst_append(log, "one\n", 4, 0), sequence);
        assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    }
    assert_int_equal(times_told(log, LOST), 0);
    move_ring_away();
    await_told(log, LOST);
    assert_int_equal(burst_close(log), 0);
}

static void another_file_under_its_name_is_told(void **state) {
    (void)state;
    burst_t *log = open_small();
    snprintf(moved_path, sizeof moved_path, "%s/moved", folder);
    close(open(moved_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    assert_int_equal(syscall(SYS_renameat2, AT_FDCWD, moved_path, AT_FDCWD, ring_path, RENAME_EXCHANGE), 0);
    assert_non_null(strstr(await_told(log, LOST).text, "/moved: "));
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(burst_close(log), 0);
}

static void a_second_name_of_the_ring_is_no_move(void **state) {
    (void)state;
    burst_t *log = open_small();
    snprintf(moved_path, sizeof moved_path, "%s/moved", folder);
    assert_int_equal(link(ring_path, moved_path), 0);
    assert_int_equal(times_told(log, LOST), 0);
    assert_int_equal(burst_close(log), 0);
}

static void a_deleted_ring_fails_and_is_not_called_moved(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(unlink(ring_path), 0);
    while (burst_append(log, "one\n", 4, 0) > 0) {
    }
    assert_non_null(strstr(burst_last_error(), "was deleted by others"));
    assert_int_equal(times_told(log, LOST), 0);
    burst_close(log);
}

static void a_new_ring_for_a_log_file_that_has_bytes_is_told(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(times_told(log, NEW), 0);
    assert_int_equal(burst_close(log), 0);
    log = open_small();
    assert_int_equal(times_told(log, NEW), 0);
    assert_int_equal(burst_close(log), 0);
    move_ring_away();
    log = open_small();
    const burst_event_t event = await_told(log, NEW);
    assert_int_equal(event.severity, BURST_INFO);
    assert_non_null(strstr(event.text, "has 4 bytes already"));
    assert_int_equal(burst_append(log, "two\n", 4, 0), 1);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\ntwo\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_ring_that_is_moved_goes_on_and_is_told_once), TEST(moved_back_and_away_again_it_is_told_again),
        TEST(another_file_under_its_name_is_told),           TEST(a_second_name_of_the_ring_is_no_move),
        TEST(a_deleted_ring_fails_and_is_not_called_moved),  TEST(a_new_ring_for_a_log_file_that_has_bytes_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
