/* SPDX-License-Identifier: Apache-2.0 */
#include "media/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"

static const struct checkpoint_head *head_of(const uint8_t *slot) {
    return (const struct checkpoint_head *)slot;
}

static const struct checkpoint_entry *entry_of(const uint8_t *slot, unsigned index) {
    return (const struct checkpoint_entry *)(slot + sizeof(struct checkpoint_head)) + index;
}

static size_t strings_offset(unsigned count) {
    return sizeof(struct checkpoint_head) + count * sizeof(struct checkpoint_entry);
}

/* The CRC covers the whole checkpoint but the CRC itself, the last field of the head. */
static uint32_t checkpoint_crc(const uint8_t *slot, uint32_t crc_seed) {
    const struct checkpoint_head *head = head_of(slot);
    const uint32_t crc = crc32c(crc_seed, head, offsetof(struct checkpoint_head, crc));
    return crc32c(crc, head + 1, head->bytes - sizeof *head);
}

/* ------------------------------------------------------------------------------------------------- encode */

size_t checkpoint_size(const struct stream_state *const *states, unsigned count) {
    size_t bytes = strings_offset(count);
    for (unsigned i = 0; i < count; i++) {
        bytes += strlen(states[i]->name) + strlen(states[i]->outlet.path);
    }
    return bytes;
}

static uint8_t *put_string(uint8_t *place, const char *string, uint32_t bytes) {
    memcpy(place, string, bytes);
    return place + bytes;
}

static uint8_t *put_stream(struct checkpoint_entry *entry, const struct stream_state *state, uint8_t *strings) {
    const struct outlet_state *outlet = &state->outlet;
    *entry = (struct checkpoint_entry){
        .id = state->id,
        .kind = (uint16_t)outlet->kind,
        .epoch = state->epoch,
        .drained_position = state->drained_position,
        .next_sequence = state->next_sequence,
        .length = outlet->length,
        .tail_bytes = outlet->tail_bytes,
        .tail_crc = outlet->tail_crc,
        .diverted_sequence = outlet->diverted_sequence,
        .diverted_attempt = outlet->diverted_attempt,
        .name_bytes = (uint32_t)strlen(state->name),
        .path_bytes = (uint32_t)strlen(outlet->path),
        .follows = state->follows,
        .diverted_form = (uint16_t)outlet->diverted_form,
        .mount = outlet->mount,
        .mark = outlet->mark,
        .roll = outlet->roll,
    };
    strings = put_string(strings, state->name, entry->name_bytes);
    return put_string(strings, outlet->path, entry->path_bytes);
}

static void sort_by_id(const struct stream_state **sorted, const struct stream_state *const *states, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        unsigned at = i;
        for (; at > 0 && sorted[at - 1]->id > states[i]->id; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = states[i];
    }
}

void checkpoint_encode(const struct checkpoint_facts *facts, const struct stream_state *const *states, unsigned count,
                       uint32_t crc_seed, uint8_t *slot, size_t room) {
    const struct stream_state *sorted[LAYOUT_STREAMS_MAX];
    struct checkpoint_head *head = (struct checkpoint_head *)slot;
    memset(slot, 0, room);
    sort_by_id(sorted, states, count);
    uint8_t *strings = slot + strings_offset(count);
    for (unsigned i = 0; i < count; i++) {
        strings = put_stream((struct checkpoint_entry *)(head + 1) + i, sorted[i], strings);
    }
    *head = (struct checkpoint_head){.magic = CHECKPOINT_MAGIC,
                                     .stream_count = count,
                                     .bytes = (uint32_t)(strings - slot),
                                     .entry_bytes = sizeof(struct checkpoint_entry)};
    checkpoint_seal(slot, facts, crc_seed);
}

void checkpoint_seal(uint8_t *slot, const struct checkpoint_facts *facts, uint32_t crc_seed) {
    struct checkpoint_head *head = (struct checkpoint_head *)slot;
    head->generation = facts->generation;
    head->epoch = facts->epoch;
    head->written_ns = facts->written_ns;
    head->drain = facts->drain;
    head->crc = checkpoint_crc(slot, crc_seed);
}

/* -------------------------------------------------------------------------------------------------- judge */

