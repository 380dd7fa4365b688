/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/raw/raw.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "media/checkpoint.h"
#include "outlet/raw/view.h"

#define COMPARED_BYTES 4096u

struct raw {
    struct outlet outlet;
    const struct platform *platform;
    const struct raw_media *media;
    struct events *events;
    struct raw_medium *medium; /* NULL: no device is open */
    struct raw_view view;      /* of the device that was opened last */
    uint64_t length;           /* bytes of the log on the device, which end where the next ones go */
    uint64_t end;              /* durable bytes of any log on the device; they stay as they are */
    int is_noted;              /* the ledger names this device, with at most `length` */
    int is_full;
    int mark_is_untrusted;
    char path[LAYOUT_FILE_NAME_BYTES];
    char trouble[ERROR_TEXT_BYTES]; /* why the device could not be opened again, or "" */
};

static struct raw *raw_of(struct outlet *outlet) {
    return (struct raw *)outlet;
}

static void leave(struct raw *raw) {
    if (raw->medium != NULL) {
        raw->medium->ops->close(raw->medium);
        raw->medium = NULL;
    }
}

static uint64_t place(const struct raw *raw, uint64_t byte) {
    return raw->view.header.data_offset + byte;
}

/* The uuid of the device's format, as an outlet's mark. Its `inode` is never 0, which would mean that nothing is
 * known. */
static struct outlet_mark mark_of(const struct raw *raw) {
    struct outlet_mark mark = {.inode = 0};
    memcpy(&mark.inode, raw->view.header.uuid, sizeof mark.inode);
    memcpy(&mark.born_ns, raw->view.header.uuid + sizeof mark.inode, sizeof mark.born_ns);
    return mark;
}

/* Fills the state for the ledger: the first `length` bytes of the log are on this device. */
static int describe(const struct raw *raw, uint64_t length, struct outlet_state *state) {
    uint8_t tail[CHECKPOINT_TAIL_BYTES];
    memset(state, 0, sizeof *state);
    state->kind = OUTLET_RAW;
    state->length = length;
    state->tail_bytes = length < sizeof tail ? (uint32_t)length : (uint32_t)sizeof tail;
    state->mark = mark_of(raw);
    memcpy(state->path, raw->path, sizeof state->path);
    const int rc = raw->medium->ops->read(raw->medium, tail, state->tail_bytes, place(raw, length - state->tail_bytes));
    state->tail_crc = crc32c(0, tail, state->tail_bytes);
    return rc;
}

/* Asks the drain to note a new start in both slots of the ledger. */
static int ask_to_note(struct raw *raw, struct outlet_state *state) {
    raw->is_noted = 0;
    const int rc = describe(raw, raw->length, state);
    if (rc < 0) {
        leave(raw);
        return error_set(-rc, "log device %s cannot be read: %s", raw->path, error_name(-rc));
    }
    return OUTLET_NOTE;
}

static int open_and_read(struct raw *raw) {
    int rc = raw->media->open(raw->media, raw->path, DEVICE_WRITER, &raw->medium);
    if (rc < 0) {
        return rc;
    }
    rc = raw_view_read(raw->medium, raw->path, &raw->view);
    raw->end = raw_view_length(&raw->view);
    if (rc < 0) {
        leave(raw);
    }
    return rc;
}

/* Checks that the device has the bytes that the checkpoint says. */
static int check_bytes(const struct raw *raw, const struct outlet_state *known) {
    struct outlet_state found;
    const uint64_t capacity = raw->view.header.capacity_bytes;
    const int rc = known->length > capacity ? 0 : describe(raw, known->length, &found);
    if (rc < 0) {
        return error_set(-rc, "log device %s cannot be read: %s", raw->path, error_name(-rc));
    }
    return known->length <= capacity && found.tail_bytes == known->tail_bytes && found.tail_crc == known->tail_crc
               ? 0
               : error_set(
                     ESTALE,
                     "log device %s does not hold the %llu bytes that the log wrote to it (its own end is at byte "
                     "%llu): it was written by others, or an older copy was put there; it is left alone. Bring "
                     "back what was there, or, if that is not needed, read it out with `burstlog cat` and format "
                     "it anew",
                     raw->path, (unsigned long long)known->length, (unsigned long long)raw->end);
}

