/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/index/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/path.h"
#include "burstlog.h"
#include "media/checkpoint.h"
#include "media/index.h"
#include "outlet/file/look.h"

#define ATTEMPTS_MAX 1000u /* indexes of one first sequence: other streams' in the same folder, and crashed ones */
#define NO_FILE (-1)
#define DAMAGED (-65541) /* no errno: the index is not the noted one */
struct index_writer {
    const struct platform *platform;
    struct events *events;
    const struct files *files;
    const struct destination *text;
    int file;
    struct outlet_index at; /* of the open index */
    struct index_header header;
    struct index_place place;  /* behind the last item */
    uint64_t block_offset;     /* where the text of the last block begins */
    int64_t latest_ns;         /* INT64_MIN: no record yet */
    uint32_t text_bytes;       /* as in struct index_text */
    uint64_t untimed_sequence; /* a record of this sequence waits for its durable time; 0: none does */
    uint32_t epoch;            /* of the last record; 0: not known */
    int is_given_up;           /* for the log file of this mark and this first sequence */
    struct outlet_mark given_up;
    uint64_t given_up_sequence;
    char path[LAYOUT_FILE_NAME_BYTES];
    size_t used; /* bytes of items in `chunk` */
    struct {
        struct index_chunk head;
        uint8_t items[INDEX_CHUNK_BYTES];
    } chunk;
};

int index_writer_create(const struct platform *platform, struct events *events, const struct destination *text,
                        struct index_writer **out) {
    struct index_writer *writer = platform_allocate(platform, sizeof *writer, PLATFORM_PLAIN);
    if (writer == NULL) {
        return error_set(ENOMEM, "no memory for the index of a log file: %zu bytes", sizeof *writer);
    }
    writer->platform = platform;
    writer->events = events;
    writer->text = text;
    writer->files = text->files;
    writer->file = NO_FILE;
    *out = writer;
    return 0;
}

void index_writer_close(struct index_writer *writer) {
    if (writer != NULL && writer->file != NO_FILE) {
        writer->files->ops->close(writer->files, writer->file);
        writer->file = NO_FILE;
    }
}

void index_writer_destroy(struct index_writer *writer) {
    index_writer_close(writer);
    if (writer != NULL) {
        platform_release(writer->platform, writer, sizeof *writer);
    }
}

static int write_all(const struct index_writer *writer, const void *data, size_t bytes, uint64_t offset) {
    const uint8_t *rest = data;
    while (bytes > 0) {
        const int64_t written = writer->files->ops->write(writer->files, writer->file, rest, bytes, offset);
        if (written <= 0) {
            return written < 0 ? (int)written : -ENOSPC;
        }
        rest += written;
        offset += (uint64_t)written;
        bytes -= (size_t)written;
    }
    return 0;
}

/* Returns 0, DAMAGED if the index ends before, or -errno. */
static int read_all(const struct index_writer *writer, void *data, size_t bytes, uint64_t offset) {
    const int64_t got = writer->files->ops->read(writer->files, writer->file, data, bytes, offset);
    return got < 0 ? (int)got : (size_t)got == bytes ? 0 : DAMAGED;
}

/* --------------------------------------------------------------------------------------------------- begin */

static int name_index(struct index_writer *writer, const char *text_path, uint64_t sequence, unsigned attempt) {
    char folder[LAYOUT_FILE_NAME_BYTES];
    const int rc = path_directory(text_path, folder, sizeof folder);
    const int used = rc < 0 ? rc
                            : snprintf(writer->path, sizeof writer->path, "%s/" INDEX_FOLDER "/%020" PRIu64 ".%u",
                                       strcmp(folder, "/") == 0 ? "" : folder, sequence, attempt);
    return used < 0 ? used : (size_t)used < sizeof writer->path ? 0 : -ENAMETOOLONG;
}

