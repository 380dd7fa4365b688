/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a log's users, small enough to be crashed before each operation. */
#include "harness/simulator/scenarios.h"

#include <errno.h>

#include "base/error.h"
#include "harness/simulator/log.h"

#define LARGEST_BYTES(blocks) ((blocks)*WORLD_BLOCK_BYTES / 4 - RECORD_HEADER_BYTES)

static void append(struct world *world, uint32_t length) {
    if (log_append(world, length) < 0) {
        violation(world, "an append of %u bytes failed: %s", length, error_text());
    }
}

static void enqueue(struct world *world, uint32_t length) {
    if (log_enqueue(world, length) < 0) {
        violation(world, "%u bytes could not be enqueued: %s", length, error_text());
    }
}

static void one_block_appends(struct world *world) {
    log_open_whole(world);
    for (int i = 0; i < 3; i++) {
        append(world, 200);
    }
    log_drain_all(world);
    append(world, 300);
    log_drain(world, 0);
    append(world, 3000);
}

static void commits_of_many_records(struct world *world) {
    log_open_whole(world);
    for (uint32_t commit = 0; commit < 4; commit++) {
        for (uint32_t i = 0; i < 3 + commit; i++) {
            enqueue(world, 40 + 170 * i);
        }
        log_commit(world);
        if (commit % 2 == 1) {
            log_drain_all(world);
        }
    }
}

static void records_across_blocks(struct world *world) {
    log_open_whole(world);
    append(world, 5000);
    append(world, 4096 - RECORD_HEADER_BYTES);
    append(world, 4097 - RECORD_HEADER_BYTES);
    log_drain_all(world);
    enqueue(world, 4000);
    enqueue(world, 4000);
    enqueue(world, LARGEST_BYTES(8));
    log_commit(world);
}

/* Claims space up to `left` bytes before the end of the lap, so that the next record meets the end there. */
static void approach_lap_end(struct world *world, uint64_t left) {
    const struct ring *ring = world->engine->ring;
    const uint64_t capacity = ring->geometry.capacity_bytes;
    const uint64_t target = ring_claimed(ring) + lap_remaining(ring_claimed(ring), capacity) - left;
    while (ring_claimed(ring) < target) {
        const uint64_t gap = target - ring_claimed(ring);
        const uint64_t most = gap > 5000 ? 4000 : gap;
        enqueue(world, (uint32_t)(most - RECORD_HEADER_BYTES));
        if (gap > 5000) {
            log_commit(world);
            log_drain_all(world);
        }
    }
}

static void pad_at_the_end_of_a_lap(struct world *world) {
    log_open_whole(world);
    for (uint64_t lap = 0; lap < 2; lap++) {
        approach_lap_end(world, RECORD_HEADER_BYTES + 8 * lap);
        append(world, 500);
        append(world, 20);
        log_drain_all(world);
    }
}

static void lap_end_too_short_for_a_header(struct world *world) {
    log_open_whole(world);
    for (uint64_t lap = 0; lap < 2; lap++) {
        approach_lap_end(world, 8 + 40 * lap);
        append(world, 500);
        append(world, 20);
        log_drain_all(world);
    }
}

static void lap_that_ends_with_a_record(struct world *world) {
    log_open_whole(world);
    for (int lap = 0; lap < 2; lap++) {
        approach_lap_end(world, 0);
        log_commit(world);
        append(world, 500);
        log_drain_all(world);
    }
}

static void record_that_just_does_not_fit_the_lap(struct world *world) {
    log_open_whole(world);
    for (uint64_t lacking = 8; lacking <= 16; lacking += 8) {
        approach_lap_end(world, record_bytes(500) - lacking);
        append(world, 500);
        log_drain_all(world);
    }
}

static void commits_in_pieces(struct world *world) {
    log_open_whole(world);
    for (int commit = 0; commit < 3; commit++) {
        for (uint32_t i = 0; i < 9; i++) {
            enqueue(world, 1500 + 400 * (i % 3));
        }
        log_commit(world);
        if (commit != 1) {
            log_drain_all(world);
        }
    }
}

/* Each record begins a block, and the device writes each block by itself: a crash may keep a later one without an
 * earlier one. */
static void records_of_whole_blocks(struct world *world) {
    log_open_whole(world);
    for (int commit = 0; commit < 2; commit++) {
        for (uint32_t i = 0; i < 8; i++) {
            enqueue(world, WORLD_BLOCK_BYTES - RECORD_HEADER_BYTES);
        }
        log_commit(world);
        log_drain_all(world);
    }
}

