/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consumers of segments: part of burstlog.h, which includes this.
 *
 * A consumer has a name, and a place in a folder of segments (burst_stream_config_t.segments) that outlives it. It needs the
 * folder and nothing else: it may run in the process of the log or in another one, while the log is written or long after. It
 * gets each record of the stream in order, with its number: the place of the record in the folder, from 1 without a gap. What
 * it gets is durable in the ring, if not yet in the segment: no crash takes it back. After burst_consumer_ack it goes on behind
 * that record, whatever ends it. So whoever stores the number of a record together with what he makes of it, and seeks behind it
 * when he begins, has each record exactly once.
 *
 * Functions return 0 or as they say, or a negative errno with a sentence (burst_last_error). One thread at a time uses a
 * consumer; several consumers, each with a name of its own, do not touch each other. The log never waits for a consumer.
 */
#ifndef BURSTLOG_CONSUMER_H
#define BURSTLOG_CONSUMER_H

#ifndef BURSTLOG_H
#error "include burstlog.h"
#endif

/* What becomes of segments that a consumer has not passed, once they are beyond the limit. */
enum burst_segments_over_limit {
    BURST_SEGMENTS_HOLD = 0,    /* they stay: the disk may fill up, and then the ring */
    BURST_SEGMENTS_RELEASE = 1, /* they are deleted: the consumer will be told what is missing */
};

#define BURST_CONSUMER_NAME_BYTES 200 /* with its terminator */

typedef struct burst_consumer burst_consumer_t;

enum burst_consumed_kind {
    BURST_CONSUMED_RECORD = 0, /* as it was appended */
    BURST_CONSUMED_ROLL =
        1, /* the log file ended here: burstlog_rolling.h; data is what docs/media-format.md calls a roll */
    BURST_CONSUMED_LOST = 2, /* the ring lost `count` records from `sequence` on, of this stream or others */
    BURST_CONSUMED_MISSING =
        3, /* the `count` numbers up to `number` are in no segment: others deleted or damaged some */
};

typedef struct burst_consumed {
    uint32_t struct_bytes; /* set to sizeof(burst_consumed_t) before the call */
    uint32_t kind;         /* enum burst_consumed_kind */
    uint64_t number;
    int64_t sequence;      /* as burst_append returned it; 0 of what is missing */
    int64_t event_time_ns; /* as it was appended */
    const void *data;      /* until the next call of the same consumer; NULL but for records and rolls */
    size_t length;
    uint64_t count;
} burst_consumed_t;

/*
 * Opens the folder, and the consumer of that name: one that is new begins with the oldest record. -ENOENT: there is no such
 * folder, or no log has written it yet; -EBUSY: the consumer is open elsewhere; -EINVAL: the name is empty, too long, begins with
 * a dot or has a slash in it; -EUCLEAN: what the folder or the consumer's file says is damaged, or of another folder; -EPROTO: the
 * folder is of another version; -ELOOP, -EMLINK, -EISDIR, -ENOTSUP: a link, a file with a second name, or no file is where the
 * consumer's file is to be. Then *consumer is NULL.
 */
int burst_consumer_open(const char *folder, const char *name, burst_consumer_t **consumer);

/*
 * The next record: 1; or 0: none has come within timeout_ns (< 0: for ever, 0: it only looks). -ESTALE, when all that can be read
 * was given, and within a second: the folder was deleted, emptied, moved away or begun anew, so nothing more comes; close the
 * consumer and open it again. Each call says so as long as it is so: a folder that was moved back is read on.
 */
int burst_consumer_next(burst_consumer_t *consumer, burst_consumed_t *record, int64_t timeout_ns);

/* What burst_consumer_poll writes before the data of each record. */
typedef struct burst_polled {
    uint32_t kind;   /* enum burst_consumed_kind */
    uint32_t length; /* of the data behind it, and behind that zeros up to a multiple of 8 */
    uint64_t number;
    int64_t sequence;
    int64_t event_time_ns;
    uint64_t count;
    uint8_t ring[16]; /* the id of the ring that gave the sequence, as burstlog info shows it */
} burst_polled_t;

