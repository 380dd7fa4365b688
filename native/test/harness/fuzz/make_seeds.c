/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the first inputs of the targets, made from real rings: fuzz-make-seeds FOLDER. Each folder below FOLDER is the
 * corpus of one target; `media` is for all targets that read a medium.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "harness/fuzz/medium.h"
#include "harness/fuzz/seeds.h"
#include "media/raw_header.h"
#include "media/record.h"
#include "media/segment.h"
#include "harness/simulator/log.h"

static const char *folder;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

/* Linked, never called. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) {
    (void)data, (void)room;
    return size;
}

void write_seed(const char *target, const char *name, const void *bytes, size_t length) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
}

static void write_medium(const char *name, const struct medium *medium) {
    static uint8_t input[sizeof(struct medium) + 4096];
    static struct medium again;
    const size_t length = medium_encode(medium, input, sizeof input);
    medium_decode(&again, input, length);
    if (length == 0 || memcmp(&again, medium, sizeof again) != 0) {
        fprintf(stderr, "%s is not what was encoded\n", name);
        exit(1);
    }
    write_seed("media", name, input, length);
}

static void write_world(const char *name, const struct world *world, uint8_t option) {
    static struct medium medium;
    medium_from_world(&medium, world);
    medium.options[0] = option;
    write_medium(name, &medium);
}

static struct world *new_world(void) {
    static struct world *world;
    world = world == NULL ? world_create() : world;
    world_reset(world, FUZZ_BLOCKS, 7);
    log_format(world);
    return world;
}

static void append(struct world *world, int count, uint32_t length) {
    for (int i = 0; i < count; i++) {
        if (log_append(world, length) == -EAGAIN) {
            log_drain_all(world);
            log_append(world, length);
        }
    }
}

static size_t place_of_block(const struct world *world, uint64_t block) {
    (void)world;
    return MEDIUM_DATA + (size_t)(block % FUZZ_BLOCKS) * WORLD_BLOCK_BYTES;
}

static void plain_logs(void) {
    struct world *world = new_world();
    write_world("empty", world, 0);
    log_open_whole(world);
    write_world("opened", world, 1);
    append(world, 2, 40);
    write_world("two-records", world, 2);
    for (int i = 0; i < 4; i++) {
        log_enqueue(world, 30);
    }
    log_commit(world);
    append(world, 1, 0);
    write_world("a-batch", world, 4);
    log_drain_all(world);
    write_world("drained", world, 0);
    append(world, 3, 60);
    log_close(world);
    log_open_whole(world);
    append(world, 1, 20);
    write_world("reopened", world, 0);
    log_close(world);
}

static void laps(void) {
    struct world *world = new_world();
    log_open_whole(world);
    append(world, 5, 3000);
    log_drain_all(world);
    append(world, 4, 5000);
    log_drain(world, 0);
    write_world("second-lap-with-a-pad", world, 0);
    append(world, 9, 7000);
    write_world("third-lap", world, 1);
    log_close(world);
    log_open_whole(world);
    world->files.space_bytes = 0;
    while (log_append(world, 2000) > 0) {
    }
    write_world("full", world, 0);
    log_close(world);
    log_open_whole(world);
    write_world("full-and-reopened", world, 0);
    log_close(world);
}

static void damage(void) {
    struct world *world = new_world();
    log_open_whole(world);
    append(world, 4, 40);
    world->device.medium[place_of_block(world, 2) + RECORD_HEADER_BYTES + 3] ^= 1;
    write_world("payload-damaged", world, 0);
    world->device.medium[place_of_block(world, 3) + 9] ^= 1;
    write_world("header-damaged", world, 0);
    log_close(world);
    world->model.medium_damaged = 1;
    world->model.records[2].damaged = world->model.records[3].damaged = 1;
    world->files.space_bytes = 0;
    log_open_whole(world);
    write_world("damage-in-the-marker", world, 0);
    log_append(world, 40);
    log_close(world);
    log_open_whole(world);
    write_world("damage-known-since-two-opens", world, 2);
    memset(world->device.medium + place_of_block(world, 5), 0, WORLD_BLOCK_BYTES);
    write_world("marker-lost", world, 0);
    world->device.medium[100] ^= 1;
    world_checkpoint(world, 0)[100] ^= 1;
    write_world("one-copy-of-each-bad", world, 0);
    log_close(world);
}

/* Writes media with a roll that is done, rolls in each phase, and rolls that wait. */
static void rolls(void) {
    static const struct sim_roll to_next = {.footer_bytes = 40, .header_bytes = 30, .next = "/logs/next.log"};
    static const struct sim_roll nowhere = {
        .footer_bytes = 20, .next = "/logs/a-name-of-sixty-and-more-characters-that-no-simulated-folder-takes.log"};
    struct world *world = new_world();
    log_open_whole(world);
    append(world, 2, 40);
    log_roll(world, &plain_roll);
    append(world, 1, 40);
    write_world("a-roll-that-waits", world, 3);
    log_drain_all(world);
    write_world("a-roll-that-is-done", world, 0);
    log_roll(world, &to_next);
    append(world, 1, 40);
    for (int step = 0; step < 3; step++) { /* in each phase of the roll */
        char name[32];
        snprintf(name, sizeof name, "a-roll-in-phase-%d", step);
        log_drain(world, 0);
        write_world(name, world, 2);
    }
    log_drain_all(world);
    log_roll(world, &nowhere);
    log_roll(world, &plain_roll);
    append(world, 1, 40);
    write_world("a-roll-to-a-long-name", world, 6);
    log_close(world);
}

