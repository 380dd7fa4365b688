/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/where_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/platform.h"
#include "cli/text.h"
#include "device/host/survival.h"
#include "read/lines.h"
#include "read/segments_source.h"

static int open_files(const struct where_asked *asked, struct read_source **source) {
    struct stat status;
    int rc = lines_make(&platform_linux, 0, source);
    for (size_t at = 0; rc == 0 && asked->others != NULL && at < asked->others->bytes;) {
        rc = lines_know_other(*source, asked->others->paths + at);
        at += strlen(asked->others->paths + at) + 1;
    }
    if (rc == 0 && asked->with_archives) {
        rc = lines_add_archives(*source, asked->path, asked->path, asked->archives, NULL, 1);
    }
    if (rc == 0 && (!asked->with_archives || stat(asked->path, &status) == 0)) {
        rc = lines_add(*source, asked->path, 0, LINES_TO_THE_END);
    }
    return rc;
}

static int open_source(const struct where_asked *asked, struct read_source **source) {
    struct stat status;
    *source = NULL;
    if (!asked->with_archives && stat(asked->path, &status) < 0) {
        return error_set(errno, "%s cannot be read: %s", asked->path, error_name(errno));
    }
    return !asked->with_archives && S_ISDIR(status.st_mode) ? segments_source_open(&platform_linux, asked->path, source)
                                                            : open_files(asked, source);
}

/* Whether the record is the one that is asked for, or lies behind it. */
static int is_reached(const struct where_asked *asked, const burst_read_t *record) {
    return asked->by_offset
               ? record->position + record->length > asked->number
               : record->kind != BURST_READ_LINE && record->sequence + (int64_t)record->count > (int64_t)asked->number;
}

static int is_it(const struct where_asked *asked, const burst_read_t *record) {
    return record->kind == BURST_READ_RECORD &&
           (asked->by_offset ? record->position <= asked->number : record->sequence == (int64_t)asked->number);
}

int where_find(const struct where_asked *asked, struct where_found *found) {
    *found = (struct where_found){.record.struct_bytes = sizeof found->record};
    int rc = open_source(asked, &found->source);
    if (rc == 0) {
        rc = asked->by_offset ? lines_go_to_byte(found->source, asked->number)
                              : found->source->ops->seek(found->source, BURST_FROM_SEQUENCE, (int64_t)asked->number);
    }
    do {
        rc = rc < 0 ? rc : found->source->ops->next(found->source, &found->record);
    } while (rc == 1 && !is_reached(asked, &found->record));
    return rc != 1 ? rc : is_it(asked, &found->record) && found->source->ops->file(found->source, &found->file);
}

void where_end(struct where_found *found) {
    if (found->source != NULL) {
        found->source->ops->close(found->source);
        found->source = NULL;
    }
}

void where_print_time(struct report *report, const char *name, int64_t time_ns) {
    char time[40];
    text_time(time_ns, 1, time, sizeof time);
    report_text(report, name, time);
}

void where_print_event_time(struct report *report, int64_t time_ns) {
    if (time_ns != 0) {
        where_print_time(report, "event time", time_ns);
    } else {
        report_text(report, "event time", "not known: its append gave none");
    }
}

void where_print_place(struct report *report, const struct where_found *found) {
    struct survival survival;
    const int is_folder = S_ISDIR(found->file.status.st_mode);
    report_text(report, is_folder ? "segments" : "file", found->file.path);
    report_number(report, "inode", (uint64_t)found->file.status.st_ino);
    report_number(report, is_folder ? "frame" : "offset", found->record.position);
    report_number(report, "bytes", found->record.length);
    survival_of_place(found->file.path, &survival);
    report_text(report, "file survives", survival_name(survival.survives));
}

void where_print(struct report *report, const struct where_found *found) {
    const burst_read_t *record = &found->record;
    const int is_folder = S_ISDIR(found->file.status.st_mode);
    report_number(report, "sequence", (uint64_t)record->sequence);
    if (record->epoch != 0) {
        report_number(report, "epoch", record->epoch);
    } else {
        report_text(report, "epoch", "not known: the index is of an older version");
    }
    if (record->stream != BURST_ALL_STREAMS) {
        report_number(report, "stream", record->stream);
    } else {
        report_text(report, "stream", "not known: a log file does not say");
    }
    where_print_event_time(report, record->event_time_ns);
    if (record->durable_ns != 0) {
        where_print_time(report, "durable at", record->durable_ns);
    } else {
        report_text(report, "durable at",
                    is_folder ? "not known: segments have no such times"
                              : "not known: no commit behind it said so, and mapped rings take no times");
    }
    report_text(report, "acknowledged", record->enqueued ? "when it was accepted" : "when it was durable");
    report_text(report, "in the ring", "not asked, or its space was given to later records");
    where_print_place(report, found);
}
