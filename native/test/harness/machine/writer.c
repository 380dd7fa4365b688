/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that logs inside a virtual machine, whose disks or power fail. Its log file says how far it is: it opens
 * the log, which recovers; checks each line that is there; and appends the next ones.
 *
 *     machine-writer RING LOG auto|pwrite|uring|nvme|mapped|flush DURABILITY THREADS SECONDS [REPORT [rolls] [segments] [external]]
 *
 * With `segments` its records also go to a folder of segments beside LOG; without the word they do if that folder is
 * there. With `external` another process drains, `burstlog drain --window /run/burstlog`. REPORT is a port that leads out of the machine (default: standard output). It gets
 *
 *     F thread number     the log file holds all lines of the thread up to this one, each exactly once, whole, in order
 *     A thread number     the append of this line has returned: it is durable
 *     R 0 number          with `rolls`: a roll of the log file begins, to LOG-number
 *     D 0 number          the drain has performed it
 *     O 0 0|1             with `external`: the recovered records were drained by this process; or by the other one
 *
 * Standard output also gets VIOLATION (exit code 3); and FAILED for an append that failed, with its time (exit code 5).
 * If SECONDS is 0 the program recovers, checks and closes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"

#define THREADS_MAX 4
#define LINE_MAX_BYTES 2400
#define SECOND_NS 1000000000ll
#define ROLL_EVERY_NS 150000000ll
#define ROLL_WITHIN_NS (60 * SECOND_NS)
#define HEADER "#begin\n"
#define FOOTER "#end\n"
#define EXIT_VIOLATION 3
#define EXIT_FAILED 5
#define WINDOW "/run/burstlog"

static const char *const engines[] = {"auto", "pwrite", "uring", "nvme", "mapped", "flush"};

struct seen {
    uint8_t *times; /* how often it has read each number */
    uint64_t room, highest;
};

static struct seen seen[THREADS_MAX];
static char segments[512]; /* the folder; "": no folder */
static burst_t *log_open;
static int report = STDOUT_FILENO;
static int64_t end_ns;
static _Atomic int failed;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void say(const char *kind, int thread, uint64_t number) {
    char text[64];
    const int length = snprintf(text, sizeof text, "%s %d %llu\n", kind, thread, (unsigned long long)number);
    if (write(report, text, (size_t)length) != length)
        abort();
}

/* A line has up to 200 bytes, now and then up to 2,000. */
static size_t make_line(char *line, int thread, uint64_t number) {
    const size_t fill = (number * 2654435761u >> 7) % (number % 40 == 0 ? 2000 : 200);
    size_t used = (size_t)snprintf(line, LINE_MAX_BYTES, "%d %llu ", thread, (unsigned long long)number);
    for (size_t i = 0; i < fill; i++)
        line[used++] = (char)('a' + (number + i) % 26);
    line[used++] = '\n';
    return used;
}

static void violation(const char *what, const char *path, const char *line) {
    printf("VIOLATION %s: %s: %.60s\n", path, what, line);
    exit(EXIT_VIOLATION);
}

static void note(int thread, uint64_t number) {
    struct seen *of = &seen[thread];
    if (number >= of->room) {
        const uint64_t room = (number + 1) * 2;
        of->times = realloc(of->times, room);
        if (of->times == NULL)
            abort();
        memset(of->times + of->room, 0, room - of->room);
        of->room = room;
    }
    of->times[number]++;
    of->highest = number > of->highest ? number : of->highest;
}

/* Checks a file; a rolled one must be whole, which means that it ends with its footer. */
static void check_file(const char *path, int was_rolled) {
    char line[LINE_MAX_BYTES + 1], wanted[LINE_MAX_BYTES];
    uint64_t before[THREADS_MAX] = {0};
    int lines = 0, has_footer = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        violation("cannot be opened", path, "");
    for (; fgets(line, sizeof line, file) != NULL; lines++) {
        int thread = -1;
        unsigned long long number = 0;
        if (has_footer)
            violation("a line behind the footer", path, line);
        if (lines == 0 && strcmp(line, HEADER) == 0)
            continue;
        if (was_rolled && (has_footer = strcmp(line, FOOTER) == 0))
            continue;
        if (sscanf(line, "%d %llu ", &thread, &number) != 2 || thread < 0 || thread >= THREADS_MAX)
            violation("a line that nobody wrote", path, line);
        const size_t length = make_line(wanted, thread, number);
        if (strlen(line) != length || memcmp(line, wanted, length) != 0)
            violation("a line that is not as it was written", path, line);
        if (number <= before[thread])
            violation("a line behind a later one", path, line);
        note(thread, before[thread] = number);
    }
    fclose(file);
    if (was_rolled && !has_footer)
        violation("rolled without its footer", path, "");
}

