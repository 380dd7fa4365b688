/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGKILL of a writer and of its reader, at random moments and before and after system calls. The writer is opened again
 * while the reader goes on; a reader that died is followed by one that begins behind the last record that it got.
 *
 * The reader notes the life of each record that it was given. In the end the log file has each of these records, of that
 * life: so no crash took back what a reader got. It got none twice and none torn, and each one that it did not get was
 * told as missed.
 *
 *     readers-kills [--rounds N] [--seconds N] [--seed S]
 */
#include "harness/readers/pair.h"
#include "harness/readers/random_kills.h"

#define ROUNDS_A_FOLDER 24
#define NUMBERS_MOST (4u << 20)
#define RECORDS_A_LIFE 20000u
#define RECORDS_OF_A_TRACED_LIFE 120u
#define KILL_WITHIN_US 20000 /* of the start, half of the time; else of the end of its open */

/* A reader never ends. Through a window it makes few calls once it is open, when nothing comes. */
#define STOPS_OF_A_WINDOW 140
#define STOPS_OF_A_READER 600

enum way { WINDOW, MEDIUM, SEGMENTS, WAYS };
enum wrong_with_reader { READER_ENDED = 0, READER_FOUND_A_VIOLATION = 3, READER_CANNOT_READ = 4 };

struct shared {
    _Atomic uint32_t life;      /* of the writer that was started last */
    _Atomic uint32_t open_life; /* of the writer that has opened the log last */
    _Atomic uint64_t durable;   /* last number whose append has returned */
    _Atomic uint64_t given;     /* last number that a reader has got */
    _Atomic uint64_t reached;   /* last number that a reader has got, or knows to have missed */
    _Atomic uint64_t last;      /* all numbers of the log; 0: it is not known yet */
    _Atomic uint64_t given_count, missed;
    _Atomic uint16_t lives[NUMBERS_MOST]; /* of the record that the reader got; 0: none */
};

static struct shared *shared;
static struct log_terms terms;
static enum way way;
static int is_short_life;
static unsigned long long kills_of_writer, kills_of_reader;
static uint64_t stops_of_writer = 400; /* the most that one made; it makes two at each system call */

/* ---------------------------------------------------------------------------------------------------------- writer */

static int64_t write_one(burst_t *log, uint64_t number, uint32_t life) {
    static char record[RECORD_MOST_BYTES];
    const size_t length = record_make(record, number, life);
    const int waits = life % 4 == 0 || (life % 4 == 2 && number % 16 == 0);
    const int64_t sequence = waits ? burst_append(log, record, length, life) : burst_enqueue(log, record, length, life);
    if (waits && sequence > 0) {
        atomic_store(&shared->durable, number);
    }
    return life % 4 == 3 && number % 50 == 0 && burst_flush(log, -1) < 0 ? -1 : sequence;
}

static void write_a_life(void) {
    burst_t *log;
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    const uint32_t life = atomic_load(&shared->life);
    if (open_log(&terms, &log) < 0 || burst_stats(log, &stats) < 0) {
        fprintf(stderr, "life %u: %s\n", life, burst_last_error());
        _exit(2);
    }
    atomic_store(&shared->open_life, life);
    const uint64_t first = (uint64_t)stats.accepted_sequence + 1;
    const uint64_t count = is_short_life ? RECORDS_OF_A_TRACED_LIFE : RECORDS_A_LIFE;
    for (uint64_t number = first; number < first + count && number < NUMBERS_MOST; number++) {
        if (write_one(log, number, life) != (int64_t)number) {
            fprintf(stderr, "life %u, record %llu: %s\n", life, (unsigned long long)number, burst_last_error());
            _exit(2);
        }
    }
    _exit(burst_close_within(log, HANG_NS) == 0 ? 0 : 2);
}

/* Opens once more, and drains all. */
static void write_nothing(void) {
    burst_t *log;
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    if (open_log(&terms, &log) < 0 || burst_stats(log, &stats) < 0 || burst_close_within(log, HANG_NS) != 0) {
        fprintf(stderr, "the last open: %s\n", burst_last_error());
        _exit(2);
    }
    atomic_store(&shared->last, (uint64_t)stats.accepted_sequence);
    _exit(0);
}

/* ---------------------------------------------------------------------------------------------------------- reader */

/* Begins with what is still in the ring, since the sequence is gone. If nothing comes any more, only the reader's state
 * tells what it missed. Returns -EAGAIN if the sequence is there again: the sight was another one. */
static int open_behind_what_is_gone(burst_reader_config_t *config, burst_reader_t **reader) {
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    const uint64_t wanted = (uint64_t)config->from_value;
    config->from = BURST_FROM_RING;
    int rc = burst_reader_open(config, reader);
    config->from = BURST_FROM_SEQUENCE;
    rc = rc < 0 ? rc : burst_reader_state(*reader, &state);
    if (rc == 0 && (uint64_t)state.next_sequence < wanted) {
        burst_reader_close(*reader);
        return -EAGAIN;
    }
    if (rc == 0) {
        atomic_fetch_add(&shared->missed, (uint64_t)state.next_sequence - wanted);
        atomic_store(&shared->reached, (uint64_t)state.next_sequence - 1);
    }
    return rc;
}

