/* SPDX-License-Identifier: Apache-2.0 */
/* The screen of `burstlog top`, and its JSON. */
#ifndef BURST_CLI_TOP_SCREEN_H
#define BURST_CLI_TOP_SCREEN_H

#include <stdio.h>

#include "cli/top/watch.h"

#define SCREEN_COLUMNS 80
#define SCREEN_LINES 24

/* The choices of the keys. */
struct screen_choice {
    unsigned ring;
    unsigned stream;
    unsigned consumer;
};

struct screen {
    FILE *out;
    int is_utf8;     /* the terminal shows characters beyond ASCII */
    int is_terminal; /* bold and dim are allowed */
};

/* One sentence: how far the log is durable, what that survives, what is lost. Has no line break. */
void screen_verdict(const struct watch *watch, char *text, size_t room);

/* Draws one log in at most SCREEN_COLUMNS columns and SCREEN_LINES lines. `rings`: how many logs are watched. Corrects a choice
 * that is not there. */
void screen_draw(const struct screen *screen, const struct watch *watch, unsigned rings, struct screen_choice *choice);

/* The highest sequence that a record has. The watermark may be newer than the figures, and is never above it. */
uint64_t screen_accepted(const struct watch *watch);

/* "here", as enum burst_copy_state names it. */
const char *screen_copy_state(uint32_t state);

/* Prints the same as one JSON object in a line. */
void screen_json(FILE *out, const struct watch *watch);

#endif
