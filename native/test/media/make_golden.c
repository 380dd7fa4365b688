/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the golden images anew, for a new version of the format: make-golden-images FOLDER. Then `gzip -9n` each ring
 * there, redo.log and segments.orders into native/test/media/golden; and the files in segments.folder, as
 * segments.head, segments.*.seg and segments.consumer. Each life of a ring is a process that ends without a close.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "append_rules.h"
#include "ledger/ledger.h"
#include "log/engine.h"
#include "log/log.h"
#include "media/roll.h"

#define NEVER_NS (3600ull * 1000000000)
#define AUDIT 3
#define ORDERS 17

static burst_config_t config;
static burst_stream_config_t main_config;

static void check(int64_t rc, const char *what) {
    if (rc < 0) {
        fprintf(stderr, "%s: %s\n", what, burst_last_error());
        _exit(1);
    }
}

static burst_t *open_log(void) {
    burst_t *log;
    check(burst_open(&config, &log), "open");
    return log;
}

static void append(burst_t *log, uint16_t stream, size_t bytes) {
    static char text[200000];
    memset(text, 'a' + stream, bytes);
    const int head = snprintf(text, sizeof text, "stream %u, %zu bytes ", stream, bytes);
    text[head] = 'a' + (char)stream;
    check(ring_append(log->ring, text, bytes, 1700000000123456789ll + (int64_t)bytes, STREAM(stream), &for_ever),
          "append");
}

static void enqueue(burst_t *log, size_t count) {
    for (size_t i = 0; i < count; i++) {
        check(burst_enqueue(log, "one of a commit of many\n", 24, 1700000000000000000ll), "enqueue");
    }
    check(burst_append(log, "", 0, 0), "append");
}

/* Notes three streams as a drain would. */
static void note_streams(burst_t *log) {
    static struct stream_state streams[3];
    struct ledger *ledger = log->engine->view.ledger;
    for (int i = 0; i < 3; i++) {
        ledger_stream(ledger, ledger_newest(ledger), 0, &streams[i]);
    }
    streams[1].id = ORDERS;
    snprintf(streams[1].name, sizeof streams[1].name, "orders");
    snprintf(streams[1].outlet.path, sizeof streams[1].outlet.path, "/var/log/orders.log");
    streams[1].outlet.diverted_sequence = 4711;
    streams[2].id = AUDIT;
    snprintf(streams[2].outlet.path, sizeof streams[2].outlet.path, "/var/log/audit \xc3\xa4.log");
    const struct stream_state *const order[] = {&streams[0], &streams[1], &streams[2]};
    for (int slot = 0; slot < 2; slot++) {
        check(checkpoints_write(ledger_checkpoints(ledger), streams[0].epoch + 1, order, 3), "checkpoint");
    }
    const struct ledger_note note = {.epoch = streams[0].epoch + 1,
                                     .durable_position = streams[0].drained_position,
                                     .next_sequence = streams[0].next_sequence,
                                     .in_flight_end = streams[0].drained_position + 8192};
    check(notes_write(ledger_notes(ledger), &note), "note");
}

static void nothing(burst_t *log) {
    (void)log;
}

static void a_few(burst_t *log) {
    append(log, 0, 10);
    enqueue(log, 5);
    append(log, 0, 5000);
}

/* Drains two and a half laps. */
static void laps(burst_t *log) {
    for (int i = 0; i < 26; i++) {
        append(log, 0, 100000);
        append(log, 0, 100 + (size_t)i * 7);
    }
    check(burst_close(log), "close");
}

static void a_few_drained(burst_t *log) {
    a_few(log);
    check(burst_close(log), "close");
}

/* The process ends during the drain's write: the ring notes no byte of what the file has. */
static void a_few_half_drained(burst_t *log) {
    static const char part[] = "stream 0, one of a commit of many\none of a commit of many\none of ";
    a_few(log);
    const int file = open(main_config.file_name, O_WRONLY | O_APPEND);
    check(file < 0 ? -1 : write(file, part, sizeof part - 1) - (int64_t)sizeof part + 1, "write");
}

