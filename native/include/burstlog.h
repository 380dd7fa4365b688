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
 * Results. A function returns 0 or a positive value, or a negative errno. After an error burst_last_error() returns one
 * sentence for the calling thread: what, where, the value seen, what to do. It holds until its next failing call.
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

/* Raised with each incompatible change of a struct or function below; compare it with burst_abi_version(). */
#define BURST_ABI_VERSION 1u

#define BURST_PATH_BYTES 4096
#define BURST_TEXT_BYTES 512
#define BURST_STREAMS_MAX 64 /* most streams of a ring, with the main stream */
#define BURST_STREAM_NAME_BYTES 256
typedef struct burst burst_t;
typedef struct burst_stream burst_stream_t;
typedef struct burst_rolling burst_rolling_t;

/* Classes of survival. Ring and log file must both survive at least the configured class. */
enum burst_durability {
    BURST_DURABILITY_POWER = 0,    /* survives loss of power */
    BURST_DURABILITY_OS_CRASH = 1, /* survives a kernel crash, but no loss of power */
    BURST_DURABILITY_PROCESS = 2,  /* survives only the end of the process (memory: tmpfs, zram) */
};

/* An append's choices in a full ring. */
enum burst_on_full {
    BURST_ON_FULL_BLOCK = 0,   /* wait for space, at most block_timeout_ns if that is set */
    BURST_ON_FULL_FAIL = 1,    /* return -EAGAIN */
    BURST_ON_FULL_DISCARD = 2, /* drop the record, count it, return 0 */
};

/* How the ring is written: docs/io-engines.md. burst_open refuses an engine that this library does not have, or that
 * does not work for this ring on this host. With BURST_IO_MAPPED the ring is mapped memory (docs/persistent-memory.md):
 * it installs a handler for SIGBUS, which hands on every signal that is not its own, and survives loss of power only if
 * MAP_SYNC holds. A ring created with it can be written by no other engine. */
enum burst_io {
    BURST_IO_AUTO = 0,   /* the fastest engine of those that are safe everywhere; measured once and noted on the ring */
    BURST_IO_PWRITE = 1, /* one positioned write for each commit */
    BURST_IO_URING = 2,  /* io_uring: several writes of a commit under way */
    BURST_IO_NVME = 3,   /* NVMe commands with FUA through the generic character device */
    BURST_IO_MAPPED = 4,
    BURST_IO_FLUSH = 5, /* one positioned write and one flush of the medium's cache, for drives that ignore FUA */
};

/* The process that moves records to the log files. EXTERNAL: `burstlog drain` (docs/drain.md); it needs a window. */
enum burst_drain { BURST_DRAIN_INNER = 0, BURST_DRAIN_EXTERNAL = 1 };

/* Pages of the ring's image in memory: huge ones if the host gives them, or never. */
enum burst_huge_pages { BURST_HUGE_PAGES_AUTO = 0, BURST_HUGE_PAGES_OFF = 1 };

/*
 * A stream: a log file of its own, for records that share a ring with those of other streams. Texts and structs that it
 * points to must last until the call that gets it returns. Times are in nanoseconds.
 */
