/* SPDX-License-Identifier: Apache-2.0 */
/* How long the records of each second took from their event to being durable, as the ring's stamps say. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "cli/text.h"
#include "media/durable_stamp.h"
#include "recovery/reader.h"

#define SECOND_NS 1000000000ll

/* A record: the second of its event, and how long it took. While its commit has no time, `ns` is the event's time. */
struct delay {
    int64_t second;
    int64_t ns;
};

struct spectrum {
    const struct recovery_input *input;
    struct delay *delays; /* of known records, then of the last whole commit, then of the commit that is being read */
    size_t room;
    size_t known;
    size_t commit; /* end of the last whole commit */
    size_t count;
    uint64_t commit_end; /* where that commit ends, in the ring; 0: there is none */
    uint32_t commit_epoch;
    uint64_t unknown;
    uint64_t early;
};

static int64_t second_of(int64_t ns) {
    return ns / SECOND_NS - (ns % SECOND_NS < 0);
}

static int add_record(struct spectrum *spectrum, const struct record_header *record) {
    if (spectrum->count == spectrum->room) {
        const size_t room = spectrum->room == 0 ? 4096 : 2 * spectrum->room;
        struct delay *delays = realloc(spectrum->delays, room * sizeof *delays);
        if (delays == NULL) {
            return error_set(ENOMEM, "no memory for the times of %zu records", room);
        }
        spectrum->delays = delays;
        spectrum->room = room;
    }
    spectrum->delays[spectrum->count++] =
        (struct delay){.second = second_of(record->event_time_ns), .ns = record->event_time_ns};
    return 0;
}

/* The records of the last whole commit were durable at the stamp's time, if the stamp is of that commit. */
static void settle_commit(struct spectrum *spectrum, const struct durable_stamp *stamp) {
    const size_t begin = spectrum->known;
    if (stamp == NULL || stamp->position != spectrum->commit_end || stamp->epoch != spectrum->commit_epoch) {
        spectrum->unknown += spectrum->commit - begin;
        const size_t rest = spectrum->count - spectrum->commit;
        for (size_t i = 0; i < rest; i++) {
            spectrum->delays[begin + i] = spectrum->delays[spectrum->commit + i];
        }
        spectrum->commit = begin;
        spectrum->count = begin + rest;
    }
    for (size_t i = begin; i < spectrum->commit; i++) {
        struct delay *delay = &spectrum->delays[i];
        int64_t took_ns;
        if (__builtin_sub_overflow(stamp->durable_ns, delay->ns, &took_ns)) {
            took_ns = delay->ns < 0 ? INT64_MAX : INT64_MIN;
        }
        spectrum->early += took_ns < 0;
        delay->ns = took_ns < 0 ? 0 : took_ns;
    }
    spectrum->known = spectrum->commit;
}

/* Gives up the records whose time no stamp behind them can say. */
static void break_off(struct spectrum *spectrum) {
    spectrum->commit = spectrum->count;
    settle_commit(spectrum, NULL);
    spectrum->commit_end = 0;
}

static int add_item(struct spectrum *spectrum, const struct reader_item *item) {
    const struct record_header *record = item->record;
    if (record == NULL) {
        break_off(spectrum);
        return 0;
    }
    if (record->type == RECORD_DATA && !(record->flags & RECORD_ROLL)) {
        const int rc = add_record(spectrum, record);
        if (rc < 0) {
            return rc;
        }
    }
    if (record->flags & RECORD_LAST) {
        const struct recovery_input *input = spectrum->input;
        struct durable_stamp stamp;
        const int has_stamp =
            durable_stamp_read(input->image, &input->shape, input->crc_seed, record->position, &stamp);
        settle_commit(spectrum, has_stamp ? &stamp : NULL);
        spectrum->commit = spectrum->count;
        spectrum->commit_end = walk_end_of_record(&input->shape, record->position, record);
        spectrum->commit_epoch = record->epoch;
    }
    return 0;
}