static burst_reader_t *open_reader(void) {
    const uint64_t reached = atomic_load(&shared->reached);
    burst_reader_config_t config;
    burst_reader_t *reader;
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = way == MEDIUM ? "" : folder;
    config.from = reached > 0 ? BURST_FROM_SEQUENCE : way == SEGMENTS ? BURST_FROM_OLDEST : BURST_FROM_RING;
    config.from_value = (int64_t)(reached > 0 ? reached + 1 : 0);
    config.wait = way == WINDOW ? atomic_load(&shared->life) % 3 : BURST_WAIT_SLEEP;
    int rc;
    do { /* what came since its predecessor was killed may not be in the ring any more */
        rc = burst_reader_open(&config, &reader);
        rc = rc == -ERANGE && way != SEGMENTS ? open_behind_what_is_gone(&config, &reader) : rc;
    } while (rc == -EAGAIN);
    if (rc < 0) {
        VIOLATION("a reader cannot begin behind record %llu: %s", (unsigned long long)reached, burst_last_error());
        _exit(READER_CANNOT_READ);
    }
    return reader;
}

/* Takes a record, or a line, whose sequence only its own bytes tell. Returns its number. */
static uint64_t note_record(const burst_read_t *read, int is_first) {
    uint64_t number;
    uint32_t life;
    if (!record_take(read->data, read->length, &number, &life) || number >= NUMBERS_MOST ||
        (read->kind == BURST_READ_RECORD && number != (uint64_t)read->sequence)) {
        VIOLATION("record %lld, %zu bytes, is torn or another one, of place %u", (long long)read->sequence,
                  read->length, read->place);
        _exit(READER_FOUND_A_VIOLATION);
    }
    const uint16_t before = atomic_exchange(&shared->lives[number], (uint16_t)life);
    /* A reader that was killed right here has noted it, and has not reached it. */
    if (before != 0 && !(is_first && before == life)) {
        VIOLATION("record %llu of life %u was given before, with life %u; place %u", (unsigned long long)number, life,
                  before, read->place);
        _exit(READER_FOUND_A_VIOLATION);
    }
    atomic_store(&shared->given, number);
    atomic_fetch_add(&shared->given_count, 1);
    return number;
}

static void read_on(void) {
    burst_reader_t *reader = open_reader();
    burst_read_t read = {.struct_bytes = sizeof read};
    uint64_t next = 0; /* sequence; 0: any */
    int is_first = 1;
    const int64_t give_up_ns = now_ns() + 4 * HANG_NS;
    for (;;) {
        const uint64_t last = atomic_load(&shared->last);
        if (last > 0 && atomic_load(&shared->reached) >= last) {
            _exit(READER_ENDED);
        }
        const int rc = burst_reader_next(reader, &read, SECOND_NS / 20);
        if (rc < 0 || now_ns() > give_up_ns) {
            VIOLATION("the reader fails behind record %llu of %llu: %s",
                      (unsigned long long)atomic_load(&shared->reached), (unsigned long long)last,
                      rc < 0 ? burst_last_error() : "nothing comes");
            _exit(READER_CANNOT_READ);
        }
        if (rc == 0) {
            continue;
        }
        uint64_t sequence = (uint64_t)read.sequence;
        if (read.kind <= BURST_READ_LINE) {
            sequence = note_record(&read, is_first);
            is_first = 0;
        } else if (read.kind == BURST_READ_MISSED && way != SEGMENTS) {
            atomic_fetch_add(&shared->missed, read.count);
        } else {
            VIOLATION("%llu records from %lld on come as kind %u", (unsigned long long)read.count,
                      (long long)read.sequence, read.kind);
            _exit(READER_FOUND_A_VIOLATION);
        }
        if (next != 0 && sequence != next) {
            VIOLATION("record %llu in the place of %llu, kind %u", (unsigned long long)sequence,
                      (unsigned long long)next, read.kind);
            _exit(READER_FOUND_A_VIOLATION);
        }
        next = sequence + read.count;
        atomic_store(&shared->reached, next - 1);
    }
}

/* ------------------------------------------------------------------------------------------------------------ rounds */

static void begin_life(int is_short) {
    is_short_life = is_short;
    atomic_fetch_add(&shared->life, 1);
}

/* Waits until the writer has opened the log, or has ended. */
static void await_open(pid_t writer) {
    siginfo_t end = {.si_pid = 0};
    while (atomic_load(&shared->open_life) != atomic_load(&shared->life) && end.si_pid == 0) {
        pause_us(100);
        waitid(P_PID, (id_t)writer, &end, WEXITED | WNOHANG | WNOWAIT);
    }
}

