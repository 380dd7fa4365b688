/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: a negative errno, and one sentence for the calling thread: what, where, the value seen, what to do. */
#ifndef BURST_BASE_ERROR_H
#define BURST_BASE_ERROR_H

/* Stores the sentence for this thread and returns -code. */
int error_set(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The sentence of this thread's last error_set; "" if there was none. */
const char *error_text(void);

/* The name of an errno for sentences: "EIO (Input/output error)". Valid until this thread's next call. */
const char *error_name(int code);

#endif
