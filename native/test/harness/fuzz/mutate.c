/* SPDX-License-Identifier: Apache-2.0 */
/* Changes by field: a field gets the value of another one, and CRCs are mended. */
#include <string.h>

#include "base/crc32c.h"
#include "harness/fuzz/medium.h"
#include "media/record.h"
#include "media/roll.h"
#include "media/writer_note.h"

#define HEADERS_MAX 64u

struct change {
    struct medium *medium;
    uint64_t random;
    uint32_t crc_seed;
    size_t headers[HEADERS_MAX]; /* offsets in data that look like headers */
    size_t header_count;
};

static uint64_t any(struct change *change, uint64_t below) {
    return random_next(&change->random) % below;
}

static struct record_header *header_at(struct change *change, size_t offset) {
    return (struct record_header *)(change->medium->data + offset);
}

static void find_headers(struct change *change) {
    for (size_t at = 0; at + RECORD_HEADER_BYTES <= FUZZ_CAPACITY && change->header_count < HEADERS_MAX; at += 8) {
        const struct record_header *header = header_at(change, at);
        if (header->position % FUZZ_CAPACITY == at && header->type >= RECORD_DATA && header->type <= RECORD_MARKER &&
            (header->position > 0 || header->sequence > 0)) {
            change->headers[change->header_count++] = at;
        }
    }
}

static size_t any_header(struct change *change) {
    return change->header_count == 0 ? 8 * any(change, 7) : change->headers[any(change, change->header_count)];
}

/* A number for a 64-bit field: one of the medium, near one of it, or at the end of a range. */
static uint64_t any_number(struct change *change) {
    static const uint64_t ends[] = {
        0, 1, 8, 4096, FUZZ_CAPACITY, 1ull << 31, UINT32_MAX, 1ull << 61, LAYOUT_NUMBER_MAX, INT64_MAX, UINT64_MAX};
    static const int64_t steps[] = {0, 0, 0, 1, -1, 8, -8, 56, 4096, -4096, FUZZ_CAPACITY, -(int64_t)FUZZ_CAPACITY};
    const struct record_header *header = header_at(change, any_header(change));
    const struct fuzz_checkpoint *checkpoint = &change->medium->checkpoints[any(change, LAYOUT_CHECKPOINT_SLOTS)];
    const struct writer_note *note = &change->medium->notes[any(change, LAYOUT_NOTE_SLOTS)];
    const uint64_t values[] = {
        header->position,
        header->sequence,
        header->durable_position,
        header->position + record_bytes(header->length),
        note->durable_position,
        note->next_sequence,
        checkpoint->streams[0].drained_position,
        checkpoint->streams[0].next_sequence,
        checkpoint->head.generation,
        note->in_flight_end,
        ends[any(change, sizeof ends / sizeof ends[0])],
        any(change, 2 * FUZZ_CAPACITY),
    };
    return values[any(change, sizeof values / sizeof values[0])] +
           (uint64_t)steps[any(change, sizeof steps / sizeof steps[0])];
}

static void seal_record(struct change *change, size_t offset) {
    struct record_header *header = header_at(change, offset);
    const uint64_t left = FUZZ_CAPACITY - offset - RECORD_HEADER_BYTES;
    if (header->length <= left && header->type != RECORD_PAD) {
        header->payload_crc = crc32c(0, header + 1, header->length);
    }
    header->header_crc = crc32c(change->crc_seed, header, RECORD_CRC_COVERS);
}

