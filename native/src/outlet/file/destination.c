/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/destination.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/path.h"
#include "media/layout.h"

static const struct files_ops *ops(const struct destination *destination) {
    return destination->files->ops;
}

/* Reads bytes that the file has according to its size. A short read is an error: it does not tell whose file this
 * is. */
static int read_all(const struct destination *destination, void *data, size_t bytes, uint64_t offset) {
    const int64_t got = ops(destination)->read(destination->files, destination->file, data, bytes, offset);
    return got < 0 ? (int)got : (size_t)got == bytes ? 0 : -EIO;
}

/* Takes the file as ours up to `length`. */
static int take(struct destination *destination, const char *path, uint64_t length, uint64_t bytes) {
    snprintf(destination->path, sizeof destination->path, "%s", path);
    destination->length = length;
    destination->redo_until = bytes;
    destination->tail_bytes = (uint32_t)(length < CHECKPOINT_TAIL_BYTES ? length : CHECKPOINT_TAIL_BYTES);
    destination->before_length = destination->before_bytes = 0;
    return read_all(destination, destination->tail, destination->tail_bytes, length - destination->tail_bytes);
}

static int close_if_failed(struct destination *destination, int rc) {
    if (rc < 0) {
        destination_close(destination);
    }
    return rc;
}

static int open_locked(struct destination *destination, const char *path) {
    const int file = ops(destination)->open(destination->files, path);
    if (file < 0) {
        return file;
    }
    destination->file = file;
    return close_if_failed(destination, ops(destination)->lock(destination->files, file));
}

static int open_existing(struct destination *destination, const char *path, struct file_identity *identity) {
    const int rc = open_locked(destination, path);
    return rc < 0 ? rc
                  : close_if_failed(destination,
                                    ops(destination)->identity(destination->files, destination->file, identity));
}

/* Refuses a ring: nobody would find the records appended to it. */
static int refuse_ring(const struct destination *destination, uint64_t bytes) {
    uint64_t magic;
    if (bytes < LAYOUT_DATA_OFFSET) {
        return 0;
    }
    const int rc = read_all(destination, &magic, sizeof magic, offsetof(struct superblock, magic));
    return rc < 0 ? rc : magic == SUPERBLOCK_MAGIC ? DESTINATION_IS_RING : 0;
}

int destination_open_to_continue(struct destination *destination, const char *path) {
    struct file_identity identity;
    int rc = open_existing(destination, path, &identity);
    if (rc == 0) {
        rc = refuse_ring(destination, identity.bytes);
        rc = rc < 0 ? rc : take(destination, path, identity.bytes, identity.bytes);
        rc = close_if_failed(destination, rc);
    }
    return rc;
}

/* Recognises the open file as the one of the state, or closes it. */
static int recognise(struct destination *destination, const char *path, const struct outlet_state *state) {
    struct file_identity identity;
    int rc = ops(destination)->identity(destination->files, destination->file, &identity);
    if (rc == 0) {
        rc = identity.bytes < state->length ? DESTINATION_NOT_OURS
                                            : take(destination, path, state->length, identity.bytes);
    }
    if (rc == 0 &&
        (destination->tail_bytes != state->tail_bytes || destination_tail_crc(destination) != state->tail_crc)) {
        rc = DESTINATION_NOT_OURS;
    }
    return close_if_failed(destination, rc);
}

int destination_compare(const struct destination *destination, const char *path, const struct file_mark *noted) {
    struct file_mark seen;
    const int rc = ops(destination)->mark_of_path(destination->files, path, &seen);
    return rc < 0 ? rc : (int)file_mark_compare(noted, &seen);
}

/* A shorter file cannot be the one, so it is not even opened. */
int destination_open_to_redo(struct destination *destination, const char *path, const struct outlet_state *state) {
    struct file_identity identity;
    int rc = ops(destination)->identity_of_path(destination->files, path, &identity);
    if (rc == 0 && identity.is_regular && identity.bytes < state->length) {
        return DESTINATION_NOT_OURS;
    }
    rc = rc < 0 ? rc : open_locked(destination, path);
    return rc < 0 ? rc : recognise(destination, path, state);
}

/* The kinds of files in the folder that cannot be opened. */
enum open_failure {
    SIBLING_IS_NO_LOG, /* it is no log file */
    /* Other users' or logs' file, as any shared folder has: waiting for these, a ring could never be opened there. */
    SIBLING_OF_OTHERS,
    SIBLING_MAY_OPEN, /* it may be the log file, and may open the next time */
};

static enum open_failure open_failure(int rc) {
    switch (-rc) {
    case ENOENT: /* deleted since the listing, or a link to nowhere */
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EISDIR:
    case EINVAL: /* a pipe, a socket, a device */
    case ENXIO:
        return SIBLING_IS_NO_LOG;
    case EACCES:
    case EPERM:   /* immutable, or append-only */
    case EBUSY:   /* another log writes it */
    case ETXTBSY: /* a running program */
        return SIBLING_OF_OTHERS;
    default: /* EIO, ESTALE, ENOTCONN, EROFS; ENOMEM, EMFILE, ENFILE, ENOLCK; EINTR, EAGAIN; unknown ones */
        return SIBLING_MAY_OPEN;
    }
}

