/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/rigs/witness.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PRINTED_MAX 20
#define LOSS_LINE "[burstlog: records %lld..%lld (%llu) are lost"
#define LOSSES_MAX 256

enum fate { NOT_TRIED, REFUSED, UNCERTAIN, ENQUEUED, ACKNOWLEDGED };

struct loss {
    int64_t first, last;
};

/* A thread's records in one file. A rotation may interrupt a file's records, but another file's records are never
 * among them. */
struct stretch {
    uint64_t first, last;
};

struct check {
    const struct witness *witness;
    struct findings findings;
    uint8_t *seen[WITNESS_THREADS];
    uint64_t equal_lines[WITNESS_THREADS];
    struct loss losses[LOSSES_MAX];
    int loss_count;
    struct stretch stretches[WITNESS_THREADS][1024];
    int stretch_count[WITNESS_THREADS];
};

void witness_begin(struct witness *witness) {
    memset(witness, 0, sizeof *witness);
    for (int thread = 0; thread < WITNESS_THREADS; thread++) {
        witness->fates[thread] = calloc(WITNESS_NUMBERS, 1);
        witness->sequences[thread] = calloc(WITNESS_NUMBERS, sizeof(int64_t));
        if (witness->fates[thread] == NULL || witness->sequences[thread] == NULL)
            abort();
    }
}

void witness_end(struct witness *witness) {
    for (int thread = 0; thread < WITNESS_THREADS; thread++) {
        free(witness->fates[thread]);
        free(witness->sequences[thread]);
    }
}

static int repeats(const struct witness *witness, int thread) {
    return witness->repeats >> thread & 1;
}

static int make_equal_line(char *line, int thread) {
    return snprintf(line, WITNESS_LONGEST, "%d same\n", thread);
}

static int make_line(char *line, int thread, uint64_t number, size_t fill) {
    int used = snprintf(line, WITNESS_LONGEST, "%d %llu %zu ", thread, (unsigned long long)number, fill);
    for (size_t i = 0; i < fill; i++)
        line[used++] = (char)('a' + (number + i) % 26);
    line[used++] = '\n';
    return used;
}

static enum fate fate_of(int64_t result, enum fate success) {
    if (result > 0)
        return success;
    return result == -EAGAIN || result == -ETIMEDOUT || result == -ESHUTDOWN ? REFUSED : UNCERTAIN;
}

typedef int64_t (*append_call)(burst_t *log, const void *data, size_t length, int64_t event_time_ns);

static int64_t add(struct witness *witness, burst_t *log, int thread, size_t length, append_call append,
                   enum fate success) {
    const uint64_t number = witness->next[thread]++;
    char line[WITNESS_LONGEST];
    if (number >= WITNESS_NUMBERS || length > WITNESS_LONGEST)
        abort();
    const size_t fill = length > 32 ? length - 32 : (number * 2654435761u >> 9) % 200;
    const int bytes = repeats(witness, thread) ? make_equal_line(line, thread) : make_line(line, thread, number, fill);
    const int64_t result = append(log, line, (size_t)bytes, 0);
    witness->fates[thread][number] = (uint8_t)fate_of(result, success);
    witness->sequences[thread][number] = result;
    return result;
}

int64_t witness_append(struct witness *witness, burst_t *log, int thread, size_t length) {
    return add(witness, log, thread, length, burst_append, ACKNOWLEDGED);
}

int64_t witness_enqueue(struct witness *witness, burst_t *log, int thread, size_t length) {
    return add(witness, log, thread, length, burst_enqueue, ENQUEUED);
}

int witness_await(struct witness *witness, burst_t *log, int thread) {
    int64_t last = 0;
    for (uint64_t number = witness->next[thread]; number > 0 && last <= 0; number--)
        last = witness->fates[thread][number - 1] == ENQUEUED ? witness->sequences[thread][number - 1] : 0;
    const int result = last > 0 ? burst_await_durable(log, last, -1) : 1;
    for (uint64_t number = witness->next[thread]; number > 0; number--) {
        uint8_t *fate = &witness->fates[thread][number - 1];
        if (*fate == ACKNOWLEDGED)
            break;
        if (*fate == ENQUEUED)
            *fate = result == 1 ? ACKNOWLEDGED : UNCERTAIN;
    }
    return result;
}

