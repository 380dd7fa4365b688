/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of a flight recorder. Reading it ends, gives lines and events in order of their numbers, none of
 * another day, and makes a timeline within its bounds. A writer goes on behind them, or begins anew.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/page/page.h"
#include "flight/file.h"
#include "harness/fuzz/violation.h"

#define LINES 24u
#define EVENTS 4u

struct input {
    struct flight_head head;
    struct flight_line lines[LINES];
    struct flight_event events[EVENTS];
};

static char path[64];

static void remove_file(void) {
    unlink(path);
}

static void make_path(void) {
    strcpy(path, "/dev/shm/burst-fuzz-XXXXXX");
    const int fd = mkstemp(path);
    MUST(fd >= 0 && close(fd) == 0);
    atexit(remove_file);
}

static void put(const struct input *input, size_t size) {
    const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    MUST(fd >= 0);
    MUST(pwrite(fd, &input->head, sizeof input->head, 0) == sizeof input->head);
    for (unsigned i = 0; i < LINES; i++) {
        const struct flight_line *const line = &input->lines[i];
        MUST(pwrite(fd, line, sizeof *line, (off_t)flight_line_offset(line->number)) == sizeof *line);
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        const struct flight_event *const event = &input->events[i];
        MUST(pwrite(fd, event, sizeof *event, (off_t)flight_event_offset(event->number)) == sizeof *event);
    }
    MUST(ftruncate(fd, (off_t)(size % 5 == 0 ? FLIGHT_EVENTS_OFFSET - size : FLIGHT_FILE_BYTES)) == 0);
    MUST(close(fd) == 0);
}

static void read_it(void) {
    static struct timeline timeline;
    struct flight_log log;
    if (flight_log_read(path, &log) == 0) {
        for (size_t i = 1; i < log.line_count; i++) {
            MUST(log.lines[i - 1].number < log.lines[i].number);
        }
        for (size_t i = 1; i < log.event_count; i++) {
            MUST(log.events[i - 1].number < log.events[i].number);
        }
        MUST(log.line_count == 0 || log.lines[log.line_count - 1].number - log.lines[0].number < FLIGHT_LINES);
        MUST(timeline_make(&log, &timeline) == 0);
        MUST(timeline.columns <= TIMELINE_COLUMNS && timeline.from_ns <= timeline.to_ns);
        const struct page page = {.name = "x", .now_ns = 1};
        FILE *const out = fopen("/dev/null", "w");
        MUST(out != NULL);
        page_print(out, &page, &timeline);
        fclose(out);
        timeline_free(&timeline);
    }
    flight_log_free(&log);
}

static void go_on(const struct input *input) {
    struct flight_file file = {.fd = -1};
    const struct flight_wanted wanted = {.path = path, .ring = "/r", .uuid = input->head.uuid, .mode = 0600, .id = 1};
    struct flight_line line = {.kind = FLIGHT_OPEN};
    int anew;
    if (flight_file_open(&file, &wanted, &anew) == 0) {
        MUST(flight_file_put_line(&file, &line) == 0);
        flight_file_close(&file);
        struct flight_log log;
        MUST(flight_log_read(path, &log) == 0 && log.line_count > 0);
        MUST(log.lines[log.line_count - 1].number == line.number);
        flight_log_free(&log);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct input input;
    if (path[0] == '\0') {
        make_path();
    }
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    put(&input, size);
    read_it();
    go_on(&input);
    return 0;
}

/* Usually mends what the rest hangs on: the head, numbers and CRCs. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    static struct input input;
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 == 0 || room < sizeof input) {
        return size;
    }
    memset(&input, 0, sizeof input);
    memcpy(&input, data, size < sizeof input ? size : sizeof input);
    input.head.ring[FLIGHT_RING_BYTES - 1] = '\0';
    flight_seal_head(&input.head);
    for (unsigned i = 0; i < LINES; i++) {
        input.lines[i].number = input.lines[i].number % (3ull * FLIGHT_LINES) + 1;
        flight_seal_line(&input.lines[i], input.head.id);
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        input.events[i].number = input.events[i].number % (3ull * FLIGHT_EVENTS) + 1;
        input.events[i].text[FLIGHT_TEXT_BYTES - 1] = '\0';
        flight_seal_event(&input.events[i], input.head.id);
    }
    memcpy(data, &input, sizeof input);
    return sizeof input;
}