struct search {
    struct destination *destination;
    const struct outlet_state *state;
    const struct file_mark *noted;
    int error; /* of the first file that may be ours and may open later */
    int open_failures;
};

static void note_unreadable_candidate(struct search *search, const char *path, int rc, enum open_failure failure) {
    struct destination *destination = search->destination;
    search->open_failures++;
    if (failure == SIBLING_IS_NO_LOG || search->error != 0 ||
        (failure == SIBLING_OF_OTHERS && destination->unreadable_candidate[0] != '\0')) {
        return;
    }
    search->error = failure == SIBLING_MAY_OPEN ? rc : 0;
    destination->unreadable_candidate_error = rc;
    snprintf(destination->unreadable_candidate, sizeof destination->unreadable_candidate, "%s", path);
}

/* NFS and FUSE give such a name to a file that is deleted while it is open. The name goes when the file is closed. */
static int is_name_of_deleted(const char *path) {
    const char *name = path_name(path);
    return strncmp(name, ".nfs", 4) == 0 || strncmp(name, ".fuse_hidden", 12) == 0;
}

/* Returns 1 with the file open if it is the one, else 0. Opens no other file. */
static int try_sibling(void *argument, const char *path) {
    struct search *search = argument;
    struct destination *destination = search->destination;
    struct file_identity identity;
    if (is_name_of_deleted(path)) {
        return 0;
    }
    int rc = ops(destination)->identity_of_path(destination->files, path, &identity);
    if (rc == 0 && (identity.inode != search->noted->inode || !identity.is_regular)) {
        return 0;
    }
    rc = rc < 0 ? rc : destination_compare(destination, path, search->noted);
    if (rc == FILE_OTHER || rc == FILE_UNKNOWN) {
        return 0;
    }
    rc = rc < 0 ? rc : open_locked(destination, path);
    enum open_failure failure = rc == -EBUSY && destination->waits_for_lock ? SIBLING_MAY_OPEN : open_failure(rc);
    if (rc == 0) {
        rc = recognise(destination, path, search->state);
        failure = SIBLING_MAY_OPEN;
    }
    if (rc < 0 && rc != DESTINATION_NOT_OURS) {
        note_unreadable_candidate(search, path, rc, failure);
    }
    return rc == 0;
}

/* The folder could not be listed, or not completely. */
static void note_folder(struct search *search, const char *path, int rc) {
    const struct destination *destination = search->destination;
    struct file_identity identity;
    char folder[LAYOUT_FILE_NAME_BYTES];
    snprintf(folder, sizeof folder, "%.*s", (int)(path_name(path) - path), path);
    enum open_failure failure = open_failure(rc);
    if (failure == SIBLING_IS_NO_LOG &&
        ops(destination)->identity_of_path(destination->files, folder, &identity) == 0) {
        failure = SIBLING_MAY_OPEN; /* the folder exists */
    }
    note_unreadable_candidate(search, folder, rc, failure);
}

/* Whether the open file has the name. */
static int has_name(const struct destination *destination, const char *path) {
    struct file_identity ours, named;
    return ops(destination)->identity(destination->files, destination->file, &ours) == 0 &&
           ops(destination)->identity_of_path(destination->files, path, &named) == 0 && named.device == ours.device &&
           named.inode == ours.inode;
}

int destination_find_renamed(struct destination *destination, const char *path, const struct outlet_state *state,
                             const struct file_mark *noted) {
    struct search search = {.destination = destination, .state = state, .noted = noted};
    int rc = 0;
    if (noted->inode == 0) {
        return DESTINATION_NOT_OURS;
    }
    /* If a file could not be opened, a second look follows: a rotation may have moved the file meanwhile, or a child
     * may have held its lock. */
    for (int look = 0; look == 0 || (look == 1 && rc != 1 && search.open_failures > 0); look++) {
        search.error = search.open_failures = 0;
        destination->unreadable_candidate[0] = '\0';
        rc = ops(destination)->list_siblings(destination->files, path, try_sibling, &search);
        if (rc < 0) {
            note_folder(&search, path, rc);
        }
    }
    if (rc == 1) {
        destination->unreadable_candidate[0] = '\0';
        snprintf(destination->path, sizeof destination->path, "%s", path);
        return !has_name(destination, path);
    }
    return search.error != 0 ? search.error : DESTINATION_NOT_OURS;
}

