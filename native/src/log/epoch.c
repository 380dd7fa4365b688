/* SPDX-License-Identifier: Apache-2.0 */
#include "log/epoch.h"

#include <string.h>

#include "base/crc32c.h"
#include "media/record.h"

int epoch_begin(const struct platform *platform, struct device *device, struct ring_view *view,
                struct record_header *header, struct ring_start *start) {
    struct recovery *recovery = &view->recovery;
    const struct superblock *superblock = ring_view_superblock(view);
    const uint64_t position = recovery->marker_position;
    start->epoch = recovery->epoch_highest + 1;
    start->position = record_start(position + superblock->block_bytes, superblock->capacity_bytes);
    start->next_sequence = recovery->next_sequence;
    memset(header, 0, superblock->block_bytes);
    struct marker *marker = (struct marker *)(header + 1);
    header->length = recovery_make_marker(recovery, start->epoch, platform_realtime_ns(platform), marker);
    header->type = RECORD_MARKER;
    header->sequence = recovery->next_sequence;
    header->payload_crc = crc32c(0, marker, header->length);
    const struct record_seal seal = {
        .position = position,
        /* The medium was flushed before it was read, so the log is durable up to its end. The watermark must not be the
         * marker's own position: if only its header reaches the medium, nothing else says that the range before it is
         * void. */
        .durable_position = recovery->log_end,
        .durable_next_sequence = recovery->next_sequence,
        .epoch = start->epoch,
        .last = 1,
    };
    record_seal(header, &seal, ledger_view(view->ledger)->crc_seed);
    if (recovery->log_end < position) {
        const struct recovery_jump jump = {
            .gap = {.from = recovery->log_end, .to = position, .first_sequence = recovery->next_sequence}};
        const int rc = recovery_add_jump(recovery, &jump);
        if (rc < 0) {
            return rc;
        }
    }
    return device->ops->write(device, superblock->data_offset + position % superblock->capacity_bytes, header,
                              superblock->block_bytes);
}
