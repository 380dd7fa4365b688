/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of the application to the drain: which streams are to be open.
 *
 * DESIGN. Two tables of plain data, without a pointer, so that either may lie in memory that another process reads. Each
 * has one writer:
 *
 *     asked      the application's: how each stream is to be. A change gets the next number, written last
 *     answered   the drain's: the number of the change that it has dealt with, and what came of it, written first
 *
 * An entry says what shall be, and no step towards it. So a drain that begins anew finds all it needs in `asked`, an open
 * that is withdrawn before the drain comes to it is never done, and a request that is done twice does no harm. The drain
 * deals with changes in the order of their numbers: a stream that is opened again was closed before.
 *
 * An entry is free once it is to be closed and that is answered. Until then nobody may write it.
 *
 * An answer says that both checkpoint slots name the stream: its records then have a destination, whatever dies.
 */
#ifndef BURST_LOG_REQUESTS_H
#define BURST_LOG_REQUESTS_H

#include <pthread.h>

#include "log/drainer.h"

#define REQUESTS_MOST (2 * LAYOUT_STREAMS_MAX) /* each stream, and as many that wait to be closed */
#define REQUEST_OWNER_BYTES 256u
#define REQUEST_ANSWER_BYTES 2048u

enum request_wants {
    REQUEST_CLOSED = 0,
    REQUEST_OPEN = 1,
};

struct stream_request {
    _Atomic uint64_t number; /* of its last change; 0: none yet */
    _Atomic uint32_t wants;  /* enum request_wants */
    uint32_t file_mode;      /* this and the rest: struct engine_stream */
    uint32_t has_index;
    uint32_t has_segments;
    uint32_t is_tidied;
    uint64_t segment_bytes;
    char name[LAYOUT_STREAM_NAME_BYTES];
    char path[LAYOUT_FILE_NAME_BYTES];
    char segments[LAYOUT_FILE_NAME_BYTES];
    char owner[REQUEST_OWNER_BYTES]; /* "": unchanged */
    char group[REQUEST_OWNER_BYTES];
};

struct stream_answer {
    _Atomic uint64_t number; /* of the last change that was dealt with */
    int32_t rc;              /* 0 or -errno */
    uint16_t id;
    uint16_t is_open;
    char text[REQUEST_ANSWER_BYTES]; /* the sentence of an error */
};

typedef void request_closed(void *argument, int was_open);

/* Beside an entry, in the process that asks. */
struct request_local {
    const struct roller *roller; /* of the stream, if the drain is in this process; or NULL */
    /* The drain calls it, if set, when it has closed the stream, or never opened it: then was_open is 0, and nothing in
     * the drain knows the roller. */
    request_closed *closed;
    void *argument;
};

struct requests {
    pthread_mutex_t lock;    /* of those who ask */
    _Atomic uint64_t newest; /* the highest number in `asked` */
    uint64_t served;         /* only the drain's: all numbers up to it are answered */
    struct request_local locals[REQUESTS_MOST];
    struct stream_request asked[REQUESTS_MOST];
    struct stream_answer answered[REQUESTS_MOST];
};

/* An entry and the number of a change of it. */
struct request_ticket {
    unsigned entry;
    uint64_t number;
};

struct requests *requests_create(const struct platform *platform);

/* Calls what still waits for its close. Nobody asks any more, and the drain is closed. NULL: does nothing. */
void requests_destroy(const struct platform *platform, struct requests *requests);

/* Asks for the stream. Any thread may call it. Returns 0 with *ticket, or -errno with a sentence that names the ring. */
int requests_open(struct requests *requests, const char *ring, const struct engine_stream *stream,
                  struct request_ticket *ticket);

/* Asks for its close, or withdraws the wish to open it. `closed` is called once, by the drain, perhaps before this
 * returns. Any thread may call it, once an entry. */
void requests_close(struct requests *requests, struct request_ticket *ticket, request_closed *closed, void *argument);

/* The open was refused, and that was read: frees the entry. */
void requests_forget(struct requests *requests, const struct request_ticket *ticket);

/* The answer to this change, or to a later one of the entry; NULL: there is none yet. */
const struct stream_answer *requests_answer(const struct requests *requests, const struct request_ticket *ticket);

/* Whether a change waits for the drain. */
static inline int requests_wait(const struct requests *requests) {
    return atomic_load(&requests->newest) != requests->served;
}

/* The drain as it deals with requests. */
struct request_server {
    void *argument;
    /* Both checkpoint slots name the stream when it returns 0 with *id. */
    int (*open)(void *argument, const struct engine_stream *stream, uint16_t *id);
    void (*close)(void *argument, uint16_t id);
    void (*answered)(void *argument); /* wakes those who wait */
};

/* Deals with the changes that wait. Only the thread that steps calls it. */
void requests_serve(struct requests *requests, const struct request_server *server);

#endif
