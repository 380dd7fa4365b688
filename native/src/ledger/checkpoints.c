/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of the checkpoints. */
#include "ledger/checkpoints.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "device/salvage.h"
#include "media/record.h"

_Static_assert(sizeof(struct checkpoint_head) <= LAYOUT_MIN_BLOCK_BYTES, "the head of a checkpoint fits in a block");

/* Both are longer than the write of a slot takes. */
#define SETTLE_READS 10u
#define SETTLE_NS 100000000ll
#define STRANGE_READS 10u
#define STRANGE_PAUSE_NS 10000000ll

static size_t block_bytes(const struct device *device) {
    return align_up(LAYOUT_MIN_BLOCK_BYTES, device->block_bytes);
}

void checkpoints_begin(struct checkpoints *checkpoints, const struct platform *platform, struct device *device,
                       uint32_t crc_seed, uint64_t capacity_bytes) {
    *checkpoints = (struct checkpoints){
        .platform = platform, .device = device, .crc_seed = crc_seed, .capacity_bytes = capacity_bytes};
}

void checkpoints_end(struct checkpoints *checkpoints) {
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        if (checkpoints->slots[slot].bytes != NULL) {
            platform_release(checkpoints->platform, checkpoints->slots[slot].bytes, checkpoints->slots[slot].room);
        }
    }
    if (checkpoints->look != NULL) {
        platform_release(checkpoints->platform, checkpoints->look, block_bytes(checkpoints->device));
    }
}

/* Makes room for `bytes` in the slot, behind its content. */
static int make_room(const struct checkpoints *checkpoints, struct checkpoint_slot *slot, size_t bytes) {
    const size_t room = align_up(bytes, block_bytes(checkpoints->device));
    if (room <= slot->room) {
        return 0;
    }
    uint8_t *place = platform_allocate(checkpoints->platform, room, PLATFORM_PLAIN);
    if (place == NULL) {
        return error_set(ENOMEM, "no memory for a checkpoint of ring %s: %zu bytes", checkpoints->device->path, room);
    }
    if (slot->bytes != NULL) {
        memcpy(place, slot->bytes, slot->room);
        platform_release(checkpoints->platform, slot->bytes, slot->room);
    }
    *slot = (struct checkpoint_slot){.bytes = place, .room = room};
    return 0;
}

/* ------------------------------------------------------------------------------------------------- reading */

static void ignore_unreadable(void *argument, uint64_t offset, uint64_t bytes) {
    (void)argument;
    (void)offset;
    (void)bytes; /* what cannot be read is no valid checkpoint */
}

/* Reads the first `bytes` of the slot. */
static int read_bytes(struct checkpoints *checkpoints, unsigned index, size_t bytes) {
    struct checkpoint_slot *slot = &checkpoints->slots[index];
    const int rc = make_room(checkpoints, slot, bytes);
    return rc < 0 ? rc
                  : device_read_salvage(checkpoints->device, LAYOUT_CHECKPOINT_OFFSET(index), slot->bytes,
                                        align_up(bytes, checkpoints->device->block_bytes), ignore_unreadable, NULL);
}

/* Reads one slot. The first block says how long the checkpoint is. */
static int read_slot(struct checkpoints *checkpoints, unsigned index) {
    struct checkpoints_view *view = &checkpoints->view;
    const struct checkpoint_slot *slot = &checkpoints->slots[index];
    const size_t first = block_bytes(checkpoints->device);
    int rc = read_bytes(checkpoints, index, first);
    view->is_valid[index] = 0;
    const size_t bytes = rc < 0 ? 0 : checkpoint_claims(slot->bytes);
    rc = rc == 0 && bytes > first ? read_bytes(checkpoints, index, bytes) : rc;
    if (rc == 0 && bytes > 0 &&
        checkpoint_is_valid(slot->bytes, slot->room, checkpoints->crc_seed, checkpoints->capacity_bytes)) {
        view->is_valid[index] = 1;
        view->facts[index] = checkpoint_facts(slot->bytes);
        checkpoints->released[index] = checkpoint_least(slot->bytes).drained_position;
    }
    return rc;
}

