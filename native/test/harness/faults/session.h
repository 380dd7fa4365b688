/* SPDX-License-Identifier: Apache-2.0 */
/* A log that is open in a trial, and what is done with it. Whatever a call refuses is counted, and must have a sentence. */
#ifndef BURST_TEST_FAULTS_SESSION_H
#define BURST_TEST_FAULTS_SESSION_H

#include "burstlog.h"
#include "trial.h"

#define SECOND_NS 1000000000ll

struct session {
    struct trial *trial;
    burst_t *log;
    burst_stream_t *streams[STREAMS]; /* NULL: not open; 0: never */
    int has_failed;                   /* an append said so */
};

/* 0, or what burst_open said. */
int session_try_to_open(struct session *session, int64_t shutdown_timeout_ns);
/* Tries it twice. 1: it is open. */
int session_open_log(struct session *session, int64_t shutdown_timeout_ns);
void session_open_stream(struct session *session, unsigned stream);
/* If the stream is open, as with those that follow. */
void session_close_stream(struct session *session, unsigned stream);
void session_append(struct session *session, unsigned stream, size_t length, int enqueue);
/* The file of the stream ends, and becomes NAME.rolled: if that is taken, NAME.rolled.1. */
void session_roll(struct session *session, unsigned stream);
/* A consumer gets all that is in the segments, and acknowledges it. */
void session_consume(struct session *session);
/* What is no position comes into the folder of positions. */
void session_put_strangers(struct session *session);
/* A call was refused with this. */
void session_refused(struct session *session, const char *call, int64_t code);
void session_await_drained(struct session *session);
void session_close(struct session *session);

#endif