size_t checkpoint_claims(const uint8_t *slot) {
    const struct checkpoint_head *head = head_of(slot);
    return head->magic == CHECKPOINT_MAGIC && head->bytes <= LAYOUT_CHECKPOINT_BYTES &&
                   head->entry_bytes == sizeof(struct checkpoint_entry) && head->stream_count >= 1 &&
                   head->stream_count <= LAYOUT_STREAMS_MAX && head->bytes >= strings_offset(head->stream_count)
               ? head->bytes
               : 0;
}

/* Refuses numbers that no writer makes and that would lead a reader outside the ring. The CRC cannot tell that. */
static int is_plausible(const struct checkpoint_entry *entry, const struct checkpoint_head *head) {
    return entry->id < LAYOUT_STREAMS_MAX && entry->follows <= LAYOUT_STREAMS_MAX && entry->follows != entry->id + 1u &&
           entry->kind >= OUTLET_FILE && entry->kind <= OUTLET_SEGMENTS && entry->epoch <= head->epoch &&
           entry->drained_position <= LAYOUT_NUMBER_MAX && entry->drained_position % RECORD_ALIGN_BYTES == 0 &&
           entry->next_sequence >= 1 && entry->next_sequence <= LAYOUT_NUMBER_MAX && entry->length <= INT64_MAX &&
           entry->tail_bytes <= CHECKPOINT_TAIL_BYTES && entry->tail_bytes <= entry->length &&
           entry->diverted_form <= DIVERTED_BY_WORD && entry->roll.phase <= ROLL_GIVEN_UP &&
           entry->name_bytes < LAYOUT_STREAM_NAME_BYTES && entry->path_bytes < LAYOUT_FILE_NAME_BYTES;
}

/* Each string lies where the lengths say, has no zero inside, and a path is absolute. */
static int are_strings_whole(const uint8_t *slot) {
    const struct checkpoint_head *head = head_of(slot);
    size_t at = strings_offset(head->stream_count);
    for (unsigned i = 0; i < head->stream_count; i++) {
        const struct checkpoint_entry *entry = entry_of(slot, i);
        const size_t path = at + entry->name_bytes, end = path + entry->path_bytes;
        if (end > head->bytes || memchr(slot + at, '\0', end - at) != NULL || (end > path && slot[path] != '/')) {
            return 0;
        }
        at = end;
    }
    return at == head->bytes;
}

static int are_streams_plausible(const uint8_t *slot, uint64_t capacity_bytes) {
    const struct checkpoint_head *head = head_of(slot);
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < head->stream_count; i++) {
        const struct checkpoint_entry *entry = entry_of(slot, i);
        if (!is_plausible(entry, head) || (i == 0 ? entry->id != 0 : entry->id <= entry_of(slot, i - 1)->id)) {
            return 0;
        }
        least = entry->drained_position < least ? entry->drained_position : least;
        most = entry->drained_position > most ? entry->drained_position : most;
    }
    return most - least <= capacity_bytes;
}

int checkpoint_is_valid(const uint8_t *slot, size_t bytes, uint32_t crc_seed, uint64_t capacity_bytes) {
    const struct checkpoint_head *head = head_of(slot);
    const size_t claims = bytes < sizeof *head ? 0 : checkpoint_claims(slot);
    return claims > 0 && claims <= bytes && head->crc == checkpoint_crc(slot, crc_seed) &&
           head->generation <= LAYOUT_NUMBER_MAX && are_streams_plausible(slot, capacity_bytes) &&
           are_strings_whole(slot);
}

/* ------------------------------------------------------------------------------------------------- decode */

struct checkpoint_facts checkpoint_facts(const uint8_t *slot) {
    const struct checkpoint_head *head = head_of(slot);
    return (struct checkpoint_facts){
        .generation = head->generation, .epoch = head->epoch, .written_ns = head->written_ns, .drain = head->drain};
}

unsigned checkpoint_streams(const uint8_t *slot) {
    return head_of(slot)->stream_count;
}

