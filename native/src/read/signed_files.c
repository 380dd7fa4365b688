/* SPDX-License-Identifier: Apache-2.0 */
#include "read/signed_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/sha256.h"
#include "read/zstd_frames.h"

#define HEAD "checkpoint"
#define HEAD_BYTES_MOST (64u * 1024u)
#define ENTRIES "tile/entries"
#define PAYLOAD "payload"
#define ZST ".zst"
#define FIRST_ROOM (64u * 1024u)
#define NONE UINT64_MAX

int signed_files_are(const char *path) {
    char name[BURST_PATH_BYTES + 16];
    struct stat status;
    snprintf(name, sizeof name, "%s/" HEAD, path);
    if (stat(name, &status) == 0) {
        return 1;
    }
    snprintf(name, sizeof name, "%s/" ENTRIES, path);
    return stat(name, &status) == 0;
}

/* ----------------------------------------------------------------------------------------------------------- files */

/* Opens a regular file. Returns its descriptor; -ENOENT without a sentence; or -errno with one. */
static int open_file(struct signed_files *files, const char *name, uint64_t *bytes) {
    struct stat status;
    const int fd = (int)TEMP_FAILURE_RETRY(openat(files->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd < 0 || fstat(fd, &status) < 0) {
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return error == ENOENT
                   ? -ENOENT
                   : error_set(error, "%s/%s cannot be opened: %s", files->path, name,
                               error == ELOOP ? "it is a link, and an archive has none" : error_name(error));
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        return error_set(EUCLEAN, "%s/%s is no regular file", files->path, name);
    }
    files->opened++;
    *bytes = (uint64_t)status.st_size;
    return fd;
}

/* Fills `out`, and closes the file. Returns 0, or -errno with a sentence. */
static int take_file(const struct signed_files *files, int fd, const char *name, void *out, size_t bytes) {
    ssize_t got = 1;
    size_t filled = 0;
    while (got > 0 && filled < bytes) {
        got = TEMP_FAILURE_RETRY(pread(fd, (uint8_t *)out + filled, bytes - filled, (off_t)filled));
        filled += got > 0 ? (size_t)got : 0;
    }
    const int error = errno;
    close(fd);
    return got < 0          ? error_set(error, "%s/%s cannot be read: %s", files->path, name, error_name(error))
           : filled < bytes ? error_set(EUCLEAN, "%s/%s became shorter while it was read", files->path, name)
                            : 0;
}

static int read_head(struct signed_files *files, uint64_t *size) {
    static const char *const what = "has no head of an archive in its file " HEAD ": bring it back from a copy";
    char note[HEAD_BYTES_MOST];
    uint64_t bytes;
    const int fd = open_file(files, HEAD, &bytes);
    if (fd == -ENOENT) {
        return error_set(ENODATA, "%s %s", files->path, what);
    }
    if (fd >= 0 && bytes > sizeof note) {
        close(fd);
        return error_set(EUCLEAN, "%s %s", files->path, what);
    }
    const int rc = fd < 0 ? fd : take_file(files, fd, HEAD, note, (size_t)bytes);
    return rc < 0                                            ? rc
           : signed_head_size(note, (size_t)bytes, size) < 0 ? error_set(EUCLEAN, "%s %s", files->path, what)
                                                             : 0;
}

int signed_files_look(struct signed_files *files) {
    uint64_t size;
    const int rc = read_head(files, &size);
    if (rc < 0) {
        return rc;
    }
    if (size < files->size) {
        return error_set(ESTALE, "%s had %llu leaves, and has %llu: an older state was put in its place; open it again",
                         files->path, (unsigned long long)files->size, (unsigned long long)size);
    }
    const int has_grown = size > files->size;
    files->size = size;
    return has_grown;
}

int signed_files_open(struct signed_files *files, const char *path) {
    memset(files, 0, sizeof *files);
    files->bundle_number = files->payload.number = NONE;
    files->payload.file.fd = -1;
    snprintf(files->path, sizeof files->path, "%s", path);
    files->folder = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY));
    const int rc = files->folder < 0 ? error_set(errno, "%s cannot be opened: %s", path, error_name(errno))
                                     : signed_files_look(files);
    return rc < 0 ? rc : 0;
}

void signed_files_close(struct signed_files *files) {
    unpacked_close(&files->payload.file);
    free(files->payload.bytes);
    free(files->bundle.bytes);
    if (files->folder >= 0) {
        close(files->folder);
    }
}

