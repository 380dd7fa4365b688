/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consumers of segments: part of burstlog.h, which includes this.
 *
 * A consumer has a name, and a position in a folder of segments (burst_stream_config_t.segments) that outlives it. A
 * consumer needs only the folder: it may run in the log's process or in another one, while a log writes the folder or
 * long after. It gets each record of the stream in order, with the record's number: its place in the folder, from 1
 * without a gap. Each record that a consumer gets is durable in the ring, if not yet in the segment: no crash takes it
 * back. After burst_consumer_ack the consumer goes on behind that record, however the process ends. So a program gets
 * each record exactly once if it stores the record's number together with its own result, and seeks behind that number
 * when it begins.
 *
 * Each function returns 0 or the value that it documents, or a negative errno with a sentence (burst_last_error). Only
 * one thread at a time may use a consumer. Consumers with different names do not affect each other. The log never waits
 * for a consumer.
 */
#ifndef BURSTLOG_CONSUMER_H
#define BURSTLOG_CONSUMER_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

/* The fate of segments beyond the limit that a consumer has not passed. */
enum burst_segments_over_limit {
    BURST_SEGMENTS_HOLD = 0,    /* they stay: the disk may fill up, and then the ring */
    BURST_SEGMENTS_RELEASE = 1, /* they are deleted: the consumer gets BURST_CONSUMED_MISSING */
};

#define BURST_CONSUMER_NAME_BYTES 200 /* longest name, with the terminator */

typedef struct burst_consumer burst_consumer_t;

enum burst_consumed_kind {
    BURST_CONSUMED_RECORD = 0, /* a record, as it was appended */
    /* The log file ended here: burstlog_rolling.h. data is a roll, as docs/media-format.md describes it. */
    BURST_CONSUMED_ROLL = 1,
    BURST_CONSUMED_LOST = 2,    /* the ring lost `count` records from `sequence` on, of this stream or of others */
    BURST_CONSUMED_MISSING = 3, /* no segment has the `count` numbers up to `number`: others deleted or damaged them */
};

typedef struct burst_consumed {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_consumed_t) */
    uint32_t kind;         /* enum burst_consumed_kind */
    uint64_t number;
    int64_t sequence;      /* as burst_append returned it; 0 for BURST_CONSUMED_MISSING */
    int64_t event_time_ns; /* as the caller of the append gave it */
    const void *data;      /* valid until the consumer's next call; NULL except for records and rolls */
    size_t length;
    uint64_t count;
} burst_consumed_t;

/*
 * Opens the folder, and the consumer of that name. A new consumer begins with the oldest record. Returns 0, or with
 * *consumer NULL: -ENOENT (there is no such folder, or no log has written it yet), -EBUSY (the consumer is open
 * elsewhere), -EINVAL (the name is empty, too long, begins with a dot or has a slash), -EUCLEAN (the folder's head or
 * the consumer's file is damaged, or belongs to another folder), -EPROTO (the folder is of another version), -ELOOP,
 * -EMLINK, -EISDIR or -ENOTSUP (a link, a file with a second name, or no file is in the place of the consumer's file).
 */
int burst_consumer_open(const char *folder, const char *name, burst_consumer_t **consumer);

/*
 * Gets the next record. Returns 1 with *record, or 0 if none came within timeout_ns (< 0: no limit, 0: only looks).
 * Returns -ESTALE if the folder was deleted, emptied, moved away or begun anew, so that no more records come: after all
 * readable records, and within a second. Then close the consumer and open it again. As long as this lasts, each call
 * returns -ESTALE; in a folder that was moved back the consumer reads on.
 */
int burst_consumer_next(burst_consumer_t *consumer, burst_consumed_t *record, int64_t timeout_ns);

/* burst_consumer_poll writes this before the data of each record. */
typedef struct burst_polled {
    uint32_t kind;   /* enum burst_consumed_kind */
    uint32_t length; /* length of the data that follows; zeros up to a multiple of 8 follow the data */
    uint64_t number;
    int64_t sequence;
    int64_t event_time_ns;
    uint64_t count;
    uint8_t ring[16]; /* id of the ring that gave the sequence, as `burstlog info` shows it */
} burst_polled_t;

