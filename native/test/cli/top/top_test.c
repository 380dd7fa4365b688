/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog top`: its arithmetic, its screen, and the command beside a log. */
#include "cli/run.h"

#include "cli/top/screen.h"
#include "ring/stages.h"

static struct watch watch;
static struct figures now;

static int begin(void **state) {
    memset(&watch, 0, sizeof watch);
    memset(&now, 0, sizeof now);
    now.bytes = sizeof now;
    now.pid = 4711;
    now.monotonic_ns = SECOND_NS;
    now.time_ns = 1700000000 * SECOND_NS;
    return make_folder(state);
}

static void record(enum stage stage, uint64_t ns, unsigned times) {
    for (unsigned i = 0; i < times; i++) {
        histogram_record(&now.stages[stage], ns);
        now.stages[stage].count++;
    }
}

static void pass_a_second(void) {
    now.monotonic_ns += SECOND_NS;
    now.time_ns += SECOND_NS;
}

/* -------------------------------------------------------------------------------------------------------- arithmetic */

static void a_sample_is_what_happened_since_the_last_one(void **state) {
    (void)state;
    now.durable_sequence = now.accepted_sequence = 1000;
    now.commits = 500;
    record(STAGE_COMMIT_WAIT, 90000000, 10); /* slow ones of long ago */
    assert_int_equal(history_add(&watch.history, &now), 0);
    assert_null(history_sample(&watch.history, 0));
    pass_a_second();
    now.durable_sequence = now.accepted_sequence = 1300;
    now.commits = 600;
    record(STAGE_COMMIT_WAIT, 10000, 99);
    record(STAGE_ENQUEUE_LAG, 20000, 1);
    assert_int_equal(history_add(&watch.history, &now), 1);
    const struct flight_step *sample = history_sample(&watch.history, 0);
    assert_int_equal(sample->records, 300);
    assert_int_equal(sample->commits, 100);
    assert_int_equal(sample->latency.count, 100);
    assert_in_range(sample->latency.p50_ns, 10000, 10100);
    assert_in_range(sample->latency.max_ns, 20000, 20200);
    assert_null(history_sample(&watch.history, 1));
    assert_int_equal(history_add(&watch.history, &now), 0); /* the same figures again */
    assert_int_equal(watch.history.count, 1);
}

static void another_open_begins_anew(void **state) {
    (void)state;
    now.commits = 500;
    now.accepted_sequence = 500;
    history_add(&watch.history, &now);
    pass_a_second();
    history_add(&watch.history, &now);
    assert_int_equal(watch.history.count, 1);
    pass_a_second();
    now.pid++;
    assert_int_equal(history_add(&watch.history, &now), 0);
    assert_int_equal(watch.history.count, 0);
    pass_a_second();
    now.commits = 3; /* the same process opened it again */
    assert_int_equal(history_add(&watch.history, &now), 0);
    pass_a_second();
    assert_int_equal(history_add(&watch.history, &now), 1);
}

static const struct flight_step *slowest_of(enum stage stage, uint64_t ns) {
    pass_a_second();
    record(stage, ns, 1);
    history_add(&watch.history, &now);
    return history_sample(&watch.history, 0);
}

static void the_slowest_append_has_its_stage(void **state) {
    (void)state;
    history_add(&watch.history, &now);
    assert_int_equal(slowest_of(STAGE_CLAIM_WAIT, 5000000)->slowest_stage, STAGE_CLAIM_WAIT);
    assert_int_equal(slowest_of(STAGE_COPY, 600000)->slowest_stage, STAGE_COPY);
    record(STAGE_DEVICE_WRITE, 300000, 1); /* another write than the one it waited for */
    assert_int_equal(slowest_of(STAGE_COMMIT_WAIT, 700000)->slowest_stage, STAGE_COMMIT_WAIT);
    record(STAGE_DEVICE_WRITE, 690000, 1);
    assert_int_equal(slowest_of(STAGE_COMMIT_WAIT, 700000)->slowest_stage, STAGE_DEVICE_WRITE);
    assert_int_equal(slowest_of(STAGE_COPY_WAIT, 900000)->slowest_stage, STAGE_COPY_WAIT);
    record(STAGE_DRAIN_LAG, 990000000, 1); /* no append waits for it */
    assert_int_equal(slowest_of(STAGE_ENQUEUE_LAG, 800000)->slowest_stage, STAGE_ENQUEUE_LAG);
    assert_int_equal(history_slowest(&watch.history)->slowest_stage, STAGE_CLAIM_WAIT);
    for (unsigned second = 0; second < HISTORY_SAMPLES; second++) { /* a minute later */
        slowest_of(STAGE_COPY, 1000);
    }
    assert_int_equal(history_slowest(&watch.history)->slowest_stage, STAGE_COPY);
    slowest_of(STAGE_CLAIM_WAIT, 5000000);
    now.monotonic_ns += 59 * SECOND_NS; /* nothing was seen meanwhile */
    assert_int_equal(slowest_of(STAGE_COPY, 1000)->slowest_stage, STAGE_COPY);
    assert_int_equal(history_slowest(&watch.history)->slowest_stage, STAGE_COPY);
}

/* ------------------------------------------------------------------------------------------------------------ screen */

static void assert_verdict(const char *expected) {
    char text[256];
    screen_verdict(&watch, text, sizeof text);
    assert_string_equal(text, expected);
}

static void the_verdict_says_what_holds(void **state) {
    (void)state;
    strcpy(watch.why, "nobody listens");
    assert_verdict("not seen: nobody listens");
    watch.figures = now;
    watch.is_fresh = 1;
    watch.durable_sequence = 4711002;
    assert_verdict("durable to 4,711,002; survives power; 0 lost");
    watch.figures.survives = BURST_DURABILITY_PROCESS;
    watch.figures.provably_lost = 3;
    watch.figures.lost_enqueued = 4;
    watch.figures.discarded = 12345;
    assert_verdict("durable to 4,711,002; survives the end of the process, no more; 7 lost; 12,345 discarded");
    watch.figures = now;
    watch.figures.state = BURST_STATE_STALLED;
    assert_verdict("LOG FILE STALLED; durable to 4,711,002; survives power; 0 lost");
    watch.figures.state = BURST_STATE_FAILED;
    watch.figures.copy.state = BURST_COPY_AWAY;
    assert_verdict("FAILED, takes no records; durable to 4,711,002; survives power; 0 lost");
    watch.figures.state = BURST_STATE_OPEN;
    assert_verdict("COPY AWAY; durable to 4,711,002; survives power; 0 lost");
    watch.is_fresh = 0;
    assert_verdict("NOT SEEN NOW; was durable to 4,711,002; survives power; 0 lost");
    watch.is_closed = 1;
    assert_verdict("closed; was durable to 4,711,002; survives power; 0 lost");
    watch.figures.copy.state = BURST_COPY_HERE;
    watch.figures.survives = 99; /* hostile */
    watch.is_fresh = 1;
    watch.figures.state = 99;
    assert_verdict("durable to 4,711,002; survives what nobody knows; 0 lost");
}

static char *drawn;

static void draw(int is_utf8, unsigned rings, struct screen_choice *choice) {
    size_t length = 0;
    free(drawn);
    struct screen screen = {.out = open_memstream(&drawn, &length), .is_utf8 = is_utf8};
    screen_draw(&screen, &watch, rings, choice);
    fclose(screen.out);
}

/* No line is longer than the screen, there are at most 24, and nothing in them moves a cursor. */
static void assert_fits(void) {
    unsigned columns = 0, lines = 0;
    for (const char *at = drawn; *at != '\0'; at++) {
        columns = *at == '\n' ? 0 : columns + ((*at & 0xc0) != 0x80);
        lines += *at == '\n';
        if (columns > SCREEN_COLUMNS || (*at != '\n' && *at >= 0 && *at < ' ') || *at == 0x7f) {
            fail_msg("line %u has a byte %d in column %u: %s", lines + 1, *at, columns, drawn);
        }
    }
    assert_in_range(lines, 1, 24);
}

static void the_screen_fits_80_columns(void **state) {
    (void)state;
    struct screen_choice choice = {.ring = 1, .stream = 5, .consumer = 7};
    strcpy(watch.why, "no log");
    watch.name = "/a/ring";
    draw(1, 2, &choice);
    assert_fits();
    record(STAGE_COMMIT_WAIT, 10000, 5);
    watch.is_fresh = 1;
    for (unsigned second = 0; second < 100; second++) {
        history_add(&watch.history, &now);
        pass_a_second();
        record(STAGE_COMMIT_WAIT, 10000u << second % 9, 5);
    }
    watch.figures = now;
    watch.figures.accepted_sequence = 999999999;
    watch.durable_sequence = 1000000000; /* the watermark is newer */
    watch.figures.full_waits = 999999;
    struct flight_step *const last = &watch.history.samples[(watch.history.count - 1) % HISTORY_SAMPLES];
    *last = (struct flight_step){.seconds = 1, .records = 9999999, .commits = 99999, .bytes = 1047527424};
    draw(1, 2, &choice);
    assert_fits();
    assert_non_null(strstr(drawn, "MiB/s\n"));
    assert_non_null(strstr(drawn, "999,999 calls waited for space\n"));
    assert_non_null(strstr(drawn, "= durable to 1,000,000,000   - taken to 1,000,000,000\n"));
    assert_non_null(strstr(drawn, "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"));
    assert_null(strstr(drawn, "copy   "));
    watch.figures.copy = (struct figures_copy){
        .state = BURST_COPY_HERE, .name = "BookKeeper", .sequence = 999999000, .records_behind = 1000};
    watch.figures.consumer_count = 2;
    strcpy(watch.figures.consumers[1].name, "shipper");
    draw(0, 2, &(struct screen_choice){.consumer = 1});
    assert_fits();
    assert_non_null(strstr(drawn, "copy   BookKeeper here; in it to 999,999,000, 1,000 behind, 0 missing\n"));
    assert_non_null(strstr(drawn, "q: end\n"));
    assert_null(strstr(drawn, "\u2581"));
    memset(&watch.figures, 0xff, sizeof watch.figures); /* hostile */
    watch.figures.bytes = sizeof watch.figures;
    assert_int_equal(figures_tame(&watch.figures), 1);
    memset(watch.figures.event, '\033', FIGURES_TEXT_BYTES - 1);
    memset(watch.figures.ring, '\033', FIGURES_PATH_BYTES - 1);
    memset(watch.figures.consumers[7].name, '\n', FIGURES_NAME_BYTES - 1);
    draw(1, 2, &choice);
    assert_fits();
    assert_int_equal(choice.consumer, 7);
    free(drawn);
    drawn = NULL;
}

/* ----------------------------------------------------------------------------------------------------------- command */

static void a_live_log_is_shown(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.window = folder;
    burst_t *log = open_with(&config);
    for (int i = 0; i < 37; i++) {
        assert_int_equal(burst_append(log, "order\n", 6, 0), i + 1);
    }
    assert_int_equal(run("top --count=1 %s", ring_path), 0);
    assert_said("durable to 37; survives ");
    assert_said("37 timed");
    assert_said("log\n");
    assert_int_equal(
        run("top --json --count=2 %s | tail -1 | python3 -c 'import json, sys; top = json.load(sys.stdin); "
            "print(top[\"durable\"], top[\"state\"], top[\"since_open\"][\"count\"], top[\"seen\"], "
            "top[\"records\"], len(top[\"streams\"]))'",
            ring_path),
        0);
    assert_said("37 open 37 True 0 1");
    assert_int_equal(run("top --count=1 %s >/dev/full", ring_path), 4);
    assert_int_equal(run("top --json --count=2 %s >/dev/full", ring_path), 4);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("top --count=1 %s", ring_path), 3);
    assert_said("there is no window at ");
}

static void a_second_copy_is_shown(void **state) {
    (void)state;
    burst_config_t config = small_config();
    burst_copy_begun_t begun = {.struct_bytes = sizeof begun};
    config.window = folder;
    config.copy = "copy\n";
    burst_t *log = open_with(&config);
    assert_int_equal(burst_append(log, "order\n", 6, 0), 1);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("second copy");
    assert_said("expected");
    assert_int_equal(burst_copy_begin(log, 0, 0, 0, &begun), 0);
    assert_int_equal(burst_copy_away(log), 0);
    assert_int_equal(
        run("top --json --count=1 %s | python3 -c 'import json, sys; copy = json.load(sys.stdin)[\"copy\"]; "
            "print([copy[key] for key in sorted(copy)])'",
            ring_path),
        0);
    assert_said("[0, 'copy\\\\n', 1, 0, 'away']");
    assert_int_equal(run("info --json %s | python3 -c 'import json, sys; copy = json.load(sys.stdin)[\"second_copy\"]; "
                         "print([copy[key] for key in sorted(copy)])'",
                         ring_path),
                     0);
    assert_said("[0, 'copy\\\\n', 1, 0, 'away']");
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_int_equal(times_said("second copy"), 0);
}

static void a_log_that_stands_still_or_goes_is_told(void **state) {
    (void)state;
    const pid_t writer = fork();
    if (writer == 0) {
        burst_config_t config = small_config();
        config.window = folder;
        burst_t *log = open_with(&config);
        burst_append(log, "order\n", 6, 0);
        for (;;) {
            pause();
        }
    }
    while (run("top --count=1 %s", ring_path) != 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_said("durable to ");
    assert_int_equal(kill(writer, SIGSTOP), 0);
    assert_int_equal(waitpid(writer, NULL, WUNTRACED), writer);
    assert_int_equal(run("top --count=1 %s", ring_path), 3);
    assert_said("gave no window within");
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    assert_int_equal(run("top --count=1 %s", ring_path), 3);
    assert_said("no process gives the window");
}

static void a_wrong_call_gets_one_sentence(void **state) {
    (void)state;
    assert_int_equal(run("top"), 2);
    assert_said("name a ring");
    assert_int_equal(run("top --count=0 x"), 2);
    assert_said("--count wants a number of looks");
    assert_int_equal(run("top --count=1 %s/none", folder), 3);
    assert_said("does not exist");
}

int main(void) {
#define TOP_TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)
    const struct CMUnitTest tests[] = {
        TOP_TEST(a_sample_is_what_happened_since_the_last_one),
        TOP_TEST(another_open_begins_anew),
        TOP_TEST(the_slowest_append_has_its_stage),
        TOP_TEST(the_verdict_says_what_holds),
        TOP_TEST(the_screen_fits_80_columns),
        TOP_TEST(a_live_log_is_shown),
        TOP_TEST(a_second_copy_is_shown),
        TOP_TEST(a_log_that_stands_still_or_goes_is_told),
        TOP_TEST(a_wrong_call_gets_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
