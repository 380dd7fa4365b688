/* SPDX-License-Identifier: Apache-2.0 */
#include "read/index_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/path.h"

#define NAME_BYTES 64
#define WHY_BYTES 400
#define FOLDER_BYTES 4200
#define NEIGHBOURS 2u /* indexes of one file follow each other by name; another stream's may stand between */
#define BESIDE 17u    /* on each side, by name */
#define FOLLOWERS                                                                                                      \
    17u /* the index itself, which may have grown, and those behind it; other streams' may stand between */
#define SECOND_NS 1000000000ll
#define TICK_NS 20000000            /* changes of a folder that are closer may have the same time ... */
#define COARSE_TICK_NS 3000000000ll /* ... and these, if its file system counts whole seconds */

struct listed {
    char name[NAME_BYTES]; /* they are in order of their names: so of their first sequences */
    int64_t modified_ns;
    int is_read;  /* what was read will not change: one that is just begun is none yet, and is read again */
    int is_right; /* is_read: `head` is that of a whole index */
    struct index_head head;
};

/* Where an index is in `listed`. They are in order of their times. */
struct of_time {
    int64_t modified_ns;
    size_t number;
};

struct index_folder {
    char path[FOLDER_BYTES];
    int64_t changed_ns; /* of the folder, at the listing; 0: a later change may have the same time */
    struct listed *listed;
    size_t count, room;
    struct of_time *by_time; /* of all of `listed` */
    char why[WHY_BYTES];
};

/* ----------------------------------------------------------------------------------------------------------- list */

static int by_name(const void *one, const void *other) {
    return strcmp(((const struct listed *)one)->name, ((const struct listed *)other)->name);
}

static int by_time(const void *one, const void *other) {
    const int64_t a = ((const struct of_time *)one)->modified_ns, b = ((const struct of_time *)other)->modified_ns;
    return (a > b) - (a < b);
}

static int64_t modified_ns(const struct stat *status) {
    const int64_t most_s = INT64_MAX / SECOND_NS - 1;
    const int64_t s = status->st_mtim.tv_sec;
    return (s < -most_s ? -most_s : s > most_s ? most_s : s) * SECOND_NS + status->st_mtim.tv_nsec;
}

/* When the folder was changed, if that is so long ago that no later change can have the same time; else 0. */
static int64_t changed_at(const struct stat *folder) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    const int64_t tick_ns = folder->st_mtim.tv_nsec == 0 ? COARSE_TICK_NS : TICK_NS;
    return modified_ns(folder) < now.tv_sec * SECOND_NS + now.tv_nsec - tick_ns ? modified_ns(folder) : 0;
}

static int add(struct index_folder *list, const char *name, int64_t modified) {
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 64 : 2 * list->room;
        struct listed *larger = realloc(list->listed, room * sizeof *larger);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory for the names of %zu indexes", room);
        }
        list->listed = larger;
        list->room = room;
    }
    struct listed *added = &list->listed[list->count++];
    *added = (struct listed){.modified_ns = modified};
    snprintf(added->name, sizeof added->name, "%s", name);
    return 0;
}

static int fill(struct index_folder *list) {
    struct stat status;
    DIR *directory = opendir(list->path);
    if (directory == NULL) {
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : error_set(errno, "indexes in %s cannot be listed: %s", list->path, error_name(errno));
    }
    int rc = 0;
    list->changed_ns = fstat(dirfd(directory), &status) == 0 ? changed_at(&status) : 0;
    for (struct dirent *entry; rc == 0 && (entry = readdir(directory)) != NULL;) {
        if (strlen(entry->d_name) < NAME_BYTES &&
            fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode)) {
            rc = add(list, entry->d_name, modified_ns(&status));
        }
    }
    closedir(directory);
    list->by_time = rc < 0 || list->count == 0 ? NULL : calloc(list->count, sizeof *list->by_time);
    if (rc == 0 && list->count > 0 && list->by_time == NULL) {
        rc = error_set(ENOMEM, "no memory for the times of %zu indexes", list->count);
    }
    if (rc == 0 && list->count > 0) {
        qsort(list->listed, list->count, sizeof *list->listed, by_name);
        for (size_t i = 0; i < list->count; i++) {
            list->by_time[i] = (struct of_time){.modified_ns = list->listed[i].modified_ns, .number = i};
        }
        qsort(list->by_time, list->count, sizeof *list->by_time, by_time);
    }
    return rc;
}

static void forget(struct index_folder *list) {
    free(list->listed);
    free(list->by_time);
    list->listed = NULL;
    list->by_time = NULL;
    list->count = list->room = 0;
}

