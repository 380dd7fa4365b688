/* SPDX-License-Identifier: Apache-2.0 */
/* The log file must be found though its bytes do not identify it: all records of one length read the same, and the
 * folder holds copies, and files of others that begin alike. Each run has a file system that identifies files by
 * more or by less. */
#include <errno.h>

#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define LOG_FILE "/logs/orders.log"
#define LINE_BYTES 40u

static void append(struct world *world, int count) {
    for (int i = 0; i < count; i++) {
        if (log_append(world, LINE_BYTES) < 0) {
            violation(world, "an append failed: %s", error_text());
        }
    }
}

static void begin(struct world *world, int marks) {
    world->files.marks = marks;
    world->model.repeats = 1;
    log_open_whole(world);
}

/* Writes records to the file without a checkpoint that knows of them. */
static void write_unnoted(struct world *world, int count) {
    append(world, count);
    log_drain(world, 0);
}

static void rotate_among_copies(struct world *world, int marks) {
    begin(world, marks);
    append(world, 1);
    log_drain_all(world);
    others_copy(world, LOG_FILE, LOG_FILE ".a");
    write_unnoted(world, 2);
    others_copy(world, LOG_FILE, LOG_FILE ".b");
    log_close(world);
    others_rename(world, LOG_FILE, LOG_FILE ".1");
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
    others_copy(world, LOG_FILE ".1", LOG_FILE ".c");
    write_unnoted(world, 2); /* to the new file: in some runs no checkpoint knows of it */
    log_close(world);
    others_rename(world, LOG_FILE, LOG_FILE ".2");
    others_put(world, LOG_FILE, "");
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
    append(world, 1);
    log_drain_all(world);
}

void rotated_among_copies(struct world *world) {
    rotate_among_copies(world, MARKS_HANDLES);
}

void rotated_among_copies_without_handles(struct world *world) {
    rotate_among_copies(world, MARKS_BIRTH_TIMES);
}

/* A number alone does not identify a file once it is used again: here it is not. */
void rotated_among_copies_with_numbers_only(struct world *world) {
    rotate_among_copies(world, MARKS_NUMBERS_ONLY);
}

static void older_files_repeat(struct world *world, int marks) {
    others_put(world, LOG_FILE ".old", "ttttttttttttttttttttttttttttttttttttttt\n"); /* a line of the log */
    others_put(world, LOG_FILE ".older",
               "ttttttttttttttttttttttttttttttttttttttt\nttttttttttttttttttttttttttttttttttttttt\n");
    begin(world, marks);
    append(world, 1);
    log_reopen(world);
    append(world, 2);
    log_reopen(world);
    log_drain(world, 0);
    log_reopen(world);
    log_drain_all(world);
    append(world, 1);
    log_reopen(world);
    log_drain_all(world);
}

void older_files_that_read_like_the_log(struct world *world) {
    older_files_repeat(world, MARKS_HANDLES);
}

/* Each mount gives the files other inode numbers. */
void older_files_on_a_file_system_without_marks(struct world *world) {
    older_files_repeat(world, MARKS_OF_EACH_MOUNT);
}

/* Others delete the log file, and a foreign file that reads the same gets its inode number. */
static void number_used_again(struct world *world, int marks) {
    begin(world, marks);
    append(world, 2);
    log_drain_all(world);
    log_close(world);
    for (uint64_t sequence = 1; sequence <= world->model.offered; sequence++) {
        world->model.records[sequence].destroyed = 1;
    }
    others_delete(world, LOG_FILE);
    others_put(world, LOG_FILE ".x",
               "ttttttttttttttttttttttttttttttttttttttt\nttttttttttttttttttttttttttttttttttttttt\n");
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
}

void inode_number_used_again(struct world *world) {
    number_used_again(world, MARKS_HANDLES);
}

void inode_number_used_again_without_handles(struct world *world) {
    number_used_again(world, MARKS_BIRTH_TIMES);
}

/* The file's name is a link into another folder, and the file is renamed there. */
void file_behind_a_link_renamed(struct world *world) {
    world->files.link = world->file_name = "/links/orders.log";
    begin(world, MARKS_HANDLES);
    append(world, 2);
    log_drain_all(world);
    others_put(world, LOG_FILE ".a",
               "ttttttttttttttttttttttttttttttttttttttt\nttttttttttttttttttttttttttttttttttttttt\n");
    write_unnoted(world, 2);
    log_close(world);
    others_rename(world, LOG_FILE, LOG_FILE ".1");
    log_open_whole(world);
    append(world, 1);
    log_drain_all(world);
    others_rename(world, LOG_FILE, LOG_FILE ".2");
    write_unnoted(world, 1);
    log_reopen(world);
    append(world, 1);
    log_drain_all(world);
}