/* ---------------------------------------------------------------------------------------------------------- leaves */

/* How many of `most` leaves from `first` on the head covers. */
static unsigned covered(const struct signed_files *files, uint64_t first, unsigned most) {
    const uint64_t left = files->size - first;
    return left < most ? (unsigned)left : most;
}

/* Opens the file with the leaves of a bundle. Returns as open_file. */
static int open_bundle(struct signed_files *files, uint64_t number, uint64_t *bytes, char name[SIGNED_NAME_BYTES]) {
    int fd, rc;
    do {
        const unsigned leaves = covered(files, number * SIGNED_WIDTH, SIGNED_WIDTH);
        signed_name(ENTRIES, number, leaves % SIGNED_WIDTH, "", name);
        fd = open_file(files, name, bytes);
        if (fd == -ENOENT && leaves < SIGNED_WIDTH) {
            signed_name(ENTRIES, number, 0, "", name);
            fd = open_file(files, name, bytes);
        }
        rc = fd == -ENOENT ? signed_files_look(files) : 0;
    } while (rc > 0);
    return rc < 0          ? rc
           : fd == -ENOENT ? error_set(EUCLEAN, "%s/%s is missing, and the head covers it: bring it back from a copy",
                                       files->path, name)
                           : fd;
}

static int read_bundle(struct signed_files *files, uint64_t number) {
    char name[SIGNED_NAME_BYTES], path[BURST_PATH_BYTES + SIGNED_NAME_BYTES];
    uint64_t bytes;
    files->bundle_number = NONE;
    const int fd = open_bundle(files, number, &bytes, name);
    if (fd < 0) {
        return fd;
    }
    if (bytes > SIGNED_BUNDLE_BYTES_MOST) {
        close(fd);
        return error_set(EUCLEAN, "%s/%s is damaged: it has %llu bytes, and at most %u would be leaves", files->path,
                         name, (unsigned long long)bytes, SIGNED_BUNDLE_BYTES_MOST);
    }
    if (bytes > files->bundle_room) {
        uint8_t *room = realloc(files->bundle.bytes, (size_t)bytes);
        if (room == NULL) {
            close(fd);
            return error_set(ENOMEM, "no memory to read %s/%s: %llu bytes", files->path, name,
                             (unsigned long long)bytes);
        }
        files->bundle.bytes = room;
        files->bundle_room = (size_t)bytes;
    }
    snprintf(path, sizeof path, "%s/%s", files->path, name);
    int rc = take_file(files, fd, name, files->bundle.bytes, (size_t)bytes);
    rc = rc < 0 ? rc
                : signed_bundle_split(&files->bundle, (size_t)bytes,
                                      covered(files, number * SIGNED_WIDTH, SIGNED_WIDTH), path);
    files->bundle_number = rc < 0 ? NONE : number;
    return rc;
}

int signed_files_leaf(struct signed_files *files, uint64_t index, struct signed_leaf *leaf) {
    const unsigned place = (unsigned)(index % SIGNED_WIDTH);
    const int is_there = files->bundle_number == index / SIGNED_WIDTH && place < files->bundle.leaves;
    const int rc = is_there ? 0 : read_bundle(files, index / SIGNED_WIDTH);
    if (rc == 0) {
        *leaf = signed_bundle_leaf(&files->bundle, place);
    }
    return rc;
}

/* -------------------------------------------------------------------------------------------------------- payloads */

/* Opens a payload file, unless it is open. Returns 0, or as open_file. */
static int open_payload(struct signed_files *files, const char *name) {
    char path[BURST_PATH_BYTES + SIGNED_NAME_BYTES];
    uint64_t bytes;
    if (strcmp(files->payload.name, name) == 0) {
        return 0;
    }
    const int fd = open_file(files, name, &bytes);
    if (fd < 0) {
        return fd;
    }
    unpacked_close(&files->payload.file);
    files->payload.number = NONE;
    files->payload.at = 0;
    snprintf(files->payload.name, sizeof files->payload.name, "%s", name);
    snprintf(path, sizeof path, "%s/%s", files->path, name);
    int rc = unpacked_open(&files->payload.file, fd, files->payload.name, bytes);
    if (rc == 0 && files->payload.file.zstd == NULL) {
        rc = error_set(EUCLEAN, "%s is damaged: it does not begin with a zstd frame", path);
        unpacked_close(&files->payload.file);
    }
    files->payload.file.has_looked = 1; /* frames are found by their number, and not by the table */
    if (rc < 0) {
        files->payload.name[0] = '\0';
    }
    return rc;
}

