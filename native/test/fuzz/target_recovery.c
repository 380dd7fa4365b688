/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery of any image under any two checkpoints, with a capacity and a block that the input chooses. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz/medium.h"
#include "fuzz/oracle.h"
#include "fuzz/violation.h"
#include "media/checkpoint_v1.h"

/* The image at its exact size: what is read beyond it is noticed. */
static uint8_t *copy_image(const struct medium *medium, uint64_t capacity) {
    uint8_t *image = aligned_alloc(8, capacity);
    MUST(image != NULL);
    memcpy(image, medium->data, capacity);
    return image;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct medium medium;
    static struct world *host; /* for its platform */
    host = host == NULL ? world_create() : host;
    medium_fail_allocation(host, -1);
    medium_decode(&medium, data, size);
    const uint64_t block = WORLD_BLOCK_BYTES << (medium.options[1] % 3);
    const uint64_t capacity = FUZZ_CAPACITY - align_down(medium.options[0] * 512ull % (FUZZ_CAPACITY - block), block);
    const uint32_t crc_seed = medium_crc_seed(&medium);
    const struct checkpoint *newest = &medium.checkpoints[0], *other = &medium.checkpoints[1];
    if (!checkpoint_is_valid(newest, crc_seed) || !checkpoint_fits(newest, capacity)) {
        return 0;
    }
    const int both = checkpoint_is_valid(other, crc_seed) && checkpoint_fits(other, capacity) &&
                     other->stream.drained_position <= newest->stream.drained_position;
    uint8_t *image = copy_image(&medium, capacity);
    const struct checkpoint *highest = both && other->durable_position > newest->durable_position ? other : newest;
    const struct recovery_input input = {
        .image = image,
        .shape = {.capacity_bytes = capacity, .block_bytes = block},
        .crc_seed = crc_seed,
        .head = {.start = {.position = newest->stream.drained_position,
                           .sequence = newest->stream.next_sequence,
                           .epoch = newest->stream.epoch},
                 .durable_position = highest->durable_position,
                 .durable_sequence = highest->next_sequence,
                 .in_flight_end = both && other->in_flight_end > newest->in_flight_end ? other->in_flight_end
                                                                                       : newest->in_flight_end,
                 .epoch_highest = both && other->epoch > newest->epoch ? other->epoch : newest->epoch}};
    check_recovery(&host->platform, &input);
    if (medium.options[2] != 0) { /* memory ends somewhere in it */
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