int checkpoints_read(struct checkpoints *checkpoints) {
    struct checkpoints_view *view = &checkpoints->view;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        const int rc = read_slot(checkpoints, slot);
        if (rc < 0) {
            return rc;
        }
    }
    if (!view->is_valid[0] && !view->is_valid[1]) {
        return error_set(EUCLEAN,
                         "both checkpoints of ring %s are damaged, so it is unknown what the log file has of its "
                         "records: it is left as it is; `burstlog dump` shows them",
                         checkpoints->device->path);
    }
    const int both = view->is_valid[0] && view->is_valid[1];
    view->newest = both ? view->facts[1].generation > view->facts[0].generation : (unsigned)view->is_valid[1];
    if (both &&
        checkpoint_goes_back(checkpoints->slots[view->newest].bytes, checkpoints->slots[1 - view->newest].bytes)) {
        view->is_valid[1 - view->newest] = 0;
    }
    return 0;
}

const struct checkpoints_view *checkpoints_view(const struct checkpoints *checkpoints) {
    return &checkpoints->view;
}

unsigned checkpoints_streams(const struct checkpoints *checkpoints, unsigned slot) {
    return checkpoint_streams(checkpoints->slots[slot].bytes);
}

void checkpoints_stream(const struct checkpoints *checkpoints, unsigned slot, unsigned index,
                        struct stream_state *state) {
    checkpoint_decode(checkpoints->slots[slot].bytes, index, state);
}

struct checkpoint_position checkpoints_position(const struct checkpoints *checkpoints, unsigned slot, unsigned index) {
    return checkpoint_position(checkpoints->slots[slot].bytes, index);
}

struct checkpoint_position checkpoints_least(const struct checkpoints *checkpoints) {
    return checkpoint_least(checkpoints->slots[checkpoints->view.newest].bytes);
}

uint64_t checkpoints_released(const struct checkpoints *checkpoints) {
    return checkpoints->released[0] < checkpoints->released[1] ? checkpoints->released[0] : checkpoints->released[1];
}

/* --------------------------------------------------------------------------------------------- other drains */

static const struct checkpoint_head *head_in(const struct checkpoint_slot *slot) {
    return (const struct checkpoint_head *)slot->bytes;
}

int checkpoints_settle(struct checkpoints *checkpoints) {
    struct checkpoint_head before[LAYOUT_CHECKPOINT_SLOTS];
    int rc = 0;
    for (unsigned reads = 0; reads < SETTLE_READS; reads++) {
        int is_still = 1;
        for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
            before[slot] = *head_in(&checkpoints->slots[slot]);
        }
        checkpoints->platform->ops->sleep_ns(checkpoints->platform, SETTLE_NS);
        rc = checkpoints_read(checkpoints);
        for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
            is_still &= checkpoints->view.is_valid[slot] &&
                        memcmp(&before[slot], head_in(&checkpoints->slots[slot]), sizeof before[slot]) == 0;
        }
        if ((rc < 0 && rc != -EUCLEAN) || (rc == 0 && is_still)) {
            return rc;
        }
    }
    return rc;
}

int checkpoints_take(struct checkpoints *checkpoints) {
    if (checkpoints->look == NULL) {
        checkpoints->look = platform_allocate(checkpoints->platform, block_bytes(checkpoints->device), PLATFORM_PLAIN);
    }
    if (checkpoints->look == NULL) {
        return error_set(ENOMEM, "no memory to drain ring %s: %zu bytes", checkpoints->device->path,
                         block_bytes(checkpoints->device));
    }
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        checkpoints->found[slot] = *head_in(&checkpoints->slots[slot]);
    }
    checkpoints->drain = checkpoints->platform->ops->random(checkpoints->platform);
    return 0;
}

