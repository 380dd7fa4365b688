/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/indexes.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/path.h"
#include "base/retry.h"
#include "burstlog.h"
#include "read/index_folder.h"
#include "read/unpack.h"

#define PLACES 3
#define SECOND_NS 1000000000ll

static const char *const above[PLACES] = {"", "/..", "/../.."};

/* The folder whose log files' indexes may be those of the rolled file. Returns 0, or -1 if there is no such place. */
static int place(const char *home, const char *folder, int number, char path[BURST_PATH_BYTES]) {
    const int is_known = *home != '\0';
    return (is_known && number > 0) ||
                   snprintf(path, BURST_PATH_BYTES, "%s%s", is_known ? home : folder, above[number]) >= BURST_PATH_BYTES
               ? -1
               : 0;
}

static int has_indexes(const char *home, const char *folder) {
    char path[BURST_PATH_BYTES], indexes[BURST_PATH_BYTES + sizeof INDEX_FOLDER + 1];
    int found = 0;
    for (int number = 0; !found && number < PLACES && place(home, folder, number, path) == 0; number++) {
        snprintf(indexes, sizeof indexes, "%s/" INDEX_FOLDER, path);
        found = access(indexes, W_OK | X_OK) == 0;
    }
    return found;
}

void rolling_indexes_look(const char *home, const char *folder, const char *name, struct rolling_file_begin *begin) {
    char path[BURST_PATH_BYTES];
    struct unpacked file;
    int64_t got = 1;
    begin->bytes = 0;
    if (!has_indexes(home, folder) || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        return;
    }
    const int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (fd < 0 || fstat(fd, &begin->status) < 0 || !S_ISREG(begin->status.st_mode)) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    if (unpacked_open(&file, fd, path, UINT64_MAX) < 0) {
        return;
    }
    while (got > 0 && begin->bytes < sizeof begin->text) {
        got = unpacked_read(&file, begin->text + begin->bytes, sizeof begin->text - begin->bytes);
        begin->bytes += got > 0 ? (size_t)got : 0;
    }
    begin->bytes = got < 0 ? 0 : begin->bytes;
    begin->is_plain = file.is_plain;
    unpacked_close(&file);
}

static void remove_one(void *argument, const char *path) {
    (void)argument;
    unlink(path);
}

void rolling_indexes_remove(const char *home, const char *folder, const struct rolling_file_begin *begin) {
    char path[BURST_PATH_BYTES];
    const struct timespec *changed = &begin->status.st_mtim;
    const struct index_wanted wanted = {.begin = begin->text,
                                        .begin_bytes = begin->bytes,
                                        .bytes = begin->is_plain ? (uint64_t)begin->status.st_size : UINT64_MAX,
                                        .modified_ns = changed->tv_sec * SECOND_NS + changed->tv_nsec};
    for (int number = 0; begin->bytes > 0 && number < PLACES && place(home, folder, number, path) == 0; number++) {
        struct index_folder *indexes;
        if (index_folder_open(path, &indexes) == 0) {
            index_folder_each(indexes, &wanted, remove_one, NULL);
            index_folder_close(indexes);
        }
    }
}
