/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Burstlog: a log whose append returns when the record is durable.
 *
 * Records go synchronously into a circular buffer (the ring) on a block device or a file; a drain thread moves
 * them in large batches to a log file. After any crash the next open finishes what was interrupted: the log file
 * then holds every acknowledged record exactly once, in order.
 *
 *     burst_stream_config_t orders;
 *     burst_stream_config_init(&orders);
 *     orders.file_name = "orders.log";
 *     burst_config_t config;
 *     burst_config_init(&config);
 *     config.ring = "orders.ring";
 *     config.main = &orders;
 *     burst_t *log;
 *     if (burst_open(&config, &log) < 0) { fprintf(stderr, "%s\n", burst_last_error()); return 1; }
 *     int64_t sequence = burst_append(log, "order 1\n", 8, 0);      // durable when it returns
 *     burst_close(log);
 *
 * Results. A function returns 0 or a positive value, or a negative errno. After an error burst_last_error() returns
 * one sentence for the calling thread: what, where, the value seen, what to do. It holds until the thread's next
 * failing call.
 *
 * Threads. Any thread may call any function at any time, but no signal handler may. burst_open needs 128 KiB of
 * stack. No function is a cancellation point: a thread that is cancelled (pthread_cancel) finishes its call first.
 * Asynchronous cancellation is not supported.
 *
 * Handles. A closed handle stays valid to pass: calls that would write or wait return -ESHUTDOWN, the others answer
 * with the last state. In a child after fork() every call on the parent's handle that could write or wait returns
 * -EOWNERDEAD.
 *
 * Codes with one meaning everywhere:
 *   -EINVAL      an argument or a configuration value cannot be used
 *   -EMSGSIZE    the record is longer than max_record_bytes; nothing was written
 *   -EAGAIN      the ring is full (burst_offer, or on_full = BURST_ON_FULL_FAIL); nothing was written
 *   -ETIMEDOUT   block_timeout_ns, or timeout_ns of the call, passed waiting for space; nothing was written
 *   -EINPROGRESS the time was over while the medium was at work; the work goes on. After an append: the record is in
 *                the ring's memory and may still become durable. After a close: the close goes on by itself
 *   -EIO         the ring has failed (a write error, a stuck writer): nothing is acknowledged any more until it
 *                is opened again; burst_failure() tells why
 *   -ESHUTDOWN   the handle is closed
 *   -EBUSY       another writer holds the ring or the log file; the sentence names its process
 *   -ENODATA     no ring here (no valid superblock)
 *   -EUCLEAN     a ring, but too damaged to be written (for instance truncated)
 *   -EPROTO      a ring of a format this library does not know
 *   -ENOMEDIUM   the file system that the log file was on is not mounted
 *   -EMEDIUMTYPE the medium survives less than the durability asked for
 */
#ifndef BURSTLOG_H
#define BURSTLOG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Raised whenever a struct or function below changes incompatibly; compare with burst_abi_version(). */
#define BURST_ABI_VERSION 1u

#define BURST_PATH_BYTES 4096
#define BURST_TEXT_BYTES 512
#define BURST_STREAMS_MAX 64 /* of a ring, the main stream among them */
#define BURST_STREAM_NAME_BYTES 256

typedef struct burst burst_t;
typedef struct burst_stream burst_stream_t;
typedef struct burst_rolling burst_rolling_t;

/* What a medium must survive. Ring and log file must both survive at least what is asked for. */
enum burst_durability {
    BURST_DURABILITY_POWER = 0,    /* loss of power */
    BURST_DURABILITY_OS_CRASH = 1, /* a kernel crash, not loss of power */
    BURST_DURABILITY_PROCESS = 2,  /* the death of the process only (memory: tmpfs, zram) */
};

/* What an append does when the ring is full. */
enum burst_on_full {
    BURST_ON_FULL_BLOCK = 0,   /* wait for space, at most block_timeout_ns if that is set */
    BURST_ON_FULL_FAIL = 1,    /* return -EAGAIN */
    BURST_ON_FULL_DISCARD = 2, /* drop the record, count it, return 0 */
};

/* How the ring is written: docs/io-engines.md. burst_open refuses a way that this library does not have, or that does
 * not work for this ring on this host. BURST_IO_MAPPED: the ring is mapped memory (docs/persistent-memory.md). It
 * installs a handler for SIGBUS, which hands on every signal that is not its own. It survives loss of power only
 * where MAP_SYNC holds. A ring that is created with it can be written in no other way. */
