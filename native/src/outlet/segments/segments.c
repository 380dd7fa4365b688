/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/segments/segments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "media/checkpoint.h"
#include "media/record.h"
#include "outlet/file/destination.h"
#include "outlet/segments/folder.h"

struct segments {
    struct outlet outlet;
    struct record_format format;
    struct segments_outlet_parts parts;
    uint32_t crc_seed; /* seeds the CRC of the frames' headers */
    struct segments_folder folder;
    struct destination segment; /* closed: the segment has no byte yet */
    uint64_t first_number;      /* number of the segment's first frame */
    uint64_t first_sequence;
    uint64_t frames;     /* frames that begin before the segment's end */
    uint64_t next_frame; /* offset of the next frame */
    int head_is_due;     /* the folder is begun anew, and its head is written once the ledger has that */
    int is_noted;        /* the ledger has this segment, with at most its length */
    char path[LAYOUT_FILE_NAME_BYTES];
    char name[LAYOUT_STREAM_NAME_BYTES]; /* the stream's name, for a folder that is begun anew */
    char trouble[ERROR_TEXT_BYTES];      /* why the folder could not be opened again, or "" */
};

static struct segments *segments_of(struct outlet *outlet) {
    return (struct segments *)outlet;
}

static int is_begun(const struct segments *segments) {
    return segments->segment.file != DESTINATION_CLOSED;
}

static void leave(struct segments *segments) {
    destination_close(&segments->segment);
    segments_folder_close(&segments->folder);
}

/* ------------------------------------------------------------------------------------------------- the noted state */

/* The folder's uuid, as an outlet's mark. Its `inode` is never 0, which would mean that nothing is known. */
static struct outlet_mark mark_of(const struct segments *segments) {
    struct outlet_mark mark = {.inode = 0};
    memcpy(&mark.inode, segments->folder.is.uuid, sizeof mark.inode);
    memcpy(&mark.born_ns, segments->folder.is.uuid + sizeof mark.inode, sizeof mark.born_ns);
    return mark;
}

static void describe(const struct segments *segments, struct outlet_state *state) {
    memset(state, 0, sizeof *state);
    state->kind = OUTLET_SEGMENTS;
    state->mark = mark_of(segments);
    state->roll.file_number = segments->first_number;
    state->roll.first_sequence = segments->first_sequence;
    memcpy(state->path, segments->path, sizeof state->path);
    if (is_begun(segments)) {
        state->length = segments->segment.length;
        state->tail_bytes = segments->segment.tail_bytes;
        state->tail_crc = destination_tail_crc(&segments->segment);
        state->roll.frames = segments->frames;
    }
}

/* Begins a segment, which both slots of the ledger must have before its file is made. */
static int begin_at(struct segments *segments, uint64_t number, uint64_t sequence, struct outlet_state *state) {
    destination_close(&segments->segment);
    segments->first_number = number;
    segments->first_sequence = sequence;
    segments->frames = 0;
    segments->is_noted = 0;
    describe(segments, state);
    return OUTLET_NOTE;
}

/* ------------------------------------------------------------------------------------------------- open and bind */

static int refuse_segment(const struct segments *segments, int rc) {
    char path[LAYOUT_FILE_NAME_BYTES] = "";
    segments_folder_path(&segments->folder, segments->first_number, path, sizeof path);
    return rc == -EEXIST ? error_set(EEXIST,
                                     "%s is where the next segment goes, and has bytes that the log did not write: it "
                                     "is left alone; move it away",
                                     path)
                         : error_set(-rc, "segment %s cannot be opened to be read and written: %s; mend that", path,
                                     error_name(-rc));
}

/* Others destroyed the checkpoint's segment. Begins the next one. Whole frames that are still behind the noted length
 * keep their numbers. */
static int begin_behind_lost(struct segments *segments, const struct outlet_noted *noted, struct outlet_state *state) {
    char path[LAYOUT_FILE_NAME_BYTES];
    const struct files *files = segments->parts.files;
    uint64_t offset = noted->state->length, more = 0;
    segments_folder_path(&segments->folder, segments->first_number, path, sizeof path);
    const int file = files->ops->open(files, path);
    if (file >= 0) {
        segments_count(files, file, segments->crc_seed, &offset, &more);
        files->ops->close(files, file);
    }
    const uint64_t number = segments->first_number + noted->state->roll.frames + more;
    events_post(segments->parts.events, EVENT_ERROR,
                "segment %s is %s; the next segment begins with number %llu, and records from %llu on may be in "
                "both; find out who does that",
                path, file < 0 ? "gone" : "not as the log wrote it: others cut it or changed its end, and it stays",
                (unsigned long long)number, (unsigned long long)noted->sequence);
    return begin_at(segments, number, noted->sequence, state);
}