/* An existing index is of another log file, or of the noted one and unnoted: it stays. */
static int create(struct index_writer *writer, const char *text_path, uint64_t sequence) {
    int rc = -EEXIST;
    for (unsigned attempt = 1; rc == -EEXIST && attempt <= ATTEMPTS_MAX; attempt++) {
        rc = name_index(writer, text_path, sequence, attempt);
        rc = rc < 0 ? rc : writer->files->ops->create(writer->files, writer->path, &writer->text->new_file);
        writer->at = (struct outlet_index){.sequence = sequence, .attempt = (uint16_t)attempt};
    }
    if (rc < 0) {
        return rc;
    }
    writer->file = rc;
    return writer->files->ops->sync_name(writer->files, writer->path);
}

static int begin(struct index_writer *writer, const char *text_path, uint64_t sequence, uint64_t offset) {
    index_writer_close(writer);
    writer->header = (struct index_header){.sequence = sequence, .offset = offset};
    writer->place = (struct index_place){.sequence = sequence, .offset = offset};
    writer->latest_ns = INT64_MIN;
    writer->text_bytes = 0;
    writer->used = writer->untimed_sequence = 0;
    index_seal_header(&writer->header);
    const int rc = create(writer, text_path, sequence);
    return rc < 0 ? rc : write_all(writer, &writer->header, sizeof writer->header, 0);
}

/* ------------------------------------------------------------------------------------------------- reopen */

/* Reads the chunks of the last block, which must end where the index is noted to end. */
static int read_last_block(struct index_writer *writer, const struct outlet_index *noted, uint64_t data,
                           uint32_t chain) {
    const uint8_t *const bytes = (const uint8_t *)&writer->chunk;
    while (data < noted->bytes) {
        struct index_chunk *const chunk = &writer->chunk.head;
        const uint64_t left = noted->bytes - data;
        int rc = left < sizeof *chunk ? DAMAGED : read_all(writer, chunk, sizeof *chunk, INDEX_DATA_OFFSET + data);
        if (rc == 0 && (chunk->bytes > sizeof writer->chunk.items || chunk->bytes > left - sizeof *chunk)) {
            rc = DAMAGED;
        }
        rc =
            rc < 0 ? rc : read_all(writer, writer->chunk.items, chunk->bytes, INDEX_DATA_OFFSET + data + sizeof *chunk);
        if (rc == 0 && !index_is_chunk(bytes, sizeof *chunk + chunk->bytes, chain, chunk)) {
            rc = DAMAGED;
        }
        if (rc < 0) {
            return rc;
        }
        struct index_item item;
        writer->place = index_chunk_place(chunk);
        for (size_t used = 0, length; used < chunk->bytes; used += length) {
            length = index_take(&writer->place, writer->chunk.items + used, chunk->bytes - used, &item);
            if (length == 0) {
                return DAMAGED;
            }
            if (item.kind <= INDEX_ENQUEUED && item.time_ns > writer->latest_ns) {
                writer->latest_ns = item.time_ns;
            }
        }
        chain = chunk->crc;
        data += sizeof *chunk + chunk->bytes;
    }
    return chain == noted->chain ? 0 : DAMAGED;
}

/* Removes what was written behind the checkpoint. */
static int cut(const struct index_writer *writer, const struct outlet_index *noted) {
    static const struct index_entry none;
    struct index_entry entry;
    for (uint32_t number = noted->entries; number < INDEX_ENTRIES; number++) {
        const int rc = read_all(writer, &entry, sizeof entry, INDEX_ENTRY_OFFSET(number));
        if (rc < 0 || memcmp(&entry, &none, sizeof none) == 0) {
            break; /* the table ends here, or the file does */
        }
        const int written = write_all(writer, &none, sizeof none, INDEX_ENTRY_OFFSET(number));
        if (written < 0) {
            return written;
        }
    }
    return writer->files->ops->truncate(writer->files, writer->file, INDEX_DATA_OFFSET + (uint64_t)noted->bytes);
}

