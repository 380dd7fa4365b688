/* SPDX-License-Identifier: Apache-2.0 */
#include "consume/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "consume/folder.h"
#include "consume/head.h"
#include "media/record.h"

#define LEAST_ROOM (256u * 1024u)
#define COARSEST_TIME_NS 3000000000ll /* coarser than the times of any file system; VFAT has the coarsest */

/* Returns how many bytes were read, fewer than asked only at the end of the file; or -errno. */
static int64_t read_at(int file, void *data, size_t bytes, uint64_t offset) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(file, (uint8_t *)data + done, bytes - done, (off_t)(offset + done));
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -errno;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (int64_t)done;
}

static int refuse_to_read(const struct frames *frames, int rc) {
    return error_set(-rc, "segments of stream \"%s\" cannot be read: %s", frames->head.name, error_name(-rc));
}

/* ----------------------------------------------------------------------------------------------------- the folder */

int frames_open(struct frames *frames, const char *path) {
    *frames = (struct frames){.segment = -1, .wanted = 1, .room = LEAST_ROOM};
    frames->folder = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (frames->folder < 0) {
        return error_set(errno, "segments folder %s cannot be opened: %s", path, error_name(errno));
    }
    frames->buffer = malloc(frames->room);
    const int rc = frames->buffer == NULL ? error_set(ENOMEM, "no memory to read segments: %zu bytes", frames->room)
                                          : head_read(frames->folder, path, &frames->head);
    if (rc < 0) {
        frames_close(frames);
    }
    return rc;
}

