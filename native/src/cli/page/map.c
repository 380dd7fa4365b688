/* SPDX-License-Identifier: Apache-2.0 */
/* The map of ring, files and archives. */
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/page/html.h"
#include "cli/streams.h"
#include "cli/units.h"
#include "device/open.h"
#include "read/lines.h"
#include "view/ring_view.h"

#define ARCHIVES_MOST 50u
#define WIDTH 990.0

static void put_file(FILE *out, const char *path, const char *more) {
    struct stat status;
    char bytes[UNITS_ROOM];
    fputs("<tr><td>", out);
    html_text(out, path);
    if (stat(path, &status) < 0) {
        fputs("<td class=num>-<td>is not there now", out);
    } else {
        fprintf(out, "<td class=num>%s<td>changed ",
                S_ISREG(status.st_mode) ? units_bytes((uint64_t)status.st_size, bytes) : "-");
        html_time(out, (int64_t)status.st_mtime * 1000000000, 0);
    }
    fprintf(out, "%s\n", more);
}

struct listing {
    FILE *out;
    unsigned count;
};

static int put_archive(void *argument, const char *path) {
    struct listing *const listing = argument;
    if (listing->count++ < ARCHIVES_MOST) {
        put_file(listing->out, path, "; archive");
    }
    return 0;
}

static void put_stream(FILE *out, const struct stream_state *stream, const struct other_logs *log_files) {
    char file[BURST_PATH_BYTES], bytes[UNITS_ROOM], sequence[UNITS_ROOM], more[200];
    struct listing listing = {.out = out};
    if (outlet_state_file(&stream->outlet, file, sizeof file) < 0 || file[0] == '\0') {
        return;
    }
    snprintf(more, sizeof more, "; in it to %s, %s by the checkpoint",
             units_count(stream->next_sequence - (stream->next_sequence > 0), sequence),
             units_bytes(stream->outlet.length, bytes));
    if (lines_each_archive(file, log_files, put_archive, &listing) == 0 && listing.count > ARCHIVES_MOST) {
        fprintf(out, "<tr><td>and %u more archives<td><td>\n", listing.count - ARCHIVES_MOST);
    }
    put_file(out, file, more);
}

/* A range of positions on the bar; it may go over the end of a lap. */
static void draw_range(FILE *out, const char *kind, uint64_t from, uint64_t to, uint64_t capacity) {
    if (to <= from || capacity == 0) {
        return;
    }
    const uint64_t length = to - from < capacity ? to - from : capacity, at = from % capacity;
    const uint64_t first = length < capacity - at ? length : capacity - at;
    const double scale = WIDTH / (double)capacity;
    fprintf(out, "<rect class=%s x=%.2f y=0 width=%.2f height=22 />", kind, (double)at * scale,
            (double)first * scale < 1 ? 1 : (double)first * scale);
    if (length > first) {
        fprintf(out, "<rect class=%s x=0 y=0 width=%.2f height=22 />", kind, (double)(length - first) * scale);
    }
}

static void put_ring(FILE *out, const struct ring_view *view) {
    const struct recovery *const recovery = &view->recovery;
    const uint64_t capacity = ring_view_superblock(view)->capacity_bytes;
    char size[UNITS_ROOM], waiting[UNITS_ROOM], records[UNITS_ROOM], statement[1024];
    fprintf(out, "<svg viewBox='0 0 %.0f 22' role=img aria-label='the ring'><rect class=plot width=%.0f height=22 />",
            WIDTH, WIDTH);
    draw_range(out, "area", recovery->start, recovery->log_end, capacity);
    for (size_t i = 0; i < recovery->jump_count; i++) {
        draw_range(out, "gap", recovery->jumps[i].gap.from, recovery->jumps[i].gap.to, capacity);
    }
    recovery_statement(recovery, statement, sizeof statement);
    fprintf(out,
            "</svg><p>%s; %s of it from the first record that some file does not have (blue): %s records. Damaged "
            "or void ranges (orange): %zu.<p>",
            units_bytes(capacity, size), units_bytes(recovery->log_end - recovery->start, waiting),
            units_count(recovery->records, records), recovery->jump_count);
    html_text(out, statement);
    fputs("<table><tr><th>file<th>size<th>\n", out);
    const unsigned newest = ledger_newest(view->ledger);
    struct other_logs log_files = {.paths = NULL};
    streams_log_files(view->ledger, &log_files);
    for (unsigned i = 0; i < ledger_streams(view->ledger, newest); i++) {
        static struct stream_state stream;
        ledger_stream(view->ledger, newest, i, &stream);
        if (stream_is_used(&stream)) {
            put_stream(out, &stream, &log_files);
        }
    }
    other_logs_clear(&log_files);
    fputs("</table>\n", out);
}

void map_print(FILE *out, const char *ring) {
    struct device *device;
    struct ring_view *view = NULL;
    fputs("<h2>Ring, files and archives</h2>\n", out);
    int rc = device_open(&platform_linux, ring, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &device);
    if (rc == 0) {
        rc = ring_view_open(&platform_linux, device, &view);
        if (rc == 0) {
            put_ring(out, view);
        }
        if (view != NULL) {
            ring_view_close(&platform_linux, view);
        }
        device_close(device);
    }
    if (rc < 0) {
        fputs("<p>The ring was not read: ", out);
        html_text(out, error_text());
        fputs("\n", out);
    }
}
