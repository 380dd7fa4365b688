/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/slow_turns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/platform.h"
#include "device/device.h"
#include "log/log.h"

#define BLOCK_TURNS 1000u  /* between two looks at the ring's fill and at the limit */
#define LEAD_IN_TURNS 100u /* of a block: not counted, since that look leaves other caches */
#define KEPT_PERCENT 99.0  /* the limit: lower than what is asked for, since the distribution moves */
#define AWAIT_DRAINED_NS 60000000000ll

/* ------------------------------------------------------------------------------------------ the write of an append */

/* Stands before the medium's functions and takes the time of a commit's writes. Only this thread commits. */
static struct {
    const struct device_ops *real;
    struct device_ops ops;
    int64_t begin_ns, end_ns; /* 0: nothing was written */
    const void *data;         /* the last write's */
    size_t bytes;
} timed;

static void timed_submit(struct device *device, struct device_write *write) {
    timed.begin_ns = timed.begin_ns != 0 ? timed.begin_ns : platform_monotonic_ns(&platform_linux);
    timed.data = write->data;
    timed.bytes = write->bytes;
    timed.real->submit(device, write);
}

static struct device_write *timed_complete(struct device *device) {
    struct device_write *write = timed.real->complete(device);
    timed.end_ns = platform_monotonic_ns(&platform_linux);
    return write;
}

static void time_writes(struct device *device) {
    timed.real = device->ops;
    timed.ops = *device->ops;
    timed.ops.submit = timed_submit;
    timed.ops.complete = timed_complete;
    device->ops = &timed.ops;
}

/* -------------------------------------------------------------------------------------------------- the counters */

struct counters {
    burst_t *log;
    int schedstat;   /* -1: this kernel has none */
    int drain_state; /* the file that tells whether the drain waits for a disk; -1: not found */
    clockid_t drain_clock;
};

