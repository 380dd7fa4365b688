/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the indexes of the log files back. */
#include <string.h>

#include "base/crc32c.h"
#include "harness/simulator/log.h"
#include "media/index.h"

int sim_is_index(const char *name) {
    return strstr(name, "/" INDEX_FOLDER "/") != NULL;
}

/* The log file to which the index belongs, under whatever name; NULL: none, or its text is not known. */
static const struct sim_inode *text_of(const struct world *world, const struct sim_inode *index) {
    const struct index_header *header = (const struct index_header *)index->cache;
    const struct index_text *text = (const struct index_text *)(index->cache + INDEX_TEXT_OFFSET);
    for (unsigned i = 0; i < FILES_MAX && index_is_text(text, header) && text->bytes > 0; i++) {
        const struct sim_name *name = &world->files.names[i];
        const struct sim_inode *inode = &world->files.inodes[name->inode];
        if (name->name[0] != '\0' && !sim_is_index(name->name) && inode->size >= text->bytes &&
            crc32c(0, inode->cache, text->bytes) == text->text_crc) {
            return inode;
        }
    }
    return NULL;
}

/* I11: a record stands where an index says. */
static void check_item(struct world *world, const char *name, const struct sim_inode *text,
                       const struct index_item *item, uint8_t *found) {
    static char payload[WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES];
    const struct model *model = &world->model;
    if (item->kind > INDEX_ENQUEUED) {
        return;
    }
    const int is_known = item->sequence <= model->offered && model->records[item->sequence].length == item->bytes &&
                         item->offset + item->bytes <= text->size;
    if (is_known) {
        payload_make(model, item->sequence, payload);
    }
    if (!is_known || memcmp(text->cache + item->offset, payload, item->bytes) != 0) {
        violation(world, "I11: the index %s says that record %llu has %llu bytes at offset %llu", name,
                  (unsigned long long)item->sequence, (unsigned long long)item->bytes,
                  (unsigned long long)item->offset);
    }
    found[item->sequence] = 1;
}

static void check_block(struct world *world, const char *name, const struct sim_inode *index,
                        const struct sim_inode *text, const struct index_entry *entry, uint8_t *found) {
    uint32_t chain = entry->crc;
    for (uint64_t at = INDEX_DATA_OFFSET + entry->data; at < index->size;) {
        const uint8_t *bytes = index->cache + at;
        struct index_chunk chunk;
        if (!index_is_chunk(bytes, (size_t)(index->size - at), chain, &chunk)) {
            return;
        }
        struct index_place place = index_chunk_place(&chunk);
        struct index_item item;
        for (size_t used = 0, length; used < chunk.bytes; used += length) {
            length = index_take(&place, bytes + sizeof chunk + used, chunk.bytes - used, &item);
            if (length == 0) {
                violation(world, "I11: the index %s has an item at %llu that is none", name, (unsigned long long)at);
            }
            check_item(world, name, text, &item, found);
        }
        chain = chunk.crc;
        at += sizeof chunk + chunk.bytes;
    }
}

static void check_index(struct world *world, const struct sim_name *name, uint8_t *found) {
    const struct sim_inode *index = &world->files.inodes[name->inode];
    const struct index_header *header = (const struct index_header *)index->cache;
    const struct sim_inode *text = text_of(world, index);
    if (index->size < sizeof *header || !index_is_header(header) || text == NULL) {
        return; /* a crash left it before its first checkpoint */
    }
    for (uint32_t number = 0; number < INDEX_ENTRIES; number++) {
        const struct index_entry *entry = (const struct index_entry *)(index->cache + INDEX_TABLE_OFFSET) + number;
        if (!index_is_entry(entry, header) || entry->number != number) {
            return;
        }
        check_block(world, name->name, index, text, entry, found);
    }
}

void log_check_indexes(struct world *world) {
    static uint8_t found[MODEL_RECORDS_MAX];
    const struct model *model = &world->model;
    if (!world->has_index || model->medium_lied) {
        return;
    }
    memset(found, 0, sizeof found);
    for (unsigned i = 0; i < FILES_MAX; i++) {
        if (world->files.names[i].name[0] != '\0' && sim_is_index(world->files.names[i].name)) {
            check_index(world, &world->files.names[i], found);
        }
    }
    for (uint64_t sequence = 1; sequence <= model->acknowledged && !world->index_may_fail; sequence++) {
        const struct model_record *record = &model->records[sequence];
        if (!found[sequence] && record->roll == NULL && record->length > 0) {
            violation(world, "I11: record %llu is in no index", (unsigned long long)sequence);
        }
    }
}
