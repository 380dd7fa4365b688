/* SPDX-License-Identifier: Apache-2.0 */
/* The drain's page: which bytes are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "media/handover.h"

#define SEED 17u

static struct drain_page page;

static int begin(void **state) {
    (void)state;
    memset(&page, 0, sizeof page);
    page.events = 3;
    strcpy(page.event[2].text, "a sentence");
    drain_page_seal(&page, SEED);
    return 0;
}

static void a_sealed_page_is_taken(void **state) {
    (void)state;
    assert_true(drain_page_is_valid(&page, SEED));
    assert_false(drain_page_is_valid(&page, SEED + 1)); /* of another ring */
}

/* It is read while it is written. */
static void a_page_with_any_other_byte_is_none(void **state) {
    (void)state;
    uint8_t *const bytes = (uint8_t *)&page;
    for (size_t at = 0; at < sizeof page; at += at < 64 ? 1 : 997) {
        bytes[at] ^= 4;
        assert_false(drain_page_is_valid(&page, SEED));
        bytes[at] ^= 4;
    }
    assert_true(drain_page_is_valid(&page, SEED));
}

static void a_page_of_another_version_is_none(void **state) {
    (void)state;
    page.version++;
    page.crc = 0;
    drain_page_seal(&page, SEED);
    assert_int_equal(page.version, HANDOVER_VERSION); /* the seal is of this version */
    page.bytes--;
    assert_false(drain_page_is_valid(&page, SEED));
}

static void texts_that_do_not_end_are_refused(void **state) {
    (void)state;
    memset(page.event[1].text, 'x', sizeof page.event[1].text);
    drain_page_seal(&page, SEED);
    assert_false(drain_page_is_valid(&page, SEED));
    page.event[1].text[7] = '\0';
    memset(page.answers[REQUESTS_MOST - 1].text, 'x', REQUEST_ANSWER_BYTES);
    drain_page_seal(&page, SEED);
    assert_false(drain_page_is_valid(&page, SEED));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_sealed_page_is_taken),
        TEST(a_page_with_any_other_byte_is_none),
        TEST(a_page_of_another_version_is_none),
        TEST(texts_that_do_not_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
