/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/log.h"

#include <stdlib.h>
#include <string.h>

void world_operation(struct world *world, const char *operation) {
    sim_device_arrive(world);
    sim_mapped_evict(world);
    if (world->before_operation != NULL) {
        world->before_operation(world, operation);
    }
}

struct world *world_create(void) {
    struct world *world = calloc(1, sizeof *world);
    sim_platform_init(world);
    sim_device_init(world);
    sim_files_init(world);
    sim_roller_init(world);
    events_init(&world->events, &world->platform);
    return world;
}

static void forget_faults(struct world *world) {
    world->device.fail_write_in = world->device.late_in = -1;
    world->files.space_bytes = -1;
    world->files.stalled = NULL;
    world->files.write_at_most = 0;
    world->files.fail_sync_in = -1;
    world->files.fail_truncate = 0;
    world->files.fail_names = world->files.fail_reads = world->files.is_dead = 0;
    world->files.refused = NULL;
    world->files.others_before_write_in = world->files.others_after_write_in = -1;
    world->files.is_unmounted = 0;
    world->park_drains = 0;
    world->fail_allocation_in = -1;
    world->device.unreadable_bytes = 0;
    world->device.lies = 0;
}

static void clear_inode(struct sim_inode *inode) {
    memset(inode->cache, 0, FILE_BYTES_MAX);
    memset(inode->durable, 0, FILE_BYTES_MAX);
    uint8_t *cache = inode->cache, *durable = inode->durable;
    memset(inode, 0, sizeof *inode);
    inode->cache = cache;
    inode->durable = durable;
}

void world_reset(struct world *world, unsigned blocks, uint64_t seed) {
    world->device.medium_bytes = MEDIUM_DATA + (size_t)blocks * WORLD_BLOCK_BYTES;
    world->device.device.medium_bytes = LAYOUT_DATA_OFFSET + (uint64_t)blocks * WORLD_BLOCK_BYTES;
    memset(world->device.medium, 0, world->device.medium_bytes);
    world->device.under_way_count = 0;
    memset(world->device.current, 0, sizeof world->device.current);
    world->device.told_count = 0;
    world->device.device.write_depth = 1;
    memset(world->device.image, 0, WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES);
    world->device.is_ahead = 0;
    for (unsigned i = 0; i < FILES_MAX; i++) {
        clear_inode(&world->files.inodes[i]);
    }
    world->files.inode_count = world->files.begun_count = world->files.change_count = 0;
    memset(world->files.names, 0, sizeof world->files.names);
    memset(world->files.durable_names, 0, sizeof world->files.durable_names);
    world->files.link = NULL;
    world->files.hides_locks = 0;
    world->files.marks = MARKS_HANDLES;
    memset(&world->model, 0, sizeof world->model);
    memset(&world->copy, 0, sizeof world->copy);
    world->events.first = world->events.end = 0;
    world->engine = NULL;
    world->file_name = "/logs/orders.log";
    memset(world->streams, 0, sizeof world->streams);
    world->rolls_by_caller = 0;
    world->has_streams = world->has_segments = 0;
    world->rolls_planned = 0;
    world->has_index = world->index_may_fail = 0;
    world->window_maker = NULL;
    world->is_held = world->has_readers = 0;
    world->writes_to = 0;
    world->random_state = seed;
    world->now_ns = 1000000000000;
    world->process = 0;
    world->has_processes = 0;
    world->level = 0;
    world->before_operation = NULL;
    forget_faults(world);
}

static void copy_inode(struct sim_inode *to, const struct sim_inode *from) {
    const size_t bytes = sim_inode_extent(from), before = sim_inode_extent(to);
    uint8_t *cache = to->cache, *durable = to->durable;
    if (before > bytes) {
        memset(cache + bytes, 0, before - bytes);
        memset(durable + bytes, 0, before - bytes);
    }
    memcpy(cache, from->cache, bytes);
    memcpy(durable, from->durable, bytes);
    *to = *from;
    to->cache = cache;
    to->durable = durable;
    to->locked_by = 0;
}

