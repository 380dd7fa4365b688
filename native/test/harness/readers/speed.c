/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer at full speed and a reader in another process: the reader gets each record once, or is told that it missed it,
 * and each byte is right. One round for each engine, each way of reading, and each pace:
 *
 *     window, medium     records of the ring
 *     joined             log files that are rolled, then the ring
 *     segments           segments, then the ring
 *     fast               the writer stays within a quarter of the ring before the reader: it may miss nothing
 *     slow               the reader pauses until it is lapped, over and over. With segments it may miss nothing even so
 *
 *     readers-speed [--records N] [--seconds N] [--seed S] [--io pwrite|mapped|uring] [--way WAY] [--pace fast|slow]
 *
 * --records: in each round, default 60000. --seconds: rounds go on so long.
 */
#include "harness/readers/pair.h"

#define RECORD_IN_RING_BYTES 160 /* on average, with its header and the rests of blocks, and more */
#define POLL_BYTES (64u << 10)
#define LAPPED_EVERY 20000

enum way { WINDOW, MEDIUM, JOINED, SEGMENTS, WAYS };
enum pace { FAST, SLOW, PACES };

static const char *const way_names[] = {"window", "medium", "joined", "segments"};
static const char *const pace_names[] = {"fast", "slow"};
static const uint32_t ios[] = {BURST_IO_PWRITE, BURST_IO_MAPPED, BURST_IO_URING};

struct shared {
    _Atomic uint64_t read;    /* number of the last record that the reader has, or knows to have missed */
    _Atomic uint64_t written; /* number of the last record that the writer handed over */
    _Atomic int is_open;
    _Atomic int is_reader_open; /* only then the first record comes */
};

static struct shared *shared;
static struct log_terms terms;
static enum way way;
static enum pace pace;
static uint64_t records_a_round = 60000;
static uint32_t seed = 1;

/* ---------------------------------------------------------------------------------------------------------- writer */

/* Most records in the air when the reader is to miss none. */
static uint64_t window_of_records(void) {
    return terms.ring_bytes / 4 / RECORD_IN_RING_BYTES;
}

static int64_t hand_over(burst_t *log, const char *record, size_t length, uint64_t number) {
    int64_t sequence = -EAGAIN;
    if (number % 4096 == 0) {
        return burst_append(log, record, length, (int64_t)number);
    }
    if (number % 2 == 1) {
        sequence = burst_offer(log, record, length, (int64_t)number);
    }
    return sequence == -EAGAIN ? burst_enqueue(log, record, length, (int64_t)number) : sequence;
}

/* Waits for a fast reader. On the medium the last commit is proven by the next one: so a writer that waits goes on with
 * single records. */
static void await_reader(burst_t *log, uint64_t number) {
    for (int naps = 0; number > atomic_load(&shared->read) + window_of_records() && naps < 10; naps++) {
        pause_us(100);
        if (naps == 0) {
            burst_flush(log, -1);
        }
    }
}

static void write_all(void) {
    static char record[RECORD_MOST_BYTES];
    burst_t *log;
    if (open_log(&terms, &log) < 0) {
        fprintf(stderr, "%s\n", burst_last_error());
        _exit(2);
    }
    atomic_store(&shared->is_open, 1);
    while (!atomic_load(&shared->is_reader_open)) {
        pause_us(100);
    }
    for (uint64_t number = 1; number <= records_a_round; number++) {
        if (pace == FAST && number % 64 == 0) {
            await_reader(log, number);
        }
        if (hand_over(log, record, record_make(record, number, 1), number) <= 0) {
            fprintf(stderr, "record %llu: %s\n", (unsigned long long)number, burst_last_error());
            _exit(2);
        }
        atomic_store_explicit(&shared->written, number, memory_order_relaxed);
    }
    _exit(burst_close_within(log, HANG_NS) == 0 ? 0 : 2);
}

/* ---------------------------------------------------------------------------------------------------------- reader */

struct tally {
    uint64_t next_sequence; /* 0: unknown: what came last was a line */
    uint64_t number;        /* of the last record */
    uint64_t behind;        /* so many records, at most, may be left out: they were told as missed */
    uint64_t got, missed, times_missed, rolls;
};