typedef struct burst_stream_config {
    uint32_t struct_bytes; /* sizeof(burst_stream_config_t), set by burst_stream_config_init */
    uint32_t on_full;      /* enum burst_on_full; default BLOCK */
    /* Names the stream over restarts, in less than BURST_STREAM_NAME_BYTES; NULL or "": its file_name does. A named
     * stream may get another file: records that wait for the old one go there first. The main stream has no name. */
    const char *name;
    /* Required: path of the log file, made absolute and stored in the ring; the open creates it, and the folders above
     * it, if it is missing. Or a block device that `burstlog format --destination` prepared. No other open stream of
     * the process may write it. */
    const char *file_name;
    /* 0: no limit. Bounds an append's waits in all: for space, for writes of other threads, for threads in the middle
     * of a record. Only the append's own write, which has its record, takes as long as the medium does. */
    uint64_t block_timeout_ns;
    const char *file_owner;   /* user name for a new log file; NULL: unchanged */
    const char *file_group;   /* group name for a new log file; NULL: unchanged */
    uint32_t file_mode;       /* permission bits (0777) of a new log file; 0: 0666 less the umask */
    uint32_t rolls_by_caller; /* 1: the caller of burst_stream_next_roll rolls the files; 0: the engine does */
    /* When the engine rolls the files by itself, and their names: burstlog_rolling.h. NULL: it never does. */
    const burst_rolling_t *rolling;
    /* Path of a folder of segments that gets the stream's records, too: burstlog_consumer.h, docs/segments.md. A folder
     * that already has records of the stream goes on behind them. NULL or "": none. No other stream may write the
     * folder. */
    const char *segments;
    uint64_t segment_bytes; /* a segment ends before it would become longer; 64 KiB to 1 TiB; 0: 64 MiB */
    /* A segment that all consumers have passed is deleted once so many bytes are behind it, and its last write is so
     * long ago. 0: no such minimum. */
    uint64_t segments_keep_bytes;
    uint64_t segments_keep_ns;
    /* An event tells of a consumer that has more bytes before it, or has not passed a segment whose last write is
     * longer ago. 0: no such limit. */
    uint64_t segments_limit_bytes;
    uint64_t segments_limit_ns;
    uint32_t segments_over_limit; /* enum burst_segments_over_limit; default HOLD */
    uint32_t index;               /* 1: each log file gets an index for readers, in .burstlog-index beside it */
} burst_stream_config_t;

/* A ring, and its main stream. Texts and structs that it points to must last until the call that gets it returns. */
typedef struct burst_config {
    uint32_t struct_bytes; /* sizeof(burst_config_t), set by burst_config_init */
    uint32_t durability;   /* enum burst_durability; default POWER */
    uint32_t io;           /* enum burst_io; default AUTO */
    uint32_t huge_pages;   /* enum burst_huge_pages; default AUTO */
    /* Required: path of a block or DAX device that `burstlog format` prepared, or of a file. The open creates a missing
     * file with mode 0600, and the folders above it. It makes an empty file a ring, and keeps mode and owner. */
    const char *ring;
    /* The stream of burst_append and the other calls on a log. NULL: these calls return -EINVAL, and the log has only
     * streams of burst_stream_open. */
    const burst_stream_config_t *main;
    /* Size of the whole ring on its medium, 2 MiB to 256 GiB; 0: 16 MiB for a new file, and the size of an existing
     * ring. The open refuses an existing ring of another size. */
    uint64_t ring_bytes;
    uint64_t max_record_bytes;  /* longest record, at most a quarter of the ring; 0: 1 MiB, or a quarter of it */
    uint64_t drain_interval_ns; /* a durable record reaches its log file within this time; 0: 100 ms */
    /* Bounds burst_close, even if a medium hangs; 0: 10 s. Draining gets three quarters of it. Records that are not
     * drained then stay in the ring. */
    uint64_t shutdown_timeout_ns;
    /* 0: burst-commit makes enqueued records durable as soon as the write before is done. Otherwise it waits this long,
     * at most 1 s, for more of them, for fewer and longer writes. A call that waits for durability ends this wait. */
    uint64_t batch_delay_ns;
    uint64_t batch_bytes; /* so many enqueued bytes end the wait of batch_delay_ns, which must be set; 0: none do */
    /* CPUs for the threads burst-drain, which moves records to the log files, and burst-commit, which makes enqueued
     * records durable, in the kernel's form: "3" or "3-5,8". NULL or "": all CPUs of the process. The image is on the
     * NUMA node of commit_cpu, or without it on the device's. */
    const char *drain_cpu;
    const char *commit_cpu;
    int32_t realtime_priority; /* of burst-commit, 1..99 under SCHED_FIFO; 0: none */
    /* 0: burst-commit sleeps when nothing is enqueued. 1: it spins, so that no burst_offer pays for waking it. It then
     * takes a whole CPU, which commit_cpu should give it, and must if realtime_priority is set. */
    uint32_t commit_spin;
    uint32_t window_mode; /* permission bits of the window's socket; 0: 0600 */
    const char *window;   /* folder for the window, which readers look through: burstlog_reader.h. NULL or "": none */
    uint32_t drain;       /* enum burst_drain; default INNER */
    const char *copy;     /* name of the log's second copy: burstlog_copier.h. NULL or "": it has none */
} burst_config_t;