/* The end slot that named the last bytes is damaged. The bytes are there, so a new end names them. */
static int mend_end(struct raw *raw) {
    if (raw->end >= raw->length) {
        return 0;
    }
    const int rc = raw_view_note(raw->medium, &raw->view, raw->length);
    raw->end = raw->length;
    return rc == 0 ? 0 : error_set(-rc, "log device %s cannot be written: %s", raw->path, error_name(-rc));
}

static int take_another(struct raw *raw, const struct outlet_noted *noted, struct outlet_state *state) {
    if (raw->end > 0 || raw->view.newest < 0) {
        return error_set(ESTALE,
                         "log device %s is not the one that the log wrote to, but another, which holds a log of %llu "
                         "bytes: it is left alone. Bring back the one that was there, or, if the log is to go on here, "
                         "read it out with `burstlog cat` and format it anew",
                         raw->path, (unsigned long long)raw->end);
    }
    events_post(raw->events, EVENT_WARN,
                "log device %s is another than before, or was formatted anew, and is empty; records from %llu on are "
                "written to it. The %llu bytes that the log wrote before are not on it",
                raw->path, (unsigned long long)noted->sequence, (unsigned long long)noted->state->length);
    raw->length = 0;
    return ask_to_note(raw, state);
}

/* Opens the device of the newest checkpoint. Returns READY, NOTE, or -errno with a sentence and no device open. */
static int find(struct raw *raw, const struct outlet_noted *noted, struct outlet_state *state) {
    const struct outlet_state *known = noted->state;
    memcpy(raw->path, known->path, sizeof raw->path);
    int rc = open_and_read(raw);
    if (rc < 0) {
        return rc;
    }
    const struct outlet_mark mark = mark_of(raw);
    const int is_known = known->mark.inode != 0 && !raw->mark_is_untrusted;
    if (is_known && memcmp(&known->mark, &mark, sizeof mark) != 0) {
        rc = take_another(raw, noted, state);
    } else {
        rc = check_bytes(raw, known);
        raw->length = known->length;
        raw->is_noted = 1;
        rc = rc < 0 ? rc : mend_end(raw);
        rc = rc < 0 || is_known ? rc : ask_to_note(raw, state);
    }
    if (rc < 0) {
        leave(raw);
    }
    return rc;
}

static int raw_open(struct outlet *outlet, const struct outlet_noted *noted, int moved, struct outlet_state *state) {
    (void)moved;
    return find(raw_of(outlet), noted, state);
}

static int raw_bind(struct outlet *outlet, const char *path, const struct outlet_noted *noted,
                    struct outlet_state *state) {
    (void)noted;
    struct raw *raw = raw_of(outlet);
    leave(raw);
    snprintf(raw->path, sizeof raw->path, "%s", path);
    int rc = open_and_read(raw);
    if (rc == 0 && raw->view.newest < 0) {
        leave(raw);
        rc = raw_view_refuse_unknown_length(path);
    }
    raw->length = raw->end;
    return rc < 0 ? rc : ask_to_note(raw, state);
}

/* Whether the device still has the header that it had when it was opened. */
static int is_unchanged(const struct raw *raw, const struct raw_medium *medium) {
    struct raw_view now;
    return raw_view_read(medium, raw->path, &now) == 0 &&
           memcmp(&now.header, &raw->view.header, sizeof now.header) == 0;
}

/* Looks without excluding others, since they have to format the device. The next open sees everything that this look
 * misses. */