int frames_open_beside(struct frames *frames, const struct frames *other) {
    *frames = (struct frames){.head = other->head, .segment = -1, .wanted = 1, .room = LEAST_ROOM};
    frames->folder = (int)TEMP_FAILURE_RETRY(openat(other->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (frames->folder < 0) {
        return refuse_to_read(frames, -errno);
    }
    frames->buffer = malloc(frames->room);
    if (frames->buffer == NULL) {
        frames_close(frames);
        return error_set(ENOMEM, "no memory to read segments: %zu bytes", (size_t)LEAST_ROOM);
    }
    return 0;
}

static void leave_segment(struct frames *frames) {
    if (frames->segment >= 0) {
        close(frames->segment);
        frames->segment = -1;
    }
    frames->count = 0;
    frames->newest_at = 0;
}

void frames_close(struct frames *frames) {
    leave_segment(frames);
    free(frames->buffer);
    frames->buffer = NULL;
    if (frames->folder >= 0) {
        close(frames->folder);
        frames->folder = -1;
    }
}

/* The numbers with which segments of the folder begin: the highest one up to `number`, and the lowest one above it. 0:
 * there is none. */
struct neighbours {
    uint64_t below, above;
};

/* The list of the folder; NULL: *rc is -errno, with a sentence. */
static DIR *list(const struct frames *frames, int *rc) {
    DIR *entries = folder_list(frames->folder, ".");
    *rc = entries == NULL ? refuse_to_read(frames, -errno) : 0;
    return entries;
}

static int find_neighbours(const struct frames *frames, uint64_t number, struct neighbours *found) {
    *found = (struct neighbours){.below = 0};
    int rc = 0;
    DIR *entries = list(frames, &rc);
    if (entries == NULL) {
        return rc;
    }
    for (const struct dirent *entry; (entry = folder_next(entries, &rc)) != NULL;) {
        const uint64_t first = segment_number_of(entry->d_name);
        if (first != 0 && first <= number && first > found->below) {
            found->below = first;
        } else if (first > number && (found->above == 0 || first < found->above)) {
            found->above = first;
        }
    }
    closedir(entries);
    return rc < 0 ? refuse_to_read(frames, rc) : 0; /* an incomplete list proves nothing */
}

static int64_t ns_of(const struct timespec *time) {
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* When the folder last changed, if that is so long ago that no later change can have the same time; else 0. */
static int64_t changed_at(const struct frames *frames) {
    struct stat status;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return fstat(frames->folder, &status) == 0 && ns_of(&status.st_ctim) < ns_of(&now) - COARSEST_TIME_NS
               ? ns_of(&status.st_ctim)
               : 0;
}

/* The first number of the next segment; 0: there is none. Lists the folder only if the folder itself has changed: it
 * may have very many segments, and a consumer at the end looks again after each write to the last one. Returns 0, or
 * -errno with a sentence. */
static int find_next(struct frames *frames, uint64_t *above) {
    struct neighbours found = {.above = 0};
    const int64_t changed = changed_at(frames);
    int rc = 0;
    if (changed == 0 || changed != frames->newest_at) {
        rc = find_neighbours(frames, frames->header.first_number, &found);
        frames->newest_at = rc == 0 && found.above == 0 ? changed : 0;
    }
    *above = found.above;
    return rc;
}

int frames_lowest(struct frames *frames, uint64_t *number) {
    struct neighbours found;
    const int rc = find_neighbours(frames, 0, &found);
    *number = found.above == 0 ? 1 : found.above;
    return rc;
}

int frames_bytes_left(const struct frames *frames, uint64_t *bytes) {
    struct neighbours at = {.below = frames->segment >= 0 ? frames->header.first_number : 0};
    struct stat segment;
    int rc = at.below > 0 ? 0 : find_neighbours(frames, frames->wanted, &at);
    DIR *entries = rc < 0 ? NULL : list(frames, &rc);
    *bytes = 0;
    for (const struct dirent *entry; entries != NULL && (entry = folder_next(entries, &rc)) != NULL;) {
        const uint64_t first = segment_number_of(entry->d_name);
        if (first != 0 && first >= at.below && fstatat(frames->folder, entry->d_name, &segment, 0) == 0) {
            *bytes += (uint64_t)segment.st_size;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    *bytes -= frames->segment >= 0 && *bytes >= frames->offset ? frames->offset : 0;
    return entries != NULL && rc < 0 ? refuse_to_read(frames, rc) : rc;
}

enum { SEGMENT_IS_NOT_WHOLE, SEGMENT_IS_OPEN, SEGMENT_IS_GONE };

/* Goes to the first frame of the segment. Returns SEGMENT_IS_OPEN; SEGMENT_IS_NOT_WHOLE if it has no whole header yet;
 * SEGMENT_IS_GONE if it was deleted since the folder was listed; -errno with a sentence. */
static int open_segment(struct frames *frames, uint64_t first_number) {
    char name[SEGMENT_NAME_BYTES];
    struct segment_header header;
    segment_name(name, first_number);
    const int file = (int)TEMP_FAILURE_RETRY(openat(frames->folder, name, O_RDONLY | O_CLOEXEC));
    if (file < 0) {
        return errno == ENOENT ? SEGMENT_IS_GONE : refuse_to_read(frames, -errno);
    }
    const int64_t got = read_at(file, &header, sizeof header, 0);
    if (got < (int64_t)sizeof header || segment_header_judge(&header, frames->head.uuid) != SEGMENT_VALID ||
        header.first_number != first_number) {
        close(file);
        return got < 0 ? refuse_to_read(frames, (int)got) : SEGMENT_IS_NOT_WHOLE;
    }
    leave_segment(frames);
    frames->segment = file;
    frames->header = header;
    frames->crc_seed = crc_seed_of(header.ring_uuid);
    frames->number = first_number;
    frames->offset = sizeof header;
    return SEGMENT_IS_OPEN;
}

void frames_seek(struct frames *frames, uint64_t number) {
    leave_segment(frames);
    frames->wanted = number;
}

/* --------------------------------------------------------------------------------------------------------- frames */

static enum frame_verdict judge(const struct frames *frames) {
    const uint64_t begin = frames->offset - frames->at;
    return frames->offset < frames->at || begin >= frames->count
               ? FRAME_NONE
               : segment_frame_judge(frames->buffer + begin, frames->count - begin, frames->crc_seed);
}

/* Makes room for a frame of so many bytes if the file has them. Returns 0, or -errno with a sentence. */
static int make_room(struct frames *frames, uint64_t bytes) {
    struct stat status;
    if (bytes <= frames->room || fstat(frames->segment, &status) < 0 ||
        (uint64_t)status.st_size < frames->offset + bytes) {
        return 0;
    }
    uint8_t *larger = realloc(frames->buffer, bytes);
    if (larger == NULL) {
        return error_set(ENOMEM, "no memory to read a record of %llu bytes", (unsigned long long)bytes);
    }
    frames->buffer = larger;
    frames->room = bytes;
    return 0;
}

/* Reads the file from the offset on. If the header there says how long the frame is, makes room for all of it. Returns
 * 0 or -errno. */
static int fill(struct frames *frames, enum frame_verdict before) {
    if (before == FRAME_IS_LONGER) {
        struct record_header header;
        memcpy(&header, frames->buffer + (frames->offset - frames->at), sizeof header);
        const int rc = make_room(frames, record_bytes(header.length));
        if (rc < 0) {
            return rc;
        }
    }
    const int64_t got = read_at(frames->segment, frames->buffer, frames->room, frames->offset);
    frames->at = frames->offset;
    frames->count = got < 0 ? 0 : (size_t)got;
    return got < 0 ? refuse_to_read(frames, (int)got) : 0;
}

/* Returns 1 if a whole frame begins at the offset and is in the buffer, 0 if not, or -errno. */
static int look(struct frames *frames) {
    enum frame_verdict verdict = judge(frames);
    for (int turn = 0; turn < 2 && verdict != FRAME_WHOLE; turn++) {
        const int rc = fill(frames, verdict);
        if (rc < 0) {
            return rc;
        }
        verdict = judge(frames);
    }
    return verdict == FRAME_WHOLE;
}

static void take(struct frames *frames, struct frame *frame) {
    const uint8_t *bytes = frames->buffer + (frames->offset - frames->at);
    frame->number = frames->number++;
    frame->missing = 0;
    memcpy(&frame->header, bytes, sizeof frame->header);
    frame->payload = bytes + sizeof frame->header;
    frames->offset += record_bytes(frame->header.length);
}

/* Passes over the numbers from `number` up to the segment that begins with `above`, or to the first one behind it that is
 * still there: no segment has them. Others delete the oldest ones meanwhile. */
static int pass_missing(struct frames *frames, uint64_t number, uint64_t above, struct frame *frame) {
    const uint64_t first = frames->wanted > number ? frames->wanted : number;
    int rc;
    while ((rc = open_segment(frames, above)) == SEGMENT_IS_GONE) {
        struct neighbours found;
        rc = find_neighbours(frames, above, &found);
        if (rc < 0 || found.above == 0) {
            return rc;
        }
        above = found.above;
    }
    if (rc != SEGMENT_IS_OPEN) {
        return rc < 0 ? rc : FRAMES_NONE;
    }
    if (first >= above) {
        return frames_next(frames, frame);
    }
    *frame = (struct frame){.number = above - 1, .missing = above - first};
    frames->wanted = above;
    return FRAMES_MISSING;
}

/* Opens the segment that has the wanted frame, or would have it. */
static int begin(struct frames *frames, struct frame *frame) {
    struct neighbours found;
    int rc = find_neighbours(frames, frames->wanted, &found);
    rc = rc < 0 || found.below == 0 ? rc : open_segment(frames, found.below);
    if (found.below != 0 && rc == SEGMENT_IS_OPEN) {
        return frames_next(frames, frame);
    }
    if (rc < 0 || found.above == 0) {
        return rc < 0 ? rc : FRAMES_NONE;
    }
    return pass_missing(frames, frames->wanted, found.above, frame);
}

/* The segment has no whole frame at the offset, and another segment begins with a higher number, `above`. */
static int end(struct frames *frames, uint64_t above, struct frame *frame) {
    /* The writer made that segment after all frames of this one. So this look sees all that this segment will ever
     * have. */
    const int rc = look(frames);
    return rc < 0 ? rc : rc == 1 ? frames_next(frames, frame) : pass_missing(frames, frames->number, above, frame);
}

int frames_next(struct frames *frames, struct frame *frame) {
    uint64_t above;
    int rc;
    if (frames->segment < 0) {
        return begin(frames, frame);
    }
    while ((rc = look(frames)) == 1) {
        take(frames, frame);
        if (frame->number >= frames->wanted) {
            frames->wanted = frame->number + 1;
            return FRAMES_ONE;
        }
    }
    rc = rc < 0 ? rc : find_next(frames, &above);
    return rc < 0 || above == 0 ? rc : end(frames, above, frame);
}

int frames_seek_end(struct frames *frames) {
    struct neighbours found;
    struct frame frame;
    int rc = find_neighbours(frames, LAYOUT_NUMBER_MAX, &found);
    if (rc == 0 && found.below > 0 && (frames->segment < 0 || frames->header.first_number < found.below)) {
        frames_seek(frames, found.below);
    }
    while (rc >= 0 && (rc = frames_next(frames, &frame)) > 0) {
    }
    return rc;
}
