/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of a log. Each gives each record once, in order and whole, or says what it missed, or gives one error with a
 * sentence; then one without a fault gives everything. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

#define LOOKS 4 /* one finds the newest epoch, one its marker, one what it proves */
#define FILE_PATH "logs/log"

enum reader_kind { BY_WINDOW, OF_MEDIUM, OF_FILE, READER_KINDS };

static const char *const kind_names[READER_KINDS] = {"by the window", "of the medium", "of the file"};

/* The records that a reader has given. */
struct reading {
    struct trial *trial;
    enum reader_kind kind;
    int is_free;       /* no fault strikes it */
    int may_lack_file; /* the log died between a roll and its next file */
    int error;
    uint32_t first, last; /* numbers of records; 0: none */
    uint64_t untold;      /* acknowledged records between first and last that were not given */
    uint64_t told;        /* missed or lost records that it told of */
    int sees_all;         /* its place holds all durable records */
};

static int is_acknowledged(const struct trial *trial, uint32_t number) {
    return trial->records[number].fate == FATE_ACKNOWLEDGED && trial->records[number].stream == 0;
}

static void take_text(struct reading *reading, const burst_read_t *record) {
    static char wanted[LONGEST_RECORD + 1];
    struct trial *trial = reading->trial;
    unsigned number = 0;
    size_t length = 0;
    char begin[40];
    snprintf(begin, sizeof begin, "%.*s", (int)(record->length < 39 ? record->length : 39), (const char *)record->data);
    if (sscanf(begin, "%u %zu ", &number, &length) != 2 || number == 0 || number > trial->record_count ||
        length != record->length || length > LONGEST_RECORD || trial->records[number].stream != 0 ||
        memcmp(record->data, wanted, make_record(wanted, number, length)) != 0) {
        trial_wrong(trial, "a reader %s got what nobody appended: %.30s", kind_names[reading->kind], begin);
        return;
    }
    const int64_t sequence = trial->records[number].sequence;
    if (record->sequence != 0 && record->kind == BURST_READ_RECORD && sequence != 0 && record->sequence != sequence) {
        trial_wrong(trial, "a reader %s got record %u as sequence %lld, not %lld", kind_names[reading->kind], number,
                    (long long)record->sequence, (long long)sequence);
    }
    if (number <= reading->last) {
        trial_wrong(trial, "a reader %s got record %u behind %u", kind_names[reading->kind], number, reading->last);
    }
    for (uint32_t i = reading->last + 1; reading->last != 0 && i < number; i++) {
        reading->untold += (uint64_t)is_acknowledged(trial, i);
    }
    reading->first = reading->first == 0 ? number : reading->first;
    reading->last = number;
}

static void take_one(struct reading *reading, const burst_read_t *record) {
    if (record->kind <= BURST_READ_LINE) {
        take_text(reading, record);
    } else if (record->kind == BURST_READ_LOST || record->kind == BURST_READ_MISSED) {
        reading->told += record->count;
        if (record->kind == BURST_READ_LOST) {
            trial_wrong(reading->trial, "a reader %s says that records are lost", kind_names[reading->kind]);
        }
    }
}

#define CALL(reading, type, call) ((reading)->is_free ? (call) : READER(type, call))

static void note_error(struct reading *reading, const char *call, int code) {
    struct trial *trial = reading->trial;
    reading->error = code;
    if (code == -ENOENT && reading->kind == OF_FILE && reading->may_lack_file) {
        return;
    }
    if (trial_is_told) {
        printf("a reader %s: %s: %d %s\n", kind_names[reading->kind], call, code, burst_last_error());
    }
    if (code >= 0 || code < -4095 || burst_last_error()[0] == '\0') {
        trial_wrong(trial, "%s of a reader %s gives %d and \"%s\"", call, kind_names[reading->kind], code,
                    burst_last_error());
    } else if (reading->is_free || shim_report()->fired == 0) {
        trial_wrong(trial, "%s of a reader %s gives %d without a fault: %s", call, kind_names[reading->kind], code,
                    burst_last_error());
    }
}

