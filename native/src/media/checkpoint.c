/* SPDX-License-Identifier: Apache-2.0 */
#include "media/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"

static uint32_t checkpoint_crc(const struct checkpoint *checkpoint, uint32_t crc_seed) {
    return crc32c(crc_seed, checkpoint, offsetof(struct checkpoint, crc));
}

void checkpoint_seal(struct checkpoint *checkpoint, uint32_t crc_seed) {
    checkpoint->magic = CHECKPOINT_MAGIC;
    checkpoint->crc = checkpoint_crc(checkpoint, crc_seed);
}

int checkpoint_is_valid(const struct checkpoint *checkpoint, uint32_t crc_seed) {
    return checkpoint->magic == CHECKPOINT_MAGIC && checkpoint->crc == checkpoint_crc(checkpoint, crc_seed) &&
           checkpoint->stream_count == 1 && checkpoint->stream.file_name_bytes < sizeof checkpoint->file_name &&
           checkpoint->stream.tail_bytes <= CHECKPOINT_TAIL_BYTES;
}

void checkpoint_make_first(struct checkpoint *checkpoint, uint64_t generation, uint32_t crc_seed) {
    memset(checkpoint, 0, sizeof *checkpoint);
    checkpoint->generation = generation;
    checkpoint->stream_count = 1;
    checkpoint->next_sequence = 1;
    checkpoint->stream.next_sequence = 1;
    checkpoint_seal(checkpoint, crc_seed);
}

int checkpoint_file(const struct checkpoint *checkpoint, char *path, size_t path_bytes) {
    const struct checkpoint_stream *stream = &checkpoint->stream;
    int used = snprintf(path, path_bytes, "%.*s", (int)stream->file_name_bytes, (const char *)checkpoint->file_name);
    if (stream->diverted_sequence != 0 && used >= 0 && (size_t)used < path_bytes) {
        used += snprintf(path + used, path_bytes - (size_t)used, ".%llu", (unsigned long long)stream->diverted_sequence);
        if (stream->diverted_attempt != 0 && (size_t)used < path_bytes) {
            used += snprintf(path + used, path_bytes - (size_t)used, ".%u", stream->diverted_attempt);
        }
    }
    return used < 0 || (size_t)used >= path_bytes ? -ENAMETOOLONG : 0;
}