/*
 * As burst_consumer_next, but as many records as there is room for at the buffer, which is aligned to 8 bytes: each is copied
 * there, behind a burst_polled_t. It waits for the first one alone. Returns how many bytes it has written; 0: none came within
 * the time; more than `bytes`: so many the next record needs, and none was taken; -ESTALE as burst_consumer_next.
 */
int64_t burst_consumer_poll(burst_consumer_t *consumer, void *buffer, size_t bytes, int64_t timeout_ns);

typedef struct burst_consumer_source {
    uint32_t struct_bytes; /* set to sizeof(burst_consumer_source_t) before the call */
    uint8_t folder_id[16]; /* random; made with the folder. With a number it names one record, wherever that goes */
    char stream[256];      /* the name of the stream when the folder was made */
} burst_consumer_source_t;

/* Where the records come from. */
int burst_consumer_source(const burst_consumer_t *consumer, burst_consumer_source_t *source);

/* The consumer, when it is opened again, begins behind the record of that number, which it must have got: durable on return. A
 * number that was acknowledged before takes it back. -ESTALE: the consumer's file was deleted since it was opened. */
int burst_consumer_ack(burst_consumer_t *consumer, uint64_t number);

/* The next record is that of this number, or what says that it is missing; one that is not written yet is waited for. Nothing
 * is acknowledged. */
int burst_consumer_seek(burst_consumer_t *consumer, uint64_t number);

/* As burst_consumer_seek, to the first record of that event time or a later one, or of that sequence or a higher one: of the ring that
 * wrote last, as each has its own. There is none yet: to what comes next. Looks into some segments, and goes through one of them.
 * Where times are not in order it is such a record, but one in an earlier segment may be of that time, too. */
int burst_consumer_seek_time(burst_consumer_t *consumer, int64_t event_time_ns);
int burst_consumer_seek_sequence(burst_consumer_t *consumer, int64_t sequence);

/* The number that the next record has. */
uint64_t burst_consumer_position(const burst_consumer_t *consumer);

typedef struct burst_consumer_lag {
    uint32_t struct_bytes; /* set to sizeof(burst_consumer_lag_t) before the call */
    uint32_t reserved;
    uint64_t records;             /* written, and not yet given to the consumer */
    uint64_t bytes;               /* of segments that these have */
    int64_t oldest_event_time_ns; /* of the first of them, as it was appended; 0: there is none */
} burst_consumer_lag_t;

/* How far behind the end of the folder the consumer is. The first call, and the first one after a segment has ended, goes
 * through the newest segment. -ESTALE, at once: nobody can tell, as the folder was deleted, emptied, moved away or begun anew. */
int burst_consumer_lag(burst_consumer_t *consumer, burst_consumer_lag_t *lag);

typedef struct burst_consumer_state {
    uint32_t struct_bytes; /* set to sizeof(burst_consumer_state_t) before the call */
    uint32_t reserved;
    uint64_t acknowledged;        /* the number of the last record that it has; 0: none */
    int64_t acknowledged_ns;      /* CLOCK_REALTIME, when it said so */
    uint64_t records;             /* written, and not acknowledged; those that are missing count, too */
    uint64_t bytes;               /* of segments that these have */
    int64_t oldest_event_time_ns; /* of the first of them, as it was appended; 0: there is none */
    char name[BURST_CONSUMER_NAME_BYTES];
} burst_consumer_state_t;

/* Any consumer of the folder, which may be open, in this process or another one: the one of that index, from 0 on, by name. 1, or 0:
 * there are not so many. Goes through parts of two segments. */
int burst_consumer_look(const char *folder, unsigned index, burst_consumer_state_t *state);

/* Lets go of everything. What was not acknowledged comes again when it is opened again. NULL is allowed. */
void burst_consumer_close(burst_consumer_t *consumer);

#endif
