/* SPDX-License-Identifier: Apache-2.0 */
/* The records of an image that another process may change at any time: only the copies of `fetch` are looked at. */
#include "recovery/log_image.h"
#include "recovery/log_source.h"

#include <sys/mman.h>

/* The image that the source has: who reads it dies. */
static void *shut;

static int has_always_lost_pages(const struct log_source *source) {
    (void)source;
    return 1;
}

static const struct record_header *fetch_copy(const struct log_source *source, uint64_t position) {
    (void)source;
    return record_at(image, CAPACITY, position);
}

static const struct log_source_ops ops = {.has_lost_pages = has_always_lost_pages, .fetch = fetch_copy};

static int begin(void **state) {
    shut = mmap(NULL, CAPACITY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return shut == MAP_FAILED ? -1 : empty_ring(state);
}

static int end(void **state) {
    munmap(shut, CAPACITY);
    return free_recovery(state);
}

static void a_fetched_record_is_not_looked_at_where_it_came_from(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t first = put_record(), second = put_record();
    recover();
    const struct log_source source = {
        .ops = &ops, .image = shut, .shape = log_shape, .crc_seed = CRC_SEED, .recovery = &recovery};
    struct log_cursor cursor = log_source_at(&source, 0, 1, 0);
    struct log_item item;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(log_source_next(&source, &cursor, writer.position, &item), 1); /* over the marker */
        assert_int_equal(item.header.position, i == 0 ? first : second);
        assert_int_equal(item.payload[0], 'a' + i + 1);
        assert_int_equal(log_source_is_still_there(&source, item.header.position), 1);
    }
    assert_int_equal(log_source_next(&source, &cursor, writer.position, &item), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fetched_record_is_not_looked_at_where_it_came_from, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
