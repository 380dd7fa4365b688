/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that read a log: cat, tail, grep, where, replay. */
#include "cli/run.h"

#define RECORDS 900 /* the ring has room for some 250 */

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...) {
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0) {
        fail_msg("failed: %s", command);
    }
}

/* A closed log: record n is "order n of customer n % 17", a second after the one before. */
static int write_log(void **state) {
    make_folder(state);
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    burst_t *log = open_with(&config);
    for (int64_t i = 1; i <= RECORDS; i++) {
        char text[64];
        const int length = snprintf(text, sizeof text, "order %d of customer %d\n", (int)i, (int)(i % 17));
        assert_int_equal(burst_append(log, text, (size_t)length, (1700000000 + i) * 1000000000), i);
    }
    assert_int_equal(burst_close(log), 0);
    return 0;
}

static char indexed[160], indexed_ring[160];

static void make_indexed_log(void) {
    burst_config_t config = small_config();
    snprintf(indexed, sizeof indexed, "%s/indexed", folder);
    snprintf(indexed_ring, sizeof indexed_ring, "%s/indexed.ring", folder);
    config.io = BURST_IO_PWRITE;
    config.ring = indexed_ring;
    main_config.file_name = indexed;
    main_config.index = 1;
    burst_t *log = open_with(&config);
    for (int64_t i = 1; i <= RECORDS; i++) {
        char text[64];
        const int length = snprintf(text, sizeof text, "order %d of customer %d\n", (int)i, (int)(i % 17));
        assert_int_equal(burst_append(log, text, (size_t)length, (1700000000 + i) * 1000000000), i);
    }
    assert_int_equal(burst_close(log), 0);
}

static void cat_prints_all_of_it_from_each_source(void **state) {
    (void)state;
    shell("%s cat %s 2>/dev/null | cmp - %s", BURST_CLI, ring_path, file_path);
    shell("cp %s %s.ring && cp %s %s.ring.flight", ring_path, file_path, ring_path, file_path);
    shell("%s cat %s 2>/dev/null | cmp - %s", BURST_CLI, ring_path, file_path);
    shell("rm %s.ring %s.ring.flight", file_path, file_path);
    shell("%s cat %s 2>/dev/null | cmp - %s", BURST_CLI, file_path, file_path);
    shell("gzip -c %s > %s/packed && %s cat %s/packed 2>/dev/null | cmp - %s", file_path, folder, BURST_CLI, folder,
          file_path);
    assert_int_equal(run("cat --quiet --limit 3 %s", file_path), 0);
    assert_string_equal(output, "order 1 of customer 1\norder 2 of customer 2\norder 3 of customer 3\n");
    shell("%s cat %s 2>/dev/null | head -c 5 | cmp - %s -n 5", BURST_CLI, ring_path, file_path);
}

static void tail_prints_the_end(void **state) {
    (void)state;
    for (int count = 1; count <= 800; count *= 20) {
        shell("%s tail -n %d %s 2>/dev/null > %s/tail; tail -n %d %s | cmp - %s/tail", BURST_CLI, count, ring_path,
              folder, count, file_path, folder);
        shell("%s tail -n %d %s 2>/dev/null > %s/tail; tail -n %d %s | cmp - %s/tail", BURST_CLI, count, file_path,
              folder, count, file_path, folder);
    }
    assert_int_equal(run("tail %s", ring_path), 0);
    assert_said("burstlog: 10 records 891..900, gaps none, 0 files");
    assert_int_equal(run("tail -n 0 %s", ring_path), 0);
    assert_string_equal(output, "burstlog: no records, gaps none, 0 files, 0 seeks\n");
    assert_int_equal(run("tail -n 2 %s", file_path), 0);
    assert_said("2 lines, which are not records since the log file has no index");
}

