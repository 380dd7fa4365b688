/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a checkpoint slot, and the bytes that are believed to be one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "media/checkpoint.h"

#define CRC_SEED 0x1234u
#define CAPACITY 65536u

static struct stream_state states[LAYOUT_STREAMS_MAX + 1];
static const struct stream_state *pointers[LAYOUT_STREAMS_MAX + 1];
static _Alignas(8) uint8_t slot[LAYOUT_CHECKPOINT_BYTES], other[LAYOUT_CHECKPOINT_BYTES];

static struct checkpoint_head *head(void) {
    return (struct checkpoint_head *)slot;
}

static struct checkpoint_entry *entry(unsigned index) {
    return (struct checkpoint_entry *)(head() + 1) + index;
}

static char *strings(void) {
    return (char *)entry(head()->stream_count);
}

static void make_stream(unsigned index, uint16_t id, const char *name, const char *path) {
    struct stream_state *state = &states[index];
    pointers[index] = state;
    stream_state_first(state);
    state->id = id;
    state->epoch = 1;
    state->drained_position = 4096 + 8ull * id;
    state->next_sequence = 10u + id;
    snprintf(state->name, sizeof state->name, "%s", name);
    state->outlet = (struct outlet_state){
        .kind = OUTLET_FILE,
        .tail_bytes = 100,
        .length = 5000u + id,
        .tail_crc = 7u * id,
        .diverted_attempt = id % 3u,
        .diverted_sequence = id % 2u,
        .diverted_form = id % 2u,
        .mount = {.file_system = 11u + id, .entry_bytes = 4, .folder_crc = 12u + id},
        .mark = {.inode = 13u + id, .born_ns = -14, .handle_type = 1, .handle_bytes = 8, .handle_crc = 15u + id},
        .roll = {.phase = id % 4u,
                 .file_number = 16u + id,
                 .born_ns = -17,
                 .first_sequence = 18u + id,
                 .next_time_ns = 19,
                 .next_file_bytes = 20u + id},
    };
    snprintf(state->outlet.path, sizeof state->outlet.path, "%s", path);
}

static void encode_into(uint8_t *bytes, unsigned count) {
    const struct checkpoint_facts facts = {.generation = 3, .epoch = 2, .written_ns = 99};
    checkpoint_encode(&facts, pointers, count, CRC_SEED, bytes, LAYOUT_CHECKPOINT_BYTES);
}

static int is_valid(void) {
    return checkpoint_is_valid(slot, sizeof slot, CRC_SEED, CAPACITY);
}

static void seal(void) {
    const struct checkpoint_facts facts = checkpoint_facts(slot);
    checkpoint_seal(slot, &facts, CRC_SEED);
}

/* Makes three streams: one without a name, one with a name, one bound to nothing. */
static int three_streams(void **state) {
    (void)state;
    make_stream(0, 0, "", "/logs/orders.log");
    make_stream(1, 2, "audit", "/logs/audit.log");
    make_stream(2, 5, "spare", "");
    encode_into(slot, 3);
    return 0;
}

static void the_first_checkpoint_is_that_of_an_empty_ring(void **state) {
    (void)state;
    struct stream_state first;
    const struct stream_state *const only[] = {&first};
    stream_state_first(&first);
    const struct checkpoint_facts facts = {.generation = 2};
    checkpoint_encode(&facts, only, 1, CRC_SEED, slot, sizeof slot);
    assert_true(is_valid());
    assert_int_equal(checkpoint_claims(slot), 256);
    assert_int_equal(checkpoint_facts(slot).generation, 2);
    assert_int_equal(checkpoint_facts(slot).epoch, 0);
    assert_int_equal(checkpoint_streams(slot), 1);
    const struct checkpoint_position position = checkpoint_position(slot, 0);
    assert_int_equal(position.id, 0);
    assert_int_equal(position.drained_position, 0);
    assert_int_equal(position.next_sequence, 1);
}

static void every_stream_comes_back_as_it_was_noted(void **state) {
    (void)state;
    struct stream_state read;
    assert_true(is_valid());
    assert_int_equal(checkpoint_streams(slot), 3);
    assert_int_equal(checkpoint_claims(slot), checkpoint_size(pointers, 3));
    for (unsigned i = 0; i < 3; i++) {
        checkpoint_decode(slot, i, &read);
        assert_memory_equal(&read, &states[i], sizeof read);
        assert_int_equal(checkpoint_position(slot, i).id, states[i].id);
    }
    const struct checkpoint_facts facts = checkpoint_facts(slot);
    assert_int_equal(facts.generation, 3);
    assert_int_equal(facts.epoch, 2);
    assert_int_equal(facts.written_ns, 99);
}