void world_copy(struct world *to, const struct world *from) {
    to->device.medium_bytes = from->device.medium_bytes;
    to->device.device.medium_bytes = from->device.device.medium_bytes;
    to->device.device.write_depth = from->device.device.write_depth;
    sim_device_choose(to, from->device.is_mapped);
    to->device.device.line_bytes = from->device.device.line_bytes;
    memcpy(to->device.medium, from->device.medium, from->device.medium_bytes);
    to->device.under_way_count = 0;
    memset(to->device.current, 0, sizeof to->device.current);
    to->device.is_ahead = 0;
    const unsigned inodes =
        to->files.inode_count > from->files.inode_count ? to->files.inode_count : from->files.inode_count;
    for (unsigned i = 0; i < inodes; i++) {
        copy_inode(&to->files.inodes[i], &from->files.inodes[i]);
    }
    to->files.inode_count = from->files.inode_count;
    to->files.link = from->files.link;
    to->files.hides_locks = 0;
    to->files.marks = from->files.marks;
    to->files.begun_count = from->files.begun_count;
    memcpy(to->files.names, from->files.names, sizeof to->files.names);
    memcpy(to->files.durable_names, from->files.durable_names, sizeof to->files.durable_names);
    memcpy(to->files.changes, from->files.changes, sizeof to->files.changes);
    to->files.change_count = from->files.change_count;
    const size_t records = (size_t)from->model.offered + 1;
    memcpy(to->model.records, from->model.records, records * sizeof to->model.records[0]);
    memcpy(to->model.seen, from->model.seen, (from->model.seen_count + 1) * sizeof to->model.seen[0]);
    to->model.seen_count = from->model.seen_count;
    to->model.deleted_count = from->model.deleted_count;
    to->model.gone_sequence = from->model.gone_sequence;
    to->model.is_begun_anew = from->model.is_begun_anew;
    to->model.acknowledged = from->model.acknowledged;
    to->model.offered = from->model.offered;
    to->model.incarnation = from->model.incarnation;
    to->model.drained = from->model.drained;
    to->model.medium_damaged = from->model.medium_damaged;
    to->model.medium_lied = from->model.medium_lied;
    to->model.is_formatting = from->model.is_formatting;
    to->model.has_rolls = from->model.has_rolls;
    to->model.rolls_may_fail = from->model.rolls_may_fail;
    to->model.repeats = from->model.repeats;
    memcpy(to->copy.records, from->copy.records, (from->copy.last + 1) * sizeof to->copy.records[0]);
    to->copy.is_kept = from->copy.is_kept;
    to->copy.last = from->copy.last;
    to->copy.confirmed = from->copy.confirmed;
    to->copy.acknowledged = from->copy.acknowledged;
    to->copy.may_fail = from->copy.may_fail;
    to->copy.may_go_back = from->copy.may_go_back;
    to->copy.is_away = from->copy.is_away;
    to->copy.may_miss = from->copy.may_miss;
    to->rolls_by_caller = from->rolls_by_caller;
    to->rolls_planned = from->rolls_planned;
    to->has_index = from->has_index;
    to->index_may_fail = from->index_may_fail;
    sim_roller_init(to);
    to->events.first = to->events.end = 0;
    to->engine = NULL;
    to->is_held = 0;
    to->process = 0;
    to->has_processes = 0;
    to->file_name = from->file_name;
    memcpy(to->streams, from->streams, sizeof to->streams);
    to->has_streams = from->has_streams;
    log_forget_streams(to);
    to->random_state = from->random_state;
    to->now_ns = from->now_ns;
    to->before_operation = NULL;
    forget_faults(to);
    to->device.unreadable = from->device.unreadable;
    to->device.unreadable_bytes = from->device.unreadable_bytes;
}
