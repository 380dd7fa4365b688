/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a stream, the main one or another. First comes everything that the stream needs beside the engine. Then the
 * engine opens it: the main stream in engine_open, before the engine's thread runs; any other in that thread. At the
 * end the stream begins, or everything made is taken back.
 */
#ifndef BURST_LOG_STREAM_OPEN_H
#define BURST_LOG_STREAM_OPEN_H

#include "log/config.h"
#include "log/log.h"

struct stream_opening;

/* Prepares a stream for the ring at this path. max_record_bytes: the ring's limit; 0: not known yet. Returns 0 with
 * *opening, or -errno with a sentence and nothing left behind. */
int stream_prepare(burst_t *log, const char *ring, uint64_t max_record_bytes, const struct checked_stream *config,
                   burst_stream_t *stream, struct stream_opening **opening);

/* The stream as the engine gets it. */
const struct engine_stream *stream_wanted(const struct stream_opening *opening);

/* The engine has the stream under that id. Returns 1: the stream takes records from here on; or 0, with nothing changed,
 * if the log is being closed. */
int stream_start(burst_stream_t *stream, struct stream_opening *opening, uint16_t id);

/* Asks the drain for the stream, and waits for its answer; the stream then takes records. The opening is gone afterwards,
 * whatever the result: the stream has taken it, the drain keeps it, or it is freed. is_known: the main stream, bound to this
 * file: the records have a destination, so a drain that does not answer is not waited for longer than two seconds. The
 * caller has entered. Returns 0, or -errno with a sentence. */
int stream_await_opening(burst_stream_t *stream, struct stream_opening *opening, const char *path, int is_known);

/* The engine does not have the stream, or has it no more. Also removes the files and folders that were made for it. */
void stream_take_back(burst_stream_t *stream, struct stream_opening *opening);

#endif
