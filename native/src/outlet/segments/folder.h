/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that segments are in: what it says of itself, and what is in it already. */
#ifndef BURST_OUTLET_SEGMENTS_FOLDER_H
#define BURST_OUTLET_SEGMENTS_FOLDER_H

#include "base/platform.h"
#include "media/segment.h"
#include "outlet/file/fs.h"

#define FOLDER_CLOSED (-1)

struct segments_folder {
    const struct files *files;
    struct new_file new_file;
    int head; /* the file of that name, locked against other writers; FOLDER_CLOSED */
    char path[LAYOUT_FILE_NAME_BYTES];
    struct segments_head is;
};

/*
 * Opens the folder and locks it. One that has no head is begun if it may be created, for the stream of that name: its head is durable
 * then. Where the head is an empty file the folder is begun in any case, but if it was to be there that is not written yet:
 * segments_folder_write_head. 0, 1 if it was begun, or with a sentence: -ENOMEDIUM: it has no head; -EBUSY: another log writes it;
 * -EUCLEAN, -EPROTO: its head is damaged, or of another version; another -errno. Then it is closed.
 */
int segments_folder_open(struct segments_folder *folder, const struct platform *platform, const char *path,
                         const char *name, int may_create);

/* Once the ledger has the id of a folder that was begun in the place of an empty head: else a crash between the two would leave a
 * folder that nobody knows. Durable on return. 0 or -errno. */
int segments_folder_write_head(struct segments_folder *folder);

/* Whether the folder that is open still has its name. */
int segments_folder_is_there(const struct segments_folder *folder);

void segments_folder_close(struct segments_folder *folder);

/* 0 or -ENAMETOOLONG. */
int segments_folder_path(const struct segments_folder *folder, uint64_t first_number, char *path, size_t path_bytes);

/* The number that comes next in the folder, whose last segment is read for it. 0 or -errno without a sentence. */
int segments_folder_next_number(const struct segments_folder *folder, uint64_t *number);

/* Counts the frames that are whole, from *offset of the open file on, up to one that is not. Moves *offset behind the last of
 * them. 0 or -errno. */
int segments_count(const struct files *files, int file, uint32_t crc_seed, uint64_t *offset, uint64_t *frames);

#endif
