/* SPDX-License-Identifier: Apache-2.0 */
/* The engines that write the blocks of the plug-pull test, in the way in which they write a ring. */
#ifndef BURST_CLI_VERIFY_ENGINES_H
#define BURST_CLI_VERIFY_ENGINES_H

#include "cli/verify/block.h"
#include "device/device.h"

struct verify_engine {
    struct device *device;
    uint8_t *block; /* the memory that the engine writes from */
};

struct verify_engines {
    uint32_t count;
    struct verify_engine engines[VERIFY_TURNS];
    char left_out[DEVICE_FALLBACK_BYTES]; /* which engines cannot be tested, and why; "": all can */
};

/* Returns 0 if the medium is blank, or if `force` was given and it may be overwritten; else -errno with a sentence. */
int verify_check_free(struct device *device, int force);

/* Parses an engine's name such as "uring". Returns 0 or -EINVAL. */
int verify_parse_io(const char *name, uint32_t *io);

/* Opens each engine that io=auto may take for the medium; if io names one, only that one. Returns 0, or -errno with a
 * sentence. The caller closes the engines before the device. */
int verify_engines_open(struct device *device, uint32_t io, struct verify_engines *engines);
void verify_engines_close(struct device *device, struct verify_engines *engines);

/* Plans the turns: each engine gets so many blocks that all write for about the same time. Measures that by writing to
 * the first slot. Returns 0, or -errno with a sentence. */
int verify_engines_plan_turns(const struct verify_engines *engines, struct verify_block *test);

/* Writes the engine's block in the way of a commit. Returns 0, or -errno with a sentence. */
int verify_engine_write(const struct verify_engine *engine, uint64_t offset);

#endif
