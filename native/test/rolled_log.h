/* SPDX-License-Identifier: Apache-2.0 */
/* A log of lines that rolls, on a ring in memory; and a host that stops at any of its operations. */
#ifndef BURST_TEST_ROLLED_LOG_H
#define BURST_TEST_ROLLED_LOG_H

#include "text_log.h"

#include "drain/stream.h"
#include "media/roll.h"

static char archive[sizeof host.file + 64];

/* The host stops after so many operations that change files or the ring's medium; later ones change
 * nothing. < 0: it runs on. */
static int operations_left = -1;
static int renames, crashed;
static char last_operation[32];

static inline int is_stopped(const char *operation) {
    snprintf(last_operation, sizeof last_operation, "%s", operation);
    crashed |= operations_left == 0;
    operations_left -= operations_left > 0;
    return crashed;
}

static inline int stopping_create(const struct files *files, const char *path, const struct new_file *new_file) {
    return is_stopped("create") ? -EIO : files_posix.ops->create(files, path, new_file);
}

static inline int stopping_sync_name(const struct files *files, const char *path) {
    (void)files;
    (void)path;
    return is_stopped("sync_name") ? -EIO : 0;
}

static inline int stopping_rename(const struct files *files, const char *from, const char *to) {
    renames++;
    return is_stopped("rename") ? -EIO : files_posix.ops->rename(files, from, to);
}

/* The host stops in the midst of a write. */
static inline int64_t stopping_write(const struct files *files, int file, const void *data, size_t bytes,
                                     uint64_t offset) {
    if (crashed || bytes < 2) {
        return is_stopped("write") ? -EIO : files_posix.ops->write(files, file, data, bytes, offset);
    }
    const int64_t half = files_posix.ops->write(files, file, data, bytes / 2, offset);
    return is_stopped("write") ? -EIO : half;
}

static inline int stopping_sync(const struct files *files, int file) {
    (void)files;
    (void)file;
    return is_stopped("sync") ? -EIO : 0; /* a real sync takes time and changes nothing here */
}

static inline int stopping_truncate(const struct files *files, int file, uint64_t bytes) {
    return is_stopped("truncate") ? -EIO : files_posix.ops->truncate(files, file, bytes);
}

static inline int stopping_ring_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    return is_stopped("note") ? -EIO : memory_write(device, offset, data, bytes);
}

static inline int begin_rolled_log(void **state) {
    static struct device_ops device_ops;
    format_ring(state);
    own_ops();
    ops.create = stopping_create;
    ops.sync_name = stopping_sync_name;
    ops.rename = stopping_rename;
    ops.write = stopping_write;
    ops.sync = stopping_sync;
    ops.truncate = stopping_truncate;
    device_ops = memory_ops;
    device_ops.write = stopping_ring_write;
    host.device.ops = &device_ops;
    operations_left = -1;
    crashed = renames = 0;
    snprintf(archive, sizeof archive, "%.4000s/old/1", host.folder);
    return 0;
}

static inline void append_roll_record(const struct roll *roll, int64_t time_ns) {
    static uint8_t payload[8192];
    roll_encode(roll, payload);
    assert_true(ring_append_roll(host.engine->ring, payload, roll_size(roll), time_ns, &stream_0, &for_ever) > 0);
}

static inline struct roll roll_of(const char *footer, const char *header, const char *target, const char *next) {
    return (struct roll){.footer = (const uint8_t *)footer,
                         .header = (const uint8_t *)header,
                         .target = target,
                         .next = next,
                         .footer_bytes = (uint32_t)strlen(footer),
                         .header_bytes = (uint32_t)strlen(header),
                         .target_bytes = (uint32_t)strlen(target),
                         .next_bytes = (uint32_t)strlen(next)};
}

static inline void append_roll(const char *footer, const char *header, const char *target) {
    const struct roll roll = roll_of(footer, header, target, "");
    append_roll_record(&roll, 4711);
}

/* Drains until the host stops after so many operations. 1: it stopped; 0: all was drained before. */
static inline int drain_until_stop(int operations) {
    operations_left = operations;
    for (int i = 0; i < 100 && !crashed && !drain_is_done(host.engine->drainer.drain); i++) {
        engine_step(host.engine, 1);
    }
    return crashed;
}

/* The next process begins with what the stop left. */
static inline void start_anew(void) {
    crashed = 1; /* closing changes nothing */
    close_ring();
    crashed = 0;
    operations_left = -1;
}

static inline void assert_missing(const char *path) {
    assert_int_equal(access(path, F_OK), -1);
}

#endif
