/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second copy of a log: part of burstlog.h, which includes this.
 *
 * A log that is opened with burst_config_t.copy hands its records to a copier of the application while their write to the
 * ring is under way. The copier takes blocks, stores them elsewhere (on other hosts), and confirms them:
 *
 *     burst_copy_begin        says what the copy has; before, it fences whoever wrote the copy
 *     burst_copy_take         the next records, of which the ring perhaps has none durably yet
 *     burst_copy_confirm      they are stored
 *     burst_copy_away         the copy cannot be reached, and nobody shall wait for it
 *
 * A record has two copies once burst_await_copied returns 1. No log file gets a record before the copy has it, and no
 * record leaves the ring before, so after any crash the next burst_copy_begin goes on behind the copy's last record. A gap
 * is left only by what is drained while the copy is away, or while the log is open without a copy (by `burstlog recover`,
 * too), or when an open brings records to the place that a stream had before, or from which a log goes back to its name;
 * burst_copy_begin names it.
 *
 * If a write of the ring fails, or a crash comes first, the copy may have records that the ring lacks. No call
 * acknowledged them, and the next epoch of the ring gives their sequences to others: burst_copy_begin tells how many they
 * are, and the copy must drop them. It cannot know that if the log was opened twice since and went on without the copy: a
 * WARN event tells it.
 *
 * A ring that has lost records which were durable in it is refused: its disk lied, say, or an older state of it was put back.
 * Each block says which records were durable when its last one was sealed, so a loss of the commits behind these alone is
 * not noticed.
 *
 * Any thread may call these functions, but one thread at a time takes. They return -EINVAL for a log without a copy,
 * -ESHUTDOWN for a closed one, and -EOWNERDEAD in a forked child, each with a sentence. Blocks can be taken and confirmed
 * while burst_close() waits.
 */
#ifndef BURSTLOG_COPIER_H
#define BURSTLOG_COPIER_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

typedef struct burst_copy_begun {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_copy_begun_t) */
    uint32_t epoch;        /* of the ring. A copy that notes next_sequence notes it, too: see burst_copy_begin */
    int64_t next_sequence; /* of the first record that burst_copy_take will give */
    int64_t missing;       /* records right before that one which the copy lacks and the ring does not hold any more */
    /* So many of the copy's last records are of no log: drop them. Then next_sequence is the last one + 1 - surplus +
     * missing: the log file may have others with their sequences, which are missing. */
    int64_t surplus;
    int64_t durable_sequence; /* the last record before next_sequence that is durable in the ring: noted, too */
} burst_copy_begun_t;

/* Begins, or begins again, behind the copy's last record; 0: the copy is empty. last_epoch is the epoch in the header of
 * that record, durable_sequence is that of its block (burst_copy_block_t), or of an earlier one; 0: not known. A copy that
 * has noted begun->next_sequence and got no record since gives next_sequence - 1, and the epoch and the durable_sequence in
 * *begun: so a gap is named once. Returns 0, or -EINVAL if the ring cannot have written such a record, or has lost records
 * up to durable_sequence: then nothing has changed. A WARN event names what is missing. The first call after an open may
 * read the headers of the whole ring. */
int burst_copy_begin(burst_t *log, int64_t last_sequence, uint32_t last_epoch, int64_t durable_sequence,
                     burst_copy_begun_t *begun);

/* Nothing waits for the copy any more, until burst_copy_begin: an ERROR event tells it, and those who wait for a record to
 * be copied get -ENOTCONN. */
int burst_copy_away(burst_t *log);

typedef struct burst_copy_block {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_copy_block_t) */
    uint32_t epoch;        /* of all its records */
    size_t bytes;
    int64_t first_sequence;
    int64_t last_sequence;    /* it has each record between the two */
    int64_t durable_sequence; /* when the last one was sealed the records up to this one were durable in the ring */
} burst_copy_block_t;

/*
 * Gives the next whole records, each as it stands in the ring (docs/media-format.md: header with its CRC and the payload's,
 * payload, zeros up to a multiple of 8), as many as are there and fit. Pads and markers are left out. Waits until there is
 * a record: with timeout_ns < 0 without a limit. Returns 1 with the block; 0 after the time; or -ENOTCONN (the copy has not
 * begun, or is away), -EMSGSIZE (the next record with its header is longer than `bytes`), -EIO (pages of the ring were
 * lost). The records are not durable in the ring yet, perhaps.
 */
int burst_copy_take(burst_t *log, void *buffer, size_t bytes, int64_t timeout_ns, burst_copy_block_t *block);

/* Copies the name of the stream that has this number in record headers, always terminated; if it has none, the absolute path
 * of its log file; if another stream has taken that over before this open, "stream 5" with its number. BURST_PATH_BYTES are
 * enough. Returns 0, or -ENOENT if the ring has no such stream. */
int burst_copy_stream(burst_t *log, uint32_t stream, char *name, size_t name_bytes);

/* The copy has stored all records up to this one, so that it survives what it is to survive. Returns 0, -ENOTCONN, or
 * -EINVAL for a record that was not taken since the copy began. */
int burst_copy_confirm(burst_t *log, int64_t sequence);

/* The highest sequence that the copy has together with all before it, but for those that burst_copy_begin named as
 * missing, and those that the ring has lost. It never falls. Before burst_copy_begin: the last sequence that the ring does
 * not keep. */
int64_t burst_copied_sequence(burst_t *log);

/* Copies the id of the ring, which the copy needs to tell rings apart; every log has one. Works on a closed handle. */
void burst_ring_id(const burst_t *log, uint8_t id[16]);

/* Waits until the record is durable in the ring and stored in the copy. timeout_ns and result are those of
 * burst_await_durable. Also returns -ENOTCONN (the copy is away) and -ENODATA (burst_copy_begin named the record as
 * missing, since this open): the record then has one copy. And -ENODATA if this open found that the ring has lost the
 * record: the copy may have it from before, and nobody here knows. */
int burst_await_copied(burst_t *log, int64_t sequence, int64_t timeout_ns);

enum burst_copy_state {
    BURST_COPY_NONE = 0,     /* the log was opened without a copy */
    BURST_COPY_EXPECTED = 1, /* it has not begun since the open, and the ring keeps everything for it */
    BURST_COPY_HERE = 2,     /* it has begun */
    BURST_COPY_AWAY = 3,     /* nothing waits for it */
};

#define BURST_COPY_NAME_BYTES 124 /* with the terminator */

/* Figures of the copy: all 0 without one. */
typedef struct burst_copy_stats {
    uint32_t state;                   /* enum burst_copy_state */
    char name[BURST_COPY_NAME_BYTES]; /* burst_config_t.copy */
    int64_t copied_sequence;          /* burst_copied_sequence() */
    uint64_t records_behind;          /* durable in the ring, and not in the copy: those behind copied_sequence */
    uint64_t records_missing;         /* named by burst_copy_begin since the open, each once; not those between two gaps
                                         that the copy had, and lost later */
} burst_copy_stats_t;

#endif
