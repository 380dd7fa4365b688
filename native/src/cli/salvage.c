/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a medium that recovery refuses: cut, or without superblocks or checkpoints. Where the log begins and ends is
 * then unknown, and so is what the log file has of it: whatever is whole is shown, in the order of its sequences.
 *
 * Without a superblock the seed of the headers' CRCs is unknown as well. But for headers of one length, the CRC with
 * a seed differs from that without one by a number that depends on the seed alone: all headers of a ring have it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "device/open.h"
#include "device/salvage.h"
#include "media/record.h"

struct finds {
    const uint8_t *area; /* the data area, as far as it is there */
    uint64_t bytes;
    uint64_t unreadable;
    uint32_t mark; /* the number that all headers of this ring have */
    const struct record_header **records;
    size_t count, room;
};

static void count_unreadable(void *argument, uint64_t offset, uint64_t bytes) {
    (void)offset;
    *(uint64_t *)argument += bytes;
}

static uint32_t mark_of(const struct record_header *header) {
    return header->header_crc ^ crc32c(0, header, RECORD_CRC_COVERS);
}

static int may_be_header(const struct finds *finds, uint64_t offset) {
    const struct record_header *header = (const struct record_header *)(finds->area + offset);
    return header->type >= RECORD_DATA && header->type <= RECORD_MARKER && header->position % RECORD_ALIGN_BYTES == 0 &&
           header->durable_position <= header->position && header->position <= LAYOUT_NUMBER_MAX &&
           header->in_flight < header->sequence && header->sequence <= LAYOUT_NUMBER_MAX &&
           record_bytes(header->length) <= finds->bytes - offset;
}

static int compare_marks(const void *one, const void *other) {
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return a < b ? -1 : a > b;
}

/* The one that most blocks begin with, of at least two. */
static int find_mark(struct finds *finds) {
    const size_t blocks = finds->bytes / LAYOUT_MIN_BLOCK_BYTES;
    uint32_t *marks = calloc(blocks + 1, sizeof *marks);
    size_t count = 0, most = 1;
    if (marks == NULL) {
        return error_set(ENOMEM, "no memory to look through %zu blocks", blocks);
    }
    for (size_t i = 0; i < blocks; i++) {
        if (may_be_header(finds, i * LAYOUT_MIN_BLOCK_BYTES)) {
            marks[count++] = mark_of((const struct record_header *)(finds->area + i * LAYOUT_MIN_BLOCK_BYTES));
        }
    }
    qsort(marks, count, sizeof *marks, compare_marks);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && marks[end] == marks[begin]; end++) {
        }
        if (end - begin > most) {
            most = end - begin;
            finds->mark = marks[begin];
        }
    }
    free(marks);
    return most > 1 ? 0 : -ENODATA;
}

