/* SPDX-License-Identifier: Apache-2.0 */
/* A checkpoint with any fields: the first 200 bytes of the input are its fields, the rest is the name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/violation.h"
#include "media/checkpoint_v1.h"
#include "simulator/world.h"

#define FIELD_BYTES 200u

static void fill(struct checkpoint *checkpoint, const uint8_t *data, size_t size) {
    memset(checkpoint, 0, sizeof *checkpoint);
    memcpy(checkpoint, data, size < FIELD_BYTES ? size : FIELD_BYTES);
    const size_t left = size < FIELD_BYTES ? 0 : size - FIELD_BYTES;
    memcpy(checkpoint->file_name, data + size - left,
           left < sizeof checkpoint->file_name ? left : sizeof checkpoint->file_name);
}

/* Room of exactly this size: a byte more is noticed. */
static int name_in(const struct checkpoint *checkpoint, size_t room) {
    char *path = malloc(room);
    MUST(path != NULL);
    memset(path, 'x', room);
    const int rc = checkpoint_file(checkpoint, path, room);
    MUST(rc == 0 || rc == -ENAMETOOLONG);
    if (rc == 0) {
        MUST(strlen(path) < room);
        MUST(strlen(path) >= checkpoint->stream.file_name_bytes);
        MUST(memcmp(path, checkpoint->file_name, checkpoint->stream.file_name_bytes) == 0);
        MUST(checkpoint->stream.file_name_bytes == 0 || path[0] == '/');
    }
    free(path);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const size_t rooms[] = {1, 2, 16, 64, 4096, 8192};
    static struct checkpoint checkpoint;
    if (size == 0) {
        return 0;
    }
    const uint32_t crc_seed = data[0];
    fill(&checkpoint, data, size);
    MUST(!checkpoint_is_valid(&checkpoint, crc_seed) || checkpoint.magic == CHECKPOINT_MAGIC);
    checkpoint_seal(&checkpoint, crc_seed);
    MUST(!checkpoint_is_valid(&checkpoint, crc_seed + 1));
    if (!checkpoint_is_valid(&checkpoint, crc_seed)) {
        return 0;
    }
    MUST(checkpoint.stream.tail_bytes <= CHECKPOINT_TAIL_BYTES);
    MUST(checkpoint.stream.file_name_bytes < sizeof checkpoint.file_name);
    for (size_t i = 0, fits = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        const int rc = name_in(&checkpoint, rooms[i]);
        MUST(!fits || rc == 0); /* what fits a small room fits a large one */
        fits = rc == 0;
        MUST(rooms[i] < sizeof checkpoint || fits);
    }
    if (checkpoint_fits(&checkpoint, LAYOUT_MAX_CAPACITY_BYTES)) {
        MUST(checkpoint.durable_position < 1ull << 63 && checkpoint.in_flight_end < 1ull << 63);
    }
    MUST(checkpoint.generation < UINT64_MAX / 2 && checkpoint.stream.next_sequence != 0);
    return 0;
}