/* Opens the noted index, and cuts it. Returns 0, DAMAGED or -errno. */
static int reopen(struct index_writer *writer, const char *text_path, const struct outlet_index *noted) {
    struct index_entry last;
    struct index_text text;
    index_writer_close(writer);
    int rc = name_index(writer, text_path, noted->sequence, noted->attempt);
    rc = rc < 0 ? rc : writer->files->ops->open(writer->files, writer->path);
    if (rc < 0) {
        return rc == -ENOENT ? DAMAGED : rc;
    }
    writer->file = rc;
    rc = writer->files->ops->lock(writer->files, writer->file);
    rc = rc < 0 ? rc : read_all(writer, &writer->header, sizeof writer->header, 0);
    rc = rc < 0 ? rc : read_all(writer, &text, sizeof text, INDEX_TEXT_OFFSET);
    rc = rc < 0                ? rc
         : noted->entries == 0 ? DAMAGED
                               : read_all(writer, &last, sizeof last, INDEX_ENTRY_OFFSET(noted->entries - 1u));
    if (rc == 0 && (!index_is_header(&writer->header) || writer->header.sequence != noted->sequence ||
                    !index_is_entry(&last, &writer->header) || last.number != noted->entries - 1u)) {
        rc = DAMAGED;
    }
    if (rc < 0) {
        return rc;
    }
    writer->text_bytes = index_is_text(&text, &writer->header) ? text.bytes : 0;
    writer->block_offset = last.offset;
    writer->latest_ns = last.latest_ns;
    writer->at = *noted;
    writer->place = (struct index_place){.sequence = last.sequence, .offset = last.offset};
    rc = read_last_block(writer, noted, last.data, last.crc);
    return rc < 0 ? rc : cut(writer, noted);
}

/* ---------------------------------------------------------------------------------------------------- write */

static int flush(struct index_writer *writer) {
    const size_t bytes = sizeof writer->chunk.head + writer->used;
    if (writer->used == 0) {
        return 0;
    }
    if (bytes > UINT32_MAX - writer->at.bytes) {
        return -EFBIG;
    }
    writer->chunk.head.bytes = (uint32_t)writer->used;
    index_seal_chunk(&writer->chunk.head, writer->at.chain);
    const int rc = write_all(writer, &writer->chunk, bytes, INDEX_DATA_OFFSET + (uint64_t)writer->at.bytes);
    writer->at.bytes += (uint32_t)bytes;
    writer->at.chain = writer->chunk.head.crc;
    writer->used = 0;
    return rc;
}

/* Begins a block at the place. A full table has no more: then the last block goes on, until the next sync. */
static int begin_block(struct index_writer *writer) {
    int rc = flush(writer);
    if (rc < 0 || writer->at.entries == INDEX_ENTRIES) {
        return rc;
    }
    struct index_entry entry = {.sequence = writer->place.sequence,
                                .offset = writer->place.offset,
                                .data = writer->at.bytes,
                                .latest_ns = writer->latest_ns,
                                .number = writer->at.entries};
    index_seal_entry(&entry, &writer->header);
    rc = write_all(writer, &entry, sizeof entry, INDEX_ENTRY_OFFSET(writer->at.entries));
    writer->at.entries++;
    writer->at.chain = entry.crc;
    writer->block_offset = writer->place.offset;
    return rc;
}

static int add(struct index_writer *writer, const struct index_item *item) {
    int rc = 0;
    if (writer->at.entries == 0 || writer->place.offset - writer->block_offset >= INDEX_BLOCK_BYTES) {
        rc = begin_block(writer);
    } else if (writer->used + INDEX_ITEM_BYTES > sizeof writer->chunk.items ||
               writer->chunk.head.epoch != writer->epoch) {
        rc = flush(writer);
    }
    if (rc < 0) {
        return rc;
    }
    if (writer->used == 0) {
        const struct index_place *at = &writer->place;
        writer->chunk.head = (struct index_chunk){
            .epoch = writer->epoch, .sequence = at->sequence, .offset = at->offset, .time_ns = at->time_ns};
    }
    if (item->kind <= INDEX_ENQUEUED && item->time_ns > writer->latest_ns) {
        writer->latest_ns = item->time_ns;
    }
    writer->used += index_put(&writer->place, item, writer->chunk.items + writer->used);
    return 0;
}

