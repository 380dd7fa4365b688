/* SPDX-License-Identifier: Apache-2.0 */
/* Others act in the midst of a drain step: between two writes of a redo or of a batch, or between the drain's look at the
 * file and its write. */
#include <stdlib.h>

#include "base/error.h"
#include "media/checkpoint.h"
#include "simulator/log.h"
#include "simulator/scenarios.h"

#define WRITE_BYTES 150 /* a record takes two or more writes */
#define FOREIGN "# somebody else's, and so long that no write of the drain reaches over all of it ...................... \n"

enum moment { AFTER_A_WRITE, BEFORE_A_WRITE };

static void append(struct world *world, int count) {
    for (int i = 0; i < count; i++) {
        if (log_append(world, 200 + 50 * (uint32_t)i) < 0) {
            violation(world, "an append failed: %s", error_text());
        }
    }
}

/* The newest checkpoint, and the file that it names. */
static const struct checkpoint_stream *noted(struct world *world, char *path, size_t path_bytes) {
    static struct engine_view view;
    if (engine_view_begin(&world->platform, &world->device.device, &view) < 0 ||
        checkpoint_file(&view.checkpoints[view.newest_slot], path, path_bytes) < 0) {
        abort();
    }
    return &view.checkpoints[view.newest_slot].stream;
}

/* What was checkpointed is gone with the file, by the hand of others; all else has to be written again. */
static const char *destroy(struct world *world, size_t from_byte) {
    static char path[LAYOUT_FILE_NAME_BYTES];
    const struct checkpoint_stream *stream = noted(world, path, sizeof path);
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

/* The last bytes that the drain has written. */
static void edit(struct world *world) {
    char path[LAYOUT_FILE_NAME_BYTES];
    const uint64_t end = world->engine->drain->destination.length + WRITE_BYTES;
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

/* Some records are checkpointed, some are in the file, and some in the ring only. */
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
