/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checkpoints of a ring: how far each stream is drained, and where to, in two slots. Only the drain writes them. The
 * writer and those who look read them.
 *
 * The drain overwrites the older slot, so that a torn write leaves the newer one. It releases only space that both slots
 * have let go of: if the newer slot rots, the older one still finds all its records.
 *
 * A drain whose lock another one does not see must not harm the log. So each drain has a random number, which stands in the
 * checkpoints that it writes. Before it writes one it reads both slots: one that it did not write, and did not find when
 * it began, stops it.
 *
 * Only one thread at a time may call the functions of one object. Another thread may work with the notes meanwhile.
 */
#ifndef BURST_LEDGER_CHECKPOINTS_H
#define BURST_LEDGER_CHECKPOINTS_H

#include "base/events.h"
#include "device/device.h"
#include "media/checkpoint.h"
#include "media/window.h"

/* The slots as they were read, with everything written since. */
struct checkpoints_view {
    unsigned newest; /* the slot of the newest checkpoint */
    int is_valid[LAYOUT_CHECKPOINT_SLOTS];
    struct checkpoint_facts facts[LAYOUT_CHECKPOINT_SLOTS];
};

/* A checkpoint, byte by byte as on the medium. */
struct checkpoint_slot {
    uint8_t *bytes;
    size_t room; /* size of `bytes`, in whole blocks */
};

struct checkpoints {
    const struct platform *platform;
    struct device *device;
    uint32_t crc_seed;
    uint64_t capacity_bytes;
    struct checkpoints_view view;
    struct checkpoint_slot slots[LAYOUT_CHECKPOINT_SLOTS];
    /* For each slot, the least drained position in the last checkpoint that was surely written to it. */
    uint64_t released[LAYOUT_CHECKPOINT_SLOTS];
    struct window *window; /* gets a copy of each checkpoint; NULL: there is none */
    uint64_t drain;        /* the random number of this drain; 0: nobody drains with this object */
    struct checkpoint_head found[LAYOUT_CHECKPOINT_SLOTS]; /* when it began */
    uint8_t *look;                                         /* a block, to read a slot's head again */
};

const struct checkpoints_view *checkpoints_view(const struct checkpoints *checkpoints);

/* The number of streams in a valid slot, at least one; they are sorted by id. */
unsigned checkpoints_streams(const struct checkpoints *checkpoints, unsigned slot);
void checkpoints_stream(const struct checkpoints *checkpoints, unsigned slot, unsigned index,
                        struct stream_state *state);
struct checkpoint_position checkpoints_position(const struct checkpoints *checkpoints, unsigned slot, unsigned index);

/* The position of the stream that has drained the least, in the newest checkpoint. */
struct checkpoint_position checkpoints_least(const struct checkpoints *checkpoints);

/*
 * Writes how far all streams are drained over the older slot. The states may come in any order. Returns 0 when the new
 * checkpoint is the newest. Returns -errno with a sentence otherwise; the newest slot then stays as it was. -E2BIG or
 * -ENOMEM: there is no room for the states, and nothing was written; checkpoints_make_room finds that out before.
 * -ESTALE: another drain has written a slot, and nothing was written; the caller is the drain no more.
 *
 * The caller gives an entry for each stream that has records at or behind the least drained position. An entry leaves
 * only when another stream takes its id, from a position behind all records of the old stream. Until this epoch's first
 * commit, recovery may overwrite its marker. So no stream checkpoints a position behind the marker before all streams
 * do.
 */
int checkpoints_write(struct checkpoints *checkpoints, uint32_t epoch, const struct stream_state *const *states,
                      unsigned count);

/* Makes room for these states in both slots: then no write of states that are no longer lacks it. Only a new stream or a
 * longer name or path needs more than before. Returns 0; or with a sentence -E2BIG (they do not fit in a slot) or -ENOMEM,
 * and nothing has changed. */
int checkpoints_make_room(struct checkpoints *checkpoints, const struct stream_state *const *states, unsigned count);

/* Makes the caller the drain: gives it its random number. The slots were just read. Returns 0, or -ENOMEM with a sentence. */
int checkpoints_take(struct checkpoints *checkpoints);

/* For a drain that begins where another one may be writing a slot: reads both until they are whole and stay as they are
 * for longer than a write takes, but no longer than a second: a slot that is still bad then is damaged. The medium was
 * flushed. Returns 0, or -errno with a sentence. */
int checkpoints_settle(struct checkpoints *checkpoints);

/* Brings the older slot up to the newest, and repairs it if it is bad: until then it may hold back space that the next
 * epoch's marker needs. Returns 0, or -errno with a sentence. */
int checkpoints_level(struct checkpoints *checkpoints, struct events *events);

/* From now on each written checkpoint is copied to the window, once it is durable; the newest one at once. NULL: to
 * none. */
void checkpoints_share(struct checkpoints *checkpoints, struct window *window);

/* The least drained position over all streams of both slots. */
uint64_t checkpoints_released(const struct checkpoints *checkpoints);

/* For ledger.c alone, which reads the whole head: makes empty slots of the ring with this seed and capacity. */
void checkpoints_begin(struct checkpoints *checkpoints, const struct platform *platform, struct device *device,
                       uint32_t crc_seed, uint64_t capacity_bytes);
void checkpoints_end(struct checkpoints *checkpoints);

/* Reads both slots, and decides which one is the newest. Returns 0, or -errno with a sentence. */
int checkpoints_read(struct checkpoints *checkpoints);

#endif
