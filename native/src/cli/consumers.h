/* SPDX-License-Identifier: Apache-2.0 */
/* The consumers of a stream's segments, and how far behind each one is. */
#ifndef BURST_CLI_CONSUMERS_H
#define BURST_CLI_CONSUMERS_H

#include "cli/report.h"

/* Reports the list of consumers, or why it cannot be read. */
void consumers_report(struct report *report, const char *folder);

#endif