/* A torn commit is followed by a whole one, then by an open; and all of that once more. */
static void void_ranges(void) {
    struct world *world = new_world();
    log_open_whole(world);
    append(world, 1, 40);
    for (int i = 0; i < 2; i++) {
        log_enqueue(world, 4000);
        log_enqueue(world, 40);
        log_commit(world);
        const uint64_t end = atomic_load(&world->engine->ring->durable_position);
        world->device.medium[place_of_block(world, end / WORLD_BLOCK_BYTES - 2) + 20] ^= 1; /* its first record */
        log_close(world);
        world->model.acknowledged -= 2;
        log_open_whole(world);
        append(world, 1, 50);
        write_world(i == 0 ? "void-range" : "two-void-ranges", world, 0);
    }
    log_close(world);
}

static void failures(void) {
    struct world *world = new_world();
    log_open_whole(world);
    append(world, 1, 40);
    world->device.fail_errno = EIO;
    world->device.fail_write_in = 0;
    log_append(world, 40);
    log_drain(world, 1);
    write_world("failed", world, 0);
    log_close(world);
    log_open_whole(world);
    append(world, 1, 30);
    world->files.fail_sync_in = 0;
    log_drain(world, 1);
    log_drain_all(world);
    append(world, 1, 30);
    write_world("diverted", world, 1);
    log_close(world);
}

/* Media that no writer makes, with right CRCs: a marker in a wrong place, of a wrong length, with wrong losses. */
static void crafted(void) {
    static struct medium medium;
    struct world *world = new_world();
    log_open_whole(world);
    append(world, 4, 40);
    medium_from_world(&medium, world);
    log_close(world);
    const uint32_t crc_seed = medium_crc_seed(&medium);
    struct record_header *header = (struct record_header *)(medium.data + 3 * WORLD_BLOCK_BYTES);
    struct marker *marker = (struct marker *)(header + 1);
    memset(marker, 0, offsetof(struct marker, losses));
    header->type = RECORD_MARKER;
    header->epoch++;
    header->sequence = 3;
    header->length = offsetof(struct marker, losses) + 2 * sizeof marker->losses[0];
    marker->log_end = 2 * WORLD_BLOCK_BYTES;
    marker->loss_count = 2;
    marker->losses[0] =
        (struct marker_loss){.from = WORLD_BLOCK_BYTES, .to = 2 * WORLD_BLOCK_BYTES, .first_sequence = 1, .count = 1};
    marker->losses[1] = (struct marker_loss){.from = 0, .to = UINT64_MAX, .first_sequence = UINT64_MAX, .count = 9};
    header->payload_crc = crc32c(0, marker, header->length);
    header->header_crc = crc32c(crc_seed, header, RECORD_CRC_COVERS);
    write_medium("crafted-marker", &medium);
    marker->loss_count = UINT32_MAX;
    header->payload_crc = crc32c(0, marker, header->length);
    header->header_crc = crc32c(crc_seed, header, RECORD_CRC_COVERS);
    write_medium("crafted-loss-count", &medium);
    static struct medium large;
    large = medium;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        struct superblock *superblock = &large.superblocks[copy];
        superblock->capacity_bytes = 1ull << 37;
        superblock->medium_bytes = superblock->data_offset + superblock->capacity_bytes;
        superblock->crc = crc32c(0, superblock, offsetof(struct superblock, crc));
    }
    write_medium("crafted-capacity", &large);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        /* The only stream has no name, so its path is where the next entry would be. */
        memcpy(&medium.checkpoints[slot].streams[1], "/\"\\\x1b[2J\xff", 8);
        medium_seal_checkpoint(&medium.checkpoints[slot], crc_seed);
    }
    medium.options[1] = 1;
    write_medium("crafted-name", &medium);
}

