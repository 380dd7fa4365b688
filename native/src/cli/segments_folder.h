/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of segments in place of a ring or a log device. */
#ifndef BURST_CLI_SEGMENTS_FOLDER_H
#define BURST_CLI_SEGMENTS_FOLDER_H

/* Explains an open that failed with `rc`. If the path leads to a folder of segments, sets a sentence that says so and
 * returns its -errno. Otherwise returns rc and leaves the sentence as it is. */
int segments_folder_explain(const char *path, int rc);

#endif