/* Finds the checkpoint's segment in the open folder. Returns READY, NOTE, or -errno with a sentence. */
static int find_segment(struct segments *segments, const struct outlet_noted *noted, struct outlet_state *state) {
    const struct outlet_state *known = noted->state;
    char path[LAYOUT_FILE_NAME_BYTES];
    segments->first_number = known->roll.file_number;
    segments->first_sequence = known->roll.first_sequence;
    segments->frames = known->roll.frames;
    segments->next_frame = known->length;
    segments->is_noted = 1;
    int rc = segments_folder_path(&segments->folder, segments->first_number, path, sizeof path);
    if (rc < 0 || known->length == 0) {
        return rc < 0 ? refuse_segment(segments, rc) : OUTLET_READY;
    }
    rc = destination_open_to_redo(&segments->segment, path, known);
    return rc == DESTINATION_NOT_OURS || rc == -ENOENT ? begin_behind_lost(segments, noted, state)
           : rc < 0                                    ? refuse_segment(segments, rc)
                                                       : OUTLET_READY;
}

/* Opens folder and segment of the newest checkpoint. Returns READY, NOTE, or -errno with a sentence and both closed. */
static int find(struct segments *segments, const struct outlet_noted *noted, struct outlet_state *state) {
    const struct outlet_state *known = noted->state;
    memcpy(segments->path, known->path, sizeof segments->path);
    leave(segments);
    int rc = segments_folder_open(&segments->folder, segments->parts.platform, known->path, segments->name, 0);
    if (rc < 0) {
        return rc;
    }
    const struct outlet_mark mark = mark_of(segments);
    segments->head_is_due = rc == 1 || known->length == 0; /* perhaps it was written, and not synced */
    if (rc == 1) {
        rc = begin_at(segments, known->roll.file_number + known->roll.frames, noted->sequence, state);
        events_post(
            segments->parts.events, EVENT_WARN,
            "segments folder %s was begun anew in the place of an empty file head: its first segment has number "
            "%llu, and what the log wrote before is in no segment of it",
            known->path, (unsigned long long)segments->first_number);
    } else if (memcmp(&known->mark, &mark, sizeof mark) != 0) {
        rc = error_set(ESTALE,
                       "segments folder %s is not the one that the log wrote to, but another: it is left alone; bring "
                       "back the one that was there, or give the stream another folder",
                       known->path);
    } else {
        rc = find_segment(segments, noted, state);
    }
    if (rc < 0) {
        leave(segments);
    }
    return rc;
}

static int segments_open(struct outlet *outlet, const struct outlet_noted *noted, int moved,
                         struct outlet_state *state) {
    (void)moved;
    return find(segments_of(outlet), noted, state);
}

static int segments_bind(struct outlet *outlet, const char *path, const struct outlet_noted *noted,
                         struct outlet_state *state) {
    struct segments *segments = segments_of(outlet);
    uint64_t number = 0;
    leave(segments);
    snprintf(segments->path, sizeof segments->path, "%s", path);
    segments->head_is_due = 0;
    int rc = segments_folder_open(&segments->folder, segments->parts.platform, path, segments->name,
                                  segments->parts.name != NULL);
    if (rc < 0) {
        return rc;
    }
    rc = segments_folder_next_number(&segments->folder, &number);
    if (rc < 0) {
        leave(segments);
        return error_set(-rc, "the segments in folder %s cannot be read: %s; mend that", path, error_name(-rc));
    }
    return begin_at(segments, number, noted->sequence, state);
}

static int reopen(struct segments *segments, const struct outlet_noted *noted, struct outlet_state *state) {
    segments->trouble[0] = '\0';
    const int rc = find(segments, noted, state);
    if (rc < 0) {
        snprintf(segments->trouble, sizeof segments->trouble, "%s", error_text());
    }
    return rc < 0 ? rc : OUTLET_REWIND; /* bytes that were not synced may not be in the segment, or in a new one */
}

/* ----------------------------------------------------------------------------------------------------- one batch */

static int write_header(struct segments *segments, const struct segment_header *header) {
    struct destination *segment = &segments->segment;
    while (segment->length < sizeof *header) {
        const int64_t written =
            destination_write(segment, (const uint8_t *)header + segment->length, sizeof *header - segment->length);
        if (written <= 0) {
            return written < 0 ? (int)written : -EIO;
        }
    }
    return 0;
}

