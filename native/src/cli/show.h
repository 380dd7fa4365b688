/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that show a ring and change nothing: also a damaged one, also beside its writer. */
#ifndef BURST_CLI_SHOW_H
#define BURST_CLI_SHOW_H

#include "cli/report.h"
#include "engine.h"

/* Prints what the command shows. 0 or -errno with a sentence. */
typedef int show_print(struct report *report, struct device *device, const struct engine_view *view);

/* Reads the arguments [--json] RING, opens the ring for reading, prints; the exit code. */
int show_ring(int argc, char **argv, const char *usage, const char *about, show_print *print);

show_print info_print, dump_print;

#endif
