/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seek table at the end of a Zstandard file, in the public seekable format: a skippable frame that has the packed and
 * the unpacked length of each frame. Anybody may have written it: it is a hint, whose sums must fit the file, and each
 * frame that is unpacked is compared with it.
 */
#ifndef BURST_READ_ZSTD_FRAMES_H
#define BURST_READ_ZSTD_FRAMES_H

#include <stdint.h>

struct zstd_frames;

/* Reads the table. Returns NULL if the file has none, or one that does not fit. Adds the number of reads to *looks. The
 * caller frees it. */
struct zstd_frames *zstd_frames_read(int fd, uint64_t *looks);

/* The frame that has this byte of the text: where it begins in the file, and in the text. Behind the end: the last one. */
void zstd_frames_find(const struct zstd_frames *frames, uint64_t offset, uint64_t *packed, uint64_t *begin);

/* Whether a frame ends at this byte of the text. */
int zstd_frames_has_end(const struct zstd_frames *frames, uint64_t offset);

/* Passes over the frame at this byte of a file, by the lengths of its blocks. Returns whether a whole one is there. */
int zstd_frames_pass(int fd, uint64_t *at);

#endif