/* Makes the file of a noted segment, or opens the one that was made before a crash. Returns 0 or -errno. */
static int begin_segment(struct segments *segments) {
    static const struct outlet_state nothing;
    struct destination *segment = &segments->segment;
    struct segment_header header;
    char path[LAYOUT_FILE_NAME_BYTES];
    segment_header_make(&header, segments->folder.is.uuid, segments->parts.ring_uuid, segments->first_number,
                        segments->first_sequence);
    int rc = segments_folder_path(&segments->folder, segments->first_number, path, sizeof path);
    rc = rc < 0 ? rc : destination_open_to_redo(segment, path, &nothing);
    if (rc == 0) {
        rc = segments->parts.files->ops->sync_name(segments->parts.files, path);
        rc = rc < 0 ? rc : destination_matches(segment, &header, sizeof header, 0);
        rc = rc == MATCH_NONE ? -EEXIST : rc < 0 ? rc : 0;
    } else if (rc == -ENOENT) {
        rc = destination_create(segment, path);
    }
    if (rc >= 0 && segments->head_is_due) {
        /* The segment gets its name first: a consumer that found only the head would take 1 for the first number. */
        rc = segments_folder_write_head(&segments->folder);
        segments->head_is_due = rc < 0;
    }
    rc = rc < 0 ? rc : write_header(segments, &header);
    if (rc < 0) {
        destination_close(segment);
        refuse_segment(segments, rc);
        snprintf(segments->trouble, sizeof segments->trouble, "%s", error_text());
        return rc;
    }
    segments->next_frame = sizeof header;
    return 0;
}

/* Whether these bytes would make the segment longer than its limit. */
static int is_at_end(const struct segments *segments, size_t bytes) {
    const struct destination *segment = &segments->segment;
    return is_begun(segments) && segments->frames > 0 && segment->length >= segment->redo_until &&
           segment->length + bytes > segments->parts.segment_bytes;
}

/* The redo meets other bytes. Cuts them off behind their whole frames. Those stay, since they may have been read. */
static int go_behind(struct segments *segments, const struct outlet_noted *noted, struct outlet_state *state) {
    struct destination *segment = &segments->segment;
    const char *path = segment->path;
    uint64_t offset = segment->length, more = 0;
    int rc = segments_count(segment->files, segment->file, segments->crc_seed, &offset, &more);
    rc = rc < 0 ? rc : destination_cut(segment, offset);
    if (rc < 0) {
        leave(segments);
        return rc;
    }
    segment->redo_until = offset;
    if (more == 0) {
        return OUTLET_READY; /* no frame was cut, so no reader has taken it */
    }
    events_post(
        segments->parts.events, EVENT_ERROR,
        "segment %s has other records behind its first %llu bytes than the ring: the ring was damaged, or is an "
        "older copy; the segment ends there, and the next one begins with number %llu; records from %llu on may "
        "be in both",
        path, (unsigned long long)noted->state->length,
        (unsigned long long)(segments->first_number + segments->frames + more), (unsigned long long)noted->sequence);
    return begin_at(segments, segments->first_number + segments->frames + more, noted->sequence, state);
}

/* Bytes that already stand behind the end must be the ones that the redo writes. */
static int check_redo(struct segments *segments, const struct outlet_noted *noted, const void *data, size_t bytes,
                      struct outlet_state *state) {
    const struct destination *segment = &segments->segment;
    const uint64_t behind = segment->redo_until > segment->length ? segment->redo_until - segment->length : 0;
    const int match = destination_matches(segment, data, bytes < behind ? bytes : (size_t)behind, segment->length);
    if (match < 0) {
        leave(segments);
        return match;
    }
    return match == MATCH_NONE ? go_behind(segments, noted, state) : OUTLET_READY;
}

static int segments_ready(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes,
                          int partly, struct outlet_state *state) {
    struct segments *segments = segments_of(outlet);
    if (segments->folder.head == FOLDER_CLOSED) {
        return reopen(segments, noted, state);
    }
    if (!segments->is_noted) {
        describe(segments, state);
        return OUTLET_NOTE;
    }
    if (!segments_folder_is_there(&segments->folder) ||
        (is_begun(segments) && destination_look(&segments->segment) != DESTINATION_OURS)) {
        leave(segments);
        return OUTLET_REWIND;
    }
    if (bytes == 0) {
        return OUTLET_READY;
    }
    if (!partly && is_at_end(segments, bytes)) {
        return segments->segment.length > noted->state->length
                   ? OUTLET_SYNC
                   : begin_at(segments, segments->first_number + segments->frames, noted->sequence, state);
    }
    const int rc = is_begun(segments) ? 0 : begin_segment(segments);
    return rc < 0 ? rc : check_redo(segments, noted, data, bytes, state);
}

static int64_t segments_write(struct outlet *outlet, const void *data, size_t bytes) {
    struct segments *segments = segments_of(outlet);
    const uint64_t from = segments->segment.length;
    const int64_t written = destination_write(&segments->segment, data, bytes);
    if (written <= 0) {
        return written < 0 ? written : -EIO;
    }
    /* `data` holds the whole batch, even the part that is not written yet. */
    while (segments->next_frame < segments->segment.length) {
        struct record_header header;
        memcpy(&header, (const uint8_t *)data + (segments->next_frame - from), sizeof header);
        segments->next_frame += record_bytes(header.length);
        segments->frames++;
    }
    return written;
}

