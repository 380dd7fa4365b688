/* SPDX-License-Identifier: Apache-2.0 */
/* SIGKILL at random moments, over and over on one ring and file: in open, recovery, append, commit, drain and close.
 * The witness is memory that the killed process shared with this one. Each line that it calls acknowledged must be
 * in the file exactly once, in order, and whole.
 *
 * The folders have these surroundings in turn: lines that are all equal, so that only a line's number tells whether it
 * is there twice; files beside the log file that begin like it, and an older copy of it; a link in place of its name; a
 * rotation between a kill and the open that recovers; several streams, which change their names now and then, and which
 * every other recovery does not open; all of these with a roll every few hundred lines.
 *
 *     crash-kill_test [--rounds N] [--seconds N] [--seed S] [--streams 1] [--rolls 1]     KILL_ROUNDS sets the number of rounds, too
 *
 * --streams 1: all surroundings have streams. --rolls 1: and rolls; then there is no rotation and no link, since
 * rolls expect neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"
#include "harness/crash/rolls.h"
#include "skip_with.h"

#define KILL_WITHIN_US 30000
#define KILL_OPEN_WITHIN_US 3000 /* half of the kills come so early, most likely in the open */
#define PROGRESS_SECONDS 5
#define FILE_BYTES_MOST (128ull << 20) /* and a quarter of what is free; beyond it a new folder begins */
#define FREE_BYTES_LEAST (32ull << 20)
#define SECOND_NS 1000000000ll
#define HELD_SECONDS 60
#define ROUNDS_A_FOLDER 40

struct round {
    struct witness *witness;
    burst_t *log;
    burst_stream_t *stream;
    int thread;
};

/* Each folder has the next of these surroundings. */
static const unsigned in_turn[] = {0,
                                   LINES_REPEAT | SIBLINGS | STREAMS,
                                   SIBLINGS | NAME_IS_A_LINK | ROTATED,
                                   STREAMS | ROLLED,
                                   STREAMS,
                                   LINES_REPEAT | SIBLINGS,
                                   LINES_REPEAT | SIBLINGS | STREAMS | ROLLED,
                                   LINES_REPEAT | ROTATED | STREAMS,
                                   LINES_REPEAT | SIBLINGS | NAME_IS_A_LINK | ROTATED};

static char folder[256];
static unsigned folders;
static unsigned always, never; /* surroundings of every folder, and of none */
static char rotated[340];      /* the log file's name if it was rotated since the last look; or "" */
static int names_turn;         /* which of two names each stream has */
static uint32_t random_state = 1;
static int rounds_asked = 1000;
static int64_t deadline_s = INT64_MAX, told_at_s;
static unsigned long long kills;
static uint32_t ring_io; /* how the rounds recover */
static uint32_t io;      /* how the writer that will be killed writes */
static int has_uring;

static uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static int try_open(burst_t **log) {
    static char ring[300], file[300];
    snprintf(ring, sizeof ring, "%s/ring", folder);
    snprintf(file, sizeof file, "%s/log", folder);
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = file};
    const burst_config_t config = {.struct_bytes = sizeof config,
                                   .ring = ring,
                                   .main = &main_config,
                                   .ring_bytes = 2 * 1024 * 1024,
                                   .durability = BURST_DURABILITY_PROCESS,
                                   .drain_interval_ns = 1000000,
                                   .io = io};
    return burst_open(&config, log);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static int64_t now_s(void) {
    return now_ns() / SECOND_NS;
}

/* The last writes of a killed process may hold its ring for longer than the second that an open waits for it. */
static int was_held_for_long(int rc, int64_t since_ns) {
    return rc == -EBUSY && strstr(burst_last_error(), "cannot be seen") != NULL && now_ns() - since_ns >= SECOND_NS;
}

static void open_log(burst_t **log) {
    const int64_t give_up_s = now_s() + HELD_SECONDS;
    int64_t begin_ns;
    int rc;
    do {
        begin_ns = now_ns();
        rc = try_open(log);
    } while (was_held_for_long(rc, begin_ns) && now_s() < give_up_s);
    if (rc < 0) {
        fprintf(stderr, "open: %s\n", burst_last_error());
        abort();
    }
}

