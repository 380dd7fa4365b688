/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of a command: as lines for people, or as one JSON object with the same fields in the same
 * order. */
#ifndef BURST_CLI_REPORT_H
#define BURST_CLI_REPORT_H

#include <stdint.h>
#include <stdio.h>

struct report {
    FILE *out;
    int json;
    int depth;
    int fields; /* fields of the innermost group so far */
};

void report_begin(struct report *report, FILE *out, int json);
void report_end(struct report *report);

/* Begins a group of fields. With a NULL name the group is an element of a list. */
void report_group(struct report *report, const char *name);
void report_group_end(struct report *report);

void report_list(struct report *report, const char *name);
void report_list_end(struct report *report);

void report_number(struct report *report, const char *name, uint64_t value);
void report_text(struct report *report, const char *name, const char *value);
/* Prints bytes as text without losing any (text_print). */
void report_bytes(struct report *report, const char *name, const void *bytes, size_t length);
void report_flag(struct report *report, const char *name, int value);

#endif