/* Reads the slot once more, all of it. Returns 1 with *facts if it holds a whole checkpoint, else 0: a slot that cannot be
 * read holds none. */
static int read_again(const struct checkpoints *checkpoints, unsigned index, struct checkpoint_facts *facts) {
    struct device *device = checkpoints->device;
    uint8_t *bytes = platform_allocate(checkpoints->platform, LAYOUT_CHECKPOINT_BYTES, PLATFORM_PLAIN);
    int is_whole = 0;
    if (bytes != NULL) {
        is_whole =
            device->ops->read(device, LAYOUT_CHECKPOINT_OFFSET(index), bytes, LAYOUT_CHECKPOINT_BYTES) == 0 &&
            checkpoint_is_valid(bytes, LAYOUT_CHECKPOINT_BYTES, checkpoints->crc_seed, checkpoints->capacity_bytes);
        *facts = is_whole ? checkpoint_facts(bytes) : *facts;
        platform_release(checkpoints->platform, bytes, LAYOUT_CHECKPOINT_BYTES);
    }
    return is_whole;
}

static int is_mine(const struct checkpoints *checkpoints, unsigned index, const struct checkpoint_head *head) {
    return head->drain == checkpoints->drain || memcmp(head, &checkpoints->found[index], sizeof *head) == 0;
}

/* A slot that is neither known nor whole is read again until it is, as long as another drain could write it. If it stays
 * so it is damaged, which a write mends. */
static int check_strange(const struct checkpoints *checkpoints, unsigned index) {
    struct checkpoint_facts facts = {.generation = 0};
    unsigned reads = 0;
    while (!read_again(checkpoints, index, &facts)) {
        if (++reads == STRANGE_READS) {
            return 0;
        }
        checkpoints->platform->ops->sleep_ns(checkpoints->platform, STRANGE_PAUSE_NS);
    }
    return facts.drain == checkpoints->drain
               ? 0
               : error_set(ESTALE,
                           "another process drains ring %s: it has written checkpoint %llu, whose lock is not seen "
                           "here, so this one stops and writes nothing; let only one of them drain, and both use the "
                           "same window folder",
                           checkpoints->device->path, (unsigned long long)facts.generation);
}

/* Whether this drain is still alone. An unreadable slot says nothing. */
static int check_alone(const struct checkpoints *checkpoints) {
    struct device *device = checkpoints->device;
    int rc = 0;
    for (unsigned slot = 0; rc == 0 && checkpoints->drain != 0 && slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        const struct checkpoint_head *head = (const struct checkpoint_head *)checkpoints->look;
        if (device->ops->read(device, LAYOUT_CHECKPOINT_OFFSET(slot), checkpoints->look, block_bytes(device)) == 0 &&
            !is_mine(checkpoints, slot, head)) {
            rc = check_strange(checkpoints, slot);
        }
    }
    return rc;
}

/* ------------------------------------------------------------------------------------------------- writing */

/* Writes checkpoints->slots[index] to its slot. If that fails the slot counts as bad: nobody knows what the medium now
 * holds. */
static int write_slot(struct checkpoints *checkpoints, unsigned index) {
    struct checkpoints_view *view = &checkpoints->view;
    const uint8_t *bytes = checkpoints->slots[index].bytes;
    struct device *device = checkpoints->device;
    view->is_valid[index] = 0;
    const int rc = device->ops->write(device, LAYOUT_CHECKPOINT_OFFSET(index), bytes,
                                      align_up(checkpoint_claims(bytes), device->block_bytes));
    if (rc == 0) {
        view->is_valid[index] = 1;
        view->facts[index] = checkpoint_facts(bytes);
        view->newest = index;
        checkpoints->released[index] = checkpoint_least(bytes).drained_position;
    }
    return rc;
}

