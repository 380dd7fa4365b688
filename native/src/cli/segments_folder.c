/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/segments_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "consume/frames.h"

int segments_folder_explain(const char *path, int rc) {
    struct frames frames;
    char why[BURST_TEXT_BYTES], name[LAYOUT_STREAM_NAME_BYTES + 16] = "a stream without a name", ring[48] = "a ring";
    snprintf(why, sizeof why, "%s", error_text());
    if (frames_open(&frames, path) < 0) {
        error_set(-rc, "%s", why);
        return rc;
    }
    if (frames.head.name[0] != '\0') {
        snprintf(name, sizeof name, "stream \"%.*s\"", (int)sizeof frames.head.name - 1, frames.head.name);
    }
    if (frames_seek_end(&frames) == 0 && frames.segment >= 0) {
        int used = snprintf(ring, sizeof ring, "ring ");
        for (unsigned i = 0; i < sizeof frames.header.ring_uuid; i++) {
            used += snprintf(ring + used, sizeof ring - (size_t)used, "%02x", frames.header.ring_uuid[i]);
        }
    }
    frames_close(&frames);
    return error_set(EINVAL,
                     "%s is a folder of segments of %s of %s: `burstlog info` of that ring tells how far its consumers "
                     "are, and a consumer (burst_consumer_open, BurstConsumer) reads its records",
                     path, name, ring);
}
