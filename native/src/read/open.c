/* SPDX-License-Identifier: Apache-2.0 */
#include "read/open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "media/superblock.h"
#include "read/joined.h"
#include "read/lines.h"
#include "read/ring_source.h"
#include "read/segments_source.h"

/* Whether the file has the first bytes of a ring, in one of its two superblocks. */
static int is_ring(const char *path) {
    const int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    int found = 0;
    for (unsigned copy = 0; fd >= 0 && !found && copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        uint64_t magic = 0;
        found = TEMP_FAILURE_RETRY(pread(fd, &magic, sizeof magic, (off_t)LAYOUT_SUPERBLOCK_OFFSET(copy))) ==
                    (ssize_t)sizeof magic &&
                magic == SUPERBLOCK_MAGIC;
    }
    if (fd >= 0) {
        close(fd);
    }
    return found;
}

static int open_lines(const struct platform *platform, const char *path, struct read_source **source) {
    int rc = lines_make(platform, 1, source);
    rc = rc < 0 ? rc : lines_add(*source, path, 0, LINES_TO_THE_END);
    rc = rc < 0 ? rc : lines_hold(*source);
    if (rc < 0 && *source != NULL) {
        (*source)->ops->close(*source);
        *source = NULL;
    }
    return rc;
}

static int open_ring(const struct platform *platform, const burst_reader_config_t *config,
                     struct read_source **source) {
    const struct ring_source_config ring = {
        .ring = config->source, .window = config->window, .wait = config->wait, .stream = BURST_ALL_STREAMS};
    struct read_source *opened;
    const int rc = ring_source_open(platform, &ring, &opened);
    if (rc < 0) {
        return rc;
    }
    if (config->from == BURST_FROM_RING && config->stream == NULL) {
        *source = opened;
        return 0;
    }
    return joined_open(platform, config, opened, source);
}

int read_is_ring(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode) && (!S_ISREG(status.st_mode) || is_ring(path));
}

int read_open(const struct platform *platform, const burst_reader_config_t *config, struct read_source **source) {
    struct stat status;
    *source = NULL;
    if (stat(config->source, &status) < 0) {
        return error_set(errno, "there is no ring, log file or folder of segments at %s: %s", config->source,
                         error_name(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return segments_source_open(platform, config->source, source);
    }
    return read_is_ring(config->source) ? open_ring(platform, config, source)
                                        : open_lines(platform, config->source, source);
}
