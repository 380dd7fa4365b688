/* SPDX-License-Identifier: Apache-2.0 */
#include "drain/destination.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"

static const struct files_ops *ops(const struct destination *destination) {
    return destination->files->ops;
}

static int read_all(const struct destination *destination, void *data, size_t bytes, uint64_t offset) {
    const int64_t got = ops(destination)->read(destination->files, destination->file, data, bytes, offset);
    return got < 0 ? (int)got : (size_t)got == bytes ? 0 : -ESTALE;
}

/* Takes the file as ours up to `length`. */
static int take(struct destination *destination, const char *path, uint64_t length, uint64_t bytes) {
    snprintf(destination->path, sizeof destination->path, "%s", path);
    destination->length = length;
    destination->redo_until = bytes;
    destination->tail_bytes = (uint32_t)(length < CHECKPOINT_TAIL_BYTES ? length : CHECKPOINT_TAIL_BYTES);
    return read_all(destination, destination->tail, destination->tail_bytes, length - destination->tail_bytes);
}

static int open_existing(struct destination *destination, const char *path, struct file_identity *identity) {
    const int file = ops(destination)->open(destination->files, path);
    if (file < 0) {
        return file;
    }
    destination->file = file;
    const int rc = ops(destination)->identity(destination->files, file, identity);
    if (rc < 0) {
        destination_close(destination);
    }
    return rc;
}

static int close_if_failed(struct destination *destination, int rc) {
    if (rc < 0) {
        destination_close(destination);
    }
    return rc;
}

int destination_open_to_continue(struct destination *destination, const char *path) {
    struct file_identity identity;
    const int rc = open_existing(destination, path, &identity);
    return rc < 0 ? rc : close_if_failed(destination, take(destination, path, identity.bytes, identity.bytes));
}

int destination_open_to_redo(struct destination *destination, const char *path, uint64_t length, uint32_t tail_bytes,
                             uint32_t tail_crc) {
    struct file_identity identity;
    int rc = open_existing(destination, path, &identity);
    if (rc < 0) {
        return rc;
    }
    rc = identity.bytes < length ? -ESTALE : take(destination, path, length, identity.bytes);
    if (rc == 0 && (destination->tail_bytes != tail_bytes || destination_tail_crc(destination) != tail_crc)) {
        rc = -ESTALE;
    }
    return close_if_failed(destination, rc);
}

struct search {
    struct destination *destination;
    const char *path;
    size_t folder_bytes;
    uint64_t length;
    uint32_t tail_bytes;
    uint32_t tail_crc;
};

static int try_sibling(void *argument, const char *name) {
    struct search *search = argument;
    char path[LAYOUT_FILE_NAME_BYTES];
    if (snprintf(path, sizeof path, "%.*s%s", (int)search->folder_bytes, search->path, name) >= (int)sizeof path ||
        strcmp(path, search->path) == 0) {
        return 0;
    }
    return destination_open_to_redo(search->destination, path, search->length, search->tail_bytes,
                                    search->tail_crc) == 0;
}

int destination_find_renamed(struct destination *destination, const char *path, uint64_t length, uint32_t tail_bytes,
                             uint32_t tail_crc) {
    struct search search = {.destination = destination, .path = path, .length = length, .tail_bytes = tail_bytes,
                            .tail_crc = tail_crc, .folder_bytes = (size_t)(strrchr(path, '/') - path) + 1};
    /* An empty tail is that of every file. */
    if (length == 0 || ops(destination)->list_siblings(destination->files, path, try_sibling, &search) != 1) {
        return -ESTALE;
    }
    snprintf(destination->path, sizeof destination->path, "%s", path);
    return 0;
}

