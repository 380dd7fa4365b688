/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/threads/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/simulator/log.h"

#define NAME_BYTES 16u /* "A.0001.00500....": writer, number, length */

static void make_payload(unsigned writer, unsigned number, uint32_t length, char *payload) {
    char name[NAME_BYTES + 1];
    snprintf(name, sizeof name, "%c.%04u.%05u....", (char)('A' + writer), number % 10000u, length % 100000u);
    memcpy(payload, name, NAME_BYTES);
    memset(payload + NAME_BYTES, 'a' + (int)((writer * 11 + number * 7) % 26), length - NAME_BYTES - 1);
    payload[length - 1] = '\n';
}

void ledger_reset(struct ledger *ledger) {
    memset(ledger, 0, sizeof *ledger);
    ledger->at_most = UINT64_MAX;
}

unsigned ledger_offer(struct ledger *ledger, unsigned writer, uint32_t length, char *payload) {
    struct writer *mine = &ledger->writers[writer];
    if (mine->count == ENTRIES_MAX || length < NAMED_BYTES_MIN || length > UINT16_MAX) {
        fprintf(stderr, "writer %u wants record %u of %u bytes\n", writer, mine->count + 1, length);
        abort();
    }
    const unsigned number = mine->count++;
    ledger->at_most += ledger->at_most != UINT64_MAX;
    mine->entries[number] = (struct entry){.length = (uint16_t)length, .fate = FATE_OFFERED};
    make_payload(writer, number, length, payload);
    return number;
}

void ledger_settle(struct ledger *ledger, unsigned writer, unsigned number, enum fate fate) {
    ledger->writers[writer].entries[number].fate = (uint8_t)fate;
}

static int is_taken(const struct ledger *ledger, int64_t sequence) {
    for (unsigned writer = 0; writer < WRITERS_MAX; writer++) {
        for (unsigned i = 0; i < ledger->writers[writer].count; i++) {
            if (ledger->writers[writer].entries[i].sequence == sequence) {
                return 1;
            }
        }
    }
    return 0;
}

void ledger_accept(struct world *world, struct ledger *ledger, unsigned writer, unsigned number, int64_t sequence,
                   enum fate fate) {
    struct writer *mine = &ledger->writers[writer];
    if (sequence <= (int64_t)mine->last_sequence) {
        violation(world, "I3: writer %c got sequence %lld after %u", 'A' + (int)writer, (long long)sequence,
                  mine->last_sequence);
    }
    if (is_taken(ledger, sequence)) {
        violation(world, "I1: sequence %lld was given out twice, again to writer %c", (long long)sequence,
                  'A' + (int)writer);
    }
    mine->last_sequence = mine->entries[number].sequence = (uint32_t)sequence;
    mine->entries[number].fate = (uint8_t)fate;
}

/* A writer's sequences rise: if a record is durable, all that the writer was accepted before it are durable, too. */
void ledger_durable_up_to(struct ledger *ledger, unsigned writer, int64_t sequence) {
    struct writer *mine = &ledger->writers[writer];
    unsigned end = 0;
    for (unsigned i = 0; i < mine->count; i++) {
        end = mine->entries[i].sequence != 0 && mine->entries[i].sequence <= sequence ? i + 1 : end;
    }
    for (unsigned i = 0; i < end; i++) {
        mine->entries[i].fate = mine->entries[i].fate == FATE_ACCEPTED ? FATE_DURABLE : mine->entries[i].fate;
    }
}

void ledger_all_accepted_are_durable(struct ledger *ledger) {
    for (unsigned writer = 0; writer < WRITERS_MAX; writer++) {
        for (unsigned i = 0; i < ledger->writers[writer].count; i++) {
            struct entry *entry = &ledger->writers[writer].entries[i];
            entry->fate = entry->fate == FATE_ACCEPTED ? FATE_DURABLE : entry->fate;
        }
    }
}

void ledger_watermark(struct world *world, struct ledger *ledger, uint64_t next_sequence) {
    if (next_sequence - 1 < ledger->durable) {
        violation(world, "I3: the durable sequence went back from %llu to %llu", (unsigned long long)ledger->durable,
                  (unsigned long long)next_sequence - 1);
    }
    ledger->durable = next_sequence - 1;
}

void ledger_ends_with(struct ledger *ledger, uint64_t last) {
    ledger->at_least = ledger->at_most = last;
    for (unsigned writer = 0; writer < WRITERS_MAX; writer++) {
        for (unsigned i = 0; i < ledger->writers[writer].count; i++) {
            struct entry *entry = &ledger->writers[writer].entries[i];
            if (entry->sequence > last) { /* another record gets its sequence */
                *entry = (struct entry){.length = entry->length, .fate = FATE_REFUSED};
            } else if (entry->sequence != 0) {
                entry->fate = FATE_DURABLE;
            }
        }
    }
}