/* Goes to a frame of the file that is open, from the one that was read last or from the first. Returns 0, or -ENOENT if
 * the file has no such frame. */
static int find_frame(struct signed_files *files, uint64_t number) {
    const uint64_t first = number / SIGNED_WIDTH * SIGNED_WIDTH;
    uint64_t at = files->payload.at, frame = files->payload.number;
    if (frame == NONE || frame > number || frame < first) {
        at = 0;
        frame = first;
    }
    for (; frame < number; frame++) {
        if (!zstd_frames_pass(files->payload.file.fd, &at)) {
            return -ENOENT;
        }
    }
    uint64_t end = at;
    if (!zstd_frames_pass(files->payload.file.fd, &end)) {
        return -ENOENT;
    }
    files->payload.at = at;
    return 0;
}

/* Opens the file that has the frame, as the head names it, and finds the frame there. Returns as open_file. */
static int open_frame(struct signed_files *files, uint64_t number) {
    char name[SIGNED_NAME_BYTES];
    const uint64_t file = number / SIGNED_WIDTH;
    const unsigned leaves = covered(files, file * SIGNED_FILE_LEAVES, SIGNED_FILE_LEAVES);
    if (number % SIGNED_WIDTH >= leaves / SIGNED_WIDTH) {
        signed_name(PAYLOAD, file, leaves, ZST, name);
        const int rc = open_payload(files, name);
        if (rc != -ENOENT) {
            files->payload.at = 0;
            files->payload.leaves = leaves % SIGNED_WIDTH;
            return rc;
        }
    }
    signed_name(PAYLOAD, file, 0, ZST, name);
    files->payload.leaves = SIGNED_WIDTH;
    const int rc = open_payload(files, name);
    return rc < 0 ? rc : find_frame(files, number);
}

/* The number of leaves in the name of a partial payload file; 0 if it is none. */
static unsigned leaves_of(const char *name) {
    char *end = NULL;
    const unsigned long leaves = name[0] >= '1' && name[0] <= '9' ? strtoul(name, &end, 10) : 0;
    return leaves > 0 && leaves < SIGNED_FILE_LEAVES && strcmp(end, ZST) == 0 ? (unsigned)leaves : 0;
}

/* Opens a partial file of a head that is to come, which has the last frame of this one first: a copy may have that alone if
 * it was taken while an archiver was at work. Returns as open_file. */
static int open_later_edge(struct signed_files *files, uint64_t number) {
    char name[SIGNED_NAME_BYTES];
    const uint64_t file = number / SIGNED_WIDTH;
    const unsigned leaves = covered(files, file * SIGNED_FILE_LEAVES, SIGNED_FILE_LEAVES);
    signed_name(PAYLOAD, file, 0, ".p", name);
    const int fd =
        (int)TEMP_FAILURE_RETRY(openat(files->folder, name, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW));
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return -ENOENT;
    }
    int rc = -ENOENT;
    for (const struct dirent *entry; rc == -ENOENT && (entry = readdir(folder)) != NULL;) {
        const unsigned later = leaves_of(entry->d_name);
        if (later > leaves && later / SIGNED_WIDTH == leaves / SIGNED_WIDTH &&
            number % SIGNED_WIDTH == leaves / SIGNED_WIDTH) {
            uint64_t end = 0;
            signed_name(PAYLOAD, file, later, ZST, name);
            rc = open_payload(files, name);
            if (rc == -EUCLEAN || (rc == 0 && !zstd_frames_pass(files->payload.file.fd, &end))) {
                rc = -ENOENT; /* it was half written when it was copied: another one may be whole */
            }
        }
    }
    closedir(folder);
    files->payload.at = 0;
    files->payload.leaves = leaves % SIGNED_WIDTH;
    return rc;
}

/* Returns SIGNED_THERE with the file at the begin of the frame, SIGNED_NOWHERE, or -errno with a sentence. */
static int go_to_frame(struct signed_files *files, uint64_t number) {
    int rc;
    do {
        rc = open_frame(files, number);
        if (rc == -ENOENT) {
            rc = signed_files_look(files);
            rc = rc == 0 ? open_later_edge(files, number) : rc;
        }
    } while (rc > 0);
    if (rc == -ENOENT) {
        return SIGNED_NOWHERE;
    }
    rc = rc < 0 ? rc : unpacked_begin_frame(&files->payload.file, files->payload.at);
    files->payload.number = rc < 0 ? NONE : number;
    return rc < 0 ? rc : SIGNED_THERE;
}

