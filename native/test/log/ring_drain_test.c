/* SPDX-License-Identifier: Apache-2.0 */
/* The drain of a ring as a process of its own: beside a writer, without one, and beside other drains. */
#include <signal.h>

#include "drain_beside.h"

#include "log/log.h"

static void it_drains_beside_a_writer(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    append_text(log, "one\n");
    append_text(log, "two\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("one\ntwo\n");
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

/* Their connection goes on, which no name is needed for. */
static void a_drain_goes_on_beside_a_writer_whose_socket_is_deleted(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    char command[128];
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    snprintf(command, sizeof command, "rm %s/*.window", folder);
    assert_int_equal(system(command), 0);
    append_text(log, "two\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    append_text(log, "three\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("one\ntwo\nthree\n");
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 0) == 1) { /* else the writer has drained by itself, in the end */
        assert_null(strstr(event.text, "has no drain any more"));
    }
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

/* Opens the log, appends the text, and dies. */
static int append_and_die(char *const arguments[]) {
    burst_t *log;
    snprintf(folder, sizeof folder, "%s", arguments[1]);
    snprintf(ring_path, sizeof ring_path, "%s/ring", folder);
    snprintf(file_path, sizeof file_path, "%s/log", folder);
    const burst_config_t config = external_config();
    if (burst_open(&config, &log) < 0 || burst_append(log, arguments[2], strlen(arguments[2]), 0) < 0) {
        fprintf(stderr, "%s\n", burst_last_error());
        return 1;
    }
    return kill(getpid(), SIGKILL);
}

/* A process that dies in the middle leaves its records in the ring. It is a program of its own, since a child of this one
 * would keep the locks of its drains. */
static void die_after_appends(const char *text) {
    int status;
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "dies", folder, text, (char *)NULL);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void it_drains_a_dead_ring_and_then_its_next_writer(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    make_ring();
    die_after_appends("left behind\n");
    assert_file_is("");
    struct drain_beside *drain = drain_beside_start();
    await_file("left behind\n");
    assert_true(await_event_of(&drain->events, "has no writer, and is drained"));
    burst_t *log = open_with(&config);
    append_text(log, "next\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("left behind\nnext\n");
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

/* Puts the socket of another log in the place of the dead writer's: a drain that meets it says so. */
static burst_t *offer_another_window(const char *other) {
    char paths[2][160], place[128], target[160];
    glob_t found;
    snprintf(paths[0], sizeof paths[0], "%s/ring", other);
    snprintf(paths[1], sizeof paths[1], "%s/log", other);
    burst_config_t config = external_config();
    config.ring = paths[0];
    config.main = main_of(paths[1]);
    config.window = other;
    burst_t *log = open_with(&config);
    snprintf(paths[0], sizeof paths[0], "%s/*.window", folder);
    assert_int_equal(glob(paths[0], 0, NULL, &found), 0);
    snprintf(place, sizeof place, "%s", found.gl_pathv[0]);
    globfree(&found);
    snprintf(paths[0], sizeof paths[0], "%s/*.window", other);
    assert_int_equal(glob(paths[0], 0, NULL, &found), 0);
    snprintf(target, sizeof target, "other/%s", strrchr(found.gl_pathv[0], '/') + 1);
    globfree(&found);
    assert_int_equal(unlink(place), 0);
    assert_int_equal(symlink(target, place), 0);
    return log;
}

/* It could not write its turn behind the locked bytes, as on a file system that is full: its lock is there. */
static void a_writer_that_is_not_counted_is_seen_by_its_lock(void **state) {
    (void)state;
    char other[128];
    make_ring();
    die_after_appends("one\n");
    struct drain_beside *drain = drain_beside_start();
    await_file("one\n");
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(mkdir(other, 0700), 0);
    burst_t *log = offer_another_window(other);
    const int writer = lock_silently(LOCKS_WRITER);
    assert_true(await_event_of(&drain->events, "is of another ring than"));
    close(writer);
    assert_int_equal(drain_beside_stop(drain), 0);
    assert_int_equal(burst_close(log), 0);
}

static void a_second_drain_waits_and_names_the_first(void **state) {
    (void)state;
    char holder[64];
    make_ring();
    struct drain_beside *first = drain_beside_start();
    assert_true(await_event_of(&first->events, "this process drains ring"));
    struct drain_beside *second = drain_beside_start();
    snprintf(holder, sizeof holder, "is drained by process %d", (int)getpid());
    assert_true(await_event_of(&second->events, holder));
    die_after_appends("one\n");
    await_file("one\n");
    assert_int_equal(drain_beside_stop(first), 0);
    assert_true(await_event_of(&second->events, "this process drains ring"));
    die_after_appends("two\n");
    await_file("one\ntwo\n");
    assert_int_equal(drain_beside_stop(second), 0);
}

/* Those that had the deleted file, and those that come later, meet in the new one. */
static void drains_meet_in_a_new_lock_file(void **state) {
    (void)state;
    make_ring();
    struct drain_beside *first = drain_beside_start();
    assert_true(await_event_of(&first->events, "this process drains ring"));
    remove_locks();
    struct drain_beside *second = drain_beside_start();
    assert_true(await_event_of(&first->events, "process"));
    die_after_appends("one\n");
    await_file("one\n");
    assert_int_equal(drain_beside_stop(first), 0);
    die_after_appends("two\n");
    await_file("one\ntwo\n");
    assert_int_equal(drain_beside_stop(second), 0);
}

/* Each has a folder of its own, as in containers of their own. The first checkpoint that one of them writes stops the
 * other, before that writes its next one. */
static void of_two_drains_that_do_not_see_each_other_one_stops(void **state) {
    (void)state;
    char other[128];
    make_ring();
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(mkdir(other, 0700), 0);
    die_after_appends("one\n");
    block_file(); /* so both have something to write, later */
    struct drain_beside *const drains[] = {drain_beside_start(), drain_beside_start_in(other)};
    for (int i = 0; i < 2; i++) {
        assert_true(await_event_of(&drains[i]->events, "cannot be written"));
    }
    unblock_file();
    for (int i = 0; i < 12000 && !atomic_load(&drains[0]->has_ended) && !atomic_load(&drains[1]->has_ended); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    const int is_first = atomic_load(&drains[0]->has_ended) != 0;
    assert_int_not_equal(is_first, atomic_load(&drains[1]->has_ended));
    assert_non_null(strstr(drains[1 - is_first]->error, "another process drains ring"));
    await_file("one\n");
    assert_int_equal(drain_beside_stop(drains[1 - is_first]), -ESTALE);
    assert_int_equal(drain_beside_stop(drains[is_first]), 0);
    assert_file_is("one\n");
}

/* The first thing that is not as it should be. */
static void await_complaint(struct drain_beside *drain, const char *words) {
    struct event event = {.severity = EVENT_INFO};
    while (event.severity == EVENT_INFO) {
        assert_int_equal(events_take(&drain->events, &event, PATIENCE_NS), 1);
    }
    if (strstr(event.text, words) == NULL) {
        fail_msg("\"%s\" is not in: %s", words, event.text);
    }
}

/* That process may be another user's: what it shares is copied and judged before it is used. Nothing is lost: the medium has
 * the record. */
static void spoilt_record_is_not_drained(void (*spoil)(struct record_header *header)) {
    const burst_config_t config = external_config();
    uint64_t durable, next_sequence;
    make_ring();
    const int held = lock_silently(LOCKS_DRAIN); /* nobody drains until the record is spoilt */
    burst_t *log = open_with(&config);
    append_text(log, "one\n");
    ring_durable(log->ring, &durable, &next_sequence);
    const uint64_t lap = durable % log->ring->geometry.capacity_bytes / 4096 * 4096;
    struct record_header *header = (struct record_header *)(log->ring->image + lap - 4096);
    assert_int_equal(header->length, 4);
    spoil(header);
    struct drain_beside *drain = drain_beside_start();
    assert_true(await_event_of(&drain->events, "is drained by"));
    close(held);
    await_complaint(drain, "is no whole record");
    assert_file_is("");
    assert_int_equal(burst_close(log), 1);
    await_file("one\n");
    assert_int_equal(drain_beside_stop(drain), 0);
}

static void lengthen(struct record_header *header) {
    header->length = UINT32_MAX; /* far beyond the window */
}

static void change_payload(struct record_header *header) {
    *(uint8_t *)(header + 1) ^= 1;
}

static void a_record_that_no_log_writes_is_not_drained(void **state) {
    spoilt_record_is_not_drained(lengthen);
    remove_folder(state);
    make_folder(state);
    spoilt_record_is_not_drained(change_payload);
}

static void a_watermark_beyond_the_ring_is_not_believed(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    window_put_watermark(log->engine->window, 1000, 1ull << 40, 2);
    await_complaint(drain, "its watermark is 1099511627776");
    assert_file_is("one\n");
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

static void it_refuses_what_is_no_ring(void **state) {
    (void)state;
    FILE *file = fopen(ring_path, "w");
    fclose(file);
    struct drain_beside *drain = drain_beside_start();
    assert_int_equal(pthread_join(drain->thread, NULL), 0);
    assert_int_equal(drain->rc, -ENODATA);
    free(drain);
}

static void it_says_that_a_log_drains_by_itself(void **state) {
    (void)state;
    make_ring();
    remove_locks();
    burst_config_t config = external_config();
    config.drain = BURST_DRAIN_INNER;
    burst_t *log = open_with(&config);
    struct drain_beside *drain = drain_beside_start();
    assert_true(await_event_of(&drain->events, "is held by process"));
    append_text(log, "one\n");
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\n");
    die_after_appends("two\n");
    await_file("one\ntwo\n");
    assert_int_equal(drain_beside_stop(drain), 0);
}

int main(int argc, char **argv) {
    if (argc == 3) {
        return append_and_die(argv);
    }
    const struct CMUnitTest tests[] = {
        TEST(it_drains_beside_a_writer),
        TEST(a_drain_goes_on_beside_a_writer_whose_socket_is_deleted),
        TEST(it_drains_a_dead_ring_and_then_its_next_writer),
        TEST(a_writer_that_is_not_counted_is_seen_by_its_lock),
        TEST(a_second_drain_waits_and_names_the_first),
        TEST(drains_meet_in_a_new_lock_file),
        TEST(of_two_drains_that_do_not_see_each_other_one_stops),
        TEST(a_record_that_no_log_writes_is_not_drained),
        TEST(a_watermark_beyond_the_ring_is_not_believed),
        TEST(it_refuses_what_is_no_ring),
        TEST(it_says_that_a_log_drains_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
