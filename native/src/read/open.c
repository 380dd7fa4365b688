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
#include "read/signed_source.h"

/* Whether the superblock's place has the first bytes of one. Returns 1, 0 or -errno with a sentence. */
static int has_magic(int fd, const char *path, off_t offset) {
    uint64_t magic = 0;
    for (size_t filled = 0; filled < sizeof magic;) {
        const ssize_t got =
            TEMP_FAILURE_RETRY(pread(fd, (char *)&magic + filled, sizeof magic - filled, offset + (off_t)filled));
        if (got < 0) {
            return error_set(errno, "%s cannot be read: %s", path, error_name(errno));
        }
        if (got == 0) {
            return 0;
        }
        filled += (size_t)got;
    }
    return magic == SUPERBLOCK_MAGIC;
}

/* Whether the file has the first bytes of a ring, in one of its two superblocks. Returns 1, 0, or -errno with a sentence:
 * a ring that cannot be read must not be read as text. */
static int is_ring(const char *path) {
    const int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd < 0) {
        return error_set(errno, "%s cannot be opened: %s", path, error_name(errno));
    }
    const int first = has_magic(fd, path, (off_t)LAYOUT_SUPERBLOCK_OFFSET(0));
    const int second = first == 1 ? 0 : has_magic(fd, path, (off_t)LAYOUT_SUPERBLOCK_OFFSET(1));
    close(fd);
    return second == 1 ? 1 : first != 0 ? first : second;
}

static int open_lines(const struct platform *platform, const burst_reader_config_t *config,
                      struct read_source **source) {
    int rc = lines_make(platform, 1, source);
    rc = rc < 0 ? rc : lines_know_archives(*source, config->archives);
    rc = rc < 0 ? rc : lines_add(*source, config->source, 0, LINES_TO_THE_END);
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

/* Whether the path leads to one. Returns 1, 0 or -errno with a sentence. */
static int is_of_signed_archive(const char *path, const struct stat *status) {
    return S_ISDIR(status->st_mode) && signed_source_is(path);
}

static int is_of_segments(const char *path, const struct stat *status) {
    (void)path;
    return S_ISDIR(status->st_mode);
}

static int is_of_ring(const char *path, const struct stat *status) {
    return S_ISDIR(status->st_mode) ? 0 : S_ISREG(status->st_mode) ? is_ring(path) : 1;
}

static int is_of_lines(const char *path, const struct stat *status) {
    (void)path;
    (void)status;
    return 1;
}

static int open_signed_archive(const struct platform *platform, const burst_reader_config_t *config,
                               struct read_source **source) {
    return signed_source_open(platform, config->source, source);
}

static int open_segments(const struct platform *platform, const burst_reader_config_t *config,
                         struct read_source **source) {
    return segments_source_open(platform, config->source, source);
}

/* The first one that a path leads to is taken. */
static const struct {
    int (*is)(const char *path, const struct stat *status);
    int (*open)(const struct platform *platform, const burst_reader_config_t *config, struct read_source **source);
} kinds[] = {{is_of_signed_archive, open_signed_archive},
             {is_of_segments, open_segments},
             {is_of_ring, open_ring},
             {is_of_lines, open_lines}};

int read_is_ring(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && is_of_ring(path, &status) == 1;
}

int read_open(const struct platform *platform, const burst_reader_config_t *config, struct read_source **source) {
    struct stat status;
    *source = NULL;
    if (stat(config->source, &status) < 0) {
        return error_set(errno, "there is no ring, log file, folder of segments or signed archive at %s: %s",
                         config->source, error_name(errno));
    }
    size_t kind = 0;
    int rc;
    while ((rc = kinds[kind].is(config->source, &status)) == 0) {
        kind++; /* the last one is always true */
    }
    return rc < 0 ? rc : kinds[kind].open(platform, config, source);
}