/* Writes `count` small records; with `epochs`, each has its own epoch. Every `damaged`th record is damaged. */
static void many_small_records(const char *name, unsigned count, int epochs, unsigned damaged, uint32_t length,
                               uint8_t option) {
    static struct medium medium;
    medium_from_world(&medium, new_world());
    medium.options[2] = option;
    const uint32_t crc_seed = medium_crc_seed(&medium);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t position = i * 64ull;
        struct record_header *header = (struct record_header *)(medium.data + position);
        memset(header, 0, RECORD_HEADER_BYTES);
        header->type = RECORD_DATA;
        header->sequence = i + 1;
        header->length = length;
        header->payload_crc = crc32c(0, header + 1, 8) ^ (length != 8);
        const struct record_seal seal = {.position = position,
                                         .durable_position = position,
                                         .durable_next_sequence = i + 1,
                                         .epoch = epochs ? i + 1 : 1};
        record_seal(header, &seal, crc_seed);
        header->length ^= damaged != 0 && i % damaged == 0;
    }
    write_medium(name, &medium);
}

static void many_records(void) {
    many_small_records("many-damaged", 60, 0, 2, 8, 0);
    many_small_records("many-epochs", 100, 1, 7, 8, 0);
    many_small_records("inside-each-other", 160, 0, 0, 21000, 0);
    for (uint8_t option = 1; option <= 6; option++) {
        char name[32];
        snprintf(name, sizeof name, "no-memory-%u", option);
        many_small_records(name, 12, 0, 2, 8, option);
    }
}

static void small_targets(void) {
    static struct medium medium;
    struct world *world = new_world();
    log_open_whole(world);
    append(world, 2, 40);
    log_drain_all(world);
    log_close(world);
    medium_from_world(&medium, world);
    write_seed("superblock", "formatted", &medium.superblocks[0], sizeof medium.superblocks[0]);
    static struct stream_state streams[3];
    const struct stream_state *states[3];
    for (unsigned i = 0; i < 3; i++) {
        states[i] = &streams[i];
        stream_state_first(&streams[i]);
        streams[i].id = (uint16_t)(2 * i);
        snprintf(streams[i].name, sizeof streams[i].name, "%s", i == 0 ? "" : "audit");
        snprintf(streams[i].outlet.path, sizeof streams[i].outlet.path, "/logs/%u.log", i);
        streams[i].outlet.diverted_sequence = 77 * i;
        streams[i].outlet.diverted_attempt = 3 * i;
        streams[i].outlet.diverted_form = i % 2;
    }
    struct {
        struct raw_header header;
        struct raw_end ends[RAW_END_SLOTS];
    } raw = {.header = {0}};
    raw_header_make(&raw.header, RAW_DATA_OFFSET + RAW_MIN_CAPACITY_BYTES, (const uint8_t *)"a device with log", 77);
    for (unsigned i = 0; i < RAW_END_SLOTS; i++) {
        raw_end_make(&raw.ends[i], &raw.header, i + 1, 4711 * i);
    }
    write_seed("raw_header", "formatted", &raw, sizeof raw);
    uint8_t slot[1024];
    const struct checkpoint_facts facts = {.generation = 2};
    checkpoint_encode(&facts, states, 3, 0, slot, sizeof slot);
    write_seed("checkpoint", "three-streams", slot, checkpoint_claims(slot));
    checkpoint_encode(&facts, states, 1, 0, slot, sizeof slot);
    write_seed("checkpoint", "first", slot, checkpoint_claims(slot));
}

static size_t put_frame(uint8_t *out, uint64_t sequence, uint32_t length, uint32_t crc_seed) {
    uint8_t payload[300];
    memset(payload, 'a' + (int)sequence, sizeof payload);
    struct record_header header = {.position = sequence * 512,
                                   .sequence = sequence,
                                   .length = length,
                                   .type = RECORD_DATA,
                                   .event_time_ns = (int64_t)sequence,
                                   .payload_crc = crc32c(0, payload, length)};
    header.header_crc = crc32c(crc_seed, &header, RECORD_CRC_COVERS);
    segment_frame_put(&header, payload, out);
    return record_bytes(length);
}

