/* SPDX-License-Identifier: Apache-2.0 */
/* The names that a log file gets: its rolled one, and those of a diverted log. Nothing here knows the outlet. */
#ifndef BURST_OUTLET_FILE_NAMES_H
#define BURST_OUTLET_FILE_NAMES_H

#include "outlet/file/destination.h"

/* Renames the file to the first name that is free: the target, then target.1, target.2, .. Returns which one, and *name; or
 * -errno. */
int names_rename(const struct files *files, const char *path, const char *target, char name[LAYOUT_FILE_NAME_BYTES]);

/* Makes the names of the file, old and new, durable. `target` "": it keeps its name. 0 or -errno. */
int names_sync(const struct files *files, const char *path, const char *target);

/* Creates a file under the first diverted name that is free, and puts that in *state. 0, or -errno with *state as it was. */
int names_create_diverted(struct destination *destination, struct outlet_state *state, uint64_t sequence);

/* Renames a diverted file to the first name of today's form that is free, and puts that in *state. 0 or -errno. */
int names_renew_diverted(const struct files *files, struct outlet_state *state, const char *path,
                         char name[LAYOUT_FILE_NAME_BYTES]);

/* The next file is the configured one. */
static inline void names_end_diversion(struct outlet_state *state) {
    state->diverted_sequence = 0;
    state->diverted_attempt = state->diverted_form = 0;
}

#endif