enum burst_io {
    BURST_IO_AUTO = 0,   /* the fastest of those that are safe everywhere, measured once and kept on the ring */
    BURST_IO_PWRITE = 1, /* one positioned write for each commit */
    BURST_IO_URING = 2,  /* io_uring: several writes of a commit under way */
    BURST_IO_NVME = 3,   /* NVMe commands with FUA through the generic character device */
    BURST_IO_MAPPED = 4,
    BURST_IO_FLUSH = 5, /* one positioned write and one flush of the medium's cache, for drives that ignore FUA */
};

/* Pages of the ring's image in memory. */
enum burst_huge_pages {
    BURST_HUGE_PAGES_AUTO = 0, /* huge ones where the host gives them */
    BURST_HUGE_PAGES_OFF = 1,  /* never huge ones */
};

/*
 * A stream: a log file of its own for records that share the ring of burst_config_t with those of other streams. Texts
 * and structs that it points to must last as long as the call that gets it; times are in nanoseconds.
 */
typedef struct burst_stream_config {
    uint32_t struct_bytes; /* sizeof(burst_stream_config_t), set by burst_stream_config_init */
    uint32_t on_full;      /* enum burst_on_full; default BLOCK */
    const char *name;      /* what the stream is known by over restarts, less than BURST_STREAM_NAME_BYTES; NULL or "":
                                  its file_name. Under the same name it may get another file: what waits for the old one
                                  goes there first. The main stream has none, since there is one in a ring */
    const char
        *file_name; /* required: the log file, made absolute and stored in the ring. Created if missing, and so are
                                  the folders above it. Or a block device that `burstlog format --destination` prepared.
                                  No other open stream of the process may write it */
    uint64_t block_timeout_ns; /* 0: wait for ever. Bounds how long an append waits in all: for space, for the writes of
                                     other threads, for threads in the middle of a record. Only a write that it has
                                     begun itself, and that holds its record, takes as long as the medium does */
    const char *file_owner;    /* NULL: unchanged. User name of a newly created log file */
    const char *file_group;    /* NULL: unchanged. Group name of a newly created log file */
    uint32_t file_mode;        /* 0: 0666 less the umask. Permission bits of a newly created log file */
    uint32_t rolls_by_caller;  /* 1: whoever calls burst_stream_next_roll rolls its files; 0: the engine */
    const burst_rolling_t
        *rolling; /* NULL: nobody rolls its files unasked. Else when the engine does, and to which names:
                                       below, "rolling" */
    /* NULL or "": none. A folder of segments gets the records of the stream as well, from now on or behind what it got before:
     * burstlog_consumer.h, docs/segments.md. No other stream may write it */
    const char *segments;
    uint64_t segment_bytes;        /* 0: 64 MiB. A segment ends before it is longer: 64 KiB .. 1 TiB */
    uint64_t segments_keep_bytes;  /* 0: none. What all consumers have passed goes when so much is behind it, */
    uint64_t segments_keep_ns;     /* and it was last written so long ago */
    uint64_t segments_limit_bytes; /* 0: none. A consumer with more behind it is told of in an event, */
    uint64_t segments_limit_ns;    /* or one that has not passed what was last written longer ago */
    uint32_t segments_over_limit;  /* enum burst_segments_over_limit; default HOLD */
    uint32_t reserved;             /* 0 */
} burst_stream_config_t;

