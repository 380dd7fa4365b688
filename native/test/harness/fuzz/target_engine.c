/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer opens any medium: it gets a sentence, or a log that behaves like one from then on. The next open finds the
 * same. Appended records are there after a crash: in the ring, then in their stream's log file, exactly once.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "append_rules.h"
#include "base/error.h"
#include "drain/stream.h"
#include "harness/fuzz/medium.h"
#include "harness/fuzz/oracle.h"
#include "harness/fuzz/violation.h"
#include "media/record.h"
#include "harness/simulator/log.h"

#define RECORDS 3u
#define DRAIN_STEPS_MAX 400
#define SECOND_NAME "second"
#define SECOND_FILE "/logs/second.log"

static uint16_t ids[2]; /* the streams that get records: the main one, and another */
static int is_open[2];

static const struct files_ops *simulated_files;

/* The simulated folder has few places, and rolls on the medium may want many. */
static int has_place(const struct files *files) {
    const struct sim_files *sim = (const struct sim_files *)files;
    unsigned names = 0;
    for (unsigned i = 0; i < FILES_MAX; i++) {
        names += sim->names[i].name[0] != '\0';
    }
    return names + 1 < FILES_MAX && sim->inode_count + 1 < FILES_MAX && sim->change_count + 1 < NAME_CHANGES_MAX;
}

static int create_if_it_fits(const struct files *files, const char *path, const struct new_file *new_file) {
    return has_place(files) ? simulated_files->create(files, path, new_file) : -ENOSPC;
}

/* A renamed file may be written here: on the medium the second stream, or a later roll, may name it as its own. */
static int rename_if_it_fits(const struct files *files, const char *from, const char *to) {
    struct sim_files *sim = (struct sim_files *)files;
    const int rc = has_place(files) ? simulated_files->rename(files, from, to) : -ENOSPC;
    if (rc == 0) {
        sim->inodes[sim_files_find(sim, to)].renamed_from[0] = '\0';
    }
    return rc;
}

static void refuse_what_has_no_place(struct world *world) {
    static struct files_ops ops;
    if (simulated_files == NULL) {
        simulated_files = world->files.files.ops;
        ops = *simulated_files;
        ops.create = create_if_it_fits;
        ops.rename = rename_if_it_fits;
    }
    world->files.files.ops = &ops;
}

static int open_writer(struct world *world) {
    const int rc = log_open(world);
    if (rc < 0) {
        MUST(error_text()[0] != '\0');
        MUST(world->allocations == 0);
        world->engine = NULL;
    }
    return rc;
}

/* Says whether a whole header stands here, of any lap. */
static int is_header(const uint8_t *data, size_t at, uint32_t crc_seed, const struct record_header **header) {
    *header = (const struct record_header *)(data + at);
    const uint64_t position = (*header)->position;
    return position % FUZZ_CAPACITY == at && record_has_header(data, FUZZ_CAPACITY, position, crc_seed);
}

static int has_headers_inside(const uint8_t *data, const struct record_header *record, size_t at, uint32_t crc_seed) {
    const struct record_header *header;
    const size_t end = at + record_bytes(record->length);
    for (size_t inside = at + RECORD_HEADER_BYTES; inside < end && inside + RECORD_HEADER_BYTES <= FUZZ_CAPACITY;
         inside += RECORD_ALIGN_BYTES) {
        if (is_header(data, inside, crc_seed, &header)) {
            return 1;
        }
    }
    return 0;
}

/* Two streams of a ring never share a file. One's file is not another's diverted file either: such names begin
 * alike. */