uint64_t ledger_least(const struct ledger *ledger) {
    uint64_t least = ledger->durable > ledger->at_least ? ledger->durable : ledger->at_least;
    for (unsigned writer = 0; writer < WRITERS_MAX; writer++) {
        const struct writer *one = &ledger->writers[writer];
        for (unsigned i = 0; i < one->count; i++) {
            if (one->entries[i].fate == FATE_DURABLE && one->entries[i].sequence > least) {
                least = one->entries[i].sequence;
            }
        }
    }
    return least;
}

uint64_t ledger_most(const struct ledger *ledger) {
    uint64_t most = 0;
    for (unsigned writer = 0; writer < WRITERS_MAX; writer++) {
        for (unsigned i = 0; i < ledger->writers[writer].count; i++) {
            most += ledger->writers[writer].entries[i].fate != FATE_REFUSED;
        }
    }
    return most < ledger->at_most ? most : ledger->at_most;
}

/* ------------------------------------------------------------------------------------------ reading it back */

struct reading {
    struct world *world;
    const struct ledger *ledger;
    unsigned next[WRITERS_MAX]; /* each writer's next record, unless refused ones come before it */
    uint64_t records;
};

static void note(struct reading *reading, const char *file, unsigned writer, unsigned number) {
    const struct writer *one = &reading->ledger->writers[writer];
    const struct entry *entry = &one->entries[number];
    reading->records++;
    if (entry->fate == FATE_REFUSED) {
        violation(reading->world, "I7: record %c.%u was refused and is in %s", 'A' + (int)writer, number, file);
    }
    if (number < reading->next[writer]) {
        violation(reading->world, "I1: record %c.%u is there twice or too late, again in %s", 'A' + (int)writer, number,
                  file);
    }
    for (unsigned i = reading->next[writer]; i < number; i++) {
        if (one->entries[i].fate != FATE_REFUSED) {
            violation(reading->world, "I1: record %c.%u is missing before %c.%u in %s", 'A' + (int)writer, i,
                      'A' + (int)writer, number, file);
        }
    }
    if (entry->sequence != 0 && entry->sequence != reading->records) {
        violation(reading->world, "I3: record %c.%u has sequence %u and is number %llu in the files", 'A' + (int)writer,
                  number, entry->sequence, (unsigned long long)reading->records);
    }
    reading->next[writer] = number + 1;
}

/* Returns the length of the record that stands here; 0: no writer ever offered it. */
static size_t read_record(struct reading *reading, const char *file, const char *text, size_t left) {
    static char expected[UINT16_MAX + 1];
    if (left < NAMED_BYTES_MIN) {
        return 0;
    }
    const unsigned writer = (unsigned)(text[0] - 'A');
    const unsigned long number = strtoul(text + 2, NULL, 10);
    if (writer >= WRITERS_MAX || number >= reading->ledger->writers[writer].count) {
        return 0;
    }
    const size_t length = reading->ledger->writers[writer].entries[number].length;
    if (length > left) {
        return 0;
    }
    make_payload(writer, (unsigned)number, (uint32_t)length, expected);
    if (memcmp(text, expected, length) != 0) {
        return 0;
    }
    note(reading, file, writer, (unsigned)number);
    return length;
}

static void read_file(struct reading *reading, const struct sim_name *name) {
    const struct sim_inode *inode = &reading->world->files.inodes[name->inode];
    const char *text = (const char *)inode->cache;
    for (size_t at = 0; at < inode->size;) {
        const size_t bytes = read_record(reading, name->name, text + at, inode->size - at);
        if (bytes == 0) {
            violation(reading->world, "I2: %s has %zu bytes at offset %zu that were never logged: \"%.40s\"",
                      name->name, inode->size - at, at, text + at);
        }
        at += bytes;
    }
}

/* The next file that has bytes, in the order in which the log began them. A log that was diverted may go back to its
 * first name. */
static const struct sim_name *file_after(const struct world *world, const struct sim_name *before) {
    const struct sim_files *files = &world->files;
    const struct sim_name *next = NULL;
    for (unsigned i = 0; i < FILES_MAX; i++) {
        const struct sim_name *name = &files->names[i];
        const struct sim_inode *inode = &files->inodes[name->inode];
        if (name->name[0] != '\0' && inode->size > 0 &&
            (before == NULL || inode->begun > files->inodes[before->inode].begun) &&
            (next == NULL || inode->begun < files->inodes[next->inode].begun)) {
            next = name;
        }
    }
    return next;
}

void ledger_check_files(struct world *world, const struct ledger *ledger, uint64_t records) {
    struct reading reading = {.world = world, .ledger = ledger};
    for (const struct sim_name *name = file_after(world, NULL); name != NULL; name = file_after(world, name)) {
        read_file(&reading, name);
    }
    for (unsigned writer = 0; writer < WRITERS_MAX; writer++) {
        for (unsigned i = reading.next[writer]; i < ledger->writers[writer].count; i++) {
            if (ledger->writers[writer].entries[i].fate == FATE_DURABLE) {
                violation(world, "I1: record %c.%u was called durable and is missing", 'A' + (int)writer, i);
            }
        }
    }
    if (reading.records != records) {
        violation(world, "I1: the log holds %llu records and its files %llu", (unsigned long long)records,
                  (unsigned long long)reading.records);
    }
}
