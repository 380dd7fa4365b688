/* SPDX-License-Identifier: Apache-2.0 */
#include "read/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* So many records are read ahead to find the time at which they were durable. */
#define AHEAD_MOST 4096u
#define INDEXES_MOST 100000u  /* of one file */
#define NOT_BELIEVED (-65542) /* no errno: the index contradicts itself */

struct records {
    struct index_folder *folder;
    struct index_wanted wanted;
    uint8_t begin[INDEX_TEXT_BYTES];
    int has_begun;            /* the open index is at a place */
    struct index_file *index; /* NULL: the one that was open is not believed, and no later one is there */
    uint64_t first;
    uint64_t end;           /* of the last item that was read ahead: later indexes have text behind it */
    uint64_t last_sequence; /* that an item had; the next one's is higher */
    uint64_t reads;         /* of indexes that were closed */
    uint64_t searched;      /* reads of all indexes that looked for a place */
    int has_searched;
    char path[4352];         /* of the index that was opened last */
    size_t at, count, timed; /* of `ahead`: the next item to give, their number, and how many have their time */
    char why[400];
    struct records_item ahead[AHEAD_MOST]; /* a ring */
};

static void use(struct records *records, struct index_file *index) {
    records->index = index;
    snprintf(records->path, sizeof records->path, "%s", index_path(index));
}

int records_open(struct index_folder *folder, const struct index_wanted *wanted, struct records **out) {
    struct index_file *index;
    *out = NULL;
    int rc = index_folder_find(folder, wanted, 0, &index);
    if (rc <= 0) {
        return rc;
    }
    struct records *records = calloc(1, sizeof *records);
    if (records == NULL) {
        index_close(index);
        return error_set(ENOMEM, "no memory for the records of a log file: %zu bytes", sizeof *records);
    }
    records->folder = folder;
    records->wanted = *wanted;
    memcpy(records->begin, wanted->begin, wanted->begin_bytes);
    records->wanted.begin = records->begin;
    use(records, index);
    records->first = index_first(index);
    *out = records;
    return 1;
}

static void leave(struct records *records) {
    if (records->index != NULL) {
        records->reads += index_reads(records->index);
        index_close(records->index);
        records->index = NULL;
    }
}

void records_close(struct records *records) {
    if (records != NULL) {
        leave(records);
        free(records);
    }
}

static void forget_ahead(struct records *records) {
    records->at = records->count = records->timed = 0;
    records->last_sequence = 0;
    records->end = 0;
}

/* ----------------------------------------------------------------------------------------------------------- next */

static struct records_item *ahead(struct records *records, size_t number) {
    return &records->ahead[(records->at + number) % AHEAD_MOST];
}

/* The records below this sequence were durable at that time; 0: nobody knows when. */
static void set_times(struct records *records, const struct index_item *time) {
    while (records->timed < records->count && ahead(records, records->timed)->item.sequence < time->sequence) {
        ahead(records, records->timed++)->durable_ns = time->time_ns;
    }
}

static int disbelieve(struct records *records) {
    if (records->why[0] == '\0') {
        snprintf(records->why, sizeof records->why, "index %.300s is damaged behind byte %llu of its file",
                 index_path(records->index), (unsigned long long)records->end);
    }
    return NOT_BELIEVED;
}

/* Takes one item of the open index into `ahead`. Returns 1, 0 at its end, NOT_BELIEVED, or -errno. */
static int take(struct records *records) {
    struct index_item item;
    const int rc = index_next(records->index, &item);
    if (rc <= 0) {
        return rc == -EUCLEAN ? disbelieve(records) : rc;
    }
    if (item.kind == INDEX_DURABLE) {
        set_times(records, &item);
        return 1;
    }
    if (item.offset < records->end || item.sequence <= records->last_sequence ||
        !index_wanted_has(&records->wanted, item.offset + item.bytes)) {
        return disbelieve(records);
    }
    *ahead(records, records->count++) = (struct records_item){.item = item};
    records->end = item.offset + item.bytes;
    records->last_sequence = item.kind == INDEX_LOSS ? item.sequence + item.count - 1 : item.sequence;
    return 1;
}

/* Opens the next index of the file, if there is one by now. Returns 1, 0 or -errno. */
static int go_on(struct records *records) {
    struct index_file *index;
    int rc = index_folder_find_next(records->folder, &records->wanted, records->end, records->path, &index);
    if (rc <= 0) {
        return rc;
    }
    if (records->index != NULL && strcmp(index_path(index), index_path(records->index)) == 0) {
        index_close(index); /* it has grown */
        return 0;
    }
    leave(records);
    use(records, index);
    return index_find(index, INDEX_OFFSET, (int64_t)records->end);
}

