/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls in a ring of another user, which root has opened. */
#include "rolled_log.h"

#include <sys/stat.h>

static int begin(void **state) {
    begin_rolled_log(state);
    open_ring();
    return 0;
}

static int told(const char *words) {
    struct event event;
    int count = 0;
    while (events_take(&host.events, &event, 0) == 1) {
        count += strstr(event.text, words) != NULL;
    }
    return count;
}

/* A root process does not rename what a ring of another user says, but what its own application does. */
static void a_ring_of_others_names_no_target(void **state) {
    (void)state;
    const struct engine_parts parts = {
        .platform = timeless_platform(), .device = &host.device, .files = &host.files, .events = &host.events};
    const struct engine_stream main_stream = {.name = "", .path = host.file};
    const struct engine_config config = {.main = &main_stream, .untrusted_ring_owner = 4711};
    append_text("a\n");
    append_roll("f", "h", archive);
    close_ring();
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    drain_all();
    assert_missing(archive);
    assert_file(host.file, "a\nf");
    assert_int_equal(told("EPERM"), 1);
    append_roll("f", "h", archive);
    drain_all();
    assert_file(archive, "a\nff");
    assert_file(host.file, "h");
}

static int answer_archive(const struct roller *roller, const struct roll_question *question,
                          struct roll_answer *answer) {
    (void)roller, (void)question;
    answer->rc = 0;
    snprintf(answer->target, sizeof answer->target, "%.4000s", archive);
    answer->next[0] = '\0';
    return 0;
}

/* This process performs the roll, and nothing in it follows the rules. */
static void a_ring_of_others_makes_no_rules(void **state) {
    (void)state;
    static struct outlet_rules rules;
    static const struct roller roller = {.ask = answer_archive};
    struct stat status;
    const struct engine_parts parts = {
        .platform = timeless_platform(), .device = &host.device, .files = &host.files, .events = &host.events};
    const struct engine_stream main_stream = {.name = "", .path = host.file, .roller = &roller};
    const struct engine_config config = {.main = &main_stream, .untrusted_ring_owner = 4711};
    struct roll roll = roll_of("f", "h", archive, "");
    roll.rules = (struct roll_rules){.are_there = 1,
                                     .pattern = "/etc/%i",
                                     .head = {.pattern_bytes = 7,
                                              .file_mode = 0666,
                                              .mode_is_exact = 1,
                                              .file_owner = ROLL_NOBODY_ID,
                                              .file_group = ROLL_NOBODY_ID,
                                              .keep_files = 1}};
    append_text("a\n");
    append_roll_record(&roll, 4711);
    close_ring();
    const mode_t before = umask(027);
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    drain_all();
    assert_file(archive, "a\nf");
    assert_int_equal(stat(host.file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(drain_next_rules(host.engine->drainer.drain, &rules), -ENOENT);
    assert_int_equal(drain_take_rules(host.engine->drainer.drain, 0, &rules), 0);
    append_text("b\n");
    append_roll_record(&roll, 4712); /* of its own application */
    drain_all();
    umask(before);
    assert_int_equal(stat(host.file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0666);
    assert_int_equal(drain_next_rules(host.engine->drainer.drain, &rules), 0);
    assert_string_equal(rules.pattern, "/etc/%i");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_ring_of_others_names_no_target),
        TEST(a_ring_of_others_makes_no_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