/* A ring, and its main stream. Texts and structs that it points to must last as long as the call that gets it. */
typedef struct burst_config {
    uint32_t struct_bytes; /* sizeof(burst_config_t), set by burst_config_init */
    uint32_t durability;   /* enum burst_durability; default POWER */
    uint32_t io;           /* enum burst_io; default AUTO */
    uint32_t huge_pages;   /* enum burst_huge_pages; default AUTO */
    const char *ring;      /* required: a block or DAX device that `burstlog format` prepared, or a file. A missing
                                     file is created with mode 0600, and so are the folders above it. An empty one
                                     becomes a ring and keeps its mode and owner */
    const burst_stream_config_t *main; /* the stream that burst_append and its like write. NULL: there is none, these
                                     calls return -EINVAL, and burst_stream_open opens the streams that there are */
    uint64_t ring_bytes;               /* 0: 16 MiB for a new file, and whatever an existing ring has. Else the size of
                                     the whole ring on its medium, 2 MiB..256 GiB; an existing ring of another size
                                     is refused */
    uint64_t max_record_bytes;         /* 0: 1 MiB (or a quarter of a small ring). At most a quarter of the ring */
    uint64_t drain_interval_ns;        /* 0: 100 ms. A durable record reaches its log file within this time */
    /* 0: 10 s. Bounds burst_close, whatever the media do. Draining gets three quarters of it; what is not drained
     * then stays in the ring */
    uint64_t shutdown_timeout_ns;
    uint64_t batch_delay_ns;   /* 0: enqueued records are made durable as soon as the write before is done. Else
                                     burst-commit waits this long, at most 1 s, for more of them, which makes fewer and
                                     longer writes; whoever waits for durability does not wait for that */
    uint64_t batch_bytes;      /* 0: only batch_delay_ns counts. Else burst-commit waits no longer once so many bytes
                                     of the ring are enqueued. Needs batch_delay_ns */
    const char *drain_cpu;     /* NULL or "": wherever the process may run. Else CPUs for the thread burst-drain, which
                                     moves records to the log files, as the kernel lists them: "3" or "3-5,8" */
    const char *commit_cpu;    /* the same for the thread burst-commit, which makes enqueued records durable. The
                                     image then is on the NUMA node of these CPUs, else on that of the device */
    int32_t realtime_priority; /* 0: none. 1..99: of burst-commit under SCHED_FIFO */
    uint32_t commit_spin;      /* 0: burst-commit sleeps when nothing is enqueued. 1: it spins, so that no burst_offer
                                     ever pays for waking it; it takes a whole CPU, which commit_cpu should give it,
                                     and must if realtime_priority is set */
} burst_config_t;

/* They set every field to its default (zero), and struct_bytes to the size that this header was compiled with. New fields
 * are added at the end. A caller built against an older header of the same BURST_ABI_VERSION gets their defaults. A
 * caller built against a newer header is served as long as the fields that this library does not know are zero. */
void burst_config_init_bytes(burst_config_t *config, size_t struct_bytes);
#define burst_config_init(config) burst_config_init_bytes(config, sizeof(burst_config_t))
void burst_stream_config_init_bytes(burst_stream_config_t *config, size_t struct_bytes);
#define burst_stream_config_init(config) burst_stream_config_init_bytes(config, sizeof(burst_stream_config_t))

/* The ABI version of the loaded library. Safe to call before anything else. */
uint32_t burst_abi_version(void);

/* The version of the loaded library, for instance "0.1.0". */
const char *burst_version(void);

/* The sentence for the last call that failed on this thread; "" if none did. Valid until the next failing call. */
const char *burst_last_error(void);

/*
 * Opens the ring and the log file, finishes what a crash interrupted (recovery) and starts the drain. On return every
 * record found is accounted for: see burst_recovery_statement(). The ring and the log file stay locked against other
 * writers until burst_close(). Returns 0, or a negative errno. After an error *log is NULL, no folder, ring or log
 * file of its making is left, and the medium is as it was, but for what io = AUTO has measured and for blocks that a
 * file lacked.
 *
 * A ring file may have holes, unwritten blocks, or blocks that it shares with a copy. The open then writes the file's
 * content over itself, so that it gets blocks of its own; that takes as long as writing so much. Without room for
 * them it is refused (-ENOSPC).
 *
 * A ring file that reaches beyond RLIMIT_FSIZE is refused (-EFBIG), unless it is written as mapped memory: each
 * append could end the process by SIGXFSZ. If the log file reaches that limit, this call and burst_close() hold the
 * signal back, and the records stay in the ring. Run by root, this call moves no record that waits in a ring file of
 * another user to a log file that only the ring names (-EPERM).
 *
 * CPUs that do not exist, are offline, or are not in the cpuset of the process are refused, as is a priority out of
 * its range. What the host forbids is left out with a WARN event: a real-time priority without CAP_SYS_NICE or
 * RLIMIT_RTPRIO, the choice of CPUs in a container that forbids it. If any of drain_cpu, commit_cpu,
 * realtime_priority and huge_pages is set, an INFO event tells where threads and image are.
 */
int burst_open(const burst_config_t *config, burst_t **log);

