/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated host for the production engine: one thread, a clock that moves only when somebody waits, a ring medium
 * of 512-byte sectors, and a file system that loses what was not synced. A world is data that can be copied, so that
 * a crash is: copy the world, decide for every unsynced thing whether it was kept, open the engine on the copy.
 *
 * Before every operation that a crash could interrupt, the world calls `before_operation`; crash.h does the rest.
 */
#ifndef BURST_TEST_SIMULATOR_WORLD_H
#define BURST_TEST_SIMULATOR_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "burstlog.h"
#include "log/engine.h"
#include "outlet/file/file_outlet.h"

#define SECTOR_BYTES 512u
#define MAPPED_LINE_BYTES 64u
#define WORLD_BLOCK_BYTES 4096u
#define WORLD_BLOCKS_MAX 32u

/* ------------------------------------------------------------------------------------------------ ring medium */

/* Of the area before the data only the first bytes of its slots are ever written: the medium keeps just those. */
#define MEDIUM_SLOTS (LAYOUT_SUPERBLOCK_COPIES + LAYOUT_NOTE_SLOTS + LAYOUT_CHECKPOINT_SLOTS)
#define MEDIUM_SLOT_BYTES 8192u
#define MEDIUM_DATA (MEDIUM_SLOTS * MEDIUM_SLOT_BYTES)
#define MEDIUM_BYTES_MAX (MEDIUM_DATA + WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES)
#define WRITES_UNDER_WAY_MAX 16u

/* A write that has begun and is not known to be durable. */
struct medium_write {
    size_t place; /* in medium */
    const uint8_t *data;
    size_t bytes;
};

/* A write that was acknowledged and that the device may lose all the same: its data, and where it belongs. */
#define LIES_MAX 24u

struct lie {
    size_t place;
    size_t bytes;
    uint8_t data[2 * WORLD_BLOCK_BYTES];
};

struct sim_device {
    struct device device;
    struct world *world;
    int is_mapped;   /* persistent memory: the image is the mapping, sim_mapped.c */
    uint8_t *medium; /* durable bytes */
    size_t medium_bytes;
    uint8_t *image; /* of a mapped medium: what its lines hold in the caches of the processor */
    int is_ahead;   /* the process before died with lines that are not durable: a reader sees more than is certain */
    size_t unreadable, unreadable_bytes; /* reads of this range of the medium fail, until it is written */
    int lies; /* acknowledged writes are not durable: `told` holds what a crash may take back, in order */
    struct lie *told;
    unsigned told_count;
    struct device_write *under_way[WRITES_UNDER_WAY_MAX];
    unsigned under_way_count;
    struct medium_write current; /* bytes == 0: none */
    int fail_write_in;           /* the write after this many fails; < 0: none does */
    int fail_errno;
    struct medium_write late; /* a failed write that arrives, whole or torn, when all seems over, ... */
    int late_in;              /* ... before the operation after this many; < 0: none does */
    uint8_t *late_data;
};

void sim_device_init(struct world *world);
/* Makes it a block device, or persistent memory. */
void sim_device_choose(struct world *world, int is_mapped);
extern const struct device_ops sim_mapped_ops;
/* Now and then a few lines of the mapping become durable as they are, half-made or not. */
void sim_mapped_evict(struct world *world);
/* Carries out a write that has been acknowledged. */
void sim_device_settle(struct sim_device *device, const struct medium_write *write);
size_t sim_device_place(uint64_t offset);

/* Lets a late write arrive when its time has come. */
void sim_device_arrive(struct world *world);

/* ----------------------------------------------------------------------------------------------- file system */

#define FILES_MAX 24u
#define FILE_BYTES_MAX (128u * 1024u)
#define FILE_PAGES_MAX (FILE_BYTES_MAX / SECTOR_BYTES)
#define FILE_NAME_MAX 64u
#define NAME_CHANGES_MAX 16u
#define SIZE_CHANGES_MAX 64u

struct sim_inode {
    unsigned links;
    unsigned generation; /* one more each time that the number is used again */
    int is_locked;
    char renamed_from[FILE_NAME_MAX]; /* by a roll: while this leads elsewhere, it gets no byte */
    unsigned begun;                   /* the log wrote its first bytes when so many files had been begun */
    int edited;                       /* others wrote into it or cut it */
    int is_theirs;                    /* not a log file: it must stay as it is, and nobody opens it */
    uint32_t their_crc;
    const char *foreign; /* what they wrote, which must stay; NULL: nothing, or a crash took it */
    size_t foreign_at;
    size_t size;
    size_t durable_size;
    size_t sizes[SIZE_CHANGES_MAX]; /* not yet durable, in the order they came about */
    unsigned size_changes;
    uint8_t dirty[FILE_PAGES_MAX];
    uint8_t *cache;
    uint8_t *durable;
};

