/* SPDX-License-Identifier: Apache-2.0 */
#include "media/checkpoint_v1.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"

_Static_assert(CHECKPOINT_STAGES == BURST_STAGES, "each stage has its place");

static uint32_t checkpoint_crc(const struct checkpoint *checkpoint, uint32_t crc_seed) {
    return crc32c(crc_seed, checkpoint, offsetof(struct checkpoint, crc));
}

void checkpoint_seal(struct checkpoint *checkpoint, uint32_t crc_seed) {
    checkpoint->magic = CHECKPOINT_MAGIC;
    checkpoint->crc = checkpoint_crc(checkpoint, crc_seed);
}

static int names_a_file(const struct checkpoint *checkpoint) {
    const uint32_t bytes = checkpoint->stream.file_name_bytes;
    return bytes == 0 || (bytes < sizeof checkpoint->file_name && checkpoint->file_name[0] == '/' &&
                          memchr(checkpoint->file_name, '\0', bytes) == NULL);
}

/* What the CRC cannot tell: numbers that no writer makes and that would lead a reader outside. */
static int is_plausible(const struct checkpoint *checkpoint) {
    const struct checkpoint_stream *stream = &checkpoint->stream;
    return checkpoint->generation <= LAYOUT_NUMBER_MAX && checkpoint->durable_position <= LAYOUT_NUMBER_MAX &&
           checkpoint->durable_position % RECORD_ALIGN_BYTES == 0 && checkpoint->next_sequence >= 1 &&
           checkpoint->next_sequence <= LAYOUT_NUMBER_MAX && stream->drained_position <= LAYOUT_NUMBER_MAX &&
           stream->drained_position % RECORD_ALIGN_BYTES == 0 && stream->next_sequence >= 1 &&
           stream->next_sequence <= LAYOUT_NUMBER_MAX && stream->epoch <= checkpoint->epoch &&
           stream->file_bytes <= INT64_MAX;
}

int checkpoint_is_valid(const struct checkpoint *checkpoint, uint32_t crc_seed) {
    return checkpoint->magic == CHECKPOINT_MAGIC && checkpoint->crc == checkpoint_crc(checkpoint, crc_seed) &&
           checkpoint->stream_count == 1 && names_a_file(checkpoint) &&
           checkpoint->stream.tail_bytes <= CHECKPOINT_TAIL_BYTES && is_plausible(checkpoint);
}

/* What an older library passed on of another epoch is nothing. */
static struct checkpoint_mark known_mark(const struct checkpoint *checkpoint) {
    struct checkpoint_mark mark =
        checkpoint->mark.epoch == checkpoint->epoch ? checkpoint->mark : (struct checkpoint_mark){.inode = 0};
    mark.epoch = 0;
    return mark;
}

static struct checkpoint_mount known_place(const struct checkpoint *checkpoint) {
    struct checkpoint_mount place =
        checkpoint->place.epoch == checkpoint->epoch ? checkpoint->place : (struct checkpoint_mount){.epoch = 0};
    place.epoch = 0;
    return place;
}

int checkpoint_leads_to_the_same(const struct checkpoint *one, const struct checkpoint *other) {
    const struct checkpoint_mark marks[] = {known_mark(one), known_mark(other)};
    const struct checkpoint_mount places[] = {known_place(one), known_place(other)};
    return memcmp(&one->stream, &other->stream, sizeof one->stream) == 0 &&
           memcmp(one->file_name, other->file_name, sizeof one->file_name) == 0 &&
           memcmp(&marks[0], &marks[1], sizeof marks[0]) == 0 && memcmp(&places[0], &places[1], sizeof places[0]) == 0;
}

int checkpoint_fits(const struct checkpoint *checkpoint, uint64_t capacity_bytes) {
    const uint64_t window_end = checkpoint->stream.drained_position + capacity_bytes;
    return checkpoint->durable_position <= window_end && checkpoint->in_flight_end <= window_end;
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
        used +=
            snprintf(path + used, path_bytes - (size_t)used, ".%llu", (unsigned long long)stream->diverted_sequence);
        if (stream->diverted_attempt != 0 && (size_t)used < path_bytes) {
            used += snprintf(path + used, path_bytes - (size_t)used, ".%u", stream->diverted_attempt);
        }
    }
    return used < 0 || (size_t)used >= path_bytes ? -ENAMETOOLONG : 0;
}

void checkpoint_put_stages(struct checkpoint *checkpoint, const burst_stage_stats_t *figures) {
    for (unsigned i = 0; i < CHECKPOINT_STAGES; i++) {
        checkpoint->stages[i] = (struct checkpoint_stage){
            .count = figures[i].count,
            .mean_ns = figures[i].mean_ns,
            .p50_ns = figures[i].p50_ns,
            .p99_ns = figures[i].p99_ns,
            .p999_ns = figures[i].p999_ns,
            .p9999_ns = figures[i].p9999_ns,
            .max_ns = figures[i].max_ns,
        };
    }
}

int checkpoint_get_stages(const struct checkpoint *checkpoint, burst_stage_stats_t *figures) {
    int timed = 0;
    for (unsigned i = 0; i < CHECKPOINT_STAGES; i++) {
        const struct checkpoint_stage *stage = &checkpoint->stages[i];
        figures[i] = (burst_stage_stats_t){
            .count = stage->count,
            .mean_ns = stage->mean_ns,
            .p50_ns = stage->p50_ns,
            .p99_ns = stage->p99_ns,
            .p999_ns = stage->p999_ns,
            .p9999_ns = stage->p9999_ns,
            .max_ns = stage->max_ns,
        };
        timed |= stage->count != 0;
    }
    return timed;
}