static int segments_sync(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state) {
    (void)noted;
    struct segments *segments = segments_of(outlet);
    if (!is_begun(segments)) {
        return OUTLET_REWIND;
    }
    const int rc = destination_sync(&segments->segment);
    if (rc < 0) {
        leave(segments);
        return rc;
    }
    describe(segments, state);
    return OUTLET_READY;
}

static void segments_noted(struct outlet *outlet, const struct outlet_noted *noted) {
    (void)noted;
    segments_of(outlet)->is_noted = 1;
}

/* --------------------------------------------------------------------------------------------------- messages */

static void segments_tell_stalled(struct outlet *outlet, int rc, int64_t lasts_ns, uint64_t held_bytes) {
    const struct segments *segments = segments_of(outlet);
    char since[64] = "";
    if (lasts_ns > 0) {
        snprintf(since, sizeof since, " (for %lld s now)", (long long)(lasts_ns / 1000000000));
    }
    events_post(segments->parts.events, EVENT_ERROR,
                "segments folder %s cannot be written%s: %s; the ring keeps the records, %llu bytes of it, and when it "
                "is full appends wait or fail",
                segments->path, since, segments->trouble[0] != '\0' ? segments->trouble : error_name(-rc),
                (unsigned long long)held_bytes);
}

static void segments_tell_going(struct outlet *outlet) {
    struct segments *segments = segments_of(outlet);
    segments->trouble[0] = '\0';
    events_post(segments->parts.events, EVENT_ERROR, "segments folder %s is being written again", segments->path);
}

static int segments_is_open(const struct outlet *outlet) {
    return ((const struct segments *)outlet)->folder.head != FOLDER_CLOSED;
}

static uint64_t segments_length(const struct outlet *outlet) {
    const struct segments *segments = (const struct segments *)outlet;
    return is_begun(segments) ? segments->segment.length : 0;
}

static void segments_copy_path(const struct outlet *outlet, char *path, size_t path_bytes) {
    snprintf(path, path_bytes, "%s", ((const struct segments *)outlet)->path);
}

static void segments_close(struct outlet *outlet) {
    leave(segments_of(outlet));
}

static void segments_destroy(struct outlet *outlet) {
    segments_close(outlet);
    platform_release(segments_of(outlet)->parts.platform, outlet, sizeof(struct segments));
}

static const struct outlet_ops segments_ops = {
    .open = segments_open,
    .bind = segments_bind,
    .ready = segments_ready,
    .write = segments_write,
    .sync = segments_sync,
    .noted = segments_noted,
    .tell_stalled = segments_tell_stalled,
    .tell_going = segments_tell_going,
    .is_open = segments_is_open,
    .length = segments_length,
    .copy_path = segments_copy_path,
    .close = segments_close,
    .destroy = segments_destroy,
};

/* --------------------------------------------------------------------------------------------------------- frames */

static size_t frame_size(const struct record_header *header, const uint8_t *payload) {
    (void)payload;
    return header->type == RECORD_DATA ? record_bytes(header->length) : 0;
}

static size_t frame_loss(const struct record_format *format, const struct record_loss *loss, uint8_t *out) {
    const struct segments *segments =
        (const struct segments *)((const char *)format - offsetof(struct segments, format));
    const struct marker_loss lost = {
        .from = loss->from, .to = loss->to, .first_sequence = loss->first_sequence, .count = loss->count};
    return loss->count == 0 ? 0 : segment_loss_put(&lost, segments->crc_seed, out);
}

int segments_outlet_create(const struct segments_outlet_parts *parts, struct outlet **outlet) {
    struct segments *segments = platform_allocate(parts->platform, sizeof *segments, PLATFORM_PLAIN);
    if (segments == NULL) {
        return error_set(ENOMEM, "no memory for a segments folder: %zu bytes", sizeof *segments);
    }
    segments->format = (struct record_format){
        .name = "frames", .record_size = frame_size, .record = segment_frame_put, .loss = frame_loss};
    segments->outlet = (struct outlet){.ops = &segments_ops, .format = &segments->format};
    segments->parts = *parts;
    snprintf(segments->name, sizeof segments->name, "%s", parts->name == NULL ? "" : parts->name);
    segments->parts.segment_bytes = parts->segment_bytes == 0 ? SEGMENTS_DEFAULT_BYTES : parts->segment_bytes;
    segments->crc_seed = crc_seed_of(parts->ring_uuid);
    segments_folder_init(&segments->folder, parts->files, &parts->new_file);
    segments->segment.files = parts->files;
    segments->segment.new_file = segments->folder.new_file;
    segments->segment.file = DESTINATION_CLOSED;
    *outlet = &segments->outlet;
    return 0;
}