struct sim_name {
    char name[FILE_NAME_MAX]; /* "": none */
    unsigned inode;
};

/* A directory entry that was made, or moved, or removed, and is not yet durable. */
struct name_change {
    char removed[FILE_NAME_MAX];
    struct sim_name added;
};

struct sim_files {
    struct files files;
    struct world *world;
    struct sim_inode inodes[FILES_MAX];
    unsigned inode_count;
    unsigned begun_count;
    struct sim_name names[FILES_MAX];
    struct sim_name durable_names[FILES_MAX];
    struct name_change changes[NAME_CHANGES_MAX];
    unsigned change_count;
    int64_t space_bytes;  /* left on the disk; < 0: without end */
    const char *stalled;  /* the file of this name cannot be made or written; NULL: all can */
    size_t write_at_most; /* longer writes are short; 0: no limit */
    int fail_sync_in;     /* the sync after this many fails; < 0: none does */
    int fail_truncate;
    int fail_names;                      /* no file can be made or renamed: -errno; 0: they can */
    void (*others)(struct world *world); /* act in the midst of a drain, ... */
    int others_before_write_in; /* ... when this many writes are over and the next is decided on; < 0: not so */
    int others_after_write_in;  /* ... or when the write after this many is over */
    int is_unmounted;           /* whoever has a file open keeps it; a host that starts again mounts everything */
    const char *link;           /* a name in another folder that leads to LINKED_FILE; NULL: none */
    int marks;                  /* what its file system tells files apart by: enum sim_marks */
};

#define LINKED_FILE "/logs/orders.log"

enum sim_marks { MARKS_HANDLES, MARKS_BIRTH_TIMES, MARKS_NUMBERS_ONLY, MARKS_OF_EACH_MOUNT };

void sim_files_init(struct world *world);
/* The bytes of the file that may differ from zero, in cache or on disk: whole pages. */
size_t sim_inode_extent(const struct sim_inode *inode);
/* Whether what others wrote into it is there, or nothing was. */
int sim_foreign_is_whole(const struct sim_inode *inode);
int sim_files_find(const struct sim_files *files, const char *name);

/* For those who change it without a call of the engine. */
void sim_change_name(struct sim_files *files, const char *removed, const char *added, unsigned inode);
void sim_change_size(struct sim_inode *inode, size_t size);
void sim_put(struct sim_inode *inode, const void *data, size_t bytes, size_t offset);
void sim_cut(struct sim_inode *inode, size_t bytes);
/* The lowest number that no name leads to, also after a crash, and that nobody has open: of an empty file. */
unsigned sim_take_inode(struct sim_files *files);
/* Makes all names durable. */
void sim_sync_names(struct sim_files *files);

/* What other processes do to the log file. */
void others_unmount(struct world *world);
void others_mount(struct world *world);
void others_rename(struct world *world, const char *from, const char *to);
void others_delete(struct world *world, const char *name);
void others_write(struct world *world, const char *name, const char *text);
void others_truncate(struct world *world, const char *name, size_t bytes);
/* A copy of what it holds, durable at once. The copy is no log file from then on. */
void others_copy(struct world *world, const char *from, const char *to);
/* The same of bytes of theirs. */
void others_put(struct world *world, const char *name, const char *text);
/* Cuts it, and makes it as long again as it was: with zeros. */
void others_truncate_and_extend(struct world *world, const char *name, size_t bytes);
/* Writes over the last bytes before `end`. */
void others_edit(struct world *world, const char *name, size_t end, const char *text);

/* Carries out one change of the directory. */
void sim_names_apply(struct sim_name *names, const struct name_change *change);

/* ----------------------------------------------------------------------------------------------------- world */

#define MODEL_RECORDS_MAX 2048u

/* A roll as a scenario wants it. Its text is '<' or '>' and says which record it is; of 0 bytes: there is none. */
struct sim_roll {
    uint32_t footer_bytes, header_bytes;
    const char *target; /* NULL: one of its own; "": it keeps its name */
    const char *next;   /* NULL: as it is */
    int is_enqueued;    /* as those that the log plans by itself */
};

struct model_record {
    const struct sim_roll *roll; /* NULL: it is none; else `length` is that of its footer */
    const char *home;            /* the log file that its stream had when it was appended; NULL: there is but one */
    uint32_t incarnation;        /* tells records apart that get the same sequence after a crash */
    uint32_t length;
    uint8_t in_segments; /* its stream had them when it was appended */
    uint8_t damaged;     /* the medium lost it: it must be reported as lost */
    uint8_t destroyed;   /* others destroyed the file it was in: it may be missing */
};