static int keep(struct finds *finds, const struct record_header *header) {
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

static int find_records(struct finds *finds) {
    int rc = 0;
    for (uint64_t offset = 0; rc == 0 && offset + RECORD_HEADER_BYTES <= finds->bytes; offset += RECORD_ALIGN_BYTES) {
        const struct record_header *header = (const struct record_header *)(finds->area + offset);
        if (header->type == RECORD_DATA && may_be_header(finds, offset) && mark_of(header) == finds->mark &&
            header->payload_crc == crc32c(0, record_payload(header), header->length)) {
            rc = keep(finds, header);
        }
    }
    return rc;
}

static int compare_records(const void *one, const void *other) {
    const struct record_header *a = *(const struct record_header *const *)one;
    const struct record_header *b = *(const struct record_header *const *)other;
    return a->sequence != b->sequence ? (a->sequence < b->sequence ? -1 : 1) : a->epoch < b->epoch ? -1 : a->epoch > b->epoch;
}

/* Its mark and size, if one of the superblocks is left. */
static int read_superblock(struct device *device, struct finds *finds) {
    static const uint8_t zeros[RECORD_CRC_COVERS];
    int found = 0;
    const size_t bytes = align_up(sizeof(struct superblock), device->block_bytes);
    struct superblock *superblock = platform_allocate(device->platform, bytes, PLATFORM_PLAIN);
    for (unsigned copy = 0; superblock != NULL && copy < LAYOUT_SUPERBLOCK_COPIES && !found; copy++) {
        uint64_t unreadable = 0;
        if (device_read_salvage(device, LAYOUT_SUPERBLOCK_OFFSET(copy), superblock, bytes, count_unreadable,
                                &unreadable) == 0 && superblock_judge(superblock) == SUPERBLOCK_VALID) {
            finds->mark = crc32c(crc_seed_of(superblock->uuid), zeros, sizeof zeros) ^ crc32c(0, zeros, sizeof zeros);
            finds->bytes = superblock->capacity_bytes < finds->bytes ? superblock->capacity_bytes : finds->bytes;
            found = 1;
        }
    }
    if (superblock != NULL) {
        platform_release(device->platform, superblock, bytes);
    }
    return found;
}

static int search(struct device *device, struct finds *finds) {
    struct sysinfo host;
    if (device->medium_bytes <= LAYOUT_DATA_OFFSET) {
        return error_set(ENODATA, "%s holds no record: it has only %llu bytes", device->path,
                         (unsigned long long)device->medium_bytes);
    }
    finds->bytes = align_down(device->medium_bytes - LAYOUT_DATA_OFFSET, device->block_bytes);
    const int is_known = read_superblock(device, finds);
    if (sysinfo(&host) == 0 && finds->bytes > (uint64_t)host.totalram * host.mem_unit / 2) {
        finds->bytes = align_down((uint64_t)host.totalram * host.mem_unit / 2, device->block_bytes);
    }
    uint8_t *area = platform_allocate(device->platform, finds->bytes, PLATFORM_PLAIN);
    if (area == NULL) {
        return error_set(ENOMEM, "no memory to read %s: %llu bytes", device->path, (unsigned long long)finds->bytes);
    }
    finds->area = area;
    int rc = device_read_salvage(device, LAYOUT_DATA_OFFSET, area, finds->bytes, count_unreadable, &finds->unreadable);
    rc = rc < 0 || is_known ? rc : find_mark(finds);
    rc = rc < 0 ? rc : find_records(finds);
    if (rc == -ENODATA || (rc == 0 && finds->count == 0)) {
        return error_set(ENODATA, "%s holds no whole record of a ring", device->path);
    }
    return rc;
}

static void print(const struct device *device, const struct finds *finds, int json) {
    struct report report;
    report_begin(&report, stdout, json);
    report_text(&report, "ring", device->path);
    dump_head(&report);
    for (size_t i = 0; i < finds->count; i++) {
        dump_record(&report, finds->records[i], "whole");
    }
    report_list_end(&report);
    report_number(&report, "records", finds->count);
    report_number(&report, "unreadable bytes", finds->unreadable);
    report_end(&report);
}

int command_salvage(int argc, char **argv) {
    int json;
    const char *path;
    const int code = cli_read_ring(argc, argv, "burstlog salvage [--json] RING",
                                   "Shows every whole record of a ring that is cut or has lost its superblocks or checkpoints, in "
                                   "the\norder of their sequences. Which of them the log file has, and which an open had voided, is "
                                   "unknown.", &json, &path);
    if (code != CLI_GO_ON) {
        return code;
    }
    struct device *device;
    int rc = device_open(&platform_linux, path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return cli_failed(rc);
    }
    struct finds finds = {.area = NULL};
    rc = search(device, &finds);
    if (rc == 0) {
        qsort(finds.records, finds.count, sizeof *finds.records, compare_records);
        print(device, &finds, json);
    }
    free(finds.records);
    if (finds.area != NULL) {
        platform_release(device->platform, (void *)finds.area, finds.bytes);
    }
    device_close(device);
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