static void in_whatever_order_they_are_given_they_are_noted_by_their_id(void **state) {
    (void)state;
    memcpy(other, slot, sizeof slot);
    const struct stream_state *const mixed[] = {&states[2], &states[0], &states[1]};
    const struct checkpoint_facts facts = checkpoint_facts(slot);
    checkpoint_encode(&facts, mixed, 3, CRC_SEED, slot, sizeof slot);
    assert_memory_equal(slot, other, sizeof slot);
}

static void as_many_streams_as_there_can_be_fit(void **state) {
    (void)state;
    static struct stream_state read;
    char path[2048];
    memset(path, 'p', sizeof path);
    path[0] = '/';
    path[1600] = '\0';
    for (unsigned i = 0; i < LAYOUT_STREAMS_MAX; i++) {
        char name[LAYOUT_STREAM_NAME_BYTES];
        snprintf(name, sizeof name, "%0200u", i);
        make_stream(i, (uint16_t)i, name, path);
    }
    assert_true(checkpoint_size(pointers, LAYOUT_STREAMS_MAX) <= LAYOUT_CHECKPOINT_BYTES);
    encode_into(slot, LAYOUT_STREAMS_MAX);
    assert_true(is_valid());
    for (unsigned i = 0; i < LAYOUT_STREAMS_MAX; i++) {
        checkpoint_decode(slot, i, &read);
        assert_memory_equal(&read, &states[i], sizeof read);
    }
}

