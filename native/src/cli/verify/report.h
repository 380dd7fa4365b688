/* SPDX-License-Identifier: Apache-2.0 */
/* Tells another machine the number of the last acknowledged block, as lines of text over TCP. */
#ifndef BURST_CLI_VERIFY_REPORT_H
#define BURST_CLI_VERIFY_REPORT_H

#include <stddef.h>
#include <stdint.h>

struct reporter {
    int fd; /* -1: no machine is told */
    char rest[64];
    size_t rest_bytes; /* the unsent rest of a line */
};

/* Connects to "HOST:PORT" or "[ADDRESS]:PORT". Returns 0, or -errno with a sentence. */
int reporter_connect(struct reporter *reporter, const char *where, const char *path);

/* Sends the number if the connection can take it now. If not, a later number will do. Returns 0, or -errno with a
 * sentence. */
int reporter_tell(struct reporter *reporter, uint64_t number);

/* Sends the last number however long that takes, and closes the connection. */
void reporter_close(struct reporter *reporter, uint64_t number);

#endif
