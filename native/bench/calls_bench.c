/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of calls, and of their stages: threads append, or offer, as fast as they can. Prints how long the calls
 * took, and the six stages as the log timed them. scripts/bench/calls also runs it under valgrind and strace.
 *
 *     calls_bench append|offer RING LOG_FILE ENGINE CALLS BYTES THREADS [RING_MEGABYTES [none|window|spin]]
 *
 * ENGINE: as in the configuration, for instance pwrite or mapped. RING: a ring, or a file to be created. none: the log has
 * no window; window: it has one, beside the log file, and nobody reads; spin: another process reads, and spins.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"
#include "device/medium.h"

#define THREADS_MOST 64
#define IO_KINDS 8
#define PATH_BYTES 4096
#define NS_A_SECOND 1000000000ll

struct caller {
    pthread_t thread;
    burst_t *log;
    int offers;
    size_t bytes, calls;
    int64_t *took_ns;
};

static int64_t ns_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * NS_A_SECOND + now.tv_nsec;
}

static int64_t now_ns(void) {
    return ns_of(CLOCK_MONOTONIC);
}

static void die(const char *what) {
    fprintf(stderr, "calls_bench: %s: %s\n", what, burst_last_error());
    exit(1);
}

static uint32_t io_of(const char *name) {
    for (uint32_t io = 0; io < IO_KINDS; io++) {
        if (strcmp(device_io_name(io), name) == 0) {
            return io;
        }
    }
    fprintf(stderr, "calls_bench: there is no engine %s\n", name);
    exit(2);
}

/* Reads the clock once between two calls. An offer that finds the ring full is made again; all
 * tries count as its time. */
static void *call(void *argument) {
    const struct caller *self = argument;
    char *record = malloc(self->bytes);
    memset(record, 'r', self->bytes);
    int64_t before_ns = now_ns();
    for (size_t i = 0; i < self->calls; i++) {
        int64_t sequence;
        do {
            sequence = self->offers ? burst_offer(self->log, record, self->bytes, 0)
                                    : burst_append(self->log, record, self->bytes, 0);
        } while (sequence == -EAGAIN);
        if (sequence < 0) {
            die("call");
        }
        const int64_t after_ns = now_ns();
        self->took_ns[i] = after_ns - before_ns;
        before_ns = after_ns;
    }
    free(record);
    return NULL;
}