static void change_header(struct change *change, size_t offset) {
    struct record_header *header = header_at(change, offset);
    switch (any(change, 9)) {
    case 0:
        header->position = any_number(change) / FUZZ_CAPACITY * FUZZ_CAPACITY + offset;
        return;
    case 1:
        header->sequence = any_number(change);
        return;
    case 2:
        header->length = any(change, 2) ? (uint32_t)any_number(change) : (uint32_t)any(change, 5000);
        return;
    case 3:
        header->type = (uint8_t)any(change, 6);
        return;
    case 4:
        header->flags ^= (uint8_t)(1 + any(change, 7));
        return;
    case 5:
        header->durable_position = any_number(change);
        return;
    case 6:
        header->epoch = any(change, 4) ? header->epoch + (uint32_t)any(change, 5) - 2 : (uint32_t)any_number(change);
        return;
    case 7:
        header->in_flight = (uint32_t)(any(change, 2) ? any(change, 4) : any_number(change));
        return;
    default:
        header->event_time_ns = (int64_t)any_number(change);
    }
}

static void change_marker(struct change *change, size_t offset) {
    struct record_header *header = header_at(change, offset);
    if (offset + RECORD_HEADER_BYTES + sizeof(struct marker) > FUZZ_CAPACITY) {
        return;
    }
    struct marker *marker = (struct marker *)(header + 1);
    header->type = RECORD_MARKER;
    header->flags |= RECORD_LAST;
    switch (any(change, 3)) {
    case 0:
        marker->log_end = any_number(change);
        break;
    case 1:
        marker->loss_count = any(change, 8) ? (uint32_t)any(change, 4) : (uint32_t)any_number(change);
        break;
    default: {
        const struct record_header *lost = header_at(change, any_header(change));
        marker->loss_count = marker->loss_count >= 1 && marker->loss_count <= 3 ? marker->loss_count : 1;
        marker->losses[any(change, marker->loss_count)] =
            (struct marker_loss){.from = any(change, 4) ? lost->position : any_number(change),
                                 .to = any_number(change),
                                 .first_sequence = any(change, 4) ? lost->sequence : any_number(change),
                                 .count = any(change, 4) ? any(change, 4) : any_number(change)};
    }
    }
    if (marker->loss_count <= MARKER_LOSSES_MAX) {
        header->length = (uint32_t)(offsetof(struct marker, losses) + marker->loss_count * sizeof marker->losses[0]);
    }
}

static const char *any_path(struct change *change) {
    static const char *const paths[] = {"",
                                        "/logs/orders.log",
                                        "/logs/second.log",
                                        "/logs/a.log",
                                        "/logs/a.log.1",
                                        "/logs",
                                        "/elsewhere/b.log",
                                        "no/path",
                                        "/logs/a-name-of-sixty-and-more-characters-that-no-simulated-folder-takes"};
    return paths[any(change, sizeof paths / sizeof paths[0])];
}

/* Makes the record a roll, usually one that a writer could make. */
static void change_roll(struct change *change, size_t offset) {
    static const uint8_t text[] = "<the last line>\n<the first line>\n";
    struct record_header *header = header_at(change, offset);
    struct roll roll = {
        .footer = text, .header = text, .target = any_path(change), .next = any_path(change), .note = text};
    roll.footer_bytes = (uint32_t)any(change, sizeof text);
    roll.header_bytes = (uint32_t)any(change, sizeof text);
    roll.target_bytes = (uint32_t)strlen(roll.target);
    roll.next_bytes = (uint32_t)strlen(roll.next);
    roll.note_bytes = (uint32_t)any(change, sizeof text);
    roll.by_caller = any(change, 8) == 0;
    if (any(change, 2) == 0) {
        const char *pattern = any_path(change);
        roll.rules = (struct roll_rules){.are_there = 1,
                                         .pattern = pattern,
                                         .head = {.pattern_bytes = (uint32_t)strlen(pattern),
                                                  .file_mode = (uint32_t)any(change, 01000),
                                                  .file_owner = ROLL_NOBODY_ID,
                                                  .file_group = (uint32_t)any(change, 3),
                                                  .keep_files = any(change, 3)}};
    }
    if (offset + RECORD_HEADER_BYTES + roll_size(&roll) > FUZZ_CAPACITY) {
        return;
    }
    header->type = RECORD_DATA;
    header->flags |= RECORD_ROLL;
    header->length = (uint32_t)roll_size(&roll);
    roll_encode(&roll, (uint8_t *)(header + 1));
    if (any(change, 4) == 0) {
        uint32_t *const head = (uint32_t *)(header + 1);
        const size_t fields =
            (sizeof(struct roll_head) + (roll.rules.are_there ? sizeof roll.rules.head : 0)) / sizeof *head;
        head[any(change, fields)] = (uint32_t)any_number(change);
    }
}

