/* SPDX-License-Identifier: Apache-2.0 */
/* The command `burstlog drain`, as a process beside a log of this one. */
#include "drain_beside.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>

#include "cli/run.h"
#include "log/log.h"
#include "media/record.h"
#include "skip_with.h"

#define RECORDS 5000 /* more than twice the ring */
#define RECORD_BYTES 1000

static char said_path[128];

static void become(uid_t user, gid_t group) {
    if (setgroups(1, &group) < 0 || setgid(group) < 0 || setuid(user) < 0) {
        _exit(126);
    }
}

/* below: a folder that it is confined to; NULL: none. user 0: this one. */
static pid_t start_drain_as(uid_t user, gid_t group, const char *window, const char *below) {
    snprintf(said_path, sizeof said_path, "%s/said", folder);
    unlink(said_path); /* what an earlier one said */
    const pid_t drain = fork();
    if (drain == 0) {
        const int said = open(said_path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        const int program = open(BURST_CLI, O_RDONLY | O_CLOEXEC);
        char *const arguments[] = {"burstlog",
                                   "drain",
                                   "--window",
                                   (char *)(uintptr_t)window,
                                   "--interval",
                                   "5",
                                   ring_path,
                                   below != NULL ? "--below" : NULL,
                                   (char *)(uintptr_t)below,
                                   NULL};
        dup2(said, STDERR_FILENO);
        if (user != 0) {
            become(user, group);
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* of a test that fails */
        fexecve(program, arguments, environ);
        _exit(127);
    }
    return drain;
}

static pid_t start_drain(const char *window, const char *below) {
    return start_drain_as(0, 0, window, below);
}

static int end_of(pid_t process) {
    int status = -1;
    assert_int_equal(waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void stop_drain(pid_t drain) {
    assert_int_equal(kill(drain, SIGTERM), 0);
    assert_int_equal(end_of(drain), 0);
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
    const pid_t drain = start_drain(folder, NULL);
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

static char run_folder[100], logs[100], others[100];

/* A ring, its window and its logs, each in a folder of its own; and a folder that is nobody's. */
static burst_config_t config_in_folders(void) {
    snprintf(run_folder, sizeof run_folder, "%s/run", folder);
    snprintf(logs, sizeof logs, "%s/logs", folder);
    snprintf(others, sizeof others, "%s/others", folder);
    snprintf(file_path, sizeof file_path, "%s/log", logs);
    assert_int_equal(mkdir(run_folder, 0700) | mkdir(logs, 0700) | mkdir(others, 0700), 0);
    burst_config_t config = external_config();
    config.window = run_folder;
    config.main = main_of(file_path);
    return config;
}

static int open_in(burst_t *log, const char *place, const char *name) {
    char path[256];
    burst_stream_config_t config;
    burst_stream_t *stream;
    burst_stream_config_init(&config);
    snprintf(path, sizeof path, "%s/%s", place, name);
    config.name = name;
    config.file_name = path;
    return burst_stream_open(log, &config, &stream);
}

/* The log asks for a place beside the list, and for one to which a link leads. */
static void it_writes_below_its_own_list_of_folders_only(void **state) {
    (void)state;
    char link[256], beyond[256], nested[128];
    const burst_config_t config = config_in_folders();
    snprintf(nested, sizeof nested, "%s/nested", logs);
    assert_int_equal(burst_close(open_with(&config)), 0);
    const pid_t drain = start_drain(run_folder, logs);
    await_said("drain"); /* that it does, or why not */
    if (strstr(output, "needs Landlock") != NULL) {
        end_of(drain);
        SKIP_WITH("%s", output);
    }
    burst_t *log = open_with(&config);
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("one\n");
    assert_int_equal(open_in(log, others, "second"), -EPERM);
    assert_non_null(strstr(burst_last_error(), "is below none of the folders"));
    assert_int_equal(open_in(log, logs, "../others/second"), -EPERM);
    assert_non_null(strstr(burst_last_error(), "is below none of the folders"));
    assert_int_equal(open_in(log, logs, "third"), 0);
    assert_int_equal(open_in(log, logs, "../logs/../logs/third-too"), -EPERM);
    assert_int_equal(mkdirat(AT_FDCWD, nested, 0700), 0);
    assert_int_equal(open_in(log, nested, "../third-in-a-folder"), 0);
    snprintf(link, sizeof link, "%s/fourth", logs);
    snprintf(beyond, sizeof beyond, "%s/fourth", others);
    assert_int_equal(symlink("../others/fourth", link), 0);
    assert_true(open_in(log, logs, "fourth") < 0);
    assert_int_equal(access(beyond, F_OK), -1);
    assert_int_equal(burst_close(log), 0);
    stop_drain(drain);
}

#define WRITER 20001 /* users and their group, which need not be known */
#define DRAIN 20002
#define NOBODY 20003
#define BOTH 20004

/* The application: its user may not write where the logs are. */
static int log_as_writer(void) {
    burst_config_t config = external_config();
    burst_t *log;
    become(WRITER, BOTH);
    config.window = run_folder;
    config.window_mode = 0660;
    config.io = BURST_IO_PWRITE; /* /dev/shm would be mapped */
    config.main = main_of(file_path);
    if (burst_open(&config, &log) < 0 || burst_append(log, "one\n", 4, 0) < 0 ||
        burst_await_drained(log, PATIENCE_NS) != 1) {
        fprintf(stderr, "%s\n", burst_last_error());
        return 1;
    }
    return burst_close(log) == 0 ? 0 : 1;
}

/* The rights of the table in docs/drain.md, and no other ones. */
static void another_user_drains_with_the_rights_of_the_table_alone(void **state) {
    (void)state;
    if (geteuid() != 0) {
        SKIP_WITH("root is needed, to become other users");
    }
    strcpy(folder, "/dev/shm/burst-drain-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(ring_path, sizeof ring_path, "%s/ring", folder);
    config_in_folders();
    assert_int_equal(run("format --size=2M %s", ring_path), 0);
    assert_int_equal(chmod(folder, 0755) | chown(ring_path, WRITER, BOTH) | chmod(ring_path, 0660), 0);
    assert_int_equal(chown(run_folder, WRITER, BOTH) | chmod(run_folder, 02770) | chown(logs, DRAIN, DRAIN), 0);
    const pid_t refused = start_drain_as(DRAIN, BOTH, run_folder, NULL);
    await_said("drain");
    assert_said("who can name any file in it");
    assert_int_equal(end_of(refused), 3);
    assert_true(end_of(start_drain_as(NOBODY, NOBODY, run_folder, logs)) > 0);
    const pid_t drain = start_drain_as(DRAIN, BOTH, run_folder, logs);
    await_said("drain");
    if (strstr(output, "needs Landlock") != NULL) {
        end_of(drain);
        SKIP_WITH("%s", output);
    }
    const pid_t writer = fork();
    if (writer == 0) {
        _exit(log_as_writer());
    }
    assert_int_equal(end_of(writer), 0);
    assert_file_is("one\n");
    stop_drain(drain);
}

static void an_interval_beyond_a_minute_is_refused(void **state) {
    (void)state;
    /* In 64 bits the last one is 448384 ns. */
    static const char *const wrong[] = {"60001", "0", "-1", "x", "18446744073710"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(run("drain --interval %s %s/none", wrong[i], folder), 2);
        assert_said("--interval takes 1 to 60000 milliseconds");
    }
    assert_int_equal(run("drain --interval 60000 %s/none", folder), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_writer_of_another_version_drains_by_itself),
        TEST(it_writes_below_its_own_list_of_folders_only),
        TEST(an_interval_beyond_a_minute_is_refused),
        cmocka_unit_test_teardown(another_user_drains_with_the_rights_of_the_table_alone, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
