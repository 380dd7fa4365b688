/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGKILL of a writer and of the drain beside it, at random moments and before and after system calls, with a second drain
 * now and then, with drains that stand still (SIGSTOP), and with lock files that are deleted while two drains run.
 *
 * The writer has two streams, and in every second folder one rolls its file. Each number that it writes is written once, and
 * is noted in memory that outlives it when its append has returned. In the end the files of each stream have these numbers,
 * each once, in their order, and nothing torn; so they do before any writer opens the ring again, if a drain is there.
 *
 *     drains-kills [--rounds N] [--seconds N] [--seed S]
 */
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/events.h"
#include "harness/drains/files.h"
#include "harness/readers/random_kills.h"
#include "log/ring_drain.h"
#include "window/locks.h"

#define ROUNDS_A_FOLDER 24
#define NUMBERS_A_FOLDER 400000u
#define RECORDS_OF_A_TRACED_LIFE 60u
#define KILL_WITHIN_US 60000
#define DRAIN_STOPS 600
#define RING_BYTES (2u << 20)
#define ROLL_BYTES 60000u
#define INTERVAL_NS 2000000

struct shared {
    _Atomic uint32_t life;      /* of the writer that was started last */
    _Atomic uint32_t open_life; /* of the writer that has opened its streams last */
    _Atomic uint32_t without_second;
    struct numbers numbers;
};

static struct shared *shared;
static uint64_t roll_bytes;
static int is_short_life, is_told;
static unsigned long long kills_of_writer, kills_of_drain, stopped_drains, second_drains, deleted_locks;
static uint64_t stops_of_writer = 500;

static uint32_t stream_of(uint64_t number) {
    return number % 3 == 0 && !atomic_load(&shared->without_second);
}

/* ------------------------------------------------------------------------------------------------------------ writer */

static int open_external(uint32_t drain, burst_t **log) {
    burst_rolling_t rolling;
    burst_stream_config_t stream;
    burst_config_t config;
    burst_rolling_init(&rolling);
    rolling.pattern = pattern;
    rolling.size_bytes = roll_bytes;
    burst_stream_config_init(&stream);
    stream.file_name = file_path;
    stream.rolling = roll_bytes != 0 ? &rolling : NULL;
    stream.segments = segments_path;
    burst_config_init(&config);
    config.ring = ring_path;
    config.main = &stream;
    config.ring_bytes = RING_BYTES;
    config.io = BURST_IO_PWRITE;
    config.durability = BURST_DURABILITY_PROCESS;
    config.drain_interval_ns = INTERVAL_NS;
    config.shutdown_timeout_ns = 10 * SECOND_NS;
    config.window = folder;
    config.drain = drain;
    return burst_open(&config, log);
}

static void *tell_events(void *log) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, -1) == 1) {
        if (is_told) {
            fprintf(stderr, "writer: %s\n", event.text);
        }
    }
    return NULL;
}

/* A drain that stands still opens no stream: then the life has but one. */
static burst_stream_t *open_second(burst_t *log) {
    burst_stream_config_t config;
    burst_stream_t *second;
    burst_stream_config_init(&config);
    config.name = "second";
    config.file_name = second_path;
    const int rc = burst_stream_open(log, &config, &second);
    if (rc < 0 && rc != -ETIMEDOUT) {
        fprintf(stderr, "the second stream: %s\n", burst_last_error());
        _exit(2);
    }
    atomic_store(&shared->without_second, rc < 0);
    return rc < 0 ? NULL : second;
}

static void write_one(burst_t *log, burst_stream_t *second, uint32_t life) {
    static char record[RECORD_MOST_BYTES];
    const uint64_t number = atomic_fetch_add(&shared->numbers.next, 1);
    const uint32_t of = stream_of(number);
    const size_t length = record_make(record, number, life);
    burst_stream_t *stream = of == 0 ? burst_main_stream(log) : second;
    const int waits = life % 3 != 0;
    const int64_t sequence =
        waits ? burst_stream_append(stream, record, length, life) : burst_stream_enqueue(stream, record, length, life);
    if (sequence <= 0 || (!waits && number % 64 == 0 && burst_flush(log, -1) < 0)) {
        fprintf(stderr, "life %u, record %llu: %s\n", life, (unsigned long long)number, burst_last_error());
        _exit(2);
    }
    if (waits) {
        atomic_store(&shared->numbers.noted[number], (uint8_t)(1 + of));
    }
}

