/* SPDX-License-Identifier: Apache-2.0 */
#include "consume/position.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"

static int fail(const char *name, int error) {
    return error_set(error,
                     "the position of consumer %s cannot be read and written: %s; it is a file of its folder's "
                     "folder " SEGMENTS_POSITIONS_NAME,
                     name, error_name(error));
}

/* Some file systems cannot sync a folder; their names need none. */
static int sync_folder(int folder) {
    return TEMP_FAILURE_RETRY(fsync(folder)) < 0 && errno != EINVAL ? -1 : 0;
}

/* Names of a new file, and of a new folder, are durable before anything is acknowledged. */
static int open_file(int folder, const char *name) {
    if (mkdirat(folder, SEGMENTS_POSITIONS_NAME, 0777) < 0 && errno != EEXIST) {
        return -errno;
    }
    const int positions =
        (int)TEMP_FAILURE_RETRY(openat(folder, SEGMENTS_POSITIONS_NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (positions < 0) {
        return -errno;
    }
    int file = (int)TEMP_FAILURE_RETRY(openat(positions, name, O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    file = file < 0 ? -errno : file;
    if (file >= 0 && (sync_folder(positions) < 0 || sync_folder(folder) < 0)) {
        const int rc = -errno;
        close(file);
        file = rc;
    }
    close(positions);
    return file;
}

static int is_blank(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (((const uint8_t *)bytes)[i] != 0) {
            return 0;
        }
    }
    return 1;
}

/* 0; 1: it says nothing yet; -EUCLEAN: it is damaged; another -errno. */
static int read_slots(struct position *position) {
    struct segments_position slots[SEGMENTS_POSITION_SLOTS];
    memset(slots, 0, sizeof slots);
    for (unsigned slot = 0; slot < SEGMENTS_POSITION_SLOTS; slot++) {
        const off_t place = (off_t)SEGMENTS_POSITION_OFFSET(slot);
        if (TEMP_FAILURE_RETRY(pread(position->file, &slots[slot], sizeof slots[slot], place)) < 0) {
            return -errno;
        }
    }
    const int newest = segments_position_newest(slots, position->folder_uuid);
    if (newest < 0) {
        return is_blank(slots, sizeof slots) ? 1 : -EUCLEAN;
    }
    position->generation = slots[newest].generation;
    position->next_number = slots[newest].next_number;
    position->written_ns = slots[newest].written_ns;
    return 0;
}

/* Both slots get their room now: on a disk that is full of segments nobody could acknowledge any, and so none would go. */
static int make_room(const struct position *position) {
    static const uint8_t nothing[SEGMENTS_POSITION_OFFSET(1) + sizeof(struct segments_position)];
    const ssize_t written = TEMP_FAILURE_RETRY(pwrite(position->file, nothing, sizeof nothing, 0));
    return written < 0 ? -errno : written < (ssize_t)sizeof nothing ? -ENOSPC : 1;
}

static int begin(struct position *position, const char *name) {
    int rc = read_slots(position);
    rc = rc == 1 ? make_room(position) : rc;
    return rc == -EUCLEAN
               ? error_set(EUCLEAN,
                           "the position of consumer %s is damaged, or of another folder: delete its file in "
                           "the folder " SEGMENTS_POSITIONS_NAME ", and it begins with the oldest record",
                           name)
           : rc < 0 ? fail(name, -rc)
                    : rc;
}

int position_open(struct position *position, int folder, const uint8_t folder_uuid[16], const char *name) {
    *position = (struct position){.file = open_file(folder, name)};
    memcpy(position->folder_uuid, folder_uuid, sizeof position->folder_uuid);
    if (position->file < 0) {
        return fail(name, -position->file);
    }
    int rc = TEMP_FAILURE_RETRY(flock(position->file, LOCK_EX | LOCK_NB)) == 0 ? begin(position, name)
             : errno == EWOULDBLOCK ? error_set(EBUSY, "consumer %s is open elsewhere: give each its own name", name)
                                    : fail(name, errno);
    if (rc < 0) {
        position_close(position);
    }
    return rc;
}

int position_look(struct position *position, int positions, const uint8_t folder_uuid[16], const char *name) {
    *position = (struct position){
        .file = (int)TEMP_FAILURE_RETRY(openat(positions, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))};
    memcpy(position->folder_uuid, folder_uuid, sizeof position->folder_uuid);
    if (position->file < 0) {
        return -errno;
    }
    const int rc = read_slots(position);
    position_close(position);
    return rc < 0 && rc != -EUCLEAN ? rc : 0;
}

int position_write(struct position *position, uint64_t next_number, int64_t now_ns) {
    struct segments_position next;
    const uint64_t generation = position->generation + 1;
    segments_position_make(&next, position->folder_uuid, generation, next_number, now_ns);
    const off_t place = (off_t)SEGMENTS_POSITION_OFFSET(generation % SEGMENTS_POSITION_SLOTS);
    const ssize_t written = TEMP_FAILURE_RETRY(pwrite(position->file, &next, sizeof next, place));
    if (written != (ssize_t)sizeof next || TEMP_FAILURE_RETRY(fdatasync(position->file)) < 0) {
        const int error = written >= 0 && written != (ssize_t)sizeof next ? ENOSPC : errno;
        return error_set(error, "how far a consumer has got could not be written: %s", error_name(error));
    }
    position->generation = generation;
    position->next_number = next_number;
    position->written_ns = now_ns;
    return 0;
}

void position_close(struct position *position) {
    if (position->file >= 0) {
        close(position->file); /* and with it the lock */
        position->file = -1;
    }
}
