/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog doctor --jitter`. */
#include "log_fixture.h"

#include "cli/run.h"

static uint64_t number_after(const char *label) {
    const char *at = strstr(output, label);
    assert_non_null(at);
    return strtoull(at + strlen(label), NULL, 10);
}

static void each_core_gets_figures_that_grow_and_as_many_appends_as_fit(void **state) {
    (void)state;
    assert_int_equal(run("doctor --jitter --seconds 0.2 --json --cpu %d", allowed_cpu(0)), 0);
    const uint64_t appends = number_after("\"appends\": ");
    assert_true(appends >= 1998); /* 0.2 s, one append every 100 us; more if the last gap ends later */
    assert_true(number_after("\"p50_ns\": ") <= number_after("\"p99_ns\": "));
    assert_true(number_after("\"p99_ns\": ") <= number_after("\"p99.9_ns\": "));
    assert_true(number_after("\"p99.9_ns\": ") <= number_after("\"max_ns\": "));
    assert_int_equal(number_after("\"commit_cpu\": "), allowed_cpu(0));
    assert_null(strstr(output, "drain_cpu"));
}

static void two_cores_are_advised_and_they_differ(void **state) {
    (void)state;
    if (allowed_cpu(1) < 0) {
        fprintf(stderr, "SKIPPED %s: this host gives one core only\n", __func__);
        skip();
    }
    assert_int_equal(run("doctor --jitter --seconds 0.1 --together --cpu %d,%d", allowed_cpu(0), allowed_cpu(1)), 0);
    assert_said("core       p50       p99     p99.9       max");
    assert_said("for the thread that logs (commitCpu)");
    const uint64_t writer = number_after("Quietest: core ");
    if (strstr(output, "no second core") == NULL) { /* else the two may be hardware threads of one core */
        assert_true(writer != number_after("(commitCpu), core "));
    }
}

/* A stopped core holds up all its appends. The command is stopped once it has run for ten ticks: loading it takes
 * less, so it measures by then. */
static void a_stopped_process_shows_in_the_figures(void **state) {
    (void)state;
    char command[512];
    snprintf(command, sizeof command,
             "%s doctor --jitter --seconds 5 --json --cpu %d & p=$!; "
             "while set -- $(cat /proc/$p/stat) && [ $((${14} + ${15})) -lt 10 ] && [ $3 != Z ]; do sleep 0.01; done; "
             "kill -STOP $p && sleep 0.4; kill -CONT $p; wait $p",
             BURST_CLI, allowed_cpu(0));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_true(number_after("\"max_ns\": ") >= 300000000);
    assert_true(number_after("\"p99_ns\": ") >= 200000000); /* 2000 of 50000 appends waited half that time or more */
}

static void cores_that_cannot_be_used_are_refused(void **state) {
    (void)state;
    assert_int_equal(run("doctor --jitter --cpu 1-"), 3);
    assert_said("such as 0-3,8: 1-");
    assert_int_equal(run("doctor --jitter --cpu 1023"), 3);
    assert_said("may use cores");
    assert_int_equal(run("doctor --jitter --seconds 0"), 2);
    assert_int_equal(run("doctor --jitter --root %s", folder), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_core_gets_figures_that_grow_and_as_many_appends_as_fit),
        cmocka_unit_test(two_cores_are_advised_and_they_differ),
        cmocka_unit_test(a_stopped_process_shows_in_the_figures),
        TEST(cores_that_cannot_be_used_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
