/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog report`: beside a live log, of a closed one, and of a recorder alone. */
#include "cli/run.h"

#include "flight/file.h"

static char flight_path[160], page_path[160];

static int begin(void **state) {
    const int rc = make_folder(state);
    snprintf(flight_path, sizeof flight_path, "%s.flight", ring_path);
    snprintf(page_path, sizeof page_path, "%s/page.html", folder);
    return rc;
}

static void write_log(int is_live_too) {
    burst_config_t config = small_config();
    config.window = folder;
    burst_t *log = open_with(&config);
    for (int i = 0; i < 37; i++) {
        assert_int_equal(burst_append(log, "order\n", 6, 0), i + 1);
    }
    if (is_live_too) {
        struct flight_log flight;
        for (int turn = 0; turn < 2000 && (flight_log_read(flight_path, &flight) < 0 || flight.line_count < 2);
             turn++) {
            flight_log_free(&flight);
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
        flight_log_free(&flight);
        assert_int_equal(run("report --html %s", ring_path), 0);
        assert_said("Runs: durable to 37");
    }
    assert_int_equal(burst_close(log), 0);
}

static void a_live_log_and_a_closed_one_have_a_page(void **state) {
    (void)state;
    write_log(1);
    assert_int_equal(run("report --html %s %s && cat %s", ring_path, page_path, page_path), 0);
    assert_said("<!doctype html>");
    assert_said("Closed: durable to 37; in all files to 37; ");
    assert_said("open 1 was closed");
    assert_said("aria-label='latency until durable over time'");
    assert_said("Ring, files and archives");
    assert_int_equal(run("report --html %s %s", ring_path, page_path), 0); /* a report may be replaced */
}

static void the_recorder_alone_has_a_page(void **state) {
    (void)state;
    write_log(0);
    assert_int_equal(unlink(ring_path), 0);
    assert_int_equal(run("report --html %s", ring_path), 0);
    assert_said("Closed: durable to 37");
    assert_int_equal(run("report --html %s", flight_path), 0);
    assert_said("Closed: durable to 37");
    assert_int_equal(unlink(flight_path), 0);
    assert_int_equal(run("report --html %s", ring_path), 3);
    assert_said("does not exist");
}

static void a_ring_without_a_recorder_has_its_map(void **state) {
    (void)state;
    write_log(0);
    assert_int_equal(unlink(flight_path), 0);
    assert_int_equal(run("report --html %s", ring_path), 0);
    assert_said("No flight recorder tells of this log.");
    assert_said("Ring, files and archives");
}

static void no_text_of_a_medium_becomes_markup(void **state) {
    (void)state;
    static const uint8_t uuid[16];
    struct flight_file file = {.fd = -1};
    struct flight_line line = {.kind = FLIGHT_OPEN, .time_ns = 1700000000 * SECOND_NS};
    struct flight_event event = {.severity = 77, .time_ns = line.time_ns};
    const struct flight_wanted wanted = {.path = flight_path, .ring = "<b>", .uuid = uuid, .mode = 0600, .id = 1};
    int anew;
    strcpy(event.text, "<script>alert('1')</script>&\"\033[2J\xff end");
    assert_int_equal(flight_file_open(&file, &wanted, &anew), 0);
    assert_int_equal(flight_file_put_event(&file, &event), 0);
    assert_int_equal(flight_file_put_line(&file, &line), 0);
    memset(&line.state, 0xff, sizeof line - offsetof(struct flight_line, state));
    line.kind = FLIGHT_SECOND;
    assert_int_equal(flight_file_put_line(&file, &line), 0);
    flight_file_close(&file);
    char named[200];
    snprintf(named, sizeof named, "%s/<i>.flight", folder);
    assert_int_equal(rename(flight_path, named), 0);
    assert_int_equal(
        run("report --html '%s' %s; grep -ci '<script\\|<i>\\|<b>' %s; cat %s", named, page_path, page_path, page_path),
        0);
    assert_said("0\n<!doctype html>");
    assert_said("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;\\x1b[2J\\xff end");
    assert_said("/&lt;i&gt;.flight</h1>");
}

static void what_is_no_report_is_not_overwritten(void **state) {
    (void)state;
    write_log(0);
    assert_int_equal(run("report --html %s %s", ring_path, ring_path), 3);
    assert_said("is no report: name another file");
    assert_int_equal(run("verify %s", ring_path), 0);
    assert_int_equal(symlink(ring_path, page_path), 0);
    assert_int_equal(run("report --html %s %s", ring_path, page_path), 3);
}

static void a_wrong_call_gets_one_sentence(void **state) {
    (void)state;
    assert_int_equal(run("report %s", ring_path), 2);
    assert_said("a report is a page: give --html");
    assert_int_equal(run("report --html"), 2);
    assert_said("name a ring");
    assert_int_equal(run("report --html a b c"), 2);
}

int main(void) {
#define REPORT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)
    const struct CMUnitTest tests[] = {
        REPORT_TEST(a_live_log_and_a_closed_one_have_a_page), REPORT_TEST(the_recorder_alone_has_a_page),
        REPORT_TEST(a_ring_without_a_recorder_has_its_map),   REPORT_TEST(no_text_of_a_medium_becomes_markup),
        REPORT_TEST(what_is_no_report_is_not_overwritten),    REPORT_TEST(a_wrong_call_gets_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