static void path_of(int stream, char *path, size_t room) {
    snprintf(path, room, stream == 0 ? "%s/log" : "%s/stream%d", folder, stream);
}

static burst_stream_t *open_stream(burst_t *log, int stream, int rolls) {
    char path[300], name[32];
    burst_stream_config_t config;
    burst_stream_t *opened;
    burst_stream_config_init(&config);
    path_of(stream, path, sizeof path);
    snprintf(name, sizeof name, "%s %d", names_turn ? "renamed" : "stream", stream);
    config.name = name;
    config.file_name = path;
    config.rolls_by_caller = (uint32_t)rolls;
    if (burst_stream_open(log, &config, &opened) < 0) {
        fprintf(stderr, "stream: %s\n", burst_last_error());
        abort();
    }
    return opened;
}

static void *append_until_killed(void *argument) {
    struct round *round = argument;
    char line[LONGEST_LINE];
    int64_t last = 0;
    for (uint64_t number = round->witness->first[round->thread];; number++) {
        const size_t length = make_line(line, round->thread, number);
        if ((surroundings & ROLLED) && round->thread < streams() && number % LINES_A_FILE == 0) {
            roll_now(folder, round->stream, round->thread);
        }
        atomic_store(&round->witness->offered[round->thread], number);
        if (round->thread % 5 == 0) {
            /* Enqueues lines, and acknowledges them in groups. */
            const int64_t sequence = burst_stream_enqueue(round->stream, line, length, 0);
            if (sequence <= last || (number % 8 == 0 && burst_await_durable(round->log, sequence, -1) != 1)) {
                abort();
            }
            last = sequence;
            if (number % 8 != 0) {
                continue;
            }
        } else {
            const int64_t sequence = burst_stream_append(round->stream, line, length, 0);
            if (sequence <= last) {
                abort();
            }
            last = sequence;
        }
        atomic_store(&round->witness->acknowledged[round->thread], number);
    }
    return NULL;
}

static void live_and_die(void) {
    struct round rounds[THREADS_MAX];
    burst_stream_t *opened[STREAMS_MAX];
    burst_t *log;
    open_log(&log);
    opened[0] = burst_main_stream(log);
    for (int i = 1; i < streams(); i++) {
        opened[i] = open_stream(log, i, is_rolled_by_caller(i));
    }
    atomic_store(&witness->opened, 1);
    pthread_t started[THREADS_MAX];
    for (int i = 0; i < streams(); i++) {
        if (is_rolled_by_caller(i)) {
            pthread_create(&started[i], NULL, answer_until_killed, opened[i]);
        }
    }
    for (int i = 0; i < threads(); i++) {
        rounds[i] = (struct round){witness, log, opened[stream_of(i)], i};
        pthread_create(&started[i], NULL, append_until_killed, &rounds[i]);
    }
    pause();
    _exit(0);
}

static void verify_files(void) {
    char path[300];
    path_of(0, path, sizeof path);
    verify_archives(folder, 0);
    if (rotated[0] != '\0') {
        verify_rest(rotated, 0);
    }
    if (access(path, F_OK) == 0) { /* else no record came since the rotation */
        verified_bytes[0] = rotated[0] != '\0' ? 0 : verified_bytes[0];
        rotated[0] = '\0';
        verify_rest(path, 0);
    }
    for (int i = 1; i < streams(); i++) {
        path_of(i, path, sizeof path);
        verify_archives(folder, i);
        if (access(path, F_OK) == 0) { /* else the stream was never opened */
            verify_rest(path, i);
        }
    }
    verify_numbers();
}

static void recover(int opens_streams) {
    burst_t *log;
    open_log(&log);
    for (int i = 1; opens_streams && i < streams(); i++) {
        open_stream(log, i, 0);
    }
    assert_int_equal(burst_recovery_statement(log, (char[1]){0}, 1), 0);
    assert_int_equal(burst_close(log), 0);
}

static pid_t start(void) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        live_and_die();
    }
    return child;
}

