/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the log files back. */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "harness/simulator/log.h"

#define LOSS_LINE "[burstlog: records "

enum found { FOUND_NOT, FOUND_RECORD, FOUND_LOSS, FOUND_IN_EDITED };

/* The records that one file holds: the first and the last sequence. */
struct span {
    const char *name;
    uint64_t first, last;
};

struct reading {
    struct world *world;
    const char *name;
    const char *text;
    size_t size;
    size_t at;
    int edited;
    uint64_t last;     /* sequence of the line before */
    uint64_t first;    /* the first record that is no header; 0: none yet */
    uint64_t ended_by; /* the roll whose footer was read; 0: none */
    uint8_t found[MODEL_RECORDS_MAX];
    uint8_t found_header[MODEL_RECORDS_MAX];
    struct span spans[FILES_MAX];
    unsigned span_count;
};

/* The sequence of the record that stands here; 0: no record that was ever offered. */
static uint64_t record_here(const struct reading *reading) {
    static char payload[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES];
    const size_t left = reading->size - reading->at;
    const char *text = reading->text + reading->at;
    if (left < PAYLOAD_MIN_BYTES || text[6] != '.') {
        return 0;
    }
    const uint64_t sequence = strtoull(text, NULL, 10);
    const struct model *model = &reading->world->model;
    if (sequence == 0 || sequence > model->offered || model->records[sequence].length > left ||
        model->records[sequence].length == 0 || model->records[sequence].roll != NULL) {
        return 0;
    }
    payload_make(model, sequence, payload);
    return memcmp(payload, text, model->records[sequence].length) == 0 ? sequence : 0;
}

/* The sequence of the roll whose footer or header stands here; *bytes is its length. 0: none. */
static uint64_t roll_here(const struct reading *reading, int is_header, uint32_t *bytes) {
    char text[WORLD_BLOCK_BYTES];
    const size_t left = reading->size - reading->at;
    const char *here = reading->text + reading->at;
    const struct model *model = &reading->world->model;
    const uint64_t sequence =
        left > PAYLOAD_MIN_BYTES && *here == (is_header ? '>' : '<') ? strtoull(here + 1, NULL, 10) : 0;
    if (sequence == 0 || sequence > model->offered || model->records[sequence].roll == NULL) {
        return 0;
    }
    *bytes = roll_text(model, sequence, is_header, text);
    return *bytes > 0 && *bytes <= left && memcmp(here, text, *bytes) == 0 ? sequence : 0;
}

/* The length of a record that stands here, and that a lying medium has forgotten since; 0: none stands here. */
static size_t forgotten_record_here(const struct reading *reading) {
    const char *text = reading->text + reading->at;
    const size_t left = reading->size - reading->at;
    const char *end = memchr(text, '\n', left);
    if (!reading->world->model.medium_lied || end == NULL || end - text < (ptrdiff_t)PAYLOAD_MIN_BYTES - 1 ||
        text[6] != '.' || text[11] != ':') {
        return 0;
    }
    const uint64_t sequence = strtoull(text, NULL, 10), incarnation = strtoull(text + 7, NULL, 10);
    for (const char *fill = text + PAYLOAD_MIN_BYTES; fill < end; fill++) {
        if (*fill != payload_fill(sequence, incarnation)) {
            return 0;
        }
    }
    return (size_t)(end - text) + 1;
}

/* I9: nothing stands behind the footer of a roll, and no file holds records from both sides of a roll. */
static void check_rolled(const struct reading *reading, uint64_t sequence) {
    const struct model *model = &reading->world->model;
    if (!model->has_rolls || model->rolls_may_fail || model->medium_lied || reading->edited) {
        return;
    }
    if (reading->ended_by != 0) {
        violation(reading->world, "I9: %llu stands behind the footer of roll %llu in %s", (unsigned long long)sequence,
                  (unsigned long long)reading->ended_by, reading->name);
    }
    for (uint64_t roll = reading->last + 1; reading->last > 0 && roll < sequence; roll++) {
        const struct model_record *between = &model->records[roll];
        if (between->roll != NULL && between->home == model->records[sequence].home && !between->damaged) {
            violation(reading->world, "I9: %llu and %llu are both in %s, but %llu was a roll",
                      (unsigned long long)reading->last, (unsigned long long)sequence, reading->name,
                      (unsigned long long)roll);
        }
    }
}