/* Set each field to its default (zero), and struct_bytes to the size with which this header was compiled. New fields
 * come at the end. A caller built against an older header of the same BURST_ABI_VERSION gets their defaults. A caller
 * built against a newer header is served as long as the fields that this library does not know are zero. */
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
 * Opens the ring and, if there is one, its main stream, or leaves neither; finishes what a crash interrupted
 * (recovery), and starts the drain. On return each record found is accounted for: see burst_recovery_statement(). Ring
 * and log file stay locked against other writers until burst_close(). Returns 0, or a negative errno. After an error
 * *log is NULL, and the call leaves no folder, ring or log file that it made. The medium is then unchanged, except for
 * the measurements of io = AUTO and for blocks that a file lacked.
 *
 * A ring file may have holes, unwritten blocks, or blocks that it shares with a copy. The open then writes the file's
 * content over itself, so that the file gets blocks of its own; that takes as long as writing so much. Without room for
 * the blocks it returns -ENOSPC.
 *
 * The open refuses a ring file that reaches beyond RLIMIT_FSIZE (-EFBIG), unless it is written as mapped memory: each
 * append could end the process by SIGXFSZ. If the log file reaches that limit, this call and burst_close() hold the
 * signal back, and the records stay in the ring. If root opens another user's ring file, this call moves no waiting
 * record to a log file that only the ring names (-EPERM).
 *
 * The open refuses CPUs that do not exist, are offline, or are not in the process's cpuset, and a priority out of its
 * range. If the host forbids a setting, the open goes on without it, with a WARN event: a real-time priority without
 * CAP_SYS_NICE or RLIMIT_RTPRIO, or the choice of CPUs in a container. If any of drain_cpu, commit_cpu,
 * realtime_priority and huge_pages is set, an INFO event tells where threads and image are.
 */
int burst_open(const burst_config_t *config, burst_t **log);

/* Checks the values that burst_open() checks before it touches anything. Returns 0, or a negative errno;
 * burst_last_error() then names each value that cannot be used. Opens, creates and reads no ring. */
int burst_config_check(const burst_config_t *config);

/*
 * Appends one record to the main stream (-EINVAL without one). Returns its sequence once the record and all before it
 * are durable in the ring. Sequences begin with 1 and have no gaps, even over reopens. length: 0..max_record_bytes.
 * event_time_ns: any clock of the caller, kept with the record. Returns 0 if the ring was full and on_full is DISCARD.
 */
int64_t burst_append(burst_t *log, const void *data, size_t length, int64_t event_time_ns);

/* Appends one record like burst_append, but returns as soon as the record is accepted. The thread burst-commit makes it
 * durable; burst_await_durable waits for that. When the ring is full on_full decides, as for burst_append. */
int64_t burst_enqueue(burst_t *log, const void *data, size_t length, int64_t event_time_ns);

/* Enqueues one record without ever waiting: returns -EAGAIN when the ring is full, whatever on_full says. */
int64_t burst_offer(burst_t *log, const void *data, size_t length, int64_t event_time_ns);

/*
 * Append or enqueue a record like burst_append and burst_enqueue, under a rule of this call's own: on_full and
 * timeout_ns replace on_full and block_timeout_ns of the log. timeout_ns < 0: no limit; 0: the call waits for no space
 * and no other thread. Each call may have its own rule. A call that finds the ring full counts once in
 * burst_stats_t.full_waits, however long it waits; a record that it drops counts once in burst_stats_t.discarded.
 * Return -EINVAL, too, if on_full is none of the enumeration; then nothing was written.
 */
