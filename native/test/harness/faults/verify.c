/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the log files: each acknowledged record is there once, in order, whole, and nothing else is. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trial.h"

#define FILES_MAX 32

/* "<number> <length> abc...\n" */
size_t make_record(char *text, uint32_t number, size_t length) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    size_t used = (size_t)snprintf(text, length, "%u %zu ", number, length);
    for (size_t i = used; i + 1 < length; i++) {
        text[i] = letters[(number + i) % 26];
    }
    text[length - 1] = '\n';
    return length;
}

size_t make_roll_line(char *text, char kind, uint32_t number) {
    return (size_t)sprintf(text, "%c%u\n", kind, number);
}

struct log_text {
    char name[64];
    char *bytes;
    size_t length;
    uint32_t first; /* first record's number; 0: none */
    uint32_t last;
    uint32_t ended_by; /* the roll whose footer it ends with; 0: none */
    uint32_t stream;
};

struct found {
    struct trial *trial;
    uint32_t times[RECORDS_MAX + 1];
    uint32_t headers[RECORDS_MAX + 1];
    int is_reported_lost[RECORDS_MAX + 1];
    uint32_t rolled[STREAMS];       /* files that the engine rolled by its plan */
    uint32_t first_rolled[STREAMS]; /* the first record in one of these; 0: none */
};

static void read_text(struct log_text *file) {
    char path[80];
    struct stat status = {0};
    snprintf(path, sizeof path, "logs/%.63s", file->name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0) {
        abort();
    }
    file->bytes = malloc((size_t)status.st_size + 1);
    file->length = (size_t)read(fd, file->bytes, (size_t)status.st_size);
    file->bytes[file->length] = '\0';
    close(fd);
}

static void take_loss(struct found *found, const char *line) {
    unsigned long long first, last;
    if (sscanf(line, "[burstlog: records %llu..%llu ", &first, &last) != 2) {
        trial_wrong(found->trial, "a line that is no record: %.60s", line);
        return;
    }
    for (uint32_t i = 1; i <= found->trial->record_count; i++) {
        const uint64_t sequence = (uint64_t)found->trial->records[i].sequence;
        found->is_reported_lost[i] |= sequence >= first && sequence <= last;
    }
}

/* Takes the number of a record or a roll that the file holds. */
static void take_number(struct found *found, struct log_text *file, unsigned number) {
    const uint32_t stream = found->trial->records[number].stream;
    const size_t name_bytes = strlen(stream_files[stream]);
    if (strncmp(file->name, stream_files[stream], name_bytes) != 0) {
        trial_wrong(found->trial, "%s holds record %u of stream %u", file->name, number, stream);
    }
    file->stream = stream;
    if (number <= file->last) {
        trial_wrong(found->trial, "%s holds record %u after record %u", file->name, number, file->last);
    }
    if (file->ended_by != 0 && !found->trial->gave_up) {
        trial_wrong(found->trial, "%s holds record %u behind footer %u", file->name, number, file->ended_by);
    }
    found->times[number]++;
    file->first = file->first == 0 ? number : file->first;
    file->last = number;
}

static void take_roll(struct found *found, struct log_text *file, const char *line, size_t bytes) {
    char wanted[64];
    const unsigned number = (unsigned)strtoul(line + 1, NULL, 10);
    if (number == 0 || number > found->trial->record_count || !found->trial->records[number].is_roll ||
        make_roll_line(wanted, *line, number) != bytes || memcmp(line, wanted, bytes) != 0) {
        trial_wrong(found->trial, "%s holds what no roll has: %.40s", file->name, line);
    } else if (*line == '<') {
        take_number(found, file, number);
        file->ended_by = number;
    } else if (line != file->bytes) {
        trial_wrong(found->trial, "%s has header %u in its middle", file->name, number);
    } else if (found->headers[number]++ > 0 && !found->trial->may_be_twice) {
        trial_wrong(found->trial, "%s has header %u, and another file too", file->name, number);
    }
}

static void take_record(struct found *found, struct log_text *file, const char *line, size_t bytes) {
    static char wanted[LONGEST_RECORD + 1];
    unsigned number = 0;
    size_t length = 0;
    if (sscanf(line, "%u %zu ", &number, &length) != 2 || number == 0 || number > found->trial->record_count) {
        trial_wrong(found->trial, "%s holds what nobody appended: %.40s", file->name, line);
        return;
    }
    if (length != bytes || length > LONGEST_RECORD || memcmp(line, wanted, make_record(wanted, number, length)) != 0) {
        trial_wrong(found->trial, "%s holds an altered record %u: %zu bytes, not %zu", file->name, number, bytes,
                    length);
        return;
    }
    take_number(found, file, number);
}

