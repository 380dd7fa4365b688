/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a writer and its readers, each in a child of its own: what it does to users, mounts and limits ends with it. */
#ifndef BURST_TEST_READERS_PLACES_H
#define BURST_TEST_READERS_PLACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>

#include "harness/readers/pair.h"
#include "skip_with.h"

#define GUEST 54321 /* a user and a group that nobody has */
#define SKIPPED 77
#define RECORDS 2000

static struct log_terms terms;
static uint32_t window_mode;

/* -------------------------------------------------------------------------------------------------------- children */

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s; errno: %s; last sentence: %s\n", __func__, __LINE__, #condition,               \
                    strerror(errno), burst_last_error());                                                              \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static inline int run_in_child(void (*run)(void)) {
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        run();
        fflush(NULL);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void assert_ends_well(int code) {
    if (code == SKIPPED) {
        skip();
    }
    assert_int_equal(code, 0);
}

#define SKIP_HERE(what)                                                                                                \
    do {                                                                                                               \
        fprintf(stderr, "SKIPPED %s: %s: %s\n", __func__, what, strerror(errno));                                      \
        _exit(SKIPPED);                                                                                                \
    } while (0)

/* ------------------------------------------------------------------------------------------------- writer and reader */

static inline burst_t *must_open_log(void) {
    burst_t *log = NULL;
    burst_stream_config_t stream;
    burst_config_t config;
    burst_stream_config_init(&stream);
    stream.file_name = file_path;
    burst_config_init(&config);
    config.ring = ring_path;
    config.main = &stream;
    config.ring_bytes = terms.ring_bytes;
    config.durability = BURST_DURABILITY_PROCESS;
    config.io = terms.io;
    config.window = folder;
    config.window_mode = window_mode;
    MUST(burst_open(&config, &log) == 0);
    return log;
}

/* Appends up to that number. */
static inline void append_to(burst_t *log, uint64_t last) {
    char record[RECORD_MOST_BYTES];
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    MUST(burst_stats(log, &stats) == 0);
    for (uint64_t number = (uint64_t)stats.accepted_sequence + 1; number <= last; number++) {
        MUST(burst_enqueue(log, record, record_make(record, number, 1), 0) == (int64_t)number);
    }
    MUST(burst_flush(log, HANG_NS) == 1);
}

static inline int try_reader(const char *source, const char *window, burst_reader_t **reader) {
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = source;
    config.window = window;
    config.from = BURST_FROM_RING;
    return burst_reader_open(&config, reader);
}

static inline burst_reader_t *must_open_reader(const char *source, const char *window) {
    burst_reader_t *reader = NULL;
    MUST(try_reader(source, window, &reader) == 0);
    return reader;
}

static inline void must_read(burst_reader_t *reader, uint64_t first, uint64_t last, uint32_t place) {
    burst_read_t read = {.struct_bytes = sizeof read};
    uint64_t number;
    uint32_t life;
    for (uint64_t due = first; due <= last; due++) {
        MUST(burst_reader_next(reader, &read, HANG_NS) == 1);
        MUST(read.kind == BURST_READ_RECORD && read.sequence == (int64_t)due);
        MUST(record_take(read.data, read.length, &number, &life) && number == due);
        MUST(read.place == place);
    }
}

/* A process that has the log open, writes RECORDS at each command, and ends at the end of commands. */
struct writer {
    pid_t pid;
    int commands, answers;
};

static inline void serve(int commands, int answers) {
    burst_t *log = must_open_log();
    uint64_t last = 0;
    char byte = 'o';
    do {
        append_to(log, last += RECORDS);
        MUST(write(answers, &byte, 1) == 1);
    } while (read(commands, &byte, 1) == 1);
    MUST(burst_close(log) == 0);
    _exit(0);
}

static inline struct writer start_writer(void) {
    int commands[2], answers[2];
    char byte;
    MUST(pipe2(commands, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0);
    const struct writer writer = {.pid = fork(), .commands = commands[1], .answers = answers[0]};
    if (writer.pid == 0) {
        close(commands[1]);
        serve(commands[0], answers[1]);
    }
    close(commands[0]);
    close(answers[1]);
    MUST(read(writer.answers, &byte, 1) == 1);
    return writer;
}

static inline void write_more(const struct writer *writer) {
    char byte = 'w';
    MUST(write(writer->commands, &byte, 1) == 1 && read(writer->answers, &byte, 1) == 1);
}

static inline void end_writer(struct writer *writer) {
    int status = -1;
    close(writer->commands);
    MUST(waitpid(writer->pid, &status, 0) == writer->pid && status == 0);
}

static inline void become_guest(gid_t group) {
    MUST(setgroups(0, NULL) == 0 && setgid(group) == 0 && setuid(GUEST) == 0);
}

/* ----------------------------------------------------------------------------------------------------------- set up */

static inline int begin(void **state) {
    (void)state;
    make_folder();
    terms = (struct log_terms){.io = BURST_IO_PWRITE, .ring_bytes = 2 << 20};
    window_mode = 0;
    umask(022);
    return 0;
}

static inline int end(void **state) {
    (void)state;
    remove_folder(violations);
    return 0;
}

#define PLACE(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