int64_t burst_append_within(burst_t *log, const void *data, size_t length, int64_t event_time_ns,
                            enum burst_on_full on_full, int64_t timeout_ns);
int64_t burst_enqueue_within(burst_t *log, const void *data, size_t length, int64_t event_time_ns,
                             enum burst_on_full on_full, int64_t timeout_ns);

/* The highest sequence that is durable together with all before it; 0 if there is none. It never falls. */
int64_t burst_durable_sequence(const burst_t *log);

/* Waits until the sequence is durable. With timeout_ns < 0 it waits without a limit, and writes itself if no other
 * thread does. Otherwise burst-commit writes at once, and this call returns in time even if the medium hangs. Returns 1
 * when durable, also for sequence 0 (a discarded record); 0 after the time; or a negative errno: -EINVAL for a sequence
 * that no record has yet, such as the answer to a refused record. */
int burst_await_durable(burst_t *log, int64_t sequence, int64_t timeout_ns);

/* Waits until all records accepted so far are durable in the ring; otherwise like burst_await_durable. */
int burst_flush(burst_t *log, int64_t timeout_ns);

/* Asks the log file to sync now, and waits until all records accepted so far are durable in it. timeout_ns and result
 * are those of burst_await_durable. Also returns -EIO if a failed ring has lost one of them, or takes no checkpoint. */
int burst_await_drained(burst_t *log, int64_t timeout_ns);

/*
 * Refuses new records, makes all accepted ones durable, drains, and lets go of ring and log file, all within
 * shutdown_timeout_ns. The next open moves the records that are then still in the ring. Returns the number of these
 * records, or -EIO if accepted records could not be made durable. A second close returns -ESHUTDOWN.
 *
 * -EINPROGRESS: the time was over first, because the medium of the ring or of the log file did not answer; the sentence
 * says which. The thread burst-drain does the rest when the medium answers. Until then, or until the process ends, ring
 * and log file stay locked, and another open of them returns -EBUSY. burst_stats() tells the progress. Records that
 * were durable in the ring are not lost, whatever becomes of that thread.
 */
int64_t burst_close(burst_t *log);

/* Closes the log like burst_close, within timeout_ns instead of shutdown_timeout_ns. < 0: no limit. */
int64_t burst_close_within(burst_t *log, int64_t timeout_ns);

/* Writes into text, always terminated, why the ring has failed: one sentence. Returns 1 if it has, else 0 and "". */
int burst_failure(const burst_t *log, char *text, size_t text_bytes);

/* Writes into text, always terminated, one sentence that says what recovery found at open (docs/recovery.md). Returns
 * the number of records that are provably lost, or 0 if nobody can know that; the sentence then says so. */
int64_t burst_recovery_statement(const burst_t *log, char *text, size_t text_bytes);

/* Writes into text, always terminated, what ring and log file survive: one line for each, with its class and the
 * evidence. 1024 bytes are enough. Returns enum burst_durability: what both together survive. */
int burst_durability_statement(const burst_t *log, char *text, size_t text_bytes);

enum burst_state {
    BURST_STATE_OPEN = 0,    /* appends and drains */
    BURST_STATE_STALLED = 1, /* appends; the log file cannot be written, and the drain keeps trying */
    BURST_STATE_FAILED = 2,  /* refuses all appends: see burst_failure */
    BURST_STATE_CLOSED = 3,  /* closed, or being closed */
};

#include "burstlog_stages.h"
#include "burstlog_copier.h"