/* Takes what the reader gave, and compares it with what is due. Returns 0 at a violation. */
static int take(struct tally *tally, const burst_read_polled_t *read, const void *data) {
    uint64_t number;
    uint32_t life;
    const uint64_t before = violations;
    if (read->sequence != 0 && tally->next_sequence != 0 && (uint64_t)read->sequence != tally->next_sequence) {
        VIOLATION("sequence %lld in the place of %llu, of kind %u", (long long)read->sequence,
                  (unsigned long long)tally->next_sequence, read->kind);
    }
    tally->next_sequence = read->sequence == 0 ? 0 : (uint64_t)read->sequence + read->count;
    switch (read->kind) {
    case BURST_READ_MISSED:
        tally->behind += read->count;
        tally->missed += read->count;
        tally->times_missed++;
        break;
    case BURST_READ_ROLL:
        tally->rolls++;
        break;
    case BURST_READ_RECORD:
    case BURST_READ_LINE:
        if (!record_take(data, read->length, &number, &life)) {
            VIOLATION("%u bytes in the place of record %llu are none: \"%.*s\"", read->length,
                      (unsigned long long)tally->number + 1, (int)(read->length < 60 ? read->length : 60),
                      (const char *)data);
            break;
        }
        if (number <= tally->number || number - tally->number - 1 > tally->behind ||
            (terms.roll_bytes == 0 && tally->behind > 0 && number - tally->number - 1 != tally->behind)) {
            VIOLATION("record %llu behind %llu, though %llu were told as missed; place %u, kind %u, position %llu",
                      (unsigned long long)number, (unsigned long long)tally->number, (unsigned long long)tally->behind,
                      read->place, read->kind, (unsigned long long)read->position);
        }
        if (read->kind == BURST_READ_RECORD && read->event_time_ns != (int64_t)number) {
            VIOLATION("record %llu has event time %lld", (unsigned long long)number, (long long)read->event_time_ns);
        }
        tally->behind = 0;
        tally->number = number;
        tally->got++;
        atomic_store_explicit(&shared->read, number, memory_order_relaxed);
        break;
    default:
        VIOLATION("%llu records from %lld on are told as lost", (unsigned long long)read->count,
                  (long long)read->sequence);
    }
    return violations == before;
}

/* By single records, or many at a time. Returns 1, 0 if none came, or -1 at a violation. */
static int read_some(burst_reader_t *reader, struct tally *tally, int at_once) {
    static _Alignas(8) char buffer[POLL_BYTES];
    int64_t got;
    if (!at_once) {
        burst_read_t record = {.struct_bytes = sizeof record};
        got = burst_reader_next(reader, &record, SECOND_NS / 10);
        const burst_read_polled_t read = {.kind = record.kind,
                                          .length = (uint32_t)record.length,
                                          .sequence = record.sequence,
                                          .event_time_ns = record.event_time_ns,
                                          .count = record.count,
                                          .position = record.position,
                                          .place = record.place};
        if (got > 0) {
            return take(tally, &read, record.data) ? 1 : -1;
        }
    } else {
        got = burst_reader_poll(reader, buffer, sizeof buffer, SECOND_NS / 10);
        for (int64_t at = 0; at < got;) {
            burst_read_polled_t read;
            memcpy(&read, buffer + at, sizeof read);
            if (!take(tally, &read, buffer + at + sizeof read)) {
                return -1;
            }
            at += (int64_t)(sizeof read + (read.length + 7) / 8 * 8);
        }
    }
    if (got < 0) {
        VIOLATION("the reader fails behind record %llu: %s", (unsigned long long)tally->number, burst_last_error());
        return -1;
    }
    return got > 0;
}

/* Pauses until the writer is more than a lap ahead, or ends. */
static void let_it_lap(void) {
    const uint64_t lap = terms.ring_bytes / 100, from = atomic_load(&shared->written);
    while (atomic_load(&shared->written) < from + lap && atomic_load(&shared->written) < records_a_round) {
        pause_us(200);
    }
}

static burst_reader_t *open_reader(unsigned round) {
    char archives[sizeof folder + 16];
    burst_reader_config_t config;
    burst_reader_t *reader = NULL;
    burst_reader_config_init(&config);
    /* Their names are unlike that of the log file, beside which they would be found: a reader that is more than a roll
     * behind would pass over them. */
    snprintf(archives, sizeof archives, "%s/rolled-*", folder);
    config.archives = way == JOINED ? archives : NULL;
    config.source = ring_path;
    config.window = way == MEDIUM ? "" : folder;
    config.from = way == JOINED || way == SEGMENTS ? BURST_FROM_OLDEST : BURST_FROM_RING;
    config.wait = round % 3;
    if (burst_reader_open(&config, &reader) < 0) {
        VIOLATION("no reader: %s", burst_last_error());
    }
    atomic_store(&shared->is_reader_open, 1);
    return reader;
}