static void sequences_and_times_bound_what_is_read(void **state) {
    (void)state;
    assert_int_equal(run("cat --quiet --from=898 --to=899 %s", ring_path), 0);
    assert_string_equal(output, "order 898 of customer 14\norder 899 of customer 15\n");
    assert_int_equal(run("cat --quiet --from=2023-11-14T22:28:18.5Z --to=2023-11-14T23:28:20+01:00 %s", ring_path), 0);
    assert_string_equal(output, "order 899 of customer 15\norder 900 of customer 16\n");
    assert_int_equal(run("cat --quiet --json --from=900 %s", ring_path), 0);
    assert_said("\"sequence\":900,\"time\":\"2023-11-14T22:28:20.000000000Z\",\"timeNs\":1700000900000000000");
    assert_int_equal(run("cat --from=5 %s", ring_path), 3);
    assert_said("record 5 is not in the ring any more");
    assert_int_equal(run("cat --from=2023-11-14T22:13:00Z %s", ring_path), 3);
    assert_said("has no index to find a time");
    assert_int_equal(run("cat --from=5 %s", file_path), 3);
    assert_said("knows neither sequences nor times");
    assert_int_equal(run("cat --to=5 %s", file_path), 3);
    assert_said("--to needs records");
    assert_int_equal(run("cat --from=yesterday %s", ring_path), 2);
    assert_said("yesterday");
    assert_int_equal(run("cat --from=898 --to=2261-12-31 %s", ring_path), 0);
    assert_int_equal(run("cat --to=2500-01-01 %s", ring_path), 2); /* nanoseconds since 1970 do not reach it */
    assert_said("this value cannot be used: 2500-01-01");
    assert_int_equal(run("cat --from=1500-01-01T00:00:00Z %s", ring_path), 2);
    assert_int_equal(run("cat --from=2100-01-01 %s", ring_path), 0);
    assert_said("no records");
}

static void grep_finds_what_matches(void **state) {
    (void)state;
    static const char *const patterns[] = {
        "customer 3$", "order 8.0 ", "ORDER 7",         "nothing",       "cust?omer 1[01]",    "er 5",
        "r 8.* 11|77", "9(1|2) of",  "er [0-9]{3} .*6", "custom|or[^d]", "[0-9]5 o.*er (1|4)", "order 7\\d*1 |nothing"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        for (int flags = 0; flags < 4; flags++) {
            const char *options = flags == 0 ? "" : flags == 1 ? "-i" : flags == 2 ? "-v" : "-F";
            shell("%s grep --quiet %s '%s' %s > %s/found; grep %s '%s' %s > %s/wanted; cmp %s/found %s/wanted",
                  BURST_CLI, options, patterns[i], file_path, folder,
                  flags == 3   ? "-F"
                  : flags == 0 ? "-E"
                  : flags == 1 ? "-Ei"
                               : "-Ev",
                  patterns[i], file_path, folder, folder, folder);
        }
    }
    assert_int_equal(run("grep --quiet -c 'customer 3$' %s", ring_path), 0);
    assert_string_equal(output, "53\n");
    assert_int_equal(run("grep --quiet -n 20 -c customer %s", ring_path), 0);
    assert_string_equal(output, "20\n");
    assert_int_equal(run("grep nothing %s", ring_path), 1);
    assert_int_equal(run("grep -F nothing %s", file_path), 1); /* no line is given one by one */
    char lines[64];
    snprintf(lines, sizeof lines, "%d lines", RECORDS);
    assert_said(lines);
    shell("%s grep --quiet --json 'order 77' %s | sed 's/.*\"position\":\\([0-9]*\\).*/\\1/' > %s/found; "
          "grep -b 'order 77' %s | sed 's/:.*//' > %s/wanted; cmp %s/found %s/wanted",
          BURST_CLI, file_path, folder, file_path, folder, folder, folder);
    shell("printf 'or\\0der\\norder\\n' > %s/zeros", folder);
    assert_int_equal(run("grep --quiet -c 'or[[:blank:]d]*er' %s/zeros", folder), 0);
    assert_string_equal(output, "1\n"); /* a byte of zero is no other byte, */
    assert_int_equal(run("grep --quiet -c '^or.?der$' %s/zeros", folder), 0);
    assert_string_equal(output, "2\n"); /* and does not end the line */
    assert_int_equal(run("grep 'or(der' %s", ring_path), 3);
    assert_said("is no extended regular expression");
    assert_int_equal(run("grep customer"), 2);
}

