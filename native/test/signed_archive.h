/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a signed archive as docs/archive.md describes it, in the order in which an archiver does. Its hashes are no tree
 * and its head has no signature: readers look at neither.
 */
#ifndef BURST_TEST_SIGNED_ARCHIVE_H
#define BURST_TEST_SIGNED_ARCHIVE_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

#define WRITTEN_FRAME_BYTES (1u << 20)

struct written_leaf {
    uint8_t kind; /* 0: 1 */
    int64_t sequence, time, taken;
    uint64_t count;
    char ring;
    const char *text; /* of an act */
};

struct written_archive {
    char path[128];
    uint64_t size, head;
    uint8_t bundle[256 * 1024], payloads[WRITTEN_FRAME_BYTES], frame[WRITTEN_FRAME_BYTES + 64];
    size_t bundle_bytes, payload_bytes;
    uint32_t table[2 * 256];
};

static void written_must(int is_true, const char *what) {
    if (!is_true) {
        perror(what);
        abort();
    }
}

/* The path of a file below the archive, whose folders are made. Valid until the next call. */
static const char *written_path(const struct written_archive *archive, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *written_path(const struct written_archive *archive, const char *format, ...) {
    static char path[400];
    va_list arguments;
    va_start(arguments, format);
    const int used = snprintf(path, sizeof path, "%s/", archive->path);
    vsnprintf(path + used, sizeof path - (size_t)used, format, arguments);
    va_end(arguments);
    for (char *slash = path + used; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    return path;
}

static void written_put(const char *path, int flags, const void *bytes, size_t count) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    written_must(fd >= 0 && write(fd, bytes, count) == (ssize_t)count && close(fd) == 0, path);
}

static void written_number(uint8_t *out, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        out[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    }
}

/* One frame of stored blocks, without a checksum, of a window of 128 KiB. */
static size_t written_frame(uint8_t *out, const uint8_t *bytes, size_t count) {
    size_t used = 6;
    memcpy(out, "\x28\xb5\x2f\xfd\x00\x38", used);
    do {
        const size_t block = count < 128u * 1024u ? count : 128u * 1024u;
        const uint32_t head = (uint32_t)block << 3 | (block == count);
        memcpy(out + used, &head, 3);
        memcpy(out + used + 3, bytes, block);
        used += 3 + block;
        bytes += block;
        count -= block;
    } while (count > 0);
    return used;
}

/* Numbers below a million. */
static const char *written_group(uint64_t number) {
    static char text[16];
    if (number < 1000) {
        snprintf(text, sizeof text, "%03u", (unsigned)number);
    } else {
        snprintf(text, sizeof text, "x%03u/%03u", (unsigned)(number / 1000), (unsigned)(number % 1000));
    }
    return text;
}

static void written_end_bundle(struct written_archive *archive) {
    const uint64_t number = archive->size / 256 - 1, file = number / 256;
    const size_t bytes = written_frame(archive->frame, archive->payloads, archive->payload_bytes);
    written_put(written_path(archive, "payload/%s.zst", written_group(file)), O_APPEND, archive->frame, bytes);
    archive->table[2 * (number % 256)] = (uint32_t)bytes;
    archive->table[2 * (number % 256) + 1] = (uint32_t)archive->payload_bytes;
    if (number % 256 == 255) {
        const uint32_t head[] = {0x184d2a5e, sizeof archive->table + 9};
        written_put(written_path(archive, "payload/%s.zst", written_group(file)), O_APPEND, head, sizeof head);
        written_put(written_path(archive, "payload/%s.zst", written_group(file)), O_APPEND, archive->table,
                    sizeof archive->table);
        written_put(written_path(archive, "payload/%s.zst", written_group(file)), O_APPEND,
                    "\0\1\0\0\0\xb1\xea\x92\x8f", 9);
    }
    written_put(written_path(archive, "tile/entries/%s", written_group(number)), O_TRUNC, archive->bundle,
                archive->bundle_bytes);
    archive->bundle_bytes = archive->payload_bytes = 0;
}

static inline void written_add(struct written_archive *archive, struct written_leaf leaf, const void *payload,
                               size_t length) {
    const size_t text = leaf.text == NULL ? 0 : strlen(leaf.text), bytes = 112 + text;
    uint8_t *out = archive->bundle + archive->bundle_bytes;
    memset(out, 0, 2 + bytes);
    written_number(out, bytes, 2);
    out += 2;
    out[0] = 1;
    out[1] = leaf.kind == 0 ? 1 : leaf.kind;
    written_number(out + 4, length, 4);
    written_number(out + 8, (uint64_t)leaf.taken, 8);
    written_number(out + 16, (uint64_t)leaf.time, 8);
    written_number(out + 24, (uint64_t)leaf.sequence, 8);
    written_number(out + 32, archive->size + 1, 8);
    written_number(out + 40, leaf.count == 0 ? 1 : leaf.count, 8);
    memset(out + 64, leaf.ring, 16);
    sha256(payload, length, out + 80);
    memcpy(out + 112, leaf.text == NULL ? "" : leaf.text, text);
    archive->bundle_bytes += 2 + bytes;
    written_must(archive->payload_bytes + length <= sizeof archive->payloads, "a bundle of less than 1 MiB");
    memcpy(archive->payloads + archive->payload_bytes, length > 0 ? payload : "", length);
    archive->payload_bytes += length;
    if (++archive->size % 256 == 0) {
        written_end_bundle(archive);
    }
}

static inline void written_head(struct written_archive *archive, uint64_t size) {
    char note[256], from[300];
    snprintf(note, sizeof note,
             "example.com/orders\n%llu\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
             "\xe2\x80\x94 example.com/orders Az3grlgt\n",
             (unsigned long long)size);
    written_put(written_path(archive, "checkpoint.tmp"), O_TRUNC, note, strlen(note));
    snprintf(from, sizeof from, "%s", written_path(archive, "checkpoint.tmp"));
    written_must(rename(from, written_path(archive, "checkpoint")) == 0, "rename");
}

/* Writes what is partial, then the head, and deletes what is partial no more. */
static inline void written_commit(struct written_archive *archive) {
    const unsigned width = (unsigned)(archive->size % 256), before = (unsigned)(archive->head % 256);
    if (width > 0) {
        written_put(written_path(archive, "tile/entries/%s.p/%u", written_group(archive->size / 256), width), O_TRUNC,
                    archive->bundle, archive->bundle_bytes);
        written_put(written_path(archive, "payload/%s.p/%u.zst", written_group(archive->size / 65536),
                                 (unsigned)(archive->size % 65536)),
                    O_TRUNC, archive->frame, written_frame(archive->frame, archive->payloads, archive->payload_bytes));
    }
    written_head(archive, archive->size);
    if (before > 0) {
        unlink(written_path(archive, "payload/%s.p/%u.zst", written_group(archive->head / 65536),
                            (unsigned)(archive->head % 65536)));
    }
    if (before > 0 && archive->head / 256 != archive->size / 256) {
        char command[600];
        snprintf(command, sizeof command, "rm -rf '%s'",
                 written_path(archive, "tile/entries/%s.p", written_group(archive->head / 256)));
        written_must(system(command) == 0, command);
    }
    archive->head = archive->size;
}

static inline struct written_archive *written_begin(const char *path) {
    struct written_archive *archive = calloc(1, sizeof *archive);
    written_must(archive != NULL, "calloc");
    snprintf(archive->path, sizeof archive->path, "%s", path);
    mkdir(path, 0700);
    written_add(archive, (struct written_leaf){.kind = 16, .text = "key: example.com/orders+33d+AZ\n"}, NULL, 0);
    return archive;
}

#endif
