/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of segments, as its writer uses it: the head, and the segments that are there. */
#ifndef BURST_OUTLET_SEGMENTS_FOLDER_H
#define BURST_OUTLET_SEGMENTS_FOLDER_H

#include "base/platform.h"
#include "media/segment.h"
#include "outlet/file/accounts.h"
#include "outlet/file/fs.h"

#define FOLDER_CLOSED (-1)

struct segments_folder {
    const struct files *files;
    struct new_file new_file; /* how the head and the segments are made */
    /* Kept here, since segments are made when the caller's names are gone. */
    char owner[ACCOUNT_NAME_BYTES], group[ACCOUNT_NAME_BYTES];
    int head; /* the open file `head`, locked against other writers; FOLDER_CLOSED */
    char path[LAYOUT_FILE_NAME_BYTES];
    struct segments_head is;
};

/* Prepares a closed folder. Copies the names in *new_file. */
void segments_folder_init(struct segments_folder *folder, const struct files *files, const struct new_file *new_file);

/*
 * Opens the folder and locks it. Returns 0, or 1 if the folder was begun.
 *
 * If the folder has no head and may_create is set, the folder is begun for the stream of that name, and its head is
 * durable. If the head is an empty file, the folder is begun in any case. Without may_create the new head is then not
 * written yet: segments_folder_write_head does that.
 *
 * On errors it sets a sentence, leaves the folder closed and returns -ENOMEDIUM (no head), -EBUSY (another log writes
 * it), -EUCLEAN or -EPROTO (the head is damaged, or of another version), or another -errno.
 */
int segments_folder_open(struct segments_folder *folder, const struct platform *platform, const char *path,
                         const char *name, int may_create);

/* Writes the head of a folder that was begun in place of an empty head. The ledger must have the folder's id before:
 * otherwise a crash in between would leave a folder that no ledger knows. Durable on return. Returns 0 or -errno. */
int segments_folder_write_head(struct segments_folder *folder);

/* Whether the open folder still has its name. */
int segments_folder_is_there(const struct segments_folder *folder);

void segments_folder_close(struct segments_folder *folder);

/* Makes the path of a segment. Returns 0 or -ENAMETOOLONG. */
int segments_folder_path(const struct segments_folder *folder, uint64_t first_number, char *path, size_t path_bytes);

/* Finds the next number in the folder; reads its last segment for that. Returns 0, or -errno without a sentence. */
int segments_folder_next_number(const struct segments_folder *folder, uint64_t *number);

/* Counts the whole frames of the open file from *offset on, up to the first that is not whole. Moves *offset behind the
 * last whole one. Returns 0 or -errno. */
int segments_count(const struct files *files, int file, uint32_t crc_seed, uint64_t *offset, uint64_t *frames);

#endif
