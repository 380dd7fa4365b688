/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGKILL of a writer and of the drain beside it, at random moments, before and after system calls, and of both at once, with
 * a second drain now and then, with sides that stand still (SIGSTOP), and with lock files and sockets that are deleted while
 * both run.
 *
 * The writer has two streams, and in every second folder one rolls its file. Each number that it writes is written once, and
 * is noted in memory that outlives it when its append has returned. In the end the files of each stream have these numbers,
 * each once, in their order, and nothing torn; so they do before any writer opens the ring again, if a drain is there.
 *
 *     drains-kills [--rounds N] [--seconds N] [--seed S] [--stand-still SECONDS]
 */
#include <fcntl.h>
#include <glob.h>

#include "harness/drains/sides.h"
#include "harness/readers/random_kills.h"
#include "window/locks.h"

#define ROUNDS_A_FOLDER 24
#define NUMBERS_A_FOLDER 400000u
#define KILL_WITHIN_US 60000
#define DRAIN_STOPS 600
#define ROLL_BYTES 60000u
#define TELLS_A_STOP_S 75 /* the writer tells a stop of its drain each minute */

static unsigned long long kills_of_writer, kills_of_drain, both_at_once, stopped_drains, stopped_writers, second_drains,
    deleted_locks, deleted_sockets;
static uint64_t stops_of_writer = 500;
static int stand_still_s; /* each round stops one of both for so long; 0: rounds of all kinds */

/* ------------------------------------------------------------------------------------------------------------- check */

/* No writer is there. A drain brings all that was acknowledged to its files. */
static void await_drained(void) {
    struct found found[DESTINATIONS];
    const int64_t until_ns = now_ns() + HANG_NS;
    const unsigned long long before = violations;
    int is_done = 0;
    do {
        pause_us(50000);
        is_done = check_streams(&shared->numbers, found) && are_all_there(found);
    } while (!is_done && violations == before && now_ns() < until_ns);
    if (violations == before && !is_done) {
        tell_missing("beside no writer, with a drain", found);
    }
}