typedef struct burst_stats {
    uint32_t struct_bytes;     /* the caller sets it to sizeof(burst_stats_t) */
    uint32_t state;            /* enum burst_state */
    int64_t accepted_sequence; /* highest sequence that a record has */
    int64_t durable_sequence;  /* highest sequence durable in the ring */
    int64_t drained_sequence;  /* highest sequence durable in the log file */
    uint64_t commits;          /* group commits since open */
    uint64_t device_writes;    /* writes of those commits */
    uint64_t device_bytes;     /* bytes of those writes */
    uint64_t full_waits;       /* appends that found the ring full */
    uint64_t discarded;        /* records dropped with BURST_ON_FULL_DISCARD */
    /* Enqueued records that a failure of the ring lost. If a thread was stuck in the middle of a record, all accepted
     * behind it count: then it is an upper bound. */
    uint64_t lost_enqueued;
    uint64_t capacity_bytes; /* bytes of the ring that hold records */
    uint64_t used_bytes;     /* bytes that the drain has not yet released */
    uint64_t max_record_bytes;
    uint64_t file_bytes;        /* written length of the main stream's current log file; 0: no main stream */
    uint32_t destination_empty; /* 1 if at open that file was empty, and no record waited for it */
    uint32_t epoch;             /* number of this open in the ring's life */
    uint32_t survives;          /* enum burst_durability: what ring and log file together survive */
    uint32_t io;                /* enum burst_io in use */
    burst_copy_stats_t copy;
    burst_stage_stats_t stages[BURST_STAGES]; /* by enum burst_stage */
} burst_stats_t;

/* Fills *stats up to struct_bytes, with zeros in fields that only a newer header of the same BURST_ABI_VERSION has.
 * Returns 0 or a negative errno. On a closed handle it gives the last figures, with state CLOSED. */
int burst_stats(const burst_t *log, burst_stats_t *stats);

/* BURST_ERROR: appends wait or fail, or soon will, or records are lost. The event comes again each minute while that
 * lasts. BURST_WARN: somebody should look. The end of a condition is told with the severity of its beginning. */
enum burst_severity { BURST_INFO = 0, BURST_WARN = 1, BURST_ERROR = 2 };

typedef struct burst_event {
    uint32_t struct_bytes;       /* the caller sets it to sizeof(burst_event_t) */
    uint32_t severity;           /* enum burst_severity */
    int64_t time_ns;             /* CLOCK_REALTIME */
    char text[BURST_TEXT_BYTES]; /* terminated; "..." stands for the middle of long paths */
} burst_event_t;

/*
 * Takes the oldest event that the engine has for its operator (recovery statement, full ring, stalled or changed log
 * file, failure). Waits at most timeout_ns for one (< 0: no limit). Returns 1 with *event filled, 0 if there is none,
 * or -ESHUTDOWN when the handle is closed and no event is left. The engine keeps at most 16; the newest replace the
 * oldest.
 */
int burst_next_event(burst_t *log, burst_event_t *event, int64_t timeout_ns);

/* Copies the absolute path of the log file that is written now, always terminated. It differs from file_name after a
 * failed sync, or if others wrote into the file, cut it or took its name, until the log goes back: docs/recovery.md.
 * Returns 0, or -EINVAL and "" if there is no main stream. */
int burst_current_file(const burst_t *log, char *path, size_t path_bytes);

/* ------------------------------------------------------------------------------------------------------------ streams
 *
 * A ring may carry several streams: orders, audit, diagnostics, each with a log file of its own. They share the ring's
 * order, its sequences, its group commits and its space. The stream of burst_config_t.main is the main stream, which
 * the calls above write; burst_stream_open opens others.
 *
 * A record stays in its stream: after a crash, or once its stream is not opened any more, it goes to the file that the
 * stream was bound to. A file that cannot be written holds up its own stream only, until its records fill the ring; the
 * event that tells of it says how much of the ring they hold.
 */

/* The stream of burst_config_t.main; the log's close closes it. If there is none, calls on it return -EINVAL, as those
 * on the log do. */
burst_stream_t *burst_main_stream(burst_t *log);

