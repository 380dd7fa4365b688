/* SPDX-License-Identifier: Apache-2.0 */
#include "log/placement.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/read_line.h"
#include "base/residence.h"
#include "base/worker.h"
#include "device/image.h"

#define SYS "/sys"
#define LIST_BYTES 128
#define REALTIME_HIGHEST 99

/* A thread of its own tries the CPUs, so that the caller keeps its CPU. */
struct trial {
    const struct cpulist *wanted;
    struct cpulist given;
    struct cpulist possible; /* the CPUs that the process's cpuset allows */
    int failure;
};

static int ask_for(const struct cpulist *cpus, struct cpulist *given) {
    return sched_setaffinity(0, sizeof *cpus, (const cpu_set_t *)cpus) < 0 ||
                   sched_getaffinity(0, sizeof *given, (cpu_set_t *)given) < 0
               ? errno
               : 0;
}

static void run_trial(void *argument) {
    struct trial *trial = argument;
    struct cpulist all;
    memset(&all, 0xff, sizeof all);
    ask_for(&all, &trial->possible);
    trial->failure = ask_for(trial->wanted, &trial->given);
}

/* Returns -EINVAL if a CPU is outside the cpuset of the process. If the host forbids any choice, a WARN event says so
 * later. */
static int check_cpuset(const char *attribute, const char *value, const char *ring, const struct cpulist *cpus) {
    struct trial trial = {.wanted = cpus};
    struct worker worker = {.is_stopped = 0};
    const int rc = worker_start(&worker, "burst-trial", run_trial, &trial);
    if (rc < 0) {
        return error_set(-rc, "no thread can be started to try %s=\"%s\" of ring %s: %s", attribute, value, ring,
                         error_name(-rc));
    }
    worker_join(&worker);
    if (trial.failure != EINVAL && (trial.failure != 0 || cpulist_first_beyond(cpus, &trial.given) < 0)) {
        return 0;
    }
    char possible[LIST_BYTES];
    cpulist_format(&trial.possible, possible, sizeof possible);
    return error_set(EINVAL,
                     "%s=\"%s\" of ring %s cannot be used: CPU %d is not in the cpuset of this process, which "
                     "may run on %s",
                     attribute, value, ring, cpulist_first_beyond(cpus, &trial.possible), possible);
}

static int read_cpus(const char *attribute, const char *value, const char *ring, struct cpulist *cpus) {
    if (value == NULL || *value == '\0') {
        return 0;
    }
    char online[1024] = "?";
    struct cpulist there;
    const int known =
        read_line(SYS "/devices/system/cpu/online", online, sizeof online) == 0 && cpulist_parse(online, &there) == 0;
    if (cpulist_parse(value, cpus) < 0) {
        return error_set(
            EINVAL,
            "%s=\"%s\" of ring %s cannot be used, as it is no list of CPUs: write it as \"3\" or \"3-5,8\"; online here: "
            "%s",
            attribute, value, ring, online);
    }
    const int missing = known ? cpulist_first_beyond(cpus, &there) : -1;
    if (missing >= 0) {
        return error_set(EINVAL,
                         "%s=\"%s\" of ring %s cannot be used: there is no CPU %d, or it is offline; online "
                         "here: %s",
                         attribute, value, ring, missing, online);
    }
    return check_cpuset(attribute, value, ring, cpus);
}

/* A spinning real-time thread there would stop all other threads of the process, even this one. */
static int is_only_cpu(const struct cpulist *cpus) {
    struct cpulist mine;
    memset(&mine, 0, sizeof mine);
    return cpulist_count(cpus) == 1 && sched_getaffinity(0, sizeof mine, (cpu_set_t *)&mine) == 0 &&
           cpulist_count(&mine) == 1 && cpulist_first_beyond(cpus, &mine) < 0;
}