static void write_a_life(void) {
    burst_t *log;
    pthread_t teller;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const uint32_t life = atomic_load(&shared->life);
    if (open_external(BURST_DRAIN_EXTERNAL, &log) < 0) {
        fprintf(stderr, "life %u: %s\n", life, burst_last_error());
        _exit(2);
    }
    pthread_create(&teller, NULL, tell_events, log);
    burst_stream_t *second = open_second(log);
    atomic_store(&shared->open_life, life);
    for (unsigned i = 0;
         (!is_short_life || i < RECORDS_OF_A_TRACED_LIFE) && atomic_load(&shared->numbers.next) < NUMBERS_MOST - 1;
         i++) {
        write_one(log, second, life);
        if (!is_short_life && i % 128 == 0) {
            pause_us(500);
        }
    }
    _exit(burst_close_within(log, HANG_NS) >= 0 ? 0 : 2);
}

/* ------------------------------------------------------------------------------------------------------------- drain */

static _Atomic uint32_t never;
static struct events events;

static void *print_events(void *argument) {
    struct event event;
    (void)argument;
    while (events_take(&events, &event, -1) == 1) {
        if (is_told) {
            fprintf(stderr, "drain %d: %s\n", (int)getpid(), event.text);
        }
    }
    return NULL;
}

#define DRAIN_IS_NOT_ALONE 3

static void drain_on(void) {
    pthread_t printer;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const struct ring_drain_config config = {.ring = ring_path, .window = folder, .interval_ns = INTERVAL_NS};
    events_init(&events, &platform_linux);
    pthread_create(&printer, NULL, print_events, NULL);
    const int rc = ring_drain_run(&config, &events, &never);
    if (rc != -ESTALE) {
        fprintf(stderr, "the drain ended: %s\n", error_text());
    }
    _exit(rc == -ESTALE ? DRAIN_IS_NOT_ALONE : 2);
}

/* ------------------------------------------------------------------------------------------------------------- check */

/* No writer is there. A drain brings all that was acknowledged to its files. */
static void await_drained(void) {
    struct found found[STREAMS] = {{.missing = 1}};
    const int64_t until_ns = now_ns() + HANG_NS;
    const unsigned long long before = violations;
    do {
        pause_us(50000);
    } while (check_streams(&shared->numbers, found) && violations == before && found[0].missing > 0 &&
             now_ns() < until_ns);
    if (violations == before && found[0].missing > 0) {
        VIOLATION("a drain beside no writer has left %llu acknowledged records in the ring, from number %llu on",
                  (unsigned long long)found[0].missing, (unsigned long long)found[0].first_missing);
    }
}

/* Whether a drain has its lock in the file that has the name now. */
static int is_drained_by_another(void) {
    glob_t files;
    int is_held = 0;
    char pattern_of_locks[sizeof folder + 16];
    snprintf(pattern_of_locks, sizeof pattern_of_locks, "%s/*" LOCKS_SUFFIX, folder);
    if (glob(pattern_of_locks, 0, NULL, &files) == 0) {
        struct ring_locks locks = {.fd = open(files.gl_pathv[0], O_RDWR | O_CLOEXEC)};
        is_held = locks.fd >= 0 && locks_is_held(&locks, LOCKS_DRAIN) == 1;
        close(locks.fd);
        globfree(&files);
    }
    return is_held;
}

/* The drain may have been started, or have lost its lock file, a moment ago. */
static void await_drain(void) {
    const int64_t until_ns = now_ns() + HANG_NS;
    while (!is_drained_by_another()) {
        if (now_ns() >= until_ns) {
            VIOLATION("the drain has taken no lock");
            return;
        }
        pause_us(1000);
    }
}

