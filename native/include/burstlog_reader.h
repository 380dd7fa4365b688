/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers: part of burstlog.h, which includes this.
 *
 * A reader gives the records of a log in the order of their sequences: of a ring that another process writes, of a ring
 * that nobody has open, of the log files and their archives, of a folder of segments, of a signed archive (docs/archive.md).
 * It needs read rights only. It cannot slow down, stop or mislead the log, takes no lock, and holds no record back: a consumer does that
 * (burstlog_consumer.h). It gets each durable record once, or is told that it missed it. Nothing above the watermark is
 * ever given: no crash takes back what a reader got.
 *
 * A log that was opened with a window (burst_config_t.window: an existing folder) makes a socket there, which hands out
 * its ring's memory, read-only, to each process that may connect (window_mode). Its readers see a record as soon as it is
 * durable. Without a window a reader reads the medium: the last commit is then proven only by the
 * next one or by a note, some 100 ms later.
 *
 * Each function returns 0 or the value that it documents, or a negative errno with a sentence (burst_last_error). Only
 * one thread at a time may use a reader. No call but burst_reader_open allocates memory, unless a record is longer than
 * all before it.
 */
#ifndef BURSTLOG_READER_H
#define BURSTLOG_READER_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

typedef struct burst_reader burst_reader_t;

/* The record with which a reader begins. */
enum burst_read_from {
    BURST_FROM_OLDEST = 0,   /* the oldest one that is still anywhere */
    BURST_FROM_RING = 1,     /* the oldest one that is still in the ring: opens no log file */
    BURST_FROM_SEQUENCE = 2, /* the first one of this sequence or a higher one, or the loss of it */
    BURST_FROM_TIME = 3,     /* the first one with this event time or a later one, or the loss directly before it */
    BURST_FROM_LAST = 4,     /* the last so many; 0: only records that become durable later */
};

/* How a reader waits for the next record in a ring that has a window. */
enum burst_read_wait {
    BURST_WAIT_SLEEP =
        0,              /* sleeps until the log wakes it: takes no processor time; the log's thread burst-window does */
    BURST_WAIT_NAP = 1, /* looks each 50 us */
    BURST_WAIT_SPIN = 2, /* looks without a pause: takes a whole CPU */
};

#define BURST_ALL_STREAMS 0xffffffffu

typedef struct burst_reader_config {
    uint32_t struct_bytes; /* sizeof(burst_reader_config_t), set by burst_reader_config_init */
    uint32_t wait;         /* enum burst_read_wait; default SLEEP */
    /* Required: path of a ring (device or file), of a log file, of a folder of segments, of a signed archive, or of a
     * window's socket. */
    const char *source;
    /* Folder in which the log makes its window. NULL: the folder of the ring file, /run/burstlog for a device. "": the
     * reader uses no window, and reads the medium. */
    const char *window;
    /* The stream: its name, or the path of its log file. NULL: the only one, if the ring has one stream; else all
     * streams of the ring, in the ring's order, without their log files. */
    const char *stream;
    uint32_t from;      /* enum burst_read_from; default OLDEST */
    uint32_t reserved;  /* 0 */
    int64_t from_value; /* sequence, event time in nanoseconds, or number of records */
    /* Shell pattern of the stream's archives ("logs/app-*.log.gz"), read before the log file, the oldest first. NULL: the
     * files beside the log file whose names begin as its own does. "": none. */
    const char *archives;
} burst_reader_config_t;

void burst_reader_config_init_bytes(burst_reader_config_t *config, size_t struct_bytes);
#define burst_reader_config_init(config) burst_reader_config_init_bytes(config, sizeof(burst_reader_config_t))

enum burst_read_kind {
    BURST_READ_RECORD = 0, /* a record, as it was appended */
    /* One line of text that no index has: bytes up to and with a newline, of a record whose sequence is unknown, or of a
     * header or footer. The last one of a file may have no newline: a call that waits gives it after 0.2 s. */
    BURST_READ_LINE = 1,
    /* The log file ended here; data is a roll, as docs/media-format.md describes it. A signed archive has no data of it. */
    BURST_READ_ROLL = 2,
    /* The ring lost `count` records from `sequence` on, of this stream or of others: its medium was damaged. data is the
     * line that tells it in the log file, if it was read from there. */
    BURST_READ_LOST = 3,
    /* The reader came too late: `count` records from `sequence` on, of this stream or of others, were written over
     * before it read them, and no file that the reader knows has them any more. */
    BURST_READ_MISSED = 4,
    /* A record of a signed archive whose payload was erased, or whose time was over: sequence and times are there, data is
     * NULL. */
    BURST_READ_ERASED = 5,
};