int destination_create(struct destination *destination, const char *path) {
    struct file_identity identity;
    int file = ops(destination)->create(destination->files, path, &destination->new_file);
    if (file == -EEXIST) {
        if (ops(destination)->identity_of_path(destination->files, path, &identity) == 0 && identity.is_regular &&
            identity.bytes != 0) {
            return -EEXIST; /* a file of others; it is not opened */
        }
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

struct deleted {
    const struct destination *destination;
    const struct file_identity *ours;
};

static int is_ours_deleted(void *argument, const char *path) {
    const struct deleted *deleted = argument;
    const struct destination *destination = deleted->destination;
    struct file_identity identity;
    return is_name_of_deleted(path) && ops(destination)->identity_of_path(destination->files, path, &identity) == 0 &&
           identity.device == deleted->ours->device && identity.inode == deleted->ours->inode;
}

static enum destination_state renamed_or_deleted(const struct destination *destination,
                                                 const struct file_identity *ours) {
    struct deleted deleted = {.destination = destination, .ours = ours};
    return ops(destination)->list_siblings(destination->files, destination->path, is_ours_deleted, &deleted) == 1
               ? DESTINATION_DELETED
               : DESTINATION_RENAMED;
}

/* Whether the file still has the given tail before `length`. If it cannot be read, the answer is yes. */
static int is_there(const struct destination *destination, const uint8_t *tail, uint32_t bytes, uint64_t length) {
    uint8_t found[CHECKPOINT_TAIL_BYTES];
    return bytes == 0 || read_all(destination, found, bytes, length - bytes) < 0 || memcmp(found, tail, bytes) == 0;
}

enum destination_state destination_look(const struct destination *destination) {
    struct file_identity ours, named;
    int rc = ops(destination)->identity(destination->files, destination->file, &ours);
    if (rc < 0) {
        /* ECONNABORTED: the daemon of the file system dies right now. ESTALE: the server has forgotten the file for good.
         * After any other error the write will tell. */
        return rc == -ENOTCONN || rc == -ECONNABORTED || rc == -ESTALE ? DESTINATION_CUT_OFF : DESTINATION_OURS;
    }
    if (ours.links == 0) {
        return DESTINATION_DELETED;
    }
    const uint64_t end = destination_end(destination);
    if (ours.bytes < end) {
        return DESTINATION_TRUNCATED;
    }
    if (!is_there(destination, destination->tail, destination->tail_bytes, destination->length) ||
        !is_there(destination, destination->before, destination->before_bytes, destination->before_length)) {
        return DESTINATION_CHANGED;
    }
    if (ours.bytes > end) {
        return DESTINATION_EXTENDED;
    }
    rc = ops(destination)->identity_of_path(destination->files, destination->path, &named);
    /* ENOTDIR: the folder was renamed, and a file has its name now. */
    if (rc == -ENOENT || rc == -ENOTDIR || (rc == 0 && (named.device != ours.device || named.inode != ours.inode))) {
        return destination_is_unmounted_now(destination) == 1 ? DESTINATION_UNMOUNTED
                                                              : renamed_or_deleted(destination, &ours);
    }
    return DESTINATION_OURS;
}

/* A read returned no byte at the offset. Returns 0 if the file ends there, else -errno. */
static int check_end(const struct destination *destination, uint64_t offset) {
    struct file_identity identity;
    const int rc = ops(destination)->identity(destination->files, destination->file, &identity);
    return rc < 0 ? rc : identity.bytes <= offset ? 0 : -EIO;
}

int destination_matches(const struct destination *destination, const void *data, size_t bytes, uint64_t offset) {
    uint8_t found[4096];
    const uint8_t *wanted = data;
    enum destination_match match = MATCH_BLANK;
    for (size_t done = 0; done < bytes;) {
        const size_t piece = bytes - done < sizeof found ? bytes - done : sizeof found;
        const int64_t got = ops(destination)->read(destination->files, destination->file, found, piece, offset + done);
        if (got <= 0) {
            const int rc = got < 0 ? (int)got : check_end(destination, offset + done);
            return rc < 0 ? rc : (int)match;
        }
        for (size_t i = 0; i < (size_t)got; i++) {
            if (found[i] != wanted[done + i] && found[i] != 0) {
                return MATCH_NONE;
            }
            match = found[i] != 0 ? MATCH_EQUAL : match;
        }
        done += (size_t)got;
    }
    return match;
}

/* Keeps the last CHECKPOINT_TAIL_BYTES that were written. */
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
        destination->before_length = destination->length;
        destination->before_bytes = destination->tail_bytes;
        memcpy(destination->before, destination->tail, sizeof destination->before);
        destination->length += (uint64_t)written;
        extend_tail(destination, data, (size_t)written);
    }
    return written;
}

int destination_sync(struct destination *destination) {
    return ops(destination)->sync(destination->files, destination->file);
}

int destination_cut(struct destination *destination, uint64_t bytes) {
    struct file_identity identity;
    int rc = ops(destination)->identity(destination->files, destination->file, &identity);
    if (rc == 0 && identity.bytes > bytes) { /* a file that others cut shorter must not grow */
        rc = ops(destination)->truncate(destination->files, destination->file, bytes);
    }
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

int destination_open_free(struct destination *destination, const char *path) {
    int rc = destination_create(destination, path);
    rc = rc < 0 ? rc : destination_sync(destination);
    return close_if_failed(destination, rc);
}

int destination_continue(struct destination *destination, const char *path) {
    int rc = destination_open_to_continue(destination, path);
    if (rc == -ENOENT) {
        return destination_create(destination, path);
    }
    rc = rc < 0 ? rc : destination_sync(destination);
    return rc < 0 ? rc : ops(destination)->sync_name(destination->files, path);
}