/* Adds the time only behind a record that has none yet: with several streams most commits have none of this one. */
static int add_durable(struct index_writer *writer, const struct outlet_item *item) {
    if (item->durable_ns == 0 || writer->untimed_sequence == 0 || writer->untimed_sequence >= item->durable_sequence) {
        return 0;
    }
    writer->untimed_sequence = 0;
    return add(writer, &(struct index_item){
                           .kind = INDEX_DURABLE, .sequence = item->durable_sequence, .time_ns = item->durable_ns});
}

/* No stamp of this epoch is of a commit of the one before, whose last records stay without a time. */
static int begin_epoch(struct index_writer *writer, const struct record_header *header) {
    const int is_untimed = writer->untimed_sequence != 0 && writer->epoch != header->epoch;
    writer->epoch = header->epoch;
    if (!is_untimed) {
        return 0;
    }
    writer->untimed_sequence = 0;
    return add(writer, &(struct index_item){.kind = INDEX_DURABLE, .sequence = header->sequence});
}

static int add_item(struct index_writer *writer, const struct outlet_item *item) {
    const struct record_header *header = item->header;
    int rc = 0;
    if (item->count > 0) {
        rc = add(writer,
                 &(struct index_item){
                     .kind = INDEX_LOSS, .sequence = item->sequence, .count = item->count, .bytes = item->bytes});
    } else if (header != NULL) {
        rc = begin_epoch(writer, header);
        /* The stamp behind this record is of commits before it. */
        rc = rc < 0 ? rc
                    : add(writer,
                          &(struct index_item){.kind = header->flags & RECORD_ENQUEUED ? INDEX_ENQUEUED : INDEX_AWAITED,
                                               .sequence = header->sequence,
                                               .bytes = item->bytes,
                                               .time_ns = header->event_time_ns});
    }
    rc = rc < 0 ? rc : add_durable(writer, item);
    if (header != NULL && writer->untimed_sequence == 0) {
        writer->untimed_sequence = header->sequence;
    }
    return rc;
}

/* Says to which log file the index belongs. */
static int put_text(struct index_writer *writer) {
    uint8_t begin_of_text[INDEX_TEXT_BYTES];
    const uint32_t bytes =
        (uint32_t)(writer->text->length < INDEX_TEXT_BYTES ? writer->text->length : INDEX_TEXT_BYTES);
    if (bytes == writer->text_bytes) {
        return 0;
    }
    const int64_t got = writer->files->ops->read(writer->files, writer->text->file, begin_of_text, bytes, 0);
    if (got != (int64_t)bytes) {
        return got < 0 ? (int)got : -EIO;
    }
    struct index_text text = {.bytes = bytes, .text_crc = crc32c(0, begin_of_text, bytes)};
    index_seal_text(&text, &writer->header);
    writer->text_bytes = bytes;
    return write_all(writer, &text, sizeof text, INDEX_TEXT_OFFSET);
}

/* ----------------------------------------------------------------------------------------------------- sync */

static int may_go_on(const struct outlet_state *state) {
    const struct outlet_index *noted = &state->roll.index;
    return noted->sequence != 0 && noted->length_crc == crc32c(0, &state->length, sizeof state->length) &&
           noted->entries < INDEX_ENTRIES && noted->bytes < UINT32_MAX / 2;
}

static int is_at(const struct index_writer *writer, const struct outlet_index *noted) {
    struct outlet_index at = writer->at;
    at.length_crc = noted->length_crc;
    return writer->file != NO_FILE && memcmp(&at, noted, sizeof at) == 0;
}

