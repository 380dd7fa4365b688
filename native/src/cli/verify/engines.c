/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flush by one engine also makes durable what the engine before it left in the cache. So a power cut tests only the
 * engine that is writing. Turns are therefore long and equally long in time: the cut may come in any of them.
 */
#include "cli/verify/engines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "log/calibrate.h"
#include "device/medium.h"
#include "device/open.h"

#define TURN_NS 200000000ll
#define TRIAL_WRITES 32

int verify_parse_io(const char *name, uint32_t *io) {
    *io = BURST_IO_AUTO;
    for (size_t i = 0; device_backends[i] != NULL; i++) {
        if (strcmp(name, device_backends[i]->name) == 0) {
            *io = device_backends[i]->io;
        }
    }
    return *io != BURST_IO_AUTO || strcmp(name, "auto") == 0 ? 0 : -EINVAL;
}

/* Allocates memory of the engine's own kind (registered, aligned). A mapped medium has only itself, and gets plain
 * memory. */
static int allocate_block(struct verify_engine *engine) {
    struct device *device = engine->device;
    engine->block = device->mapping != NULL ? platform_allocate(device->platform, device->block_bytes, PLATFORM_PLAIN)
                                            : device->ops->image(device, device->block_bytes);
    return engine->block != NULL ? 0 : error_set(ENOMEM, "no memory for a block of %u bytes", device->block_bytes);
}

int verify_engines_open(struct device *device, uint32_t io, struct verify_engines *engines) {
    struct measured_engine found[CALIBRATION_ENGINES_MAX];
    uint32_t count = 0;
    int rc = 0;
    *engines = (struct verify_engines){.count = 0};
    if (io == BURST_IO_AUTO && device->io == BURST_IO_PWRITE) {
        device_open_engines(device, found, &count, engines->left_out, sizeof engines->left_out);
    } else {
        found[count++].device = device;
    }
    for (uint32_t i = 0; i < count; i++) {
        engines->engines[engines->count++] = (struct verify_engine){.device = found[i].device};
    }
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        rc = allocate_block(&engines->engines[i]);
    }
    if (rc < 0) {
        verify_engines_close(device, engines);
    }
    return rc;
}

void verify_engines_close(struct device *device, struct verify_engines *engines) {
    for (uint32_t i = 0; i < engines->count; i++) {
        struct verify_engine *engine = &engines->engines[i];
        if (engine->device->mapping != NULL && engine->block != NULL) {
            platform_release(engine->device->platform, engine->block, engine->device->block_bytes);
        }
        if (engine->device != device) {
            device_close(engine->device);
        }
    }
    engines->count = 0;
}

int verify_engine_write(const struct verify_engine *engine, uint64_t offset) {
    struct device *device = engine->device;
    struct device_write write = {.offset = offset, .data = engine->block, .bytes = device->block_bytes};
    if (device->mapping != NULL) {
        return device->ops->write(device, offset, engine->block, device->block_bytes);
    }
    device->ops->submit(device, &write);
    const int rc = device->ops->complete(device) == &write ? write.result : -EIO;
    return rc == 0 ? 0
                   : error_set(-rc, "writing %zu bytes at %llu of %s with %s failed: %s", write.bytes,
                               (unsigned long long)offset, device->path, device->ops->name, device_failure(rc));
}

int verify_engines_plan_turns(const struct verify_engines *engines, struct verify_block *test) {
    const uint64_t share = test->slots / (2 * engines->count); /* two rounds then fit on the medium for the check */
    const uint64_t most = share > 0 ? share : 1;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < engines->count; i++) {
        const struct verify_engine *engine = &engines->engines[i];
        const int64_t begin_ns = platform_monotonic_ns(&platform_linux);
        memset(engine->block, 0, test->block_bytes);
        for (int n = 0; rc == 0 && n < TRIAL_WRITES; n++) {
            rc = verify_engine_write(engine, verify_block_offset(1, test->slots, test->block_bytes));
        }
        const int64_t took_ns = (platform_monotonic_ns(&platform_linux) - begin_ns) / TRIAL_WRITES + 1;
        const uint64_t blocks = (uint64_t)(TURN_NS / took_ns) + 1;
        test->turns[i] =
            (struct verify_turn){.io = engine->device->io, .blocks = (uint32_t)(blocks < most ? blocks : most)};
    }
    return rc;
}
