/* SPDX-License-Identifier: Apache-2.0 */
/* Others act while the drain works: between two writes of a redo or of a batch, or between the drain's look at the
 * file and its write. */
#include <stdlib.h>
#include <string.h>

#include "drain/stream.h"
#include "base/error.h"
#include "harness/simulator/log.h"
#include "harness/simulator/scenarios.h"

#define LOG_FILE "/logs/orders.log"
#define WRITE_BYTES 150 /* so a record takes two or more writes */
#define FOREIGN                                                                                                        \
    "# somebody else's, and so long that no write of the drain reaches over all of it ...................... \n"

enum moment { AFTER_A_WRITE, BEFORE_A_WRITE };

static void append(struct world *world, int count) {
    for (int i = 0; i < count; i++) {
        if (log_append(world, 200 + 50 * (uint32_t)i) < 0) {
            violation(world, "an append failed: %s", error_text());
        }
    }
}

/* Reads the newest checkpoint, and the path of the file that it names. */
static const struct stream_state *noted(struct world *world, char *path, size_t path_bytes) {
    static struct stream_state stream;
    struct ledger *ledger;
    if (ledger_read(&world->platform, &world->device.device, &ledger) < 0) {
        abort();
    }
    ledger_stream(ledger, ledger_newest(ledger), 0, &stream);
    ledger_close(ledger);
    if (outlet_state_file(&stream.outlet, path, path_bytes) < 0) {
        abort();
    }
    return &stream;
}

/* Notes that others destroy the checkpointed records of the file; the drain must write all others again. Returns the
 * path. */
static const char *destroy(struct world *world, size_t from_byte) {
    static char path[LAYOUT_FILE_NAME_BYTES];
    const struct stream_state *stream = noted(world, path, sizeof path);
    log_records_destroyed(world, path, from_byte);
    for (uint64_t sequence = stream->next_sequence; sequence <= world->model.offered; sequence++) {
        world->model.records[sequence].destroyed = 0;
    }
    return path;
}

static void cut(struct world *world) {
    others_truncate(world, destroy(world, 0), 0);
}

static void cut_and_grow(struct world *world) {
    others_truncate_and_extend(world, destroy(world, 10), 10);
}

static void extend(struct world *world) {
    char path[LAYOUT_FILE_NAME_BYTES];
    noted(world, path, sizeof path);
    others_write(world, path, FOREIGN);
}

/* Others overwrite the last bytes that the drain has written. */
static void edit(struct world *world) {
    char path[LAYOUT_FILE_NAME_BYTES];
    const struct outlet *outlet = drain_stream(world->engine->drainer.drain, 0)->outlet;
    const uint64_t end = outlet->ops->length(outlet) + WRITE_BYTES;
    noted(world, path, sizeof path);
    others_edit(world, path, (size_t)end, "# edited\n");
}

static void rename_it(struct world *world) {
    char path[LAYOUT_FILE_NAME_BYTES];
    noted(world, path, sizeof path);
    others_rename(world, path, "/logs/moved");
}

static void replace(struct world *world) {
    char path[LAYOUT_FILE_NAME_BYTES];
    noted(world, path, sizeof path);
    rename_it(world);
    others_write(world, path, "# somebody else's\n");
}

static void delete_it(struct world *world) {
    others_delete(world, destroy(world, 0));
}

static void plan(struct world *world, void (*others)(struct world *world), enum moment moment) {
    world->files.others = others;
    *(moment == AFTER_A_WRITE ? &world->files.others_after_write_in : &world->files.others_before_write_in) = 2;
}

/* Others act in a redo: some records are checkpointed, some are in the file without a checkpoint, some only in the
 * ring. */
static void in_a_redo(struct world *world, void (*others)(struct world *world), enum moment moment) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 3);
    log_drain(world, 0);
    append(world, 2);
    log_close(world);
    world->files.write_at_most = WRITE_BYTES;
    plan(world, others, moment);
    log_open_whole(world);
    log_drain_all(world);
    append(world, 2);
    log_drain_all(world);
}

static void in_a_batch(struct world *world, void (*others)(struct world *world), enum moment moment) {
    log_open_whole(world);
    append(world, 2);
    log_drain_all(world);
    append(world, 3);
    world->files.write_at_most = WRITE_BYTES;
    plan(world, others, moment);
    log_drain_all(world);
    append(world, 2);
    log_drain_all(world);
}

#define IN_A_REDO(name, others, moment)                                                                                \
    void name(struct world *world) {                                                                                   \
        in_a_redo(world, others, moment);                                                                              \
    }
#define IN_A_BATCH(name, others, moment)                                                                               \
    void name(struct world *world) {                                                                                   \
        in_a_batch(world, others, moment);                                                                             \
    }