/* Reads `length` bytes of the frame. Memory grows with what the file has, and not with what a leaf says. Returns whether
 * the file has so many, or -errno with a sentence. */
static int take_bytes(struct signed_files *files, uint32_t length) {
    size_t filled = 0;
    while (filled < length) {
        if (filled == files->payload.room) {
            const size_t room = filled < FIRST_ROOM ? FIRST_ROOM : 2 * filled;
            uint8_t *bytes = realloc(files->payload.bytes, room);
            if (bytes == NULL) {
                return error_set(ENOMEM, "no memory to read a payload of %u bytes in %s", length, files->path);
            }
            files->payload.bytes = bytes;
            files->payload.room = room;
        }
        const size_t room = files->payload.room - filled, left = length - filled;
        const int64_t got =
            unpacked_read(&files->payload.file, files->payload.bytes + filled, left < room ? left : room);
        if (got <= 0) {
            return (int)got;
        }
        filled += (size_t)got;
    }
    return 1;
}

/* Whether these bytes are what an erasure leaves: blanks, and a newline at the end if one was there. */
static int is_filled(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != ' ' && !(i == length - 1 && bytes[i] == '\n')) {
            return 0;
        }
    }
    return 1;
}

/* The place of the leaf helps; the words of a library about such bytes are left out. */
static int damaged(const struct signed_files *files, uint64_t index, const struct signed_leaf *leaf) {
    return error_set(EUCLEAN,
                     "the payload of leaf %llu, sequence %lld, in %s/%s is not what was archived: `burstlog-archive "
                     "verify` names all that was changed; a reader that begins at sequence %lld goes on behind it",
                     (unsigned long long)index, (long long)leaf->sequence, files->path, files->payload.name,
                     (long long)leaf->sequence + 1);
}

/* Goes to the payload of a leaf. Returns as go_to_frame. */
static int go_to_payload(struct signed_files *files, uint64_t number, unsigned place) {
    const uint64_t at = files->bundle.payload_at[place];
    const int is_open = files->payload.number == number &&
                        place < files->payload.leaves && /* it may be a partial one */
                        files->payload.file.offset <= at;
    int rc = is_open ? SIGNED_THERE : go_to_frame(files, number);
    if (rc == SIGNED_THERE) {
        rc = unpacked_seek(&files->payload.file, at);
        rc = rc < 0 ? rc : SIGNED_THERE;
    }
    return rc;
}

int signed_files_no_payload(const struct signed_files *files, uint64_t index) {
    char name[SIGNED_NAME_BYTES];
    signed_name(PAYLOAD, index / SIGNED_FILE_LEAVES, 0, ZST, name);
    return error_set(
        EUCLEAN,
        "%s/%s is missing or cut: it has no payloads of the leaves from %llu on, and no act says that their "
        "time was over; bring it back from a copy",
        files->path, name, (unsigned long long)(index / SIGNED_WIDTH * SIGNED_WIDTH));
}

int signed_files_payload(struct signed_files *files, uint64_t index) {
    uint8_t digest[SHA256_BYTES];
    struct signed_leaf leaf;
    int rc = signed_files_leaf(files, index, &leaf);
    if (rc < 0 || leaf.length == 0) {
        return rc < 0 ? rc : SIGNED_THERE;
    }
    rc = go_to_payload(files, index / SIGNED_WIDTH, (unsigned)(index % SIGNED_WIDTH));
    if (rc == SIGNED_NOWHERE || (rc < 0 && files->payload.number == NONE)) {
        return rc;
    }
    rc = rc < 0 ? rc : take_bytes(files, leaf.length);
    if (rc <= 0) {
        files->payload.number = NONE;
        return rc == 0 || rc == -EUCLEAN ? damaged(files, index, &leaf) : rc;
    }
    sha256(files->payload.bytes, leaf.length, digest);
    return memcmp(digest, leaf.digest, sizeof digest) == 0 ? SIGNED_THERE
           : is_filled(files->payload.bytes, leaf.length)  ? SIGNED_ERASED
                                                           : damaged(files, index, &leaf);
}
