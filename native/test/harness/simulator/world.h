/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated host for the production engine: one thread, a clock that moves only when somebody waits, a ring medium of
 * 512-byte sectors, and a file system that loses what was not synced. A world is data that can be copied. So a crash
 * copies the world, decides for each unsynced thing whether it was kept, and opens the engine on the copy.
 *
 * The world calls `before_operation` before each operation that a crash could interrupt; crash.h does the rest.
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

/* In the area before the data the engine writes only the first bytes of each slot: the medium keeps just those. */
#define MEDIUM_SLOTS (LAYOUT_SUPERBLOCK_COPIES + LAYOUT_NOTE_SLOTS + LAYOUT_CHECKPOINT_SLOTS)
#define MEDIUM_SLOT_BYTES 8192u
#define MEDIUM_DATA (MEDIUM_SLOTS * MEDIUM_SLOT_BYTES)
#define MEDIUM_BYTES_MAX (MEDIUM_DATA + WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES)
#define WRITES_UNDER_WAY_MAX 16u

#define PROCESSES_MAX 4u

/* A write that has begun and is not known to be durable. */
struct medium_write {
    size_t place; /* in medium */
    const uint8_t *data;
    size_t bytes;
    uint64_t seen; /* a bit for each sector, modulo 64: other processes read the new bytes already */
};

/* Writes that were acknowledged, and that the device may lose all the same: their data, and their places. */
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
    uint8_t *image; /* of a mapped medium: what the processor's caches hold for its lines */
    int is_ahead;   /* the last process died with lines that are not durable: reads see them, a crash may take them */
    size_t unreadable, unreadable_bytes; /* reads of this range of the medium fail, until it is written */
    int lies; /* acknowledged writes are not durable; `told` holds those that a crash may take back, in order */
    struct lie *told;
    unsigned told_count;
    struct device_write *under_way[WRITES_UNDER_WAY_MAX];
    unsigned under_way_count;
    struct medium_write current[PROCESSES_MAX]; /* of each process; bytes == 0: none */
    int fail_write_in;                          /* the write after this many fails; < 0: none does */
    int fail_errno;
    struct medium_write late; /* a failed write that the device carries out late, whole or torn, ... */
    int late_in;              /* ... before the operation after this many; < 0: none does */
    uint8_t *late_data;
};

void sim_device_init(struct world *world);
/* Makes the device a block device, or persistent memory. */
void sim_device_choose(struct world *world, int is_mapped);
extern const struct device_ops sim_mapped_ops;
/* Makes a few lines of the mapping durable as they are, half-made or not; only now and then. */
void sim_mapped_evict(struct world *world);
/* Carries out a write that has been acknowledged. */
void sim_device_settle(struct sim_device *device, const struct medium_write *write);
size_t sim_device_place(uint64_t offset);
/* The process dies in the midst of its writes: each of their sectors is written or not. The device stays. */
void sim_device_abandon(struct sim_device *device, unsigned writer, int submitted);

/* Lets a late write arrive when its time has come. */
void sim_device_arrive(struct world *world);

/* ----------------------------------------------------------------------------------------------- file system */

#define FILES_MAX 40u
#define FILE_BYTES_MAX (128u * 1024u)
#define FILE_PAGES_MAX (FILE_BYTES_MAX / SECTOR_BYTES)
#define FILE_NAME_MAX 64u
#define NAME_CHANGES_MAX 16u
#define SIZE_CHANGES_MAX 64u

