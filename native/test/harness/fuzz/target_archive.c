/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log file or archive, plain, gzip or Zstandard, with an index or without one. It is made whole from a few numbers, then
 * bytes of it are changed. A reader ends, gives each byte once and in order, and no sequence twice. If the file was left
 * whole, the bytes are those of the text, whatever its index says, and wherever the reader began.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "harness/fuzz/violation.h"
#include "media/index.h"
#include "media/layout.h"
#include "read/lines.h"
#include "read/needle.h"

#define PIECES 12u
#define POKES 6u
#define ITEMS 24u
#define TEXT_MOST (1024u * 1024u)
#define FILE_MOST (TEXT_MOST + 8192u)
#define RECORDS_MOST 4000

enum form { PLAIN, GZIP, ZSTD, ZSTD_WITH_TABLE, AS_GIVEN, FORMS };

/* A run of one byte, or bytes of `raw`: a frame or member of its own. */
struct piece {
    uint8_t run, shift;
    uint16_t bytes;
};

struct poke {
    uint8_t of_index, value;
    uint16_t at;
};

struct item {
    uint8_t kind, shift;
    uint16_t bytes, sequence;
    int16_t time;
};

struct input {
    uint8_t form, pokes, cut, index, copies, seeks[3];
    uint16_t from;
    uint32_t chunk_offset;
    int64_t values[3];
    struct piece pieces[PIECES];
    struct poke poke[POKES];
    struct item items[ITEMS];
    uint8_t raw[512];
};

_Static_assert(sizeof(struct input) == 816, "scripts/prove/fuzz has the length");

static char folder[64], path[128], index_path[160];
static uint8_t text[TEXT_MOST], packed[FILE_MOST];
static size_t text_bytes, packed_bytes;
static int is_whole; /* the file unpacks to `text` */

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    MUST(system(command) == 0);
}

static void make_folder(void) {
    strcpy(folder, "/dev/shm/burst-fuzz-XXXXXX");
    MUST(mkdtemp(folder) != NULL);
    snprintf(index_path, sizeof index_path, "%s/" INDEX_FOLDER, folder);
    MUST(mkdir(index_path, 0700) == 0);
    snprintf(index_path, sizeof index_path, "%s/" INDEX_FOLDER "/1.1", folder);
    snprintf(path, sizeof path, "%s/a.log", folder);
    atexit(remove_folder);
}

/* ------------------------------------------------------------------------------------------------------------ pack */

static void put(const void *bytes, size_t count) {
    MUST(packed_bytes + count <= sizeof packed);
    memcpy(packed + packed_bytes, bytes, count);
    packed_bytes += count;
}

static void put_number(uint64_t value, size_t count) {
    put(&value, count);
}

static uint32_t gzip_crc(const uint8_t *bytes, size_t count) {
    static uint32_t table[256];
    uint32_t crc = UINT32_MAX;
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) {
            table[i] = table[i] >> 1 ^ (0xedb88320u & -(table[i] & 1));
        }
    }
    for (size_t i = 0; i < count; i++) {
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    }
    return ~crc;
}

/* A member of one stored block. */
static void put_member(const uint8_t *bytes, size_t count) {
    put("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01", 11);
    put_number(count, 2);
    put_number(~count, 2);
    put(bytes, count);
    put_number(gzip_crc(bytes, count), 4);
    put_number(count, 4);
}

/* A frame of one block, stored or a run, without a checksum. */
static void put_frame(const uint8_t *bytes, size_t count, int is_run) {
    put("\x28\xb5\x2f\xfd\x00\x38", 6); /* a window of 128 KiB */
    put_number(1u | (is_run ? 2u : 0u) | (uint64_t)count << 3, 3);
    put(bytes, is_run ? 1 : count);
}

/* Makes text and file; `table` gets the lengths of the frames. */
static unsigned put_pieces(const struct input *input, enum form form, uint32_t *table) {
    unsigned frames = 0;
    for (unsigned i = 0; i < PIECES; i++) {
        const struct piece *piece = &input->pieces[i];
        const int is_run = piece->run % 2;
        const int is_newlines = piece->run % 8 == 1; /* of which many take long */
        const size_t bytes = is_newlines ? piece->bytes % 2048
                             : is_run    ? piece->bytes >> piece->shift % 16
                                         : piece->bytes % 128;
        const size_t from = packed_bytes;
        uint8_t *out = text + text_bytes;
        if (is_run) {
            memset(out, is_newlines ? '\n' : piece->run, bytes);
        } else {
            memcpy(out, input->raw + i * 32, bytes);
        }
        text_bytes += bytes;
        if (form == PLAIN) {
            put(out, bytes);
        } else if (form == GZIP) {
            put_member(out, bytes);
        } else if (bytes > 0 || !is_run) {
            put_frame(out, bytes, is_run);
            table[2 * frames] = (uint32_t)(packed_bytes - from);
            table[2 * frames++ + 1] = (uint32_t)bytes;
        }
    }
    return frames;
}

