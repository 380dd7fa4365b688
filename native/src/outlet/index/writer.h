/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the index of a log file: media/index.h.
 *
 * DESIGN. An index is written at each sync of the text, from the records between the checkpoint and what is written. It
 * depends on the noted state and on these records alone; the checkpoint behind the sync has its new length. So after a
 * crash, or when the drain goes back, the writer cuts the index to what is noted, and the same records come again.
 * A fault of the index never reaches the log: the index then begins anew, here or with the next file.
 */
#ifndef BURST_OUTLET_INDEX_WRITER_H
#define BURST_OUTLET_INDEX_WRITER_H

#include "base/events.h"
#include "base/platform.h"
#include "outlet/file/destination.h"
#include "outlet/outlet.h"

struct index_writer;

/* Makes a writer that has no file, for the log file that `text` always is. Returns 0, or -ENOMEM with a sentence. */
int index_writer_create(const struct platform *platform, struct events *events, const struct destination *text,
                        struct index_writer **writer);

/* writer may be NULL. */
void index_writer_destroy(struct index_writer *writer);

/* Lets go of the file of the index. The next sync opens it again. writer may be NULL. */
void index_writer_close(struct index_writer *writer);

/* The text was just synced. Adds what it has since the checkpoint, and makes that durable. Returns the index that the
 * next checkpoint notes: sequence 0 if there is none. */
struct outlet_index index_writer_sync(struct index_writer *writer, const struct outlet_noted *noted);

#endif