/* Adds a record that could follow another one, at a block or right behind it. */
static size_t add_record(struct change *change) {
    const size_t before = any_header(change);
    const struct record_header *last = header_at(change, before);
    const struct walk_shape shape = {.capacity_bytes = FUZZ_CAPACITY, .block_bytes = WORLD_BLOCK_BYTES};
    const struct record_header shorter = {.length = last->length % FUZZ_CAPACITY, .flags = last->flags};
    const uint64_t next = any(change, 2) ? walk_end_of_record(&shape, last->position, &shorter)
                                         : align_down(any_number(change), WORLD_BLOCK_BYTES);
    const size_t offset = next % FUZZ_CAPACITY / 8 * 8;
    if (offset + RECORD_HEADER_BYTES > FUZZ_CAPACITY) {
        return before;
    }
    struct record_header copy = *last;
    copy.position = next / FUZZ_CAPACITY * FUZZ_CAPACITY + offset;
    copy.sequence += (uint64_t)record_has_sequence(&copy) + (any(change, 4) == 0 ? any(change, 5) : 0);
    copy.type = (uint8_t)(1 + any(change, 4));
    copy.length = (uint32_t)any(change, any(change, 3) ? 100 : 9000);
    copy.durable_position = any(change, 3) ? copy.position : last->durable_position;
    copy.in_flight = 0;
    copy.epoch += any(change, 3) == 0;
    *header_at(change, offset) = copy;
    if (copy.type == RECORD_MARKER) {
        change_marker(change, offset);
    } else if (any(change, 3) == 0) {
        change_roll(change, offset);
    }
    return offset;
}

static void change_data(struct change *change) {
    size_t offset = any_header(change);
    switch (any(change, 11)) {
    case 0: /* damage that the CRC must find */
        change->medium->data[(offset + any(change, 200)) % FUZZ_CAPACITY] ^= (uint8_t)(1 + any(change, 255));
        return;
    case 1:
        memset(change->medium->data + any(change, FUZZ_BLOCKS) * WORLD_BLOCK_BYTES, 0, WORLD_BLOCK_BYTES);
        return;
    case 2: { /* a write to the wrong place */
        const size_t to = any(change, FUZZ_BLOCKS) * WORLD_BLOCK_BYTES;
        memmove(change->medium->data + to, change->medium->data + offset / WORLD_BLOCK_BYTES * WORLD_BLOCK_BYTES,
                WORLD_BLOCK_BYTES);
        if (any(change, 2)) {
            header_at(change, to)->position = any_number(change) / FUZZ_CAPACITY * FUZZ_CAPACITY + to;
            seal_record(change, to);
        }
        return;
    }
    case 3:
    case 4:
        offset = add_record(change);
        break;
    case 5:
    case 6:
        offset = offset / WORLD_BLOCK_BYTES * WORLD_BLOCK_BYTES;
        change_marker(change, offset);
        break;
    case 7:
        change_roll(change, offset);
        break;
    default:
        change_header(change, offset);
    }
    seal_record(change, offset);
}

