/* SPDX-License-Identifier: Apache-2.0 */
#include "read/needle.h"

#include <string.h>

#define LANES 16
#define COUNT_MOST 255 /* a lane counts no further */

/* Sixteen bytes at once, on every processor: the compilers know how. */
typedef uint8_t lanes_t __attribute__((vector_size(LANES)));

static uint64_t count_newlines(const uint8_t *text, size_t bytes) {
    uint64_t count = 0;
    while (bytes >= LANES) {
        const size_t pieces = bytes / LANES < COUNT_MOST ? bytes / LANES : COUNT_MOST;
        lanes_t found = {0};
        for (size_t i = 0; i < pieces; i++) {
            lanes_t piece;
            memcpy(&piece, text + LANES * i, LANES);
            found -= (lanes_t)(piece == '\n'); /* a lane that is equal is -1 */
        }
        for (size_t i = 0; i < LANES; i++) {
            count += found[i];
        }
        text += LANES * pieces;
        bytes -= LANES * pieces;
    }
    for (; bytes > 0; bytes--) {
        count += *text++ == '\n';
    }
    return count;
}

size_t needle_pass(struct read_needle *needle, const uint8_t *text, size_t bytes, int *is_found) {
    const uint8_t *const found = bytes == 0 ? NULL : memmem(text, bytes, needle->text, needle->length);
    const size_t before = found == NULL ? bytes : (size_t)(found - text);
    const uint8_t *const newline = before == 0 ? NULL : memrchr(text, '\n', before);
    const size_t passed = newline == NULL ? 0 : (size_t)(newline + 1 - text);
    needle->passed += count_newlines(text, passed);
    *is_found = found != NULL;
    return passed;
}
