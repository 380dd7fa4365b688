/* SPDX-License-Identifier: Apache-2.0 */
#include "log/ring_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folders.h"
#include "base/path.h"
#include "burstlog.h"
#include "device/extents.h"
#include "device/open.h"
#include "ledger/ledger.h"

static int format_new_file(struct device *device, void *argument) {
    return ledger_format(device->platform, device, *(const uint64_t *)argument);
}

/* Whether there is a ring. Fills what the ring itself says. */
static int look_at(struct device *device, struct opened_ring *ring) {
    struct ledger *ledger;
    const int is_ring = ledger_read(&platform_linux, device, &ledger) == 0;
    ring->is_untouched = is_ring && ledger_sum(ledger).epoch_highest == 0;
    if (is_ring) {
        memcpy(ring->uuid, ledger_view(ledger)->superblock.uuid, sizeof ring->uuid);
    }
    ledger_close(ledger);
    return is_ring;
}

/* Empties a file that was empty, and removes one that was missing. This open still has the lock, so no other process
 * can have put a record into it. */
static void take_back(const char *path, const struct opened_ring *ring) {
    char target[BURST_PATH_BYTES];
    if (ring->was_empty) {
        if (ftruncate(ring->device->file.fd, 0) < 0) {
            return; /* the file stays an empty ring */
        }
    } else if (path_follow(path, target, sizeof target) == 0 && folders_unlink(target, ring->device->file.fd) == 0) {
        folders_take_back(target, ring->folders_missing);
    }
}

/* Removes the ring file that a refused open has made, unless another process has used it since. */
static void take_back_closed(const char *path, struct opened_ring *ring, int rc) {
    char sentence[BURST_PATH_BYTES + BURST_TEXT_BYTES];
    snprintf(sentence, sizeof sentence, "%s", error_text());
    if (device_open(&platform_linux, path, DEVICE_WRITER, BURST_IO_AUTO, &ring->device) == 0) {
        if (look_at(ring->device, ring) && ring->is_untouched) {
            take_back(path, ring);
        }
        device_close(ring->device);
        ring->device = NULL;
    }
    error_set(-rc, "%s", sentence);
}

/* A write beyond the limit sends SIGXFSZ to the writing thread, even over existing bytes: any append could end the
 * process. Writes to mapped memory know no limit. */
static int check_limit(const char *path, uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) {
        return 0;
    }
    return error_set(EFBIG,
                     "ring file %s of %llu bytes reaches beyond what this process may write of a file, %llu "
                     "bytes (RLIMIT_FSIZE): raise that limit (ulimit -f, LimitFSIZE= of systemd), or choose a smaller "
                     "ring",
                     path, (unsigned long long)bytes, (unsigned long long)limit.rlim_cur);
}

static int create(const burst_config_t *config, struct opened_ring *ring) {
    struct stat before;
    uint64_t bytes =
        config->ring_bytes != 0 ? align_down(config->ring_bytes, LAYOUT_MIN_BLOCK_BYTES) : DEFAULT_RING_BYTES;
    int rc = check_limit(config->ring, bytes);
    ring->was_empty = stat(config->ring, &before) == 0;
    rc = rc < 0 ? rc
                : device_create_file_for(&platform_linux, config->ring, bytes, config->io, format_new_file, &bytes,
                                         &ring->folders_missing);
    ring->is_created = rc == 0;
    return rc;
}

static int open_existing(const burst_config_t *config, struct opened_ring *ring) {
    int rc = device_open(&platform_linux, config->ring, DEVICE_WRITER, config->io, &ring->device);
    if (rc == 0 && ring->device->is_file && ring->device->mapping == NULL) {
        rc = check_limit(ring->device->path, ring->device->medium_bytes);
    }
    if (rc < 0 && ring->device != NULL) {
        device_close(ring->device);
        ring->device = NULL;
    }
    return rc;
}

int ring_open(const burst_config_t *config, struct opened_ring *ring) {
    *ring = (struct opened_ring){.device = NULL};
    int absent = device_is_absent(config->ring);
    if (absent > 0) {
        absent = create(config, ring);
        if (absent == -EEXIST) {
            absent = 0; /* another process was faster: one of the two gets the lock */
        }
    }
    const int rc = absent < 0 ? absent : open_existing(config, ring);
    if (rc < 0 && ring->is_created) {
        take_back_closed(config->ring, ring, rc);
    }
    ring->is_ring = rc == 0 && look_at(ring->device, ring);
    return rc;
}

int ring_open_blocks(const struct opened_ring *ring, struct events *events) {
    uint64_t taken = 0;
    const int rc = ring->is_ring ? extents_take(ring->device, &taken) : 0;
    if (rc == 0 && taken > 0) {
        events_post(events, BURST_INFO,
                    "ring file %s had no blocks of its own for %llu bytes (holes, or shared with a copy): "
                    "they were written, so that no append has to find room for them",
                    ring->device->path, (unsigned long long)taken);
    }
    if (rc == 0 && ring->is_ring && ring->device->is_file && extents_move(ring->device->file.fd)) {
        events_post(
            events, BURST_WARN,
            "ring file %s is copy-on-write, so that each append takes new blocks: it is slower, and "
            "the ring fails when its file system (btrfs) is full; close it and copy it into an empty file that has "
            "`chattr +C`",
            ring->device->path);
    }
    return rc;
}

void ring_open_undo(const burst_config_t *config, const struct opened_ring *ring) {
    if (ring->is_created && ring->is_untouched) {
        take_back(config->ring, ring);
    }
    device_close(ring->device);
}