/* The last commit has its time in a note, or nowhere yet. */
static void end_log(struct spectrum *spectrum, const struct ledger_view *head) {
    const struct durable_stamp *stamp = NULL;
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (head->note_stamps[slot].position == spectrum->commit_end && spectrum->commit_end != 0) {
            stamp = &head->note_stamps[slot];
        }
    }
    settle_commit(spectrum, stamp);
    break_off(spectrum);
}

static int compare(const void *one, const void *other) {
    const struct delay *a = one, *b = other;
    return a->second != b->second ? (a->second > b->second) - (a->second < b->second)
                                  : (a->ns > b->ns) - (a->ns < b->ns);
}

/* The least of the sorted values that so many thousandths of them do not exceed. */
static int64_t rank(const struct delay *delays, size_t count, unsigned thousandths) {
    const size_t at = (count * thousandths + 999) / 1000;
    return delays[at == 0 ? 0 : at - 1].ns;
}

static void print_second(struct report *report, const struct delay *delays, size_t count) {
    const int64_t figures[] = {rank(delays, count, 500), rank(delays, count, 990), rank(delays, count, 999),
                               delays[count - 1].ns};
    char second[40];
    int64_t second_ns;
    text_time(__builtin_mul_overflow(delays->second, SECOND_NS, &second_ns) ? INT64_MIN : second_ns, 0, second,
              sizeof second);
    if (!report->json) {
        fprintf(report->out, "%-20s %12zu", second, count);
        for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
            fprintf(report->out, " %14.1f", (double)figures[i] / 1e3);
        }
        fputc('\n', report->out);
        return;
    }
    static const char *const names[] = {"p50 ns", "p99 ns", "p99.9 ns", "max ns"};
    report_group(report, NULL);
    report_text(report, "second", second);
    report_number(report, "records", count);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        report_number(report, names[i], (uint64_t)figures[i]);
    }
    report_group_end(report);
}

static void print_spectrum(struct report *report, struct spectrum *spectrum) {
    struct delay *const delays = spectrum->delays;
    qsort(delays, spectrum->known, sizeof *delays, compare);
    report_list(report, "seconds");
    if (!report->json) {
        fprintf(report->out, "%-20s %12s %14s %14s %14s %14s\n", "second of the event", "records", "p50 us", "p99 us",
                "p99.9 us", "max us");
    }
    for (size_t from = 0, to; from < spectrum->known; from = to) {
        for (to = from; to < spectrum->known && delays[to].second == delays[from].second; to++) {
        }
        print_second(report, delays + from, to - from);
    }
    report_list_end(report);
    report_number(report, "records", spectrum->known);
    report_number(report, "records without a durable time", spectrum->unknown);
    report_number(report, "records durable before their event", spectrum->early);
}

int spectrum_print(struct report *report, struct device *device, const struct ring_view *view) {
    const struct recovery_input input = ring_view_input(view);
    struct spectrum spectrum = {.input = &input};
    struct reader reader;
    int rc = reader_begin_with_drained(&reader, &input, &view->recovery);
    for (struct reader_item item; rc == 0 && reader_next(&reader, &item) == 1;) {
        rc = add_item(&spectrum, &item);
    }
    if (rc == 0) {
        end_log(&spectrum, ledger_view(view->ledger));
        report_text(report, "ring", device->path);
        print_spectrum(report, &spectrum);
    }
    reader_end(&reader);
    free(spectrum.delays);
    return rc;
}

int command_spectrum(int argc, char **argv) {
    static const struct show_command command = {
        .usage = "burstlog spectrum [--json] RING",
        .about = "Shows for each second how long the records that the ring still holds took from their event time to\n"
                 "being durable. The ring has the time of each commit but the last; a ring in mapped memory has none.",
        .print = spectrum_print,
    };
    return show_ring(argc, argv, &command);
}
