/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of streams, segments, rolls, an index and damage on a ring with a second copy, which falls behind, is away and comes back
 * between any two operations. */
#include "harness/simulator/scenarios.h"

static void run_copied(struct world *world, void (*run)(struct world *world)) {
    world->copy.is_kept = world->copy.may_fail = 1;
    run(world);
}

void copied_streams_exchange_their_files(struct world *world) {
    run_copied(world, streams_exchange_their_files);
}

void copied_stream_gets_another_file(struct world *world) {
    run_copied(world, stream_gets_another_file);
}

void copied_sync_of_a_stream_fails(struct world *world) {
    run_copied(world, sync_of_a_stream_fails);
}

void copied_segments_come_and_go(struct world *world) {
    run_copied(world, segments_come_and_go);
}

void copied_segments_on_a_full_disk(struct world *world) {
    run_copied(world, segments_on_a_full_disk);
}

void copied_streams_roll(struct world *world) {
    run_copied(world, streams_roll);
}

void copied_index_of_rolled_files(struct world *world) {
    run_copied(world, index_of_rolled_files);
}

void copied_payload_rots(struct world *world) {
    run_copied(world, payload_rots);
}

void copied_record_of_a_stream_rots(struct world *world) {
    run_copied(world, record_of_a_stream_rots);
}

void copied_roll_rots(struct world *world) {
    run_copied(world, roll_rots);
}
