/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that do not let a process choose CPUs, priority or locked memory: each in a child of the test. */
#include "placed_log.h"

static int write_to(const char *directory, const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "we");
    const int written = file != NULL && fputs(text, file) >= 0;
    return file != NULL && fclose(file) == 0 && written;
}

static char cpuset[64];

/* The kernel reduces any choice to the CPUs of the set, and does not say so. */
static void in_a_cpuset_of_cpu_0(void) {
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (mkdir(cpuset, 0700) < 0 || !write_to(cpuset, "cpuset.cpus", "0") || !write_to(cpuset, "cpuset.mems", "0") ||
        !write_to(cpuset, "cgroup.procs", pid)) {
        skip_child("no cpuset can be made here; wants root and control groups of version 1");
    }
    burst_config_t config = small_config();
    burst_t *log;
    static const char *const beyond[] = {"1", "0-1"};
    for (int i = 0; i < 2; i++) {
        config.commit_cpu = beyond[i];
        CHECK(burst_open(&config, &log) == -EINVAL);
        CHECK(strstr(burst_last_error(), "CPU 1 is not in the cpuset of this process, which may run on 0") != NULL);
    }
    config.commit_cpu = "0";
    CHECK(burst_open(&config, &log) == 0);
    CHECK(burst_close(log) == 0);
}

static void cpus_outside_a_real_cpuset_are_refused_naming_those_in_it(void **state) {
    (void)state;
    need_two_cpus(__func__);
    snprintf(cpuset, sizeof cpuset, "/sys/fs/cgroup/cpuset/burst-test-%d", (int)getpid());
    const int status = run_child(in_a_cpuset_of_cpu_0);
    rmdir(cpuset);
    judge_child(status);
}

/* For hosts without cpusets: the call fails as it does in a set with none of the CPUs. */
static void in_a_small_cpuset(void) {
    refuse_call(SYS_sched_setaffinity, 0, EINVAL);
    burst_config_t config = small_config();
    burst_t *log;
    config.commit_cpu = "0";
    CHECK(burst_open(&config, &log) == -EINVAL);
    CHECK(strstr(burst_last_error(), "commitCpu=\"0\"") != NULL && strstr(burst_last_error(), "cpuset") != NULL);
}

static void cpus_outside_the_cpuset_are_refused(void **state) {
    (void)state;
    in_child(in_a_small_cpuset);
}

/* The CPUs that a process starts on do not limit it: isolated CPUs are never among them. */
static void started_on_one_cpu(void) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    CHECK(sched_setaffinity(0, sizeof first, &first) == 0);
    burst_config_t config = small_config();
    config.drain_cpu = "1";
    burst_t *log;
    CHECK(burst_open(&config, &log) == 0);
    CHECK(cpus_of("burst-drain") == 1ul << 1 && cpus_of("burst-commit") == 1ul << 0);
    CHECK(burst_close(log) == 0);
    config.commit_cpu = "0";
    config.commit_spin = 1;
    config.realtime_priority = 1;
    CHECK(burst_open(&config, &log) == -EINVAL);
    CHECK(strstr(burst_last_error(), "CPU 0, the only one") != NULL);
}

static void a_cpu_outside_the_affinity_that_the_process_began_with_can_be_chosen(void **state) {
    (void)state;
    need_two_cpus(__func__);
    in_child(started_on_one_cpu);
}

/* A spinner of that priority would keep everything else from any CPU that it runs on. */
static void where_a_spinner_gets_no_cpu_of_its_own(void) {
    burst_config_t config = small_config();
    refuse_call(SYS_sched_setaffinity, 0, EPERM);
    config.commit_cpu = "0";
    config.commit_spin = 1;
    config.realtime_priority = 1;
    burst_t *log;
    cpu_set_t own;
    CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
    if (CPU_COUNT(&own) < 2) {
        skip_child("wants two CPUs");
    }
    CHECK(burst_open(&config, &log) == 0);
    CHECK(strstr(told(log, BURST_WARN, "realtimePriority=\"1\""), "burst-commit spins") != NULL);
    int priority;
    CHECK(policy_of("burst-commit", &priority) == SCHED_OTHER);
    CHECK(burst_append(log, "x", 1, 0) == 1);
    CHECK(burst_close(log) == 0);
}

static void a_spinner_without_a_cpu_of_its_own_gets_no_priority(void **state) {
    (void)state;
    in_child(where_a_spinner_gets_no_cpu_of_its_own);
}

static void where_nobody_may_choose(void) {
    refuse_call(SYS_sched_setaffinity, 0, EPERM);
    burst_config_t config = small_config();
    config.drain_cpu = first_cpu();
    burst_t *log;
    CHECK(burst_open(&config, &log) == 0);
    char named[32];
    snprintf(named, sizeof named, "drainCpu=\"%s\"", config.drain_cpu);
    const char *line = told(log, BURST_WARN, named);
    CHECK(strstr(line, "is opened without") != NULL && strstr(line, "EPERM") != NULL && strstr(line, "allow") != NULL);
    CHECK(burst_append(log, "x", 1, 0) == 1);
    CHECK(burst_close(log) == 0);
}