/* Opens the index that the state has, if it is whole. Returns 1; 0: an index must begin; or -errno. */
static int go_on(struct index_writer *writer, const struct outlet_noted *noted, const char *text_path) {
    const struct outlet_index *index = &noted->state->roll.index;
    if (!may_go_on(noted->state)) {
        return 0;
    }
    if (is_at(writer, index)) {
        writer->place.offset = noted->state->length;
        return 1;
    }
    const int rc = reopen(writer, text_path, index);
    writer->place.offset = noted->state->length;
    writer->used = writer->epoch = 0;
    writer->untimed_sequence = 1; /* perhaps */
    if (rc == DAMAGED) {
        events_post(writer->events, EVENT_WARN,
                    "the index %s of log file %s is damaged or gone: an index of its records from %llu on begins; the "
                    "log is whole",
                    writer->path, text_path, (unsigned long long)noted->sequence);
    }
    return rc == DAMAGED ? 0 : rc < 0 ? rc : 1;
}

/* The roll begins this file, or was given up. It is no record of the text. */
static uint64_t bytes_of_roll(const struct outlet_state *state, const struct outlet_item *item) {
    const uint8_t *data;
    struct roll roll;
    roll_decode(item->payload, item->header->length, &roll);
    return file_roll_bytes(state->roll.phase, &roll, &data);
}

static int sync_items(struct index_writer *writer, const struct outlet_noted *noted, const char *text_path) {
    struct outlet_item item;
    uint64_t offset = noted->state->length;
    int is_open = go_on(writer, noted, text_path), more, rc = is_open < 0 ? is_open : 0;
    noted->begin(noted);
    while (rc == 0 && (more = noted->item(noted, &item)) != 0) {
        if (more < 0) {
            return more;
        }
        if (item.header != NULL && record_is_roll(item.header)) {
            offset += bytes_of_roll(noted->state, &item);
            continue;
        }
        if (!is_open && (item.header != NULL || item.count > 0)) {
            rc = begin(writer, text_path, noted->sequence, offset);
            is_open = 1;
        }
        if (rc == 0 && is_open) {
            writer->place.offset = offset;
            rc = add_item(writer, &item);
        }
        offset += item.bytes;
    }
    if (rc < 0 || !is_open) {
        return rc;
    }
    rc = flush(writer);
    rc = rc < 0 ? rc : put_text(writer);
    rc = rc < 0 ? rc : writer->files->ops->sync(writer->files, writer->file);
    return rc < 0 ? rc : 1;
}

/* Nobody repeats a failed sync, and the next try would fail alike: the next log file gets an index again. */
static void give_up(struct index_writer *writer, const struct outlet_state *state, const char *text_path, int rc) {
    index_writer_close(writer);
    writer->is_given_up = 1;
    writer->given_up = state->mark;
    writer->given_up_sequence = state->roll.first_sequence;
    events_post(writer->events, EVENT_WARN,
                "the index %s of log file %s could not be written: %s; the log goes on without an index until its next "
                "file begins or it is opened again",
                writer->path, text_path, error_name(-rc));
}

struct outlet_index index_writer_sync(struct index_writer *writer, const struct outlet_noted *noted) {
    const struct outlet_index none = {0};
    char path[LAYOUT_FILE_NAME_BYTES];
    if (writer->is_given_up && writer->given_up_sequence == noted->state->roll.first_sequence &&
        memcmp(&writer->given_up, &noted->state->mark, sizeof writer->given_up) == 0) {
        return none;
    }
    int rc = outlet_state_file(noted->state, path, sizeof path);
    rc = rc < 0 ? rc : sync_items(writer, noted, path);
    if (rc < 0) {
        give_up(writer, noted->state, path, rc);
    }
    if (rc <= 0) {
        return none;
    }
    writer->at.length_crc = crc32c(0, &writer->text->length, sizeof writer->text->length);
    return writer->at;
}