static int check_size(const struct checkpoints *checkpoints, const struct stream_state *const *states, unsigned count) {
    const size_t bytes = count <= LAYOUT_STREAMS_MAX ? checkpoint_size(states, count) : SIZE_MAX;
    if (bytes <= LAYOUT_CHECKPOINT_BYTES) {
        return 0;
    }
    return error_set(E2BIG,
                     "%u streams with their names and paths do not fit in a checkpoint of ring %s, which holds %u "
                     "streams and %u bytes: use fewer streams, or shorter paths of log files",
                     count, checkpoints->device->path, LAYOUT_STREAMS_MAX, LAYOUT_CHECKPOINT_BYTES);
}

int checkpoints_make_room(struct checkpoints *checkpoints, const struct stream_state *const *states, unsigned count) {
    int rc = check_size(checkpoints, states, count);
    for (unsigned slot = 0; rc == 0 && slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        rc = make_room(checkpoints, &checkpoints->slots[slot], checkpoint_size(states, count));
    }
    return rc;
}

static void share_newest(struct checkpoints *checkpoints) {
    const struct checkpoint_slot *newest = &checkpoints->slots[checkpoints->view.newest];
    if (checkpoints->window != NULL) {
        window_put_checkpoint(checkpoints->window, newest->bytes, (uint32_t)checkpoint_claims(newest->bytes));
    }
}

int checkpoints_write(struct checkpoints *checkpoints, uint32_t epoch, const struct stream_state *const *states,
                      unsigned count) {
    struct checkpoints_view *view = &checkpoints->view;
    struct checkpoint_slot *slot = &checkpoints->slots[1 - view->newest];
    const struct checkpoint_facts facts = {.generation = view->facts[view->newest].generation + 1,
                                           .epoch = epoch,
                                           .written_ns = platform_realtime_ns(checkpoints->platform),
                                           .drain = checkpoints->drain};
    int rc = check_size(checkpoints, states, count);
    rc = rc < 0 ? rc : check_alone(checkpoints);
    rc = rc < 0 ? rc : make_room(checkpoints, slot, checkpoint_size(states, count));
    if (rc < 0) {
        return rc;
    }
    checkpoint_encode(&facts, states, count, checkpoints->crc_seed, slot->bytes, slot->room);
    rc = write_slot(checkpoints, 1 - view->newest);
    if (rc == 0) {
        share_newest(checkpoints);
    }
    return rc;
}

void checkpoints_share(struct checkpoints *checkpoints, struct window *window) {
    checkpoints->window = window;
    share_newest(checkpoints);
}

int checkpoints_level(struct checkpoints *checkpoints, struct events *events) {
    struct checkpoints_view *view = &checkpoints->view;
    const unsigned other = 1 - view->newest;
    const struct checkpoint_slot *newest = &checkpoints->slots[view->newest];
    struct checkpoint_slot *older = &checkpoints->slots[other];
    const int was_valid = view->is_valid[other];
    if (was_valid && checkpoint_leads_to_the_same(older->bytes, newest->bytes)) {
        return 0;
    }
    struct checkpoint_facts facts = view->facts[view->newest];
    const size_t bytes = checkpoint_claims(newest->bytes);
    int rc = check_alone(checkpoints);
    rc = rc < 0 ? rc : make_room(checkpoints, older, bytes);
    if (rc < 0) {
        return rc;
    }
    memset(older->bytes, 0, older->room);
    memcpy(older->bytes, newest->bytes, bytes);
    facts.generation++;
    facts.drain = checkpoints->drain;
    checkpoint_seal(older->bytes, &facts, checkpoints->crc_seed);
    rc = write_slot(checkpoints, other);
    if (rc == 0 && !was_valid) {
        events_post(events, EVENT_WARN,
                    "checkpoint slot %u of ring %s was bad and is repaired from the "
                    "other; nothing is lost. If the host did not lose power, its medium may be failing",
                    other, checkpoints->device->path);
    }
    return rc;
}
