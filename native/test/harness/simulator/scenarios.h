/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_TEST_SIMULATOR_SCENARIOS_H
#define BURST_TEST_SIMULATOR_SCENARIOS_H

#include "harness/simulator/world.h"

/* A run that is crashed before each of its operations. The ring is formatted. */
struct scenario {
    const char *name;
    unsigned blocks;
    unsigned write_depth;
    void (*run)(struct world *world);
    int block_only; /* persistent memory cannot do this to the medium, or shows nothing new */
};

extern const struct scenario scenarios[];
extern const size_t scenario_count;

/* destination_scenarios.c */
void file_sync_fails(struct world *world);
void file_extended_and_sync_fails(struct world *world);
void disk_full_then_space(struct world *world);
void file_renamed(struct world *world);
void file_renamed_before_its_first_checkpoint(struct world *world);
void file_deleted(struct world *world);
void file_deleted_before_its_sync(struct world *world);
void file_changed_while_the_disk_is_full(struct world *world);
void file_truncated(struct world *world);
void file_extended(struct world *world);
void file_name_changed(struct world *world);
void file_system_unmounted(struct world *world);
void roll_rots(struct world *world);
void newest_checkpoint_rots(struct world *world);
void newest_checkpoint_rots_after_a_reopen(struct world *world);
void payload_rots(struct world *world);
void header_rots(struct world *world);
void one_record_of_a_commit_rots(struct world *world);
void block_is_lost(struct world *world);
void write_went_elsewhere(struct world *world);
void block_is_a_lap_old(struct world *world);
void marker_is_lost(struct world *world);
void full_ring_is_damaged(struct world *world);
void damage_is_found_again_after_a_crash(struct world *world);
void record_of_a_stream_rots(struct world *world);

/* identity_scenarios.c */
void rotated_among_copies(struct world *world);
void rotated_among_copies_without_handles(struct world *world);
void rotated_among_copies_with_numbers_only(struct world *world);
void older_files_that_read_like_the_log(struct world *world);
void older_files_on_a_file_system_without_marks(struct world *world);
void inode_number_used_again(struct world *world);
void inode_number_used_again_without_handles(struct world *world);
void file_behind_a_link_renamed(struct world *world);

/* others_scenarios.c */
void file_cut_in_a_redo(struct world *world);
void file_cut_before_a_write_of_a_redo(struct world *world);
void file_grown_again_in_a_redo(struct world *world);
void file_extended_in_a_redo(struct world *world);
void file_edited_in_a_redo(struct world *world);
void file_renamed_in_a_redo(struct world *world);
void file_replaced_in_a_redo(struct world *world);
void file_deleted_in_a_redo(struct world *world);
void file_cut_in_a_batch(struct world *world);
void file_cut_before_a_write(struct world *world);
void file_grown_again_in_a_batch(struct world *world);
void file_extended_in_a_batch(struct world *world);
void file_edited_in_a_batch(struct world *world);
void file_renamed_in_a_batch(struct world *world);
void file_replaced_in_a_batch(struct world *world);
void file_deleted_in_a_batch(struct world *world);
void diverted_log_goes_back_at_an_open(struct world *world);
void diverted_log_goes_back_when_its_file_is_renamed(struct world *world);
void diverted_file_is_cut_and_cannot_be_synced(struct world *world);
void diverted_log_stays_while_its_name_is_taken(struct world *world);
void diverted_file_gets_the_name(struct world *world);
void diverted_file_is_rolled(struct world *world);

/* host_scenarios.c */
void allocations_fail(struct world *world);
void sectors_cannot_be_read(struct world *world);
void checkpoint_cannot_be_read(struct world *world);
void epoch_cannot_be_read_for_a_while(struct world *world);
void end_of_the_log_cannot_be_read(struct world *world);
void device_lies(struct world *world);
void format_of_an_empty_medium(struct world *world);
void format_over_another_ring(struct world *world);