static int is_still_full(const struct raw *raw) {
    struct raw_medium *medium;
    if (raw->media->open(raw->media, raw->path, DEVICE_READ_ONLY, &medium) < 0) {
        return 0;
    }
    const int still = is_unchanged(raw, medium);
    medium->ops->close(medium);
    return still;
}

static int reopen(struct raw *raw, const struct outlet_noted *noted, struct outlet_state *state) {
    raw->trouble[0] = '\0';
    if (raw->is_full && is_still_full(raw)) {
        return -ENOSPC;
    }
    raw->is_full = 0;
    const int rc = find(raw, noted, state);
    if (rc < 0) {
        snprintf(raw->trouble, sizeof raw->trouble, "%s", error_text());
    }
    return rc < 0 ? rc : OUTLET_REWIND; /* bytes that were not synced may not be on the device */
}

/* Returns 1 if the log on the device has these bytes from `byte` on, 0 if it has others, or -errno. */
static int holds(const struct raw *raw, const uint8_t *data, size_t bytes, uint64_t byte) {
    uint8_t found[COMPARED_BYTES];
    for (size_t done = 0, piece; done < bytes; done += piece) {
        piece = bytes - done < sizeof found ? bytes - done : sizeof found;
        const int rc = raw->medium->ops->read(raw->medium, found, piece, place(raw, byte + done));
        if (rc < 0 || memcmp(found, data + done, piece) != 0) {
            return rc;
        }
    }
    return 1;
}

/* The part of the bytes before the device's own end must already be there. If other bytes are there, the log goes on
 * behind that end. */
static int check_redo(struct raw *raw, const struct outlet_noted *noted, const void *data, size_t bytes,
                      struct outlet_state *state) {
    const uint64_t before_end = raw->length < raw->end ? raw->end - raw->length : 0;
    const int same = holds(raw, data, bytes < before_end ? bytes : (size_t)before_end, raw->length);
    if (same < 0) {
        leave(raw);
    }
    if (same != 0) {
        return same < 0 ? same : OUTLET_READY;
    }
    events_post(
        raw->events, EVENT_ERROR,
        "log device %s holds other bytes behind its first %llu than the log wrote there: others wrote to it, or "
        "records of the ring were damaged; the log goes on behind its first %llu bytes, and records from %llu on may "
        "be in both places; find out who writes it",
        raw->path, (unsigned long long)noted->state->length, (unsigned long long)raw->end,
        (unsigned long long)noted->sequence);
    raw->length = raw->end;
    return ask_to_note(raw, state);
}

static int raw_ready(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes,
                     int partly, struct outlet_state *state) {
    (void)partly; /* this outlet writes whole batches */
    struct raw *raw = raw_of(outlet);
    if (raw->medium == NULL) {
        return reopen(raw, noted, state);
    }
    if (!raw->is_noted) {
        return ask_to_note(raw, state);
    }
    if (!is_unchanged(raw, raw->medium)) {
        leave(raw);
        return OUTLET_REWIND;
    }
    const int rc = check_redo(raw, noted, data, bytes, state);
    if (rc != OUTLET_READY || bytes <= raw->view.header.capacity_bytes - raw->length) {
        return rc;
    }
    if (raw->length > noted->state->length) {
        return OUTLET_SYNC; /* otherwise unsynced bytes would be left behind with the device */
    }
    raw->is_full = 1;
    leave(raw);
    return -ENOSPC;
}

static int64_t raw_write(struct outlet *outlet, const void *data, size_t bytes) {
    struct raw *raw = raw_of(outlet);
    const int rc = raw->medium->ops->write(raw->medium, data, bytes, place(raw, raw->length));
    if (rc < 0) {
        leave(raw);
        return rc;
    }
    raw->length += bytes;
    return (int64_t)bytes;
}