/* Checks the values that burst_open() checks before it touches anything: 0, or a negative errno, and
 * burst_last_error() then names every one that cannot be used. Opens, creates and reads no ring. May be called by any
 * thread. */
int burst_config_check(const burst_config_t *config);

/*
 * Appends one record and returns its sequence (>= 1; no gaps, also over reopens) once the record and all
 * before it are durable on the ring. length: 0..max_record_bytes. event_time_ns: any clock of the caller, kept with
 * the record. Returns 0 if the ring was full and on_full is DISCARD.
 */
int64_t burst_append(burst_t *log, const void *data, size_t length, int64_t event_time_ns);

/* As burst_append, but returns as soon as the record is accepted; a background commit makes it durable. When the
 * ring is full on_full decides, as with burst_append. Use burst_await_durable to wait for it. */
int64_t burst_enqueue(burst_t *log, const void *data, size_t length, int64_t event_time_ns);

/* As burst_enqueue, but never waits: -EAGAIN when the ring is full, whatever on_full says. */
int64_t burst_offer(burst_t *log, const void *data, size_t length, int64_t event_time_ns);

/*
 * As burst_append and burst_enqueue, under a rule of this call's own: on_full and timeout_ns take the place of on_full and
 * block_timeout_ns of the log. timeout_ns < 0: for ever; 0: the call waits for no space and for no other thread. Any calls
 * of any threads may have different rules. One that finds the ring full counts once in burst_stats_t.full_waits, however
 * long it then waits; a record that it drops counts once in burst_stats_t.discarded. -EINVAL also of an on_full that is not
 * one of the enumeration; nothing was written then.
 */
int64_t burst_append_within(burst_t *log, const void *data, size_t length, int64_t event_time_ns,
                            enum burst_on_full on_full, int64_t timeout_ns);
int64_t burst_enqueue_within(burst_t *log, const void *data, size_t length, int64_t event_time_ns,
                             enum burst_on_full on_full, int64_t timeout_ns);

/* The highest sequence that is durable together with all before it; 0 if none. Monotone. */
int64_t burst_durable_sequence(const burst_t *log);

/* Waits until the sequence is durable. timeout_ns < 0: for ever; this call then writes if no other thread does. Else
 * burst-commit writes at once, and this call returns in time whatever the medium does. Returns 1 if it is durable,
 * also for sequence 0 (a record that was discarded); 0 if it is not yet; or a negative errno: -EINVAL for a sequence
 * that was never given out, such as the answer to a record that was refused. */
int burst_await_durable(burst_t *log, int64_t sequence, int64_t timeout_ns);

/* Waits until everything accepted so far is durable in the ring. Returns and timeout_ns as burst_await_durable. */
int burst_flush(burst_t *log, int64_t timeout_ns);

/* Waits until everything accepted so far is durable in the log file, which is asked to sync now. Returns and
 * timeout_ns as burst_await_durable; -EIO also if a failed ring's medium takes no checkpoint of what is there. */
int burst_await_drained(burst_t *log, int64_t timeout_ns);

/*
 * Refuses new records, makes all accepted ones durable, drains, and lets go of ring and log file, all within
 * shutdown_timeout_ns. The next open moves the records that are still in the ring then. Returns the number of records
 * left in the ring, or -EIO if accepted records could not be made durable. A second close returns -ESHUTDOWN.
 *
 * -EINPROGRESS: the time was over first, because the medium of the ring or of the log file did not answer; the
 * sentence says which. The thread burst-drain does the rest when it answers. Until then, or until the process ends,
 * ring and log file stay locked, and another open of them is refused with -EBUSY. burst_stats() tells how far it is.
 * What was durable in the ring is not lost, whatever becomes of that thread.
 */
int64_t burst_close(burst_t *log);

/* As burst_close, within timeout_ns instead of shutdown_timeout_ns. < 0: for ever. */
int64_t burst_close_within(burst_t *log, int64_t timeout_ns);

/* Why the ring has failed, one sentence into text (always terminated). Returns 1 if it has failed, else 0 and "". */
int burst_failure(const burst_t *log, char *text, size_t text_bytes);

/* What recovery found at open, one sentence into text (always terminated; docs/recovery.md explains it). Returns the
 * number of records that are provably lost; 0 also if that cannot be known, and the sentence then says so. */
int64_t burst_recovery_statement(const burst_t *log, char *text, size_t text_bytes);

