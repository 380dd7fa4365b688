/* SPDX-License-Identifier: Apache-2.0 */
/* A ring in memory under the production engine, with its log file in a folder of its own. Time passes only if a test
 * says so: the engine does nothing just because a while has passed. */
#ifndef BURST_TEST_MEMORY_RING_H
#define BURST_TEST_MEMORY_RING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "append_rules.h"
#include "base/error.h"
#include "burstlog.h"
#include "log/engine.h"
#include "media/record.h"
#include "one_stream.h"

#define BLOCK_BYTES 4096u
#ifndef CAPACITY_BYTES
#define CAPACITY_BYTES (16u * BLOCK_BYTES)
#endif
#define MEDIUM_BYTES (LAYOUT_DATA_OFFSET + CAPACITY_BYTES)

static _Alignas(4096) uint8_t medium[MEDIUM_BYTES], image[CAPACITY_BYTES];

static struct {
    struct device device;
    struct files files;
    struct events events;
    struct engine *engine;
    struct device_write *submitted;
    int flushes;
    int fail_flush;
    int fail_submitted; /* writes of the ring fail */
    int reads_before_flush;
    uint64_t unreadable_below; /* reads that begin below this offset fail */
    int accesses;
    struct window_maker *window_maker; /* NULL: the ring has no window */
    int64_t now_ns;
    void (*memory_limit)(const struct platform *platform, struct memory_limit *limit); /* NULL: there is no limit */
    void *(*allocate)(const struct platform *platform, size_t bytes, enum platform_memory kind); /* NULL: the host's */
    char folder[4096 + 32];
    char file[4096 + 64];
    int has_index;    /* the log file gets an index */
    const char *copy; /* name of the log's second copy; NULL: none */
    int (*park)(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns);
    void (*unpark)(const struct platform *platform, _Atomic uint32_t *word, int count);
} host;

static inline int64_t standing_clock_ns(const struct platform *platform) {
    (void)platform;
    return host.now_ns;
}

/* The host, with that clock and that memory limit. */
static inline const struct platform *timeless_platform(void) {
    static struct platform_ops ops;
    static const struct platform platform = {&ops};
    ops = *platform_linux.ops;
    ops.monotonic_ns = standing_clock_ns;
    ops.memory_limit = host.memory_limit;
    ops.allocate = host.allocate != NULL ? host.allocate : ops.allocate;
    ops.park = host.park != NULL ? host.park : ops.park;
    ops.unpark = host.unpark != NULL ? host.unpark : ops.unpark;
    return &platform;
}

static inline void *memory_image(struct device *device, size_t bytes) {
    (void)device;
    assert_int_equal(bytes, sizeof image);
    return image;
}

static inline int memory_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    (void)device;
    host.accesses++;
    memcpy(medium + offset, data, bytes);
    return 0;
}

static inline int memory_read(struct device *device, uint64_t offset, void *data, size_t bytes) {
    host.accesses++;
    host.reads_before_flush += host.flushes == 0;
    if (offset < host.unreadable_below) {
        return error_set(EIO, "reading %s failed", device->path);
    }
    memcpy(data, medium + offset, bytes);
    return 0;
}

static inline void memory_submit(struct device *device, struct device_write *write) {
    write->result = host.fail_submitted ? -EIO : memory_write(device, write->offset, write->data, write->bytes);
    host.submitted = write;
}

static inline struct device_write *memory_complete(struct device *device) {
    (void)device;
    return host.submitted;
}

static inline int memory_flush(struct device *device) {
    host.flushes++;
    return host.fail_flush ? error_set(EIO, "flushing %s failed", device->path) : 0;
}

static const struct device_ops memory_ops = {
    .name = "memory",
    .image = memory_image,
    .submit = memory_submit,
    .complete = memory_complete,
    .write = memory_write,
    .read = memory_read,
    .flush = memory_flush,
};

static inline int format_ring(void **state) {
    (void)state;
    memset(&host, 0, sizeof host);
    memset(medium, 0, sizeof medium);
    host.now_ns = 1000000000;
    host.device = (struct device){.ops = &memory_ops,
                                  .medium_bytes = MEDIUM_BYTES,
                                  .block_bytes = BLOCK_BYTES,
                                  .logical_block_bytes = 512,
                                  .write_depth = 1,
                                  .path = "/ring"};
    host.files = files_posix;
    events_init(&host.events, &platform_linux);
    assert_non_null(getcwd(host.folder, 4096));
    strcat(host.folder, "/burst-engine-XXXXXX");
    assert_non_null(mkdtemp(host.folder));
    snprintf(host.file, sizeof host.file, "%s/log", host.folder);
    return ledger_format(&platform_linux, &host.device, MEDIUM_BYTES);
}

static inline int remove_folder(void **state) {
    (void)state;
    if (host.engine != NULL) {
        engine_close(host.engine);
        host.engine = NULL;
    }
    char command[sizeof host.folder + 16];
    snprintf(command, sizeof command, "rm -r '%s'", host.folder);
    return system(command);
}

static inline int try_to_open(void) {
    const struct engine_parts parts = {.platform = timeless_platform(),
                                       .device = &host.device,
                                       .files = &host.files,
                                       .events = &host.events,
                                       .window_maker = host.window_maker};
    const struct engine_stream main_stream = {.name = "", .path = host.file, .has_index = host.has_index};
    const struct engine_config config = {.main = &main_stream, .copy = host.copy};
    host.flushes = host.reads_before_flush = host.accesses = 0;
    return engine_open(&parts, &config, &host.engine);
}

static inline void open_ring(void) {
    assert_int_equal(try_to_open(), 0);
}

static inline void close_ring(void) {
    engine_close(host.engine);
    host.engine = NULL;
}

static inline struct superblock *superblock(unsigned copy) {
    return (struct superblock *)(medium + LAYOUT_SUPERBLOCK_OFFSET(copy));
}

static inline struct one_stream *checkpoint(unsigned slot) {
    return (struct one_stream *)(medium + LAYOUT_CHECKPOINT_OFFSET(slot));
}

static inline int checkpoint_stands(unsigned slot) {
    return one_stream_stands(checkpoint(slot), crc_seed_of(superblock(0)->uuid), CAPACITY_BYTES);
}

static inline unsigned newest_slot(void) {
    return checkpoint(1)->head.generation > checkpoint(0)->head.generation;
}

static inline struct writer_note *note(unsigned slot) {
    return (struct writer_note *)(medium + LAYOUT_NOTE_OFFSET(slot));
}

static inline void append(size_t length) {
    static char record[2 * BLOCK_BYTES];
    memset(record, 'x', sizeof record);
    assert_true(ring_append(host.engine->ring, record, length, 0, &stream_0, &for_ever) > 0);
}

#define RING_TEST(name) cmocka_unit_test_setup_teardown(name, format_ring, remove_folder)

#endif
