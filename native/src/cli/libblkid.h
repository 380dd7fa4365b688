/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libblkid, loaded when `burstlog format` first needs it. So the command runs on hosts without it, and no compiler
 * needs its header. Without libblkid nobody knows what is on a medium, and nothing is formatted.
 */
#ifndef BURST_CLI_LIBBLKID_H
#define BURST_CLI_LIBBLKID_H

#include <stddef.h>
#include <stdint.h>

typedef struct blkid_struct_probe *blkid_probe;

#define LIBBLKID_FUNCTIONS(FUNCTION)                                                                                   \
    FUNCTION(blkid_probe, blkid_new_probe, (void))                                                                     \
    FUNCTION(int, blkid_probe_set_device, (blkid_probe probe, int fd, int64_t offset, int64_t bytes))                  \
    FUNCTION(int, blkid_probe_enable_superblocks, (blkid_probe probe, int enable))                                     \
    FUNCTION(int, blkid_probe_set_superblocks_flags, (blkid_probe probe, int flags))                                   \
    FUNCTION(int, blkid_probe_enable_partitions, (blkid_probe probe, int enable))                                      \
    FUNCTION(int, blkid_probe_set_partitions_flags, (blkid_probe probe, int flags))                                    \
    FUNCTION(int, blkid_do_probe, (blkid_probe probe))                                                                 \
    FUNCTION(int, blkid_do_wipe, (blkid_probe probe, int dry_run))                                                     \
    FUNCTION(int, blkid_probe_lookup_value, (blkid_probe probe, const char *name, const char **data, size_t *bytes))   \
    FUNCTION(void, blkid_free_probe, (blkid_probe probe))

#define LIBBLKID_SUPERBLOCKS_LABEL (1 << 1)
#define LIBBLKID_SUPERBLOCKS_UUID (1 << 3)
#define LIBBLKID_SUPERBLOCKS_TYPE (1 << 5)
#define LIBBLKID_SUPERBLOCKS_MAGIC (1 << 9)
#define LIBBLKID_PARTITIONS_FORCE_GPT (1 << 1)
#define LIBBLKID_PARTITIONS_MAGIC (1 << 3)

struct libblkid {
#define LIBBLKID_POINTER(type, name, parameters) type(*name) parameters;
    LIBBLKID_FUNCTIONS(LIBBLKID_POINTER)
#undef LIBBLKID_POINTER
};

/* The library, loaded by the first call; NULL with a sentence that names the device. */
const struct libblkid *libblkid_load(const char *path);

#endif
