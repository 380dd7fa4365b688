/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's view of an open log's threads; and children of a test, on hosts that allow less. */
#ifndef BURST_TEST_PLACED_LOG_H
#define BURST_TEST_PLACED_LOG_H

#include "log_fixture.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/read_line.h"
#include "refused_calls.h"
#include "skip_with.h"

/* The thread of this process with that name; 0: there is none. */
static inline pid_t thread_named(const char *wanted) {
    DIR *threads = opendir("/proc/self/task");
    pid_t found = 0;
    struct dirent *entry;
    while ((entry = readdir(threads)) != NULL) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        if (read_line(path, name, sizeof name) == 0 && strcmp(name, wanted) == 0) {
            found = atoi(entry->d_name);
        }
    }
    closedir(threads);
    return found;
}

/* Waits until the thread has done what there was to do, and sleeps. */
static inline void await_asleep(const char *name) {
    char state = '?';
    while (state != 'S') {
        char path[64], line[1024];
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread_named(name));
        state = read_line(path, line, sizeof line) == 0 ? strrchr(line, ')')[2] : '?'; /* it may have no name yet */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* The CPUs that the kernel lets the thread run on. */
static inline int get_cpus_of(const char *name, cpu_set_t *set) {
    CPU_ZERO(set);
    const pid_t thread = thread_named(name);
    return thread != 0 && sched_getaffinity(thread, sizeof *set, set) == 0;
}

/* The same as bits: bit n for CPU n, of the first 64. */
static inline unsigned long cpus_of(const char *name) {
    cpu_set_t set;
    if (!get_cpus_of(name, &set)) {
        return 0;
    }
    unsigned long cpus = 0;
    for (int cpu = 0; cpu < 64; cpu++) {
        cpus |= CPU_ISSET(cpu, &set) ? 1ul << cpu : 0;
    }
    return cpus;
}

static inline int policy_of(const char *name, int *priority) {
    struct sched_param parameters = {0};
    const pid_t thread = thread_named(name);
    const int policy = (int)syscall(SYS_sched_getscheduler, thread); /* musl's function does not ask the kernel */
    syscall(SYS_sched_getparam, thread, &parameters);
    *priority = parameters.sched_priority;
    return policy;
}

/* The first event of this severity with the word; "": there is none. */
static inline const char *told(burst_t *log, uint32_t severity, const char *word) {
    static burst_event_t event;
    event.struct_bytes = sizeof event;
    while (burst_next_event(log, &event, 0) == 1) {
        if (event.severity == severity && strstr(event.text, word) != NULL) {
            return event.text;
        }
    }
    return "";
}

static inline void need_two_cpus(const char *test) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    if (!CPU_ISSET(0, &set) || !CPU_ISSET(1, &set)) {
        fprintf(stderr, "SKIPPED %s: needs the CPUs 0 and 1\n", test);
        skip();
    }
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: " #condition "; last sentence: %s\n", __LINE__, burst_last_error());             \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static inline int run_child(void (*body)(void)) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        body();
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return status;
}

static inline void judge_child(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        SKIP_WITH("the host does not let a test do that");
    }
    assert_int_equal(status, 0);
}

static inline void in_child(void (*body)(void)) {
    judge_child(run_child(body));
}

static inline void drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    CHECK(syscall(SYS_capset, &header, none) == 0);
}

/* Ends a child that cannot do its part here. */
static inline void skip_child(const char *reason) {
    fprintf(stderr, "SKIPPED: %s\n", reason);
    _exit(77);
}

#endif