int index_folder_open(const char *folder, struct index_folder **out) {
    struct index_folder *list = calloc(1, sizeof *list);
    *out = NULL;
    if (list == NULL) {
        return error_set(ENOMEM, "no memory for a list of indexes: %zu bytes", sizeof *list);
    }
    const int used =
        snprintf(list->path, sizeof list->path, "%s/" INDEX_FOLDER, strcmp(folder, "/") == 0 ? "" : folder);
    const int rc = (size_t)used < sizeof list->path ? fill(list) : 0;
    if (rc < 0) {
        index_folder_close(list);
        return rc;
    }
    *out = list;
    return 0;
}

void index_folder_close(struct index_folder *list) {
    if (list != NULL) {
        forget(list);
        free(list);
    }
}

const char *index_folder_why(const struct index_folder *list) {
    return list->why;
}

/* Lists the folder again if indexes may have come or gone. */
static int renew(struct index_folder *list) {
    struct stat status;
    if (stat(list->path, &status) < 0 || (list->changed_ns != 0 && list->changed_ns == modified_ns(&status))) {
        return 0;
    }
    forget(list);
    return fill(list);
}

/* ----------------------------------------------------------------------------------------------------------- find */

struct search {
    struct index_folder *list;
    const struct index_wanted *wanted;
    uint64_t offset;
    uint32_t begin_crc; /* of all that is known of the file's begin */
    struct index_file *index;
    const struct listed *listed; /* of `index` */
};

int index_wanted_has(const struct index_wanted *wanted, uint64_t bytes) {
    struct stat status;
    return bytes <= wanted->bytes ||
           (wanted->file != NULL && fstat(*wanted->file, &status) == 0 && bytes <= (uint64_t)status.st_size);
}

/* Whether the file begins with the text that the index names. */
static int is_of(const struct index_head *head, const struct search *search) {
    const struct index_wanted *wanted = search->wanted;
    return head->text_bytes > 0 && head->text_bytes <= wanted->begin_bytes &&
           head->text_crc == (head->text_bytes == wanted->begin_bytes ? search->begin_crc
                                                                      : crc32c(0, wanted->begin, head->text_bytes));
}

static void tell(struct index_folder *list, const struct listed *listed, const char *what) {
    if (list->why[0] == '\0') {
        snprintf(list->why, sizeof list->why, "index %.200s/%s %s", list->path, listed->name, what);
    }
}

/* Opens the index if it belongs to the file and has text behind the offset. Returns 1, 0 or -errno. */
static int try_one(const struct search *search, struct listed *listed, struct index_file **index) {
    struct index_folder *const list = search->list;
    char path[FOLDER_BYTES + NAME_BYTES];
    uint64_t end = 0;
    *index = NULL;
    if (listed->is_read && (!listed->is_right || !is_of(&listed->head, search))) {
        return 0;
    }
    snprintf(path, sizeof path, "%s/%s", list->path, listed->name);
    int rc = index_open_at(path, &listed->head, index);
    const int is_of_other_version = rc == 0 && listed->head.version != 0 && listed->head.version != INDEX_VERSION;
    listed->is_right = rc == 1;
    listed->is_read = rc == 1 || is_of_other_version;
    if (is_of_other_version) {
        tell(list, listed, "is of another version");
    }
    if (rc != 1 || !is_of(&listed->head, search)) {
        index_close(*index);
        *index = NULL;
        return rc < 0 ? rc : 0;
    }
    rc = index_end(*index, &end);
    if (rc == -EUCLEAN) {
        tell(list, listed, "is damaged");
    } else if (rc >= 0 && !index_wanted_has(search->wanted, end)) {
        rc = -EUCLEAN;
        tell(list, listed, "has records behind the end of the file, which was cut or is another one");
    }
    if (rc < 0 || end <= search->offset) {
        index_close(*index);
        *index = NULL;
        return rc < 0 && rc != -EUCLEAN ? rc : 0;
    }
    return 1;
}

/* Whether this head is a better answer than the one that was found: it has the text at the offset, or begins sooner; or
 * knows more of the file's text. */
static int is_better(const struct index_head *head, const struct index_head *found, uint64_t offset) {
    if (head->text_bytes != found->text_bytes) {
        return head->text_bytes > found->text_bytes;
    }
    return found->offset > offset && head->offset < found->offset;
}

/* Returns 0, or -errno. */
static int consider(struct search *search, struct listed *listed) {
    struct index_file *index;
    if (listed->is_read && search->listed != NULL && !is_better(&listed->head, &search->listed->head, search->offset)) {
        return 0;
    }
    int rc = try_one(search, listed, &index);
    if (rc == 1 && (search->listed == NULL || is_better(&listed->head, &search->listed->head, search->offset))) {
        index_close(search->index);
        search->index = index;
        search->listed = listed;
    } else if (rc == 1) {
        index_close(index);
    }
    return rc < 0 ? rc : 0;
}