static void where_tells_the_place_in_the_file(void **state) {
    (void)state;
    assert_int_equal(run("where 899 %s", ring_path), 0);
    assert_said("sequence: 899\n");
    assert_said("event time: 2023-11-14T22:28:19.000000000Z");
    assert_said("in the file: yes");
    assert_said("durable at: 2"); /* the next commit says it */
    const char *at = strstr(output, "offset: ");
    assert_non_null(at);
    const unsigned long long offset = strtoull(at + 8, NULL, 10);
    shell("test \"$(tail -c +%llu %s | head -n 1)\" = 'order 899 of customer 15'", offset + 1, file_path);
    assert_int_equal(run("where %s:%llu %s", file_path, offset + 7, ring_path), 0);
    assert_said("sequence: 899\n");
    assert_int_equal(run("where --json %s:%llu %s", file_path, offset - 1, ring_path), 0);
    assert_said("\"sequence\": 898");
    assert_int_equal(run("where 901 %s", ring_path), 3);
    assert_said("does not have record 901");
    assert_int_equal(run("where %s:0 %s", file_path, ring_path), 3);
    assert_said("belongs to no record that");
    assert_int_equal(run("where order %s", ring_path), 2);
}

/* The same log with an index: sources that have no ring, and a record that left it. */
static void where_answers_for_each_source(void **state) {
    (void)state;
    make_indexed_log();
    shell("cp -p %s %s/kept && gzip -k %s/kept", indexed, folder, folder);
    const char *const sources[] = {indexed_ring, indexed, "kept", "kept.gz"};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s%s%s", i < 2 ? "" : folder, i < 2 ? "" : "/", sources[i]);
        assert_int_equal(run("where 5 %s", path), 0);
        assert_said("sequence: 5\n");
        assert_said("event time: 2023-11-14T22:13:25.000000000Z");
        assert_said("durable at: 2");
        assert_said("acknowledged: when it was durable");
        assert_said("inode: ");
        assert_said("epoch: 1");
        assert_said("file survives: ");
        assert_said(i == 0 ? "stream: 0" : "stream: not known");
        const unsigned long long offset = strtoull(strstr(output, "offset: ") + 8, NULL, 10);
        shell("test \"$(tail -c +%llu %s | head -n 1)\" = 'order 5 of customer 5'", offset + 1, indexed);
        assert_int_equal(run("where --json 5 %s", path), 0);
        assert_said("\"sequence\": 5,");
        assert_int_equal(run("where %s:%llu %s", i == 0 ? indexed : path, offset + 3, path), 0);
        assert_said("sequence: 5\n");
        assert_int_equal(run("where %d %s", RECORDS + 1, path), 3);
        assert_said("index of its log files has");
    }
    shell("tr o 0 < %s > %s/other", indexed, folder);
    assert_int_equal(run("where 5 %s/other", folder), 3);
    assert_said("has no index");
    assert_int_equal(run("cat --from=2023-11-14T22:13:25Z %s/other", folder), 3);
    assert_said("has no index, and knows neither sequences nor times");
}

/* A mapped ring takes no times, and a reader gives none of a ring's records. */
static void a_durable_time_that_nobody_knows_is_told_as_such(void **state) {
    (void)state;
    burst_config_t config = small_config();
    char ring[160], log_file[160];
    snprintf(ring, sizeof ring, "%s/mapped.ring", folder);
    snprintf(log_file, sizeof log_file, "%s/mapped", folder);
    config.ring = ring;
    config.io = BURST_IO_MAPPED;
    main_config.file_name = log_file;
    burst_t *log = open_with(&config);
    for (int64_t i = 1; i <= 5; i++) {
        assert_int_equal(burst_append(log, "text\n", 5, i), i);
    }
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("where 3 %s", ring), 0);
    assert_said("durable at: not known: ");
    assert_int_equal(run("where --json 3 %s", ring), 0);
    assert_said("\"durable_at\": \"not known: ");
    assert_int_equal(run("tail --quiet --json -n 1 %s", ring_path), 0);
    assert_said("\"sequence\":");
    assert_null(strstr(output, "durable"));
}

static void records_of_files_are_bounded_and_replayed(void **state) {
    (void)state;
    assert_int_equal(run("cat --quiet --from=8 --to=9 %s", indexed), 0);
    assert_string_equal(output, "order 8 of customer 8\norder 9 of customer 9\n");
    assert_int_equal(run("cat --from=2023-11-14T22:13:25Z --limit=1 %s", indexed), 0);
    assert_said("order 5 of customer 5\nburstlog: 1 records 5..5, gaps none, 1 files, ");
    assert_int_equal(run("cat --from=%d %s", RECORDS + 1, indexed), 3);
    assert_said("has no record 901 and none behind it");
    assert_int_equal(run("cat --quiet --json --from=5 --limit=1 %s", indexed_ring), 0);
    assert_said("\"sequence\":5,\"time\":\"2023-11-14T22:13:25.000000000Z\"");
    assert_said("\"durableNs\":");
    const int64_t begin_ns = (int64_t)time(NULL);
    assert_int_equal(run("replay --quiet --speed=10 --from=1 --to=15 %s", indexed), 0);
    assert_true((int64_t)time(NULL) - begin_ns >= 1); /* 14 s of the log */
    assert_int_equal(times_said("order"), 15);
}

