/* SPDX-License-Identifier: Apache-2.0 */
#include "read/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define PATH_BYTES 4352
#define ROOM_MIN (2 * (sizeof(struct index_chunk) + INDEX_CHUNK_BYTES))

struct index_file {
    int file;
    struct index_header header;
    struct index_entry table[INDEX_ENTRIES];
    uint32_t entries; /* of the table, at the last look */
    int is_fresh;     /* nobody has used that look yet */
    uint64_t reads;
    uint32_t block; /* the block whose data is here */
    uint8_t *data;  /* its data, from the start of the block */
    size_t room, count;
    size_t at; /* the next chunk in `data` */
    uint32_t chain;
    struct index_place place;
    uint32_t epoch;          /* of the items of the open chunk; 0: not known */
    size_t item, items_end;  /* the next item of the open chunk, and their end; equal: no chunk is open */
    struct index_item found; /* has_found: the next item */
    int has_found;
    char path[PATH_BYTES];
};

/* Returns how many bytes were read, or -errno with a sentence. */
static int64_t read_some(struct index_file *index, void *data, size_t bytes, uint64_t offset) {
    ssize_t got;
    do {
        got = pread(index->file, data, bytes, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    index->reads++;
    return got >= 0 ? got : error_set(errno, "index %s cannot be read: %s", index->path, error_name(errno));
}

/* Reads the table anew. Its entries are written in order, so the first bad one ends it. */
static int look(struct index_file *index) {
    if (index->is_fresh) {
        index->is_fresh = 0;
        return 0;
    }
    const int64_t got = read_some(index, index->table, sizeof index->table, INDEX_TABLE_OFFSET);
    const uint32_t most = got < 0 ? 0 : (uint32_t)((uint64_t)got / sizeof index->table[0]);
    index->entries = 0;
    while (index->entries < most) {
        const struct index_entry *entry = &index->table[index->entries], *before = entry - 1;
        if (!index_is_entry(entry, &index->header) || entry->number != index->entries ||
            (index->entries > 0 && (entry->data <= before->data || entry->offset < before->offset ||
                                    entry->sequence < before->sequence || entry->latest_ns < before->latest_ns))) {
            break;
        }
        index->entries++;
    }
    return got < 0 ? (int)got : 0;
}

/* --------------------------------------------------------------------------------------------------- blocks */

/* Makes room in `data`, whose bytes stay. */
static int make_room(struct index_file *index, size_t bytes) {
    if (bytes <= index->room) {
        return 0;
    }
    uint8_t *data = realloc(index->data, bytes);
    if (data == NULL) {
        return error_set(ENOMEM, "no memory for a block of index %s: %zu bytes", index->path, bytes);
    }
    index->data = data;
    index->room = bytes;
    return 0;
}

/* Reads what the block has by now. The last one's end is unknown: it is read piece by piece. */
static int fill(struct index_file *index) {
    const uint64_t begin = index->table[index->block].data;
    const int is_last = index->block + 1 == index->entries;
    const uint64_t want = is_last ? index->count + ROOM_MIN : index->table[index->block + 1].data - begin;
    int rc =
        want > UINT32_MAX ? error_set(EUCLEAN, "index %s is damaged", index->path) : make_room(index, (size_t)want);
    if (rc < 0 || want <= index->count) {
        return rc;
    }
    const int64_t got = read_some(index, index->data + index->count, (size_t)want - index->count,
                                  INDEX_DATA_OFFSET + begin + index->count);
    index->count += got < 0 ? 0 : (size_t)got;
    return got < 0 ? (int)got : 0;
}

static int enter_block(struct index_file *index, uint32_t block) {
    index->block = block;
    index->count = index->at = index->item = index->items_end = 0;
    index->has_found = 0;
    index->chain = index->table[block].crc;
    return fill(index);
}

/* Opens the next chunk of the block. Returns 1, 0 if no whole one is written, or -errno. */
static int open_chunk(struct index_file *index) {
    for (int is_full = 0;; is_full = 1) {
        struct index_chunk chunk;
        if (index_is_chunk(index->data + index->at, index->count - index->at, index->chain, &chunk)) {
            index->place = index_chunk_place(&chunk);
            index->epoch = chunk.epoch;
            index->chain = chunk.crc;
            index->item = index->at + sizeof chunk;
            index->at = index->items_end = index->item + chunk.bytes;
            return 1;
        }
        /* The rest of the chunk may stand behind the bytes that were read. A torn chunk is read again. */
        index->count = index->at;
        const int rc = is_full ? 0 : fill(index);
        if (rc < 0 || is_full) {
            return rc;
        }
    }
}

static int damaged(const struct index_file *index, uint64_t offset) {
    return error_set(EUCLEAN, "index %s is damaged behind offset %llu of its log file", index->path,
                     (unsigned long long)offset);
}

int index_next(struct index_file *index, struct index_item *item) {
    if (index->has_found) {
        *item = index->found;
        index->has_found = 0;
        return 1;
    }
    if (index->entries == 0) {
        return 0;
    }
    while (index->item == index->items_end) {
        int rc = open_chunk(index);
        if (rc == 0 && index->block + 1 == index->entries) {
            rc = look(index); /* another block may have begun */
            rc = rc < 0 ? rc : open_chunk(index);
        }
        if (rc == 0 && index->block + 1 < index->entries) {
            rc = enter_block(index, index->block + 1);
            rc = rc < 0 ? rc : 1;
        }
        if (rc <= 0) {
            return rc;
        }
    }
    const size_t used = index_take(&index->place, index->data + index->item, index->items_end - index->item, item);
    if (used == 0) {
        return damaged(index, index->place.offset);
    }
    item->epoch = index->epoch;
    index->item += used;
    return 1;
}

/* ---------------------------------------------------------------------------------------------------- find */

/* Whether the goal may lie before the block, so that it is none of this or a later one. */
static int is_before(const struct index_entry *entry, enum index_goal goal, int64_t value) {
    switch (goal) {
    case INDEX_SEQUENCE:
        return value < (int64_t)entry->sequence;
    case INDEX_TIME:
        return value <= entry->latest_ns;
    default:
        return value < (int64_t)entry->offset;
    }
}

/* Whether the item is the goal. Lost records have sequences and a line in the text, and no times. */
static int is_reached(const struct index_item *item, enum index_goal goal, int64_t value) {
    switch (goal) {
    case INDEX_SEQUENCE:
        return item->kind == INDEX_LOSS ? (int64_t)(item->sequence + item->count) > value
                                        : (int64_t)item->sequence >= value;
    case INDEX_TIME:
        return item->kind != INDEX_LOSS && item->time_ns >= value;
    default:
        return (int64_t)(item->offset + item->bytes) > value;
    }
}

/* Reads from the block on up to the goal: index->found. *loss becomes the first of the losses directly before it; its kind
 * is INDEX_DURABLE if there is none. *is_first: no record comes before it in the block. Returns as index_find. */
static int find_from(struct index_file *index, uint32_t block, enum index_goal goal, int64_t value,
                     struct index_item *loss, int *is_first) {
    struct index_item item;
    int rc = enter_block(index, block);
    loss->kind = INDEX_DURABLE;
    *is_first = 1;
    while (rc >= 0 && (rc = index_next(index, &item)) == 1) {
        if (item.kind == INDEX_DURABLE) {
            continue;
        }
        if (is_reached(&item, goal, value)) {
            index->found = item;
            index->has_found = 1;
            return 1;
        }
        if (item.kind != INDEX_LOSS) {
            loss->kind = INDEX_DURABLE;
            *is_first = 0;
        } else if (loss->kind != INDEX_LOSS) {
            *loss = item;
        }
    }
    return rc;
}

/* Records that are lost directly before one of the time may have had it, too: goes to them. */
static int find_time_from(struct index_file *index, uint32_t block, int64_t time_ns) {
    struct index_item loss;
    int is_first;
    int rc = find_from(index, block, INDEX_TIME, time_ns, &loss, &is_first);
    if (rc == 1 && is_first && block > 0) {
        rc = find_from(index, --block, INDEX_TIME, time_ns, &loss, &is_first);
    }
    if (rc == 1 && loss.kind == INDEX_LOSS) {
        rc = find_from(index, block, INDEX_SEQUENCE, (int64_t)loss.sequence, &loss, &is_first);
        if (rc == 1 && index->found.kind != INDEX_LOSS) { /* sequences that do not rise */
            index->has_found = 0;
            return damaged(index, index->found.offset);
        }
    }
    return rc;
}

int index_find(struct index_file *index, enum index_goal goal, int64_t value) {
    struct index_item loss;
    int is_first, rc = look(index);
    if (rc < 0 || index->entries == 0) {
        return rc;
    }
    /* The last block before which the goal is not: the predicate is monotone. */
    uint32_t low = 0;
    for (uint32_t high = index->entries; high - low > 1;) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_before(&index->table[middle], goal, value)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return goal == INDEX_TIME ? find_time_from(index, low, value)
                              : find_from(index, low, goal, value, &loss, &is_first);
}

int index_durable(struct index_file *index, uint64_t sequence, int64_t *durable_ns) {
    struct index_item item;
    int rc = index_find(index, INDEX_SEQUENCE, (int64_t)sequence);
    if (rc <= 0 || index->found.kind == INDEX_LOSS || index->found.sequence != sequence) {
        return rc < 0 ? rc : 0;
    }
    do {
        rc = index_next(index, &item);
    } while (rc == 1 && (item.kind != INDEX_DURABLE || item.sequence <= sequence));
    *durable_ns = rc == 1 ? item.time_ns : 0;
    return rc < 0 ? rc : *durable_ns != 0;
}

/* Counts the records and losses of the block. Returns 0, or -errno. */
static int count_block(struct index_file *index, uint32_t block, uint64_t *count) {
    struct index_item item;
    int rc = enter_block(index, block);
    *count = 0;
    while (rc >= 0 && index->block == block && (rc = index_next(index, &item)) == 1 && index->block == block) {
        *count += item.kind != INDEX_DURABLE;
    }
    return rc < 0 ? rc : 0;
}

int index_last(struct index_file *index, uint64_t count, uint64_t *found) {
    struct index_item item;
    int rc = look(index);
    *found = 0;
    if (rc < 0 || index->entries == 0) {
        return rc;
    }
    uint64_t in_block = 0;
    uint32_t block = index->entries;
    while (rc == 0 && block > 0 && (*found < count || block == index->entries)) {
        rc = count_block(index, --block, &in_block);
        *found += in_block;
    }
    uint64_t pass = *found > count ? *found - count : 0;
    *found -= pass;
    rc = rc < 0 ? rc : enter_block(index, block);
    while (rc == 0 && (rc = index_next(index, &item)) == 1) {
        if (item.kind != INDEX_DURABLE && pass-- == 0) {
            index->found = item;
            index->has_found = 1;
            return 1;
        }
        rc = 0;
    }
    return rc;
}

const struct index_item *index_found(const struct index_file *index) {
    return &index->found;
}

uint64_t index_begin(const struct index_file *index) {
    return index->header.offset;
}

uint64_t index_first(const struct index_file *index) {
    return index->header.sequence;
}

const char *index_path(const struct index_file *index) {
    return index->path;
}

int index_end(struct index_file *index, uint64_t *offset) {
    struct index_item item;
    *offset = index->header.offset;
    int rc = look(index);
    if (rc < 0 || index->entries == 0) {
        return rc;
    }
    rc = enter_block(index, index->entries - 1);
    while (rc >= 0 && (rc = index_next(index, &item)) == 1) {
        *offset = item.offset + item.bytes;
    }
    return rc;
}

void index_opened(struct index_file *index) {
    index->is_fresh = index->entries > 0;
    index->reads = index->is_fresh;
}

uint64_t index_reads(const struct index_file *index) {
    return index->reads;
}

/* ---------------------------------------------------------------------------------------------------- open */

void index_close(struct index_file *index) {
    if (index != NULL) {
        close(index->file);
        free(index->data);
        free(index);
    }
}

int index_open_at(const char *path, struct index_head *head, struct index_file **out) {
    struct {
        struct index_header header;
        struct index_text text;
    } begin;
    _Static_assert(offsetof(__typeof__(begin), text) == INDEX_TEXT_OFFSET, "both are read at once");
    struct index_file *index = calloc(1, sizeof *index);
    *out = NULL;
    *head = (struct index_head){.version = 0};
    if (index == NULL) {
        return error_set(ENOMEM, "no memory for an index: %zu bytes", sizeof *index);
    }
    snprintf(index->path, sizeof index->path, "%s", path);
    index->file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (index->file < 0) {
        free(index);
        return 0; /* deleted since the listing, or of others */
    }
    const int64_t got = read_some(index, &begin, sizeof begin, 0);
    index->reads = 0; /* it belongs to the opening, and looks for no record */
    if (got == sizeof begin && begin.header.magic == INDEX_MAGIC) {
        head->version = begin.header.version;
    }
    if (got < (int64_t)sizeof begin || !index_is_header(&begin.header) || !index_is_text(&begin.text, &begin.header)) {
        index_close(index);
        return got < 0 ? (int)got : 0;
    }
    index->header = begin.header;
    head->sequence = begin.header.sequence;
    head->offset = begin.header.offset;
    head->text_bytes = begin.text.bytes;
    head->text_crc = begin.text.text_crc;
    *out = index;
    return 1;
}