#define SEGMENTS_FOLDER "/logs/segments" /* of the stream that has one */
#define SIM_SEGMENT_BYTES 4096u
#define SEEN_MAX 512u

/* What a reader of segments has seen, and has passed on to where no crash of this host reaches. */
struct seen_frame {
    uint64_t sequence; /* 0: a loss */
    uint32_t incarnation;
};

/* What the log may hold. */
struct model {
    struct seen_frame seen[SEEN_MAX]; /* by number */
    uint32_t seen_count;              /* the highest number of them */
    uint32_t deleted_count;           /* so many frames are in segments that were deleted */
    uint64_t
        gone_sequence; /* of the last record that went with a folder before, whose numbers are given again; 0: none */
    uint32_t is_begun_anew; /* all segments were deleted since: how many that is, the first one that comes will say */
    struct model_record records[MODEL_RECORDS_MAX]; /* by sequence */
    uint64_t acknowledged;                          /* every sequence up to it must survive */
    uint64_t offered;                               /* no sequence above it can exist */
    uint32_t incarnation;
    uint64_t drained;   /* the newest checkpoint says that everything before this position is; 0: it rots */
    int medium_damaged; /* the data area was: damage may be found in which no record is missing */
    int medium_lied;    /* it lost writes that it had acknowledged: any record may be lost, none without a word */
    int is_formatting;  /* there may be no ring yet, or half of one */
    int has_rolls;      /* recoveries roll as well */
    int rolls_may_fail; /* a file may go on behind a footer */
    int repeats;        /* records of one length read the same: the log files are counted, not compared one by one */
};

#define STREAMS_MAX 3u

/* A stream as it is configured: 0 is the log's own, which has the name world->file_name. */
struct sim_stream {
    const char *name;
    const char *path; /* NULL: nobody wants it */
    int has_segments; /* what is appended goes to SEGMENTS_FOLDER as well */
    int is_open;
    uint16_t id;
};

/* Whoever performs the rolls in the place of the engine. He takes a while. */
struct sim_roller {
    struct roller roller;
    struct world *world;
    uint64_t asked; /* the sequence of the roll that he was told of */
};

struct world {
    struct platform platform;
    struct sim_device device;
    struct sim_files files;
    struct events events;
    struct model model;
    struct engine *engine; /* NULL while closed */
    const char *file_name; /* "": the log has no stream of its own */
    struct sim_stream streams[STREAMS_MAX];
    struct sim_roller rollers[STREAMS_MAX]; /* of each stream */
    int rolls_by_caller;
    int has_segments;   /* a stream may */
    int rolls_planned;  /* the log says of each file when it is to be rolled */
    int has_streams;    /* others than the log's own: each record has a home */
    unsigned writes_to; /* which of them gets the next record; STREAMS_MAX: none can */
    uint64_t random_state;
    int64_t now_ns;
    unsigned allocations;   /* not released */
    int fail_allocation_in; /* the allocation after this many fails; < 0: none does */
    int park_drains;        /* whoever waits for space lets the drain run meanwhile */
    int in_park;
    unsigned level; /* 0: the run itself; 1: after a crash of it; 2: after a crash in the recovery from that */
    void (*before_operation)(struct world *world, const char *operation);
};

struct world *world_create(void);
/* An empty medium of `blocks` data blocks and an empty directory. */
void world_reset(struct world *world, unsigned blocks, uint64_t seed);
/* Everything but the running engine. */
void world_copy(struct world *to, const struct world *from);

/* Whether a roll has renamed it: then it may not be written. */
int sim_is_archived(const struct sim_files *files, const struct sim_inode *inode);
/* In rolls.c. */
void sim_roller_init(struct world *world);
/* Of a stream: NULL, or whom the drain asks. */
const struct roller *sim_roller_of(const struct world *world, unsigned which);
/* What the newest checkpoint says of the next roll is what was planned for the file that it says the birth of. */
void sim_check_plans(const struct world *world);

uint64_t random_next(uint64_t *state);
uint64_t world_random(struct world *world, uint64_t below);

void sim_platform_init(struct world *world);

/* Called by device and files. */
void world_operation(struct world *world, const char *operation);

static inline uint8_t *world_checkpoint(struct world *world, unsigned slot) {
    return world->device.medium + sim_device_place(LAYOUT_CHECKPOINT_OFFSET(slot));
}

#endif