static void full_ring_drained_again(struct world *world) {
    log_open_whole(world);
    for (int round = 0; round < 3; round++) {
        while (log_append(world, 3000) > 0) {
        }
        log_drain(world, 0);
        log_drain_all(world);
    }
}

static void full_ring_that_blocks(struct world *world) {
    world->park_drains = 1;
    log_open_whole(world);
    for (int i = 0; i < 14; i++) {
        append(world, 2500 + 200 * (uint32_t)(i % 3));
    }
}

static void empty_records(struct world *world) {
    log_open_whole(world);
    append(world, 0);
    enqueue(world, 0);
    enqueue(world, 0);
    enqueue(world, 100);
    enqueue(world, 0);
    log_commit(world);
    log_drain_all(world);
    append(world, 0);
    append(world, 0);
}

static void reopened_many_times(struct world *world) {
    log_open_whole(world);
    for (int i = 0; i < 10; i++) {
        append(world, 100);
        if (i % 3 == 0) {
            log_drain_all(world);
        }
        log_reopen(world);
        if (i % 4 == 0) {
            log_reopen(world);
        }
    }
}

static void full_ring_reopened_without_a_drain(struct world *world) {
    log_open_whole(world);
    world->files.space_bytes = 0;
    while (log_append(world, 3000) > 0) {
    }
    for (int i = 0; i < 50; i++) {
        log_drain(world, 1);
        log_reopen(world);
        if (log_append(world, 1000) > 0) {
            violation(world, "reopening made room in a full ring");
        }
    }
    world->files.space_bytes = -1;
    log_drain_all(world);
    append(world, 1000);
}

/* When a checkpoint fails in a full ring the ring fails. The next opens must not need more room for that than there
 * is. */
static void full_ring_with_failing_checkpoints(struct world *world) {
    log_open_whole(world);
    world->files.space_bytes = 0;
    while (log_append(world, 3000) > 0) {
    }
    for (int i = 0; i < 4; i++) {
        log_reopen(world);
        world->device.fail_errno = EIO;
        world->device.fail_write_in = 0;
        for (int step = 0; step < 3 && !ring_has_failed(world->engine->ring); step++) {
            log_drain(world, 1);
        }
        if (!ring_has_failed(world->engine->ring)) {
            violation(world, "no checkpoint was written, so none failed");
        }
        log_drain(world, 1);
    }
    world->files.space_bytes = -1;
    log_reopen(world);
    log_drain_all(world);
    append(world, 1000);
}

static void write_error_and_reopen(struct world *world) {
    log_open_whole(world);
    append(world, 300);
    world->device.fail_errno = EIO;
    for (int round = 0; round < 3; round++) {
        world->device.fail_write_in = round;
        for (uint32_t i = 0; i < 7; i++) {
            enqueue(world, 2500);
        }
        if (log_commit(world) != -EIO || log_append(world, 100) != -EIO) {
            violation(world, "I7: a failed write did not stop the ring");
        }
        log_drain(world, 0);
        log_drain(world, 1);
        log_note_durable(world);
        log_reopen(world);
        append(world, 2500);
        log_drain_all(world);
    }
}

