/* SPDX-License-Identifier: Apache-2.0 */
/* The acts of a log file. Only they write it: all callers have it const. */
#ifndef BURST_OUTLET_FILE_ACT_H
#define BURST_OUTLET_FILE_ACT_H

#include "outlet/file/look.h"

/* others may hold a file for a moment without writing to it: a child before its exec, or a log that looks for its own
 * file */
#define FILE_LOCK_TRIES 50

/* the outlet_ops of a log file: calls.c */
extern const struct outlet_ops log_file_ops;

/* Looks, finds the row, and acts, until there is an answer for outlet_ops. */
int file_run(struct outlet *outlet, struct file_call *call);

/* Returns how many bytes were written, or -errno; never 0. */
int64_t file_write(struct outlet *outlet, const void *data, size_t bytes);

/* Syncs the file. Returns 0 or -errno. The caller then runs MOMENT_SYNCED. */
int file_sync(struct outlet *outlet);

/* Both slots have the state that the file handed up. */
void file_noted(struct outlet *outlet, const struct outlet_noted *noted);

/* Takes the noted state as the file's state. */
void file_take_noted(struct outlet *outlet, const struct outlet_noted *noted);

/* Both the file's state and *state have this index from now on. */
void file_note_index(struct outlet *outlet, const struct outlet_index *index, struct outlet_state *state);

void file_note_phase(struct outlet *outlet, enum roll_phase phase, struct outlet_state *state);

/* The file stalls, or stalls no longer. */
void file_note_stall(struct outlet *outlet, int is_stalled);

void file_close(struct outlet *outlet);
void file_close_stream(struct outlet *outlet); /* also lets go of the roller of whoever had the stream open */
void file_destroy(struct outlet *outlet);

#endif