static int open_drain_state(void) {
    char path[64], name[32];
    int found = -1;
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *thread; threads != NULL && found < 0 && (thread = readdir(threads)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", thread->d_name);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t length = fd < 0 ? -1 : read(fd, name, sizeof name - 1);
        name[length > 0 ? length : 0] = '\0';
        if (strcmp(name, "burst-drain\n") == 0) {
            snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread->d_name);
            found = open(path, O_RDONLY | O_CLOEXEC);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
    return found;
}

static int open_counters(struct counters *counters, burst_t *log) {
    *counters = (struct counters){.log = log, .drain_state = open_drain_state()};
    counters->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const int failure = pthread_getcpuclockid(log->threads.drain.thread, &counters->drain_clock);
    return failure == 0 ? 0 : error_set(failure, "the drain's clock cannot be read: %s", error_name(failure));
}

static void close_counters(const struct counters *counters) {
    if (counters->schedstat >= 0) {
        close(counters->schedstat);
    }
    if (counters->drain_state >= 0) {
        close(counters->drain_state);
    }
}

static int64_t clock_ns(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void read_counters(const struct counters *counters, struct slow_reading *reading) {
    char text[64];
    long long on_core, queued;
    struct rusage usage = {0};
    reading->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    reading->wall_ns = platform_monotonic_ns(&platform_linux);
    const ssize_t length = counters->schedstat < 0 ? -1 : pread(counters->schedstat, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    reading->queued_ns = sscanf(text, "%lld %lld", &on_core, &queued) == 2 ? queued : -1;
    getrusage(RUSAGE_THREAD, &usage);
    reading->sleeps = (uint64_t)usage.ru_nvcsw;
    reading->preemptions = (uint64_t)usage.ru_nivcsw;
    reading->faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
    reading->drain_cpu_ns = clock_ns(counters->drain_clock);
    reading->full_waits = atomic_load_explicit(&counters->log->ring->full_waits, memory_order_relaxed);
}

/* Whether the drain is on a core, or waits for a disk, at this moment: "123 (burst-drain) D ..". */
static int drain_is_at_work(const struct counters *counters) {
    char text[64] = "";
    const ssize_t length = counters->drain_state < 0 ? -1 : pread(counters->drain_state, text, sizeof text - 1, 0);
    const char *state = length > 0 ? strstr(text, ") ") : NULL;
    return state != NULL && (state[2] == 'D' || state[2] == 'R');
}

/* ------------------------------------------------------------------------------------------------------ the turns */

static int append(burst_t *log, uint64_t number, struct slow_call *call) {
    static uint64_t record[SLOW_RECORD_BYTES / sizeof(uint64_t)];
    if (record[1] == 0) {
        for (size_t i = 1; i < SLOW_RECORD_BYTES / sizeof(uint64_t); i++) {
            record[i] = platform_linux.ops->random(&platform_linux); /* not zeros: some media take a short cut */
        }
    }
    record[0] = number;
    timed.begin_ns = timed.end_ns = 0;
    const int64_t begin_ns = platform_monotonic_ns(&platform_linux);
    const int64_t sequence = burst_append(log, record, SLOW_RECORD_BYTES, 0);
    call->took_ns = platform_monotonic_ns(&platform_linux) - begin_ns;
    call->write_ns = timed.begin_ns == 0 ? 0 : timed.end_ns - timed.begin_ns;
    call->before_ns = timed.begin_ns == 0 ? 0 : timed.begin_ns - begin_ns;
    return sequence < 0 ? (int)sequence : 0;
}

static int write_bare(struct bare_write *bare, struct slow_call *call) {
    const int rc = bare == NULL || timed.data == NULL ? 0 : bare_write(bare, timed.data, timed.bytes, &call->took_ns);
    call->write_ns = call->took_ns;
    return rc;
}

static void do_nothing(int64_t duration_ns, struct slow_call *call) {
    const int64_t begin_ns = platform_monotonic_ns(&platform_linux);
    do {
        call->took_ns = platform_monotonic_ns(&platform_linux) - begin_ns;
    } while (call->took_ns < duration_ns);
}

static int keep(struct slow_turns *turns, enum slow_kind kind, const struct slow_call *call) {
    if (turns->kept_count[kind] == turns->kept_room[kind]) {
        const size_t room = turns->kept_room[kind] * 2 + 4096;
        struct slow_call *more = realloc(turns->kept[kind], room * sizeof *more);
        if (more == NULL) {
            return error_set(ENOMEM, "no memory for %zu slow calls: ask for fewer seconds", room);
        }
        turns->kept[kind] = more;
        turns->kept_room[kind] = room;
    }
    turns->kept[kind][turns->kept_count[kind]++] = *call;
    return 0;
}

static int count(struct slow_turns *turns, enum slow_kind kind, const struct slow_call *call) {
    histogram_record(&turns->took[kind], (uint64_t)call->took_ns);
    if (kind == SLOW_APPEND) {
        histogram_record(&turns->before, (uint64_t)call->before_ns);
        histogram_record(&turns->write, (uint64_t)call->write_ns);
    }
    return call->took_ns - turns->typical[kind].took_ns > turns->limit_ns ? keep(turns, kind, call) : 0;
}

static int take_turn(const struct counters *counters, struct bare_write *bare, uint64_t number, int counts,
                     struct slow_turns *turns) {
    struct slow_call calls[SLOW_KINDS] = {{0}};
    struct slow_reading readings[SLOW_KINDS + 1];
    read_counters(counters, &readings[0]);
    int rc = append(counters->log, number, &calls[SLOW_APPEND]);
    read_counters(counters, &readings[1]);
    calls[SLOW_APPEND].was_preempted = turns->preemptions != readings[0].preemptions;
    turns->preemptions = readings[1].preemptions;
    if (calls[SLOW_APPEND].took_ns - turns->typical[SLOW_APPEND].took_ns > turns->limit_ns) {
        calls[SLOW_APPEND].drain_at_work = (uint8_t)drain_is_at_work(counters);
        read_counters(counters, &readings[2]); /* the look is no part of the bare write's turn */
    } else {
        readings[2] = readings[1];
    }
    struct slow_reading after_bare;
    rc = rc < 0 ? rc : write_bare(bare, &calls[SLOW_BARE]);
    read_counters(counters, &after_bare);
    do_nothing(turns->typical[SLOW_APPEND].took_ns, &calls[SLOW_NOTHING]);
    read_counters(counters, &readings[3]);
    slow_between(&readings[0], &readings[1], &calls[SLOW_APPEND]);
    slow_between(&readings[2], &after_bare, &calls[SLOW_BARE]);
    slow_between(&after_bare, &readings[3], &calls[SLOW_NOTHING]);
    for (enum slow_kind kind = 0; rc == 0 && counts && kind < SLOW_KINDS; kind++) {
        rc = kind == SLOW_BARE && bare == NULL ? 0 : count(turns, kind, &calls[kind]);
    }
    return rc;
}

static void find_typical(struct slow_turns *turns) {
    for (enum slow_kind kind = 0; kind < SLOW_KINDS; kind++) {
        turns->typical[kind].took_ns = (int64_t)histogram_percentile(&turns->took[kind], 50);
    }
    turns->typical[SLOW_APPEND].before_ns = (int64_t)histogram_percentile(&turns->before, 50);
    turns->typical[SLOW_APPEND].write_ns = (int64_t)histogram_percentile(&turns->write, 50);
    turns->typical[SLOW_BARE].write_ns = turns->typical[SLOW_BARE].took_ns;
    turns->limit_ns =
        (int64_t)histogram_percentile(&turns->took[SLOW_APPEND], KEPT_PERCENT) - turns->typical[SLOW_APPEND].took_ns;
}

/* Waits for the drain if the ring is half full: a full ring is no part of the question. */
static int make_room(burst_t *log) {
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    int rc = burst_stats(log, &stats);
    if (rc < 0 || stats.used_bytes < stats.capacity_bytes / 2) {
        return rc;
    }
    rc = burst_await_drained(log, AWAIT_DRAINED_NS);
    return rc == 0 ? error_set(ETIMEDOUT, "the drain has not emptied the ring within a minute") : rc < 0 ? rc : 0;
}

/* The first lap of a new ring also pays for the medium's blocks. */
static int append_a_lap(const struct counters *counters, struct slow_turns *turns) {
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    struct slow_call call;
    int rc = burst_stats(counters->log, &stats);
    const uint64_t written = stats.device_bytes;
    for (uint64_t i = 1; rc >= 0 && stats.device_bytes - written < stats.capacity_bytes; i++) {
        rc = append(counters->log, i, &call);
        if (rc >= 0 && i % BLOCK_TURNS == 0) {
            rc = make_room(counters->log);
            rc = rc < 0 ? rc : burst_stats(counters->log, &stats);
        }
        histogram_record(&turns->took[SLOW_APPEND], (uint64_t)call.took_ns);
    }
    find_typical(turns);
    memset(&turns->took[SLOW_APPEND], 0, sizeof turns->took[SLOW_APPEND]);
    return rc;
}

int slow_turns_take(burst_t *log, struct bare_write *bare, double seconds, struct slow_turns *turns) {
    struct counters counters;
    int rc = open_counters(&counters, log);
    if (rc < 0) {
        return rc;
    }
    time_writes(log->device);
    rc = append_a_lap(&counters, turns);
    const int64_t end_ns = platform_monotonic_ns(&platform_linux) + (int64_t)(seconds * 1e9);
    for (uint64_t number = 0; rc == 0 && platform_monotonic_ns(&platform_linux) < end_ns;) {
        for (unsigned i = 0; rc == 0 && i < BLOCK_TURNS; i++) {
            rc = take_turn(&counters, bare, number++, i >= LEAD_IN_TURNS, turns);
        }
        find_typical(turns);
        rc = rc < 0 ? rc : make_room(log);
    }
    log->device->ops = timed.real;
    close_counters(&counters);
    return rc;
}

void slow_turns_free(struct slow_turns *turns) {
    for (enum slow_kind kind = 0; kind < SLOW_KINDS; kind++) {
        free(turns->kept[kind]);
    }
}

void slow_turns_sum(const struct slow_turns *turns, double percent, struct slow_beyond *beyond) {
    *beyond = (struct slow_beyond){.percent = percent};
    if ((double)histogram_count(&turns->took[SLOW_APPEND]) * (100 - percent) < 100) {
        return;
    }
    const struct slow_call *typical = &turns->typical[SLOW_APPEND];
    beyond->took_ns = (int64_t)histogram_percentile(&turns->took[SLOW_APPEND], percent);
    for (enum slow_kind kind = 0; kind < SLOW_KINDS; kind++) {
        for (size_t i = 0; i < turns->kept_count[kind]; i++) {
            const struct slow_call *call = &turns->kept[kind][i];
            int64_t shares_ns[SLOW_CAUSES];
            if (call->took_ns - turns->typical[kind].took_ns <= beyond->took_ns - typical->took_ns) {
                continue;
            }
            beyond->counts[kind][slow_assign(call, &turns->typical[kind], shares_ns)]++;
            if (kind == SLOW_APPEND) {
                beyond->appends++;
                beyond->stages[slow_stage_of(call, typical)]++;
                for (int cause = 0; cause < SLOW_CAUSES; cause++) {
                    beyond->time_ns[cause] += shares_ns[cause];
                }
            }
        }
    }
    /* The loop's turns last about as long as an append's, so its stops are shared out between write and rest. */
    const double stops = (double)beyond->counts[SLOW_NOTHING][SLOW_UNSEEN] /
                         (double)(turns->typical[SLOW_NOTHING].took_ns > 0 ? turns->typical[SLOW_NOTHING].took_ns : 1);
    const uint64_t *bare = beyond->counts[SLOW_BARE];
    const int has_bare = histogram_count(&turns->took[SLOW_BARE]) > 0;
    const struct slow_control control = {
        .writes =
            has_bare ? (double)(bare[SLOW_WRITE] + bare[SLOW_WRITE_AND_DRAIN]) : stops * (double)typical->write_ns,
        .unseen = stops * (double)(typical->took_ns - typical->write_ns),
    };
    slow_divide(beyond->counts[SLOW_APPEND], &control, beyond->owners);
}
