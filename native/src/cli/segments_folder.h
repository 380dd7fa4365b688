/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of segments in the place of a ring or of a log device. */
#ifndef BURST_CLI_SEGMENTS_FOLDER_H
#define BURST_CLI_SEGMENTS_FOLDER_H

/* Of an open that failed with `rc`: says so if the path leads to such a folder, else leaves the sentence as it is. Returns rc,
 * or -errno with the new sentence. */
int segments_folder_explain(const char *path, int rc);

#endif
