/* SPDX-License-Identifier: Apache-2.0 */
/* The messages about a log file. */
#ifndef BURST_OUTLET_FILE_TELL_H
#define BURST_OUTLET_FILE_TELL_H

#include "outlet/file/file_rules.h"
#include "outlet/file/look.h"

/* Tells the sentence of a row. A refusal's sentence becomes the error text. */
void file_say(const struct log_file *log, const struct file_call *call, enum file_sentence sentence);

/* Tells log->news, since both slots have the file. */
void file_tell_news(const struct log_file *log, uint64_t sequence);

/* Tells that the stream is bound to another path. All its records are in the file before. */
void file_tell_bound_anew(const struct log_file *log, const char *path, uint64_t sequence);

/* Tells that the diverted file got a name of today's form. */
void file_tell_old_name(const struct log_file *log, const char *name);

/* Tells that the target of a roll was taken. */
void file_tell_taken(const struct log_file *log, const char *target, const char *name);

void file_tell_stalled(const struct log_file *log, int rc, int64_t lasts_ns, uint64_t held_bytes);
void file_tell_going(const struct log_file *log);

#endif
