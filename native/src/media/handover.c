/* SPDX-License-Identifier: Apache-2.0 */
#include "media/handover.h"

#include <string.h>

#include "base/crc32c.h"

static uint32_t seal_of(const struct drain_page *page, uint32_t crc_seed) {
    return crc32c(crc_seed, page, offsetof(struct drain_page, crc));
}

void drain_page_seal(struct drain_page *page, uint32_t crc_seed) {
    page->magic = DRAIN_PAGE_MAGIC;
    page->version = HANDOVER_VERSION;
    page->bytes = sizeof *page;
    page->crc = seal_of(page, crc_seed);
}

static int are_texts_ended(const struct drain_page *page) {
    int ended = 1;
    for (unsigned i = 0; i < DRAIN_PAGE_EVENTS; i++) {
        ended &= memchr(page->event[i].text, '\0', sizeof page->event[i].text) != NULL;
    }
    for (unsigned i = 0; i < REQUESTS_MOST; i++) {
        ended &= memchr(page->answers[i].text, '\0', sizeof page->answers[i].text) != NULL;
    }
    return ended;
}

int drain_page_is_valid(const struct drain_page *page, uint32_t crc_seed) {
    return page->magic == DRAIN_PAGE_MAGIC && page->version == HANDOVER_VERSION && page->bytes == sizeof *page &&
           page->crc == seal_of(page, crc_seed) && are_texts_ended(page);
}