/* ------------------------------------------------------------------------------------------------------------ rounds */

static void begin_life(int is_short) {
    is_short_life = is_short;
    atomic_fetch_add(&shared->life, 1);
}

static void await_open(pid_t writer) {
    siginfo_t end = {.si_pid = 0};
    while (atomic_load(&shared->open_life) != atomic_load(&shared->life) && end.si_pid == 0) {
        pause_us(100);
        waitid(P_PID, (id_t)writer, &end, WEXITED | WNOHANG | WNOWAIT);
    }
}

static void delete_lock_file(void) {
    char command[sizeof folder + 32];
    snprintf(command, sizeof command, "rm -f %s/*.locks", folder);
    deleted_locks += system(command) == 0;
}

/* Two drains, the second of which waits for the first, or does not see it. One of them is left. */
static void run_second_drain(pid_t *drain) {
    second_drains++;
    if (next_random() % 2 == 0) {
        delete_lock_file();
    }
    const pid_t other = victim_start(drain_on, 0);
    pause_us(next_random() % KILL_WITHIN_US);
    int status = 0;
    kill(*drain, SIGKILL);
    waitpid(*drain, &status, 0);
    if (WIFSIGNALED(status)) {
        kills_of_drain++;
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != DRAIN_IS_NOT_ALONE) {
        VIOLATION("the drain ended with status %#x", (unsigned)status);
    }
    *drain = other;
}

static void run_stopped_drain(pid_t drain) {
    stopped_drains++;
    kill(drain, SIGSTOP);
    pause_us(next_random() % KILL_WITHIN_US * 4);
    kill(drain, SIGCONT);
}

/* A drain that does not see another one ends by itself. */
static void renew(pid_t *drain) {
    int status;
    if (waitpid(*drain, &status, WNOHANG) == *drain) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != DRAIN_IS_NOT_ALONE) {
            VIOLATION("the drain ended with status %#x", (unsigned)status);
        }
        *drain = victim_start(drain_on, 0);
    }
}

static void run_round(pid_t *drain) {
    const uint32_t kind = next_random() % 10;
    if (kind < 2) { /* the writer, at a system call */
        begin_life(1);
        const uint64_t stops =
            kill_at_a_call("writer", write_a_life, stops_of_writer + stops_of_writer / 8, &kills_of_writer);
        stops_of_writer = stops > stops_of_writer ? stops : stops_of_writer;
        return;
    }
    begin_life(0);
    const pid_t writer = victim_start(write_a_life, 0);
    if (next_random() % 3 != 0) {
        await_open(writer);
    }
    if (kind < 5) { /* the drain, at a system call, with a moment without any drain */
        kill_now("drain", *drain, &kills_of_drain);
        kill_at_a_call("drain", drain_on, DRAIN_STOPS, &kills_of_drain);
        pause_us(next_random() % KILL_WITHIN_US);
        *drain = victim_start(drain_on, 0);
    } else if (kind == 5) {
        run_second_drain(drain);
    } else if (kind == 6) {
        run_stopped_drain(*drain);
    } else if (kind == 7) { /* no drain for a while: the ring fills, the writer drains, and gives way */
        kill_now("drain", *drain, &kills_of_drain);
        pause_us(KILL_WITHIN_US * 10);
        *drain = victim_start(drain_on, 0);
        pause_us(next_random() % KILL_WITHIN_US);
    } else {
        pause_us(next_random() % KILL_WITHIN_US);
        if (kind == 9) {
            kill_now("drain", *drain, &kills_of_drain);
            *drain = victim_start(drain_on, 0);
        }
    }
    kill_now("writer", writer, &kills_of_writer);
}

/* A log that drains by itself is refused while a drain is there, and moves the rest when it is gone. */
static void open_inner(void) {
    burst_t *log;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (open_external(BURST_DRAIN_INNER, &log) < 0 || burst_close_within(log, HANG_NS) != 0) {
        fprintf(stderr, "the last open: %s\n", burst_last_error());
        _exit(2);
    }
    _exit(0);
}

