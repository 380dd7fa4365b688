/* SPDX-License-Identifier: Apache-2.0 */
/* A file that the plug-pull test writes, and a disk that lies: the test changes blocks by hand. */
#ifndef BURST_TEST_CLI_VERIFY_MEDIUM_H
#define BURST_TEST_CLI_VERIFY_MEDIUM_H

#include "device/media.h"

#include "cli/run.h"
#include "cli/verify/block.h"

#define BLOCK 4096

static char medium[2 * PATH_BYTES];

static inline int make_media(void **state) {
    if (make_scratch(state) < 0) {
        return -1;
    }
    snprintf(medium, sizeof medium, "%s", scratch_path("medium"));
    return 0;
}

/* Overwrites an acknowledged block: with zeros, or with its content of an earlier round. */
static inline void spoil(uint64_t number, uint64_t slots, const void *content, size_t bytes, off_t within) {
    const int fd = open(medium, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, content, bytes, (off_t)((1 + (number - 1) % slots) * BLOCK) + within), bytes);
    close(fd);
}

static const uint8_t zeros[BLOCK];

#define MEDIA_TEST(name) cmocka_unit_test_setup_teardown(name, make_media, remove_scratch)

#endif
