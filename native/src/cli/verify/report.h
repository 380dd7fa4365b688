/* SPDX-License-Identifier: Apache-2.0 */
/* Tells another machine the number of the last acknowledged block: lines of text over TCP. */
#ifndef BURST_CLI_VERIFY_REPORT_H
#define BURST_CLI_VERIFY_REPORT_H

#include <stddef.h>
#include <stdint.h>

struct reporter {
    int fd; /* -1: nobody is told */
    char rest[64];
    size_t rest_bytes; /* of a line whose first part was sent */
};

/* "HOST:PORT", "[ADDRESS]:PORT". 0 or -errno with a sentence. */
int reporter_connect(struct reporter *reporter, const char *where, const char *path);

/* Sends the number if the connection can take it now; else a later number will do. 0 or -errno with a sentence. */
int reporter_tell(struct reporter *reporter, uint64_t number);

/* Sends the last number, however long that takes, and closes the connection. */
void reporter_close(struct reporter *reporter, uint64_t number);

#endif
