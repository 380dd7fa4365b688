/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/segments/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/path.h"
#include "media/record.h"

static const struct files_ops *ops(const struct segments_folder *folder) {
    return folder->files->ops;
}

static int head_path(const struct segments_folder *folder, char *path, size_t path_bytes) {
    const int used = snprintf(path, path_bytes, "%s/" SEGMENTS_HEAD_NAME, folder->path);
    return used < 0 || (size_t)used >= path_bytes ? -ENAMETOOLONG : 0;
}

int segments_folder_path(const struct segments_folder *folder, uint64_t first_number, char *path, size_t path_bytes) {
    char name[SEGMENT_NAME_BYTES];
    segment_name(name, first_number);
    const int used = snprintf(path, path_bytes, "%s/%s", folder->path, name);
    return used < 0 || (size_t)used >= path_bytes ? -ENAMETOOLONG : 0;
}

void segments_folder_init(struct segments_folder *folder, const struct files *files, const struct new_file *new_file) {
    folder->files = files;
    folder->new_file = accounts_keep(new_file, folder->owner, folder->group);
    folder->head = FOLDER_CLOSED;
}

void segments_folder_close(struct segments_folder *folder) {
    if (folder->head != FOLDER_CLOSED) {
        ops(folder)->close(folder->files, folder->head);
        folder->head = FOLDER_CLOSED;
    }
}

static int refuse(const struct segments_folder *folder, int rc) {
    const char *path = folder->path;
    switch (-rc) {
    case ENOMEDIUM:
        return error_set(ENOMEDIUM,
                         "segments folder %s has no file head: the folder was deleted, or its file system is not "
                         "mounted; bring it back, or, if the records are to go on in an empty folder, make an empty "
                         "file of that name in it",
                         path);
    case EBUSY:
        return error_set(EBUSY, "segments folder %s is written by another log: give every stream a folder of its own",
                         path);
    case EUCLEAN:
        return error_set(EUCLEAN,
                         "what segments folder %s says of itself, in its file head, is damaged: it is left as it is; "
                         "move the folder away, then give the stream another one",
                         path);
    case EPROTO:
        return error_set(EPROTO,
                         "segments folder %s is of another version than %u, which this library knows: use the one "
                         "that wrote it, or another folder",
                         path, SEGMENT_VERSION);
    default:
        return error_set(-rc, "segments folder %s cannot be opened: %s; make it readable and writable", path,
                         error_name(-rc));
    }
}

int segments_folder_write_head(struct segments_folder *folder) {
    char path[LAYOUT_FILE_NAME_BYTES];
    const uint8_t *const head = (const uint8_t *)&folder->is;
    int64_t written = 1;
    for (size_t done = 0; done < sizeof folder->is && written > 0; done += written > 0 ? (size_t)written : 0) {
        written = ops(folder)->write(folder->files, folder->head, head + done, sizeof folder->is - done, done);
    }
    int rc = written < 0 ? (int)written : written == 0 ? -ENOSPC : ops(folder)->sync(folder->files, folder->head);
    rc = rc < 0 ? rc : head_path(folder, path, sizeof path);
    /* In each case, since the file's maker may have ended before a sync. */
    return rc < 0 ? rc : ops(folder)->sync_name(folder->files, path);
}

/* A crash while the head is written leaves zeros, and so may a full disk, or a part of the head. */
static int is_unfinished(const struct segments_head *head, size_t bytes) {
    static const uint64_t magic = SEGMENTS_HEAD_MAGIC;
    const uint8_t *byte = (const uint8_t *)head;
    if (bytes < sizeof *head && memcmp(head, &magic, bytes < sizeof magic ? bytes : sizeof magic) == 0) {
        return 1;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (byte[i] != 0) {
            return 0;
        }
    }
    return 1;
}

/* Reads the head, or makes a new one in memory if that was never whole. Returns 1 for a new one, 0, or -errno. */
static int read_or_begin(struct segments_folder *folder, const struct platform *platform, const char *name) {
    const int64_t got = ops(folder)->read(folder->files, folder->head, &folder->is, sizeof folder->is, 0);
    if (got < 0) {
        return (int)got;
    }
    if (is_unfinished(&folder->is, (size_t)got)) {
        const uint64_t uuid[2] = {platform->ops->random(platform), platform->ops->random(platform)};
        segments_head_make(&folder->is, (const uint8_t *)uuid, name, platform_realtime_ns(platform));
        return 1;
    }
    switch (got < (int64_t)sizeof folder->is ? SEGMENT_DAMAGED : segments_head_judge(&folder->is)) {
    case SEGMENT_VALID:
        return 0;
    case SEGMENT_UNKNOWN:
        return -EPROTO;
    default:
        return -EUCLEAN;
    }
}

