/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rolling: part of burstlog.h, which includes this.
 *
 * A roll is a record of the stream, and so has one place in its order. Each record before the roll goes only to the
 * file that ends, each record behind it only to the file that begins, even after a crash at any moment. The thread
 * burst-drain performs a roll when it gets there: it writes the footer, makes the file durable, renames it, begins the
 * next file, and writes the header. No append waits for that.
 *
 * A rename never replaces a file that has content, nor takes a name that has a compressed twin (.gz .zip .bz2 .xz .zst
 * .deflate .pack200 behind it). Instead the drain adds ".1", ".2", ... to the target, and a WARN event tells so. It
 * makes missing folders of the target. No file gets a byte after its rename. If a file cannot be renamed (no right, no
 * space, another file system), a WARN event tells why, and the file goes on until the next roll, with the footer in it
 * and without the header.
 */
#ifndef BURSTLOG_ROLLING_H
#define BURSTLOG_ROLLING_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

#define BURST_ROLL_NOTE_BYTES 1024

typedef struct burst_roll {
    uint32_t struct_bytes; /* sizeof(burst_roll_t), set by burst_roll_init */
    uint32_t reserved;     /* 0 */
    const void *footer;    /* the last bytes of the file that ends */
    size_t footer_bytes;
    const void *header; /* the first bytes of the file that begins */
    size_t header_bytes;
    /* New name of the file that ends, on the same file system; made absolute. NULL or "": the file keeps its name, and
     * next_file must be another. With burst_rolling_t, the file then gets its next name from the pattern. */
    const char *target;
    /* The file that begins; made absolute. NULL or "": it gets the old name. The stream is bound to it from then on: a
     * stream whose path changes should be opened under a name of its own. */
    const char *next_file;
    const void *note; /* burst_roll_request_t gives it back */
    size_t note_bytes;
    /* The plan for the next roll, only for `burstlog info`: CLOCK_REALTIME (0: not by time), and length (0: not by
     * length). */
    int64_t next_time_ns;
    uint64_t next_file_bytes;
} burst_roll_t;

/* Sets each field to its default (zero), and struct_bytes to the size with which this header was compiled. */
void burst_roll_init_bytes(burst_roll_t *roll, size_t struct_bytes);
#define burst_roll_init(roll) burst_roll_init_bytes(roll, sizeof(burst_roll_t))

/*
 * How the engine rolls the files of a stream by itself. The open of the stream copies it. Each roll carries it, too: a
 * roll of an earlier run that an open finds in the ring, or `burstlog recover`, compresses, deletes, and gives the next
 * file its rights as it says, whatever is configured by then.
 *
 * The thread whose record would make the file too long, or is the first after the time, also enqueues the roll: one
 * more record, without a rename or a look at a folder. So a log without new records is not rolled. An empty file is not
 * rolled either: it serves as the next one. Records that other threads append meanwhile still go to the file that ends,
 * so it may become longer than size_bytes. If the ring is full, and the record's wait for space is limited, a later
 * record rolls the file. Records that an earlier run left in the ring come first: an open gives the drain 2 s to write
 * them. If their file cannot be written by then, no file is rolled until it is.
 *
 * A thread of low priority, burst-roll, compresses and deletes rolled files. A compressed file gets its name when it is
 * whole and durable; then the plain file is deleted. After a crash or a close, the next open with the same pattern
 * completes or removes half-done work. For work that fails there is a WARN event, and the thread tries again after the
 * next roll.
 */
struct burst_rolling {
    uint32_t struct_bytes; /* sizeof(burst_rolling_t), set by burst_rolling_init */
    /* enum burst_compress: rolled files become NAME.gz or NAME.zst. Without the host's libz.so.1 or libzstd.so.1 the
     * open fails with -ENOPKG. */
    uint32_t compress;
    /* Required: the path of rolled files, on the log file's file system; made absolute. The name behind the last slash
     * may have: %Y %m %d %j %H %M %S (birth of the file, in the zone of the process (TZ), in any locale); %i once (an
     * index, which begins above the highest one there and only grows); %% (a percent sign). No other file in the folder
     * may fit the pattern: it would be taken for a rolled one. FILE.%i is refused for the log file FILE, since the
     * engine gives such names to a log that cannot go on as FILE. */
    const char *pattern;
    uint64_t size_bytes; /* 0: any. Otherwise no file gets longer; a longer record has a file of its own. Needs %i */
    /* 0: never. Otherwise the interval in whole seconds: a divisor of a day, counted from midnight in the zone of the
     * process, or 7 days, counted from Monday's midnight. When clocks change for summer or winter, an hour that comes
     * twice has two files, and a day has 23 or 25 hours. If somebody sets the clock back, the file goes on until the
     * clock shows the planned time. */
    uint64_t interval_ns;
    /* 0: all stay. Otherwise the newest so many stay, by index, or by last write if the pattern has no %i. */
    uint64_t keep_files;
    /* 0: any. Otherwise the oldest are deleted until the others have at most so many bytes together. */
    uint64_t keep_bytes;
    uint64_t keep_ns;           /* 0: for ever. Otherwise files whose last write is older are deleted */
    int32_t compress_level;     /* 0: the library's default. Otherwise 1 to 9 for gzip, -22 to 22 for zstd */
    uint32_t newest_by_time;    /* 1: in spite of %i the newest file is the one that was written last */
    uint64_t compress_delay_ns; /* so long a rolled file stays plain after its last write; 0: it does not */
};