/*
 * Gets as many records as fit into the buffer, which is aligned to 8 bytes. Each is copied there behind a
 * burst_polled_t. The call waits only for the first record, as burst_consumer_next does. Returns the number of bytes it
 * has written; 0 if no record came within the time; a number above `bytes` if the next record needs that much, with no
 * record taken; -ESTALE as burst_consumer_next.
 */
int64_t burst_consumer_poll(burst_consumer_t *consumer, void *buffer, size_t bytes, int64_t timeout_ns);

typedef struct burst_consumer_source {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_consumer_source_t) */
    /* Random, made with the folder. Together with a number it names one record wherever the record goes. */
    uint8_t folder_id[16];
    char stream[256]; /* the stream's name when the folder was made */
} burst_consumer_source_t;

/* Tells where the records come from. */
int burst_consumer_source(const burst_consumer_t *consumer, burst_consumer_source_t *source);

/* Acknowledges all records up to that number; the consumer must have got it. Durable on return: when it is opened
 * again, the consumer begins behind that record. A lower number than before takes the position back. Returns 0, or
 * -EINVAL (the consumer has not got this number), -ESTALE (its file was deleted since the open) or another -errno. */
int burst_consumer_ack(burst_consumer_t *consumer, uint64_t number);

/* Goes to the record of this number: the next call returns it, or tells that it is missing, or waits if it is not
 * written yet. Acknowledges nothing. -EINVAL: the number is 0 or too large. */
int burst_consumer_seek(burst_consumer_t *consumer, uint64_t number);

/* Goes to the first record with that event time or a later one, or with that sequence or a higher one. The second looks
 * only at the ring that wrote last, since each ring has its own sequences. Goes to the end of the folder if there is no
 * such record yet. Looks into some segments, and reads through one. If event times are not in order, it finds such a
 * record, but an earlier segment may have one, too. */
int burst_consumer_seek_time(burst_consumer_t *consumer, int64_t event_time_ns);
int burst_consumer_seek_sequence(burst_consumer_t *consumer, int64_t sequence);

/* The number of the next record. */
uint64_t burst_consumer_position(const burst_consumer_t *consumer);

typedef struct burst_consumer_lag {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_consumer_lag_t) */
    uint32_t reserved;
    uint64_t records; /* written, and not yet given to the consumer */
    uint64_t bytes;   /* bytes of segments that these records take */
    /* event time of the first of these records that is neither missing nor lost; 0: there is none */
    int64_t oldest_event_time_ns;
} burst_consumer_lag_t;

/* Measures how far the consumer is behind the end of the folder. The first call, and the first after the end of a
 * segment, reads through the newest segment. Returns 0, or -ESTALE at once if the folder was deleted, emptied, moved
 * away or begun anew: nobody can tell then. */
int burst_consumer_lag(burst_consumer_t *consumer, burst_consumer_lag_t *lag);

typedef struct burst_consumer_state {
    uint32_t struct_bytes; /* the caller sets it to sizeof(burst_consumer_state_t) */
    uint32_t reserved;
    uint64_t acknowledged;   /* number of the last acknowledged record; 0: none */
    int64_t acknowledged_ns; /* CLOCK_REALTIME of the last acknowledgement */
    uint64_t records;        /* written, and not acknowledged, including missing ones */
    uint64_t bytes;          /* bytes of segments that these records take */
    /* event time of the first of these records that is neither missing nor lost; 0: there is none */
    int64_t oldest_event_time_ns;
    char name[BURST_CONSUMER_NAME_BYTES];
} burst_consumer_state_t;

/* Looks at a consumer of the folder, which may be open in this process or in another one. `index` counts from 0, by
 * name. Returns 1 with *state, or 0 if there are not so many consumers. Reads parts of two segments. */
int burst_consumer_look(const char *folder, unsigned index, burst_consumer_state_t *state);

/* Closes the consumer. Records that it has not acknowledged come again after the next open. NULL is allowed. */
void burst_consumer_close(burst_consumer_t *consumer);

#endif