static void three_streams(burst_t *log) {
    note_streams(log);
    for (int i = 0; i < 4; i++) {
        append(log, 0, 60 + (size_t)i);
        append(log, AUDIT, 4000);
        append(log, ORDERS, 20000);
    }
    enqueue(log, 3);
}

static void roll(burst_t *log, const char *target, const char *next_file) {
    burst_roll_t values;
    burst_roll_init(&values);
    values.footer = "</log>\n";
    values.footer_bytes = 7;
    values.header = "<log>\n";
    values.header_bytes = 6;
    values.target = target;
    values.next_file = next_file;
    values.note = "\0\1note";
    values.note_bytes = 6;
    values.next_time_ns = 1700003600000000000ll;
    values.next_file_bytes = 1u << 20;
    check(burst_stream_roll(burst_main_stream(log), &values, 1700000000000000000ll), "roll");
}

/* The first roll is drained, so the log is in its second file. */
static void a_roll(burst_t *log) {
    append(log, 0, 100);
    roll(log, "rolls.1.log", NULL);
    append(log, 0, 200);
    check(burst_close(log), "close");
}

static void rolls_that_wait(burst_t *log) {
    append(log, 0, 100);
    roll(log, "rolls.2.log", NULL);
    append(log, 0, 5000);
    roll(log, NULL, "rolls.next.log");
    const struct roll_head head = {.bytes = sizeof head, .footer_bytes = 1}; /* no writer makes such a head */
    check(ring_append_roll(log->ring, &head, sizeof head, 0, &stream_0, &for_ever), "roll");
}

/* Rolls that the engine made by itself wait, with all rules that they can have. */
static void rolls_with_rules(burst_t *log) {
    burst_rolling_t rolling;
    burst_rolling_init(&rolling);
    rolling.pattern = "ruled-%Y-%i.old";
    rolling.size_bytes = 100;
    rolling.compress = BURST_COMPRESS_ZSTD;
    rolling.compress_level = -3;
    rolling.compress_delay_ns = 5000000000;
    rolling.keep_files = 7;
    rolling.keep_bytes = 1 << 30;
    rolling.keep_ns = 86400000000000;
    burst_stream_config_t ruled;
    burst_stream_t *stream;
    burst_stream_config_init(&ruled);
    ruled.name = "ruled";
    ruled.file_name = "ruled.stream";
    ruled.file_mode = 0640;
    ruled.rolling = &rolling;
    check(burst_stream_open(log, &ruled, &stream), "stream");
    for (unsigned i = 0; i < 3; i++) {
        check(burst_stream_append(stream, "a line of the stream\n", 21, 1700000000000000000ll + i), "append");
        check(burst_stream_append(stream, "another one of those, which makes the file long enough for a roll\n", 66, 0),
              "append");
    }
    append(log, 0, 3);
}

static burst_stream_t *open_orders(burst_t *log) {
    burst_stream_config_t orders;
    burst_stream_t *stream;
    burst_stream_config_init(&orders);
    orders.name = "orders";
    orders.file_name = "segments.orders";
    orders.segments = "segments.folder";
    orders.segment_bytes = 65536;
    check(burst_stream_open(log, &orders, &stream), "stream");
    return stream;
}

static void append_order(burst_stream_t *stream, unsigned number, size_t bytes) {
    static char text[100000];
    memset(text, 'o', bytes);
    const int head = snprintf(text, bytes + 1, "order %u\n", number);
    if ((size_t)head < bytes) {
        text[head] = 'o';
    }
    check(burst_stream_append(stream, text, bytes, 1700000000000000000ll + number), "append");
}