static void kill_soon(pid_t child) {
    const uint32_t pause_us = next_random() % (next_random() % 2 == 0 ? KILL_WITHIN_US : KILL_OPEN_WITHIN_US);
    nanosleep(&(struct timespec){.tv_nsec = (long)pause_us * 1000}, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    kills++;
}

/* Puts an older copy beside the log file, and now and then rotates the file. */
static void disturb(int round) {
    char command[1024], log[300], target[320];
    snprintf(log, sizeof log, "%s/log", folder);
    if (access(log, F_OK) < 0) {
        return; /* the kill came before the file was made, or after a rotation */
    }
    if ((surroundings & SIBLINGS) && round % 5 == 4) {
        snprintf(command, sizeof command, "cp %s %s.old", log, log);
        assert_int_equal(system(command), 0);
    }
    if (!(surroundings & ROTATED) || round % 4 != 3) {
        return;
    }
    if (rotated[0] != '\0') { /* the log file of after the rotation: nobody has looked at it yet */
        verify_rest(rotated, 0);
        verified_bytes[0] = 0;
    }
    snprintf(target, sizeof target, "%s%s", folder, surroundings & NAME_IS_A_LINK ? "/behind/current" : "/log");
    snprintf(rotated, sizeof rotated, "%s.%d", target, round + 100);
    assert_int_equal(rename(target, rotated), 0);
}

static void one_round(int round) {
    for (int i = 0; i < threads(); i++) {
        witness->first[i] = present[i] + 1;
        atomic_store(&witness->offered[i], present[i]);
    }
    names_turn = round / 3 % 2;
    /* Writes in io_uring may go on when their process is dead. */
    io = has_uring && round % 4 == 1 ? BURST_IO_URING : ring_io;
    kill_soon(start());
    if (round % 3 == 0) {
        /* Kills a second writer, most likely in its recovery: it must add no line of its own. */
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            burst_t *log;
            open_log(&log);
            pause();
        }
        kill_soon(child);
    }
    io = ring_io;
    disturb(round);
    recover(round % 2);
    verify_files();
}

/* Tries io_uring on a ring that this open makes. */
static void look_for_uring(void) {
    burst_t *log;
    has_uring = 0;
    if (ring_io == BURST_IO_MAPPED) {
        return; /* a ring of lines of memory can only be mapped */
    }
    io = BURST_IO_URING;
    has_uring = try_open(&log) == 0;
    io = ring_io;
    if (has_uring) {
        assert_int_equal(burst_close(log), 0);
    } else {
        print_message("SKIPPED: kills of a writer with io_uring: %s\n", burst_last_error());
    }
}

static void begin_folder(const char *where) {
    snprintf(folder, sizeof folder, "%s/burst-kill-XXXXXX", where);
    assert_non_null(mkdtemp(folder));
    surroundings = always | (in_turn[folders++ % (sizeof in_turn / sizeof in_turn[0])] & ~never);
    rotated[0] = '\0';
    if (surroundings & SIBLINGS) {
        make_siblings(folder);
    }
    if (surroundings & NAME_IS_A_LINK) {
        char command[1024];
        snprintf(command, sizeof command, "mkdir %s/behind && ln -s behind/current %s/log", folder, folder);
        assert_int_equal(system(command), 0);
    }
    memset(present, 0, sizeof present);
    memset(witness, 0, sizeof *witness);
    memset(verified_bytes, 0, sizeof verified_bytes);
    look_for_uring();
}

/* Ends the folder; returns the number of lines in its file. */
static uint64_t end_folder(void) {
    uint64_t lines = 0;
    verify_archives_rest(folder);
    for (int i = 0; i < threads(); i++) {
        lines += present[i];
    }
    char command[600];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return lines;
}

/* How long the log file may become: enough for many rounds, and never all the free space. */
static long file_bytes_most(const char *where) {
    struct statvfs space;
    assert_int_equal(statvfs(where, &space), 0);
    const unsigned long long free_bytes = (unsigned long long)space.f_bavail * space.f_frsize;
    if (free_bytes < FREE_BYTES_LEAST) {
        SKIP_WITH("%s has less than %llu MiB free", where, FREE_BYTES_LEAST >> 20);
    }
    return (long)(free_bytes / 4 < FILE_BYTES_MOST ? free_bytes / 4 : FILE_BYTES_MOST);
}