/* Adds a stream that is like the first. */
static void add_stream(struct change *change, struct fuzz_checkpoint *checkpoint) {
    struct checkpoint_head *head = &checkpoint->head;
    const struct checkpoint_entry *first = &checkpoint->streams[0];
    const uint32_t bytes = first->name_bytes + first->path_bytes;
    if (checkpoint_claims((const uint8_t *)checkpoint) == 0 || head->stream_count >= FUZZ_STREAMS ||
        first->name_bytes > 4096 || first->path_bytes > 4096 ||
        head->bytes + sizeof *first + bytes > sizeof *checkpoint) {
        return;
    }
    uint8_t *const end = (uint8_t *)&checkpoint->streams[head->stream_count];
    memmove(end + sizeof *first, end, (size_t)((uint8_t *)checkpoint + head->bytes - end));
    struct checkpoint_entry *added = (struct checkpoint_entry *)end;
    *added = *first;
    added->id = (uint16_t)(any(change, 4) ? checkpoint->streams[head->stream_count - 1].id + 1 : any(change, 70));
    head->bytes += (uint32_t)sizeof *first;
    uint8_t *const strings = (uint8_t *)&checkpoint->streams[++head->stream_count];
    memmove((uint8_t *)checkpoint + head->bytes, strings, bytes);
    head->bytes += bytes;
}

static void change_note(struct change *change) {
    struct writer_note *note = &change->medium->notes[any(change, LAYOUT_NOTE_SLOTS)];
    uint64_t *const fields[] = {&note->generation, &note->durable_position, &note->next_sequence, &note->in_flight_end};
    if (any(change, 4)) {
        *fields[any(change, sizeof fields / sizeof fields[0])] = any_number(change);
    } else {
        note->epoch = (uint32_t)any_number(change);
    }
    if (any(change, 8)) {
        writer_note_seal(note, change->crc_seed);
    }
}

static void change_checkpoint(struct change *change) {
    struct fuzz_checkpoint *checkpoint = &change->medium->checkpoints[any(change, LAYOUT_CHECKPOINT_SLOTS)];
    struct checkpoint_head *head = &checkpoint->head;
    struct checkpoint_entry *stream = &checkpoint->streams[any(change, 4) ? 0 : any(change, FUZZ_STREAMS)];
    uint64_t *const fields[] = {&head->generation,      &stream->drained_position, &stream->drained_position,
                                &stream->next_sequence, &stream->length,           &stream->diverted_sequence};
    uint32_t *const short_fields[] = {&head->epoch,
                                      &head->stream_count,
                                      &head->bytes,
                                      &head->entry_bytes,
                                      &stream->epoch,
                                      &stream->name_bytes,
                                      &stream->path_bytes,
                                      &stream->tail_bytes,
                                      &stream->tail_crc,
                                      &stream->diverted_attempt,
                                      &stream->mount.entry_bytes};
    switch (any(change, 8)) {
    case 0:
    case 1:
        *short_fields[any(change, sizeof short_fields / sizeof short_fields[0])] =
            (uint32_t)(any(change, 2) ? any(change, 300) : any_number(change));
        break;
    case 2:
        checkpoint->strings[any(change, 60)] = (uint8_t)any(change, 256);
        break;
    case 3:
        add_stream(change, checkpoint);
        break;
    case 4:
        stream->id = (uint16_t)any(change, 70);
        break;
    default:
        *fields[any(change, sizeof fields / sizeof fields[0])] = any_number(change);
    }
    if (any(change, 8)) {
        medium_seal_checkpoint(checkpoint, change->crc_seed);
    }
}

static void change_superblock(struct change *change) {
    struct superblock *superblock = &change->medium->superblocks[any(change, LAYOUT_SUPERBLOCK_COPIES)];
    ((uint8_t *)superblock)[any(change, 104)] ^= (uint8_t)(1u << any(change, 8));
    if (any(change, 2)) {
        superblock->crc = crc32c(0, superblock, offsetof(struct superblock, crc));
    }
}

void medium_mutate(struct medium *medium, uint64_t random) {
    struct change change = {.medium = medium, .random = random, .crc_seed = medium_crc_seed(medium)};
    find_headers(&change);
    const uint64_t where = any(&change, 32);
    if (where == 0) {
        change_superblock(&change);
    } else if (where < 7) {
        change_checkpoint(&change);
    } else if (where < 9) {
        change_note(&change);
    } else if (where == 9) {
        medium->options[any(&change, 8)] = (uint8_t)any(&change, 256);
    } else {
        change_data(&change);
    }
}