void placement_read(const burst_config_t *config, struct placement *placement, struct error_list *errors) {
    memset(placement, 0, sizeof *placement);
    error_list_add(errors, read_cpus("drainCpu", config->drain_cpu, config->ring, &placement->drain_cpus));
    const int on_cpus = read_cpus("commitCpu", config->commit_cpu, config->ring, &placement->committer_cpus);
    error_list_add(errors, on_cpus);
    const int is_realtime = config->realtime_priority > 0 && config->realtime_priority <= REALTIME_HIGHEST;
    if (config->realtime_priority != 0 && !is_realtime) {
        error_list_add(errors,
                       error_set(EINVAL, "realtimePriority=\"%d\" of ring %s cannot be used: 1 to %d, or 0 for none",
                                 config->realtime_priority, config->ring, REALTIME_HIGHEST));
    } else if (is_realtime && config->commit_spin && (config->commit_cpu == NULL || *config->commit_cpu == '\0')) {
        error_list_add(errors,
                       error_set(EINVAL,
                                 "ring %s asks for commitSpin with realtimePriority=\"%d\" on no CPU of its "
                                 "own: nothing else would run where the thread burst-commit does; give it one with "
                                 "commitCpu",
                                 config->ring, config->realtime_priority));
    } else if (is_realtime && config->commit_spin && on_cpus == 0 && is_only_cpu(&placement->committer_cpus)) {
        error_list_add(errors,
                       error_set(EINVAL,
                                 "ring %s asks for commitSpin with realtimePriority=\"%d\" on CPU %s, the only "
                                 "one that this process may run on: nothing else of it would run; give the process "
                                 "another, or leave out commitSpin",
                                 config->ring, config->realtime_priority, config->commit_cpu));
    }
    placement->priority = config->realtime_priority;
    placement->committer_spins = config->commit_spin != 0;
    placement->small_pages = config->huge_pages == BURST_HUGE_PAGES_OFF;
    placement->is_wanted = !cpulist_is_empty(&placement->drain_cpus) || !cpulist_is_empty(&placement->committer_cpus) ||
                           placement->priority > 0 || placement->small_pages;
}

void placement_of_image(const struct placement *placement, struct device *device) {
    device->image_small_pages = placement->small_pages;
    device->image_node = image_node_of_cpus(SYS, &placement->committer_cpus);
    if (device->image_node < 0) {
        device->image_node = image_node_of_medium(SYS, device->path);
    }
}

static int pin(pthread_t thread, const char *attribute, const struct cpulist *cpus, const struct engine_parts *parts) {
    const int rc = cpulist_is_empty(cpus) ? 0 : pthread_setaffinity_np(thread, sizeof *cpus, (const cpu_set_t *)cpus);
    if (rc != 0) {
        char list[LIST_BYTES];
        cpulist_format(cpus, list, sizeof list);
        events_post(parts->events, BURST_WARN,
                    "ring %s is opened without %s=\"%s\", which the host refuses: %s; allow "
                    "sched_setaffinity to this process, in its container's profile for instance",
                    parts->device->path, attribute, list, error_name(rc));
    }
    return rc;
}

static void raise_priority(pthread_t thread, int priority, const struct engine_parts *parts) {
    const struct sched_param parameters = {.sched_priority = priority};
    const int rc = priority == 0 ? 0 : pthread_setschedparam(thread, SCHED_FIFO, &parameters);
    if (rc != 0) {
        events_post(parts->events, BURST_WARN,
                    "ring %s is opened without realtimePriority=\"%d\", which the host refuses: %s; allow "
                    "it by CAP_SYS_NICE or by RLIMIT_RTPRIO of %d (LimitRTPRIO of systemd, rtprio in limits.conf)",
                    parts->device->path, priority, error_name(rc), priority);
    }
}

static void tell_thread(pthread_t thread, char *text, size_t text_bytes) {
    struct thread_residence residence;
    struct sched_param parameters = {0};
    snprintf(text, text_bytes, "where it is not known");
    if (pthread_getaffinity_np(thread, sizeof residence.cpus, (cpu_set_t *)&residence.cpus) == 0 &&
        pthread_getschedparam(thread, &residence.policy, &parameters) == 0) {
        residence.priority = parameters.sched_priority;
        thread_residence_tell(&residence, text, text_bytes);
    }
}

void placement_of_threads(const struct placement *placement, const struct log_threads *threads) {
    const struct engine_parts *parts = &threads->engine->parts;
    if (!placement->is_wanted) {
        return;
    }
    pin(threads->drain.thread, "drainCpu", &placement->drain_cpus, parts);
    const int is_pinned = pin(threads->committer.thread, "commitCpu", &placement->committer_cpus, parts) == 0;
    if (placement->priority != 0 && placement->committer_spins && !is_pinned) {
        events_post(parts->events, BURST_WARN,
                    "ring %s is opened without realtimePriority=\"%d\": the thread burst-commit spins, and could "
                    "not be put on a CPU of its own, where nothing else has to run; allow "
                    "sched_setaffinity to this process, or set commitSpin=\"false\"",
                    parts->device->path, placement->priority);
    } else {
        raise_priority(threads->committer.thread, placement->priority, parts);
    }
    char drain[LIST_BYTES], committer[LIST_BYTES], image[LIST_BYTES] = "not to be seen";
    tell_thread(threads->drain.thread, drain, sizeof drain);
    tell_thread(threads->committer.thread, committer, sizeof committer);
    struct image_residence residence;
    if (image_residence_of("/proc/self", threads->engine->ring->geometry.capacity_bytes, &residence) == 0) {
        image_residence_tell(&residence, image, sizeof image);
    }
    events_post(parts->events, BURST_INFO, "ring %s: burst-drain on %s; burst-commit on %s; image %s",
                parts->device->path, drain, committer, image);
}
