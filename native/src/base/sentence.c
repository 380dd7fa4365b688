/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sentence.h"

#include <string.h>

static const char gap[] = "...";
#define GAP_BYTES (sizeof gap - 1)

static int is_inside_character(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Takes the middle out of a part of the text, so that of its bytes about `kept` are left, and never more. */
static void cut_middle(char *text, size_t begin, size_t bytes, size_t kept) {
    size_t head = begin + kept / 2, tail = begin + bytes - (kept - kept / 2);
    while (head > begin && is_inside_character(text[head])) {
        head--;
    }
    while (is_inside_character(text[tail])) {
        tail++;
    }
    memmove(text + head + GAP_BYTES, text + tail, strlen(text + tail) + 1);
    memcpy(text + head, gap, GAP_BYTES);
}

/* Returns the length of the longest word, which begins at *begin. */
static size_t longest_word(const char *text, size_t *begin) {
    size_t longest = 0;
    for (size_t at = 0; text[at] != '\0';) {
        const size_t bytes = strcspn(text + at, " ");
        if (bytes > longest) {
            longest = bytes;
            *begin = at;
        }
        at += bytes + (text[at + bytes] == ' ');
    }
    return longest;
}

void sentence_fit(char *sentence, size_t bytes) {
    for (size_t length; (length = strlen(sentence)) >= bytes;) {
        size_t begin = 0, word = longest_word(sentence, &begin), least = SENTENCE_WORD_BYTES;
        if (word <= SENTENCE_WORD_BYTES) {
            begin = least = 0;
            word = length;
        }
        const size_t beyond = length - (bytes - 1), fits = word > beyond ? word - beyond : 0;
        cut_middle(sentence, begin, word, (fits > least ? fits : least) - GAP_BYTES);
    }
}
