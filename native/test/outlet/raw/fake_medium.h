/* SPDX-License-Identifier: Apache-2.0 */
/* A device in memory with a write cache: power loss may undo each sector that was written since the last sync. */
#ifndef BURST_TEST_OUTLET_RAW_FAKE_MEDIUM_H
#define BURST_TEST_OUTLET_RAW_FAKE_MEDIUM_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "outlet/raw/view.h"

#define FAKE_SECTOR_BYTES 512u
#define FAKE_BYTES (RAW_DATA_OFFSET + RAW_MIN_CAPACITY_BYTES)

struct fake {
    struct raw_media media; /* first */
    struct raw_medium writer, reader;
    int is_held, is_gone;
    int write_fails, sync_fails;      /* errno of each write or sync; 0: it succeeds */
    int64_t cut_in;                   /* the power is cut before so many more writes and syncs; < 0: never */
    uint64_t writes, syncs, openings; /* as writer */
    uint8_t durable[FAKE_BYTES], cached[FAKE_BYTES];
};

static struct fake fake;

static int fake_read(const struct raw_medium *medium, void *data, size_t bytes, uint64_t offset) {
    (void)medium;
    if (fake.is_gone || offset + bytes > sizeof fake.cached)
        return -EIO;
    memcpy(data, fake.cached + offset, bytes);
    return 0;
}

static int is_cut(void) {
    if (fake.cut_in > 0)
        fake.cut_in--;
    return fake.cut_in == 0 || fake.is_gone;
}

static int fake_write(const struct raw_medium *medium, const void *data, size_t bytes, uint64_t offset) {
    if (medium != &fake.writer || offset + bytes > sizeof fake.cached)
        return -EIO;
    if (is_cut() || fake.write_fails != 0)
        return fake.write_fails != 0 ? -fake.write_fails : -EIO;
    fake.writes++;
    memcpy(fake.cached + offset, data, bytes);
    return 0;
}

/* A failed sync loses what was to be written, as a page cache does. */
static int fake_sync(const struct raw_medium *medium) {
    (void)medium;
    if (is_cut())
        return -EIO;
    if (fake.sync_fails != 0) {
        memcpy(fake.cached, fake.durable, sizeof fake.cached);
        return -fake.sync_fails;
    }
    fake.syncs++;
    memcpy(fake.durable, fake.cached, sizeof fake.durable);
    return 0;
}

static void fake_close(struct raw_medium *medium) {
    if (medium == &fake.writer)
        fake.is_held = 0;
}

static const struct raw_medium_ops fake_ops = {
    .read = fake_read, .write = fake_write, .sync = fake_sync, .close = fake_close};

static int fake_open(const struct raw_media *media, const char *path, enum device_access access,
                     struct raw_medium **medium) {
    (void)media;
    if (fake.is_gone)
        return error_set(ENOENT, "log device %s does not exist: check the path", path);
    if (access == DEVICE_WRITER && fake.is_held)
        return error_set(EBUSY, "log device %s is held by process 17 (java)", path);
    fake.is_held |= access == DEVICE_WRITER;
    fake.openings += access == DEVICE_WRITER;
    *medium = access == DEVICE_WRITER ? &fake.writer : &fake.reader;
    return 0;
}

static inline void fake_make(void) {
    memset(&fake, 0, sizeof fake);
    fake.media.open = fake_open;
    fake.cut_in = -1;
    fake.writer = fake.reader = (struct raw_medium){.ops = &fake_ops, .bytes = sizeof fake.cached};
}

static inline void fake_format(void) {
    if (raw_format(&platform_linux, &fake.writer, "/dev/fake") < 0)
        fail_msg("%s", error_text());
}

/* Brings the power back: each sector that was not synced has its old or its new content. */
static inline void fake_power_up(uint64_t (*random)(void)) {
    for (size_t at = 0; at < sizeof fake.cached; at += FAKE_SECTOR_BYTES) {
        if (memcmp(fake.cached + at, fake.durable + at, FAKE_SECTOR_BYTES) != 0 && random() % 2 == 0)
            memcpy(fake.cached + at, fake.durable + at, FAKE_SECTOR_BYTES);
    }
    memcpy(fake.durable, fake.cached, sizeof fake.durable);
    fake.is_held = 0;
    fake.cut_in = -1;
}

static inline struct raw_view fake_view(void) {
    struct raw_view view;
    if (raw_view_read(&fake.reader, "/dev/fake", &view) < 0)
        fail_msg("%s", error_text());
    return view;
}

#endif