/* An input of target_segments.c: two segments, a loss at the end of the first, and a consumer in the midst of it. */
static void segments(void) {
    static struct {
        uint16_t second, first_bytes, second_bytes, reserved;
        struct segments_head head;
        struct segments_position slots[SEGMENTS_POSITION_SLOTS];
        struct segment_header headers[2];
        uint8_t frames[2][2048];
    } input;
    static const uint8_t uuid[16] = "folder", ring[16] = "ring";
    const struct marker_loss loss = {.from = 4096, .to = 8192, .first_sequence = 4, .count = 2};
    const uint32_t crc_seed = crc_seed_of(ring);
    segments_head_make(&input.head, uuid, "orders", 7);
    segments_position_make(&input.slots[0], uuid, 2, 3, 9);
    segments_position_make(&input.slots[1], uuid, 1, 2, 8);
    segment_header_make(&input.headers[0], uuid, ring, 1, 1);
    size_t used = 0;
    for (uint64_t sequence = 1; sequence <= 3; sequence++) {
        used += put_frame(input.frames[0] + used, sequence, 20 * (uint32_t)sequence, crc_seed);
    }
    used += segment_loss_put(&loss, crc_seed, input.frames[0] + used);
    input.first_bytes = (uint16_t)(sizeof input.headers[0] + used);
    input.second = 5;
    segment_header_make(&input.headers[1], uuid, ring, 5, 6);
    used = put_frame(input.frames[1], 6, 0, crc_seed);
    used += put_frame(input.frames[1] + used, 7, 300, crc_seed);
    input.second_bytes = (uint16_t)(sizeof input.headers[1] + used);
    write_seed("segments", "two", &input, sizeof input);
    input.second = 9;
    write_seed("segments", "gap", &input, sizeof input);
    input.second = 0;
    input.first_bytes = (uint16_t)(input.first_bytes - 30);
    write_seed("segments", "torn", &input, sizeof input);
}

static void programs(void) {
    static const struct {
        const char *name;
        uint8_t bytes[24];
        size_t length;
    } seeds[] = {
        {"append-drain-reopen", {0, 1, 0, 60, 1, 200, 5, 7, 12, 0, 90, 7, 12}, 13},
        {"enqueue-commit-crash", {1, 2, 3, 4, 60, 70, 160, 90, 13, 1, 5, 5, 0, 50, 7}, 15},
        {"crash-in-recovery", {0, 3, 0, 60, 0, 80, 13, 2, 7, 12, 13, 3, 9, 0, 60, 7}, 16},
        {"failed-write", {2, 4, 0, 60, 8, 0, 0, 70, 0, 80, 7, 0, 90, 12, 7}, 15},
        {"checkpoint-rots", {0, 5, 0, 60, 7, 0, 70, 7, 14, 9, 0, 80, 14, 200, 7}, 15},
        {"record-damaged", {0, 6, 0, 60, 0, 70, 0, 80, 0, 90, 15, 0, 5, 9, 7, 0, 60, 7}, 18},
        {"disk-full", {0, 7, 9, 2, 0, 255, 0, 255, 0, 250, 6, 0, 200, 0, 240, 10, 7, 12}, 18},
        {"sync-fails", {0, 8, 0, 60, 7, 0, 70, 9, 1, 7, 7, 0, 80, 11, 6}, 15},
        {"renamed", {0, 10, 0, 60, 7, 0, 70, 6, 9, 192, 12, 0, 80, 6, 13, 1, 3, 9, 194, 12, 7}, 21},
        {"copied-and-renamed", {0, 11, 0, 60, 7, 0, 70, 6, 9, 193, 9, 192, 12, 0, 80, 6, 12, 7}, 18},
        {"laps", {1, 9, 0, 255, 7, 0, 255, 7, 0, 255, 7, 0, 255, 7, 0, 239, 7, 0, 239, 7, 0, 255, 7}, 23},
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        write_seed("world", seeds[i].name, seeds[i].bytes, seeds[i].length);
    }
}

int main(int count, char **words) {
    if (count != 2) {
        fprintf(stderr, "usage: fuzz-make-seeds FOLDER\n");
        return 2;
    }
    folder = words[1];
    mkdir(folder, 0777);
    plain_logs();
    laps();
    damage();
    void_ranges();
    rolls();
    failures();
    crafted();
    many_records();
    small_targets();
    segments();
    signed_seeds();
    exchange_seeds();
    programs();
    return 0;
}
