/* SPDX-License-Identifier: Apache-2.0 */
/* The number of the last acknowledged block on its way to another machine: lines of text over TCP. */
#ifndef BURST_CLI_VERIFY_REPORT_H
#define BURST_CLI_VERIFY_REPORT_H

#include <stddef.h>
#include <stdint.h>

struct reporter {
    int fd; /* -1: nobody is told */
    char rest[64];
    size_t rest_bytes; /* of a line of which the first part was taken */
};

/* "HOST:PORT", "[ADDRESS]:PORT". 0 or -errno with a sentence. */
int reporter_connect(struct reporter *reporter, const char *where, const char *path);

/* Tells the number if the connection can take it now; a later number says more. 0 or -errno with a sentence. */
int reporter_tell(struct reporter *reporter, uint64_t number);

/* The last number, however long that takes; hangs up. */
void reporter_close(struct reporter *reporter, uint64_t number);

#endif