const struct scenario scenarios[] = {
    {"one-block-appends", 8, 1, one_block_appends, 0},
    {"commits-of-many-records", 8, 1, commits_of_many_records, 0},
    {"records-across-blocks", 8, 1, records_across_blocks, 0},
    {"pad-at-the-end-of-a-lap", 8, 1, pad_at_the_end_of_a_lap, 0},
    {"lap-end-too-short-for-a-header", 8, 1, lap_end_too_short_for_a_header, 0},
    {"lap-that-ends-with-a-record", 8, 1, lap_that_ends_with_a_record, 0},
    {"record-that-just-does-not-fit", 8, 1, record_that_just_does_not_fit_the_lap, 0},
    {"commits-in-pieces", 16, 4, commits_in_pieces, 0},
    {"records-of-whole-blocks", 20, 4, records_of_whole_blocks, 0},
    {"full-ring-drained-again", 8, 1, full_ring_drained_again, 0},
    {"full-ring-that-blocks", 8, 1, full_ring_that_blocks, 0},
    {"empty-records", 8, 1, empty_records, 0},
    {"reopened-many-times", 10, 1, reopened_many_times, 0},
    {"full-ring-reopened-without-a-drain", 8, 1, full_ring_reopened_without_a_drain, 0},
    {"full-ring-with-failing-checkpoints", 8, 1, full_ring_with_failing_checkpoints, 1},
    {"write-error-and-reopen", 16, 3, write_error_and_reopen, 1},
    {"file-sync-fails", 8, 1, file_sync_fails, 0},
    {"file-extended-and-sync-fails", 32, 1, file_extended_and_sync_fails, 0},
    {"disk-full-then-space", 8, 1, disk_full_then_space, 0},
    {"file-renamed", 8, 1, file_renamed, 0},
    {"file-renamed-before-its-first-checkpoint", 8, 1, file_renamed_before_its_first_checkpoint, 0},
    {"file-deleted", 8, 1, file_deleted, 0},
    {"file-deleted-before-its-sync", 32, 1, file_deleted_before_its_sync, 0},
    {"file-changed-while-disk-full", 32, 1, file_changed_while_the_disk_is_full, 0},
    {"file-truncated", 8, 1, file_truncated, 0},
    {"file-extended", 8, 1, file_extended, 0},
    {"file-name-changed", 8, 1, file_name_changed, 0},
    {"file-system-unmounted", 16, 1, file_system_unmounted, 0},
    {"file-cannot-be-opened", 32, 1, file_cannot_be_opened, 0},
    {"renamed-file-cannot-be-opened", 32, 1, renamed_file_cannot_be_opened, 0},
    {"renamed-file-is-held", 32, 1, renamed_file_is_held, 0},
    {"file-system-dies", 32, 1, file_system_dies, 0},
    {"file-cannot-be-read", 32, 1, file_cannot_be_read, 0},
    {"file-grown-again-before-its-sync", 32, 1, file_grown_again_before_its_sync, 0},
    {"empty-file-gone-and-full-disk", 32, 1, empty_file_is_gone_and_the_disk_is_full, 0},
    {"diverted-file-is-full-at-an-open", 32, 1, diverted_file_is_full_at_an_open, 0},
    {"rotated-among-copies", 8, 1, rotated_among_copies, 0},
    {"rotated-among-copies-without-handles", 8, 1, rotated_among_copies_without_handles, 0},
    {"rotated-among-copies-with-numbers-only", 8, 1, rotated_among_copies_with_numbers_only, 0},
    {"older-files-that-read-like-the-log", 8, 1, older_files_that_read_like_the_log, 0},
    {"older-files-on-a-file-system-without-marks", 8, 1, older_files_on_a_file_system_without_marks, 0},
    {"inode-number-used-again", 8, 1, inode_number_used_again, 0},
    {"inode-number-used-again-without-handles", 8, 1, inode_number_used_again_without_handles, 0},
    {"file-behind-a-link-renamed", 8, 1, file_behind_a_link_renamed, 0},
    {"file-cut-in-a-redo", 32, 1, file_cut_in_a_redo, 0},
    {"file-cut-before-a-write-of-a-redo", 32, 1, file_cut_before_a_write_of_a_redo, 0},
    {"file-grown-again-in-a-redo", 32, 1, file_grown_again_in_a_redo, 0},
    {"file-extended-in-a-redo", 32, 1, file_extended_in_a_redo, 0},
    {"file-edited-in-a-redo", 32, 1, file_edited_in_a_redo, 0},
    {"file-renamed-in-a-redo", 32, 1, file_renamed_in_a_redo, 0},
    {"file-replaced-in-a-redo", 32, 1, file_replaced_in_a_redo, 0},
    {"file-deleted-in-a-redo", 32, 1, file_deleted_in_a_redo, 0},
    {"file-cut-in-a-batch", 32, 1, file_cut_in_a_batch, 0},
    {"file-cut-before-a-write", 32, 1, file_cut_before_a_write, 0},
    {"file-grown-again-in-a-batch", 32, 1, file_grown_again_in_a_batch, 0},
    {"file-extended-in-a-batch", 32, 1, file_extended_in_a_batch, 0},
    {"file-edited-in-a-batch", 32, 1, file_edited_in_a_batch, 0},
    {"file-renamed-in-a-batch", 32, 1, file_renamed_in_a_batch, 0},
    {"file-replaced-in-a-batch", 32, 1, file_replaced_in_a_batch, 0},
    {"file-deleted-in-a-batch", 32, 1, file_deleted_in_a_batch, 0},
    {"diverted-log-goes-back-at-an-open", 32, 1, diverted_log_goes_back_at_an_open, 0},
    {"diverted-log-goes-back-when-its-file-is-renamed", 32, 1, diverted_log_goes_back_when_its_file_is_renamed, 0},
    {"diverted-file-is-cut-and-cannot-be-synced", 32, 1, diverted_file_is_cut_and_cannot_be_synced, 0},
    {"diverted-log-stays-while-its-name-is-taken", 32, 1, diverted_log_stays_while_its_name_is_taken, 0},
    {"diverted-file-gets-the-name", 32, 1, diverted_file_gets_the_name, 0},
    {"diverted-file-is-rolled", 32, 1, diverted_file_is_rolled, 1},
    {"newest-checkpoint-rots", 8, 1, newest_checkpoint_rots, 0},
    {"newest-checkpoint-rots-later", 8, 1, newest_checkpoint_rots_after_a_reopen, 0},
    {"payload-rots", 16, 1, payload_rots, 1},
    {"header-rots", 16, 1, header_rots, 1},
    {"one-record-of-a-commit-rots", 16, 1, one_record_of_a_commit_rots, 1},
    {"block-is-lost", 16, 1, block_is_lost, 1},
    {"write-went-elsewhere", 16, 1, write_went_elsewhere, 1},
    {"block-is-a-lap-old", 16, 1, block_is_a_lap_old, 1},
    {"marker-is-lost", 16, 1, marker_is_lost, 1},
    {"damage-is-found-again", 16, 1, damage_is_found_again_after_a_crash, 1},
    {"full-ring-is-damaged", 8, 1, full_ring_is_damaged, 1},
    {"allocations-fail", 8, 1, allocations_fail, 0},
    {"sectors-cannot-be-read", 16, 1, sectors_cannot_be_read, 1},
    {"checkpoint-cannot-be-read", 8, 1, checkpoint_cannot_be_read, 1},
    {"epoch-cannot-be-read-for-a-while", 16, 1, epoch_cannot_be_read_for_a_while, 1},
    {"end-of-the-log-cannot-be-read", 16, 1, end_of_the_log_cannot_be_read, 1},
    {"device-lies", 12, 2, device_lies, 1},
    {"format-of-an-empty-medium", 8, 1, format_of_an_empty_medium, 0},
    {"format-over-another-ring", 8, 1, format_over_another_ring, 0},
    {"streams-side-by-side", 10, 2, streams_side_by_side, 0},
    {"streams-beside-no-log", 8, 1, streams_beside_no_log, 0},
    {"stream-stalls", 16, 1, stream_stalls, 0},
    {"stream-stalls-until-the-ring-is-full", 8, 1, stream_stalls_until_the_ring_is_full, 0},
    {"stream-is-added", 12, 1, stream_is_added, 0},
    {"stream-is-removed", 12, 1, stream_is_removed, 0},
    {"stream-is-left-out", 12, 1, stream_is_left_out, 0},
    {"stream-is-renamed", 16, 1, stream_is_renamed, 0},
    {"stream-gets-another-file", 16, 1, stream_gets_another_file, 0},
    {"streams-exchange-their-files", 16, 1, streams_exchange_their_files, 0},
    {"file-of-a-stream-is-rotated", 12, 1, file_of_a_stream_is_rotated, 0},
    {"sync-of-a-stream-fails", 12, 1, sync_of_a_stream_fails, 0},
    {"record-of-a-stream-rots", 16, 1, record_of_a_stream_rots, 1},
    {"segments-beside-a-log-file", 10, 2, segments_beside_a_log_file, 1},
    {"segments-end-one-after-another", 16, 1, segments_end_one_after_another, 0},
    {"segments-that-are-passed-go", 16, 1, segments_that_are_passed_go, 1},
    {"segments-begun-anew", 16, 1, segments_begun_anew, 1},
    {"segments-on-a-full-disk", 16, 1, segments_on_a_full_disk, 1},
    {"sync-of-a-segment-fails", 12, 1, sync_of_a_segment_fails, 1},
    {"segments-come-and-go", 16, 1, segments_come_and_go, 1},
    {"rolls-one-after-another", 16, 1, rolls_one_after_another, 0},
    {"roll-before-any-record", 16, 1, roll_before_any_record, 1},
    {"roll-among-what-is-enqueued", 16, 1, roll_among_what_is_enqueued, 1},
    {"name-of-a-rolled-file-is-taken", 16, 1, name_of_a_rolled_file_is_taken, 1},
    {"file-cannot-be-rolled", 16, 1, file_cannot_be_rolled, 1},
    {"disk-is-full-in-a-roll", 16, 1, disk_is_full_in_a_roll, 1},
    {"sync-fails-in-a-roll", 16, 1, sync_fails_in_a_roll, 1},
    {"ring-fails-in-a-roll", 16, 1, ring_fails_in_a_roll, 1},
    {"rotated-file-is-rolled", 16, 1, rotated_file_is_rolled, 1},
    {"rolled-without-handles", 16, 1, rolled_without_handles, 1},
    {"rolled-with-numbers-only", 16, 1, rolled_with_numbers_only, 1},
    {"file-that-begins-has-another-name", 16, 1, file_that_begins_has_another_name, 1},
    {"rolls-by-a-caller", 16, 1, rolls_by_a_caller, 1},
    {"caller-cannot-roll", 16, 1, caller_cannot_roll, 1},
    {"streams-roll", 16, 1, streams_roll, 0},
    {"streams-roll-by-a-caller", 16, 1, streams_roll_by_a_caller, 1},
    {"rolls-that-the-log-plans", 16, 1, rolls_that_the_log_plans, 0},
    {"streams-plan-their-rolls", 16, 1, streams_plan_their_rolls, 1},
    {"roll-rots", 16, 1, roll_rots, 1},
    {"index-beside-a-log-file", 16, 1, index_beside_a_log_file, 0},
    {"index-of-rolled-files", 16, 1, index_of_rolled_files, 0},
    {"index-on-a-full-disk", 16, 1, index_on_a_full_disk, 1},
    {"sync-of-an-index-fails", 16, 1, sync_of_an_index_fails, 1},
    {"index-comes-and-goes", 16, 1, index_comes_and_goes, 1},
    {"readers-of-the-ring", 8, 1, readers_of_the_ring, 0},
    {"readers-over-laps", 8, 1, readers_over_laps, 0},
    {"readers-over-laps-without-archives", 8, 1, readers_over_laps_without_archives, 0},
    {"readers-over-opens", 12, 1, readers_over_opens, 0},
    {"readers-beside-the-drain", 12, 2, readers_beside_the_drain, 0},
    {"readers-beside-rolls", 16, 1, readers_beside_rolls, 0},
    {"readers-beside-rolls-by-a-caller", 16, 1, readers_beside_rolls_by_a_caller, 1},
    {"readers-beside-packed-archives", 16, 1, readers_beside_packed_archives, 1},
    {"readers-beside-deleted-archives", 16, 1, readers_beside_deleted_archives, 1},
    {"readers-beside-a-renamed-file", 16, 1, readers_beside_a_renamed_file, 1},
    {"readers-beside-a-diverted-file", 16, 1, readers_beside_a_diverted_file, 1},
    {"readers-beside-streams", 12, 1, readers_beside_streams, 1},
    {"readers-beside-anything", 12, 1, readers_beside_anything, 0},
    {"anything", 12, 3, anything, 0},
    {"anything-with-a-copy", 12, 3, anything_with_a_copy, 0},
    {"anything-with-a-failing-copy", 12, 3, anything_with_a_failing_copy, 0},
    {"anything-with-streams", 14, 3, anything_with_streams, 0},
    {"anything-with-segments", 14, 3, anything_with_segments, 1},
    {"anything-with-rolls", 14, 3, anything_with_rolls, 0},
    {"anything-of-a-copied-ring", 14, 3, anything_of_a_copied_ring, 0},
    {"copied-streams-exchange-their-files", 24, 1, copied_streams_exchange_their_files, 0},
    {"copied-stream-gets-another-file", 24, 1, copied_stream_gets_another_file, 1},
    {"copied-sync-of-a-stream-fails", 24, 1, copied_sync_of_a_stream_fails, 1},
    {"copied-segments-come-and-go", 24, 1, copied_segments_come_and_go, 1},
    {"copied-segments-on-a-full-disk", 32, 1, copied_segments_on_a_full_disk, 1},
    {"copied-streams-roll", 24, 1, copied_streams_roll, 1},
    {"copied-index-of-rolled-files", 24, 1, copied_index_of_rolled_files, 1},
    {"copied-payload-rots", 24, 1, copied_payload_rots, 1},
    {"copied-record-of-a-stream-rots", 24, 1, copied_record_of_a_stream_rots, 1},
    {"copied-roll-rots", 24, 1, copied_roll_rots, 1},
};
const size_t scenario_count = sizeof scenarios / sizeof scenarios[0];
