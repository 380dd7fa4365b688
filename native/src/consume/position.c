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

#define POSITION_BYTES (SEGMENTS_POSITION_OFFSET(SEGMENTS_POSITION_SLOTS - 1) + sizeof(struct segments_position))

#define TORN_READS 3 /* a position that is bad so many times in a row is damaged, and not just being written */

static int fail(const char *name, int error) {
    if (error == ENOTSUP || error == EISDIR || error == ELOOP || error == EMLINK) {
        return error_set(error,
                         "consumer %s cannot have its position in " SEGMENTS_POSITIONS_NAME
                         "/%s of its folder, which is %s: only a file with one name is written; delete it or move it "
                         "out, or find out who made it",
                         name, name,
                         error == ELOOP    ? "a link"
                         : error == EMLINK ? "a file with other names, too"
                                           : "no file");
    }
    return error_set(error,
                     "the position of consumer %s cannot be read and written: %s; it is a file of its folder's "
                     "folder " SEGMENTS_POSITIONS_NAME ", which is no link",
                     name, error_name(error));
}

/* Some file systems cannot sync a folder and need not. */
static int sync_folder(int folder) {
    return TEMP_FAILURE_RETRY(fsync(folder)) < 0 && errno != EINVAL ? -1 : 0;
}

/* Others may write to that folder. The flags follow no link of theirs, and wait for no FIFO. */
#define OPEN_FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

int position_open_file(int positions, const char *name, int flags) {
    struct stat status;
    const int file = (int)TEMP_FAILURE_RETRY(openat(positions, name, flags | OPEN_FLAGS, 0666));
    if (file < 0) {
        return errno == ENXIO ? -ENOTSUP : -errno; /* a socket */
    }
    const int rc = fstat(file, &status) < 0 ? -errno : S_ISREG(status.st_mode) ? 0 : -ENOTSUP;
    if (rc < 0) {
        close(file);
        return rc;
    }
    return file;
}

/* Refuses a file with a second name, a hard link: it may lead anywhere on the file system. Returns 0, -EMLINK if it has
 * one, -ESTALE if its only name is gone. */
static int check_names(int file) {
    struct stat status;
    return fstat(file, &status) < 0 ? -errno : status.st_nlink == 1 ? 0 : status.st_nlink == 0 ? -ESTALE : -EMLINK;
}

/* Makes the names of a new file and of a new folder durable, before the consumer acknowledges anything. */
static int open_file(int folder, const char *name) {
    if (mkdirat(folder, SEGMENTS_POSITIONS_NAME, 0777) < 0 && errno != EEXIST) {
        return -errno;
    }
    const int positions = (int)TEMP_FAILURE_RETRY(
        openat(folder, SEGMENTS_POSITIONS_NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (positions < 0) {
        return -errno;
    }
    int file = position_open_file(positions, name, O_RDWR | O_CREAT);
    int rc = file < 0 ? 0 : check_names(file);
    if (file >= 0 && rc == 0 && (sync_folder(positions) < 0 || sync_folder(folder) < 0)) {
        rc = -errno;
    }
    if (rc < 0) {
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

/* Whether a consumer may have left this file without ever acknowledging: it has only zeros, and no more of them than
 * make_room writes. */
static int says_nothing(int file) {
    uint8_t bytes[POSITION_BYTES + 1];
    const ssize_t got = TEMP_FAILURE_RETRY(pread(file, bytes, sizeof bytes, 0));
    return got < 0 ? -errno : (size_t)got <= POSITION_BYTES && is_blank(bytes, (size_t)got);
}

/* Returns 0, 1 if the file has no position yet, -EUCLEAN if it is damaged, or another -errno. */
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
        const int rc = says_nothing(position->file);
        return rc == 0 ? -EUCLEAN : rc;
    }
    position->generation = slots[newest].generation;
    position->next_number = slots[newest].next_number;
    position->written_ns = slots[newest].written_ns;
    return 0;
}

/* Gives both slots their room now. On a disk full of segments nobody could write an acknowledgement otherwise, and so
 * no segment would ever go. */
static int make_room(const struct position *position) {
    static const uint8_t nothing[POSITION_BYTES];
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
    *position = (struct position){.file = position_open_file(positions, name, O_RDONLY)};
    memcpy(position->folder_uuid, folder_uuid, sizeof position->folder_uuid);
    if (position->file < 0) {
        return position->file;
    }
    int rc = read_slots(position);
    for (int turn = 0; turn < TORN_READS && rc == -EUCLEAN; turn++) {
        rc = read_slots(position);
    }
    position_close(position);
    return rc < 0 ? rc : 0;
}

int position_write(struct position *position, uint64_t next_number, int64_t now_ns) {
    struct segments_position next;
    if (check_names(position->file) == -ESTALE) {
        return error_set(ESTALE, "how far a consumer has got can be written nowhere: its file was deleted; close the "
                                 "consumer and open it again");
    }
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
        close(position->file); /* releases the lock, too */
        position->file = -1;
    }
}