enum burst_compress { BURST_COMPRESS_NONE, BURST_COMPRESS_GZIP, BURST_COMPRESS_ZSTD };

/* Sets each field to its default (zero), and struct_bytes to the size with which this header was compiled. */
void burst_rolling_init_bytes(burst_rolling_t *rolling, size_t struct_bytes);
#define burst_rolling_init(rolling) burst_rolling_init_bytes(rolling, sizeof(burst_rolling_t))

/*
 * Appends a roll to the stream. Returns its sequence once it is durable in the ring: then no crash undoes it. The roll
 * waits, is refused or is dropped as an append of the stream. event_time_ns, of CLOCK_REALTIME, is the birth of the
 * file that begins. Errors, besides those of an append: -EMSGSIZE (all parts together are a record, which is too long),
 * -EINVAL (a path or a length cannot be used; or there is neither a target nor another file, and no caller who performs
 * rolls), -ENOTSUP (the stream writes a device and no file), -EAGAIN (the engine rolls this stream by itself, and
 * records of an earlier run still wait for its file).
 */
int64_t burst_stream_roll(burst_stream_t *stream, const burst_roll_t *roll, int64_t event_time_ns);

/* Does what burst_stream_roll does, and never waits, as burst_offer: the roll becomes durable with the next record that
 * is. Returns -EAGAIN, too, if the ring is full, or if another thread rolls the file of a stream that the engine rolls
 * by itself. A roll that finds the ring full does not count in burst_stats_t.full_waits: the record behind it does. */
int64_t burst_stream_offer_roll(burst_stream_t *stream, const burst_roll_t *roll, int64_t event_time_ns);

/* The roll at which the drain waits. The drain writes nothing more to `file`. */
typedef struct burst_roll_request {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_roll_request_t) */
    uint32_t note_bytes;
    uint64_t sequence; /* sequence of the roll */
    int64_t time_ns;   /* the roll's event_time_ns */
    int64_t file_born_ns;
    uint64_t file_number;             /* number of the file that ends: see burst_stream_stats_t */
    uint64_t file_bytes;              /* length of the file that ends, with the footer */
    char file[BURST_PATH_BYTES];      /* absolute path of the file that ends */
    char target[BURST_PATH_BYTES];    /* as in burst_roll_t; "": none */
    char next_file[BURST_PATH_BYTES]; /* as in burst_roll_t; "": the old name */
    uint8_t note[BURST_ROLL_NOTE_BYTES];
} burst_roll_request_t;

/*
 * Waits at most timeout_ns (< 0: no limit) until the drain gets to a roll, in a stream opened with rolls_by_caller.
 * Returns 1 with *request filled, again and again until the request is answered; 0 if there was none within the time;
 * -ESHUTDOWN if the stream or its log is closed.
 *
 * If a crash or a close comes before the answer, the request comes again when the stream is opened again. The caller
 * may have renamed the file already: if no file has its name, the engine takes it for renamed and does not ask.
 *
 * While a stream is not open, the engine performs its rolls as they say. But if a caller was to perform them, and the
 * open of the log found them in the ring, the engine waits 10 s: the caller may open the stream in that time.
 */
int burst_stream_next_roll(burst_stream_t *stream, burst_roll_request_t *request, int64_t timeout_ns);

/*
 * Answers the request with that sequence; the thread burst-drain acts on the answer. rc: 0, or -errno if the roll
 * failed; then the same file goes on. target: the engine renames the file to it; NULL: the caller has renamed the file
 * and made that durable, or the file keeps its name. next_file: the file that begins; NULL: as the roll says. Returns
 * 0, or -ESTALE (the drain does not wait for an answer to that sequence), -EINVAL (a path or rc cannot be used),
 * -ESHUTDOWN (the stream or its log is closed).
 */
int burst_stream_rolled(burst_stream_t *stream, uint64_t sequence, int rc, const char *target, const char *next_file);

#endif
