/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user of the log who remembers what it must hold. Each payload names its record, so the log files can be read back
 * and compared record by record.
 */
#ifndef BURST_TEST_SIMULATOR_LOG_H
#define BURST_TEST_SIMULATOR_LOG_H

#include <string.h>

#include "append_rules.h"
#include "harness/simulator/world.h"

#define REPEATED_FILL 't'
#define PAYLOAD_MIN_BYTES 12u /* a shorter payload has no room for its name; 0 bytes are allowed */

/* Ends the program; prints the invariant that does not hold, and the arguments that show the case again. */
void violation(const struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

void log_format(struct world *world);

/* Opens the engine on the world. 0 or -errno. */
int log_open(struct world *world);
/* Says whether a medium that lied has lost so much that the open must refuse the ring. */
int log_is_refused(struct world *world);
/* Opens, and checks what recovery found after a crash: no acknowledged record is missing, and no loss is made up. */
void log_open_whole(struct world *world);
/* Checks what recovery found, of which all is acknowledged from then on. log_read_and_settle recovers as a reader does. */
void log_settle(struct world *world, const struct recovery *recovery);
void log_read_and_settle(struct world *world);
void log_close(struct world *world);
void log_reopen(struct world *world);

/* Directs the next records to an open stream, an index of world->streams; 0 is the main stream. */
void log_write_to(struct world *world, unsigned which);
/* Configures a stream and opens it. 0, or -errno: the stream is configured, but not open. */
int log_open_stream(struct world *world, unsigned which, const char *name, const char *path);
/* Closes the stream; the later opens do not want it. */
void log_close_stream(struct world *world, unsigned which);
/* Opens the configured streams, except those whose name or file an open stream has. */
void log_open_wanted(struct world *world);
/* Marks all streams as closed: their process is gone. */
void log_forget_streams(struct world *world);
/* Checks that no record waits for the stream's file. */
void log_check_drained(struct world *world, unsigned which);

int64_t log_append(struct world *world, uint32_t length);
int64_t log_enqueue(struct world *world, uint32_t length);
/* Ends the stream's file. *roll must stay as it is. */
int64_t log_roll(struct world *world, const struct sim_roll *roll);
/* A roll with footer and header, and a target name of its own. */
extern const struct sim_roll plain_roll;
int log_commit(struct world *world);
/* Counts as acknowledged all that the engine calls durable. */
void log_note_durable(struct world *world);

/* Makes one step of the drain: it moves as much as there is. */
int log_drain(struct world *world, int sync);
/* Drains until all is in the log file, and synced. */
void log_drain_all(struct world *world);

/* Checks I1 to I4 when all is drained: the files hold every record that they must, no other, in order. */
void log_check_files(struct world *world);

/* Deletes all segments but the last; their reader has passed them. */
void log_delete_segments(struct world *world);
/* Others empty the folder and put an empty head there; both are durable at once. */
void log_begin_segments_anew(struct world *world);

/* Reads all segments. The reader finds what it saw before under the same number (I10). */
void log_read_segments(struct world *world);
/* Checks, when all is drained, that the reader finds each record of its stream once, in order. */
void log_check_segments(struct world *world);
/* Checks that each record stands where an index says, and is in one. */
void log_check_indexes(struct world *world);
static inline int is_in_segments(const char *name) {
    return strncmp(name, SEGMENTS_FOLDER "/", sizeof SEGMENTS_FOLDER) == 0;
}

/* The log is open. A log that was diverted may go back at the next open. */
void sim_copy_end_open(struct world *world);
/* The copy begins behind its last record: it and the ring agree, and no record is in neither. */
void sim_copy_begin(struct world *world);
/* The copier takes, or confirms, or does nothing; all: it takes and confirms all there is. */
void sim_copy_step(struct world *world, int all);
/* A stream is opened: if it gets another place, its records may go to the one that it had before the copy has them. */
void sim_copy_stream_opens(struct world *world, const struct sim_stream *stream);
/* An open or a step of the drain is over. It ends as it began: without the copy, if that was away for a part of it. */
void sim_copy_end_step(struct world *world);
/* Checks, when all is drained, that the copy has each record once. */
void sim_copy_check(const struct world *world);

/* Notes that others may destroy the records of this file from this byte on. */
void log_records_destroyed(struct world *world, const char *name, size_t from_byte);

/* Makes the payload of a record. */
void payload_make(const struct model *model, uint64_t sequence, char *out);

/* Makes the payload of a roll record and returns its length: rolls.c. */
size_t roll_make(const struct world *world, uint64_t sequence, const char *file, char *out);
/* Makes the roll's text for the end of a file, or for the beginning of the next one; returns its length. */
uint32_t roll_text(const struct model *model, uint64_t sequence, int is_header, char *out);

/* Appends a record; a roll, if there is one. */
int64_t log_offer(struct world *world, const struct sim_roll *roll, uint32_t length, ring_call call,
                  const struct ring_rule *rule);

static inline char payload_fill(uint64_t sequence, uint64_t incarnation) {
    return (char)('a' + (sequence * 7 + incarnation * 3) % 26);
}

#endif
