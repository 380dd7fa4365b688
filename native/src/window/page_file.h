/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a drain's page (media/handover.h), beside the lock file. It is never mapped, so nobody can hurt its reader by
 * cutting it; and never synced, as losing it loses nothing. */
#ifndef BURST_WINDOW_PAGE_FILE_H
#define BURST_WINDOW_PAGE_FILE_H

#include "media/handover.h"

struct page_file {
    int fd; /* the drain's; -1: not open */
    uint32_t crc_seed;
    uint64_t drain, change; /* the page that was read last */
    char path[4096];
};

/* Names the file. Returns 0, or -errno with a sentence. */
int page_file_name(struct page_file *file, const char *folder, const uint8_t uuid[16]);

/* Opens the file, of mode 0600, for the drain. Returns 0, or -errno with a sentence. */
int page_file_open(struct page_file *file);
void page_file_close(struct page_file *file);

/* Seals and writes the page. Returns 0, or -errno with a sentence. */
int page_file_write(struct page_file *file, struct drain_page *page);

/* Reads the page, if it has changed since it was read last. Returns 1; or 0: it has not, is being written, is none, or there
 * is none. */
int page_file_read(struct page_file *file, struct drain_page *page);

#endif