/* The first index, by time, that was not changed before the file. */
static size_t first_behind(const struct index_folder *list, int64_t modified) {
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->by_time[middle].modified_ns < modified) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Tries the indexes, the nearest in time first, until one is found that knows all of the file's first bytes. */
static int find_by_time(struct search *search) {
    struct index_folder *const list = search->list;
    const int64_t modified = search->wanted->modified_ns;
    size_t above = first_behind(list, modified), below = above;
    int rc = 0;
    while (rc == 0 && (below > 0 || above < list->count)) {
        const int is_below =
            below > 0 && (above == list->count || (uint64_t)modified - (uint64_t)list->by_time[below - 1].modified_ns <
                                                      (uint64_t)list->by_time[above].modified_ns - (uint64_t)modified);
        rc = consider(search, &list->listed[list->by_time[is_below ? --below : above++].number]);
        if (search->listed != NULL && search->listed->head.text_bytes == search->wanted->begin_bytes) {
            break;
        }
    }
    return rc;
}

/* If text lies between the offset and the index that was found, an earlier one of the same file may have it. */
static int look_beside(struct search *search) {
    int rc = 0;
    for (size_t at = (size_t)(search->listed - search->list->listed), left = NEIGHBOURS;
         rc == 0 && left > 0 && at > 0 && search->listed->head.offset > search->offset; left--) {
        const struct listed *before = search->listed;
        rc = consider(search, &search->list->listed[--at]);
        left += search->listed != before ? 1 : 0;
    }
    return rc;
}

int index_folder_find(struct index_folder *list, const struct index_wanted *wanted, uint64_t offset,
                      struct index_file **index) {
    struct search search = {
        .list = list, .wanted = wanted, .offset = offset, .begin_crc = crc32c(0, wanted->begin, wanted->begin_bytes)};
    *index = NULL;
    list->why[0] = '\0';
    int rc = renew(list);
    rc = rc < 0 || list->count == 0 ? rc : find_by_time(&search);
    rc = rc < 0 || search.listed == NULL ? rc : look_beside(&search);
    if (rc < 0 || search.index == NULL) {
        index_close(search.index);
        return rc;
    }
    *index = search.index;
    index_opened(search.index);
    return 1;
}

int index_folder_find_next(struct index_folder *list, const struct index_wanted *wanted, uint64_t offset,
                           const char *path, struct index_file **index) {
    struct search search = {
        .list = list, .wanted = wanted, .offset = offset, .begin_crc = crc32c(0, wanted->begin, wanted->begin_bytes)};
    *index = NULL;
    list->why[0] = '\0';
    int rc = renew(list);
    size_t at = 0;
    while (at < list->count && strcmp(list->listed[at].name, path_name(path)) < 0) {
        at++;
    }
    for (unsigned looked = 0; rc == 0 && looked < FOLLOWERS && at < list->count && search.index == NULL; looked++) {
        rc = consider(&search, &list->listed[at++]);
    }
    if (rc < 0 || search.index == NULL) {
        index_close(search.index);
        return rc;
    }
    *index = search.index;
    index_opened(search.index);
    return 1;
}

/* How many of the indexes from..to - 1 are of the file: their numbers go to `found`. 0: two have the same text. */
static size_t gather(const struct search *search, size_t from, size_t to, size_t *found) {
    size_t count = 0;
    uint64_t end = 0;
    int are_alike = 0;
    for (size_t at = from; at < to; at++) {
        struct index_file *index;
        if (try_one(search, &search->list->listed[at], &index) == 1) {
            are_alike |= count > 0 && index_begin(index) < end;
            index_end(index, &end);
            found[count++] = at;
            index_close(index);
        }
    }
    return are_alike ? 0 : count;
}

int index_folder_each(struct index_folder *list, const struct index_wanted *wanted,
                      void (*each)(void *argument, const char *path), void *argument) {
    const struct search search = {
        .list = list, .wanted = wanted, .begin_crc = crc32c(0, wanted->begin, wanted->begin_bytes)};
    struct index_file *nearest;
    size_t found[2 * BESIDE + 1], at = 0;
    const int rc = index_folder_find(list, wanted, 0, &nearest);
    if (rc <= 0) {
        return rc;
    }
    while (strcmp(list->listed[at].name, path_name(index_path(nearest))) != 0) {
        at++;
    }
    index_close(nearest);
    const size_t from = at > BESIDE ? at - BESIDE : 0, to = list->count - at > BESIDE ? at + BESIDE + 1 : list->count;
    const size_t count = gather(&search, from, to, found);
    for (size_t i = 0; i < count; i++) {
        char path[FOLDER_BYTES + NAME_BYTES];
        snprintf(path, sizeof path, "%s/%s", list->path, list->listed[found[i]].name);
        each(argument, path);
    }
    return 0;
}

int index_open(const struct index_wanted *wanted, uint64_t offset, struct index_file **index) {
    struct index_folder *list;
    int rc = index_folder_open(wanted->folder, &list);
    *index = NULL;
    if (rc == 0) {
        rc = index_folder_find(list, wanted, offset, index);
        index_folder_close(list);
    }
    return rc;
}
