/* SPDX-License-Identifier: Apache-2.0 */
/* The engines that write the blocks of the plug-pull test, as they would write a ring. */
#ifndef BURST_CLI_VERIFY_ENGINES_H
#define BURST_CLI_VERIFY_ENGINES_H

#include "cli/verify/block.h"
#include "device/device.h"

struct verify_engine {
    struct device *device;
    uint8_t *block; /* the memory that it writes from */
};

struct verify_engines {
    uint32_t count;
    struct verify_engine engines[VERIFY_TURNS];
    char left_out[DEVICE_FALLBACK_BYTES]; /* "", or which engines cannot be tested, and why */
};

/* 0 if the medium is blank, or `force` was given and it may be overwritten; else -errno with a sentence. */
int verify_check_free(struct device *device, int force);

/* "uring". 0 or -EINVAL. */
int verify_parse_io(const char *name, uint32_t *io);

/* Opens every engine that io=auto may take for the medium, or, if io names one, that alone. 0, or -errno with a
 * sentence. Close them before the device. */
int verify_engines_open(struct device *device, uint32_t io, struct verify_engines *engines);
void verify_engines_close(struct device *device, struct verify_engines *engines);

/* Plans the turns: each engine gets so many blocks that all write for about the same time. Measures that by writes to
 * the first slot. 0, or -errno with a sentence. */
int verify_engines_plan_turns(const struct verify_engines *engines, struct verify_block *test);

/* Writes the block as a commit of a ring is written. 0, or -errno with a sentence. */
int verify_engine_write(const struct verify_engine *engine, uint64_t offset);

#endif