static void note_header(struct reading *reading, uint64_t sequence) {
    if (reading->world->model.medium_lied || reading->edited) {
        return;
    }
    if (reading->at > 0) {
        violation(reading->world, "I9: the header of roll %llu is at offset %zu of %s", (unsigned long long)sequence,
                  reading->at, reading->name);
    }
    if (reading->found_header[sequence]++) {
        violation(reading->world, "I9: the header of roll %llu is there twice, again in %s",
                  (unsigned long long)sequence, reading->name);
    }
    reading->last = sequence;
}

static void note(struct reading *reading, uint64_t sequence, enum found found) {
    if (found == FOUND_RECORD) {
        check_rolled(reading, sequence);
    }
    reading->first = reading->first == 0 ? sequence : reading->first;
    uint8_t *before = &reading->found[sequence];
    const int is_told_again = reading->world->has_streams && found == FOUND_LOSS && *before == FOUND_LOSS;
    if (*before != FOUND_NOT && *before != FOUND_IN_EDITED && !is_told_again && !reading->edited &&
        !reading->world->model.medium_lied) {
        violation(reading->world, "I1: record %llu is there twice, again in %s", (unsigned long long)sequence,
                  reading->name);
    }
    if (sequence <= reading->last && !reading->world->model.medium_lied) { /* else drained anew */
        violation(reading->world, "I3: record %llu stands behind %llu in %s", (unsigned long long)sequence,
                  (unsigned long long)reading->last, reading->name);
    }
    reading->last = sequence;
    *before = (uint8_t)(*before != FOUND_NOT && reading->edited    ? *before
                        : reading->edited && found == FOUND_RECORD ? FOUND_IN_EDITED
                                                                   : found);
}

/* A record stands in the log file of its stream, or in a file that this one became: NAME.1. */
static void check_home(const struct reading *reading, uint64_t sequence) {
    const char *home = reading->world->model.records[sequence].home;
    const size_t bytes = home == NULL ? 0 : strlen(home);
    if (home != NULL && (strncmp(reading->name, home, bytes) != 0 || strchr(".", reading->name[bytes]) == NULL)) {
        violation(reading->world, "I1: record %llu of %s is in %s", (unsigned long long)sequence, home, reading->name);
    }
}

static void read_loss(struct reading *reading) {
    char *rest;
    const uint64_t first = strtoull(reading->text + reading->at + strlen(LOSS_LINE), &rest, 10);
    const uint64_t last = strtoull(rest + 2, NULL, 10);
    for (uint64_t sequence = first; sequence <= last; sequence++) {
        if (sequence > reading->world->model.offered ||
            (!reading->world->model.records[sequence].damaged && !reading->world->model.medium_lied)) {
            violation(reading->world, "I8: record %llu is called lost in %s, but nothing happened to it",
                      (unsigned long long)sequence, reading->name);
        }
        note(reading, sequence, FOUND_LOSS);
    }
}

/* Reads one line and moves behind it; 0: nothing readable stands there. */
static int read_line(struct reading *reading) {
    const char *text = reading->text + reading->at;
    if (reading->edited && *text == '\0') { /* a crash may take what others wrote and did not sync */
        reading->at++;
        return 1;
    }
    uint32_t bytes = 0;
    const uint64_t header = roll_here(reading, 1, &bytes);
    if (header != 0) {
        check_home(reading, header);
        note_header(reading, header);
        reading->at += bytes;
        return 1;
    }
    const uint64_t footer = roll_here(reading, 0, &bytes);
    const uint64_t sequence = footer != 0 ? footer : record_here(reading);
    if (sequence != 0) {
        check_home(reading, sequence);
        note(reading, sequence, FOUND_RECORD);
        reading->ended_by = footer;
        reading->at += reading->world->model.records[sequence].length;
        return 1;
    }
    const size_t forgotten = forgotten_record_here(reading);
    if (forgotten > 0) {
        reading->at += forgotten;
        return 1;
    }
    const char *end = memchr(text, '\n', reading->size - reading->at);
    const int is_loss = strncmp(text, LOSS_LINE, strlen(LOSS_LINE)) == 0;
    if (end == NULL || (!is_loss && text[0] != '#')) {            /* others write lines that begin with # */
        reading->at += (size_t)reading->world->model.medium_lied; /* lost pages, and the rest of forgotten records */
        return reading->world->model.medium_lied;
    }
    if (is_loss) {
        read_loss(reading);
    }
    reading->at += (size_t)(end - text) + 1;
    return 1;
}

