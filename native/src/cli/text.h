/* SPDX-License-Identifier: Apache-2.0 */
/* Makes text from any bytes of a medium. The text is safe for a terminal and for a JSON reader. */
#ifndef BURST_CLI_TEXT_H
#define BURST_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The length of the printable UTF-8 character at `bytes`; 0 if there is none. */
size_t text_character(const uint8_t *bytes, size_t left);

/* Prints printable characters as they are, others as \n, \t, \r or \xNN, and a backslash as two, so that no byte is
 * lost. With `json` the result is escaped once more, for the inside of a JSON string. */
void text_print(FILE *out, const void *bytes, size_t length, int json);

/* Formats a time as "2026-01-31T12:00:00Z"; with `fraction` adds nanoseconds. */
void text_time(int64_t time_ns, int fraction, char *text, size_t room);

#endif