/* Checks the log file and the files that took its place. */
static void check_files(const char *log) {
    char folder[512], path[1024];
    snprintf(folder, sizeof folder, "%s", log);
    char *name = strrchr(folder, '/');
    *name++ = '\0';
    DIR *entries = opendir(folder);
    if (entries == NULL)
        violation("its folder cannot be read", log, "");
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, name, strlen(name)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_file(path, entry->d_name[strlen(name)] == '-');
    }
    closedir(entries);
    for (int thread = 0; thread < THREADS_MAX; thread++)
        for (uint64_t number = 1; number <= seen[thread].highest; number++)
            if (seen[thread].times[number] != 1) {
                char line[64];
                snprintf(line, sizeof line, "thread %d, line %llu", thread, (unsigned long long)number);
                violation(seen[thread].times[number] == 0 ? "a line is missing" : "a line is there twice", log, line);
            }
}

/* Checks that the segments hold the same lines as the log files. */
static void check_segments(void) {
    uint64_t last[THREADS_MAX] = {0};
    char line[LINE_MAX_BYTES + 1], wanted[LINE_MAX_BYTES];
    burst_consumer_t *consumer;
    burst_consumed_t record = {.struct_bytes = sizeof record};
    if (burst_consumer_open(segments, "check", &consumer) < 0)
        violation("cannot be consumed", segments, burst_last_error());
    while (burst_consumer_next(consumer, &record, 0) == 1) {
        int thread = -1;
        unsigned long long number = 0;
        if (record.kind == BURST_CONSUMED_ROLL)
            continue;
        snprintf(line, sizeof line, "%.*s", (int)record.length, record.data == NULL ? "" : (const char *)record.data);
        if (record.kind != BURST_CONSUMED_RECORD || sscanf(line, "%d %llu ", &thread, &number) != 2 || thread < 0 ||
            thread >= THREADS_MAX || number != last[thread] + 1)
            violation("a record that is not the next one", segments, line);
        const size_t length = make_line(wanted, thread, number);
        if (record.length != length || memcmp(record.data, wanted, length) != 0)
            violation("a record that is not as it was written", segments, line);
        last[thread] = number;
    }
    burst_consumer_close(consumer);
    for (int thread = 0; thread < THREADS_MAX; thread++)
        if (last[thread] != seen[thread].highest) {
            snprintf(line, sizeof line, "thread %d: it ends with %llu, the log with %llu", thread,
                     (unsigned long long)last[thread], (unsigned long long)seen[thread].highest);
            violation("not the lines of the log", segments, line);
        }
}

static int has_drained; /* this process, whose drain is another one */

static void tell_events(void) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log_open, &event, 0) == 1) {
        fprintf(stderr, "event: %s\n", event.text);
        has_drained |= strstr(event.text, "by itself, since") != NULL;
    }
}

static void open_log(char **argv, int is_external) {
    burst_stream_config_t main_config;
    burst_config_t config;
    burst_stream_config_init(&main_config);
    burst_config_init(&config);
    config.ring = argv[1];
    config.main = &main_config;
    main_config.file_name = argv[2];
    while (config.io < sizeof engines / sizeof engines[0] && strcmp(argv[3], engines[config.io]) != 0)
        config.io++;
    config.durability = strcmp(argv[4], "power") == 0      ? BURST_DURABILITY_POWER
                        : strcmp(argv[4], "os-crash") == 0 ? BURST_DURABILITY_OS_CRASH
                                                           : BURST_DURABILITY_PROCESS;
    config.drain_interval_ns = 20000000;
    main_config.segments = segments[0] != '\0' ? segments : NULL;
    main_config.segment_bytes = 64 << 10;
    if (is_external) {
        config.window = WINDOW;
        config.drain = BURST_DRAIN_EXTERNAL;
    }
    if (burst_open(&config, &log_open) < 0) {
        printf("FAILED open: %s\n", burst_last_error());
        exit(EXIT_FAILED);
    }
    char statement[BURST_TEXT_BYTES];
    const int64_t lost = burst_recovery_statement(log_open, statement, sizeof statement);
    if (lost != 0) {
        char what[64];
        tell_events();
        snprintf(what, sizeof what, "recovery reports %lld lost records", (long long)lost);
        violation(what, argv[1], statement);
    }
    if (burst_await_drained(log_open, 60 * SECOND_NS) != 1) {
        tell_events();
        printf("FAILED drain: %s\n", burst_last_error());
        exit(EXIT_FAILED);
    }
}

