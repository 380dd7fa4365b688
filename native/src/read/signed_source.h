/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signed archive as a source: the folder that burstlog-archive writes, with a tree of hashes and a signed head. It is
 * read as it stands; burstlog-archive verify is what proves it.
 */
#ifndef BURST_READ_SIGNED_SOURCE_H
#define BURST_READ_SIGNED_SOURCE_H

#include "read/source.h"

/* Whether the folder is a signed archive. */
int signed_source_is(const char *folder);

/* Opens the folder, at its first record. Returns 0, or -errno with a sentence. */
int signed_source_open(const struct platform *platform, const char *folder, struct read_source **source);

#endif