static void make_file(const struct input *input) {
    const enum form form = (enum form)(input->form % FORMS);
    uint32_t table[2 * PIECES];
    text_bytes = packed_bytes = 0;
    is_whole = form != AS_GIVEN;
    if (form == AS_GIVEN) {
        put(input->raw, sizeof input->raw);
    } else {
        const unsigned frames = put_pieces(input, form, table);
        if (form == ZSTD_WITH_TABLE && frames > 0) {
            put_number(0x184d2a5e, 4);
            put_number(frames * 8 + 9, 4);
            put(table, frames * 8);
            put_number(frames, 4);
            put_number(0, 1);
            put_number(0x8f92eab1, 4);
        }
    }
    for (unsigned i = 0; i < input->pokes % (POKES + 1) && packed_bytes > 0; i++) {
        const struct poke *poke = &input->poke[i];
        if (!poke->of_index) {
            /* Odd: from behind, where a table is. */
            const size_t at = poke->at / 2 % packed_bytes;
            packed[poke->at % 2 ? packed_bytes - 1 - at : at] ^= poke->value;
            is_whole &= poke->value == 0;
        }
    }
    if (input->cut > 0) {
        packed_bytes -= packed_bytes > input->cut ? input->cut : packed_bytes;
        is_whole = 0;
    }
    /* A plain text that begins as something packed does is taken for that. */
    is_whole &= form != PLAIN || text_bytes == 0 || strchr("\x1f\x28\x42\x50\xfd\x04", text[0]) == NULL;
    const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    MUST(fd >= 0 && write(fd, packed, packed_bytes) == (ssize_t)packed_bytes && close(fd) == 0);
}

/* ----------------------------------------------------------------------------------------------------------- index */

