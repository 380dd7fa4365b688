/* SPDX-License-Identifier: Apache-2.0 */
/* Readable names for the places where a kill strikes. */
#include "media/layout.h"
#include "shim.h"

/* Points for calls without a row below: each is one of two, by its target. */
enum {
    POINT_MEMORY,
    POINT_CLOCK,
    POINT_SLEEP_OR_WAKE,
    POINT_OTHER,
    POINT_COMMIT,
    POINT_MARKER,
    POINT_CHECKPOINT,
    POINT_SUPERBLOCK,
    FIRST_ROW
};

static const char *const fixed_names[] = {
    "memory",      "clock",           "sleep or wake", "other", "ring write of a commit",
    "open marker", "checkpoint slot", "superblock",
};

static const struct {
    enum shim_call call;
    enum shim_role role; /* ROLE_NONE: any */
    const char *name;
} rows[] = {
    {CALL_pwrite, ROLE_LOG, "log file write"},
    {CALL_pwrite, ROLE_NONE, "ring file creation: zeros"},
    {CALL_fallocate, ROLE_NONE, "ring file creation: allocation"},
    {CALL_openat, ROLE_LOG, "rolled file open"},
    {CALL_linkat, ROLE_LOG, "compressed file: naming"},
    {CALL_unlinkat, ROLE_LOG, "rolled file deletion"},
    {CALL_openat, ROLE_NONE, "ring file creation: working file"},
    {CALL_renameat2, ROLE_LOG, "roll: rename"},
    {CALL_link, ROLE_LOG, "roll: rename by a link"},
    {CALL_unlink, ROLE_LOG, "roll: rename by a link"},
    {CALL_lstat, ROLE_LOG, "roll: look at the new name"},
    {CALL_renameat2, ROLE_NONE, "ring file creation: naming"},
    {CALL_renameat, ROLE_NONE, "ring file creation: naming"},
    {CALL_linkat, ROLE_NONE, "ring file creation: naming"},
    {CALL_unlinkat, ROLE_NONE, "ring file creation: working file"},
    {CALL_fdatasync, ROLE_LOG, "log file fdatasync"},
    {CALL_fsync, ROLE_FOLDER, "directory fsync"},
    {CALL_fsync, ROLE_RING, "ring flush"},
    {CALL_fsync, ROLE_WORKING, "ring file creation: fsync"},
    {CALL_ftruncate, ROLE_LOG, "log file cut"},
    {CALL_ftruncate, ROLE_NONE, "ring file creation: working file"},
    {CALL_mkdir, ROLE_NONE, "directory creation"},
    {CALL_pread, ROLE_RING, "ring read of recovery"},
    {CALL_pread, ROLE_LOG, "log file read of recovery"},
    {CALL_preadv2, ROLE_NONE, "ring probe"},
    {CALL_open, ROLE_LOG, "log file open"},
    {CALL_open, ROLE_RING, "ring open"},
    {CALL_open, ROLE_FOLDER, "directory open"},
    {CALL_close, ROLE_RING, "ring close"},
    {CALL_close, ROLE_LOG, "log file close"},
    {CALL_fcntl, ROLE_RING, "ring lock"},
    {CALL_flock, ROLE_LOG, "log file lock"},
    {CALL_pthread_create, ROLE_NONE, "thread start"},
    {CALL_readdir, ROLE_NONE, "search for a renamed log file"},
    {CALL_stat, ROLE_LOG, "look at the log file"},
    {CALL_fstat, ROLE_LOG, "look at the log file"},
};

#define ROWS ((int)(sizeof rows / sizeof rows[0]))
_Static_assert(FIRST_ROW + ROWS <= POINTS, "one counter for every point");

static int of_ring_write(const struct shim_target *target) {
    if (target->offset >= (int64_t)LAYOUT_DATA_OFFSET) {
        return ((const struct record_header *)target->data)->type == RECORD_MARKER ? POINT_MARKER : POINT_COMMIT;
    }
    return target->offset >= (int64_t)LAYOUT_CHECKPOINT_OFFSET(0) ? POINT_CHECKPOINT : POINT_SUPERBLOCK;
}

int point_of(enum shim_call call, const struct shim_target *target) {
    if (call == CALL_pwritev2) {
        return of_ring_write(target);
    }
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].call == call && (rows[i].role == ROLE_NONE || rows[i].role == target->role)) {
            return FIRST_ROW + i;
        }
    }
    switch (call) {
    case CALL_calloc:
    case CALL_malloc:
    case CALL_madvise:
    case CALL_mlock:
    case CALL_mmap:
        return POINT_MEMORY;
    case CALL_clock_gettime:
        return POINT_CLOCK;
    case CALL_futex_wait:
    case CALL_futex_wake:
    case CALL_clock_nanosleep:
        return POINT_SLEEP_OR_WAKE;
    default:
        return POINT_OTHER;
    }
}

const char *point_name(int point) {
    return point < FIRST_ROW ? fixed_names[point] : point < FIRST_ROW + ROWS ? rows[point - FIRST_ROW].name : "";
}