static void replay_takes_the_time_that_it_took(void **state) {
    (void)state;
    const int64_t begin_ns = (int64_t)time(NULL);
    assert_int_equal(run("replay --quiet --speed=10 --from=886 %s", ring_path), 0);
    assert_true((int64_t)time(NULL) - begin_ns >= 1); /* 14 s of the log */
    assert_int_equal(times_said("order"), 15);
    assert_int_equal(run("replay --quiet --speed=max --from=700 %s", ring_path), 0);
    assert_int_equal(times_said("order"), 201);
    assert_int_equal(run("replay --speed=slow %s", ring_path), 2);
}

static char gap_ring[160], gap_file[160];

/* A log file that begins with a line of others; its records have the times 0, 10^18 ns, a second later, an hour later. */
static void make_log_with_gaps(void) {
    burst_config_t config = small_config();
    snprintf(gap_ring, sizeof gap_ring, "%s/gaps.ring", folder);
    snprintf(gap_file, sizeof gap_file, "%s/gaps", folder);
    shell("echo header > %s", gap_file);
    config.ring = gap_ring;
    main_config.file_name = gap_file;
    main_config.index = 1;
    burst_t *log = open_with(&config);
    assert_int_equal(burst_append(log, "no time\n", 8, 0), 1);
    assert_int_equal(burst_append(log, "first\n", 6, 1000000000 * SECOND_NS), 2);
    assert_int_equal(burst_append(log, "second\n", 7, 1000000001 * SECOND_NS), 3);
    assert_int_equal(burst_append(log, "last\n", 5, 1000003600 * SECOND_NS), 4);
    assert_int_equal(burst_close(log), 0);
}

static void replay_begins_with_the_first_time(void **state) {
    (void)state;
    make_log_with_gaps();
    const char *const sources[] = {gap_file, gap_ring};
    for (size_t i = 0; i < 2; i++) {
        shell("timeout 60 %s replay --quiet --limit=4 %s > %s/said; head -n 4 %s | cmp - %s/said", BURST_CLI,
              sources[i], folder, gap_file, folder);
    }
}

/* `timeout` hands the signal on, and has the exit code of replay; 137: it had to kill. */
static void a_signal_ends_a_replay_that_waits(void **state) {
    (void)state;
    shell("rm -f %s/said; timeout -s KILL 60 %s replay %s > %s/said 2>%s/told & pid=$!; "
          "until grep -qs second %s/said; do sleep 0.05; done; kill -TERM $pid; wait $pid",
          folder, BURST_CLI, gap_ring, folder, folder, folder);
    shell("tail -n 1 %s/said | grep -qx second && grep -q ' 3 records 1..3' %s/told", folder, folder);
}

