/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the commands that read a log. */
#include "cli/read.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/text.h"

#define OUTPUT_BYTES (1u << 20)

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
    (void)number;
    is_interrupted = 1;
}

int read_is_interrupted(void) {
    return is_interrupted;
}

/* The records and lines that were read so far. */
struct tally {
    uint64_t records, lines, gaps, erased;
    int has_index;       /* records came from log files */
    int64_t first, last; /* sequences */
    char gap[128];       /* the first gap, for people */
};

static void note(struct tally *tally, const burst_read_t *record) {
    if (record->kind == BURST_READ_LINE) {
        tally->lines++;
    } else if (record->kind == BURST_READ_LOST || record->kind == BURST_READ_MISSED) {
        if (tally->gaps++ == 0) {
            snprintf(tally->gap, sizeof tally->gap, "%llu from %lld on %s", (unsigned long long)record->count,
                     (long long)record->sequence,
                     record->kind == BURST_READ_LOST ? "lost by the medium" : "written over before they were read");
        }
    } else if (record->kind == BURST_READ_ERASED) {
        tally->erased++;
    } else {
        tally->records++;
        tally->has_index |= record->place == BURST_PLACE_FILE;
        tally->first = tally->first == 0 ? record->sequence : tally->first;
        tally->last = record->sequence;
    }
}

static void tell(const struct read_options *options, const burst_reader_t *reader, const struct tally *tally) {
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    if (options->quiet || burst_reader_state(reader, &state) < 0) {
        return;
    }
    const char *why = strstr(state.how, "; ");
    fputs("burstlog: ", stderr);
    if (tally->lines > 0) {
        fprintf(stderr, "%llu lines%s%s%s; ", (unsigned long long)tally->lines,
                tally->has_index ? " that no index has" : ", which are not records since the log file has no index",
                why == NULL ? "" : ": ", why == NULL ? "" : why + 2);
    }
    if (tally->records > 0) {
        fprintf(stderr, "%llu records %lld..%lld", (unsigned long long)tally->records, (long long)tally->first,
                (long long)tally->last);
    } else {
        fputs("no records", stderr);
    }
    fprintf(stderr, ", gaps %s", tally->gaps == 0 ? "none" : tally->gap);
    if (tally->gaps > 1) {
        fprintf(stderr, " and %llu more", (unsigned long long)(tally->gaps - 1));
    }
    if (tally->erased > 0) {
        fprintf(stderr, ", %llu erased", (unsigned long long)tally->erased);
    }
    fprintf(stderr, ", %llu files, %llu seeks\n", (unsigned long long)state.files, (unsigned long long)state.seeks);
}

/* Whether it has an event time. */
static int has_time(const burst_read_t *record) {
    return record->kind == BURST_READ_RECORD || record->kind == BURST_READ_ROLL || record->kind == BURST_READ_ERASED;
}

/* Whether the record lies behind --to. */
static int is_behind(const struct read_options *options, const burst_read_t *record) {
    const struct read_point *to = &options->to;
    return (to->kind == POINT_SEQUENCE && record->sequence > to->value) ||
           (to->kind == POINT_TIME && has_time(record) && record->event_time_ns > to->value);
}

static int check_line(const struct read_options *options, const burst_read_t *record) {
    return record->kind == BURST_READ_LINE && record->sequence == 0 && options->to.kind != POINT_NONE
               ? error_set(ERANGE,
                           "--to needs records, and %s has lines, whose sequences and times are unknown: leave it out, "
                           "or give the log an index",
                           options->source)
               : 0;
}

static int read_all(const struct read_options *options, burst_reader_t *reader, struct tally *tally, read_each *each,
                    void *argument) {
    burst_read_t record = {.struct_bytes = sizeof record};
    uint64_t counted = 0;
    int rc = 0;
    while (counted < options->limit && !is_interrupted) {
        /* A reader that waits, be it for no time, gets no text of a log file before its index has it. */
        rc = burst_reader_next(reader, &record, options->follow);
        if (rc == 0 && options->follow) {
            if (fflush(stdout) != 0) {
                return cli_output_failed();
            }
            rc = burst_reader_next(reader, &record, READ_LOOK_NS);
            if (rc == 0) {
                continue;
            }
        }
        rc = rc <= 0 ? rc : check_line(options, &record) < 0 ? -ERANGE : 1;
        if (rc <= 0 || is_behind(options, &record)) {
            break;
        }
        const int taken = each(argument, &record);
        if (taken < 0) {
            return taken == -EINTR ? 0 : taken;
        }
        note(tally, &record);
        counted += (uint64_t)taken;
    }
    return rc < 0 ? rc : 0;
}