static void make_index(const struct input *input) {
    static struct {
        struct index_header header;
        struct index_text text;
    } first;
    static struct index_entry only;
    static _Alignas(8) uint8_t chunk_bytes[sizeof(struct index_chunk) + ITEMS * INDEX_ITEM_BYTES];
    struct index_header *header = &first.header;
    struct index_text *head = &first.text;
    struct index_entry *entry = &only;
    struct index_chunk *chunk = (struct index_chunk *)chunk_bytes;
    memset(chunk_bytes, 0, sizeof chunk_bytes);
    *header = (struct index_header){.magic = INDEX_MAGIC,
                                    .version = INDEX_VERSION,
                                    .header_bytes = sizeof *header,
                                    .sequence = 1,
                                    .entries = INDEX_ENTRIES};
    index_seal_header(header);
    head->bytes = (uint32_t)(text_bytes < INDEX_TEXT_BYTES ? text_bytes : INDEX_TEXT_BYTES);
    head->text_crc = crc32c(0, text, head->bytes);
    index_seal_text(head, header);
    *entry = (struct index_entry){.sequence = 1, .latest_ns = INT64_MIN};
    index_seal_entry(entry, header);
    *chunk =
        (struct index_chunk){.epoch = 1, .sequence = 1, .offset = input->chunk_offset % 4 ? 0 : input->chunk_offset};
    struct index_place place = index_chunk_place(chunk);
    uint64_t sequence = 1;
    for (unsigned i = 0; i < ITEMS; i++) {
        const struct item *from = &input->items[i];
        const unsigned shift = from->shift % 64;
        struct index_item item = {.kind = from->kind % 4,
                                  .sequence = sequence,
                                  .count = from->sequence,
                                  .bytes = (uint64_t)from->bytes << (shift % 3 ? 0 : shift),
                                  .time_ns = from->time};
        sequence += shift % 7 ? 1 : from->sequence;
        item.bytes = item.kind == INDEX_DURABLE ? 0 : item.bytes;
        chunk->bytes += (uint32_t)index_put(&place, &item, (uint8_t *)(chunk + 1) + chunk->bytes);
    }
    for (unsigned i = 0; i < input->pokes % (POKES + 1); i++) {
        const struct poke *poke = &input->poke[i];
        if (poke->of_index) {
            ((uint8_t *)(chunk + 1))[poke->at % chunk->bytes] ^= poke->value;
        }
    }
    index_seal_chunk(chunk, entry->crc);
    const int fd = open(index_path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    MUST(fd >= 0 && pwrite(fd, &first, sizeof first, 0) == sizeof first);
    MUST(pwrite(fd, entry, sizeof *entry, INDEX_TABLE_OFFSET) == sizeof *entry);
    MUST(pwrite(fd, chunk, sizeof chunk_bytes, INDEX_DATA_OFFSET) == sizeof chunk_bytes && close(fd) == 0);
}

/* ------------------------------------------------------------------------------------------------------------ read */

struct seen {
    uint64_t end;     /* of the last piece, in its file */
    int64_t sequence; /* behind the last record */
    unsigned files;   /* that were begun */
    uint64_t total;
    int is_to_the_end; /* nothing more came, and nothing failed */
    int passes;        /* what was not asked for is passed over */
};

static void see(struct seen *seen, const burst_read_t *record, uint64_t least) {
    static volatile uint8_t last;
    if (record->position < seen->end || seen->files == 0) {
        seen->files++;
        seen->sequence = 0;
        MUST(seen->passes || record->position == least);
    } else {
        MUST(seen->passes || record->position == seen->end);
    }
    MUST(record->length > 0 || record->kind != BURST_READ_LINE);
    if (record->kind != BURST_READ_LINE) {
        MUST((record->sequence >= seen->sequence || seen->passes) && record->sequence > 0);
        seen->sequence = record->sequence + (int64_t)record->count;
        MUST(seen->sequence >= record->sequence);
    }
    if (record->length > 0) {
        last = ((const uint8_t *)record->data)[record->length - 1];
    }
    if (is_whole) {
        MUST(record->position <= text_bytes && record->length <= text_bytes - record->position);
        MUST(record->length == 0 || memcmp(record->data, text + record->position, record->length) == 0);
    }
    seen->end = record->position + record->length;
    seen->total += record->length;
    (void)last;
}

static struct seen read_on(struct read_source *lines, uint64_t least, int passes) {
    struct seen seen = {.passes = passes};
    burst_read_t record = {.struct_bytes = sizeof record};
    int rc = 1;
    for (int count = 0; count < RECORDS_MOST && (rc = lines->ops->next(lines, &record)) == 1; count++) {
        see(&seen, &record, least);
    }
    MUST(rc >= 0 || error_text()[0] != '\0');
    MUST(rc >= 0 || !is_whole);
    seen.is_to_the_end = rc == 0;
    return seen;
}

static void read_all(const struct input *input) {
    static const enum burst_read_from froms[] = {BURST_FROM_LAST, BURST_FROM_SEQUENCE, BURST_FROM_TIME,
                                                 BURST_FROM_OLDEST};
    const unsigned copies = input->copies % 2 + 1;
    const int is_plain = input->form % FORMS == PLAIN;
    const uint64_t from = is_plain && is_whole && text_bytes > 0 ? input->from % text_bytes : 0;
    struct read_source *lines;
    MUST(lines_make(&platform_linux, 0, &lines) == 0);
    for (unsigned i = 0; i < copies; i++) {
        MUST(lines_add(lines, path, from, LINES_TO_THE_END) == 0);
    }
    const struct seen forwards = read_on(lines, from, 0);
    MUST(!is_whole || !forwards.is_to_the_end || forwards.total == copies * (text_bytes - from));
    for (unsigned i = 0; i < sizeof input->seeks; i++) {
        const enum burst_read_from kind = froms[input->seeks[i] % 4];
        /* A seek by a number that no caller has is refused before it comes here. */
        const int64_t value = input->values[i] & (kind == BURST_FROM_TIME ? -1 : INT64_MAX);
        if (lines->ops->seek(lines, kind, value) < 0) {
            MUST(error_text()[0] != '\0');
            continue;
        }
        burst_reader_state_t state = {.struct_bytes = sizeof state};
        lines->ops->state(lines, &state);
        const struct seen seen = read_on(lines, from, 1);
        MUST(!is_whole || !seen.is_to_the_end || seen.total <= copies * text_bytes);
        /* An index that lies may say that the last records are where no text is. */
        MUST(!is_whole || input->index % 2 || kind != BURST_FROM_LAST || value == 0 || text_bytes == from ||
             seen.total > 0);
        MUST(!is_whole || !seen.is_to_the_end || seen.total == 0 || seen.end == text_bytes);
    }
    lines->ops->close(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct input input;
    if (folder[0] == '\0') {
        make_folder();
    }
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    make_file(&input);
    if (input.index % 2) {
        make_index(&input);
    } else {
        unlink(index_path);
    }
    read_all(&input);
    return 0;
}

/* The fields are all that a change can mean: no other mutator knows more. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    (void)seed;
    return LLVMFuzzerMutate(data, size, room);
}