static void *append_lines(void *argument) {
    const int thread = (int)(intptr_t)argument;
    char line[LINE_MAX_BYTES];
    for (uint64_t number = seen[thread].highest + 1; now_ns() < end_ns; number++) {
        const size_t length = make_line(line, thread, number);
        const int64_t begin_ns = now_ns();
        if (burst_append(log_open, line, length, 0) <= 0) {
            printf("FAILED append %d %llu after %lld ms: %s\n", thread, (unsigned long long)number,
                   (long long)(now_ns() - begin_ns) / 1000000, burst_last_error());
            failed = 1;
            break;
        }
        say("A", thread, number);
    }
    return NULL;
}

static uint64_t file_number(void) {
    burst_stream_stats_t stats = {.struct_bytes = sizeof stats};
    burst_stream_stats(burst_main_stream(log_open), &stats);
    return stats.file_number;
}

static void rest(int64_t time_ns) {
    nanosleep(&(struct timespec){.tv_sec = time_ns / SECOND_NS, .tv_nsec = time_ns % SECOND_NS}, NULL);
}

static void *roll_files(void *argument) {
    for (rest(ROLL_EVERY_NS); now_ns() < end_ns; rest(ROLL_EVERY_NS)) {
        const uint64_t number = file_number();
        const int64_t begin_ns = now_ns();
        char target[512];
        burst_roll_t roll;
        burst_roll_init(&roll);
        snprintf(target, sizeof target, "%s-%llu", (const char *)argument, (unsigned long long)number);
        roll.target = target;
        roll.header = HEADER;
        roll.header_bytes = strlen(HEADER);
        roll.footer = FOOTER;
        roll.footer_bytes = strlen(FOOTER);
        say("R", 0, number);
        const int64_t sequence = burst_stream_roll(burst_main_stream(log_open), &roll, 0);
        while (sequence > 0 && file_number() == number && now_ns() - begin_ns < ROLL_WITHIN_NS)
            rest(1000000);
        if (sequence <= 0 || file_number() == number) {
            printf("FAILED roll %llu: %s\n", (unsigned long long)number, burst_last_error());
            failed = 1;
            break;
        }
        say("D", 0, number);
    }
    return NULL;
}

/* Says whether the word stands behind REPORT. */
static int is_asked(int argc, char **argv, const char *word) {
    for (int i = 8; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 7 || argc > 11 || argv[2][0] != '/' || atoi(argv[5]) > THREADS_MAX) {
        fprintf(stderr, "usage: machine-writer RING /LOG ENGINE DURABILITY THREADS SECONDS [REPORT [rolls] [segments] "
                        "[external]]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    snprintf(segments, sizeof segments, "%.*s/segments", (int)(strrchr(argv[2], '/') - argv[2]), argv[2]);
    if (!is_asked(argc, argv, "segments") && access(segments, F_OK) != 0)
        segments[0] = '\0';
    const int is_external = is_asked(argc, argv, "external");
    open_log(argv, is_external);
    check_files(argv[2]);
    if (segments[0] != '\0')
        check_segments();
    if (argc > 7 && (report = open(argv[7], O_WRONLY | O_CLOEXEC)) < 0) {
        perror(argv[7]);
        return 2;
    }
    const int threads = atoi(argv[5]);
    if (is_external) {
        tell_events();
        say("O", 0, !has_drained);
    }
    for (int thread = 0; thread < threads; thread++)
        say("F", thread, seen[thread].highest);
    end_ns = now_ns() + (int64_t)(atof(argv[6]) * (double)SECOND_NS);
    pthread_t running[THREADS_MAX], roller;
    const int rolls = is_asked(argc, argv, "rolls") && pthread_create(&roller, NULL, roll_files, argv[2]) == 0;
    for (int thread = 0; thread < threads; thread++)
        pthread_create(&running[thread], NULL, append_lines, (void *)(intptr_t)thread);
    for (int thread = 0; thread < threads; thread++)
        pthread_join(running[thread], NULL);
    if (rolls)
        pthread_join(roller, NULL);
    tell_events();
    const int64_t left = burst_close(log_open);
    if (left != 0)
        printf("LEFT %lld: %s\n", (long long)left, burst_last_error());
    return failed ? EXIT_FAILED : 0;
}
