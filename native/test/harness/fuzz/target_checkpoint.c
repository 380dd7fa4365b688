/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a checkpoint slot, at its exact size. The CRC is made right, so that the rest is judged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/violation.h"
#include "media/checkpoint.h"

/* The room has exactly this size: the sanitizer notices a byte more. */
static int name_in(const struct outlet_state *outlet, size_t room) {
    char *path = malloc(room);
    MUST(path != NULL);
    memset(path, 'x', room);
    const int rc = outlet_state_file(outlet, path, room);
    MUST(rc == 0 || rc == -ENAMETOOLONG);
    if (rc == 0) {
        MUST(strlen(path) < room);
        MUST(strncmp(path, outlet->path, strlen(outlet->path)) == 0);
    }
    free(path);
    return rc;
}

static void check_stream(const struct stream_state *stream) {
    static const size_t rooms[] = {1, 2, 16, 64, 4096, 8192};
    MUST(stream->id < LAYOUT_STREAMS_MAX);
    MUST(strlen(stream->name) < sizeof stream->name && strlen(stream->outlet.path) < sizeof stream->outlet.path);
    MUST(stream->outlet.path[0] == '\0' || stream->outlet.path[0] == '/');
    MUST(stream->outlet.tail_bytes <= CHECKPOINT_TAIL_BYTES && stream->outlet.length <= INT64_MAX);
    MUST(stream->next_sequence != 0 && stream->next_sequence <= LAYOUT_NUMBER_MAX);
    for (size_t i = 0, fits = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        const int rc = name_in(&stream->outlet, rooms[i]);
        MUST(!fits || rc == 0); /* what fits a smaller room fits this one */
        fits = rc == 0;
        MUST(rooms[i] < 8192 || fits);
    }
}

/* A slot that was read is written again: its bytes are the same. */
static void check_again(const uint8_t *slot, size_t bytes, uint32_t crc_seed) {
    static struct stream_state streams[LAYOUT_STREAMS_MAX];
    const struct stream_state *states[LAYOUT_STREAMS_MAX];
    const unsigned count = checkpoint_streams(slot);
    for (unsigned i = 0; i < count; i++) {
        checkpoint_decode(slot, i, &streams[i]);
        check_stream(&streams[i]);
        MUST(i == 0 || streams[i].id > streams[i - 1].id);
        MUST(checkpoint_position(slot, i).drained_position >= checkpoint_least(slot).drained_position);
        states[i] = &streams[i];
    }
    MUST(checkpoint_size(states, count) == bytes);
    uint8_t *again = malloc(bytes);
    MUST(again != NULL);
    const struct checkpoint_facts facts = checkpoint_facts(slot);
    checkpoint_encode(&facts, states, count, crc_seed, again, bytes);
    MUST(checkpoint_is_valid(again, bytes, crc_seed, LAYOUT_MAX_CAPACITY_BYTES));
    MUST(!checkpoint_goes_back(slot, again) && !checkpoint_goes_back(again, slot));
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < sizeof(struct checkpoint_head)) {
        return 0;
    }
    const uint32_t crc_seed = data[0];
    uint8_t *slot = malloc(size);
    MUST(slot != NULL);
    memcpy(slot, data, size);
    ((struct checkpoint_head *)slot)->magic = CHECKPOINT_MAGIC;
    const size_t bytes = checkpoint_claims(slot);
    if (bytes > 0 && bytes <= size) {
        const struct checkpoint_facts facts = checkpoint_facts(slot);
        checkpoint_seal(slot, &facts, crc_seed);
        MUST(!checkpoint_is_valid(slot, size, crc_seed + 1, LAYOUT_MAX_CAPACITY_BYTES));
    }
    if (checkpoint_is_valid(slot, size, crc_seed, LAYOUT_MAX_CAPACITY_BYTES)) {
        MUST(bytes > 0 && bytes <= size && bytes <= LAYOUT_CHECKPOINT_BYTES);
        check_again(slot, bytes, crc_seed);
    }
    free(slot);
    return 0;
}
