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
#include "media/handover.h"

typedef void request_closed(void *argument);

/* Beside an entry, in the process that asks. */
struct request_local {
    const struct roller *roller; /* of the stream, if the drain is in this process; or NULL */
    /* The drain calls it, if set, when it has closed the stream, or never opened it: nothing in the drain knows the roller
     * then. */
    request_closed *closed;
    void *argument;
};

struct requests {
    pthread_mutex_t lock; /* of those who ask */
    uint64_t served;      /* only the drain's: all numbers up to it are answered */
    /* The requests: in memory of their own, or in a window. The drain of another process only reads it. */
    struct stream_requests *table;
    int owns_table;
    struct request_local locals[REQUESTS_MOST];
    struct stream_answer answered[REQUESTS_MOST];
};

/* An entry and the number of a change of it. */
struct request_ticket {
    unsigned entry;
    uint64_t number;
};

/* table: where the changes are, zeroed, for those who ask; NULL: in memory of its own. NULL if there is no memory. */
struct requests *requests_create(const struct platform *platform, struct stream_requests *table);

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

/* A drain begins anew, and knows of nothing that is open: it deals with all requests once more. */
void requests_begin_anew(struct requests *requests);

/* Takes over the answers of a drain in another process, of which nothing else is believed. One that no drain gives is taken
 * as a refusal, with a sentence that says so. Returns whether there were new ones. The drain of this process serves none. */
int requests_take_answers(struct requests *requests, const struct stream_answer *answers);

/* Whether a change has no answer yet, from whichever drain. */
int requests_are_waiting(const struct requests *requests);

/* The drain of this process has opened the stream before it dealt with any request: this is its answer. */
void requests_note_open(struct requests *requests, const struct request_ticket *ticket, uint16_t id);

/* Whether a change waits for the drain of this process. */
static inline int requests_wait(const struct requests *requests) {
    return atomic_load(&requests->table->newest) != requests->served;
}

/* The drain as it deals with requests. */
struct request_server {
    void *argument;
    /* Whether the stream may have its place; nothing is done there before. Returns 0, or -errno with a sentence. NULL: any. */
    int (*check)(void *argument, const struct engine_stream *stream);
    /* Both checkpoint slots name the stream when it returns 0 with *id. */
    int (*open)(void *argument, const struct engine_stream *stream, uint16_t *id);
    void (*close)(void *argument, uint16_t id);
    void (*answered)(void *argument); /* wakes those who wait */
};

/* Deals with the changes that wait, at most once with each entry: changes that come meanwhile may wait for the next call. Only
 * the thread that steps calls it. */
void requests_serve(struct requests *requests, const struct request_server *server);

#endif