static void take_lines(struct found *found, struct log_text *file) {
    for (const char *line = file->bytes; line < file->bytes + file->length;) {
        const char *end = memchr(line, '\n', (size_t)(file->bytes + file->length - line));
        if (end == NULL) {
            trial_wrong(found->trial, "%s ends in the middle of a record: %.40s", file->name, line);
            return;
        }
        if (*line == '[') {
            take_loss(found, line);
        } else if (*line == '<' || *line == '>') {
            take_roll(found, file, line, (size_t)(end + 1 - line));
        } else {
            take_record(found, file, line, (size_t)(end + 1 - line));
        }
        line = end + 1;
    }
}

static int by_first(const void *left, const void *right) {
    return (int)((const struct log_text *)left)->first - (int)((const struct log_text *)right)->first;
}

/*
 * Unreadable blocks at the end of the log may have held records that nothing proves. An open reports such blocks; if it
 * is then refused for another reason, its report is lost.
 */
static int is_unknown(const struct trial *trial) {
    return trial->has_unreadable || trial->open_refusals > 0;
}

/* The engine deleted the record with the oldest files. */
static int is_deleted(const struct found *found, uint32_t number) {
    const uint32_t stream = found->trial->records[number].stream;
    return (found->trial->scenario == SCENARIO_PLANNED || found->trial->scenario == SCENARIO_READS) && stream == 0 &&
           found->times[number] == 0 && found->rolled[stream] >= KEPT_FILES && number < found->first_rolled[stream];
}

static void take_rolled(struct found *found, const struct log_text *file) {
    if (strstr(file->name, ROLLED_SUFFIX) != NULL && file->first != 0) {
        uint32_t *first = &found->first_rolled[file->stream];
        found->rolled[file->stream]++;
        *first = *first == 0 || file->first < *first ? file->first : *first;
    }
}

/* An interrupted compression leaves no file behind. */
static void check_leftovers(struct trial *trial) {
    DIR *folder = opendir("logs");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".burst-tmp") != NULL) {
            trial_wrong(trial, "%s is left", entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static void check_fates(struct found *found) {
    struct trial *trial = found->trial;
    uint32_t missing = 0;
    int64_t before = 0;
    for (uint32_t i = 1; i <= trial->record_count; i++) {
        const uint32_t fate = is_deleted(found, i) ? FATE_UNUSED : trial->records[i].fate;
        const int64_t sequence = trial->records[i].sequence;
        if (found->times[i] > 1 && !trial->may_be_twice) {
            trial_wrong(trial, "record %u is there %u times", i, found->times[i]);
        }
        if (fate == FATE_ACKNOWLEDGED && trial->records[i].is_roll && found->headers[i] == 0 && found->times[i] > 0 &&
            !trial->gave_up && !trial->damage_is_possible) {
            trial_wrong(trial, "no file begins with header %u", i);
        }
        if (fate == FATE_ACKNOWLEDGED && found->times[i] == 0) {
            missing += (uint32_t)found->is_reported_lost[i];
            if (!trial->damage_is_possible || (!found->is_reported_lost[i] && !is_unknown(trial))) {
                trial_wrong(trial, "record %u (sequence %lld) was acknowledged and is %s", i, (long long)sequence,
                            found->is_reported_lost[i] ? "reported lost on a medium without damage" : "missing");
            }
        }
        if (fate == FATE_ACKNOWLEDGED && sequence <= before && !trial->damage_is_possible) {
            trial_wrong(trial, "record %u has sequence %lld after %lld", i, (long long)sequence, (long long)before);
        }
        before = fate == FATE_ACKNOWLEDGED ? sequence : before;
    }
    if (missing > trial->reported_lost || (trial->reported_lost > 0 && !trial->damage_is_possible)) {
        trial_wrong(trial, "%u acknowledged records are missing, %lld were reported", missing,
                    (long long)trial->reported_lost);
    }
}

void verify_files(struct trial *trial) {
    static char names[FILES_MAX][64];
    static struct log_text files[FILES_MAX];
    struct found found = {.trial = trial};
    const int count = stage_files(names, FILES_MAX);
    for (int i = 0; i < count; i++) {
        files[i] = (struct log_text){.first = 0};
        memcpy(files[i].name, names[i], sizeof names[i]);
        read_text(&files[i]);
        take_lines(&found, &files[i]);
        take_rolled(&found, &files[i]);
        free(files[i].bytes);
    }
    qsort(files, (size_t)count, sizeof files[0], by_first);
    uint32_t lasts[STREAMS] = {0};
    for (int i = 0; i < count; i++) {
        uint32_t *last = &lasts[files[i].stream];
        if (files[i].first != 0 && files[i].first <= *last && !trial->may_be_twice) {
            trial_wrong(trial, "%s begins with record %u, an earlier file ends with %u", files[i].name, files[i].first,
                        *last);
        }
        *last = files[i].last > *last ? files[i].last : *last;
    }
    trial->first_in_files = 0;
    for (uint32_t i = trial->record_count; i > 0; i--) {
        trial->first_in_files = found.times[i] > 0 && trial->records[i].stream == 0 ? i : trial->first_in_files;
    }
    check_fates(&found);
    check_leftovers(trial);
}
