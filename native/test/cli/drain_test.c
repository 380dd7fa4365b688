/* SPDX-License-Identifier: Apache-2.0 */
/* The command `burstlog drain`, as a process beside a log of this one. */
#include "drain_beside.h"

#include <fcntl.h>
#include <signal.h>

#include "cli/run.h"
#include "log/log.h"
#include "media/record.h"

#define RECORDS 5000 /* more than twice the ring */
#define RECORD_BYTES 1000

static char said_path[128];

static pid_t start_drain(void) {
    snprintf(said_path, sizeof said_path, "%s/said", folder);
    const pid_t drain = fork();
    if (drain == 0) {
        const int said = open(said_path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        dup2(said, STDERR_FILENO);
        execl(BURST_CLI, "burstlog", "drain", "--window", folder, "--interval", "5", ring_path, (char *)NULL);
        _exit(127);
    }
    return drain;
}

static void stop_drain(pid_t drain) {
    int status = -1;
    assert_int_equal(kill(drain, SIGTERM), 0);
    assert_int_equal(waitpid(drain, &status, 0), drain);
    assert_int_equal(status, 0);
}

/* Waits until the drain has told this. */
static void await_said(const char *words) {
    for (int i = 0; i < 12000; i++) {
        FILE *said = fopen(said_path, "r");
        output[said == NULL ? 0 : fread(output, 1, sizeof output - 1, said)] = '\0';
        if (said != NULL) {
            fclose(said);
        }
        if (strstr(output, words) != NULL) {
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_said(words);
}

/* All records, each once. */
static void await_records(void) {
    size_t bytes = 0;
    char *text = NULL;
    for (int i = 0; i < 12000 && bytes < RECORDS * RECORD_BYTES; i++) {
        free(text);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        text = read_file(&bytes);
    }
    assert_int_equal(bytes, RECORDS * RECORD_BYTES);
    for (int i = 0; i < RECORDS; i++) {
        assert_int_equal(atoi(text + i * RECORD_BYTES), i);
    }
    free(text);
}

static void append_records(burst_t *log) {
    char record[RECORD_BYTES + 1];
    for (int i = 0; i < RECORDS; i++) {
        snprintf(record, sizeof record, "%-*d\n", RECORD_BYTES - 1, i);
        assert_true(burst_enqueue(log, record, RECORD_BYTES, 0) > 0);
    }
}

/* A log of a build whose window, or whose words to the drain, are of another version than the drain's. It loses and doubles
 * nothing, does not stop for want of the drain, and the log of the next build is drained. */
static void meet_other_version(int window, int words) {
    make_folder(NULL);
    const burst_config_t config = external_config();
    make_ring();
    burst_t *log = open_with(&config);
    struct window *seen = log->engine->window;
    seen->head->version += (uint32_t)window;
    log->engine->requests->table->version += (uint32_t)words;
    window_seal(seen, crc_seed_of(seen->head->uuid));
    const pid_t drain = start_drain();
    await_said("is left to the process that writes it");
    assert_said(window != 0 ? "is of version" : "in version");
    append_records(log);
    assert_true(await_event(log, "drains ring"));
    assert_true(burst_close(log) >= 0);
    await_records();
    log = open_with(&config);
    append_text(log, "next\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    stop_drain(drain);
    remove_folder(NULL);
}

static void a_writer_of_another_version_drains_by_itself(void **state) {
    (void)state;
    for (int next = -1; next <= 1; next += 2) {
        meet_other_version(next, 0);
        meet_other_version(0, next);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_writer_of_another_version_drains_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