static void a_host_that_forbids_the_choice_of_cpus_is_told_and_done_without(void **state) {
    (void)state;
    in_child(where_nobody_may_choose);
}

static void with_realtime(void) {
    const struct sched_param probe = {.sched_priority = 1};
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &probe) != 0) {
        skip_child("no real-time priority here; wants CAP_SYS_NICE");
    }
    const struct sched_param none = {0};
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &none);
    burst_config_t config = small_config();
    config.realtime_priority = 7;
    burst_t *log;
    int priority;
    CHECK(burst_open(&config, &log) == 0);
    CHECK(policy_of("burst-commit", &priority) == SCHED_FIFO && priority == 7);
    CHECK(policy_of("burst-drain", &priority) == SCHED_OTHER && priority == 0);
    CHECK(strstr(told(log, BURST_INFO, "SCHED_FIFO"), "SCHED_FIFO priority 7; image") != NULL);
    CHECK(burst_enqueue(log, "x", 1, 0) == 1 && burst_await_durable(log, 1, SECOND_NS * 30) == 1);
    CHECK(burst_close(log) == 0);
}

static void only_the_committer_gets_the_realtime_priority(void **state) {
    (void)state;
    in_child(with_realtime);
}

static void without_the_right_to_realtime(void) {
    const struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_RTPRIO, &none) == 0);
    drop_capabilities();
    burst_config_t config = small_config();
    config.realtime_priority = 7;
    burst_t *log;
    int priority;
    CHECK(burst_open(&config, &log) == 0);
    const char *line = told(log, BURST_WARN, "realtimePriority=\"7\"");
    CHECK(strstr(line, "EPERM") != NULL && strstr(line, "CAP_SYS_NICE") != NULL &&
          strstr(line, "RLIMIT_RTPRIO") != NULL);
    CHECK(policy_of("burst-commit", &priority) == SCHED_OTHER && priority == 0);
    CHECK(burst_append(log, "x", 1, 0) == 1);
    CHECK(burst_close(log) == 0);
}

static void a_priority_that_the_host_does_not_allow_is_told_and_done_without(void **state) {
    (void)state;
    in_child(without_the_right_to_realtime);
}

static void with_the_limit_only(void) {
    const struct rlimit seven = {7, 7};
    if (setrlimit(RLIMIT_RTPRIO, &seven) < 0) {
        skip_child("RLIMIT_RTPRIO cannot be raised; wants CAP_SYS_RESOURCE");
    }
    const struct sched_param probe = {.sched_priority = 7};
    drop_capabilities();
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &probe) != 0) {
        skip_child("no real-time priority here; the control group has no share of it");
    }
    const struct sched_param none = {0};
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &none);
    burst_config_t config = small_config();
    config.realtime_priority = 7;
    burst_t *log;
    int priority;
    CHECK(burst_open(&config, &log) == 0);
    CHECK(policy_of("burst-commit", &priority) == SCHED_FIFO && priority == 7);
    CHECK(burst_close(log) == 0);
}

static void the_limit_that_the_sentence_names_is_enough(void **state) {
    (void)state;
    in_child(with_the_limit_only);
}

static void without_the_right_to_lock(void) {
    const struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
    drop_capabilities();
    burst_config_t config = small_config();
    config.drain_cpu = first_cpu();
    burst_t *log;
    CHECK(burst_open(&config, &log) == 0);
    CHECK(strstr(told(log, BURST_INFO, "mlock"), "RLIMIT_MEMLOCK") != NULL);
    CHECK(strstr(told(log, BURST_INFO, "burst-drain"), "image not locked") != NULL);
    CHECK(burst_close(log) == 0);
}

static void an_image_that_may_not_be_locked_is_told_as_such(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP_WITH("the sanitizers replace mlock by nothing");
#endif
    in_child(without_the_right_to_lock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(cpus_outside_a_real_cpuset_are_refused_naming_those_in_it),
        TEST(cpus_outside_the_cpuset_are_refused),
        TEST(a_cpu_outside_the_affinity_that_the_process_began_with_can_be_chosen),
        TEST(a_spinner_without_a_cpu_of_its_own_gets_no_priority),
        TEST(a_host_that_forbids_the_choice_of_cpus_is_told_and_done_without),
        TEST(only_the_committer_gets_the_realtime_priority),
        TEST(a_priority_that_the_host_does_not_allow_is_told_and_done_without),
        TEST(the_limit_that_the_sentence_names_is_enough),
        TEST(an_image_that_may_not_be_locked_is_told_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
