/* SPDX-License-Identifier: Apache-2.0 */
/* The digests are those that sha256sum of GNU coreutils prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static void must_have(const void *bytes, size_t count, const char *expected) {
    uint8_t digest[SHA256_BYTES];
    char text[2 * SHA256_BYTES + 1];
    sha256(bytes, count, digest);
    for (unsigned i = 0; i < SHA256_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    assert_string_equal(text, expected);
}

/* The examples of FIPS 180-4. */
static void test_examples_of_the_standard(void **state) {
    (void)state;
    must_have("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    must_have(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    must_have("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* Each length around the end of a block, against the program of others. */
static void test_lengths_around_a_block(void **state) {
    (void)state;
    for (size_t count = 0; count < 200; count += count < 50 || count > 66 ? 7 : 1) {
        char command[128], expected[80] = "";
        uint8_t bytes[200];
        memset(bytes, 'a', sizeof bytes);
        snprintf(command, sizeof command, "head -c %zu /dev/zero | tr '\\0' a | sha256sum", count);
        FILE *program = popen(command, "r");
        assert_non_null(program);
        assert_non_null(fgets(expected, sizeof expected, program));
        assert_int_equal(pclose(program), 0);
        expected[2 * SHA256_BYTES] = '\0';
        must_have(bytes, count, expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_of_the_standard),
        cmocka_unit_test(test_lengths_around_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
