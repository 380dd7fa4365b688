/* SPDX-License-Identifier: Apache-2.0 */
/* The acts of a log file. All that write it are here: who calls them has it const. */
#ifndef BURST_OUTLET_FILE_ACT_H
#define BURST_OUTLET_FILE_ACT_H

#include "outlet/file/look.h"

/* For an instant others hold a file without writing to it: a child before its exec, a log that looks for its own file. */
#define FILE_LOCK_TRIES 50

/* outlet_ops of it: calls.c. */
extern const struct outlet_ops log_file_ops;

/* Looks, finds the row, acts, until the answer is there: that of outlet_ops. */
int file_run(struct outlet *outlet, struct file_call *call);

/* Bytes taken or -errno; never 0. */
int64_t file_write(struct outlet *outlet, const void *data, size_t bytes);

/* 0 or -errno; what follows is for MOMENT_SYNCED. */
int file_sync(struct outlet *outlet);

/* Both slots have what was handed up. */
void file_noted(struct outlet *outlet, const struct outlet_noted *noted);

/* The state of the file is the noted one. */
void file_take_noted(struct outlet *outlet, const struct outlet_noted *noted);

void file_note_phase(struct outlet *outlet, enum roll_phase phase, struct outlet_state *state);

/* It stalls, or does no more. */
void file_note_stall(struct outlet *outlet, int is_stalled);

void file_close(struct outlet *outlet);
void file_destroy(struct outlet *outlet);

#endif
