/* SPDX-License-Identifier: Apache-2.0 */
/* A sentence for the operator in a buffer that may be too short for it. */
#ifndef BURST_BASE_SENTENCE_H
#define BURST_BASE_SENTENCE_H

#include <stddef.h>

/* A word of this length, or a shorter one, loses nothing as long as there is a longer one. */
#define SENTENCE_WORD_BYTES 48

/*
 * Cuts the sentence to less than `bytes`, which is more than SENTENCE_WORD_BYTES. Its longest word loses its middle, then the
 * next one: these are paths. So what happened stays, and what to do, which stands at the end. If that is not enough the sentence
 * itself loses its middle. "..." stands for what is gone, and no character of UTF-8 is cut.
 */
void sentence_fit(char *sentence, size_t bytes);

#endif
