/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rig of the tests in this folder: a mount namespace of the program's own, whose mounts go away with it; a file
 * system that fails on demand (faultfs); a log with a witness; and the checks at the end of each test.
 */
#ifndef BURST_TEST_RIGS_RIG_H
#define BURST_TEST_RIGS_RIG_H

#include "device/media.h"
#include "log_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>

#include "harness/rigs/fault_rules.h"
#include "harness/rigs/witness.h"

#define RIG_RING_BYTES (2u << 20)

static struct witness witness;
static struct fault_control *faults;
static pid_t faultfs = -1;
static char events_text[1 << 20]; /* all events of the engine */

static inline int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static inline void pause_ms(long milliseconds) {
    const struct timespec pause = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* Returns 0, or 77 after it has printed what is missing here. */
static inline int rig_enter(void) {
    const char *missing = NULL;
    if (geteuid() != 0)
        missing = "root";
    else if (access("/dev/fuse", R_OK | W_OK) < 0)
        missing = "/dev/fuse";
    else if (!have_own_mounts())
        missing = "a mount namespace";
    if (missing == NULL)
        return 0;
    fprintf(stderr, "SKIPPED: faults under the real kernel want %s\n", missing);
    return 77;
}

/* ---------------------------------------------------------------------------------------------------- faultfs */

static inline void rig_mount_faultfs(void) {
    struct stat above, mounted;
    faultfs = fork();
    assert_true(faultfs >= 0);
    if (faultfs == 0) {
        execl(RIG_FAULTFS, "faultfs", "backing", "control", "fuse", NULL);
        _exit(127);
    }
    assert_int_equal(stat(".", &above), 0);
    for (const int64_t give_up_ns = now_ns() + PATIENCE_NS; now_ns() < give_up_ns; pause_ms(1)) {
        if (stat("fuse", &mounted) == 0 && mounted.st_dev != above.st_dev)
            return;
    }
    fail_msg("%s", "faultfs was not mounted");
}

/* SIGTERM: the daemon ends in order; if there is a cache, that is a power cut. SIGKILL: users of the file system get
 * ENOTCONN until the next mount. */
static inline void rig_end_faultfs(int signal_number) {
    if (faultfs <= 0)
        return;
    kill(faultfs, signal_number);
    waitpid(faultfs, NULL, 0);
    faultfs = -1;
    umount2("fuse", MNT_DETACH);
}

static inline void rules_off(void) {
    for (int i = 0; i < FAULT_RULES; i++)
        atomic_store(&faults->rules[i].on, 0);
}

/* Turns the rule on, in the first free place. */
static inline struct fault_rule *rule_on(const struct fault_rule *wanted) {
    for (int i = 0; i < FAULT_RULES; i++) {
        struct fault_rule *rule = &faults->rules[i];
        if (atomic_load(&rule->on))
            continue;
        memcpy(rule, wanted, sizeof *rule);
        atomic_store(&rule->seen, 0);
        atomic_store(&rule->hits, 0);
        atomic_store(&rule->on, 1);
        return rule;
    }
    abort();
}

#define RULE(...) rule_on(&(struct fault_rule){__VA_ARGS__})

static inline void await_hits(const struct fault_rule *rule, uint64_t hits) {
    for (const int64_t give_up_ns = now_ns() + PATIENCE_NS; atomic_load(&rule->hits) < hits; pause_ms(1)) {
        if (now_ns() > give_up_ns)
            fail_msg("the fault was met %llu times, not %llu", (unsigned long long)atomic_load(&rule->hits),
                     (unsigned long long)hits);
    }
}

/* ------------------------------------------------------------------------------------------- set up, tear down */

/* A test's paths are relative to the scratch directory. */

static inline int rig_up(void **state) {
    if (make_scratch(state) < 0 || chdir(scratch) < 0)
        return -1;
    assert_int_equal(mkdir("backing", 0700), 0);
    assert_int_equal(mkdir("fuse", 0700), 0);
    assert_int_equal(mkdir("plain", 0700), 0);
    make_file("control", sizeof *faults);
    const int fd = open("control", O_RDWR | O_CLOEXEC);
    faults = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    assert_true(faults != MAP_FAILED);
    snprintf(ring_path, sizeof ring_path, "%s", "plain/ring");
    snprintf(file_path, sizeof file_path, "%s", "plain/log");
    witness_begin(&witness);
    events_text[0] = '\0';
    rig_mount_faultfs();
    return 0;
}

static inline int rig_down(void **state) {
    if (faults != NULL)
        rules_off();
    rig_end_faultfs(SIGTERM);
    munmap(faults, sizeof *faults);
    faults = NULL;
    witness_end(&witness);
    umount2("mounted", MNT_DETACH);
    assert_int_equal(chdir(".."), 0);
    return remove_scratch(state);
}

#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, rig_up, rig_down)

static inline void ring_at_path(const char *path) {
    snprintf(ring_path, sizeof ring_path, "%s", path);
}

static inline void log_in(const char *name) {
    snprintf(file_path, sizeof file_path, "%s/log", name);
}

/* ------------------------------------------------------------------------------------------------- the log */

static inline void append_some(burst_t *log, int count, size_t length) {
    for (int i = 0; i < count; i++) {
        if (witness_append(&witness, log, 0, length) <= 0)
            fail_msg("append: %s", burst_last_error());
    }
}

/* Appends all events to events_text. */
static inline void hear_for(burst_t *log, int64_t timeout_ns) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, timeout_ns) == 1) {
        const size_t used = strlen(events_text), left = sizeof events_text - used;
        if (snprintf(events_text + used, left, "%s\n", event.text) >= (int)left) {
            fprintf(stderr, "more events than the rig has room for\n");
            abort();
        }
        if (getenv("RIG_EVENTS") != NULL)
            fprintf(stderr, "  event %u: %s\n", event.severity, event.text);
    }
}

