/* SPDX-License-Identifier: Apache-2.0 */
/* The names that a log file gets: rolled ones, and those of a diverted log. This file knows no outlet. */
#ifndef BURST_OUTLET_FILE_NAMES_H
#define BURST_OUTLET_FILE_NAMES_H

#include "outlet/file/destination.h"

/* Renames the file to the first free name: the target, then target.1, target.2, and so on. Returns the number added,
 * with *name, or -errno. */
int names_rename(const struct files *files, const char *path, const char *target, char name[LAYOUT_FILE_NAME_BYTES]);

/* Makes the old and the new name of the file durable. target "": it keeps its name. Returns 0 or -errno. */
int names_sync(const struct files *files, const char *path, const char *target);

/* Creates a file under the first free diverted name, and puts the name into *state. Returns 0, or -errno with *state
 * unchanged. */
int names_create_diverted(struct destination *destination, struct outlet_state *state, uint64_t sequence);

/* Renames a diverted file to the first free name of today's form, and puts the name into *state. Returns 0 or
 * -errno. */
int names_renew_diverted(const struct files *files, struct outlet_state *state, const char *path,
                         char name[LAYOUT_FILE_NAME_BYTES]);

/* Makes the next file the configured one. */
static inline void names_end_diversion(struct outlet_state *state) {
    state->diverted_sequence = 0;
    state->diverted_attempt = state->diverted_form = 0;
}

#endif
