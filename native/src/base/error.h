/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: a negative errno, and one sentence for the calling thread: what, where, the value seen, what to do. */
#ifndef BURST_BASE_ERROR_H
#define BURST_BASE_ERROR_H

#include <stdint.h>

/* Stores the sentence for this thread and returns -code. */
int error_set(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The sentence of this thread's last error_set; "" if there was none. */
const char *error_text(void);

/* Several errors told at once. Begins with {.code = 0}. */
struct error_list {
    int code; /* of the first; negative */
    char text[2048];
};

/* Takes a result as error_set returns it; 0 or more is none. */
void error_list_add(struct error_list *list, int rc);

/* 0, or the first code with all their sentences. */
int error_list_result(const struct error_list *list);

/* The name of an errno for sentences: "EIO (Input/output error)". Valid until this thread's next call. */
const char *error_name(int code);

/* A time for sentences, in the largest unit that leaves no fraction: "100 ms". Valid until this thread's next call. */
const char *error_time(int64_t ns);

#endif