static int open_head(struct segments_folder *folder, const char *path, int may_create) {
    int head = ops(folder)->open(folder->files, path);
    if (head < 0) {
        head = head != -ENOENT && head != -ENOTDIR ? head
               : may_create                        ? ops(folder)->create(folder->files, path, &folder->new_file)
                                                   : -ENOMEDIUM;
        folder->head = head < 0 ? FOLDER_CLOSED : head; /* the created file is already locked */
        return head < 0 ? head : 0;
    }
    folder->head = head;
    return ops(folder)->lock(folder->files, head);
}

int segments_folder_open(struct segments_folder *folder, const struct platform *platform, const char *path,
                         const char *name, int may_create) {
    char head[LAYOUT_FILE_NAME_BYTES];
    segments_folder_close(folder);
    snprintf(folder->path, sizeof folder->path, "%s", path);
    int rc = head_path(folder, head, sizeof head);
    rc = rc < 0 ? rc : open_head(folder, head, may_create);
    rc = rc < 0 ? rc : read_or_begin(folder, platform, name);
    /* An existing head is written again, too: its maker may have ended before the sync, or that may have failed. */
    const int written = rc < 0 || !may_create ? 0 : segments_folder_write_head(folder);
    rc = written < 0 ? written : rc;
    if (rc < 0) {
        segments_folder_close(folder);
        return refuse(folder, rc);
    }
    return rc;
}

int segments_folder_is_there(const struct segments_folder *folder) {
    char path[LAYOUT_FILE_NAME_BYTES];
    struct file_identity ours, named;
    return head_path(folder, path, sizeof path) == 0 &&
           ops(folder)->identity(folder->files, folder->head, &ours) == 0 &&
           ops(folder)->identity_of_path(folder->files, path, &named) == 0 && named.device == ours.device &&
           named.inode == ours.inode;
}

static int take_higher(void *argument, const char *path) {
    uint64_t *last = argument;
    const uint64_t number = segment_number_of(path_name(path));
    *last = number > *last ? number : *last;
    return 0;
}

int segments_folder_next_number(const struct segments_folder *folder, uint64_t *number) {
    char path[LAYOUT_FILE_NAME_BYTES];
    struct segment_header header;
    uint64_t last = 0, frames = 0, offset = sizeof header;
    int rc = head_path(folder, path, sizeof path);
    rc = rc < 0 ? rc : ops(folder)->list_siblings(folder->files, path, take_higher, &last);
    *number = last == 0 ? 1 : last;
    rc = rc < 0 || last == 0 ? rc : segments_folder_path(folder, last, path, sizeof path);
    if (rc < 0 || last == 0) {
        return rc;
    }
    const int file = ops(folder)->open(folder->files, path);
    if (file < 0) {
        return file;
    }
    const int64_t got = ops(folder)->read(folder->files, file, &header, sizeof header, 0);
    if (got == (int64_t)sizeof header && segment_header_judge(&header, folder->is.uuid) == SEGMENT_VALID) {
        rc = segments_count(folder->files, file, crc_seed_of(header.ring_uuid), &offset, &frames);
    }
    ops(folder)->close(folder->files, file);
    *number = last + frames;
    return got < 0 ? (int)got : rc;
}

/* Returns 1 if the whole payload is there and its CRC is right, 0 if not, or -errno. */
static int has_payload(const struct files *files, int file, const struct record_header *header, uint64_t offset) {
    uint8_t piece[4096];
    uint32_t crc = 0;
    for (uint64_t done = 0; done < header->length;) {
        const uint64_t left = header->length - done;
        const int64_t got = files->ops->read(files, file, piece, left < sizeof piece ? (size_t)left : sizeof piece,
                                             offset + sizeof *header + done);
        if (got <= 0) {
            return (int)got;
        }
        crc = crc32c(crc, piece, (size_t)got);
        done += (uint64_t)got;
    }
    return crc == header->payload_crc;
}

int segments_count(const struct files *files, int file, uint32_t crc_seed, uint64_t *offset, uint64_t *frames) {
    struct record_header header;
    struct file_identity identity;
    int rc = files->ops->identity(files, file, &identity);
    for (; rc == 0; *offset += record_bytes(header.length), ++*frames) {
        const int64_t got = files->ops->read(files, file, &header, sizeof header, *offset);
        if (got < (int64_t)sizeof header || !segment_frame_begins(&header, crc_seed) ||
            *offset + record_bytes(header.length) > identity.bytes) {
            return got < 0 ? (int)got : 0;
        }
        rc = has_payload(files, file, &header, *offset);
        if (rc <= 0) {
            return rc;
        }
        rc = 0;
    }
    return rc;
}