static void begin_at(const struct read_options *options, burst_reader_config_t *config) {
    if (options->last != UINT64_MAX) {
        config->from = BURST_FROM_LAST;
        config->from_value = (int64_t)options->last;
    } else if (options->from.kind != POINT_NONE) {
        config->from = options->from.kind == POINT_SEQUENCE ? BURST_FROM_SEQUENCE : BURST_FROM_TIME;
        config->from_value = options->from.value;
    }
}

/* One sentence if the log does not have what --from asks for. Returns 0, or -ERANGE. */
static int check_from(const struct read_options *options, const burst_reader_t *reader, const struct tally *tally) {
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    if (options->follow || options->from.kind != POINT_SEQUENCE ||
        tally->records + tally->lines + tally->gaps + tally->erased > 0 || options->limit == 0 || is_interrupted ||
        burst_reader_state(reader, &state) < 0) {
        return 0;
    }
    return state.durable_sequence > 0
               ? error_set(ERANGE, "%s has no record %lld and none behind it: the last durable one is %lld",
                           options->source, (long long)options->from.value, (long long)state.durable_sequence)
               : error_set(ERANGE, "%s has no record %lld and none behind it", options->source,
                           (long long)options->from.value);
}

int read_log(const struct read_options *options, read_each *each, void *argument) {
    static char output[OUTPUT_BYTES];
    const struct sigaction action = {.sa_handler = interrupt};
    burst_reader_config_t config;
    burst_reader_t *reader;
    struct tally tally = {.records = 0};
    burst_reader_config_init(&config);
    config.source = options->source;
    config.stream = options->stream;
    config.window = options->window;
    config.archives = options->archives;
    begin_at(options, &config);
    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    setvbuf(stdout, output, _IOFBF, sizeof output); /* without a buffer of ours C libraries take a small one */
    int rc = burst_reader_open(&config, &reader);
    if (rc < 0) {
        return cli_failed(rc);
    }
    const int is_sought = options->needle != NULL && options->needle->count > 0 && options->to.kind == POINT_NONE;
    if (is_sought) {
        read_set_needle(reader, options->needle);
    }
    rc = read_all(options, reader, &tally, each, argument);
    tally.lines += is_sought ? options->needle->passed : 0;
    if (rc == 0 && fflush(stdout) != 0) {
        rc = cli_output_failed();
    }
    rc = rc < 0 ? rc : check_from(options, reader, &tally);
    const int code = rc == -EPIPE || rc == 0 ? EXIT_OK : cli_failed(rc);
    tell(options, reader, &tally);
    burst_reader_close(reader);
    return code;
}

/* ----------------------------------------------------------------------------------------------------------- output */

static void print_known(const char *name, uint32_t value, uint32_t unknown) {
    if (value != unknown) {
        printf(",\"%s\":%u", name, value);
    }
}

static void print_json(const burst_read_t *record) {
    static const char *const kinds[] = {"record", "line", "roll", "lost", "missed", "erased"};
    static const char *const places[] = {"ring", "medium", "file", "segments", "archive"};
    printf("{\"kind\":\"%s\"", kinds[record->kind]);
    if (record->sequence > 0 && record->kind != BURST_READ_LINE) {
        printf(",\"sequence\":%lld", (long long)record->sequence);
    }
    if (record->kind == BURST_READ_LOST || record->kind == BURST_READ_MISSED) {
        printf(",\"count\":%llu", (unsigned long long)record->count);
    }
    if (has_time(record)) {
        char time[40];
        text_time(record->event_time_ns, 1, time, sizeof time);
        printf(",\"time\":\"%s\",\"timeNs\":%lld,\"enqueued\":%s", time, (long long)record->event_time_ns,
               record->enqueued ? "true" : "false");
        print_known("stream", record->stream, BURST_ALL_STREAMS);
        print_known("epoch", record->epoch, 0);
        if (record->durable_ns != 0) {
            text_time(record->durable_ns, 1, time, sizeof time);
            printf(",\"durable\":\"%s\",\"durableNs\":%lld", time, (long long)record->durable_ns);
        }
    }
    printf(",\"place\":\"%s\",\"position\":%llu", places[record->place], (unsigned long long)record->position);
    if (record->kind <= BURST_READ_LINE) {
        fputs(",\"payload\":\"", stdout);
        text_print(stdout, record->data, record->length, 1);
        putchar('"');
    }
    puts("}");
}

int read_print(const struct read_options *options, const burst_read_t *record) {
    if (options->json) {
        print_json(record);
    } else if (record->kind != BURST_READ_ROLL && record->length > 0) { /* a loss may have its line */
        fwrite(record->data, 1, record->length, stdout);
    }
    return ferror(stdout) ? cli_output_failed() : record->kind <= BURST_READ_LINE;
}