static void a_configuration_names_ring_and_files(void **state) {
    (void)state;
    char xml[160], file[512];
    snprintf(xml, sizeof xml, "%s/log4j2.xml", folder);
    snprintf(
        file, sizeof file,
        "<Configuration><!-- <Burst name='no'/> --><Properties><Property name='base'>%s</Property></Properties>\n"
        "<Appenders><Burst name=\"Orders\" ring=\"${base}/ring\"\n fileName=\"${base}/log\"/></Appenders></Configuration>",
        folder);
    FILE *out = fopen(xml, "w");
    assert_non_null(out);
    fputs(file, out);
    assert_int_equal(fclose(out), 0);
    shell("%s cat %s 2>/dev/null | cmp - %s", BURST_CLI, xml, file_path);
    assert_int_equal(run("tail --appender Others %s", xml), 3);
    assert_said("has Orders: name one with --appender");
    out = fopen(xml, "w");
    fputs("<Burst ring=\"${sys:ring}\"/>", out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(run("tail %s", xml), 3);
    assert_said("names ${sys:ring}, which only its program knows");
}

static void bad_input_gets_a_sentence(void **state) {
    (void)state;
    assert_int_equal(run("cat %s/missing", folder), 3);
    assert_said("there is no ring, log file, folder of segments or signed archive at");
    assert_int_equal(run("cat %s", folder), 3);
    assert_int_equal(run("tail --stream audit %s", ring_path), 3);
    assert_said("the ring has no stream audit");
    shell("head -c 3000 /dev/urandom > %s/noise; printf 'BZh9' > %s/packed.bz2; gzip -c %s | head -c 2000 > %s/cut",
          folder, folder, file_path, folder);
    assert_int_equal(run("cat --quiet %s/noise", folder), 0);
    assert_int_equal(run("cat %s/packed.bz2", folder), 3);
    assert_said("`bzip2 -dc");
    assert_int_equal(run("cat %s/cut", folder), 1);
    assert_said("is damaged behind byte");
    assert_int_equal(run("grep 'order 1 ' %s/cut", folder), 4); /* 1: nothing is found */
    assert_said("order 1 of customer 1\n");
    assert_said("is damaged behind byte");
    assert_int_equal(run("tail -n x %s", ring_path), 2);
    assert_int_equal(run("tail -n 5 --from=5 %s", ring_path), 2);
    assert_int_equal(run("cat -n 5 %s", ring_path), 2);
}

/* Commands that print what this ring has. */
static const char *const printing[] = {"cat",           "cat --json", "tail",        "grep order",
                                       "grep -c order", "dump",       "dump --json", "replay --speed=max",
                                       "spectrum",      "where 899",  "info",        "verify"};

static void output_that_is_lost_is_an_error(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        shell("%s %s %s >/dev/full 2>%s/said; test $? = 4 && grep -q 'to standard output failed: ENOSPC' %s/said",
              BURST_CLI, printing[i], ring_path, folder, folder);
    }
    shell("%s --version >/dev/full 2>/dev/null; test $? = 4", BURST_CLI);
}

static void a_closed_output_is_an_error_too(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        shell("%s %s %s >&- 2>%s/said; test $? = 4 && grep -q 'to standard output failed: EBADF' %s/said", BURST_CLI,
              printing[i], ring_path, folder, folder);
    }
    shell("%s verify %s >%s/said 2>&- && %s --version >/dev/null 2>&-", BURST_CLI, ring_path, folder, BURST_CLI);
}

static void no_file_gets_the_number_of_a_closed_descriptor(void **state) {
    (void)state;
    shell("%s tail -f -n 0 --quiet %s <&- >&- 2>&- & pid=$!; for i in $(seq 1200); do "
          "readlink /proc/$pid/fd/* | grep -q '/ring$' && break; sleep 0.05; done; code=0; "
          "for fd in 0 1 2; do test \"$(readlink /proc/$pid/fd/$fd)\" = /dev/null || code=1; done; "
          "kill $pid; wait $pid; test $code = 0",
          BURST_CLI, ring_path);
}

static void a_reader_that_has_gone_is_no_error(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(dup2(ends[1], 9), 9); /* `sh` redirects to one digit only */
    for (size_t i = 0; i < 5; i++) {
        shell("%s %s %s >&9 2>%s/said; test $? = 0 && ! grep -q failed %s/said", BURST_CLI, printing[i], ring_path,
              folder, folder);
    }
    close(9);
    close(ends[1]);
}

int main(void) {
#define READ_TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        READ_TEST(cat_prints_all_of_it_from_each_source),
        READ_TEST(tail_prints_the_end),
        READ_TEST(sequences_and_times_bound_what_is_read),
        READ_TEST(grep_finds_what_matches),
        READ_TEST(where_tells_the_place_in_the_file),
        READ_TEST(where_answers_for_each_source),
        READ_TEST(a_durable_time_that_nobody_knows_is_told_as_such),
        READ_TEST(records_of_files_are_bounded_and_replayed),
        READ_TEST(replay_takes_the_time_that_it_took),
        READ_TEST(replay_begins_with_the_first_time),
        READ_TEST(a_signal_ends_a_replay_that_waits),
        READ_TEST(a_configuration_names_ring_and_files),
        READ_TEST(bad_input_gets_a_sentence),
        READ_TEST(output_that_is_lost_is_an_error),
        READ_TEST(a_closed_output_is_an_error_too),
        READ_TEST(no_file_gets_the_number_of_a_closed_descriptor),
        READ_TEST(a_reader_that_has_gone_is_no_error),
    };
    return cmocka_run_group_tests(tests, write_log, remove_folder);
}
