/* SPDX-License-Identifier: Apache-2.0 */
/* Makes text of any bytes of a medium that is safe for a terminal and for a JSON reader. */
#ifndef BURST_CLI_TEXT_H
#define BURST_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How many bytes at `bytes` make one printable character in UTF-8; 0: they do not. */
size_t text_character(const uint8_t *bytes, size_t left);

/* Prints printable characters as they are, others as \n, \t, \r or \xNN, a backslash as two, so that no byte is lost.
 * With `json` the result is escaped once more, for the inside of a JSON string. */
void text_print(FILE *out, const void *bytes, size_t length, int json);

/* "2026-01-31T12:00:00Z"; with `fraction` nanoseconds too. */
void text_time(int64_t time_ns, int fraction, char *text, size_t room);

#endif
