/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery of any image under any head. The input chooses capacity and block size. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "harness/fuzz/medium.h"
#include "harness/fuzz/oracle.h"
#include "harness/fuzz/violation.h"

/* The image has its exact size: the sanitizer notices a read beyond it. */
static uint8_t *copy_image(const struct medium *medium, uint64_t capacity) {
    uint8_t *image = aligned_alloc(8, capacity);
    MUST(image != NULL);
    memcpy(image, medium->data, capacity);
    return image;
}

/* A head that a ledger could report: a ledger refuses other numbers. */
static struct recovery_head head_of(const struct medium *medium) {
    const struct checkpoint_entry *stream = &medium->checkpoints[0].streams[0];
    const struct writer_note *note = &medium->notes[0];
    return (struct recovery_head){
        .start = {.position = align_down(stream->drained_position % LAYOUT_NUMBER_MAX, RECORD_ALIGN_BYTES),
                  .sequence = 1 + stream->next_sequence % LAYOUT_NUMBER_MAX,
                  .epoch = stream->epoch},
        .durable_position = align_down(note->durable_position % LAYOUT_NUMBER_MAX, RECORD_ALIGN_BYTES),
        .durable_sequence = 1 + note->next_sequence % LAYOUT_NUMBER_MAX,
        .in_flight_end = note->in_flight_end % LAYOUT_NUMBER_MAX,
        .epoch_highest = note->epoch,
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct medium medium;
    static struct world *host; /* for its platform */
    if (host == NULL) {
        host = world_create();
        world_reset(host, FUZZ_BLOCKS, 1);
    }
    medium_fail_allocation(host, -1);
    medium_decode(&medium, data, size);
    const uint64_t block = WORLD_BLOCK_BYTES << (medium.options[1] % 3);
    const uint64_t capacity = FUZZ_CAPACITY - align_down(medium.options[0] * 512ull % (FUZZ_CAPACITY - block), block);
    const uint32_t crc_seed = medium_crc_seed(&medium);
    uint8_t *image = copy_image(&medium, capacity);
    const struct recovery_input input = {.image = image,
                                         .shape = {.capacity_bytes = capacity, .block_bytes = block},
                                         .crc_seed = crc_seed,
                                         .head = head_of(&medium)};
    check_recovery(&host->platform, &input);
    if (medium.options[2] != 0) { /* an allocation fails in the midst of it */
        struct recovery recovery;
        medium_fail_allocation(host, medium.options[2] % 8);
        if (recovery_run(&host->platform, &input, &recovery) < 0) {
            MUST(error_text()[0] != '\0');
        }
        recovery_free(&recovery);
    }
    MUST(host->allocations == 0);
    free(image);
    return 0;
}