void checkpoint_decode(const uint8_t *slot, unsigned index, struct stream_state *state) {
    const struct checkpoint_entry *entry = entry_of(slot, index);
    const uint8_t *strings = slot + strings_offset(checkpoint_streams(slot));
    for (unsigned i = 0; i < index; i++) {
        strings += entry_of(slot, i)->name_bytes + entry_of(slot, i)->path_bytes;
    }
    memset(state, 0, sizeof *state);
    state->id = entry->id;
    state->follows = entry->follows;
    state->epoch = entry->epoch;
    state->drained_position = entry->drained_position;
    state->next_sequence = entry->next_sequence;
    memcpy(state->name, strings, entry->name_bytes);
    struct outlet_state *outlet = &state->outlet;
    outlet->kind = entry->kind;
    outlet->tail_bytes = entry->tail_bytes;
    outlet->length = entry->length;
    outlet->tail_crc = entry->tail_crc;
    outlet->diverted_attempt = entry->diverted_attempt;
    outlet->diverted_sequence = entry->diverted_sequence;
    outlet->diverted_form = entry->diverted_form;
    outlet->mount = entry->mount;
    outlet->mark = entry->mark;
    outlet->roll = entry->roll;
    memcpy(outlet->path, strings + entry->name_bytes, entry->path_bytes);
}

struct checkpoint_position checkpoint_position(const uint8_t *slot, unsigned index) {
    const struct checkpoint_entry *entry = entry_of(slot, index);
    return (struct checkpoint_position){.id = entry->id,
                                        .epoch = entry->epoch,
                                        .drained_position = entry->drained_position,
                                        .next_sequence = entry->next_sequence};
}

struct checkpoint_position checkpoint_least(const uint8_t *slot) {
    struct checkpoint_position least = checkpoint_position(slot, 0);
    for (unsigned i = 1; i < checkpoint_streams(slot); i++) {
        const struct checkpoint_position stream = checkpoint_position(slot, i);
        if (stream.drained_position < least.drained_position) {
            least = stream;
        }
    }
    return least;
}

/* Generation, epoch, time and drain in the heads may differ. */
int checkpoint_leads_to_the_same(const uint8_t *one, const uint8_t *other) {
    const struct checkpoint_head *first = head_of(one), *second = head_of(other);
    return first->stream_count == second->stream_count && first->bytes == second->bytes &&
           memcmp(first + 1, second + 1, first->bytes - sizeof *first) == 0;
}

int checkpoint_goes_back(const uint8_t *newer, const uint8_t *older) {
    for (unsigned i = 0, j = 0; i < checkpoint_streams(newer) && j < checkpoint_streams(older);) {
        const struct checkpoint_position now = checkpoint_position(newer, i), before = checkpoint_position(older, j);
        if (now.id == before.id && now.drained_position < before.drained_position) {
            return 1;
        }
        i += now.id <= before.id;
        j += before.id <= now.id;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------- states */

void outlet_rules_take(struct outlet_rules *rules, const struct roll_rules *given) {
    memset(rules, 0, sizeof *rules);
    if (given != NULL) {
        rules->head = given->head;
        rules->head.bytes = sizeof rules->head;
        snprintf(rules->pattern, sizeof rules->pattern, "%.*s", (int)given->head.pattern_bytes,
                 given->head.pattern_bytes == 0 ? "" : given->pattern);
    }
}

void stream_state_first(struct stream_state *state) {
    memset(state, 0, sizeof *state);
    state->next_sequence = 1;
    state->outlet.kind = OUTLET_FILE;
}

int outlet_state_file(const struct outlet_state *state, char *path, size_t path_bytes) {
    int used = snprintf(path, path_bytes, "%s", state->path);
    if (state->diverted_sequence != 0 && used >= 0 && (size_t)used < path_bytes) {
        used += snprintf(path + used, path_bytes - (size_t)used, ".%s%llu",
                         state->diverted_form == DIVERTED_BY_WORD ? DIVERTED_WORD : "",
                         (unsigned long long)state->diverted_sequence);
        if (state->diverted_attempt != 0 && (size_t)used < path_bytes) {
            used += snprintf(path + used, path_bytes - (size_t)used, ".%u", state->diverted_attempt);
        }
    }
    return used < 0 || (size_t)used >= path_bytes ? -ENAMETOOLONG : 0;
}