static void read_file(struct reading *reading, const struct sim_name *name) {
    const struct sim_inode *inode = &reading->world->files.inodes[name->inode];
    if (inode->is_theirs || is_in_segments(name->name) || sim_is_index(name->name)) {
        return;
    }
    reading->name = name->name;
    reading->text = (const char *)inode->cache;
    reading->size = inode->size;
    reading->edited = inode->edited;
    reading->at = 0;
    reading->last = reading->first = reading->ended_by = 0;
    while (reading->at < reading->size && read_line(reading)) {
    }
    if (reading->first != 0 && !reading->edited) {
        reading->spans[reading->span_count++] = (struct span){name->name, reading->first, reading->last};
    }
    if (!sim_foreign_is_whole(inode)) {
        violation(reading->world, "what others wrote into %s at offset %zu is overwritten", name->name,
                  inode->foreign_at);
    }
    if (reading->at < reading->size && !inode->edited) {
        violation(reading->world, "I2: %s has %zu bytes at offset %zu that were never logged: \"%.40s\"", name->name,
                  reading->size - reading->at, reading->at, reading->text + reading->at);
    }
}

/* A renamed file of which a crash kept only the size. If the file system offers the inode number alone, nothing says
 * whose file it is. */
static int is_nobodys(const struct world *world, const struct sim_inode *inode) {
    size_t zeros = 0;
    while (zeros < inode->size && inode->cache[zeros] == 0) {
        zeros++;
    }
    return world->files.marks >= MARKS_NUMBERS_ONLY && zeros == inode->size;
}

/* Counts lines by their length, for a log whose records of one length all read alike. */
static void count_repeated(struct world *world) {
    static uint32_t least[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES], most[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES];
    const struct model *model = &world->model;
    memset(least, 0, sizeof least);
    memset(most, 0, sizeof most);
    for (uint64_t sequence = 1; sequence <= model->acknowledged; sequence++) {
        const struct model_record *record = &model->records[sequence];
        least[record->length] += record->length > 0 && !record->destroyed;
        most[record->length] += record->length > 0;
    }
    for (unsigned i = 0; i < FILES_MAX; i++) {
        const struct sim_name *name = &world->files.names[i];
        const struct sim_inode *inode = &world->files.inodes[name->inode];
        if (name->name[0] == '\0' || inode->is_theirs || is_nobodys(world, inode)) {
            continue;
        }
        for (size_t at = 0, length = 0; at < inode->size; at += length) {
            const uint8_t *line = inode->cache + at;
            const uint8_t *end = memchr(line, '\n', inode->size - at);
            length = end == NULL ? 0 : (size_t)(end - line) + 1;
            if (length < 2 || line[0] != REPEATED_FILL || memcmp(line, line + 1, length - 2) != 0) {
                violation(world, "I2: %s has bytes at offset %zu that were never logged", name->name, at);
            }
            least[length] -= least[length] > 0;
            if (most[length]-- == 0) {
                violation(world, "I1: a record of %zu bytes is there once more than it was logged, in %s", length,
                          name->name);
            }
        }
    }
    for (size_t length = 1; length < sizeof least / sizeof least[0]; length++) {
        if (least[length] > 0) {
            violation(world, "I1: %u records of %zu bytes are missing", least[length], length);
        }
    }
}

static void check_theirs(const struct world *world) {
    for (unsigned i = 0; i < FILES_MAX; i++) {
        const struct sim_name *name = &world->files.names[i];
        const struct sim_inode *inode = &world->files.inodes[name->inode];
        if (name->name[0] != '\0' && inode->is_theirs && crc32c(0, inode->cache, inode->size) != inode->their_crc) {
            violation(world, "%s of others is not as it was", name->name);
        }
    }
}

