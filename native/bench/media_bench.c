/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of an append beyond that of its medium and engine. One thread appends; after each append it makes a bare
 * write of the commit's bytes to an equal medium, with the same engine and nothing above it. In turns, so that the
 * machine's other work hits both alike. Prints one row of a table.
 *
 *     media_bench NAME RING BARE LOG_FILE ENGINE RECORDS RECORD_BYTES
 *
 * ENGINE: auto, or the name of an engine. RING: a ring, or a file to be created. BARE: an equal device, or a file of at
 * least 32 MiB, which is overwritten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/medium.h"
#include "device/open.h"
#include "log/log.h"

#define RING_BYTES (16u << 20)
#define BARE_BYTES (16u << 20)
#define COMMIT_BYTES_MAX (64u << 10)

struct bare {
    struct device *device;
    uint8_t *image;
    uint64_t next;
};

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "media_bench: %s: %s\n", what, burst_last_error());
    exit(1);
}

static uint32_t engine_named(const char *name) {
    for (uint32_t io = DEVICE_IO_PWRITE; io <= DEVICE_IO_FLUSH; io++) {
        if (strcmp(device_backend_of(io)->name, name) == 0) {
            return io;
        }
    }
    return DEVICE_IO_AUTO;
}

static burst_t *open_log(char **argv) {
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = argv[4]};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = argv[2];
    config.main = &main_config;
    config.ring_bytes = RING_BYTES;
    config.durability = BURST_DURABILITY_PROCESS;
    config.io = engine_named(argv[5]);
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        die(argv[2]);
    }
    return log;
}

static void open_bare(struct bare *bare, const char *path, uint32_t io) {
    if (device_open(&platform_linux, path, DEVICE_WRITER, io, &bare->device) < 0) {
        die(path);
    }
    bare->image = bare->device->ops->image(bare->device, BARE_BYTES);
    if (bare->image == NULL) {
        die(path);
    }
    /* Touches all of it, as a lap touches a ring's image. */
    for (uint64_t at = 0; bare->device->mapping == NULL && at < BARE_BYTES; at += 4096) {
        bare->image[at] = 1;
    }
}

/* If the medium is memory, the copy is the write. */
static int64_t write_bare(struct bare *bare, const void *data, size_t bytes) {
    if (bare->next + bytes > BARE_BYTES) {
        bare->next = 0;
    }
    struct device *device = bare->device;
    struct device_write write = {
        .offset = LAYOUT_DATA_OFFSET + bare->next, .data = bare->image + bare->next, .bytes = bytes};
    if (device->mapping == NULL) {
        memcpy(bare->image + bare->next, data, bytes);
    }
    const int64_t begin_ns = now_ns();
    if (device->mapping != NULL) {
        memcpy(bare->image + bare->next, data, bytes);
    }
    device->ops->submit(device, &write);
    if (device->ops->complete(device) != &write || write.result < 0) {
        die("bare write");
    }
    const int64_t took_ns = now_ns() - begin_ns;
    bare->next += bytes;
    return took_ns;
}

/* Measures both latencies of one record; 0 if its commit took two writes, over the end of a lap. */
static int measure(burst_t *log, struct bare *bare, const void *record, size_t length, int64_t *append_ns,
                   int64_t *bare_ns) {
    uint64_t before, after, sequence;
    ring_durable(log->ring, &before, &sequence);
    const int64_t begin_ns = now_ns();
    if (burst_append(log, record, length, 0) < 0) {
        die("append");
    }
    *append_ns = now_ns() - begin_ns;
    ring_durable(log->ring, &after, &sequence);
    const uint64_t capacity = log->ring->geometry.capacity_bytes;
    if (before / capacity != (after - 1) / capacity || after - before > COMMIT_BYTES_MAX) {
        return 0;
    }
    *bare_ns = write_bare(bare, ring_at(log->ring, before), after - before);
    return 1;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double percentile(const int64_t *sorted, size_t count, double part) {
    return (double)sorted[(size_t)(part * (double)(count - 1))] / 1000;
}

static void print_row(const char *name, const char *engine, int64_t *append_ns, int64_t *bare_ns, size_t count) {
    static const double parts[] = {0.5, 0.99, 0.999};
    qsort(append_ns, count, sizeof *append_ns, compare);
    qsort(bare_ns, count, sizeof *bare_ns, compare);
    printf("| %s | `%s` |", name, engine);
    for (int i = 0; i < 3; i++) {
        printf(" %.2f |", percentile(bare_ns, count, parts[i]));
    }
    for (int i = 0; i < 3; i++) {
        printf(" %.2f |", percentile(append_ns, count, parts[i]));
    }
    for (int i = 0; i < 3; i++) {
        printf(" %.2f |", percentile(append_ns, count, parts[i]) / percentile(bare_ns, count, parts[i]));
    }
    printf("\n");
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: media_bench NAME RING BARE LOG_FILE ENGINE RECORDS RECORD_BYTES\n");
        return 2;
    }
    const size_t count = strtoul(argv[6], NULL, 10), length = strtoul(argv[7], NULL, 10);
    burst_t *log = open_log(argv);
    struct bare bare = {0};
    open_bare(&bare, argv[3], log->ring->device->io);
    uint8_t *record = calloc(1, length + sizeof(size_t));
    int64_t *append_ns = calloc(count, sizeof *append_ns), *bare_ns = calloc(count, sizeof *bare_ns);
    if (record == NULL || append_ns == NULL || bare_ns == NULL || count == 0) {
        die("memory");
    }
    for (size_t i = 0; i < length; i++) {
        record[i] = (uint8_t)(rand() >> 4);
    }
    /* One whole lap of both first, since the first lap also pays for allocating the medium. */
    uint64_t end, sequence;
    for (end = 0; end < log->ring->geometry.capacity_bytes; ring_durable(log->ring, &end, &sequence)) {
        measure(log, &bare, record, length, append_ns, bare_ns);
    }
    for (size_t i = 0; i < count;) {
        memcpy(record, &i, sizeof i);
        i += (size_t)measure(log, &bare, record, length, append_ns + i, bare_ns + i);
    }
    print_row(argv[1], bare.device->ops->name, append_ns, bare_ns, count);
    device_close(bare.device);
    return burst_close(log) < 0;
}