/* stream_scenarios.c */
void streams_side_by_side(struct world *world);
void streams_beside_no_log(struct world *world);
void stream_stalls(struct world *world);
void stream_stalls_until_the_ring_is_full(struct world *world);
void stream_is_added(struct world *world);
void stream_is_removed(struct world *world);
void stream_is_left_out(struct world *world);
void stream_is_renamed(struct world *world);
void stream_gets_another_file(struct world *world);
void streams_exchange_their_files(struct world *world);
void file_of_a_stream_is_rotated(struct world *world);
void sync_of_a_stream_fails(struct world *world);

/* segments_scenarios.c */
void segments_beside_a_log_file(struct world *world);
void segments_end_one_after_another(struct world *world);
void segments_that_are_passed_go(struct world *world);
void segments_begun_anew(struct world *world);
void segments_on_a_full_disk(struct world *world);
void sync_of_a_segment_fails(struct world *world);
void segments_come_and_go(struct world *world);

/* roll_scenarios.c */
void rolls_one_after_another(struct world *world);
void roll_before_any_record(struct world *world);
void roll_among_what_is_enqueued(struct world *world);
void name_of_a_rolled_file_is_taken(struct world *world);
void file_cannot_be_rolled(struct world *world);
void disk_is_full_in_a_roll(struct world *world);
void sync_fails_in_a_roll(struct world *world);
void ring_fails_in_a_roll(struct world *world);
void rotated_file_is_rolled(struct world *world);
void rolled_without_handles(struct world *world);
void rolled_with_numbers_only(struct world *world);
void file_that_begins_has_another_name(struct world *world);
void rolls_by_a_caller(struct world *world);
void caller_cannot_roll(struct world *world);
void streams_roll(struct world *world);
void streams_roll_by_a_caller(struct world *world);
void rolls_that_the_log_plans(struct world *world);
void streams_plan_their_rolls(struct world *world);

/* index_scenarios.c */
void index_beside_a_log_file(struct world *world);
void index_of_rolled_files(struct world *world);
void index_on_a_full_disk(struct world *world);
void sync_of_an_index_fails(struct world *world);
void index_comes_and_goes(struct world *world);

/* reader_scenarios.c */
void readers_of_the_ring(struct world *world);
void readers_over_laps(struct world *world);
void readers_over_laps_without_archives(struct world *world);
void readers_over_opens(struct world *world);
void readers_beside_the_drain(struct world *world);
void readers_beside_rolls(struct world *world);
void readers_beside_rolls_by_a_caller(struct world *world);
void readers_beside_packed_archives(struct world *world);
void readers_beside_deleted_archives(struct world *world);
void readers_beside_a_renamed_file(struct world *world);
void readers_beside_a_diverted_file(struct world *world);
void readers_beside_streams(struct world *world);
void readers_beside_anything(struct world *world);

/* random_scenario.c */
void anything(struct world *world);
void anything_with_a_copy(struct world *world);
void anything_with_a_failing_copy(struct world *world);
void anything_with_streams(struct world *world);
void anything_with_segments(struct world *world);
void anything_with_rolls(struct world *world);
void anything_of_a_copied_ring(struct world *world);

/* copied_scenarios.c: scenarios of others, with a second copy */
void copied_streams_exchange_their_files(struct world *world);
void copied_stream_gets_another_file(struct world *world);
void copied_sync_of_a_stream_fails(struct world *world);
void copied_segments_come_and_go(struct world *world);
void copied_segments_on_a_full_disk(struct world *world);
void copied_streams_roll(struct world *world);
void copied_index_of_rolled_files(struct world *world);
void copied_payload_rots(struct world *world);
void copied_record_of_a_stream_rots(struct world *world);
void copied_roll_rots(struct world *world);

/* In refusal_scenarios.c. */
void file_cannot_be_opened(struct world *world);
void renamed_file_cannot_be_opened(struct world *world);
void renamed_file_is_held(struct world *world);
void file_system_dies(struct world *world);
void file_cannot_be_read(struct world *world);
void file_grown_again_before_its_sync(struct world *world);
void empty_file_is_gone_and_the_disk_is_full(struct world *world);
void diverted_file_is_full_at_an_open(struct world *world);

#endif