static void run_round(pid_t *reader) {
    const uint32_t kind = next_random() % 8;
    const uint32_t delay_us = next_random() % KILL_WITHIN_US;
    const int is_opened = next_random() % 2 == 0;
    if (kind < 3) { /* the writer, at a system call */
        begin_life(1);
        const uint64_t stops =
            kill_at_a_call("writer", write_a_life, stops_of_writer + stops_of_writer / 8, &kills_of_writer);
        stops_of_writer = stops > stops_of_writer ? stops : stops_of_writer;
        return;
    }
    begin_life(0);
    const pid_t writer = victim_start(write_a_life, 0);
    if (is_opened) {
        await_open(writer);
    }
    if (kind < 5) { /* the reader, at a system call, while the writer is at work */
        kill_now("reader", *reader, &kills_of_reader);
        kill_at_a_call("reader", read_on, way == WINDOW ? STOPS_OF_A_WINDOW : STOPS_OF_A_READER, &kills_of_reader);
        *reader = victim_start(read_on, 0);
    } else {
        pause_us(delay_us);
        if (kind == 7) { /* both at any moment */
            kill_now("reader", *reader, &kills_of_reader);
            *reader = victim_start(read_on, 0);
        }
    }
    kill_now("writer", writer, &kills_of_writer);
}

static void check_log_file(void) {
    static char line[RECORD_MOST_BYTES + 2];
    const uint64_t last = atomic_load(&shared->last);
    uint64_t number, due = 0;
    uint32_t life;
    FILE *file = fopen(file_path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        due++;
        if (!record_take(line, strlen(line), &number, &life) || number != due || number >= NUMBERS_MOST) {
            VIOLATION("the log file has \"%.40s\" in the place of record %llu", line, (unsigned long long)due);
            break;
        }
        const uint16_t given = atomic_load(&shared->lives[number]);
        if (given != 0 && given != life) {
            VIOLATION("the reader got record %llu of life %u, and the log has that of life %u",
                      (unsigned long long)number, given, life);
        }
    }
    if (file == NULL || fclose(file) != 0 || due != last || due < atomic_load(&shared->given) ||
        due < atomic_load(&shared->durable) || atomic_load(&shared->reached) != last) {
        VIOLATION("the log file has %llu records and the log %llu; the reader got record %llu, and reached %llu; %llu "
                  "was acknowledged",
                  (unsigned long long)due, (unsigned long long)last, (unsigned long long)atomic_load(&shared->given),
                  (unsigned long long)atomic_load(&shared->reached), (unsigned long long)atomic_load(&shared->durable));
    }
}

static void run_folder(uint32_t io, enum way of_way, unsigned rounds) {
    const unsigned long long before = violations;
    int status = -1;
    way = of_way;
    make_folder();
    memset(shared, 0, sizeof *shared);
    terms = (struct log_terms){.io = io, .ring_bytes = 2 << 20, .has_segments = way == SEGMENTS};
    fflush(stdout);
    begin_life(1);
    waitpid(victim_start(write_a_life, 0), &status, 0);
    take_end("first writer", status, &kills_of_writer);
    pid_t reader = victim_start(read_on, 0);
    for (unsigned round = 0; round < rounds && violations == before; round++) {
        run_round(&reader);
        if (waitpid(reader, &status, WNOHANG) == reader) {
            take_end("reader", status, &kills_of_reader);
            reader = victim_start(read_on, 0);
        }
    }
    waitpid(victim_start(write_nothing, 0), &status, 0);
    take_end("last writer", status, &kills_of_writer);
    if (violations != before) {
        kill(reader, SIGKILL);
    }
    waitpid(reader, &status, 0);
    take_end("last reader", status, &kills_of_reader);
    if (violations == before) {
        check_log_file();
    }
    printf("%-6s %-8s: %u rounds, %llu records, %llu given, %llu missed\n", io_name(io),
           way == WINDOW   ? "window"
           : way == MEDIUM ? "medium"
                           : "segments",
           rounds, (unsigned long long)atomic_load(&shared->last),
           (unsigned long long)atomic_load(&shared->given_count), (unsigned long long)atomic_load(&shared->missed));
    fflush(stdout);
    remove_folder(before);
}

int main(int argc, char **argv) {
    static const uint32_t ios[] = {BURST_IO_PWRITE, BURST_IO_MAPPED, BURST_IO_URING};
    unsigned rounds = 72, done = 0;
    int64_t end_ns = 0;
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
    const unsigned engines = has_uring() ? 3 : 2,
                   a_folder = rounds < 9 * ROUNDS_A_FOLDER ? rounds / 9 + 1 : ROUNDS_A_FOLDER;
    for (unsigned turn = seed; violations == 0 && (done < rounds || now_ns() < end_ns); turn++) {
        run_folder(ios[turn % engines], (enum way)(turn / engines % WAYS), a_folder);
        done += a_folder;
    }
    printf("%llu kills of writers and %llu of readers, %llu of them at a system call\n", kills_of_writer,
           kills_of_reader, kills_at_calls);
    printf("PROOF readers-kills cases=%llu violations=%llu seeds=%u-%u\n", kills_of_writer + kills_of_reader,
           violations, seed, seed);
    return violations == 0 ? 0 : 1;
}