int destination_create(struct destination *destination, const char *path) {
    int file = ops(destination)->create(destination->files, path, &destination->how);
    if (file == -EEXIST) {
        struct file_identity identity;
        const int rc = open_existing(destination, path, &identity);
        if (rc < 0 || identity.bytes != 0) {
            return rc < 0 ? rc : close_if_failed(destination, -EEXIST);
        }
        file = destination->file;
    }
    if (file < 0) {
        return file;
    }
    destination->file = file;
    int rc = ops(destination)->sync_name(destination->files, path);
    if (rc == 0) {
        rc = take(destination, path, 0, 0);
    }
    return close_if_failed(destination, rc);
}

enum destination_state destination_look(const struct destination *destination) {
    struct file_identity ours, named;
    int rc = ops(destination)->identity(destination->files, destination->file, &ours);
    if (rc < 0) {
        return rc == -ENOTCONN ? DESTINATION_CUT_OFF : DESTINATION_OURS; /* the write will tell */
    }
    if (ours.links == 0) {
        return DESTINATION_DELETED;
    }
    if (destination->length < destination->redo_until) {
        return DESTINATION_OURS; /* a redo is under way: the file is longer */
    }
    if (ours.bytes != destination->length) {
        return ours.bytes < destination->length ? DESTINATION_TRUNCATED : DESTINATION_EXTENDED;
    }
    rc = ops(destination)->identity_of_path(destination->files, destination->path, &named);
    if (rc == -ENOENT || (rc == 0 && (named.device != ours.device || named.inode != ours.inode))) {
        return DESTINATION_RENAMED;
    }
    return DESTINATION_OURS;
}

int destination_matches(const struct destination *destination, const void *data, size_t bytes, uint64_t offset) {
    uint8_t found[4096];
    const uint8_t *wanted = data;
    for (size_t done = 0; done < bytes;) {
        const size_t piece = bytes - done < sizeof found ? bytes - done : sizeof found;
        const int64_t got = ops(destination)->read(destination->files, destination->file, found, piece, offset + done);
        if (got <= 0) {
            return got < 0 ? (int)got : 1;
        }
        for (size_t i = 0; i < (size_t)got; i++) {
            if (found[i] != wanted[done + i] && found[i] != 0) {
                return 0;
            }
        }
        done += (size_t)got;
    }
    return 1;
}

/* Keeps the last CHECKPOINT_TAIL_BYTES of what is written. */
static void extend_tail(struct destination *destination, const uint8_t *data, size_t bytes) {
    if (bytes >= CHECKPOINT_TAIL_BYTES) {
        memcpy(destination->tail, data + bytes - CHECKPOINT_TAIL_BYTES, CHECKPOINT_TAIL_BYTES);
        destination->tail_bytes = CHECKPOINT_TAIL_BYTES;
        return;
    }
    const size_t room = CHECKPOINT_TAIL_BYTES - bytes;
    const size_t keep = destination->tail_bytes < room ? destination->tail_bytes : room;
    memmove(destination->tail, destination->tail + destination->tail_bytes - keep, keep);
    memcpy(destination->tail + keep, data, bytes);
    destination->tail_bytes = (uint32_t)(keep + bytes);
}

int64_t destination_write(struct destination *destination, const void *data, size_t bytes) {
    const int64_t written =
        ops(destination)->write(destination->files, destination->file, data, bytes, destination->length);
    if (written > 0) {
        destination->length += (uint64_t)written;
        extend_tail(destination, data, (size_t)written);
    }
    return written;
}

int destination_sync(struct destination *destination) {
    return ops(destination)->sync(destination->files, destination->file);
}

int destination_cut(struct destination *destination, uint64_t bytes) {
    const int rc = ops(destination)->truncate(destination->files, destination->file, bytes);
    return rc < 0 ? rc : destination_sync(destination);
}

void destination_close(struct destination *destination) {
    if (destination->file != DESTINATION_CLOSED) {
        ops(destination)->close(destination->files, destination->file);
        destination->file = DESTINATION_CLOSED;
    }
}

uint32_t destination_tail_crc(const struct destination *destination) {
    return crc32c(0, destination->tail, destination->tail_bytes);
}