struct sim_inode {
    unsigned links;
    unsigned generation;              /* grows each time that the number is used again */
    unsigned locked_by;               /* the process, from 1 on; 0: none */
    char renamed_from[FILE_NAME_MAX]; /* by a roll: the file gets no byte while this name leads elsewhere */
    unsigned begun;                   /* so many files had been begun when the log wrote its first bytes */
    int edited;                       /* others wrote into it or cut it */
    int is_theirs;                    /* not a log file: nobody opens it, and it must not change */
    uint32_t their_crc;
    const char *foreign; /* what they wrote, which must stay; NULL: nothing, or a crash took it */
    size_t foreign_at;
    size_t size;
    size_t durable_size;
    size_t sizes[SIZE_CHANGES_MAX]; /* sizes that are not durable yet, in the order of the changes */
    unsigned size_changes;
    uint8_t dirty[FILE_PAGES_MAX];
    uint8_t *cache;
    uint8_t *durable;
};

struct sim_name {
    char name[FILE_NAME_MAX]; /* "": none */
    unsigned inode;
};

/* An entry of the directory that was made, moved or removed, and is not durable yet. */
struct name_change {
    char removed[FILE_NAME_MAX];
    struct sim_name added;
};

struct sim_files {
    struct files files;
    struct world *world;
    struct sim_inode inodes[FILES_MAX];
    unsigned inode_count;
    int hides_locks; /* processes do not see each other's locks of files */
    unsigned begun_count;
    struct sim_name names[FILES_MAX];
    struct sim_name durable_names[FILES_MAX];
    struct name_change changes[NAME_CHANGES_MAX];
    unsigned change_count;
    int64_t space_bytes;  /* left on the disk; < 0: without end */
    const char *stalled;  /* the file of this name cannot be made or written; NULL: all files can */
    size_t write_at_most; /* longer writes are short; 0: no limit */
    int fail_sync_in;     /* the sync after this many fails; < 0: none does */
    int fail_truncate;
    int fail_names;      /* -errno: no file can be made or renamed; 0: files can */
    const char *refused; /* the file of this name cannot be opened: `refusal`, -errno; NULL: all can */
    int refusal;
    int is_dead;                         /* the file system answers nothing but -ENOTCONN */
    int fail_reads;                      /* no file can be read: -errno; 0: they can */
    void (*others)(struct world *world); /* acts in the midst of a drain, ... */
    int others_before_write_in; /* ... after this many writes, when the drain has decided on the next one; < 0: never */
    int others_after_write_in;  /* ... when the write after this many is over; < 0: never */
    int is_unmounted;           /* opens fail, open files stay usable; a host that starts again mounts everything */
    const char *link;           /* a name in another folder that leads to LINKED_FILE; NULL: none */
    int marks;                  /* what its file system identifies files by: enum sim_marks */
};

#define LINKED_FILE "/logs/orders.log"

enum sim_marks { MARKS_HANDLES, MARKS_BIRTH_TIMES, MARKS_NUMBERS_ONLY, MARKS_OF_EACH_MOUNT };

void sim_files_init(struct world *world);
/* The bytes of the file that may differ from zero, in cache or on disk: whole pages. */
size_t sim_inode_extent(const struct sim_inode *inode);
/* Says whether the file still holds what others wrote into it, if they wrote anything. */
int sim_foreign_is_whole(const struct sim_inode *inode);
/* Whether this is the name of a log file's index. */
int sim_is_index(const char *name);
int sim_files_find(const struct sim_files *files, const char *name);

/* Changes a name for a test, without a call of the engine. */
void sim_change_name(struct sim_files *files, const char *removed, const char *added, unsigned inode);
void sim_change_size(struct sim_inode *inode, size_t size);
void sim_put(struct sim_inode *inode, const void *data, size_t bytes, size_t offset);
void sim_cut(struct sim_inode *inode, size_t bytes);
/* Takes the lowest free inode number for an empty file. A number is free if no name leads to it, also after a crash,
 * and nobody has its file open. */
unsigned sim_take_inode(struct sim_files *files);
/* Makes all names durable. */
void sim_sync_names(struct sim_files *files);

