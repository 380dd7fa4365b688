/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that show a ring and change nothing. The ring may be damaged, and a writer may have it open. */
#ifndef BURST_CLI_SHOW_H
#define BURST_CLI_SHOW_H

#include "cli/report.h"
#include "view/ring_view.h"

/* Prints the command's view of the ring. Returns 0, 1 if the ring is damaged, or -errno with a sentence. */
typedef int show_print(struct report *report, struct device *device, const struct ring_view *view);

/* Prints everything that can be shown of a ring that recovery refuses, and the reason. */
typedef void show_refused_print(struct report *report, struct device *device, const char *why);

struct show_command {
    const char *usage;
    const char *about;
    show_print *print;
    show_refused_print *print_refused; /* or NULL */
    /* Prints the content of a medium that is no ring, or NULL. Returns 1; 2 if that content is damaged; 0 if it is
     * unknown. */
    int (*print_other)(const struct device *device, int json);
};

/* Reads the arguments [--json] RING, opens the ring for reading, and prints. Returns the exit code. */
int show_ring(int argc, char **argv, const struct show_command *command);

show_print info_print, dump_print, spectrum_print, verify_print;
show_refused_print dump_print_refused, verify_print_refused;

/* Prints the processes that have the ring open for writing. */
void show_holders(struct report *report, const struct device *device);
void show_damage(struct report *report, const struct recovery *recovery);

#endif
