/* SPDX-License-Identifier: Apache-2.0 */
#include "media/index.h"

#include <string.h>

#include "base/crc32c.h"
#include "media/layout.h"

#define KIND_BITS 2u
#define LENGTH_MAX ((uint64_t)INT64_MAX >> KIND_BITS)

/* ------------------------------------------------------------------------------------------------- numbers */

static size_t put_number(uint8_t *out, uint64_t number) {
    size_t used = 0;
    for (; number >= 0x80; number >>= 7) {
        out[used++] = (uint8_t)(number | 0x80);
    }
    out[used++] = (uint8_t)number;
    return used;
}

/* Returns the length, or 0. Ten bytes have room for 70 bits: the bits above 64 must be 0. */
static size_t take_number(const uint8_t *bytes, size_t left, uint64_t *number) {
    *number = 0;
    for (size_t used = 0; used < left && used < 10; used++) {
        const uint64_t bits = bytes[used] & 0x7f;
        if (used == 9 && bits > 1) {
            return 0;
        }
        *number |= bits << 7 * used;
        if ((bytes[used] & 0x80) == 0) {
            return used + 1;
        }
    }
    return 0;
}

/* A difference, small in either direction. It wraps around, so that each pair of numbers has one. */
static uint64_t fold(uint64_t from, uint64_t to) {
    const uint64_t difference = to - from;
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unfold(uint64_t from, uint64_t folded) {
    return from + (folded >> 1 ^ (0 - (folded & 1)));
}

/* --------------------------------------------------------------------------------------------------- items */

static void move(struct index_place *place, const struct index_item *item) {
    place->offset += item->bytes;
    switch (item->kind) {
    case INDEX_LOSS:
        place->sequence = item->sequence + item->count;
        break;
    case INDEX_DURABLE:
        break;
    default:
        place->sequence = item->sequence + 1;
        place->time_ns = item->time_ns;
    }
}

size_t index_put(struct index_place *place, const struct index_item *item, uint8_t *out) {
    size_t used = put_number(out, item->bytes << KIND_BITS | item->kind);
    used += put_number(out + used, fold(place->sequence, item->sequence));
    used += put_number(out + used, item->kind == INDEX_LOSS ? item->count
                                                            : fold((uint64_t)place->time_ns, (uint64_t)item->time_ns));
    move(place, item);
    return used;
}

size_t index_take(struct index_place *place, const uint8_t *bytes, size_t left, struct index_item *item) {
    uint64_t head, sequence, last;
    const size_t first = take_number(bytes, left, &head);
    const size_t second = first == 0 ? 0 : take_number(bytes + first, left - first, &sequence);
    const size_t third = second == 0 ? 0 : take_number(bytes + first + second, left - first - second, &last);
    if (third == 0) {
        return 0;
    }
    *item = (struct index_item){.kind = head & ((1u << KIND_BITS) - 1),
                                .sequence = unfold(place->sequence, sequence),
                                .bytes = head >> KIND_BITS,
                                .offset = place->offset};
    if (item->kind == INDEX_LOSS) {
        item->count = last;
    } else {
        item->time_ns = (int64_t)unfold((uint64_t)place->time_ns, last);
    }
    if (item->sequence < 1 || item->sequence > LAYOUT_NUMBER_MAX || item->count > LAYOUT_NUMBER_MAX - item->sequence ||
        item->bytes > LENGTH_MAX || place->offset > INT64_MAX - item->bytes ||
        (item->kind == INDEX_DURABLE && item->bytes > 0)) {
        return 0;
    }
    move(place, item);
    return first + second + third;
}

/* --------------------------------------------------------------------------------------------------- structs */

void index_seal_header(struct index_header *header) {
    header->magic = INDEX_MAGIC;
    header->version = INDEX_VERSION;
    header->header_bytes = sizeof *header;
    header->entries = INDEX_ENTRIES;
    header->crc = crc32c(0, header, offsetof(struct index_header, crc));
}

int index_is_header(const struct index_header *header) {
    return header->magic == INDEX_MAGIC && header->crc == crc32c(0, header, offsetof(struct index_header, crc)) &&
           header->version == INDEX_VERSION && header->header_bytes == sizeof *header &&
           header->entries == INDEX_ENTRIES && header->sequence >= 1 && header->sequence <= LAYOUT_NUMBER_MAX &&
           header->offset <= INT64_MAX;
}

void index_seal_text(struct index_text *text, const struct index_header *header) {
    text->crc = crc32c(header->crc, text, offsetof(struct index_text, crc));
}

int index_is_text(const struct index_text *text, const struct index_header *header) {
    return text->crc == crc32c(header->crc, text, offsetof(struct index_text, crc)) && text->bytes <= INDEX_TEXT_BYTES;
}

void index_seal_entry(struct index_entry *entry, const struct index_header *header) {
    entry->crc = crc32c(header->crc, entry, offsetof(struct index_entry, crc));
}

int index_is_entry(const struct index_entry *entry, const struct index_header *header) {
    return entry->crc == crc32c(header->crc, entry, offsetof(struct index_entry, crc)) && entry->sequence >= 1 &&
           entry->sequence <= LAYOUT_NUMBER_MAX && entry->offset <= INT64_MAX && entry->data <= UINT32_MAX;
}

static uint32_t chunk_crc(const struct index_chunk *chunk, const void *items, uint32_t chain) {
    return crc32c(crc32c(chain, chunk, offsetof(struct index_chunk, crc)), items, chunk->bytes);
}

void index_seal_chunk(struct index_chunk *chunk, uint32_t chain) {
    chunk->crc = chunk_crc(chunk, chunk + 1, chain);
}

int index_is_chunk(const uint8_t *bytes, size_t left, uint32_t chain, struct index_chunk *chunk) {
    if (left < sizeof *chunk) {
        return 0;
    }
    memcpy(chunk, bytes, sizeof *chunk);
    return chunk->bytes > 0 && chunk->bytes <= INDEX_CHUNK_BYTES && chunk->bytes <= left - sizeof *chunk &&
           chunk->crc == chunk_crc(chunk, bytes + sizeof *chunk, chain) && chunk->sequence <= LAYOUT_NUMBER_MAX &&
           chunk->offset <= INT64_MAX;
}

struct index_place index_chunk_place(const struct index_chunk *chunk) {
    return (struct index_place){.sequence = chunk->sequence, .offset = chunk->offset, .time_ns = chunk->time_ns};
}