static void read_all(struct tally *tally, unsigned round) {
    burst_reader_t *reader = open_reader(round);
    int64_t give_up_ns = now_ns() + HANG_NS;
    uint64_t lap_at = LAPPED_EVERY;
    int got = reader == NULL ? -1 : 0;
    while (got >= 0 && tally->number + tally->behind < records_a_round) {
        got = read_some(reader, tally, round % 2 == 1);
        if (got > 0) {
            give_up_ns = now_ns() + HANG_NS;
        } else if (got == 0 && now_ns() > give_up_ns) {
            VIOLATION("nothing comes behind record %llu of %llu", (unsigned long long)tally->number,
                      (unsigned long long)records_a_round);
            break;
        }
        if (pace == SLOW && tally->got >= lap_at) {
            lap_at = tally->got + LAPPED_EVERY / 4;
            let_it_lap();
        }
    }
    burst_reader_close(reader);
}

/* ----------------------------------------------------------------------------------------------------------- rounds */

static struct tally run_round(uint32_t io, unsigned round) {
    struct tally tally = {.number = 0};
    const unsigned long long before = violations;
    int status = -1;
    make_folder();
    *shared = (struct shared){.read = 0};
    terms = (struct log_terms){.io = io,
                               .ring_bytes = pace == FAST ? 16 << 20 : 2 << 20,
                               .roll_bytes = way == JOINED ? 400000 : 0,
                               .has_segments = way == SEGMENTS};
    fflush(stdout);
    const pid_t writer = fork();
    if (writer == 0) {
        write_all();
    }
    while (!atomic_load(&shared->is_open) && waitpid(writer, &status, WNOHANG) == 0) {
        pause_us(100);
    }
    const int64_t begin_ns = now_ns();
    read_all(&tally, round);
    atomic_store(&shared->read, UINT64_MAX / 2);
    if (waitpid(writer, &status, 0) == writer && status != 0) {
        VIOLATION("the writer ended with status %d", status);
    }
    if (tally.missed > 0 && (pace == FAST || way == SEGMENTS)) {
        VIOLATION("a reader that had to miss nothing was told %llu records as missed",
                  (unsigned long long)tally.missed);
    }
    const double seconds = (double)(now_ns() - begin_ns) / 1e9;
    printf("%-6s %-8s %s: %llu records, %llu missed in %llu gaps, %llu rolls, %.1f s, %.2f million a second\n",
           io_name(io), way_names[way], pace_names[pace], (unsigned long long)tally.got,
           (unsigned long long)tally.missed, (unsigned long long)tally.times_missed, (unsigned long long)tally.rolls,
           seconds, (double)records_a_round / 1e6 / seconds);
    fflush(stdout);
    remove_folder(before);
    return tally;
}

static int index_of(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

int main(int argc, char **argv) {
    static const char *const io_names[] = {"pwrite", "mapped", "uring"};
    int only_io = -1, only_way = -1, only_pace = -1, is_wrong = 0;
    int64_t end_ns = 0;
    for (int i = 1; i < argc; i += 2) {
        const char *const value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--records") == 0) {
            records_a_round = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            end_ns = now_ns() + atoll(value) * SECOND_NS;
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = (uint32_t)atoi(value);
        } else if (strcmp(argv[i], "--io") == 0) {
            is_wrong |= (only_io = index_of(value, io_names, 3)) < 0;
        } else if (strcmp(argv[i], "--way") == 0) {
            is_wrong |= (only_way = index_of(value, way_names, WAYS)) < 0;
        } else if (strcmp(argv[i], "--pace") == 0) {
            is_wrong |= (only_pace = index_of(value, pace_names, PACES)) < 0;
        } else {
            is_wrong = 1;
        }
    }
    if (is_wrong || records_a_round == 0) {
        fprintf(stderr, "usage: %s [--records N] [--seconds N] [--seed S] [--io E] [--way W] [--pace P]\n", argv[0]);
        return 2;
    }
    shared = share(sizeof *shared);
    const int uring = only_io == 0 || only_io == 1 ? 0 : has_uring();
    uint64_t got = 0, missed = 0;
    unsigned round = seed;
    do {
        for (int cell = 0; cell < 3 * WAYS * PACES && violations == 0; cell++) {
            const int io = cell % 3;
            way = (enum way)(cell / 3 % WAYS);
            pace = (enum pace)(cell / 3 / WAYS);
            if ((only_io >= 0 && io != only_io) || (only_way >= 0 && (int)way != only_way) ||
                (only_pace >= 0 && (int)pace != only_pace) || (io == 2 && !uring)) {
                continue;
            }
            const struct tally tally = run_round(ios[io], round + (unsigned)cell / 3);
            got += tally.got;
            missed += tally.missed;
        }
        round++;
    } while (violations == 0 && now_ns() < end_ns);
    printf("%llu records read and %llu told as missed\n", (unsigned long long)got, (unsigned long long)missed);
    printf("PROOF readers-speed cases=%llu violations=%llu seeds=%u-%u\n", (unsigned long long)(got + missed),
           violations, seed, round - 1);
    return violations == 0 ? 0 : 1;
}