static void read_to_the_end(struct reading *reading) {
    burst_reader_config_t config;
    burst_reader_t *reader = NULL;
    burst_read_t record = {.struct_bytes = sizeof record};
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    burst_reader_config_init(&config);
    config.source = reading->kind == OF_FILE ? FILE_PATH : "ring";
    config.window = reading->kind == OF_MEDIUM ? "" : NULL;
    config.stream = reading->kind == OF_FILE ? NULL : FILE_PATH;
    int rc = CALL(reading, int, burst_reader_open(&config, &reader));
    if (rc < 0) {
        note_error(reading, "reader_open", rc);
        return;
    }
    for (int looks = 0; rc >= 0 && looks < LOOKS;) {
        rc = CALL(reading, int, burst_reader_next(reader, &record, 0));
        looks += rc == 0;
        if (rc == 1) {
            take_one(reading, &record);
        }
    }
    if (rc < 0) {
        note_error(reading, "reader_next", rc);
    }
    burst_reader_state(reader, &state);
    reading->sees_all = strncmp(state.how, "reads the memory", 16) == 0;
    CALL(reading, int, (burst_reader_close(reader), 0));
}

/* Records that nobody tells of between the first one that a reader can give and the last one that it must. */
static void judge(const struct reading *reading, uint32_t first, uint32_t last) {
    uint64_t untold = reading->untold;
    for (uint32_t i = first; i < (reading->first == 0 ? last + 1 : reading->first); i++) {
        untold += (uint64_t)is_acknowledged(reading->trial, i);
    }
    for (uint32_t i = reading->last + 1; reading->last != 0 && i <= last; i++) {
        untold += (uint64_t)is_acknowledged(reading->trial, i);
    }
    if (reading->error == 0 && untold > reading->told) {
        trial_wrong(reading->trial, "a reader %s gave records %u to %u of %u to %u, lacks %llu and told of %llu",
                    kind_names[reading->kind], reading->first, reading->last, first, last, (unsigned long long)untold,
                    (unsigned long long)reading->told);
    }
}

static uint32_t last_acknowledged(const struct trial *trial) {
    uint32_t last = trial->record_count;
    while (last > 0 && !is_acknowledged(trial, last)) {
        last--;
    }
    return last;
}

/* Reads without a fault, by each kind of reader. Another reader must give as much. */
static void read_freely(struct trial *trial, struct reading *readings, uint32_t last, int may_lack_file) {
    for (int kind = 0; kind < READER_KINDS; kind++) {
        readings[kind] = (struct reading){
            .trial = trial, .kind = (enum reader_kind)kind, .is_free = 1, .may_lack_file = may_lack_file};
        read_to_the_end(&readings[kind]);
    }
    const uint32_t first = readings[BY_WINDOW].first;
    judge(&readings[BY_WINDOW], first, readings[BY_WINDOW].sees_all ? last : readings[BY_WINDOW].last);
    judge(&readings[OF_MEDIUM], first, readings[OF_MEDIUM].last);
    judge(&readings[OF_FILE], readings[OF_FILE].first, readings[OF_FILE].last);
}

void session_read(struct session *session) {
    struct trial *trial = session->trial;
    struct reading readings[READER_KINDS];
    const uint32_t last = last_acknowledged(trial);
    int has_error = 0;
    shim_settle();
    read_freely(trial, readings, last, 0);
    for (int kind = 0; kind < READER_KINDS; kind++) {
        struct reading reading = {.trial = trial, .kind = (enum reader_kind)kind};
        shim_settle();
        const int descriptors = shim_descriptors();
        const int64_t mapped = shim_mapped_bytes();
        read_to_the_end(&reading);
        shim_settle();
        if (shim_descriptors() != descriptors || shim_mapped_bytes() != mapped) {
            trial_wrong(trial, "a reader %s leaves %d descriptors and %lld bytes of memory behind", kind_names[kind],
                        shim_descriptors() - descriptors, (long long)(shim_mapped_bytes() - mapped));
        }
        const int is_late = kind == BY_WINDOW && !reading.sees_all; /* it had to read the medium */
        judge(&reading, readings[kind].first, readings[is_late ? OF_MEDIUM : kind].last);
        has_error |= reading.error != 0;
    }
    if (has_error) {
        read_freely(trial, readings, last, 0);
    }
}

void verify_reads(struct trial *trial, int is_proven) {
    struct reading readings[READER_KINDS];
    read_freely(trial, readings, 0, !is_proven);
    const uint32_t first = readings[OF_MEDIUM].first, last = last_acknowledged(trial);
    for (int kind = 0; is_proven && kind < READER_KINDS; kind++) {
        judge(&readings[kind], kind == OF_FILE ? readings[OF_FILE].first : first, last);
    }
    if (is_proven && first != 0 && trial->first_in_files != first) {
        trial_wrong(trial, "a reader of the medium begins with record %u, the files with %u", first,
                    trial->first_in_files);
    }
}