static inline void hear(burst_t *log) {
    hear_for(log, 0);
}

/* Hears events until the log lets go of ring and log file. A stalled medium may delay that beyond the close. */
static inline void hear_to_the_end(burst_t *log) {
    hear_for(log, -1);
}

static inline void assert_told(burst_t *log, const char *part) {
    hear(log);
    if (strstr(events_text, part) == NULL)
        fail_msg("nothing of \"%s\" in:\n%s", part, events_text);
}

static inline void await_told(burst_t *log, const char *part) {
    for (const int64_t give_up_ns = now_ns() + PATIENCE_NS; now_ns() < give_up_ns; pause_ms(1)) {
        hear(log);
        if (strstr(events_text, part) != NULL)
            return;
    }
    fail_msg("nothing of \"%s\" in:\n%s", part, events_text);
}

static inline void await_state(burst_t *log, uint32_t state) {
    const int64_t give_up_ns = now_ns() + PATIENCE_NS;
    while (stats_of(log).state != state && now_ns() < give_up_ns)
        pause_ms(1);
    assert_int_equal(stats_of(log).state, state);
}

static inline void drain_all(burst_t *log) {
    const int drained = burst_await_drained(log, PATIENCE_NS);
    hear(log);
    if (drained != 1)
        fail_msg("not drained (%d); it told:\n%s", drained, events_text);
}

static inline void close_drained(burst_t *log) {
    drain_all(log);
    hear(log);
    assert_int_equal(burst_close(log), 0);
}

static inline void assert_failure_says(burst_t *log, const char *part) {
    char text[BURST_TEXT_BYTES];
    assert_int_equal(burst_failure(log, text, sizeof text), 1);
    if (getenv("RIG_EVENTS") != NULL)
        fprintf(stderr, "  failure: %s\n", text);
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* The ring refuses this append and every later one, and the process lives on. */
static inline void assert_fail_stop(burst_t *log, const char *reason) {
    assert_int_equal(witness_append(&witness, log, 0, 0), -EIO);
    assert_int_equal(witness_append(&witness, log, 0, 0), -EIO);
    assert_int_equal(stats_of(log).state, BURST_STATE_FAILED);
    assert_failure_says(log, reason);
}

static inline int log_files_in(const char *folder_name) {
    int count = 0;
    DIR *entries = opendir(folder_name);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        count += strncmp(entry->d_name, "log", 3) == 0;
    closedir(entries);
    return count;
}

/* The folder's log files hold everything. */
static inline struct findings assert_whole(const char *folder_name) {
    const struct findings findings = witness_check(&witness, folder_name);
    assert_int_equal(findings.violations, 0);
    assert_true(findings.present > 0);
    return findings;
}

static inline void assert_nothing_lost(const char *folder_name) {
    assert_int_equal(assert_whole(folder_name).told_lost, 0);
}

/* Reopens without faults, drains, closes; appends go on. */
static inline void reopen_and_drain(void) {
    rules_off();
    burst_t *log = open_small();
    append_some(log, 3, 0);
    close_drained(log);
}

#endif