/* The place from which a record was read. */
enum burst_read_place {
    BURST_PLACE_RING = 0,     /* the shared memory of the log */
    BURST_PLACE_MEDIUM = 1,   /* the medium of the ring */
    BURST_PLACE_FILE = 2,     /* a log file or an archive of one */
    BURST_PLACE_SEGMENTS = 3, /* a segment */
    BURST_PLACE_ARCHIVE = 4,  /* a signed archive */
};

typedef struct burst_read {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_read_t) */
    uint32_t kind;         /* enum burst_read_kind */
    int64_t sequence;      /* as burst_append returned it; LINE: of a record behind it; 0: unknown */
    int64_t event_time_ns; /* as the caller of the append gave it; 0 for lines, losses and missed records */
    const void *data;      /* valid until the reader's next call; NULL unless the kind has data */
    size_t length;
    uint64_t count; /* LOST, MISSED: the number of records */
    uint64_t
        position; /* offset in the ring or the file; number of the frame in segments, of the leaf in a signed archive */
    uint32_t stream;   /* number of the stream in `burstlog dump`; BURST_ALL_STREAMS: unknown */
    uint32_t epoch;    /* number of the open that wrote it; 0: unknown */
    uint32_t place;    /* enum burst_read_place */
    uint32_t enqueued; /* 1: the caller did not wait for it (burst_enqueue, burst_offer); 0: it did, or it is unknown */
    /* The record was durable at the latest then, CLOCK_REALTIME in nanoseconds; 0: unknown, as of all records that come
     * from a ring or a segment. Log files with an index have it of most records, a signed archive of all. */
    int64_t durable_ns;
} burst_read_t;

/*
 * Opens a reader. Returns 0, or with *reader NULL: -ENOENT (there is nothing at this path), -ENODATA (no ring, log file,
 * folder of segments or signed archive), -ESRCH (the ring has no such stream), -ERANGE (no record of this sequence or time is known: the
 * sentence says which are), -EACCES, -EUCLEAN (damaged), -EPROTO (of another version), -EINVAL (a value cannot be used)
 * or another -errno.
 */
int burst_reader_open(const burst_reader_config_t *config, burst_reader_t **reader);

/* Gets the next record. Returns 1 with *record, or 0 if none came within timeout_ns (< 0: no limit, 0: only looks). A log
 * that is closed, and opened again, goes on. */
int burst_reader_next(burst_reader_t *reader, burst_read_t *record, int64_t timeout_ns);

/* burst_reader_poll writes this before the data of each record. */
typedef struct burst_read_polled {
    uint32_t kind;   /* enum burst_read_kind */
    uint32_t length; /* length of the data that follows; zeros up to a multiple of 8 follow the data */
    int64_t sequence;
    int64_t event_time_ns;
    uint64_t count;
    uint64_t position;
    uint32_t stream;
    uint32_t epoch;
    uint32_t place;
    uint32_t enqueued;
    int64_t durable_ns;
} burst_read_polled_t;

/*
 * Gets as many records as fit into the buffer, which is aligned to 8 bytes. Each is copied there behind a
 * burst_read_polled_t. The call waits only for the first record, as burst_reader_next does. Returns the number of bytes
 * it has written; 0 if no record came within the time; a number above `bytes` if the next record needs that much, with
 * no record taken. An error behind records that it has written is that of the next call.
 */
int64_t burst_reader_poll(burst_reader_t *reader, void *buffer, size_t bytes, int64_t timeout_ns);

/* Goes to another record, as burst_reader_config_t.from says. Returns as burst_reader_open does; after an error the
 * reader is where it was. */
int burst_reader_seek(burst_reader_t *reader, enum burst_read_from from, int64_t value);

typedef struct burst_reader_state {
    uint32_t struct_bytes;      /* the caller sets it to sizeof(burst_reader_state_t) */
    uint32_t place;             /* enum burst_read_place: where the next record will be read */
    int64_t next_sequence;      /* the next record that the reader gets has this sequence or a higher one; 0: unknown */
    int64_t durable_sequence;   /* the last record that the reader knows to be durable; 0: unknown */
    int64_t oldest_sequence;    /* no record of the oldest file that has an index is older; 0: unknown */
    uint64_t records;           /* records and lines that the reader has given */
    uint64_t missed;            /* records that it was told as missed */
    uint64_t lost;              /* records that it was told as lost */
    uint64_t files;             /* files and segments that it has opened */
    uint64_t seeks;             /* places of files and segments that it looked at to find its beginning */
    char how[BURST_TEXT_BYTES]; /* one sentence: how it reads the ring, and why not better */
} burst_reader_state_t;

int burst_reader_state(const burst_reader_t *reader, burst_reader_state_t *state);

/* Closes the reader. NULL is allowed. */
void burst_reader_close(burst_reader_t *reader);

#endif
