/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the index of a log file. A reader of them ends, gives records in order of their places, never one beyond
 * what it says is the end, and finds the same again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "harness/fuzz/violation.h"
#include "media/index.h"
#include "media/layout.h"
#include "read/index_folder.h"

#define DATA_BYTES 1024u
#define ITEMS_MOST 4096

struct input {
    struct index_header header;
    struct index_text text;
    struct index_entry entries[INDEX_ENTRIES];
    uint8_t data[DATA_BYTES];
};

static const uint8_t begin_of_text[16] = "the log begins\n";
static char folder[64];

static void put(const struct input *input, size_t bytes) {
    static uint8_t file_bytes[INDEX_DATA_OFFSET + DATA_BYTES];
    char path[160];
    memset(file_bytes, 0, sizeof file_bytes);
    memcpy(file_bytes, &input->header, sizeof input->header);
    memcpy(file_bytes + INDEX_TEXT_OFFSET, &input->text, sizeof input->text);
    memcpy(file_bytes + INDEX_TABLE_OFFSET, input->entries, sizeof input->entries);
    memcpy(file_bytes + INDEX_DATA_OFFSET, input->data, sizeof input->data);
    snprintf(path, sizeof path, "%s/" INDEX_FOLDER "/1.1", folder);
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    MUST(file >= 0 && write(file, file_bytes, bytes) == (ssize_t)bytes && close(file) == 0);
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    MUST(system(command) == 0);
}

static void make_folder(void) {
    char path[160];
    strcpy(folder, "/dev/shm/burst-fuzz-XXXXXX");
    MUST(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/" INDEX_FOLDER, folder);
    MUST(mkdir(path, 0700) == 0);
    atexit(remove_folder);
}

static void read_all(struct index_file *index) {
    struct index_item item, again;
    int count = 0;
    int rc = index_find(index, INDEX_SEQUENCE, 0);
    for (; rc == 1 && (rc = index_next(index, &item)) == 1;) {
        MUST(++count < ITEMS_MOST);
        MUST(item.offset <= INT64_MAX && item.bytes <= INT64_MAX - item.offset);
        MUST(item.sequence >= 1 && item.sequence <= LAYOUT_NUMBER_MAX && item.kind <= INDEX_DURABLE);
        if (count == 1) {
            again = item;
        }
    }
    if (count > 0) {
        int64_t durable_ns;
        MUST(index_find(index, INDEX_SEQUENCE, 0) == 1 && index_next(index, &item) == 1);
        MUST(item.sequence == again.sequence && item.offset == again.offset);
        index_durable(index, item.sequence, &durable_ns);
    }
    for (int goal = INDEX_SEQUENCE; goal <= INDEX_OFFSET; goal++) {
        for (uint64_t value = 1; value != 0; value <<= 3) {
            if (index_find(index, (enum index_goal)goal, (int64_t)value) == 1) {
                MUST(index_next(index, &item) == 1 && item.kind <= INDEX_LOSS);
                const int64_t lost = item.kind == INDEX_LOSS ? (int64_t)item.count - 1 : 0;
                MUST(goal != INDEX_SEQUENCE || (int64_t)item.sequence + lost >= (int64_t)value);
                MUST(goal != INDEX_TIME || item.kind == INDEX_LOSS || item.time_ns >= (int64_t)value);
                MUST(goal != INDEX_OFFSET || (int64_t)(item.offset + item.bytes) > (int64_t)value);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct input input;
    struct index_file *index;
    if (folder[0] == '\0') {
        make_folder();
    }
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    put(&input, size % 7 == 0 ? INDEX_DATA_OFFSET + size % DATA_BYTES : INDEX_DATA_OFFSET + DATA_BYTES);
    const struct index_wanted wanted = {
        .folder = folder, .begin = begin_of_text, .begin_bytes = sizeof begin_of_text, .bytes = UINT64_MAX};
    if (index_open(&wanted, input.header.offset, &index) == 1) {
        uint64_t end;
        MUST(index_end(index, &end) >= 0 && end >= index_begin(index));
        read_all(index);
    }
    index_close(index);
    return 0;
}

/* Usually mends what the rest hangs on: CRCs, the table's order, and the chain of chunks. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    static struct input input;
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 == 0 || room < sizeof input) {
        return size;
    }
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    input.header.sequence = input.header.sequence % 1000 + 1;
    input.header.offset %= 1u << 20;
    index_seal_header(&input.header);
    input.text.bytes = sizeof begin_of_text;
    input.text.text_crc = crc32c(0, begin_of_text, sizeof begin_of_text);
    index_seal_text(&input.text, &input.header);
    uint64_t at = 0;
    for (uint32_t number = 0; number < INDEX_ENTRIES && number <= seed % 3; number++) {
        struct index_entry *entry = &input.entries[number];
        entry->number = number;
        entry->data = at;
        entry->sequence = input.header.sequence + number;
        entry->offset = input.header.offset + (uint64_t)number * 100;
        entry->latest_ns = number == 0 ? INT64_MIN : (int64_t)number;
        index_seal_entry(entry, &input.header);
        uint32_t chain = entry->crc;
        for (unsigned chunks = 0; chunks < 2 && at + sizeof(struct index_chunk) + 64 <= DATA_BYTES; chunks++) {
            struct index_chunk chunk;
            _Alignas(8) uint8_t bytes[sizeof chunk + 64];
            memcpy(bytes, input.data + at, sizeof bytes);
            memcpy(&chunk, bytes, sizeof chunk);
            chunk.bytes = chunk.bytes % 64 + 1;
            chunk.sequence = chunk.sequence % 1000 + 1;
            chunk.offset %= 1u << 20;
            memcpy(bytes, &chunk, sizeof chunk);
            index_seal_chunk((struct index_chunk *)bytes, chain);
            memcpy(&chain, bytes + offsetof(struct index_chunk, crc), sizeof chain);
            memcpy(input.data + at, bytes, sizeof bytes);
            at += sizeof chunk + chunk.bytes;
        }
    }
    memcpy(data, &input, sizeof input);
    return sizeof input;
}
