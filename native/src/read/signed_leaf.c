/* SPDX-License-Identifier: Apache-2.0 */
#include "read/signed_leaf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "media/layout.h"

#define VERSION 1
#define DIGITS_MOST 18u /* of a number of leaves */

/* Places in a leaf. */
enum { KIND = 1, LENGTH = 4, TAKEN = 8, EVENT_TIME = 16, SEQUENCE = 24, COUNT = 40, RING = 64, DIGEST = 80 };

static uint64_t number_at(const uint8_t *bytes, unsigned count) {
    uint64_t number = 0;
    for (unsigned i = 0; i < count; i++) {
        number = number << 8 | bytes[i];
    }
    return number;
}

/* Reads digits up to `end`. Returns 0, or -1 if these are no number below 10^18. */
static int parse(const char *text, const char *end, uint64_t *value) {
    *value = 0;
    if (text == end || end - text > (ptrdiff_t)DIGITS_MOST) {
        return -1;
    }
    for (; text < end; text++) {
        if (*text < '0' || *text > '9') {
            return -1;
        }
        *value = *value * 10 + (uint64_t)(*text - '0');
    }
    return 0;
}

int signed_head_size(const char *note, size_t bytes, uint64_t *size) {
    const char *const end = note + bytes;
    const char *lines[4] = {note}; /* origin, size, root, what follows */
    for (unsigned i = 1; i < 4; i++) {
        const char *newline = memchr(lines[i - 1], '\n', (size_t)(end - lines[i - 1]));
        if (newline == NULL || newline == lines[i - 1]) {
            return -1;
        }
        lines[i] = newline + 1;
    }
    return parse(lines[1], lines[2] - 1, size);
}

int signed_bundle_split(struct signed_bundle *bundle, size_t bytes, unsigned leaves, const char *name) {
    size_t at = 0;
    bundle->leaves = 0;
    bundle->payload_at[0] = 0;
    for (unsigned i = 0; i < leaves; i++) {
        const size_t length = at + 2 <= bytes ? (size_t)number_at(bundle->bytes + at, 2) : 0;
        if (length < SIGNED_LEAF_BYTES || length > bytes - at - 2) {
            return error_set(EUCLEAN, "%s is damaged: it has no leaf %u of the %u that belong into it", name, i,
                             leaves);
        }
        const uint8_t *leaf = bundle->bytes + at + 2;
        if (leaf[0] != VERSION) {
            return error_set(EPROTO, "leaf %u in %s is of version %u: this one reads version %d", i, name, leaf[0],
                             VERSION);
        }
        if (leaf[KIND] < SIGNED_ACT && (leaf[KIND] < SIGNED_RECORD || leaf[KIND] > SIGNED_MISSING)) {
            return error_set(EPROTO, "leaf %u in %s is of kind %u, which this version does not know", i, name,
                             leaf[KIND]);
        }
        if (number_at(leaf + SEQUENCE, 8) >= LAYOUT_NUMBER_MAX || number_at(leaf + COUNT, 8) >= LAYOUT_NUMBER_MAX) {
            return error_set(EUCLEAN, "%s is damaged: leaf %u has a number that no log reaches", name, i);
        }
        bundle->at[i] = (uint32_t)at + 2;
        bundle->payload_at[i + 1] = bundle->payload_at[i] + number_at(leaf + LENGTH, 4);
        if (bundle->payload_at[i + 1] > SIGNED_FRAME_BYTES_MOST) {
            return error_set(EUCLEAN,
                             "%s is damaged: the payloads up to leaf %u have %llu bytes, and a frame at most %u", name,
                             i, (unsigned long long)bundle->payload_at[i + 1], SIGNED_FRAME_BYTES_MOST);
        }
        at += 2 + length;
        bundle->at[i + 1] = (uint32_t)at + 2;
    }
    bundle->leaves = leaves;
    return 0;
}

struct signed_leaf signed_bundle_leaf(const struct signed_bundle *bundle, unsigned leaf) {
    const uint8_t *const bytes = bundle->bytes + bundle->at[leaf];
    return (struct signed_leaf){.kind = bytes[KIND],
                                .length = (uint32_t)number_at(bytes + LENGTH, 4),
                                .taken_ns = (int64_t)number_at(bytes + TAKEN, 8),
                                .event_time_ns = (int64_t)number_at(bytes + EVENT_TIME, 8),
                                .sequence = (int64_t)number_at(bytes + SEQUENCE, 8),
                                .count = number_at(bytes + COUNT, 8),
                                .ring = bytes + RING,
                                .digest = bytes + DIGEST,
                                .text = (const char *)bytes + SIGNED_LEAF_BYTES,
                                .text_bytes = bundle->at[leaf + 1] - 2 - bundle->at[leaf] - SIGNED_LEAF_BYTES};
}

int signed_leaf_number(const struct signed_leaf *leaf, const char *name, uint64_t *value) {
    const char *const end = leaf->text + leaf->text_bytes;
    const size_t bytes = strlen(name);
    for (const char *line = leaf->text, *newline; line < end; line = newline + 1) {
        newline = memchr(line, '\n', (size_t)(end - line));
        newline = newline == NULL ? end : newline;
        if ((size_t)(newline - line) > bytes + 2 && memcmp(line, name, bytes) == 0 &&
            memcmp(line + bytes, ": ", 2) == 0) {
            return parse(line + bytes + 2, newline, value);
        }
    }
    return -1;
}

void signed_name(const char *folder, uint64_t number, unsigned width, const char *suffix,
                 char name[SIGNED_NAME_BYTES]) {
    uint64_t group = 1;
    int used = snprintf(name, SIGNED_NAME_BYTES, "%s/", folder);
    while (number / group >= 1000) {
        group *= 1000;
    }
    for (; group > 1; group /= 1000) {
        used += snprintf(name + used, SIGNED_NAME_BYTES - (size_t)used, "x%03u/", (unsigned)(number / group % 1000));
    }
    used += snprintf(name + used, SIGNED_NAME_BYTES - (size_t)used, "%03u", (unsigned)(number % 1000));
    if (width > 0) {
        used += snprintf(name + used, SIGNED_NAME_BYTES - (size_t)used, ".p/%u", width);
    }
    snprintf(name + used, SIGNED_NAME_BYTES - (size_t)used, "%s", suffix);
}
