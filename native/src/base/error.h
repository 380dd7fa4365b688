/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: a negative errno, and one sentence for the calling thread that says what happened, where, which value was
 * seen and what to do. */
#ifndef BURST_BASE_ERROR_H
#define BURST_BASE_ERROR_H

#include <stdint.h>

#define ERROR_TEXT_BYTES 2048 /* with the terminator */

/* Stores the sentence for this thread and returns -code. */
int error_set(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The sentence of this thread's last error_set; "" if there was none. */
const char *error_text(void);

/* Several errors told together. It begins with {.code = 0}. */
struct error_list {
    int code; /* code of the first error; negative */
    char text[ERROR_TEXT_BYTES];
};

/* Adds a result and, if it is negative, this thread's sentence. */
void error_list_add(struct error_list *list, int rc);

/* Returns 0, or the first code with the sentences of all errors. */
int error_list_result(const struct error_list *list);

/* The name of an errno for sentences: "EIO (Input/output error)". The text is valid until this thread's next call. */
const char *error_name(int code);

/* A time for sentences, in the largest unit without a fraction: "100 ms". The text is valid until this thread's next
 * call. */
const char *error_time(int64_t ns);

#endif