static void open_inner_in_vain(void) {
    burst_t *log;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int rc = open_external(BURST_DRAIN_INNER, &log);
    const char *sentence = rc < 0 ? burst_last_error() : "the log is open";
    /* A drain that just recovers the ring has the guard of the only writer. */
    if (rc == -EBUSY && (strstr(sentence, "is drained by process") || strstr(sentence, "is held by process"))) {
        _exit(0);
    }
    fprintf(stderr, "%s\n", sentence);
    _exit(2);
}

static void run_child(const char *who, void (*run)(void)) {
    unsigned long long kills = 0;
    int status = 0;
    waitpid(victim_start(run, 0), &status, 0);
    take_end(who, status, &kills);
}

static void run_folder(unsigned rounds) {
    const unsigned long long before = violations;
    struct found found[STREAMS] = {{.last = 0}};
    make_folder();
    snprintf(second_path, sizeof second_path, "%s/second", folder);
    memset(shared, 0, sizeof *shared);
    atomic_store(&shared->numbers.next, 1);
    fflush(stdout);
    begin_life(1);
    run_child("first writer", write_a_life); /* makes the ring: there is no drain yet */
    pid_t drain = victim_start(drain_on, 0);
    for (unsigned round = 0;
         round < rounds && violations == before && atomic_load(&shared->numbers.next) < NUMBERS_A_FOLDER; round++) {
        run_round(&drain);
        renew(&drain);
    }
    if (violations == before) {
        await_drained();
        await_drain();
    }
    run_child("log that drains by itself, beside a drain", open_inner_in_vain);
    kill_now("last drain", drain, &kills_of_drain);
    run_child("last writer", open_inner);
    if (violations == before && check_streams(&shared->numbers, found) && found[0].missing > 0) {
        VIOLATION("%llu acknowledged records are in no file, from number %llu on", (unsigned long long)found[0].missing,
                  (unsigned long long)found[0].first_missing);
    }
    printf("%-7s: %u rounds, %llu numbers, %llu and %llu lines\n", roll_bytes != 0 ? "rolls" : "plain", rounds,
           (unsigned long long)atomic_load(&shared->numbers.next) - 1, (unsigned long long)found[0].lines,
           (unsigned long long)found[1].lines);
    fflush(stdout);
    remove_folder(before);
}

int main(int argc, char **argv) {
    unsigned rounds = 16, done = 0;
    int64_t end_ns = 0;
    is_told = getenv("DRAINS_TELL") != NULL;
    for (int i = 1; i < argc; i += 2) {
        const int number = i + 1 < argc ? atoi(argv[i + 1]) : 0;
        if (number > 0 && strcmp(argv[i], "--rounds") == 0) {
            rounds = (unsigned)number;
        } else if (number > 0 && strcmp(argv[i], "--seconds") == 0) {
            end_ns = now_ns() + number * SECOND_NS;
        } else if (number > 0 && strcmp(argv[i], "--seed") == 0) {
            random_state = (uint32_t)number;
        } else {
            fprintf(stderr, "usage: %s [--rounds N] [--seconds N] [--seed S]\n", argv[0]);
            return 2;
        }
    }
    const uint32_t seed = random_state;
    shared = share(sizeof *shared);
    const unsigned a_folder = rounds < 2 * ROUNDS_A_FOLDER ? (rounds + 1) / 2 : ROUNDS_A_FOLDER;
    for (unsigned turn = seed; violations == 0 && (done < rounds || now_ns() < end_ns); turn++) {
        roll_bytes = turn % 2 == 0 ? ROLL_BYTES : 0;
        run_folder(a_folder);
        done += a_folder;
    }
    printf(
        "%llu kills of writers and %llu of drains, %llu of them at a system call; %llu drains stood still, %llu met a "
        "second one, %llu times without its lock file\n",
        kills_of_writer, kills_of_drain, kills_at_calls, stopped_drains, second_drains, deleted_locks);
    printf("PROOF drains-kills cases=%llu violations=%llu seeds=%u-%u\n", kills_of_writer + kills_of_drain, violations,
           seed, seed);
    return violations == 0 ? 0 : 1;
}
