/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user of the log who remembers what it must hold: every payload says which record it is, so that the log files can
 * be read back and compared record by record.
 */
#ifndef BURST_TEST_SIMULATOR_LOG_H
#define BURST_TEST_SIMULATOR_LOG_H

#include <string.h>

#include "append_rules.h"
#include "harness/simulator/world.h"

#define REPEATED_FILL 't'
#define PAYLOAD_MIN_BYTES 12u /* shorter ones, but for 0, cannot say who they are */

/* Ends the program: the invariant that does not hold, and how to see it again. */
void violation(const struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

void log_format(struct world *world);

/* Opens the engine on the world. 0 or -errno. */
int log_open(struct world *world);
/* Whether a medium that lied has lost so much that the ring must be refused. */
int log_is_refused(struct world *world);
/* As it must be after a crash: nothing acknowledged is missing, nothing is reported that is not so. */
void log_open_whole(struct world *world);
void log_close(struct world *world);
void log_reopen(struct world *world);

/* The next records go to one that is open: world->streams, 0 is the log's own. */
void log_write_to(struct world *world, unsigned which);
/* Configures a stream and opens it: 0 or -errno, and then it is not open. */
int log_open_stream(struct world *world, unsigned which, const char *name, const char *path);
/* Nobody wants it any more. */
void log_close_stream(struct world *world, unsigned which);
/* Opens those that are wanted and whose name and file no other has. */
void log_open_wanted(struct world *world);
/* The process that had them open is gone. */
void log_forget_streams(struct world *world);
/* Nothing of the ring waits for its file. */
void log_check_drained(struct world *world, unsigned which);

int64_t log_append(struct world *world, uint32_t length);
int64_t log_enqueue(struct world *world, uint32_t length);
/* The file ends. The roll stays as it is. */
int64_t log_roll(struct world *world, const struct sim_roll *roll);
/* Footer and header, and a name of its own. */
extern const struct sim_roll plain_roll;
int log_commit(struct world *world);
/* What the engine itself calls durable counts as acknowledged. */
void log_note_durable(struct world *world);

/* One step of the drain: as much as is there. */
int log_drain(struct world *world, int sync);
/* Until all is in the log file and on disk. */
void log_drain_all(struct world *world);

/* Every record there must be, and none but those, in order: I1 to I4. All is drained. */
void log_check_files(struct world *world);

/* He has passed all but the last one: they are deleted. */
void log_delete_segments(struct world *world);
/* Others empty the folder, and put an empty head there: durable at once. */
void log_begin_segments_anew(struct world *world);

/* Somebody reads all segments there are: what he has seen before is still there, under the same number (I10). */
void log_read_segments(struct world *world);
/* And he finds each record of its stream once, in order. All is drained. */
void log_check_segments(struct world *world);
static inline int is_in_segments(const char *name) {
    return strncmp(name, SEGMENTS_FOLDER "/", sizeof SEGMENTS_FOLDER) == 0;
}

/* The records in a file are at the mercy of those who destroy it. */
void log_records_destroyed(struct world *world, const char *name, size_t from_byte);

/* The bytes of a record. */
void payload_make(const struct model *model, uint64_t sequence, char *out);

/* The bytes of a roll record, of which the number is given back: rolls.c. */
size_t roll_make(const struct world *world, uint64_t sequence, const char *file, char *out);
/* What it puts at the end of a file, or at the beginning of the next one. */
uint32_t roll_text(const struct model *model, uint64_t sequence, int is_header, char *out);

/* A record, or a roll. */
int64_t log_offer(struct world *world, const struct sim_roll *roll, uint32_t length, ring_call call,
                  const struct ring_rule *rule);

static inline char payload_fill(uint64_t sequence, uint64_t incarnation) {
    return (char)('a' + (sequence * 7 + incarnation * 3) % 26);
}

#endif