/* What ring and log file survive, each with its class and the evidence for it, one line each into text (always
 * terminated; 1024 bytes hold it). Returns enum burst_durability: what both together survive. */
int burst_durability_statement(const burst_t *log, char *text, size_t text_bytes);

enum burst_state {
    BURST_STATE_OPEN = 0,    /* appending and draining */
    BURST_STATE_STALLED = 1, /* appending; the log file cannot be written, the drain keeps retrying */
    BURST_STATE_FAILED = 2,  /* fail-stop: see burst_failure */
    BURST_STATE_CLOSED = 3,  /* or being closed */
};

#include "burstlog_stages.h"

typedef struct burst_stats {
    uint32_t struct_bytes;     /* set to sizeof(burst_stats_t) before the call */
    uint32_t state;            /* enum burst_state */
    int64_t accepted_sequence; /* highest sequence given out */
    int64_t durable_sequence;  /* highest sequence durable in the ring */
    int64_t drained_sequence;  /* highest sequence durable in the log file */
    uint64_t commits;          /* group commits since open */
    uint64_t device_writes;    /* writes of those commits */
    uint64_t device_bytes;     /* bytes of those writes */
    uint64_t full_waits;       /* appends that found the ring full */
    uint64_t discarded;        /* records dropped with BURST_ON_FULL_DISCARD */
    uint64_t lost_enqueued;    /* enqueued records that a failure of the ring lost. If a thread was stuck in the middle
                                   of a record, all accepted after it are counted: at most so many are lost */
    uint64_t capacity_bytes;   /* bytes of the ring that hold records */
    uint64_t used_bytes;       /* bytes not yet released by the drain */
    uint64_t max_record_bytes;
    uint64_t file_bytes;        /* length of the current log file that has been written */
    uint32_t destination_empty; /* 1 if at open the log file was new or empty and nothing was waiting for it */
    uint32_t epoch;             /* number of this open in the life of the ring */
    uint32_t survives;          /* enum burst_durability: what ring and log file together survive */
    uint32_t io;                /* enum burst_io in use */
    burst_stage_stats_t stages[BURST_STAGES]; /* by enum burst_stage */
} burst_stats_t;

/* Fills *stats up to struct_bytes. A caller built against an older header of the same BURST_ABI_VERSION gets the
 * fields that it knows; one built against a newer header gets zeros in those that this library does not know. Returns
 * 0 or a negative errno. Works on a closed handle (state CLOSED, last figures). */
int burst_stats(const burst_t *log, burst_stats_t *stats);

/* BURST_ERROR: appends wait or fail, or soon will, or records are lost; while that lasts it is told again every minute.
 * BURST_WARN: somebody should look. The end of what lasts is told at the severity of its beginning. */
enum burst_severity { BURST_INFO = 0, BURST_WARN = 1, BURST_ERROR = 2 };

typedef struct burst_event {
    uint32_t struct_bytes; /* set to sizeof(burst_event_t) before the call */
    uint32_t severity;     /* enum burst_severity */
    int64_t time_ns;       /* CLOCK_REALTIME */
    char text[BURST_TEXT_BYTES];
} burst_event_t;

/*
 * Takes the oldest event that the engine has for its operator (recovery statement, full ring, stalled or changed log
 * file, failure). Waits at most timeout_ns (< 0: for ever) for one. Returns 1 with *event filled, 0 if there is none,
 * or -ESHUTDOWN when the handle is closed and no event is left. At most 16 are kept; the newest replace the oldest.
 */
int burst_next_event(burst_t *log, burst_event_t *event, int64_t timeout_ns);

/* The log file that is written now, absolute (always terminated). After a failed sync, or when others wrote into the
 * file, cut it or took its name, it is another than file_name, until the log goes back: docs/recovery.md. Returns 0.
 * */
int burst_current_file(const burst_t *log, char *path, size_t path_bytes);

/* ------------------------------------------------------------------------------------------------------------ streams
 *
 * A ring may carry several streams: orders, audit, diagnostics, each with a log file of its own. They share the ring's
 * order, its sequences, its group commits and its space. The stream of burst_config_t.main is the main stream, which the calls
 * above write; burst_stream_open opens others.
 *
 * A record stays in its stream: after a crash, or once its stream is not opened any more, it goes to the file that the
 * stream was bound to. A file that cannot be written holds up its own stream only, until its records fill the ring; the
 * event that tells of it says how much of the ring they hold.
 */