/* Acts of other processes on the log file. */
void others_unmount(struct world *world);
void others_mount(struct world *world);
void others_rename(struct world *world, const char *from, const char *to);
void others_delete(struct world *world, const char *name);
void others_write(struct world *world, const char *name, const char *text);
void others_truncate(struct world *world, const char *name, size_t bytes);
/* Copies the file's bytes, durable at once. The copy is no log file from then on. */
void others_copy(struct world *world, const char *from, const char *to);
/* Makes a file with these bytes, as others_copy does. */
void others_put(struct world *world, const char *name, const char *text);
void others_put_bytes(struct world *world, const char *name, const void *bytes, size_t count);
/* Cuts the file, then makes it as long as it was: with zeros. */
void others_truncate_and_extend(struct world *world, const char *name, size_t bytes);
/* Overwrites the last bytes before `end`. */
void others_edit(struct world *world, const char *name, size_t end, const char *text);

/* Carries out one change of the directory. */
void sim_names_apply(struct sim_name *names, const struct name_change *change);

/* ----------------------------------------------------------------------------------------------------- world */

#define MODEL_RECORDS_MAX 2048u

/* A roll as a scenario wants it. Its footer and header begin with '<' or '>' and name the record; 0 bytes: there is
 * none. */
struct sim_roll {
    uint32_t footer_bytes, header_bytes;
    const char *target; /* NULL: a name of its own; "": the file keeps its name */
    const char *next;   /* NULL: the next file has the same name */
    int is_enqueued;    /* 1: enqueued, as the rolls that the log plans */
};

struct model_record {
    const struct sim_roll *roll; /* NULL: no roll; else `length` is that of its footer */
    const char *home;            /* the log file of its stream at the append; NULL: there is only one */
    uint32_t incarnation;        /* distinguishes records that get the same sequence after a crash */
    uint32_t length;
    uint32_t bytes, crc; /* of its payload in the ring: of a roll, that is more than its footer */
    uint16_t stream;
    uint8_t in_segments; /* its stream had segments at the append */
    uint8_t damaged;     /* the medium lost it: recovery must report that */
    uint8_t destroyed;   /* others destroyed its file: it may be missing */
    uint8_t packed;      /* only its compressed archive has it: readers find it there */
};

#define SEGMENTS_FOLDER "/logs/segments" /* for the stream that has segments */
#define SIM_SEGMENT_BYTES 4096u
#define SEEN_MAX 512u

/* A frame that a reader of segments has seen and passed on: no crash of this host takes that back. */
struct seen_frame {
    uint64_t sequence; /* 0: a loss */
    uint32_t crc;      /* of its payload */
};

/* All that the log may hold. */
struct model {
    struct seen_frame seen[SEEN_MAX]; /* by number */
    uint32_t seen_count;              /* the highest number that the reader has seen */
    uint32_t deleted_count;           /* so many frames are in segments that were deleted */
    uint64_t gone_sequence;           /* the last record of an emptied folder, whose numbers are given again; 0: none */
    uint32_t is_begun_anew; /* all segments are deleted; the next one's number will say how many frames went */
    struct model_record records[MODEL_RECORDS_MAX]; /* by sequence */
    uint64_t acknowledged;                          /* every sequence up to it must survive */
    uint64_t offered;                               /* no sequence above it can exist */
    uint32_t incarnation;
    uint64_t drained;   /* the newest checkpoint says that all before this position is drained; 0: it rots */
    int medium_damaged; /* the data area was damaged: recovery may find damage without a missing record */
    int medium_lied;    /* it lost acknowledged writes: any record may be lost, but none without a report */
    int is_formatting;  /* there may be no ring yet, or half a ring */
    int has_rolls;      /* recoveries roll as well */
    int rolls_may_fail; /* a file may have records behind a footer */
    int repeats;        /* records of one length read the same: the check counts lines instead of comparing them */
};

#define STREAMS_MAX 3u

/* A stream as it is configured. Index 0 is the main stream, whose file is world->file_name. */
struct sim_stream {
    const char *name;
    const char *path; /* NULL: nobody opens it */
    int has_segments; /* its records go to SEGMENTS_FOLDER as well */
    int is_open;
    uint16_t id;
};