/* I9: the files of a stream follow each other in order, and each acknowledged roll has begun one. */
static void check_rolls(const struct reading *reading) {
    const struct world *world = reading->world;
    const struct model *model = &world->model;
    for (unsigned i = 0; i < reading->span_count; i++) {
        for (unsigned other = 0; other < reading->span_count; other++) {
            const struct span *one = &reading->spans[i], *two = &reading->spans[other];
            if (i != other && model->records[one->first].home == model->records[two->first].home &&
                one->first <= two->first && one->last >= two->first) {
                violation(world, "I9: %s has %llu to %llu, and %s %llu to %llu", one->name,
                          (unsigned long long)one->first, (unsigned long long)one->last, two->name,
                          (unsigned long long)two->first, (unsigned long long)two->last);
            }
        }
    }
    for (uint64_t sequence = 1; sequence <= model->acknowledged; sequence++) {
        const struct model_record *record = &model->records[sequence];
        if (record->roll != NULL && record->roll->header_bytes > 0 && !record->damaged && !record->destroyed &&
            !model->rolls_may_fail && !reading->found_header[sequence]) {
            violation(world, "I9: no file begins with the header of roll %llu", (unsigned long long)sequence);
        }
    }
    for (uint64_t sequence = model->acknowledged + 1; sequence <= model->offered; sequence++) {
        if (reading->found_header[sequence]) {
            violation(world, "I8: roll %llu was performed and was never durable in the ring",
                      (unsigned long long)sequence);
        }
    }
}

void log_check_files(struct world *world) {
    static struct reading reading;
    check_theirs(world);
    sim_copy_check(world);
    log_check_segments(world);
    log_check_indexes(world);
    sim_check_plans(world);
    if (world->model.repeats) {
        count_repeated(world);
        return;
    }
    memset(&reading, 0, sizeof reading);
    reading.world = world;
    for (int edited = 1; edited >= 0; edited--) { /* edited files first: these may hold records twice */
        for (unsigned i = 0; i < FILES_MAX; i++) {
            const struct sim_name *name = &world->files.names[i];
            if (name->name[0] != '\0' && world->files.inodes[name->inode].edited == edited) {
                read_file(&reading, name);
            }
        }
    }
    const struct model *model = &world->model;
    if (model->has_rolls && !model->medium_lied) {
        check_rolls(&reading);
    }
    for (uint64_t sequence = 1; sequence <= model->acknowledged; sequence++) {
        const struct model_record *record = &model->records[sequence];
        if (reading.found[sequence] == FOUND_NOT && !record->destroyed && (record->length > 0 || record->damaged)) {
            violation(world,
                      record->damaged ? "I6: nothing says that record %llu of %llu is lost"
                                      : "I1: record %llu of %llu is missing",
                      (unsigned long long)sequence, (unsigned long long)model->acknowledged);
        }
        if (reading.found[sequence] == FOUND_RECORD && record->damaged && !model->medium_lied) {
            violation(world, "I2: record %llu is damaged and was delivered", (unsigned long long)sequence);
        }
    }
    for (uint64_t sequence = model->acknowledged + 1; sequence <= model->offered; sequence++) {
        if (reading.found[sequence] != FOUND_NOT && !model->medium_lied) {
            violation(world, "I8: record %llu is in the log file and was never durable in the ring",
                      (unsigned long long)sequence);
        }
    }
}

void log_records_destroyed(struct world *world, const char *name, size_t from_byte) {
    static struct reading reading;
    memset(&reading, 0, sizeof reading);
    const struct sim_inode *inode = &world->files.inodes[sim_files_find(&world->files, name)];
    reading = (struct reading){
        .world = world, .name = name, .text = (const char *)inode->cache, .size = inode->size, .edited = 1};
    while (reading.at < reading.size) {
        uint32_t bytes;
        const uint64_t footer = roll_here(&reading, 0, &bytes);
        const uint64_t sequence = footer != 0 ? footer : record_here(&reading);
        if (!read_line(&reading)) {
            return;
        }
        if (sequence != 0 && reading.at > from_byte) {
            world->model.records[sequence].destroyed = 1;
        }
    }
}