/* Reads ahead until the first item has its time, or none can have it. Returns 1, 0 if there is no item, or -errno. */
static int read_ahead(struct records *records) {
    int rc = 1, has_looked = 0;
    if (!records->has_begun) { /* nobody has looked for a place: the first one */
        records->has_begun = 1;
        rc = index_find(records->index, INDEX_SEQUENCE, 0) < 0 ? disbelieve(records) : 1;
    }
    if (rc == NOT_BELIEVED) {
        leave(records);
        rc = 1;
    }
    while (rc > 0 && records->timed == 0 && records->count < AHEAD_MOST) {
        rc = records->index == NULL ? 0 : take(records);
        if (rc == NOT_BELIEVED) {
            leave(records);
            rc = 0;
        }
        if (rc == 0 && !has_looked && records->count == 0) {
            has_looked = 1;
            rc = go_on(records);
        }
    }
    return rc < 0 ? rc : records->count > 0;
}

int records_next(struct records *records, uint64_t offset, struct records_item *item) {
    int rc;
    while ((rc = read_ahead(records)) == 1) {
        *item = *ahead(records, 0);
        records->at = (records->at + 1) % AHEAD_MOST;
        records->count--;
        records->timed -= records->timed > 0;
        if (item->item.offset + item->item.bytes > offset || item->item.bytes == 0) {
            return 1;
        }
    }
    return rc;
}

/* ----------------------------------------------------------------------------------------------------------- find */

/* Goes back to the first index of the file. */
static int go_to_first(struct records *records) {
    struct index_file *index;
    forget_ahead(records);
    records->has_begun = 1;
    const int rc = records->index != NULL && index_first(records->index) == records->first
                       ? 0
                       : index_folder_find(records->folder, &records->wanted, 0, &index);
    if (rc == 1) {
        leave(records);
        use(records, index);
    }
    return rc < 0 ? rc : records->index != NULL;
}

static uint64_t all_reads(const struct records *records) {
    return records->reads + (records->index == NULL ? 0 : index_reads(records->index));
}

/* The first search has also the read that opened the index. */
static void count_search(struct records *records, uint64_t before) {
    records->searched += all_reads(records) - (records->has_searched ? before : 0);
    records->has_searched = 1;
}

static int find(struct records *records, enum index_goal goal, int64_t value, uint64_t *offset) {
    int rc = go_to_first(records);
    *offset = 0;
    for (unsigned turn = 0; rc == 1 && turn < INDEXES_MOST; turn++) {
        rc = index_find(records->index, goal, value);
        if (rc == 1) {
            *offset = index_found(records->index)->offset;
            return 1;
        }
        if (rc == -EUCLEAN) {
            disbelieve(records);
            leave(records);
            return 0;
        }
        rc = rc < 0 ? rc : index_end(records->index, offset);
        records->end = *offset;
        rc = rc < 0 ? rc : go_on(records);
        rc = rc == 0 && records->index != NULL && index_begin(records->index) >= *offset ? 1 : rc;
    }
    return rc;
}

int records_find(struct records *records, enum index_goal goal, int64_t value, uint64_t *offset) {
    const uint64_t before = all_reads(records);
    const int rc = find(records, goal, value, offset);
    count_search(records, before);
    return rc;
}

int records_end(struct records *records, uint64_t *offset) {
    return records_find(records, INDEX_SEQUENCE, INT64_MAX, offset);
}

int records_last(struct records *records, uint64_t limit, uint64_t count, uint64_t *offset, uint64_t *found) {
    struct index_item item;
    uint64_t end;
    *found = 0;
    int rc = records_end(records, &end); /* now the last index is open */
    *offset = end;
    if (rc < 0 || records->index == NULL || count == 0) {
        return rc < 0 ? rc : 0;
    }
    /* Records behind the limit do not count; those are few, or the file is not the one that is written. */
    uint64_t behind = 0;
    if (end > limit) {
        rc = index_find(records->index, INDEX_OFFSET, (int64_t)limit);
        while (rc == 1 && (rc = index_next(records->index, &item)) == 1) {
            behind += item.kind != INDEX_DURABLE;
        }
    }
    rc = rc < 0 ? rc : index_last(records->index, count + behind, found);
    if (rc == 1) {
        *offset = index_found(records->index)->offset;
    }
    *found = *found > behind ? *found - behind : 0;
    forget_ahead(records);
    return rc < 0 && rc != -EUCLEAN ? rc : 0;
}

uint64_t records_first(const struct records *records) {
    return records->first;
}

uint64_t records_reads(const struct records *records) {
    return records->searched;
}

const char *records_why(const struct records *records) {
    return records->why;
}
