/* SPDX-License-Identifier: Apache-2.0 */
#include "read/needle.h"

#include <string.h>

#define LANES 16
#define ROWS 4        /* so many times sixteen bytes are looked at before a branch */
#define COUNT_MOST 63 /* ROWS times that, and ROWS - 1: a lane counts to 255 */
#define SAMPLE_BYTES (256u * 1024u)

/* Sixteen bytes at once, on every processor: the compilers know how. */
typedef uint8_t lanes_t __attribute__((vector_size(LANES)));

/* ------------------------------------------------------------------------------------------------------------ find */

static int is_letter(uint8_t byte) {
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

/* The bit in which a capital letter differs, if that does not matter. */
static uint8_t case_bit(const struct read_needle *needle, uint8_t byte) {
    return needle->ignore_case && is_letter(byte) ? 0x20 : 0;
}

static lanes_t all_lanes(uint8_t byte) {
    return (lanes_t){0} + byte;
}

static lanes_t load(const uint8_t *text) {
    lanes_t lanes;
    memcpy(&lanes, text, sizeof lanes);
    return lanes;
}

static int has_any(lanes_t lanes) {
    uint64_t halves[2];
    memcpy(halves, &lanes, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/* Some bytes of a literal, in each lane. */
struct probe {
    size_t places[NEEDLE_PROBES];
    lanes_t bytes[NEEDLE_PROBES], cases[NEEDLE_PROBES];
};

static struct probe probe_of(const struct read_needle *needle, const struct needle_literal *literal) {
    struct probe probe;
    for (size_t i = 0; i < NEEDLE_PROBES; i++) {
        const uint8_t byte = literal->text[literal->places[i]];
        probe.places[i] = literal->places[i];
        probe.bytes[i] = all_lanes(byte);
        probe.cases[i] = all_lanes(case_bit(needle, byte));
    }
    return probe;
}

static int is_at(const struct read_needle *needle, const struct needle_literal *literal, const uint8_t *text) {
    size_t same = 0;
    if (!needle->ignore_case) {
        return text[literal->places[0]] == literal->text[literal->places[0]] &&
               memcmp(text, literal->text, literal->length) == 0;
    }
    while (same < literal->length && (text[same] | case_bit(needle, literal->text[same])) == literal->text[same]) {
        same++;
    }
    return same == literal->length;
}

static int any_is_at(const struct read_needle *needle, const struct needle_literal *literals, size_t count,
                     const uint8_t *text, size_t bytes) {
    for (size_t i = 0; i < count; i++) {
        if (literals[i].length <= bytes && is_at(needle, &literals[i], text)) {
            return 1;
        }
    }
    return 0;
}

/* At which of sixteen places the bytes of a literal are. */
static inline __attribute__((always_inline)) lanes_t hits_of(const struct probe *probe, const uint8_t *text,
                                                             int folds) {
    lanes_t hits = all_lanes(UINT8_MAX);
#pragma GCC unroll 4
    for (size_t i = 0; i < NEEDLE_PROBES; i++) {
        const lanes_t bytes = load(text + probe->places[i]);
        hits &= (lanes_t)((folds ? bytes | probe->cases[i] : bytes) == probe->bytes[i]);
    }
    return hits;
}

/* Whether a literal begins at one of sixteen places. Returns the first of those, or NULL. */
static const uint8_t *look_closely(const struct read_needle *needle, const struct needle_literal *literals,
                                   const struct probe *probes, size_t count, const uint8_t *text, size_t bytes) {
    lanes_t hits = {0};
    for (size_t i = 0; i < count; i++) {
        hits |= hits_of(&probes[i], text, needle->ignore_case);
    }
    for (size_t at = 0; has_any(hits) && at < LANES; at++) {
        if (hits[at] != 0 && any_is_at(needle, literals, count, text + at, bytes - at)) {
            return text + at;
        }
    }
    return NULL;
}

/* The same of ROWS times, or once, sixteen places. */
static inline __attribute__((always_inline)) const uint8_t *
look(const struct read_needle *needle, const struct needle_literal *literals, const struct probe *probes, size_t count,
     const uint8_t *text, size_t bytes, size_t rows, int folds) {
    lanes_t hits = {0};
    for (size_t i = 0; i < count; i++) {
#pragma GCC unroll 4
        for (size_t row = 0; row < rows; row++) {
            hits |= hits_of(&probes[i], text + LANES * row, folds);
        }
    }
    const uint8_t *found = NULL;
    for (size_t at = 0; has_any(hits) && found == NULL && at < LANES * rows; at += LANES) {
        found = look_closely(needle, literals, probes, count, text + at, bytes - at);
    }
    return found;
}

/* The copies of these loops know at compile time of how many literals, and whether the case matters. */
static inline __attribute__((always_inline)) const uint8_t *find_any(const struct read_needle *needle,
                                                                     const struct needle_literal *literals,
                                                                     size_t count, const uint8_t *text, size_t bytes,
                                                                     int folds) {
    struct probe probes[NEEDLE_ALTERNATIVES];
    size_t longest = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        probes[i] = probe_of(needle, &literals[i]);
        longest = literals[i].length > longest ? literals[i].length : longest;
    }
    /* No probe at these places looks behind the end. */
    const size_t places = bytes >= longest ? bytes - longest + 1 : 0;
    const uint8_t *found = NULL;
    for (; found == NULL && places - at >= ROWS * LANES; at += ROWS * LANES) {
        found = look(needle, literals, probes, count, text + at, bytes - at, ROWS, folds);
    }
    for (; found == NULL && places - at >= LANES; at += LANES) {
        found = look(needle, literals, probes, count, text + at, bytes - at, 1, folds);
    }
    for (; found == NULL && at < bytes; at++) {
        found = any_is_at(needle, literals, count, text + at, bytes - at) ? text + at : NULL;
    }
    return found;
}

/* The first place where one of the literals begins; NULL: there is none. */
static const uint8_t *find(const struct read_needle *needle, const struct needle_literal *literals, size_t count,
                           const uint8_t *text, size_t bytes) {
    return count > 1             ? find_any(needle, literals, count, text, bytes, needle->ignore_case)
           : needle->ignore_case ? find_any(needle, literals, 1, text, bytes, 1)
                                 : find_any(needle, literals, 1, text, bytes, 0);
}

/* ---------------------------------------------------------------------------------------------------------- choose */

void needle_add(struct read_needle *needle, uint8_t *text, size_t length, unsigned alternative) {
    if (needle->count == NEEDLE_LITERALS || alternative >= NEEDLE_ALTERNATIVES) {
        return;
    }
    for (size_t i = 0; i < length; i++) {
        text[i] |= case_bit(needle, text[i]);
    }
    needle->literals[needle->count++] =
        (struct needle_literal){.text = text, .length = length, .alternative = alternative};
}

/* Chooses the bytes of the literal that are rarest in a text; of a short one some twice. */
static void choose_bytes(const struct read_needle *needle, const uint32_t *times, struct needle_literal *literal) {
    for (size_t chosen = 0; chosen < NEEDLE_PROBES; chosen++) {
        uint32_t fewest = UINT32_MAX;
        literal->places[chosen] = literal->places[0];
        for (size_t i = 0; i < literal->length; i++) {
            const uint8_t byte = literal->text[i], bit = case_bit(needle, byte);
            const uint32_t here = times[byte] + (bit != 0 ? times[byte ^ bit] : 0);
            const int is_new = (chosen < 1 || i != literal->places[0]) && (chosen < 2 || i != literal->places[1]);
            if (is_new && here < fewest) {
                literal->places[chosen] = i;
                fewest = here;
            }
        }
    }
}

static size_t count_places(const struct read_needle *needle, const struct needle_literal *literal, const uint8_t *text,
                           size_t bytes) {
    const uint8_t *const end = text + bytes;
    size_t count = 0;
    while ((text = find(needle, literal, 1, text, (size_t)(end - text))) != NULL) {
        count++;
        text++;
    }
    return count;
}

/* Chooses by which literal each alternative is found: the one that is rarest in this text, and of those the longest. */
static void choose(struct read_needle *needle, const uint8_t *text, size_t bytes) {
    uint32_t times[256] = {0};
    size_t fewest = 0;
    bytes = bytes < SAMPLE_BYTES ? bytes : SAMPLE_BYTES;
    for (size_t i = 0; i < bytes; i++) {
        times[text[i]]++;
    }
    for (size_t i = 0; i < needle->count; i++) {
        struct needle_literal *const literal = &needle->literals[i];
        choose_bytes(needle, times, literal);
        const size_t places = count_places(needle, literal, text, bytes);
        struct needle_literal *const best = &needle->sought[literal->alternative];
        if (literal->alternative == needle->sought_count) {
            needle->sought_count++;
        } else if (places > fewest || (places == fewest && literal->length <= best->length)) {
            continue;
        }
        *best = *literal;
        fewest = places;
    }
}

/* ------------------------------------------------------------------------------------------------------------ pass */

static unsigned sum_of(lanes_t lanes) {
    uint64_t halves[2], sum = 0;
    memcpy(halves, &lanes, sizeof halves);
    for (size_t i = 0; i < 2; i++) {
        sum += (halves[i] & 0x00ff00ff00ff00ff) + (halves[i] >> 8 & 0x00ff00ff00ff00ff);
    }
    return (unsigned)(sum * 0x0001000100010001 >> 48);
}

static uint64_t count_newlines(const uint8_t *text, size_t bytes) {
    uint64_t count = 0;
    while (bytes >= LANES) {
        size_t pieces = bytes / (ROWS * LANES) < COUNT_MOST ? bytes / (ROWS * LANES) : COUNT_MOST;
        lanes_t found[ROWS] = {{0}};
        bytes -= ROWS * LANES * pieces;
        for (; pieces > 0; pieces--, text += ROWS * LANES) {
#pragma GCC unroll 4
            for (size_t row = 0; row < ROWS; row++) { /* a lane that is equal is -1 */
                found[row] -= (lanes_t)(load(text + LANES * row) == '\n');
            }
        }
        for (; bytes >= LANES && bytes < ROWS * LANES; bytes -= LANES, text += LANES) {
            found[0] -= (lanes_t)(load(text) == '\n');
        }
        count += sum_of(found[0] + found[1] + found[2] + found[3]);
    }
    for (; bytes > 0; bytes--) {
        count += *text++ == '\n';
    }
    return count;
}

size_t needle_pass(struct read_needle *needle, const uint8_t *text, size_t bytes, int *is_found) {
    *is_found = 0;
    if (bytes == 0) {
        return 0;
    }
    if (needle->sought_count == 0) {
        choose(needle, text, bytes);
    }
    const uint8_t *const found = find(needle, needle->sought, needle->sought_count, text, bytes);
    const size_t before = found == NULL ? bytes : (size_t)(found - text);
    const uint8_t *const newline = memrchr(text, '\n', before);
    const size_t passed = newline == NULL ? 0 : (size_t)(newline + 1 - text);
    needle->passed += count_newlines(text, passed);
    *is_found = found != NULL;
    return passed;
}

int needle_has(const struct read_needle *needle, const uint8_t *text, size_t bytes) {
    const struct needle_literal *literal = needle->literals, *const end = literal + needle->count;
    while (literal < end) {
        const unsigned alternative = literal->alternative;
        const uint8_t *at = text;
        for (; literal < end && literal->alternative == alternative; literal++) {
            at = at == NULL ? NULL : find(needle, literal, 1, at, bytes - (size_t)(at - text));
            at = at == NULL ? NULL : at + literal->length;
        }
        if (at != NULL) {
            return 1;
        }
    }
    return needle->count == 0;
}
