/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that read a log, with a signed archive in its place. */
#include "cli/run.h"

#include "signed_archive.h"

#define RECORDS 700

static struct written_archive *archive;

static void add(int from, int to) {
    for (int i = from; i <= to; i++) {
        char text[64];
        const int length = snprintf(text, sizeof text, "order %d\n", i);
        written_add(archive, (struct written_leaf){.sequence = i, .time = (1700000000 + i) * SECOND_NS, .taken = 5},
                    text, (size_t)length);
    }
    written_commit(archive);
}

static int make_archive(void **state) {
    char path[128];
    make_folder(state);
    snprintf(path, sizeof path, "%s/archive", folder);
    archive = written_begin(path);
    add(1, RECORDS);
    return 0;
}

static int leave(void **state) {
    free(archive);
    return remove_folder(state);
}

static void an_archive_is_read_as_a_log_is(void **state) {
    (void)state;
    assert_int_equal(run("cat --from 256 --to 258 %s", archive->path), 0);
    assert_string_equal(output, "order 256\norder 257\norder 258\n"
                                "burstlog: 3 records 256..258, gaps none, 7 files, 2 seeks\n");
    assert_int_equal(run("cat --quiet --from 2023-11-14T22:24:59Z --limit 1 %s", archive->path), 0);
    assert_string_equal(output, "order 699\n");
    assert_int_equal(run("tail --quiet -n 2 %s", archive->path), 0);
    assert_string_equal(output, "order 699\norder 700\n");
    assert_int_equal(run("grep --quiet 'order 7.*0' %s", archive->path), 0);
    assert_string_equal(output, "order 70\norder 700\n");
    assert_int_equal(run("grep --quiet 'order 9.*9.*9' %s", archive->path), 1);
    assert_int_equal(run("cat --quiet --json --from 700 %s", archive->path), 0);
    assert_said("{\"kind\":\"record\",\"sequence\":700,\"time\":\"2023-11-14T22:25:00.000000000Z\"");
    assert_said("\"durableNs\":5,\"place\":\"archive\",\"position\":700,\"payload\":\"order 700");
    assert_int_equal(run("cat --from 701 %s", archive->path), 3);
    assert_said("has no record 701 and none behind it");
}

static void erased_records_are_told(void **state) {
    (void)state;
    add(701, 702);
    const char *at = (const char *)memmem(archive->payloads, archive->payload_bytes, "order 701", 9);
    assert_non_null(at);
    memset(archive->payloads + (at - (const char *)archive->payloads), ' ', 9);
    written_add(archive, (struct written_leaf){.kind = 17, .text = "leaf: 701\n"}, NULL, 0);
    written_commit(archive);
    assert_int_equal(run("cat --from 700 %s", archive->path), 0);
    assert_said("order 700\norder 702\nburstlog: 2 records 700..702, gaps none, 1 erased, ");
    assert_int_equal(run("cat --quiet --json --from 701 --limit 1 %s", archive->path), 0);
    assert_said("{\"kind\":\"erased\",\"sequence\":701,\"time\":\"2023-11-14T22:25:01.000000000Z\"");
    assert_int_equal(run("cat --from 701 --to 701 %s", archive->path), 0); /* it is there, and known */
    assert_said("no records, gaps none, 1 erased");
    assert_int_equal(run("cat --to 2023-11-14T22:25:00Z --from 700 %s", archive->path), 0);
    assert_said("1 records 700..700, gaps none, ");
}

static void a_command_that_follows_gets_what_comes(void **state) {
    (void)state;
    char command[400], line[64];
    snprintf(command, sizeof command, "exec timeout 60 %s tail -f -n 1 --limit 4 --quiet %s", BURST_CLI, archive->path);
    FILE *tail = popen(command, "r");
    assert_non_null(tail);
    assert_string_equal(fgets(line, sizeof line, tail), "order 700\n");
    add(701, 702);
    assert_string_equal(fgets(line, sizeof line, tail), "order 701\n");
    assert_string_equal(fgets(line, sizeof line, tail), "order 702\n");
    add(703, 1000);
    assert_string_equal(fgets(line, sizeof line, tail), "order 703\n");
    assert_int_equal(pclose(tail), 0);
}

static void damage_is_told_with_its_place(void **state) {
    (void)state;
    char path[400];
    snprintf(path, sizeof path, "%s", written_path(archive, "payload/000.zst"));
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(run("cat %s", archive->path), 1); /* damaged */
    assert_said("payload/000.zst is missing or cut: it has no payloads of the leaves from 0 on");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_archive_is_read_as_a_log_is, make_archive, leave),
        cmocka_unit_test_setup_teardown(erased_records_are_told, make_archive, leave),
        cmocka_unit_test_setup_teardown(a_command_that_follows_gets_what_comes, make_archive, leave),
        cmocka_unit_test_setup_teardown(damage_is_told_with_its_place, make_archive, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