/* Makes several segments: each drain ends one. */
static void segments(burst_t *log) {
    burst_stream_t *stream = open_orders(log);
    for (unsigned i = 0; i < 24; i++) {
        append_order(stream, i, i == 7 ? 70000 : i == 8 ? 0 : 5000 + i);
        append(log, 0, 100 + (size_t)i);
        if (i % 4 == 0) {
            check(burst_await_drained(log, -1) == 1 ? 0 : -1, "await");
        }
    }
    check(burst_close(log), "close");
    burst_consumer_t *consumer;
    check(burst_consumer_open("segments.folder", "golden", &consumer), "consumer");
    for (uint64_t number = 12; number <= 16; number += 4) {
        check(burst_consumer_seek(consumer, number + 1), "seek");
        check(burst_consumer_ack(consumer, number), "ack");
    }
    burst_consumer_close(consumer);
}

static void segments_and_what_waits(burst_t *log) {
    burst_stream_t *stream = open_orders(log);
    append_order(stream, 24, 300);
    append(log, 0, 100);
    append_order(stream, 25, 400);
}

/* Others cut the file, so the log is diverted. */
static void a_diversion(burst_t *log) {
    append(log, 0, 100);
    check(burst_await_drained(log, -1) == 1 ? 0 : -1, "await");
    check(truncate("diverted.log", 1), "cut");
    append(log, 0, 200);
    check(burst_close(log), "close");
}

static void live(const char *name, void (*work)(burst_t *), uint64_t drain_interval_ns, uint32_t io) {
    static char ring[4096], file[4096];
    snprintf(ring, sizeof ring, "%s.ring", name);
    snprintf(file, sizeof file, "%s.log", name);
    int status;
    const pid_t child = fork();
    if (child == 0) {
        burst_config_init(&config);
        config.ring = ring;
        burst_stream_config_init(&main_config);
        main_config.file_name = file;
        config.main = &main_config;
        config.ring_bytes = 2u << 20;
        config.durability = BURST_DURABILITY_PROCESS;
        config.io = io;
        config.drain_interval_ns = drain_interval_ns;
        work(open_log());
        _exit(0);
    }
    if (waitpid(child, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "%s was not made\n", name);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 2 || chdir(argv[1]) < 0) {
        fprintf(stderr, "usage: make-golden-images FOLDER\n");
        return 2;
    }
    live("fresh", nothing, NEVER_NS, BURST_IO_PWRITE);
    /* The second life drains what the crash of the first one left. Each later life adds a marker; its records wait. */
    live("crashes", a_few, NEVER_NS, BURST_IO_PWRITE);
    for (int i = 0; i < 3; i++) {
        live("crashes", nothing, NEVER_NS, BURST_IO_PWRITE);
    }
    live("crashes", a_few, NEVER_NS, BURST_IO_PWRITE);
    live("streams", laps, 0, BURST_IO_PWRITE);
    live("streams", three_streams, NEVER_NS, BURST_IO_PWRITE);
    live("rolls", a_roll, 0, BURST_IO_PWRITE);
    live("rolls", rolls_that_wait, NEVER_NS, BURST_IO_PWRITE);
    live("ruled", nothing, 0, BURST_IO_PWRITE);
    live("ruled", rolls_with_rules, NEVER_NS, BURST_IO_PWRITE);
    live("lines", laps, 0, BURST_IO_MAPPED);
    live("lines", a_few, NEVER_NS, BURST_IO_MAPPED);
    live("lines", a_few, NEVER_NS, BURST_IO_MAPPED);
    live("segments", segments, 0, BURST_IO_PWRITE);
    live("segments", segments_and_what_waits, NEVER_NS, BURST_IO_PWRITE);
    live("diverted", a_diversion, 0, BURST_IO_PWRITE);
    live("diverted", a_few, NEVER_NS, BURST_IO_PWRITE);
    live("redo", a_few_drained, 0, BURST_IO_PWRITE);
    live("redo", a_few_half_drained, NEVER_NS, BURST_IO_PWRITE);
    return 0;
}