void witness_recall(struct witness *witness, int thread, uint64_t number, int64_t result) {
    if (number >= WITNESS_NUMBERS)
        abort();
    witness->fates[thread][number] = (uint8_t)fate_of(result, ACKNOWLEDGED);
    witness->sequences[thread][number] = result;
    if (witness->next[thread] <= number)
        witness->next[thread] = number + 1;
}

__attribute__((format(printf, 2, 3))) static void violation(struct check *check, const char *format, ...) {
    if (check->findings.violations++ >= PRINTED_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("VIOLATION ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static void take_loss(struct check *check, const char *line) {
    long long first, last;
    unsigned long long count;
    if (sscanf(line, LOSS_LINE, &first, &last, &count) != 3 || check->loss_count >= LOSSES_MAX ||
        (unsigned long long)(last - first + 1) != count) {
        violation(check, "unknown line: %s", line);
        return;
    }
    check->losses[check->loss_count++] = (struct loss){first, last};
    check->findings.told_lost += count;
}

/* 1: the line is one of the equal ones. */
static int take_equal_line(struct check *check, const char *line, size_t bytes) {
    char wanted[WITNESS_LONGEST];
    for (int thread = 0; thread < WITNESS_THREADS; thread++) {
        if (repeats(check->witness, thread) && (size_t)make_equal_line(wanted, thread) == bytes &&
            memcmp(wanted, line, bytes) == 0) {
            check->equal_lines[thread]++;
            check->findings.present++;
            return 1;
        }
    }
    return 0;
}

static void take_record(struct check *check, const char *file, const char *line, size_t bytes, uint64_t *last) {
    int thread;
    unsigned long long number;
    size_t fill;
    char wanted[WITNESS_LONGEST];
    if (sscanf(line, "%d %llu %zu ", &thread, &number, &fill) != 3 || thread < 0 || thread >= WITNESS_THREADS ||
        number >= check->witness->next[thread] || fill > WITNESS_LONGEST - 64) {
        violation(check, "%s holds a line that nobody wrote: %.60s", file, line);
        return;
    }
    if ((size_t)make_line(wanted, thread, number, fill) != bytes || memcmp(wanted, line, bytes) != 0) {
        violation(check, "%s holds an altered line: %.60s", file, line);
        return;
    }
    if (check->seen[thread][number]++ > 0) {
        check->findings.duplicates++;
        if (!check->witness->doubles_allowed)
            violation(check, "%s holds %d %llu once more", file, thread, number);
    }
    if (check->witness->fates[thread][number] == REFUSED)
        violation(check, "%s holds %d %llu, which was refused", file, thread, number);
    if (last[thread] != UINT64_MAX && number <= last[thread])
        violation(check, "%s holds %d %llu after %llu", file, thread, number, (unsigned long long)last[thread]);
    struct stretch *stretch = &check->stretches[thread][check->stretch_count[thread]];
    if (last[thread] == UINT64_MAX)
        stretch->first = number;
    stretch->last = last[thread] = number;
    check->findings.present++;
}

static void check_file(struct check *check, const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        violation(check, "%s cannot be read: %s", path, strerror(errno));
        return;
    }
    uint64_t last[WITNESS_THREADS];
    memset(last, 0xff, sizeof last);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t bytes; (bytes = getline(&line, &room, file)) > 0;) {
        if (line[bytes - 1] != '\n' && check->witness->doubles_allowed)
            continue; /* the abandoned file ends where the write ended */
        if (line[0] == '[')
            take_loss(check, line);
        else if (!take_equal_line(check, line, (size_t)bytes))
            take_record(check, path, line, (size_t)bytes, last);
    }
    for (int thread = 0; thread < WITNESS_THREADS; thread++)
        check->stretch_count[thread] += last[thread] != UINT64_MAX && check->stretch_count[thread] < 1023;
    if (ferror(file))
        violation(check, "%s cannot be read to its end", path);
    free(line);
    fclose(file);
}

