/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `burstlog report`. */
#ifndef BURST_CLI_PAGE_PAGE_H
#define BURST_CLI_PAGE_PAGE_H

#include <stdio.h>

#include "cli/page/timeline.h"

#define PAGE_BEGIN "<!doctype html>\n<!-- burstlog report -->\n"

struct page {
    const char *name;      /* of the ring, or of the recorder's file */
    const char *map;       /* the ring, whose map is printed; NULL: there is none */
    const char *why_empty; /* why there is no recorder's file; NULL: there is one */
    int64_t now_ns;
};

/* Prints the whole page: one file, that loads nothing and runs nothing. */
void page_print(FILE *out, const struct page *page, const struct timeline *timeline);

#endif