/*
 * Opens a stream and its log file; records that wait for it go there first. The ring notes the stream before this
 * returns 0 with *stream. The handle stays valid to pass as long as the process lives. On an error *stream is NULL, and
 * the call leaves no file that it made. Returns -EBUSY (the stream or its file is open already), -ENOSPC
 * (BURST_STREAMS_MAX streams are open, or hold records that their file or the second copy lacks), -E2BIG (the names of
 * all streams together do not fit into the ring's head, some 100 KiB), or -ETIMEDOUT: the thread burst-drain, which opens
 * the file, has not done so within the log's shutdown_timeout_ns. That happens if a log file of the ring does not answer,
 * or if many records have to move first. If the thread opens the file later, it closes it again, and may leave it behind,
 * empty.
 *
 * Log file and segments do not wait for each other. The ring gets the space of a record back when both have the record.
 * If a stream is opened without the segments that it had, it ends them: records that wait for them go there first.
 *
 * A stream gives a log file up when it gets another file_name under its name, or is not opened any more. Another stream
 * may then take the file over, once all records that wait for it are in it.
 */
int burst_stream_open(burst_t *log, const burst_stream_config_t *config, burst_stream_t **stream);

/* Do for a stream what burst_append, burst_enqueue, burst_offer and the others do for the main stream. The sequence is
 * the ring's, so the calls that wait for durability take it. Return -ESHUTDOWN, too, if the stream is closed. */
int64_t burst_stream_append(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns);
int64_t burst_stream_enqueue(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns);
int64_t burst_stream_offer(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns);
int64_t burst_stream_append_within(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                                   enum burst_on_full on_full, int64_t timeout_ns);
int64_t burst_stream_enqueue_within(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                                    enum burst_on_full on_full, int64_t timeout_ns);

/* Waits like burst_await_drained, but only for the records of this stream. */
int burst_stream_await_drained(burst_stream_t *stream, int64_t timeout_ns);

typedef struct burst_stream_stats {
    uint32_t struct_bytes;    /* the caller sets it to sizeof(burst_stream_stats_t) */
    uint32_t state;           /* enum burst_state */
    int64_t drained_sequence; /* all records of the stream up to it are durable in its log file */
    uint64_t drained_records; /* records written to the file since the log was opened; a redo counts again */
    uint64_t drained_bytes;   /* bytes of these records */
    /* Bytes of the ring from the first record that waits for the file on: no stream gets them back. */
    uint64_t held_bytes;
    uint64_t file_bytes;        /* length of the current log file that has been written */
    uint64_t discarded;         /* records dropped with BURST_ON_FULL_DISCARD */
    uint32_t destination_empty; /* 1 if the log file was empty at the open, and no record waited for it */
    uint32_t id;                /* number of the stream in `burstlog dump` */
    uint64_t file_number;       /* number of the current log file: 1, and one more at each roll; 0: it has none yet */
    int64_t file_born_ns;       /* CLOCK_REALTIME of the roll that began the file, else of its creation; 0: unknown */
} burst_stream_stats_t;

/* Fills *stats for a stream; otherwise like burst_stats. */
int burst_stream_stats(const burst_stream_t *stream, burst_stream_stats_t *stats);

/* Copies the path of the stream's log file; otherwise like burst_current_file. */
int burst_stream_current_file(const burst_stream_t *stream, char *path, size_t path_bytes);

/*
 * Refuses new records of the stream, waits like burst_stream_await_drained, and lets go of the log file. Returns 1 if
 * all its records are in the log file, 0 after the time, or a negative errno. Records that are left then go to the file
 * as long as the log is open, or at the next open. An append that finds no space meanwhile returns -ESHUTDOWN. The call
 * returns within timeout_ns. The thread burst-drain lets go of the file when its step ends, or later if a log file does
 * not answer; an open of the same stream waits for it. -EINVAL for the main stream. burst_close closes all streams.
 */
int burst_stream_close(burst_stream_t *stream, int64_t timeout_ns);

#include "burstlog_rolling.h"
#include "burstlog_tasks.h"
#include "burstlog_consumer.h"
#include "burstlog_reader.h"

/* Binds the methods of the Java class that are called for each event, by JNI RegisterNatives: a JNI call, although JNA
 * loaded the library. Java calls this once, with the calling thread's JNIEnv and the class. Returns 0, or -EINVAL if the
 * class lacks one of the methods. */
int burst_register(void *jni_env, void *java_class);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