static int by_first(const void *left, const void *right) {
    const struct stretch *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* The files can be put in order: none holds a record from the midst of another. */
static void check_stretches(struct check *check, int thread) {
    struct stretch *stretches = check->stretches[thread];
    qsort(stretches, (size_t)check->stretch_count[thread], sizeof *stretches, by_first);
    for (int i = 1; i < check->stretch_count[thread]; i++) {
        if (stretches[i].first <= stretches[i - 1].last && !check->witness->doubles_allowed)
            violation(check, "the files cannot be put in order: %d %llu..%llu and %llu..", thread,
                      (unsigned long long)stretches[i - 1].first, (unsigned long long)stretches[i - 1].last,
                      (unsigned long long)stretches[i].first);
    }
}

static int is_told_lost(const struct check *check, int64_t sequence) {
    for (int i = 0; i < check->loss_count; i++) {
        if (sequence >= check->losses[i].first && sequence <= check->losses[i].last)
            return 1;
    }
    return 0;
}

/* There are as many as were acknowledged, and no more than there may be. */
static void check_equal_lines(struct check *check, int thread) {
    const struct witness *witness = check->witness;
    uint64_t needed = 0, possible = 0;
    for (uint64_t number = 0; number < witness->next[thread]; number++) {
        const enum fate fate = witness->fates[thread][number];
        const int64_t sequence = witness->sequences[thread][number];
        const int told = sequence > 0 && is_told_lost(check, sequence);
        needed += fate == ACKNOWLEDGED && number >= witness->needed_from[thread] && !told;
        possible += fate != REFUSED && fate != NOT_TRIED;
        check->findings.lost += fate == ACKNOWLEDGED && told;
    }
    const uint64_t found = check->equal_lines[thread];
    if (found < needed || (found > possible && !witness->doubles_allowed))
        violation(check, "of thread %d, whose lines are all equal, there are %llu, and must be %llu to %llu", thread,
                  (unsigned long long)found, (unsigned long long)needed, (unsigned long long)possible);
}

static void check_presence(struct check *check, int thread) {
    const struct witness *witness = check->witness;
    for (uint64_t number = witness->needed_from[thread]; number < witness->next[thread]; number++) {
        const int64_t sequence = witness->sequences[thread][number];
        const int told = sequence > 0 && is_told_lost(check, sequence);
        const int seen = check->seen[thread][number] > 0;
        if (seen && told)
            violation(check, "%d %llu is there, and reported as lost", thread, (unsigned long long)number);
        if (witness->fates[thread][number] == ACKNOWLEDGED && !seen && !told)
            violation(check, "%d %llu (sequence %lld) was acknowledged and is missing", thread,
                      (unsigned long long)number, (long long)sequence);
        check->findings.lost += witness->fates[thread][number] == ACKNOWLEDGED && !seen && told;
    }
}

struct findings witness_check(const struct witness *witness, const char *folder) {
    static struct check check;
    memset(&check, 0, sizeof check);
    check.witness = witness;
    for (int thread = 0; thread < WITNESS_THREADS; thread++)
        check.seen[thread] = calloc(WITNESS_NUMBERS, 1);
    DIR *entries = opendir(folder);
    if (entries == NULL)
        violation(&check, "%s cannot be listed: %s", folder, strerror(errno));
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        char path[1024];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strncmp(entry->d_name, "log", 3) != 0 || lstat(path, &status) < 0 || !S_ISREG(status.st_mode))
            continue;
        check.findings.files++;
        check_file(&check, path);
    }
    if (entries != NULL)
        closedir(entries);
    for (int thread = 0; thread < WITNESS_THREADS; thread++) {
        check_stretches(&check, thread);
        if (repeats(witness, thread))
            check_equal_lines(&check, thread);
        else
            check_presence(&check, thread);
        free(check.seen[thread]);
    }
    return check.findings;
}
