/* SPDX-License-Identifier: Apache-2.0 */
/* Logging from tasks that must not wait inside a C call: part of burstlog.h, which includes this. */
#ifndef BURSTLOG_TASKS_H
#define BURSTLOG_TASKS_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

/*
 * A runtime that runs many tasks on few threads (virtual threads, coroutines) loses a thread as long as a task waits in
 * a call. With these calls a task only copies its record, and waits in the runtime. One thread of the runtime for each
 * log, the waker, awaits here what the tasks wait for. It also writes what they put in.
 *
 *     a task                                                  the waker, while tasks wait
 *     sequence = burst_stream_put(..)                         burst_await_progress(log, &seen, -1)
 *     links itself into a list of waiting tasks               takes the tasks whose sequence is at most
 *     asks burst_durable_sequence() once more                     seen.durable_sequence out of the list, and
 *     sleeps until the waker releases it                          releases them
 *
 * A task that linked itself in makes sure that the waker is in burst_await_progress or about to call it.
 */

/* Choices of burst_stream_put, as bits. */
enum burst_put {
    BURST_PUT_ENQUEUED = 1, /* nobody waits for the record: it is accepted as by burst_enqueue */
    BURST_PUT_RETRY = 2,    /* an earlier call for this record found the ring full; the figures count that one */
};

/*
 * Puts one record into the ring, and never waits. Returns its sequence. The record is not durable yet: the waker's call
 * makes it durable, whatever batch_delay_ns is; with BURST_PUT_ENQUEUED the thread burst-commit does. Returns -EAGAIN
 * when the ring is full; with on_full = DISCARD the record is then counted as dropped, and 0 is returned. Other
 * failures are those of burst_stream_append.
 */
int64_t burst_stream_put(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                         enum burst_on_full on_full, uint32_t choices);

typedef struct burst_progress {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_progress_t), and the other fields to 0 at first */
    uint32_t is_failed;    /* 1: the ring has failed; burst_failure() tells why */
    uint32_t is_closing;   /* 1: the log refuses new records */
    uint32_t is_over;      /* 1: no further record will become durable */
    /* Since when the oldest task has waited for space, in ns of CLOCK_MONOTONIC; 0: none does. The caller sets it before
     * each call. The operator hears of a full ring, and the drain makes haste, as for an append that waits. */
    int64_t space_since_ns;
    int64_t durable_sequence; /* burst_durable_sequence() */
    uint64_t freed;           /* grows when the ring has more space */
    uint64_t drains;          /* grows when burst_stream_is_drained() may have another answer */
    uint32_t nudges;          /* number of calls of burst_nudge() */
    uint32_t wants_space;     /* only for the call itself */
} burst_progress_t;

/*
 * Returns 1 as soon as any field of *progress differs from what the log has now, with *progress filled; 0 after
 * timeout_ns (< 0: no limit). Meanwhile it writes the records that tasks put in, if no other thread writes; then it
 * takes as long as the medium does. Returns -ESHUTDOWN when is_over is set and nothing changes any more. One thread of
 * a log at a time may call it.
 */
int burst_await_progress(burst_t *log, burst_progress_t *progress, int64_t timeout_ns);

/* Has everything accepted so far written at once, and makes burst_await_progress return. For a task that waits for a
 * record that was enqueued, for space, or for the log file, after it has linked itself in. */
void burst_nudge(burst_t *log);

/* Returns 1 if all records of the stream up to the sequence are durable in its log file, else 0. Then it asks for a sync
 * of that file. Returns -ESHUTDOWN if the log is closed, or -EIO as burst_await_drained. */
int burst_stream_is_drained(burst_stream_t *stream, int64_t sequence);

/* Answers for the records of all streams, as burst_stream_is_drained does for those of one. */
int burst_is_drained(burst_t *log, int64_t sequence);

#endif