static void every_flipped_bit_of_what_it_has_is_noticed(void **state) {
    (void)state;
    const size_t bytes = checkpoint_claims(slot);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        slot[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(is_valid());
        slot[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    slot[bytes] ^= 1; /* bytes behind the slot have no meaning */
    assert_true(is_valid());
}

static void a_checkpoint_of_another_ring_is_not_valid(void **state) {
    (void)state;
    assert_false(checkpoint_is_valid(slot, sizeof slot, CRC_SEED + 1, CAPACITY));
}

/* A power cut tears a write of several blocks. */
static void one_that_was_not_written_to_its_end_is_not_valid(void **state) {
    (void)state;
    char path[4000];
    memset(path, 'p', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    for (unsigned i = 0; i < 4; i++) {
        make_stream(i, (uint16_t)i, "", path);
    }
    encode_into(slot, 4);
    const size_t bytes = checkpoint_claims(slot);
    assert_true(bytes > 4 * 4096);
    for (unsigned i = 0; i < 4; i++) {
        states[i].drained_position += 8;
        memset(states[i].outlet.path + 1, 'q', sizeof path - 2); /* every block differs */
    }
    const struct checkpoint_facts facts = {.generation = 5, .epoch = 2};
    checkpoint_encode(&facts, pointers, 4, CRC_SEED, other, sizeof other);
    for (unsigned torn = 1; torn < 1u << 5; torn++) { /* each mixture of new and old blocks */
        uint8_t mixed[5 * 4096];
        for (unsigned block = 0; block < 5; block++) {
            memcpy(mixed + 4096 * block, (torn >> block & 1 ? other : slot) + 4096 * block, 4096);
        }
        assert_int_equal(checkpoint_is_valid(mixed, sizeof mixed, CRC_SEED, CAPACITY), torn == 31);
    }
    assert_false(checkpoint_is_valid(slot, bytes - 1, CRC_SEED, CAPACITY));
}

static void a_slot_that_claims_what_none_holds_is_not_read_further(void **state) {
    (void)state;
    struct checkpoint_head *const bad = head();
    const struct checkpoint_head good = *bad;
    bad->bytes = LAYOUT_CHECKPOINT_BYTES + 1;
    assert_int_equal(checkpoint_claims(slot), 0);
    *bad = good;
    bad->stream_count = LAYOUT_STREAMS_MAX + 1;
    assert_int_equal(checkpoint_claims(slot), 0);
    *bad = good;
    bad->stream_count = 0;
    assert_int_equal(checkpoint_claims(slot), 0);
    *bad = good;
    bad->entry_bytes--;
    assert_int_equal(checkpoint_claims(slot), 0);
    *bad = good;
    bad->bytes = 64 + 3 * 192 - 1;
    assert_int_equal(checkpoint_claims(slot), 0);
    *bad = good;
    bad->magic ^= 1;
    assert_int_equal(checkpoint_claims(slot), 0);
    assert_false(is_valid());
}

static void strings_that_are_not_where_the_lengths_say_are_not_valid(void **state) {
    const uint32_t lengths[] = {1, 5, 17, 255, 256, 4095, 4096, UINT32_MAX, UINT32_MAX - 15};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
            uint32_t *const fields[] = {&entry(i)->name_bytes, &entry(i)->path_bytes};
            for (unsigned field = 0; field < 2; field++) {
                const uint32_t before = *fields[field];
                *fields[field] = lengths[n];
                seal();
                assert_int_equal(is_valid(), lengths[n] == before);
                *fields[field] = before;
            }
        }
    }
    seal();
    assert_true(is_valid());
    head()->bytes++; /* a byte without an owner */
    seal();
    assert_false(is_valid());
}

static void a_path_that_is_not_absolute_and_a_zero_in_a_string_are_not_valid(void **state) {
    (void)state;
    assert_int_equal(strings()[0], '/');
    strings()[0] = 'l';
    seal();
    assert_false(is_valid());
    strings()[0] = '/';
    strings()[5] = '\0';
    seal();
    assert_false(is_valid());
    strings()[5] = '/';
    char *const name = strings() + strlen("/logs/orders.log");
    assert_int_equal(name[0], 'a');
    name[1] = '\0';
    seal();
    assert_false(is_valid());
    name[1] = 'u';
    seal();
    assert_true(is_valid());
}

static void streams_that_are_not_sorted_twice_or_without_the_first_are_not_valid(void **state) {
    (void)state;
    const uint16_t ids[][3] = {{0, 0, 5},    {2, 0, 5}, {1, 2, 5}, {0, 5, 5}, {0, 5, 2}, {0, 2, LAYOUT_STREAMS_MAX},
                               {0, 2, 65535}};
    for (size_t row = 0; row < sizeof ids / sizeof ids[0]; row++) {
        for (unsigned i = 0; i < 3; i++) {
            entry(i)->id = ids[row][i];
        }
        seal();
        assert_false(is_valid());
    }
    entry(0)->id = 0, entry(1)->id = 1, entry(2)->id = LAYOUT_STREAMS_MAX - 1;
    seal();
    assert_true(is_valid());
}

static void assert_not_believed(uint64_t *field, uint64_t value) {
    const uint64_t before = *field;
    *field = value;
    seal();
    assert_false(is_valid());
    *field = before;
    seal();
    assert_true(is_valid());
}

static void numbers_that_no_writer_makes_are_not_valid(void **state) {
    (void)state;
    struct checkpoint_entry *const stream = entry(1);
    assert_not_believed(&head()->generation, UINT64_MAX);
    assert_not_believed(&stream->next_sequence, 0);
    assert_not_believed(&stream->next_sequence, LAYOUT_NUMBER_MAX + 1);
    assert_not_believed(&stream->drained_position, UINT64_MAX - 7);
    assert_not_believed(&stream->drained_position, 4100);
    assert_not_believed(&stream->length, (uint64_t)INT64_MAX + 1);
    assert_not_believed(&stream->length, 99);                            /* the tail would be longer than the file */
    assert_not_believed(&stream->drained_position, 4096 + CAPACITY + 8); /* beyond the ring */
    stream->roll.phase = 4;                                              /* of no roll */
    seal();
    assert_false(is_valid());
    stream->roll.phase = 3;
    seal();
    assert_true(is_valid());
    stream->diverted_form = 2; /* of no name */
    seal();
    assert_false(is_valid());
    stream->diverted_form = 1;
    seal();
    assert_true(is_valid());
    stream->epoch = 3; /* an epoch that had not begun */
    seal();
    assert_false(is_valid());
    stream->epoch = 1;
    stream->tail_bytes = CHECKPOINT_TAIL_BYTES + 1;
    seal();
    assert_false(is_valid());
    stream->tail_bytes = 100;
    stream->kind = 4;
    seal();
    assert_false(is_valid());
    stream->kind = OUTLET_SEGMENTS;
    seal();
    assert_true(is_valid());
    stream->follows = LAYOUT_STREAMS_MAX + 1;
    seal();
    assert_false(is_valid());
    stream->follows = (uint16_t)(stream->id + 1); /* itself */
    seal();
    assert_false(is_valid());
    stream->follows = LAYOUT_STREAMS_MAX;
    seal();
    assert_true(is_valid());
}

static void a_stream_has_its_own_records_or_those_of_another(void **state) {
    (void)state;
    struct stream_state read;
    states[1].follows = 6;
    states[1].outlet.roll.frames = 77;
    encode_into(slot, 3);
    assert_true(is_valid());
    checkpoint_decode(slot, 0, &read);
    assert_int_equal(stream_source(&read), 0);
    checkpoint_decode(slot, 1, &read);
    assert_int_equal(read.follows, 6);
    assert_int_equal(read.outlet.roll.frames, 77);
    assert_int_equal(stream_source(&read), 5);
    checkpoint_decode(slot, 2, &read);
    assert_int_equal(stream_source(&read), 5);
}

static void the_least_drained_stream_is_where_an_open_begins(void **state) {
    (void)state;
    assert_int_equal(checkpoint_least(slot).id, 0);
    entry(2)->drained_position = 8;
    entry(2)->next_sequence = 2;
    const struct checkpoint_position least = checkpoint_least(slot);
    assert_int_equal(least.id, 5);
    assert_int_equal(least.drained_position, 8);
    assert_int_equal(least.next_sequence, 2);
    assert_int_equal(least.epoch, 1);
}

static void slots_lead_to_the_same_if_all_but_their_heads_is_equal(void **state) {
    (void)state;
    const struct checkpoint_facts facts = {.generation = 4, .epoch = 7, .written_ns = 1};
    checkpoint_encode(&facts, pointers, 3, CRC_SEED, other, sizeof other);
    assert_true(checkpoint_leads_to_the_same(slot, other));
    states[1].outlet.path[3] = 'x';
    checkpoint_encode(&facts, pointers, 3, CRC_SEED, other, sizeof other);
    assert_false(checkpoint_leads_to_the_same(slot, other));
    checkpoint_encode(&facts, pointers, 2, CRC_SEED, other, sizeof other);
    assert_false(checkpoint_leads_to_the_same(slot, other));
    three_streams(NULL);
    states[1].outlet.mark.handle_crc++;
    checkpoint_encode(&facts, pointers, 3, CRC_SEED, other, sizeof other);
    assert_false(checkpoint_leads_to_the_same(slot, other));
}

static void an_older_slot_in_which_any_stream_had_drained_more_goes_back(void **state) {
    (void)state;
    encode_into(other, 3);
    assert_false(checkpoint_goes_back(slot, other));
    states[1].drained_position += 8;
    encode_into(other, 3);
    assert_true(checkpoint_goes_back(slot, other));
    assert_false(checkpoint_goes_back(other, slot));
    states[1].id = 3; /* a stream that the newer slot does not have */
    encode_into(other, 3);
    assert_false(checkpoint_goes_back(slot, other));
    states[2].drained_position += 8;
    encode_into(other, 3);
    assert_true(checkpoint_goes_back(slot, other));
}

static void the_file_is_the_bound_path_or_where_it_was_diverted(void **state) {
    (void)state;
    char path[64];
    struct outlet_state *const outlet = &states[0].outlet;
    outlet->diverted_sequence = outlet->diverted_attempt = 0;
    assert_int_equal(outlet_state_file(outlet, path, sizeof path), 0);
    assert_string_equal(path, "/logs/orders.log");
    outlet->diverted_sequence = 77;
    assert_int_equal(outlet_state_file(outlet, path, sizeof path), 0);
    assert_string_equal(path, "/logs/orders.log.77");
    outlet->diverted_attempt = 3;
    assert_int_equal(outlet_state_file(outlet, path, sizeof path), 0);
    assert_string_equal(path, "/logs/orders.log.77.3");
    const size_t needed = sizeof "/logs/orders.log.77.3";
    for (size_t room = 1; room < needed; room++) { /* the path is never cut */
        assert_int_equal(outlet_state_file(outlet, path, room), -ENAMETOOLONG);
    }
    assert_int_equal(outlet_state_file(outlet, path, needed), 0);
    outlet->diverted_form = DIVERTED_BY_WORD;
    assert_int_equal(outlet_state_file(outlet, path, sizeof path), 0);
    assert_string_equal(path, "/logs/orders.log.burst-77.3");
}

#define TEST(name) cmocka_unit_test_setup(name, three_streams)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_first_checkpoint_is_that_of_an_empty_ring),
        TEST(every_stream_comes_back_as_it_was_noted),
        TEST(in_whatever_order_they_are_given_they_are_noted_by_their_id),
        TEST(as_many_streams_as_there_can_be_fit),
        TEST(every_flipped_bit_of_what_it_has_is_noticed),
        TEST(a_checkpoint_of_another_ring_is_not_valid),
        TEST(one_that_was_not_written_to_its_end_is_not_valid),
        TEST(a_slot_that_claims_what_none_holds_is_not_read_further),
        TEST(strings_that_are_not_where_the_lengths_say_are_not_valid),
        TEST(a_path_that_is_not_absolute_and_a_zero_in_a_string_are_not_valid),
        TEST(streams_that_are_not_sorted_twice_or_without_the_first_are_not_valid),
        TEST(numbers_that_no_writer_makes_are_not_valid),
        TEST(a_stream_has_its_own_records_or_those_of_another),
        TEST(the_least_drained_stream_is_where_an_open_begins),
        TEST(slots_lead_to_the_same_if_all_but_their_heads_is_equal),
        TEST(an_older_slot_in_which_any_stream_had_drained_more_goes_back),
        TEST(the_file_is_the_bound_path_or_where_it_was_diverted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
