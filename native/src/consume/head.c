/* SPDX-License-Identifier: Apache-2.0 */
#include "consume/head.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"

/* Returns how many bytes it read, or -errno. Does not wait for a FIFO of that name. */
static int64_t read_file(int folder, struct segments_head *head) {
    const int file =
        (int)TEMP_FAILURE_RETRY(openat(folder, SEGMENTS_HEAD_NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file < 0) {
        return -errno;
    }
    size_t done = 0;
    ssize_t got;
    do {
        got = TEMP_FAILURE_RETRY(pread(file, (uint8_t *)head + done, sizeof *head - done, (off_t)done));
        done += got > 0 ? (size_t)got : 0;
    } while (got > 0 && done < sizeof *head);
    const int error = errno;
    close(file);
    return got < 0 ? -error : (int64_t)done;
}

int head_read(int folder, const char *path, struct segments_head *head) {
    const int64_t got = read_file(folder, head);
    if (got < 0) {
        return error_set((int)-got,
                         "%s is no folder of segments, or no log has written it yet: its file head cannot be read: %s",
                         path, error_name((int)-got));
    }
    switch (got < (int64_t)sizeof *head ? SEGMENT_ABSENT : segments_head_judge(head)) {
    case SEGMENT_VALID:
        return 0;
    case SEGMENT_UNKNOWN:
        return error_set(EPROTO, "segments folder %s is of another version than %u, which this library knows", path,
                         SEGMENT_VERSION);
    case SEGMENT_ABSENT:
        return error_set(ENOENT,
                         "%s is no folder of segments, or no log has written it yet: its file head says "
                         "nothing",
                         path);
    default:
        return error_set(EUCLEAN, "what segments folder %s says of itself, in its file head, is damaged", path);
    }
}

/* Returns 1 if the folder has a whole head of another folder than `known`; 0 if not, or if the head cannot be read;
 * -ENOENT if there is none. */
static int is_other(int folder, const struct segments_head *known) {
    struct segments_head head;
    const int64_t got = read_file(folder, &head);
    return got == -ENOENT ? -ENOENT
                          : got == (int64_t)sizeof head && segments_head_judge(&head) == SEGMENT_VALID &&
                                memcmp(head.uuid, known->uuid, sizeof head.uuid) != 0;
}

static int refuse(const char *path, const struct segments_head *known, const char *what) {
    return error_set(ESTALE,
                     "segments folder %s of stream \"%s\" %s: nothing more comes from the one that is open here; "
                     "close the consumer and open it again",
                     path, known->name, what);
}

static int check_path(const char *path, const struct segments_head *known, int is_moved) {
    const int folder = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0) {
        return is_moved && (errno == ENOENT || errno == ENOTDIR) ? refuse(path, known, "was moved away") : 0;
    }
    const int other = is_other(folder, known);
    close(folder);
    return other == 1 ? refuse(path, known, "was begun anew, in the place of the one before") : 0;
}

int head_check(int folder, const char *path, const struct segments_head *known, int is_moved) {
    struct stat status;
    if (fstat(folder, &status) == 0 && status.st_nlink == 0) {
        return refuse(path, known, "was deleted");
    }
    const int other = is_other(folder, known);
    return other == -ENOENT ? refuse(path, known, "was emptied")
           : other == 1     ? refuse(path, known, "was begun anew")
           : path[0] == 0   ? 0
                            : check_path(path, known, is_moved);
}