static long all_bytes(void) {
    long bytes = 0;
    for (int i = 0; i < streams(); i++) {
        bytes += verified_bytes[i];
    }
    return bytes;
}

static void run_rounds(const char *where, uint32_t with, int rounds) {
    const long most = file_bytes_most(where);
    ring_io = io = with;
    begin_folder(where);
    uint64_t lines = 0;
    int opened = 0, round = 0;
    for (; round < rounds && now_s() < deadline_s; round++) {
        if (all_bytes() > most || (round > 0 && round % ROUNDS_A_FOLDER == 0)) {
            lines += end_folder();
            begin_folder(where);
        }
        atomic_store(&witness->opened, 0);
        one_round(round);
        opened += (int)atomic_load(&witness->opened);
        if (now_s() - told_at_s >= PROGRESS_SECONDS) {
            told_at_s = now_s();
            print_message("%s, io %u: round %d of %d, %llu kills in all\n", where, ring_io, round, rounds, kills);
            fflush(stdout);
        }
    }
    lines += end_folder();
    print_message("%s, io %u: %d rounds (%d killed after the open), %llu lines, each once, %llu files rolled\n", where,
                  ring_io, round, opened, (unsigned long long)lines, (unsigned long long)archives);
}

static void every_acknowledged_record_survives_kills_with_the_ring_in_memory(void **state) {
    (void)state;
    run_rounds("/dev/shm", BURST_IO_PWRITE, rounds_asked / 2);
}

static void every_acknowledged_record_survives_kills_with_the_ring_mapped(void **state) {
    (void)state;
    run_rounds("/dev/shm", BURST_IO_MAPPED, rounds_asked * 4 / 10);
}

static void every_acknowledged_record_survives_kills_with_the_ring_on_disk(void **state) {
    (void)state;
    run_rounds(".", BURST_IO_PWRITE, rounds_asked / 10);
}

int main(int argc, char **argv) {
    const char *rounds = getenv("KILL_ROUNDS");
    rounds_asked = rounds == NULL ? rounds_asked : atoi(rounds);
    for (int i = 1; i < argc; i += 2) {
        const int number = i + 1 < argc ? atoi(argv[i + 1]) : 0;
        if (number > 0 && strcmp(argv[i], "--rounds") == 0) {
            rounds_asked = number;
        } else if (number > 0 && strcmp(argv[i], "--seconds") == 0) {
            deadline_s = now_s() + number;
        } else if (number > 0 && strcmp(argv[i], "--seed") == 0) {
            random_state = (uint32_t)number;
        } else if (number > 0 && strcmp(argv[i], "--streams") == 0) {
            always = STREAMS;
        } else if (number > 0 && strcmp(argv[i], "--rolls") == 0) {
            always = STREAMS | ROLLED;
            never = ROTATED | NAME_IS_A_LINK;
        } else {
            fprintf(stderr, "usage: %s [--rounds N] [--seconds N] [--seed S] [--streams 1] [--rolls 1]\n", argv[0]);
            return 2;
        }
    }
    const uint32_t seed = random_state;
    witness = mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_acknowledged_record_survives_kills_with_the_ring_in_memory),
        cmocka_unit_test(every_acknowledged_record_survives_kills_with_the_ring_mapped),
        cmocka_unit_test(every_acknowledged_record_survives_kills_with_the_ring_on_disk),
    };
    unsigned long long violations = 0;
    do {
        violations += (unsigned long long)cmocka_run_group_tests(tests, NULL, NULL);
    } while (violations == 0 && deadline_s != INT64_MAX && now_s() < deadline_s);
    if (violations > 0) {
        printf("again, if the scheduler does: %s --rounds %d --seed %u\n", argv[0], rounds_asked, seed);
    }
    printf("PROOF kill-random cases=%llu violations=%llu seeds=%u-%u\n", kills, violations, seed, seed);
    return violations == 0 ? 0 : 1;
}
