/* SPDX-License-Identifier: Apache-2.0 */
/* A process that rolls, compresses and deletes is killed at any time: each of its lines is in one file. */
#include "roll_log.h"

#include <signal.h>

#include "base/error.h"
#include "rolling/gzip.h"
#include "skip_with.h"

#define ROUNDS 40
#define MOST_MS 60
#define FILE_BYTES 2000
#define MOST_FILES 100000

static char pattern[220];

static burst_t *open_rolling(uint64_t keep_files) {
    burst_rolling_t rolling;
    burst_rolling_init(&rolling);
    snprintf(pattern, sizeof pattern, "%s-%%i.log", paths[0]);
    rolling.pattern = pattern;
    rolling.size_bytes = FILE_BYTES;
    rolling.compress = 1;
    rolling.keep_files = keep_files;
    burst_config_t config = small_config();
    main_config.file_name = paths[0];
    main_config.rolling = &rolling;
    return open_with(&config);
}

/* Writes lines until it is killed; reports each durable one. */
static void write_lines(int to) {
    burst_t *log = open_rolling(0);
    for (int64_t sequence = 0;; sequence++) {
        char line[32];
        const int bytes = snprintf(line, sizeof line, "line %lld\n", (long long)sequence);
        burst_append(log, line, (size_t)bytes, 0);
        if (write(to, line, 1) < 0) {
            _exit(1);
        }
    }
}

static size_t run_and_kill(int ms) {
    int ends[2];
    char piece[4096];
    size_t lines = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        write_lines(ends[1]);
    }
    close(ends[1]);
    ssize_t bytes = read(ends[0], piece, 1); /* it has begun */
    lines += bytes > 0;
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000l}, NULL);
    kill(child, SIGKILL);
    while ((bytes = read(ends[0], piece, sizeof piece)) > 0) {
        lines += (size_t)bytes;
    }
    close(ends[0]);
    waitpid(child, NULL, 0);
    return lines;
}

/* Counts the lines of all files in the order of their indexes. Each round's lines begin at 0. *files: rolled files. */
static size_t count_lines(size_t *rounds, size_t *files) {
    char command[700];
    snprintf(
        command, sizeof command,
        "cd '%s' && for i in $(ls | sed -n 's/^stream0-\\([0-9]*\\)\\.log.*$/\\1/p' | sort -nu); do "
        "echo file; if [ -e stream0-$i.log ]; then cat stream0-$i.log; else gzip -dc stream0-$i.log.gz; fi; done; cat stream0",
        folder);
    FILE *text = popen(command, "r");
    char line[64];
    size_t lines = 0;
    long long number, wanted = -1;
    while (fgets(line, sizeof line, text) != NULL) {
        if (strcmp(line, "file\n") == 0) {
            ++*files;
            continue;
        }
        assert_int_equal(sscanf(line, "line %lld\n", &number), 1);
        if (number == 0) {
            ++*rounds;
        } else if (number != wanted) {
            fail_msg("line %lld, and not %lld, in round %zu", number, wanted, *rounds);
        }
        wanted = number + 1;
        lines++;
    }
    assert_int_equal(pclose(text), 0);
    return lines;
}

static void a_kill_at_any_time_loses_and_doubles_nothing(void **state) {
    (void)state;
    struct gzip gzip;
    if (gzip_load("r", &gzip) < 0) {
        SKIP_WITH("zlib is not installed");
    }
    size_t acknowledged = 0, rounds = 0, files = 0;
    srandom(7);
    for (int i = 0; i < ROUNDS; i++) {
        acknowledged += run_and_kill((int)(random() % MOST_MS));
    }
    assert_int_equal(burst_close(open_rolling(0)), 0);
    const size_t lines = count_lines(&rounds, &files);
    printf("%d kills, %zu lines acknowledged, %zu there, %zu files rolled\n", ROUNDS, acknowledged, lines, files);
    assert_int_equal(rounds, ROUNDS);
    assert_true(lines >= acknowledged && lines <= acknowledged + ROUNDS);
    assert_true(files > 0 && files < MOST_FILES);
    char command[400];
    burst_t *log = open_rolling(3);
    snprintf(
        command, sizeof command,
        "cd '%s' && [ $(ls | grep -c 'stream0-.*log$') = 0 ] && [ $(ls | grep -c stream0-) -le 3 ] && ! ls -A | grep tmp",
        folder);
    for (int i = 0; system(command) != 0; i++) { /* until interrupted work is completed, or removed */
        assert_true(i < 2000);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    assert_int_equal(burst_close(log), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kill_at_any_time_loses_and_doubles_nothing, make_paths, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
