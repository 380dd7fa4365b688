/* SPDX-License-Identifier: Apache-2.0 */
/* Text that each match of a regular expression contains: a search looks for that first. */
#ifndef BURST_CLI_LITERALS_H
#define BURST_CLI_LITERALS_H

#include "read/needle.h"

/* Adds to an empty needle what the matches of a valid extended regular expression contain, alternative by alternative;
 * nothing, if an alternative has nothing of the kind. The locale is C: a character is a byte. text: a room of
 * strlen(pattern) bytes, which must stay. Returns whether the needle alone decides: then the expression is this text. */
int literals_of(const char *pattern, struct read_needle *needle, char *text);

#endif
