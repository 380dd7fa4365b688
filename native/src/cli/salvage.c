/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without a superblock the seed of the headers' CRCs is unknown. But all headers have the same length. So the CRC with
 * the ring's seed differs (XOR) from the CRC with seed 0 by a number that depends on the seed alone. All headers of a
 * ring show this difference, and it tells them from other bytes.
 */
#include "cli/salvage.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "device/salvage.h"
#include "media/record.h"

static uint32_t crc_difference_of(const struct record_header *header) {
    return header->header_crc ^ crc32c(0, header, RECORD_CRC_COVERS);
}

static int may_be_header(const struct salvage *finds, uint64_t offset) {
    const struct record_header *header = (const struct record_header *)(finds->area + offset);
    return header->type >= RECORD_DATA && header->type <= RECORD_MARKER && header->position % RECORD_ALIGN_BYTES == 0 &&
           header->durable_position <= header->position && header->position <= LAYOUT_NUMBER_MAX &&
           header->in_flight < header->sequence && header->sequence <= LAYOUT_NUMBER_MAX &&
           record_bytes(header->length) <= finds->bytes - offset;
}

static int compare_numbers(const void *one, const void *other) {
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return a < b ? -1 : a > b;
}

/* Finds the difference that most headers at the beginning of a block have. Returns 1 if at least two have it, else
 * 0. */
static int find_crc_difference(struct salvage *finds) {
    const size_t blocks = finds->bytes / LAYOUT_MIN_BLOCK_BYTES;
    uint32_t *differences = calloc(blocks + 1, sizeof *differences);
    size_t count = 0, most = 1;
    if (differences == NULL) {
        return error_set(ENOMEM, "no memory to look through %zu blocks", blocks);
    }
    for (size_t i = 0; i < blocks; i++) {
        if (may_be_header(finds, i * LAYOUT_MIN_BLOCK_BYTES)) {
            differences[count++] =
                crc_difference_of((const struct record_header *)(finds->area + i * LAYOUT_MIN_BLOCK_BYTES));
        }
    }
    qsort(differences, count, sizeof *differences, compare_numbers);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && differences[end] == differences[begin]; end++) {
        }
        if (end - begin > most) {
            most = end - begin;
            finds->crc_difference = differences[begin];
        }
    }
    free(differences);
    return most > 1;
}

static int keep_record(struct salvage *finds, const struct record_header *header) {
    if (finds->count == finds->room) {
        const size_t room = finds->room == 0 ? 1024 : 2 * finds->room;
        const struct record_header **records = realloc(finds->records, room * sizeof *records);
        if (records == NULL) {
            return error_set(ENOMEM, "no memory for %zu records", room);
        }
        finds->records = records;
        finds->room = room;
    }
    finds->records[finds->count++] = header;
    return 0;
}

static int find_records(struct salvage *finds) {
    int rc = 0;
    for (uint64_t offset = 0; rc == 0 && offset + RECORD_HEADER_BYTES <= finds->bytes; offset += RECORD_ALIGN_BYTES) {
        const struct record_header *header = (const struct record_header *)(finds->area + offset);
        if (header->type == RECORD_DATA && may_be_header(finds, offset) &&
            crc_difference_of(header) == finds->crc_difference &&
            header->payload_crc == crc32c(0, record_payload(header), header->length)) {
            rc = keep_record(finds, header);
        }
    }
    return rc;
}

static int compare_records(const void *one, const void *other) {
    const struct record_header *a = *(const struct record_header *const *)one;
    const struct record_header *b = *(const struct record_header *const *)other;
    return a->sequence != b->sequence ? (a->sequence < b->sequence ? -1 : 1)
           : a->epoch < b->epoch      ? -1
                                      : a->epoch > b->epoch;
}

int salvage_find(struct device *device, struct salvage *finds) {
    struct sysinfo host;
    *finds = (struct salvage){.area = NULL};
    if (device->medium_bytes <= LAYOUT_DATA_OFFSET) {
        return 0;
    }
    finds->bytes = align_down(device->medium_bytes - LAYOUT_DATA_OFFSET, device->block_bytes);
    if (sysinfo(&host) == 0 && finds->bytes > (uint64_t)host.totalram * host.mem_unit / 2) {
        finds->bytes = align_down((uint64_t)host.totalram * host.mem_unit / 2, device->block_bytes);
    }
    uint8_t *area = platform_allocate(device->platform, finds->bytes, PLATFORM_PLAIN);
    if (area == NULL) {
        return error_set(ENOMEM, "no memory to read %s: %llu bytes", device->path, (unsigned long long)finds->bytes);
    }
    finds->area = area;
    int rc = device_read_salvage(device, LAYOUT_DATA_OFFSET, area, finds->bytes, NULL, NULL);
    rc = rc < 0 ? rc : find_crc_difference(finds);
    if (rc > 0) {
        rc = find_records(finds);
    }
    if (finds->count > 0) {
        qsort(finds->records, finds->count, sizeof *finds->records, compare_records);
    }
    return rc;
}

void salvage_end(struct device *device, struct salvage *finds) {
    free(finds->records);
    if (finds->area != NULL) {
        platform_release(device->platform, (void *)finds->area, finds->bytes);
    }
}