/* Both are there, and records go on from the writer to its files. */
static void await_progress(const char *what) {
    const int64_t until_ns = now_ns() + HANG_NS;
    const uint64_t wanted = atomic_load(&shared->numbers.next) + 10;
    while (last_number(file_path) < wanted && last_number(second_path) < wanted) {
        if (now_ns() >= until_ns) {
            VIOLATION("%s, and no record from number %llu on is in a file, though number %llu is to be written", what,
                      (unsigned long long)wanted, (unsigned long long)atomic_load(&shared->numbers.next));
            return;
        }
        pause_us(2000);
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

/* Returns whether it is open; else it has ended. */
static int await_open(pid_t writer) {
    siginfo_t end = {.si_pid = 0};
    while (atomic_load(&shared->open_life) != atomic_load(&shared->life) && end.si_pid == 0) {
        pause_us(100);
        waitid(P_PID, (id_t)writer, &end, WEXITED | WNOHANG | WNOWAIT);
    }
    return end.si_pid == 0;
}

static pid_t start_writer(void) {
    begin_life(0);
    return victim_start(write_a_life, 0);
}

static void renew_drain(pid_t *drain) {
    kill_now("drain", *drain, &kills_of_drain);
    *drain = victim_start(drain_on, 0);
}

static void delete (const char *suffix, unsigned long long *deleted) {
    char command[sizeof folder + 32];
    snprintf(command, sizeof command, "rm -f %s/*%s", folder, suffix);
    *deleted += system(command) == 0;
}

static void pause_a_moment(void) {
    pause_us(next_random() % KILL_WITHIN_US);
}

static void kill_writer_at_a_call(pid_t *drain) {
    (void)drain;
    begin_life(1);
    const uint64_t stops =
        kill_at_a_call("writer", write_a_life, stops_of_writer + stops_of_writer / 8, &kills_of_writer);
    stops_of_writer = stops > stops_of_writer ? stops : stops_of_writer;
}

/* With a moment without any drain. */
static void kill_drain_at_a_call(pid_t *drain) {
    kill_now("drain", *drain, &kills_of_drain);
    kill_at_a_call("drain", drain_on, DRAIN_STOPS, &kills_of_drain);
    pause_a_moment();
    *drain = victim_start(drain_on, 0);
}

/* Two drains, the second of which waits for the first, or does not see it. One of them is left. */
static void run_second_drain(pid_t *drain) {
    second_drains++;
    if (next_random() % 2 == 0) {
        delete (LOCKS_SUFFIX, &deleted_locks);
    }
    const pid_t other = victim_start(drain_on, 0);
    pause_a_moment();
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

/* The ring fills; the writer drains by itself, and gives way. */
static void leave_without_drain(pid_t *drain) {
    kill_now("drain", *drain, &kills_of_drain);
    pause_us(KILL_WITHIN_US * 10);
    *drain = victim_start(drain_on, 0);
    pause_a_moment();
}

static void kill_drain_at_a_moment(pid_t *drain) {
    pause_a_moment();
    renew_drain(drain);
}

static void leave_both(pid_t *drain) {
    (void)drain;
    pause_a_moment();
}

/* ----------------------------------------------------------------------------------------------- rounds of both sides */

/* Both stop first: they die in the same moment. */
static void kill_both(pid_t *drain, pid_t *writer) {
    pause_a_moment();
    both_at_once++;
    kill(*writer, SIGSTOP);
    kill(*drain, SIGSTOP);
    kill_now("writer", *writer, &kills_of_writer);
    kill_now("drain", *drain, &kills_of_drain);
    *drain = victim_start(drain_on, 0);
    *writer = start_writer();
}

static void stand_still(pid_t side) {
    kill(side, SIGSTOP);
    pause_us(stand_still_s > 0 ? stand_still_s * 1000000l : (long)(next_random() % KILL_WITHIN_US) * 4);
}

/* The drain moves all that is durable meanwhile, and perhaps another one comes. */
static void stop_writer(pid_t *drain, pid_t *writer) {
    await_open(*writer);
    stopped_writers++;
    stand_still(*writer);
    if (next_random() % 2 == 0) {
        renew_drain(drain);
    }
    kill(*writer, SIGCONT);
    await_progress("the writer stood still");
}

/* Another writer comes beside a drain that stands still. It is refused only if that has its lock. */
static void renew_writer_beside_stopped(pid_t drain, pid_t *writer) {
    kill_now("writer", *writer, &kills_of_writer);
    *writer = start_writer();
    if (!await_open(*writer)) {
        int status = 0;
        waitpid(*writer, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != OPEN_IS_REFUSED) {
            VIOLATION("a writer beside a stopped drain ended with status %#x", (unsigned)status);
        }
        kill(drain, SIGCONT);
        *writer = start_writer();
    }
}

static void stop_drain(pid_t *drain, pid_t *writer) {
    const uint32_t told = atomic_load(&shared->told_stops);
    stopped_drains++;
    stand_still(*drain);
    if (stand_still_s >= TELLS_A_STOP_S && atomic_load(&shared->told_stops) == told) {
        VIOLATION("for %d s the drain stood still, and the writer did not say so", stand_still_s);
    }
    if (stand_still_s > 0) { /* it waits up to 10 s for its second stream */
        renew_writer_beside_stopped(*drain, writer);
    }
    kill(*drain, SIGCONT);
    if (stand_still_s > 0) {
        await_open(*writer);
        await_progress("the drain stood still");
    }
}

/* The drain that had it goes on; one that comes anew finds it again. */
static void delete_a_file(pid_t *drain, pid_t *writer) {
    await_open(*writer);
    const int is_socket = next_random() % 2 == 0;
    delete (is_socket ? ".window" : LOCKS_SUFFIX, is_socket ? &deleted_sockets : &deleted_locks);
    if (next_random() % 2 == 0) {
        renew_drain(drain);
    }
    await_progress(is_socket ? "the socket was deleted" : "the lock file was deleted");
}

static const struct {
    void (*run)(pid_t *drain);
    void (*run_both)(pid_t *drain, pid_t *writer); /* where `run` is NULL */
} kinds[] = {
    {.run = kill_drain_at_a_call}, {.run = kill_drain_at_a_call}, {.run = kill_drain_at_a_call},
    {.run = run_second_drain},     {.run = leave_without_drain},  {.run = kill_drain_at_a_moment},
    {.run = leave_both},           {.run_both = kill_both},       {.run_both = kill_both},
    {.run_both = delete_a_file},   {.run_both = stop_writer},     {.run_both = stop_drain}, /* these two are last */
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* A drain that does not see another one ends by itself. */
static void renew_ended(pid_t *drain) {
    int status;
    if (waitpid(*drain, &status, WNOHANG) == *drain) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != DRAIN_IS_NOT_ALONE) {
            VIOLATION("the drain ended with status %#x", (unsigned)status);
        }
        *drain = victim_start(drain_on, 0);
    }
}

static void run_round(unsigned round, pid_t *drain) {
    const uint32_t draw = next_random() % (KINDS + 2);
    const uint32_t kind = stand_still_s > 0 ? (uint32_t)KINDS - 2 + round % 2 : draw;
    if (kind >= KINDS) {
        kill_writer_at_a_call(drain);
        return;
    }
    pid_t writer = start_writer();
    if (stand_still_s > 0 || next_random() % 3 != 0) {
        await_open(writer);
    }
    if (kinds[kind].run != NULL) {
        kinds[kind].run(drain);
    } else {
        kinds[kind].run_both(drain, &writer);
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
    struct found found[DESTINATIONS] = {{.last = 0}};
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
        run_round(round, &drain);
        renew_ended(&drain);
    }
    if (violations == before) {
        await_drained();
        await_drain();
    }
    run_child("log that drains by itself, beside a drain", open_inner_in_vain);
    kill_now("last drain", drain, &kills_of_drain);
    run_child("last writer", open_inner);
    if (violations == before && check_streams(&shared->numbers, found)) {
        tell_missing("in the end", found);
    }
    printf("%-7s: %u rounds, %llu numbers, %llu and %llu lines, %llu frames\n", roll_bytes != 0 ? "rolls" : "plain",
           rounds, (unsigned long long)atomic_load(&shared->numbers.next) - 1, (unsigned long long)found[0].lines,
           (unsigned long long)found[1].lines, (unsigned long long)found[SEGMENTS].lines);
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
        } else if (number > 0 && strcmp(argv[i], "--stand-still") == 0) {
            stand_still_s = number;
        } else {
            fprintf(stderr, "usage: %s [--rounds N] [--seconds N] [--seed S] [--stand-still SECONDS]\n", argv[0]);
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
        "%llu kills of writers and %llu of drains, %llu of them at a system call, %llu of both at once; %llu writers and "
        "%llu drains stood still, %llu drains met a second one; %llu lock files and %llu sockets were deleted\n",
        kills_of_writer, kills_of_drain, kills_at_calls, both_at_once, stopped_writers, stopped_drains, second_drains,
        deleted_locks, deleted_sockets);
    printf("PROOF drains-kills cases=%llu violations=%llu seeds=%u-%u\n", kills_of_writer + kills_of_drain, violations,
           seed, seed);
    return violations == 0 ? 0 : 1;
}