/* The stream of burst_config_t.main, which is closed with its log. If there is none, calls that get it return -EINVAL, as those
 * of the log do. */
burst_stream_t *burst_main_stream(burst_t *log);

/*
 * Opens a stream and its log file: records that wait for it go there first. The ring notes it before this returns 0 with
 * *stream, which stays valid to pass as long as the process lives. Or a negative errno, with *stream NULL and no file of its
 * making: -EBUSY: the stream, or its file, is open already; -ENOSPC: BURST_STREAMS_MAX are open or hold records; -E2BIG: the
 * names of all streams together do not fit into the ring's head (some 100 KiB); -ETIMEDOUT: the thread burst-drain, which
 * opens the file, has not done so within shutdown_timeout_ns of the log, for a log file of the ring does not answer, or
 * much has to go to one first: what it opens too late it closes again, and may leave the file behind, empty.
 *
 * Log file and segments do not wait for each other; the ring gets the space of a record back when both have it. A stream that
 * is opened without its segments ends them: what waits for them goes there first.
 *
 * A log file that a stream has given up, by another file_name under its name or by not being opened any more, is taken over
 * once everything that waits for it is there.
 */
int burst_stream_open(burst_t *log, const burst_stream_config_t *config, burst_stream_t **stream);

/* As burst_append, burst_enqueue, burst_offer and the others, of this stream. The sequence is that of the ring: so are the
 * calls that wait for durability. -ESHUTDOWN also if the stream is closed. */
int64_t burst_stream_append(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns);
int64_t burst_stream_enqueue(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns);
int64_t burst_stream_offer(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns);
int64_t burst_stream_append_within(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                                   enum burst_on_full on_full, int64_t timeout_ns);
int64_t burst_stream_enqueue_within(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                                    enum burst_on_full on_full, int64_t timeout_ns);

/* As burst_await_drained, of the records of this stream: those of others may still wait. */
int burst_stream_await_drained(burst_stream_t *stream, int64_t timeout_ns);

typedef struct burst_stream_stats {
    uint32_t struct_bytes;    /* set to sizeof(burst_stream_stats_t) before the call */
    uint32_t state;           /* enum burst_state */
    int64_t drained_sequence; /* every record of the stream up to it is durable in its log file */
    uint64_t drained_records; /* written to the file since the log was opened, those written again among them */
    uint64_t drained_bytes;   /* of these */
    uint64_t held_bytes;      /* of the ring, from the first record that waits for the file: no stream gets them back */
    uint64_t file_bytes;      /* length of the current log file that has been written */
    uint64_t discarded;       /* records dropped with BURST_ON_FULL_DISCARD */
    uint32_t
        destination_empty; /* 1 if the log file was new or empty when the stream was opened, and nothing waited for it */
    uint32_t id;           /* what `burstlog dump` calls it */
    uint64_t file_number;  /* of the current log file: 1, and one more at each roll; 0: it has none yet */
    int64_t file_born_ns;  /* CLOCK_REALTIME: the time of the roll that began it, else its creation; 0: not known */
} burst_stream_stats_t;

/* As burst_stats. */
int burst_stream_stats(const burst_stream_t *stream, burst_stream_stats_t *stats);

/* As burst_current_file. */
int burst_stream_current_file(const burst_stream_t *stream, char *path, size_t path_bytes);

/*
 * Refuses new records of the stream, waits as burst_stream_await_drained does, and lets go of its log file. 1: all of it is
 * in the log file; 0: the time was over, or a negative errno, and what is left goes to the file as long as the log is open,
 * or at the next open. It returns within timeout_ns; the thread burst-drain, which lets go of the file, may do so later: when
 * its step ends, which a log file that does not answer holds up. An open of the same stream comes after that. -EINVAL of the
 * main stream. burst_close closes all streams that are still open.
 */
int burst_stream_close(burst_stream_t *stream, int64_t timeout_ns);

#include "burstlog_rolling.h"
#include "burstlog_consumer.h"

/*
 * Binds the per-event native methods of the Java class by JNI RegisterNatives. They then cost a JNI call, although
 * JNA loaded the library. Java calls it once, through JNA, with the calling thread's JNIEnv and the class. Returns 0,
 * or -EINVAL if the class lacks one of the methods.
 */
int burst_register(void *jni_env, void *java_class);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
