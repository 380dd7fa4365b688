/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a stream, the main one or another. What it needs beside the engine is made first. Then the engine opens it: before
 * its thread runs the main stream, by engine_open; any other in that thread. In the end the stream begins, or what was made is
 * taken back.
 */
#ifndef BURST_LOG_STREAM_OPEN_H
#define BURST_LOG_STREAM_OPEN_H

#include "log/config.h"
#include "log/log.h"

struct stream_opening;

/* Of a ring at this path, with records of at most so many bytes (0: not known yet). 0 with *opening, or -errno with a sentence
 * and nothing left behind. */
int stream_prepare(burst_t *log, const char *ring, uint64_t max_record_bytes, const struct checked_stream *config,
                   burst_stream_t *stream, struct stream_opening **opening);

/* What the engine is asked for. */
const struct engine_stream *stream_wanted(const struct stream_opening *opening);

/* The engine has it, with that id: it takes records from here on. */
void stream_start(burst_stream_t *stream, struct stream_opening *opening, uint16_t id);

/* The engine does not have it, or not any more. Removes the files and folders that it may have made for it, too. */
void stream_take_back(burst_stream_t *stream, struct stream_opening *opening);

#endif
