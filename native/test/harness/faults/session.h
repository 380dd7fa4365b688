/* SPDX-License-Identifier: Apache-2.0 */
/* An open log in a trial, and its calls. Each refusal is counted, and must have a sentence. */
#ifndef BURST_TEST_FAULTS_SESSION_H
#define BURST_TEST_FAULTS_SESSION_H

#include "burstlog.h"
#include "trial.h"

#define SECOND_NS 1000000000ll

struct session {
    struct trial *trial;
    burst_t *log;
    burst_stream_t *streams[STREAMS]; /* NULL: not open; index 0 is never */
    int has_failed;                   /* an append reported that */
};

/* 0, or the error of burst_open. */
int session_try_to_open(struct session *session, int64_t shutdown_timeout_ns);
/* Tries to open twice. 1: the log is open. */
int session_open_log(struct session *session, int64_t shutdown_timeout_ns);
void session_open_stream(struct session *session, unsigned stream);
/* This call and the next ones do nothing if the stream is not open. */
void session_close_stream(struct session *session, unsigned stream);
void session_append(struct session *session, unsigned stream, size_t length, int enqueue);
/* Rolls the stream's file to NAME.rolled, or to NAME.rolled.1 if that is taken. */
void session_roll(struct session *session, unsigned stream);
/* A consumer takes all that is in the segments, and acknowledges it. */
void session_consume(struct session *session);
/* Puts things into the folder of positions that are no positions. */
void session_put_strangers(struct session *session);
/* Notes that a call was refused with this code. */
void session_refused(struct session *session, const char *call, int64_t code);
/* Three readers read the log beside it: by its window, of its medium, of its file. */
void session_read(struct session *session);
void session_await_drained(struct session *session);
void session_close(struct session *session);

#endif