static int raw_sync(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state) {
    (void)noted;
    struct raw *raw = raw_of(outlet);
    if (raw->medium == NULL) {
        return OUTLET_REWIND;
    }
    /* Makes the bytes durable first, then the device's own end. The end never goes back: a redo may be shorter than
     * it. */
    int rc = raw->medium->ops->sync(raw->medium);
    if (rc == 0 && raw->length > raw->end) {
        rc = raw_view_note(raw->medium, &raw->view, raw->length);
        raw->end = rc == 0 ? raw->length : raw->end;
    }
    rc = rc < 0 ? rc : describe(raw, raw->length, state);
    if (rc < 0) {
        leave(raw);
    }
    return rc;
}

static void raw_noted(struct outlet *outlet, const struct outlet_noted *noted) {
    (void)noted;
    raw_of(outlet)->is_noted = 1;
}

static void raw_tell_stalled(struct outlet *outlet, int rc, int64_t lasts_ns, uint64_t held_bytes) {
    const struct raw *raw = raw_of(outlet);
    const struct raw_header *header = &raw->view.header;
    char since[64] = "";
    if (lasts_ns > 0) {
        snprintf(since, sizeof since, " (for %lld s now)", (long long)(lasts_ns / 1000000000));
    }
    if (raw->is_full) {
        events_post(
            raw->events, EVENT_ERROR,
            "log device %s is full%s: it takes %llu bytes, has %llu, and what comes next does not fit. Read it out "
            "with `burstlog cat`, then empty it with `burstlog format --destination --force`: the log goes on there "
            "by itself. The ring keeps the records, %llu bytes of it, and when it is full appends wait or fail",
            raw->path, since, (unsigned long long)header->capacity_bytes, (unsigned long long)raw->length,
            (unsigned long long)held_bytes);
        return;
    }
    events_post(
        raw->events, EVENT_ERROR,
        "log device %s cannot be written%s: %s; the ring keeps the records, %llu bytes of it, and when it is full "
        "appends wait or fail",
        raw->path, since, raw->trouble[0] != '\0' ? raw->trouble : error_name(-rc), (unsigned long long)held_bytes);
}

static void raw_tell_going(struct outlet *outlet) {
    struct raw *raw = raw_of(outlet);
    raw->trouble[0] = '\0';
    events_post(raw->events, EVENT_ERROR, "log device %s is being written again", raw->path);
}

static int raw_is_open(const struct outlet *outlet) {
    return ((const struct raw *)outlet)->medium != NULL;
}

static uint64_t raw_length(const struct outlet *outlet) {
    return ((const struct raw *)outlet)->length;
}

static void raw_copy_path(const struct outlet *outlet, char *path, size_t path_bytes) {
    snprintf(path, path_bytes, "%s", ((const struct raw *)outlet)->path);
}

static void raw_close(struct outlet *outlet) {
    leave(raw_of(outlet));
}

static void raw_destroy(struct outlet *outlet) {
    struct raw *raw = raw_of(outlet);
    leave(raw);
    platform_release(raw->platform, raw, sizeof *raw);
}

static const struct outlet_ops raw_ops = {
    .open = raw_open,
    .bind = raw_bind,
    .ready = raw_ready,
    .write = raw_write,
    .sync = raw_sync,
    .noted = raw_noted,
    .tell_stalled = raw_tell_stalled,
    .tell_going = raw_tell_going,
    .is_open = raw_is_open,
    .length = raw_length,
    .copy_path = raw_copy_path,
    .close = raw_close,
    .destroy = raw_destroy,
};

int raw_outlet_create(const struct raw_outlet_parts *parts, struct outlet **outlet) {
    struct raw *raw = platform_allocate(parts->platform, sizeof *raw, PLATFORM_PLAIN);
    if (raw == NULL) {
        return error_set(ENOMEM, "no memory for a log device: %zu bytes", sizeof *raw);
    }
    raw->outlet = (struct outlet){.ops = &raw_ops, .format = &record_format_text};
    raw->platform = parts->platform;
    raw->media = parts->media;
    raw->events = parts->events;
    raw->mark_is_untrusted = parts->mark_is_untrusted;
    *outlet = &raw->outlet;
    return 0;
}
