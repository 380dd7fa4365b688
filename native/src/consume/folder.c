/* SPDX-License-Identifier: Apache-2.0 */
#include "consume/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keep.h"
#include "base/retry.h"
#include "consume/position.h"
#include "media/segment.h"

#define FIRST_ROOM 16u

/* A zeroed place for one more item; NULL: there is no memory. */
static void *add(void **items, size_t *count, size_t *room, size_t item_bytes) {
    if (*count == *room) {
        const size_t more = *room == 0 ? FIRST_ROOM : *room * 2;
        void *larger = realloc(*items, more * item_bytes);
        if (larger == NULL) {
            return NULL;
        }
        *items = larger;
        *room = more;
    }
    return memset((uint8_t *)*items + (*count)++ * item_bytes, 0, item_bytes);
}

DIR *folder_list(int folder, const char *name) {
    const int fd = (int)TEMP_FAILURE_RETRY(openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (entries == NULL && fd >= 0) {
        const int error = errno;
        close(fd);
        errno = error;
    }
    return entries;
}

const struct dirent *folder_next(DIR *entries, int *rc) {
    errno = 0;
    const struct dirent *entry = readdir(entries);
    *rc = entry == NULL && errno != 0 ? -errno : *rc;
    return entry;
}

/* --------------------------------------------------------------------------------------------------- segments */

static int by_number(const void *one, const void *other) {
    const uint64_t a = ((const struct segment_facts *)one)->first_number;
    const uint64_t b = ((const struct segment_facts *)other)->first_number;
    return a < b ? -1 : a > b;
}

void segment_list_free(struct segment_list *list) {
    free(list->segments);
    *list = (struct segment_list){.count = 0};
}

int folder_segments(int folder, struct segment_list *list) {
    *list = (struct segment_list){.count = 0};
    DIR *entries = folder_list(folder, ".");
    int rc = entries == NULL ? -errno : 0;
    for (const struct dirent *entry; rc == 0 && (entry = folder_next(entries, &rc)) != NULL;) {
        struct stat status;
        const uint64_t number = segment_number_of(entry->d_name);
        if (number == 0) {
            continue;
        }
        if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
            rc = errno == ENOENT ? 0 : -errno; /* deleted meanwhile */
            continue;
        }
        struct segment_facts *facts = add((void **)&list->segments, &list->count, &list->room, sizeof *list->segments);
        if (facts == NULL) {
            rc = -ENOMEM;
        } else {
            facts->first_number = number;
            facts->bytes = (uint64_t)status.st_size;
            facts->changed_ns = keep_time_ns(&status.st_mtim);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    if (rc < 0) {
        segment_list_free(list);
    } else if (list->count > 0) {
        qsort(list->segments, list->count, sizeof *list->segments, by_number);
    }
    return rc;
}

/* -------------------------------------------------------------------------------------------------- consumers */

static int by_name(const void *one, const void *other) {
    return strcmp(((const struct consumer_facts *)one)->name, ((const struct consumer_facts *)other)->name);
}

void consumer_list_free(struct consumer_list *list) {
    free(list->consumers);
    *list = (struct consumer_list){.count = 0};
}

int consumer_is_stranger(const struct consumer_facts *facts) {
    return facts->trouble == -ENOTSUP;
}

static int add_consumer(struct consumer_list *list, int positions, const uint8_t folder_uuid[16], const char *name) {
    struct position position;
    if (name[0] == '.') {
        return 0;
    }
    const int rc = position_look(&position, positions, folder_uuid, name);
    if (rc == -ENOENT) {
        return 0;
    }
    struct consumer_facts *facts = add((void **)&list->consumers, &list->count, &list->room, sizeof *list->consumers);
    if (facts == NULL) {
        return -ENOMEM;
    }
    snprintf(facts->name, sizeof facts->name, "%s", name);
    facts->next_number = position.next_number;
    facts->acknowledged_ns = position.written_ns;
    facts->trouble = rc;
    return 0;
}

int folder_consumers(int folder, const uint8_t folder_uuid[16], struct consumer_list *list) {
    *list = (struct consumer_list){.count = 0};
    DIR *entries = folder_list(folder, SEGMENTS_POSITIONS_NAME);
    int rc = entries != NULL || errno == ENOENT ? 0 : -errno;
    for (const struct dirent *entry; rc == 0 && entries != NULL && (entry = folder_next(entries, &rc)) != NULL;) {
        rc = add_consumer(list, dirfd(entries), folder_uuid, entry->d_name);
    }
    if (entries != NULL) {
        closedir(entries);
    }
    if (rc < 0) {
        consumer_list_free(list);
    } else if (list->count > 0) {
        qsort(list->consumers, list->count, sizeof *list->consumers, by_name);
    }
    return rc;
}

/* A file that is gone meanwhile needs no sync. */
static int sync_position(int positions, const char *name) {
    const int file = position_open_file(positions, name, O_RDONLY);
    if (file < 0) {
        return file == -ENOENT ? 0 : file;
    }
    const int rc = TEMP_FAILURE_RETRY(fdatasync(file)) < 0 ? -errno : 0;
    close(file);
    return rc;
}

int folder_sync_consumers(int folder, const struct consumer_list *list) {
    DIR *entries = folder_list(folder, SEGMENTS_POSITIONS_NAME);
    int rc = entries != NULL || errno == ENOENT ? 0 : -errno;
    for (size_t i = 0; rc == 0 && entries != NULL && i < list->count; i++) {
        rc = list->consumers[i].trouble < 0 ? 0 : sync_position(dirfd(entries), list->consumers[i].name);
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return rc;
}
