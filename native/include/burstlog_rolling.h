/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rolling: part of burstlog.h, which includes this.
 *
 * A roll is a record of the stream, so that it has one place in the order: what was appended before it is in the file that
 * ends, what comes after it in the file that begins, also after a crash at any moment, and in no other. The thread burst-drain
 * performs it when it gets there: it writes the footer, makes the file durable, renames it, begins the next one, and writes
 * the header. No append waits for that.
 *
 * A rename never replaces a file that has content, nor one whose compressed twin is there (.gz .zip .bz2 .xz .zst .deflate
 * .pack200 behind the name): then ".1", ".2", ... is added to the target, and a WARN event tells so. Missing folders of the target
 * are made. A file gets no byte after it was renamed. If a file cannot be renamed (no right, no space, another file system) a
 * WARN event tells why, and the file goes on, with the footer in it and without the header, until the next roll.
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
    const void *header; /* the first bytes of the one that begins */
    size_t header_bytes;
    /* What the engine renames the file to that ends, on the same file system; made absolute. NULL or "": it keeps its name,
     * and next_file is another. Of a stream with burst_rolling_t it then gets its next name. */
    const char *target;
    /* The file that begins, made absolute; NULL or "": of the same name. The stream is bound to it from then on: if it is to
     * be another, open the stream under a name of its own. */
    const char *next_file;
    const void *note; /* given back in burst_roll_request_t */
    size_t note_bytes;
    /* When the file that begins is planned to be rolled, for `burstlog info` alone: CLOCK_REALTIME, 0: not by time; and at
     * which length, 0: at none. */
    int64_t next_time_ns;
    uint64_t next_file_bytes;
} burst_roll_t;

/* Sets every field to its default (zero) and struct_bytes to the size this header was compiled with. */
void burst_roll_init_bytes(burst_roll_t *roll, size_t struct_bytes);
#define burst_roll_init(roll) burst_roll_init_bytes(roll, sizeof(burst_roll_t))

/*
 * How the engine rolls the files of a stream by itself. It is copied when the stream is opened.
 *
 * The thread whose record would make the file too long, or which appends the first one after the time, also rolls it: that is
 * one more record, and no rename, no look at a folder. So a log that gets no record is not rolled, nor is an empty file: it is
 * taken for the next one. What other threads append meanwhile is still in the file that ends, which may therefore be longer
 * than size_bytes. If the ring is full, and the record does not wait for space for ever, the file is rolled with a
 * later one. What an earlier run has left in the ring comes first: an open gives the drain 2 s for that, and if its file cannot
 * be written by then, no file is rolled until it is.
 *
 * Rolled files are compressed and deleted by a thread of low priority, burst-roll. A compressed file has its name when it is
 * whole and durable; then the plain one goes. What a crash or a close leaves half done is done, or removed, by the next open with
 * the same pattern. What cannot be done is told by a WARN event, and is tried again after the next roll.
 */
struct burst_rolling {
    uint32_t struct_bytes; /* sizeof(burst_rolling_t), set by burst_rolling_init */
    uint32_t compress;     /* 1: by gzip, NAME.gz. It needs the host's libz.so.1, else the open is refused: -ENOPKG */
    /* Required: what rolled files are called; on the file system of the log file, made absolute. In the name, behind the last
     * slash: %Y %m %d %j %H %M %S of the birth of the file, in the zone of the process (TZ), whatever its locale; %i, once: an
     * index, which begins behind the highest one that is there and only grows; %%. No other file in that folder may have such a
     * name: it would be taken for a rolled one. FILE.%i is refused: so the engine calls a log file that cannot go on as FILE. */
    const char *pattern;
    uint64_t
        size_bytes; /* 0: any. Else a file is not to get longer; a record that is longer has a file of its own. Needs %i */
    /* 0: never. Else as often as that, in whole seconds: a divisor of a day, counted from midnight in the zone of the process, or
     * 7 days, from Monday's. When clocks are set for summer or winter, an hour that comes twice has two files, and a day has 23 or
     * 25 hours. If the clock is set back the file goes on until it shows the time that was planned. */
    uint64_t interval_ns;
    uint64_t keep_files; /* 0: all. Else the newest so many are kept: by index, without %i by time of change */
    uint64_t keep_bytes; /* 0: any. Else the oldest are deleted until the others have at most so many together */
    uint64_t keep_ns;    /* 0: for ever. Else those are deleted that were last written so long ago */
};

/* Sets every field to its default (zero) and struct_bytes to the size this header was compiled with. */
void burst_rolling_init_bytes(burst_rolling_t *rolling, size_t struct_bytes);
#define burst_rolling_init(rolling) burst_rolling_init_bytes(rolling, sizeof(burst_rolling_t))

/*
 * Appends a roll to the stream, and returns its sequence once it is durable in the ring: then no crash undoes it. It waits, is
 * refused or dropped as an append of the stream. event_time_ns, CLOCK_REALTIME, is the birth of the file that begins. All
 * parts together are a record: -EMSGSIZE. -EINVAL: a path or a length that cannot be used, or neither a target nor another
 * file and nobody who could say one (rolls_by_caller). -ENOTSUP: the stream writes no file but a device. -EAGAIN: the engine
 * rolls this stream by itself, and what an earlier run has left for its file in the ring is not written yet.
 */
int64_t burst_stream_roll(burst_stream_t *stream, const burst_roll_t *roll, int64_t event_time_ns);

/* The roll that the drain waits at. Nothing is written to `file` any more. */
typedef struct burst_roll_request {
    uint32_t struct_bytes; /* set to sizeof(burst_roll_request_t) before the call */
    uint32_t note_bytes;
    uint64_t sequence; /* of the roll */
    int64_t time_ns;   /* its event_time_ns */
    int64_t file_born_ns;
    uint64_t file_number;             /* of the file that ends: as in burst_stream_stats_t */
    uint64_t file_bytes;              /* its length, the footer included */
    char file[BURST_PATH_BYTES];      /* the file that ends: absolute */
    char target[BURST_PATH_BYTES];    /* as in burst_roll_t, "": none */
    char next_file[BURST_PATH_BYTES]; /* as in burst_roll_t, "": of the same name as before */
    uint8_t note[BURST_ROLL_NOTE_BYTES];
} burst_roll_request_t;

/*
 * Of a stream opened with rolls_by_caller: waits at most timeout_ns (< 0: for ever) for the drain to get to a roll. 1 with
 * *request filled, also if that was said before and is not answered yet; 0: none within the time; -ESHUTDOWN: the stream or
 * its log is closed. A roll that was not answered before a crash, or before the log was closed, is asked for again when the
 * stream is opened again; the file may then have been renamed already: if it is missing under its name, the engine takes it for
 * renamed and does not ask. While a stream is not open its rolls are performed by the engine, as they say themselves; but those that a log
 * finds when it is opened, and that a caller was to perform, only after 10 s: he may open their stream in that time.
 */
int burst_stream_next_roll(burst_stream_t *stream, burst_roll_request_t *request, int64_t timeout_ns);

/*
 * Answers the request of that sequence. rc: 0, or -errno: it could not be done, and the same file goes on. target: what the
 * engine is to rename the file to; NULL: the caller has renamed it, and made that durable, or it keeps its name. next_file:
 * the file that begins; NULL: as the roll says. 0, or a negative errno: -ESTALE: the drain does not wait for an answer to that
 * sequence; -EINVAL: a path or rc that cannot be used; -ESHUTDOWN. The answer is acted upon by the thread burst-drain.
 */
int burst_stream_rolled(burst_stream_t *stream, uint64_t sequence, int rc, const char *target, const char *next_file);

#endif
