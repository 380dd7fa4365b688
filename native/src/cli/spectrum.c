/* SPDX-License-Identifier: Apache-2.0 */
/* How long the records of each second took from their event to being durable, as the stamps of the ring say, or the
 * index of a log file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "cli/text.h"
#include "media/durable_stamp.h"
#include "read/index_folder.h"
#include "recovery/reader.h"

#define SECOND_NS 1000000000ll

/* A record: the second of its event, and how long it took. While its commit has no time, `ns` is the event's time. */
struct delay {
    int64_t second;
    int64_t ns;
    uint64_t sequence;
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
    uint64_t untimed; /* records whose append gave no time */
};

static int64_t second_of(int64_t ns) {
    return ns / SECOND_NS - (ns % SECOND_NS < 0);
}

static int add_record(struct spectrum *spectrum, uint64_t sequence, int64_t event_ns) {
    if (event_ns == 0) {
        spectrum->untimed++;
        return 0;
    }
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
        (struct delay){.second = second_of(event_ns), .ns = event_ns, .sequence = sequence};
    return 0;
}

/* The time of the record is known. */
static void settle(struct spectrum *spectrum, struct delay *delay, int64_t durable_ns) {
    int64_t took_ns;
    if (__builtin_sub_overflow(durable_ns, delay->ns, &took_ns)) {
        took_ns = delay->ns < 0 ? INT64_MAX : INT64_MIN;
    }
    spectrum->early += took_ns < 0;
    delay->ns = took_ns < 0 ? 0 : took_ns;
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
        settle(spectrum, &spectrum->delays[i], stamp->durable_ns);
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
        const int rc = add_record(spectrum, record->sequence, record->event_time_ns);
        if (rc < 0) {
            return rc;
        }
    }
    if (record->flags & RECORD_LAST) {
        const struct recovery_input *input = spectrum->input;
        struct durable_stamp stamp;
        const int has_stamp = durable_stamp_read(input->image, &input->shape, input->crc_seed, record, &stamp);
        settle_commit(spectrum, has_stamp ? &stamp : NULL);
        spectrum->commit = spectrum->count;
        spectrum->commit_end = walk_end_of_record(&input->shape, record->position, record);
        spectrum->commit_epoch = record->epoch;
    }
    return 0;
}

/* The last commit has its time in a note, or nowhere yet. */
static void end_log(struct spectrum *spectrum, const struct notes_view *head) {
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
    report_number(report, "records without an event time", spectrum->untimed);
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

/* ----------------------------------------------------------------------------------------------- a log file */

/* All records that have no time yet, and have a lower sequence, have this one. */
static void settle_below(struct spectrum *spectrum, const struct index_item *time) {
    size_t end = spectrum->known;
    while (end < spectrum->count && spectrum->delays[end].sequence < time->sequence) {
        end++;
    }
    if (time->time_ns != 0) {
        for (; spectrum->known < end; spectrum->known++) {
            settle(spectrum, &spectrum->delays[spectrum->known], time->time_ns);
        }
        return;
    }
    spectrum->unknown += end - spectrum->known;
    memmove(spectrum->delays + spectrum->known, spectrum->delays + end,
            (spectrum->count - end) * sizeof spectrum->delays[0]);
    spectrum->count -= end - spectrum->known;
}

static int add_index(struct spectrum *spectrum, struct index_file *index) {
    struct index_item item;
    int rc = index_find(index, INDEX_SEQUENCE, 0);
    while (rc == 1 && (rc = index_next(index, &item)) == 1) {
        if (item.kind <= INDEX_ENQUEUED) {
            rc = add_record(spectrum, item.sequence, item.time_ns);
            rc = rc < 0 ? rc : 1;
        }
        if (rc == 1 && item.kind == INDEX_DURABLE) {
            settle_below(spectrum, &item);
        }
    }
    spectrum->unknown += spectrum->count - spectrum->known; /* no time follows them in this index */
    spectrum->count = spectrum->known;
    return rc;
}

/* Adds all indexes of the log file. Returns their number, or -errno with a sentence. */
static int add_indexes(struct spectrum *spectrum, const char *path) {
    uint8_t begin[INDEX_TEXT_BYTES];
    char folder[BURST_PATH_BYTES];
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = file < 0 ? -1 : pread(file, begin, sizeof begin, 0);
    int rc = got < 0 || fstat(file, &status) < 0 || path_directory(path, folder, sizeof folder) < 0 ? 0 : 1, count = 0;
    if (file >= 0) {
        close(file);
    }
    if (rc == 0 || !S_ISREG(status.st_mode)) {
        return 0;
    }
    const struct index_wanted wanted = {.folder = folder,
                                        .begin = begin,
                                        .begin_bytes = (size_t)got,
                                        .bytes = (uint64_t)status.st_size,
                                        .modified_ns = status.st_mtime * SECOND_NS};
    struct index_file *index;
    for (uint64_t end = 0; (rc = index_open(&wanted, end, &index)) == 1; count++) {
        rc = add_index(spectrum, index);
        rc = rc < 0 ? rc : index_end(index, &end);
        index_close(index);
        if (rc < 0) {
            break;
        }
    }
    return rc < 0 ? rc : count;
}

static int print_log_file(const struct device *device, int json) {
    struct spectrum spectrum = {.input = NULL};
    const int count = add_indexes(&spectrum, device->path);
    if (count > 0) {
        struct report report;
        report_begin(&report, stdout, json);
        report_text(&report, "log file", device->path);
        print_spectrum(&report, &spectrum);
        report_end(&report);
    }
    free(spectrum.delays);
    return count > 0;
}

int command_spectrum(int argc, char **argv) {
    static const struct show_command command = {
        .usage = "burstlog spectrum [--json] RING|LOG_FILE",
        .about = "Shows for each second how long the records that the ring still holds took from their event time to\n"
                 "being durable. The ring has the time of each commit but the last; a ring in mapped memory has none.\n"
                 "Of a log file with an index it shows all records.",
        .print = spectrum_print,
        .print_other = print_log_file,
    };
    return show_ring(argc, argv, &command);
}