static int compare(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

static void print_row(const char *name, uint64_t timed, const uint64_t ns[4]) {
    printf("| %s | %llu |", name, (unsigned long long)timed);
    for (int i = 0; i < 4; i++) {
        printf(timed == 0 ? " |" : " %.2f |", (double)ns[i] / 1e3);
    }
    printf("\n");
}

static void print_calls(const char *name, int64_t *took_ns, size_t count) {
    qsort(took_ns, count, sizeof *took_ns, compare);
    print_row(name, count,
              (uint64_t[]){(uint64_t)took_ns[count / 2], (uint64_t)took_ns[count * 99 / 100],
                           (uint64_t)took_ns[count * 9999 / 10000], (uint64_t)took_ns[count - 1]});
}

static void print_stages(const burst_t *log) {
    static const char *const names[BURST_STAGES] = {"claim wait", "copy",        "commit wait", "device write",
                                                    "drain lag",  "enqueue lag", "copy wait"};
    static burst_histogram_t times = {.struct_bytes = sizeof times};
    for (uint32_t stage = 0; stage < BURST_STAGES; stage++) {
        if (burst_stage_histogram(log, stage, &times) < 0) {
            die("histogram");
        }
        print_row(names[stage], times.count,
                  (uint64_t[]){burst_histogram_percentile(&times, 50), burst_histogram_percentile(&times, 99),
                               burst_histogram_percentile(&times, 99.99), times.max_ns});
    }
}

/* The reader's process: says on standard output that it looks through the window, and reads until it is killed. */
static int read_all(const char *ring, const char *window) {
    burst_reader_config_t config;
    burst_reader_t *reader;
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    burst_read_t record = {.struct_bytes = sizeof record};
    burst_reader_config_init(&config);
    config.source = ring;
    config.window = window;
    config.wait = BURST_WAIT_SPIN;
    config.from = BURST_FROM_LAST;
    if (burst_reader_open(&config, &reader) < 0 || burst_reader_state(reader, &state) < 0) {
        die("open reader");
    }
    if (state.place != BURST_PLACE_RING || write(STDOUT_FILENO, "r", 1) != 1) {
        return 1;
    }
    while (burst_reader_next(reader, &record, NS_A_SECOND) >= 0) {
    }
    die("read");
    return 1;
}

/* Another program: what counts the calls of this one does not follow it. */
static pid_t start_reader(const char *program, const char *ring, const char *window) {
    int told[2];
    char byte;
    if (pipe(told) < 0) {
        die("pipe");
    }
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(told[1], STDOUT_FILENO);
        execl(program, program, "read", ring, window, (char *)NULL);
        _exit(127);
    }
    close(told[1]);
    if (child < 0 || read(told[0], &byte, 1) != 1) {
        fprintf(stderr, "calls_bench: no reader looks through the window in %s\n", window);
        exit(1);
    }
    close(told[0]);
    return child;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "read") == 0) {
        return read_all(argv[2], argv[3]);
    }
    static struct caller callers[THREADS_MOST];
    const size_t threads = argc > 7 ? strtoul(argv[7], NULL, 10) : 0;
    const size_t calls = threads == 0 ? 0 : strtoul(argv[5], NULL, 10) / threads;
    if (calls == 0 || threads > THREADS_MOST) {
        fprintf(stderr,
                "usage: calls_bench append|offer RING LOG_FILE ENGINE CALLS BYTES THREADS (1..%d) [RING_MEGABYTES "
                "[none|window|spin]]\n",
                THREADS_MOST);
        return 2;
    }
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = argv[3]};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = argv[2];
    config.main = &main_config;
    config.io = io_of(argv[4]);
    config.durability = BURST_DURABILITY_PROCESS;
    config.ring_bytes = argc > 8 ? strtoull(argv[8], NULL, 10) << 20 : 0;
    const char *const readers = argc > 9 ? argv[9] : "none", *const name = strrchr(argv[3], '/');
    char window[PATH_BYTES] = ".";
    if (name != NULL) {
        snprintf(window, sizeof window, "%.*s", (int)(name - argv[3]), argv[3]);
    }
    config.window = strcmp(readers, "none") == 0 ? NULL : window;
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        die("open");
    }
    const pid_t reader = strcmp(readers, "spin") == 0 ? start_reader(argv[0], argv[2], window) : 0;
    int64_t *took_ns = calloc(threads * calls, sizeof *took_ns);
    const int64_t begin_ns = now_ns();
    for (size_t i = 0; i < threads; i++) {
        callers[i] = (struct caller){.log = log,
                                     .offers = strcmp(argv[1], "offer") == 0,
                                     .bytes = strtoul(argv[6], NULL, 10),
                                     .calls = calls,
                                     .took_ns = took_ns + i * calls};
        if (i > 0 && pthread_create(&callers[i].thread, NULL, call, &callers[i]) != 0) {
            die("pthread_create");
        }
    }
    const int64_t used_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
    call(&callers[0]); /* in the main thread: strace can follow that one alone */
    const double processor_ns = (double)(ns_of(CLOCK_THREAD_CPUTIME_ID) - used_ns) / (double)calls;
    for (size_t i = 1; i < threads; i++) {
        pthread_join(callers[i].thread, NULL);
    }
    const double each_ns = (double)(now_ns() - begin_ns) / (double)(threads * calls);
    if (reader > 0) {
        kill(reader, SIGKILL);
        waitpid(reader, NULL, 0);
    }
    burst_await_drained(log, -1);
    printf("%.1f ns a call, %.1f ns of a processor: %zu calls of %zu bytes by %zu threads\n\n", each_ns, processor_ns,
           threads * calls, callers[0].bytes, threads);
    printf("| us | timed | p50 | p99 | p99.99 | max |\n|---|---|---|---|---|---|\n");
    print_calls("the call", took_ns, threads * calls);
    print_stages(log);
    return burst_close(log) < 0;
}
