/* SPDX-License-Identifier: Apache-2.0 */
/* Who reads the segments of a stream, and how far behind each is. */
#ifndef BURST_CLI_CONSUMERS_H
#define BURST_CLI_CONSUMERS_H

#include "cli/report.h"

/* The list of them, or why it cannot be read. */
void consumers_report(struct report *report, const char *folder);

#endif