static int shares_files(const struct ledger *ledger) {
    const unsigned newest = ledger_newest(ledger);
    for (unsigned i = 0; i < ledger_streams(ledger, newest); i++) {
        for (unsigned j = 0; j < ledger_streams(ledger, newest); j++) {
            static struct stream_state one, other;
            ledger_stream(ledger, newest, i, &one);
            ledger_stream(ledger, newest, j, &other);
            if (i != j && strncmp(one.outlet.path, other.outlet.path, strlen(one.outlet.path)) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

/*
 * Says whether the medium was forged: whole headers of later laps, or headers inside whole payloads. No ring has these
 * by accident, since positions are never used twice. A CRC is no signature: nothing tells forged headers from records
 * once the log has come there, or has overwritten what they stood in. Readers of such a medium must stay inside it, as
 * the other targets check; but what they find may change.
 */
static int is_forged(struct world *world) {
    struct ring_view *view;
    if (ring_view_open(&world->platform, &world->device.device, &view) < 0) {
        return 0;
    }
    const struct notes_view *head = ledger_view(view->ledger);
    const struct checkpoints_view *slots = ledger_slots(view->ledger);
    /* Numbers near their ends count as forged, too: the next opens use them up, and later ones are rightly refused. */
    int forged = shares_files(view->ledger) || view->recovery.epoch_highest > UINT32_MAX - 8 ||
                 slots->facts[slots->newest].generation > LAYOUT_NUMBER_MAX / 2 - 64 ||
                 view->recovery.next_sequence > LAYOUT_NUMBER_MAX / 2 - FUZZ_CAPACITY ||
                 view->recovery.log_end > LAYOUT_NUMBER_MAX / 2 - 2 * FUZZ_CAPACITY;
    const uint8_t *data = world->device.medium + MEDIUM_DATA;
    for (size_t at = 0; !forged && at + RECORD_HEADER_BYTES <= FUZZ_CAPACITY; at += RECORD_ALIGN_BYTES) {
        const struct record_header *header;
        if (is_header(data, at, head->crc_seed, &header)) {
            forged = header->position >= view->recovery.start + FUZZ_CAPACITY ||
                     (record_judge(data, FUZZ_CAPACITY, header->position, head->crc_seed) == RECORD_VALID &&
                      has_headers_inside(data, header, at, head->crc_seed));
        }
    }
    ring_view_close(&world->platform, view);
    return forged;
}

/* A roll may want a next file that cannot be made: its stream waits for that, and an open with another name is
 * refused. */
static int waits_for_its_file(void) {
    return strstr(error_text(), "which cannot be written") != NULL;
}

static uint64_t next_sequence_of_a_reader(struct world *world) {
    struct ring_view *view;
    MUST(ring_view_open(&world->platform, &world->device.device, &view) == 0);
    const struct recovery_input input = ring_view_input(view);
    check_recovered(&input, &view->recovery);
    const uint64_t next = view->recovery.next_sequence;
    ring_view_close(&world->platform, view);
    return next;
}

/* Returns 1 when all is in the log file. */
static int drain(struct world *world) {
    int rc = 0;
    for (int step = 0; step < DRAIN_STEPS_MAX; step++) {
        rc = engine_step(world->engine, 1);
        if (rc < 0 || (rc == 0 && drain_is_done(world->engine->drainer.drain))) {
            break;
        }
    }
    MUST(rc <= 0); /* the drain comes to an end */
    return rc == 0 && drain_is_done(world->engine->drainer.drain);
}

static const char *payload_of(uint64_t i) {
    static const char *const payloads[RECORDS] = {"the first appended\n", "and the second one\n",
                                                  "and a third record\n"};
    return payloads[i];
}

/* A refusal of the second stream must have a sentence. */
static void open_streams(struct world *world) {
    const struct engine_stream second = {.name = SECOND_NAME, .path = SECOND_FILE};
    const struct drain_stream *main_stream = drain_stream(world->engine->drainer.drain, 0);
    ids[0] = 0;
    is_open[0] = main_stream != NULL && main_stream->is_open;
    error_set(0, "%s", "");
    is_open[1] = engine_add_stream(world->engine, &second, &ids[1]) == 0;
    MUST(is_open[1] || error_text()[0] != '\0');
    MUST(!is_open[1] || ids[1] != 0);
}

static unsigned stream_of(uint64_t i) {
    const unsigned wanted = (unsigned)(i % 2);
    return is_open[wanted] ? wanted : 1 - wanted;
}

static uint64_t append_some(struct world *world) {
    uint64_t appended = 0;
    for (; (is_open[0] || is_open[1]) && appended < RECORDS; appended++) {
        const char *payload = payload_of(appended);
        const uint64_t sequence = ring_next_sequence(world->engine->ring);
        const int64_t rc = ring_append(world->engine->ring, payload, strlen(payload), 0,
                                       STREAM(ids[stream_of(appended)]), &unless_full);
        if (rc < 0) {
            MUST(rc == -EAGAIN); /* the ring is full */
            break;
        }
        MUST((uint64_t)rc == sequence);
    }
    return appended;
}

/* Says whether the file ends with all records that were appended to the stream, in order. */
static int ends_in_it(const struct sim_inode *inode, unsigned which, uint64_t appended) {
    size_t end = inode->size;
    for (uint64_t i = appended; i-- > 0;) {
        const size_t length = strlen(payload_of(i));
        if (stream_of(i) != which) {
            continue;
        }
        if (end < length || memcmp(inode->cache + end - length, payload_of(i), length) != 0) {
            return 0;
        }
        end -= length;
    }
    return 1;
}

/* Exactly one file ends so, if there were records. A roll on the medium may have chosen which one. */
static int ends_in_what_was_appended(const struct world *world, unsigned which, uint64_t appended) {
    unsigned files = 0, records = 0;
    for (unsigned i = 0; i < world->files.inode_count; i++) {
        const struct sim_inode *inode = &world->files.inodes[i];
        files += inode->links > 0 && ends_in_it(inode, which, appended);
    }
    for (uint64_t i = 0; i < appended; i++) {
        records += stream_of(i) == which;
    }
    return records == 0 || files == 1;
}

static void close_writer(struct world *world) {
    engine_close(world->engine);
    world->engine = NULL;
    MUST(world->allocations == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct medium medium;
    medium_decode(&medium, data, size);
    struct world *world = medium_to_world(&medium);
    refuse_what_has_no_place(world);
    if (medium.options[0] & 1) {
        world->file_name = ""; /* as `burstlog recover` opens a ring */
    }
    if (is_forged(world) || open_writer(world) < 0) {
        return 0;
    }
    const uint64_t next = ring_next_sequence(world->engine->ring);
    MUST(next_sequence_of_a_reader(world) == next);
    if (medium.options[0] & 2) {
        drain(world);
    }
    close_writer(world);
    if (open_writer(world) < 0) {
        MUST(waits_for_its_file());
        return 0;
    }
    MUST(ring_next_sequence(world->engine->ring) == next);
    if (medium.options[0] & 4) {
        drain(world);
    }
    open_streams(world);
    const uint64_t appended = append_some(world);
    close_writer(world); /* a crash: the ring does not learn of it */
    if (open_writer(world) < 0) {
        MUST(waits_for_its_file());
        return 0;
    }
    MUST(ring_next_sequence(world->engine->ring) == next + appended);
    if (drain(world)) {
        MUST(!is_open[0] || ends_in_what_was_appended(world, 0, appended));
        MUST(!is_open[1] || ends_in_what_was_appended(world, 1, appended));
    }
    close_writer(world);
    MUST(next_sequence_of_a_reader(world) == next + appended);
    return 0;
}
