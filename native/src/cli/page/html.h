/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of the page of `burstlog report`. */
#ifndef BURST_CLI_PAGE_HTML_H
#define BURST_CLI_PAGE_HTML_H

#include <stdio.h>

#include "cli/page/timeline.h"

/* Prints a text of a medium: markup escaped, and bytes that are no printable UTF-8 as \xNN. */
void html_text(FILE *out, const char *text);

/* Prints a time as the local "2026-01-31 12:00:00"; with `is_short` as "12:00:00". */
void html_time(FILE *out, int64_t time_ns, int is_short);

/* The charts, each an <svg>. The timeline has columns. */
void chart_latency(FILE *out, const struct timeline *timeline);
void chart_rate(FILE *out, const struct timeline *timeline);
void chart_fill(FILE *out, const struct timeline *timeline);

/* Looks at ring, files and archives and prints their map. Never fails: prints the reason. */
void map_print(FILE *out, const char *ring);

#endif