/* The caller who performs rolls in the engine's place. It answers late. */
struct sim_roller {
    struct roller roller;
    struct world *world;
    uint64_t asked; /* the sequence of the roll that it was asked for */
};

/* A second copy of the log, on another host, which no crash of this one touches. It may itself lose what it has not
 * confirmed. */
struct sim_copy {
    int is_kept;           /* the log has one */
    uint64_t last;         /* its last record */
    uint64_t confirmed;    /* it has told the log that it has stored the records up to this one */
    uint64_t acknowledged; /* both have them: what a call may have been told */
    int may_fail;          /* syncs of the log file may fail, and the copy may be declared away */
    int is_away;
    int may_go_back; /* a sync failed, or the log is diverted: the next open may bring it back to its file */
    int may_miss;    /* the log may be ahead: the copy is or was away, or an open brought records to an earlier place */
    struct {
        uint32_t epoch, incarnation;
        int is_missing;
        uint64_t durable;         /* the last one that was durable in the ring when it was sealed, or noted */
    } records[MODEL_RECORDS_MAX]; /* by sequence */
};

struct world {
    struct platform platform;
    struct sim_device device;
    struct sim_files files;
    struct events events;
    struct model model;
    struct sim_copy copy;
    struct engine *engine; /* NULL while closed */
    const char *file_name; /* "": where it is bound; NULL: there is no main stream */
    struct sim_stream streams[STREAMS_MAX];
    struct sim_roller rollers[STREAMS_MAX]; /* of each stream */
    int rolls_by_caller;
    int has_segments;   /* a stream may */
    int has_index;      /* the main stream's log files have one */
    int index_may_fail; /* some records may be in none */
    int rolls_planned;  /* the log plans for each file when to roll it */
    int has_streams;    /* there are other streams than the main one: each record has a home */
    unsigned writes_to; /* the stream that gets the next record; STREAMS_MAX: none is open */
    uint64_t random_state;
    int64_t now_ns;
    unsigned allocations;              /* not released */
    int fail_allocation_in;            /* the allocation after this many fails; < 0: none does */
    struct window_maker *window_maker; /* of its engines; NULL: they have no window */
    int is_held;                       /* a process has the ring open, or opens it */
    int has_readers;                   /* readers.h: they take steps between the operations, or one in so many */
    int park_drains;                   /* while a caller waits for space the drain runs */
    int in_park;
    unsigned process;  /* that runs: simulator/processes; 0: there is only one */
    int has_processes; /* several have the ring and its files open */
    unsigned level;    /* 0: the run itself; 1: after its crash; 2: after a crash in that recovery */
    void (*before_operation)(struct world *world, const char *operation);
};

struct world *world_create(void);
/* An empty medium of `blocks` data blocks and an empty directory. */
void world_reset(struct world *world, unsigned blocks, uint64_t seed);
/* Copies everything but the running engine. */
void world_copy(struct world *to, const struct world *from);

/* Says whether a roll has renamed the file: then nobody may write to it. */
int sim_is_archived(const struct sim_files *files, const struct sim_inode *inode);
/* In rolls.c. */
void sim_roller_init(struct world *world);
/* The caller whom the drain asks for rolls of this stream; NULL: the engine rolls. */
const struct roller *sim_roller_of(const struct world *world, unsigned which);
/* Checks that the newest checkpoint's plan for the next roll is the plan of the file whose birth it names. */
void sim_check_plans(const struct world *world);

uint64_t random_next(uint64_t *state);
uint64_t world_random(struct world *world, uint64_t below);

void sim_platform_init(struct world *world);

/* Device and files call this before each operation. */
void world_operation(struct world *world, const char *operation);

static inline uint8_t *world_checkpoint(struct world *world, unsigned slot) {
    return world->device.medium + sim_device_place(LAYOUT_CHECKPOINT_OFFSET(slot));
}

#endif
