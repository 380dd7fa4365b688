/* SPDX-License-Identifier: Apache-2.0 */
/* How many files a reader opens and where it reads, as strace counts it. */
#include "cli/run.h"

#include "media/index.h"

#define RECORDS 9000 /* the ring has room for some 5,000 */
#define FEW 30       /* more than the indexes of other files that a search opens */
#define MANY 10000
#define SKIPPED 77

static void write_log(void) {
    burst_config_t config = small_config();
    char text[300];
    config.io = BURST_IO_PWRITE;
    main_config.index = 1;
    burst_t *log = open_with(&config);
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\n';
    for (int64_t i = 1; i <= RECORDS; i++) {
        assert_int_equal(burst_enqueue(log, text, sizeof text, 1700000000 * SECOND_NS + i), i);
    }
    assert_int_equal(burst_close(log), 0);
}

static void make_old(const char *name, int number) {
    const struct timespec times[2] = {{.tv_sec = 1000000 + number}, {.tv_sec = 1000000 + number}};
    const int file = open(name, O_CREAT | O_WRONLY, 0644);
    assert_true(file >= 0 && write(file, "old\n", 4) == 4 && futimens(file, times) == 0);
    close(file);
}

/* Archives of the log file, and indexes of others, all of them older. */
static void make_archives(int from, int to) {
    char name[160];
    for (int number = from; number < to; number++) {
        snprintf(name, sizeof name, "%s/log-%d", folder, number);
        make_old(name, number);
        snprintf(name, sizeof name, "%s/" INDEX_FOLDER "/%020d.9", folder, number + 1);
        make_old(name, number);
    }
}

/* The calls that match, but for those of the ring, and about it in /proc: how often a reader looks at its medium depends on
 * the time. */
static int traced(const char *calls, const char *pattern, const char *arguments) {
    char command[700];
    int count = -1;
    snprintf(
        command, sizeof command,
        "strace -y -o %s/trace -e trace=%s %s %s >%s/out 2>%s/said && grep -vE '/ring[\">]|\"/proc/' %s/trace | grep -cE '%s' || true",
        folder, calls, BURST_CLI, arguments, folder, folder, folder, pattern);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

/* Ten come from the ring, or from the end of the file; 8,000 need the index and the file for both. */
static void the_last_records_take_as_many_reads_with_many_archives(void **state) {
    (void)state;
    const char *const sources[] = {ring_path, file_path};
    const int counts[] = {10, 8000}, archives[] = {FEW, MANY};
    int reads[2][2][2];
    for (int round = 0; round < 2; round++) {
        make_archives(round == 0 ? 0 : FEW, archives[round]);
        for (int source = 0; source < 2; source++) {
            for (int count = 0; count < 2; count++) {
                char arguments[200];
                snprintf(arguments, sizeof arguments, "tail -n %d %s", counts[count], sources[source]);
                const int found = traced("openat,pread64,%stat", "^(openat|pread64|.*stat.*)[(]", arguments);
                reads[source][count][round] = found;
                print_message("%s with %d archives: %d opens, reads and stats\n", arguments, archives[round], found);
            }
        }
    }
    assert_true(reads[0][1][0] > reads[0][0][0]);
    for (int source = 0; source < 2; source++) {
        for (int count = 0; count < 2; count++) {
            assert_int_equal(reads[source][count][0], reads[source][count][1]);
        }
    }
}

/* The text is read at one place; the others of three are reads of its index. */
static void seeks_are_what_strace_counts(void **state) {
    (void)state;
    unsigned files = 0, seeks = 0;
    char arguments[200], said[300] = "";
    snprintf(arguments, sizeof arguments, "cat --from=1500 --limit=1 %s", file_path);
    const int reads = traced("pread64", "^pread64.*, 524288, [1-9][0-9]*\\) ", arguments);
    snprintf(arguments, sizeof arguments, "%s/said", folder);
    FILE *file = fopen(arguments, "r");
    assert_non_null(file);
    assert_non_null(fgets(said, sizeof said, file));
    fclose(file);
    assert_int_equal(sscanf(said, "burstlog: 1 records 1500..1500, gaps none, %u files, %u seeks", &files, &seeks), 2);
    assert_int_equal(seeks, 3);
    assert_int_equal(files, 1);
    assert_int_equal(reads, 1);
}

static int make(void **state) {
    make_folder(state);
    write_log();
    return 0;
}

int main(void) {
    if (system("strace -o /dev/null true 2>/dev/null") != 0) {
        puts("SKIPPED: reads are counted by strace, which is missing here or may not trace");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeks_are_what_strace_counts),
        cmocka_unit_test(the_last_records_take_as_many_reads_with_many_archives),
    };
    return cmocka_run_group_tests(tests, make, remove_folder);
}