IN_A_REDO(file_cut_in_a_redo, cut, AFTER_A_WRITE)
IN_A_REDO(file_cut_before_a_write_of_a_redo, cut, BEFORE_A_WRITE)
IN_A_REDO(file_grown_again_in_a_redo, cut_and_grow, AFTER_A_WRITE)
IN_A_REDO(file_extended_in_a_redo, extend, AFTER_A_WRITE)
IN_A_REDO(file_edited_in_a_redo, edit, AFTER_A_WRITE)
IN_A_REDO(file_renamed_in_a_redo, rename_it, AFTER_A_WRITE)
IN_A_REDO(file_replaced_in_a_redo, replace, AFTER_A_WRITE)
IN_A_REDO(file_deleted_in_a_redo, delete_it, AFTER_A_WRITE)
IN_A_BATCH(file_cut_in_a_batch, cut, AFTER_A_WRITE)
IN_A_BATCH(file_cut_before_a_write, cut, BEFORE_A_WRITE)
IN_A_BATCH(file_grown_again_in_a_batch, cut_and_grow, AFTER_A_WRITE)
IN_A_BATCH(file_extended_in_a_batch, extend, AFTER_A_WRITE)
IN_A_BATCH(file_edited_in_a_batch, edit, AFTER_A_WRITE)
IN_A_BATCH(file_renamed_in_a_batch, rename_it, BEFORE_A_WRITE)
IN_A_BATCH(file_replaced_in_a_batch, replace, BEFORE_A_WRITE)
IN_A_BATCH(file_deleted_in_a_batch, delete_it, BEFORE_A_WRITE)

static void expect_log_in(struct world *world, const char *wanted) {
    char path[LAYOUT_FILE_NAME_BYTES];
    log_drain_all(world);
    drain_copy_path(world->engine->drainer.drain, 0, path, sizeof path);
    if (strcmp(path, wanted) != 0) {
        violation(world, "the log is in %s, not in %s", path, wanted);
    }
}

/* Others cut the file, as `cp log log.1; : > log` does: the log goes on in another file. */
static void divert(struct world *world, const char *diverted) {
    append(world, 2);
    log_drain_all(world);
    cut(world);
    append(world, 2);
    expect_log_in(world, diverted);
}

void diverted_log_goes_back_at_an_open(struct world *world) {
    log_open_whole(world);
    divert(world, LOG_FILE ".burst-3");
    append(world, 2);
    log_drain(world, 0);
    append(world, 1);
    log_close(world);
    log_open_whole(world);
    append(world, 2);
    expect_log_in(world, LOG_FILE);
    divert(world, LOG_FILE ".burst-12");
    log_close(world);
    others_delete(world, LOG_FILE);
    log_open_whole(world);
    append(world, 2);
    expect_log_in(world, LOG_FILE);
}

void diverted_log_goes_back_when_its_file_is_renamed(struct world *world) {
    log_open_whole(world);
    divert(world, LOG_FILE ".burst-3");
    append(world, 2);
    log_drain(world, 0);
    others_rename(world, LOG_FILE ".burst-3", "/logs/rotated");
    append(world, 2);
    expect_log_in(world, LOG_FILE);
}

/* Others cut the diverted file within its last records; later a sync of it fails. */
void diverted_file_is_cut_and_cannot_be_synced(struct world *world) {
    log_open_whole(world);
    divert(world, LOG_FILE ".burst-3");
    append(world, 2);
    world->files.write_at_most = WRITE_BYTES;
    plan(world, cut, AFTER_A_WRITE);
    expect_log_in(world, LOG_FILE);
    world->files.write_at_most = 0;
    divert(world, LOG_FILE ".burst-9");
    append(world, 1);
    world->files.fail_sync_in = 0;
    log_drain(world, 1);
    append(world, 1);
    expect_log_in(world, LOG_FILE);
}

/* A foreign file has the log file's name: the log stays diverted over opens, and takes another diverted file when
 * others rename the first. */
void diverted_log_stays_while_its_name_is_taken(struct world *world) {
    log_open_whole(world);
    divert(world, LOG_FILE ".burst-3");
    others_write(world, LOG_FILE, "# somebody else's\n");
    log_reopen(world);
    append(world, 2);
    expect_log_in(world, LOG_FILE ".burst-3");
    others_rename(world, LOG_FILE ".burst-3", "/logs/rotated");
    append(world, 1);
    log_drain(world, 0);
    log_reopen(world);
    append(world, 1);
    expect_log_in(world, LOG_FILE ".burst-7");
    others_rename(world, LOG_FILE, "/logs/foreign");
    log_reopen(world);
    append(world, 1);
    expect_log_in(world, LOG_FILE);
}

void diverted_file_gets_the_name(struct world *world) {
    log_open_whole(world);
    divert(world, LOG_FILE ".burst-3");
    append(world, 1);
    others_rename(world, LOG_FILE ".burst-3", LOG_FILE);
    log_drain(world, 0);
    append(world, 2);
    expect_log_in(world, LOG_FILE);
    divert(world, LOG_FILE ".burst-10");
    log_close(world);
    others_rename(world, LOG_FILE ".burst-10", LOG_FILE);
    log_open_whole(world);
    append(world, 2);
    expect_log_in(world, LOG_FILE);
}

/* The roll's target is a name that older versions gave to a diverted file; then the log goes back to its own name. */
void diverted_file_is_rolled(struct world *world) {
    static const struct sim_roll by_number = {.footer_bytes = 40, .header_bytes = 30, .target = LOG_FILE ".3"};
    log_open_whole(world);
    divert(world, LOG_FILE ".burst-3");
    world->model.rolls_may_fail = 1; /* others edited the file that they cut: no header is expected there */
    append(world, 1);
    log_drain(world, 0); /* written, and not synced */
    if (log_roll(world, &by_number) < 0) {
        violation(world, "a roll could not be appended: %s", error_text());
    }
    append(world, 2);
    expect_log_in(world, LOG_FILE);
    log_reopen(world);
    if (log_roll(world, &plain_roll) < 0) {
        violation(world, "a roll could not be appended: %s", error_text());
    }
    append(world, 1);
    expect_log_in(world, LOG_FILE);
}
