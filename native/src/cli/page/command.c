/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog report`. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/platform.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/page/page.h"
#include "device/open.h"
#include "read/best_sight.h"
#include "window/protocol.h"

#define USAGE "burstlog report --html [--window=FOLDER] RING [FILE]"
#define ABOUT                                                                                                            \
    "Writes one page, for a browser, of the last day of a ring: how long records took to be durable, rate, fill, what\n" \
    "happened, the slowest calls, and the map of ring, files and archives. The times are those of its flight\n"          \
    "recorder, which a log with a window writes. Name the ring, or the recorder's file (RING.flight) if the ring is\n"   \
    "gone. The log may run. Changes nothing.\n"                                                                          \
    "  --html            the form of the report; there is no other\n"                                                    \
    "  --window=FOLDER   for a ring on a device: where its window and its recorder's file are\n"                         \
    "FILE: gets the page; without it the page goes to the standard output."

struct sources {
    char flight[BURST_PATH_BYTES];
    const char *map; /* NULL: the ring cannot be opened, or its recorder was named */
    char why[BURST_TEXT_BYTES];
};

static int is_recorders_file(const char *path) {
    uint64_t magic = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const ssize_t got = fd < 0 ? -1 : pread(fd, &magic, sizeof magic, 0);
    if (fd >= 0) {
        close(fd);
    }
    return got == (ssize_t)sizeof magic && magic == FLIGHT_MAGIC;
}

static int name_beside(const char *ring, char *flight) {
    return snprintf(flight, BURST_PATH_BYTES, "%s%s", ring, FLIGHT_SUFFIX) < BURST_PATH_BYTES
               ? 0
               : error_set(ENAMETOOLONG, "the path %s is too long", ring);
}

/* The file of a device's recorder has the name of the window's socket with another end. */
static int name_by_window(struct device *device, const char *folder, char *flight) {
    const int rc = best_sight_find_window(&platform_linux, device, folder, flight, BURST_PATH_BYTES);
    if (rc == 0) {
        strcpy(flight + strlen(flight) - strlen(WINDOW_SOCKET_SUFFIX), FLIGHT_SUFFIX);
    }
    return rc;
}

/* Finds ring and recorder. Returns 0, or -errno with a sentence if there is neither. */
static int find_sources(const char *name, const char *folder, struct sources *sources) {
    struct device *device;
    if (is_recorders_file(name)) {
        snprintf(sources->flight, sizeof sources->flight, "%s", name);
        return 0;
    }
    int rc = device_open(&platform_linux, name, DEVICE_READ_ONLY, DEVICE_IO_AUTO, &device);
    if (rc < 0) {
        snprintf(sources->why, sizeof sources->why, "%s", error_text());
        const int named = name_beside(name, sources->flight);
        return named == 0 && is_recorders_file(sources->flight) ? 0 : error_set(-rc, "%s", sources->why);
    }
    rc = device->is_file ? name_beside(device->path, sources->flight) : name_by_window(device, folder, sources->flight);
    device_close(device);
    sources->map = name;
    return rc;
}

/* Whether nothing is lost if the file is replaced: there is none, or it is a report. */
static int may_replace(const char *path) {
    char begin[sizeof PAGE_BEGIN - 1];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd < 0) {
        return errno == ENOENT;
    }
    const ssize_t got = read(fd, begin, sizeof begin);
    close(fd);
    return got == (ssize_t)sizeof begin && memcmp(begin, PAGE_BEGIN, sizeof begin) == 0;
}

/* The page takes the place of an earlier one when it is complete. */
static int write_page(const char *path, const struct page *page, const struct timeline *timeline) {
    char temporary[BURST_PATH_BYTES];
    if (path == NULL) {
        page_print(stdout, page, timeline);
        return 0;
    }
    if (!may_replace(path)) {
        return error_set(EEXIST, "%s is there, and is no report: name another file", path);
    }
    if (snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid()) >= (int)sizeof temporary) {
        return error_set(ENAMETOOLONG, "the path %s is too long", path);
    }
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    FILE *const out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out == NULL) {
        return error_set(errno, "%s cannot be made: %s", temporary, error_name(errno));
    }
    page_print(out, page, timeline);
    const int is_bad = ferror(out);
    if (fclose(out) != 0 || is_bad || rename(temporary, path) < 0) {
        const int code = errno;
        unlink(temporary);
        return error_set(code, "%s cannot be written: %s", path, error_name(code));
    }
    return 0;
}

static int report(const char *name, const char *folder, const char *file) {
    static struct sources sources;
    static struct timeline timeline;
    struct flight_log log;
    int rc = find_sources(name, folder, &sources);
    if (rc < 0) {
        return rc;
    }
    char why_empty[BURST_TEXT_BYTES] = "";
    if (flight_log_read(sources.flight, &log) < 0) {
        snprintf(why_empty, sizeof why_empty, "%s", error_text());
        log.line_count = log.event_count = 0;
    }
    const struct page page = {.name = name,
                              .map = sources.map,
                              .why_empty = *why_empty == '\0' ? NULL : why_empty,
                              .now_ns = platform_realtime_ns(&platform_linux)};
    rc = timeline_make(&log, &timeline);
    rc = rc < 0 ? error_set(-rc, "no memory for the report") : write_page(file, &page, &timeline);
    timeline_free(&timeline);
    flight_log_free(&log);
    return rc;
}

int command_report(int argc, char **argv) {
    static const struct option options[] = {{"html", no_argument, NULL, 'H'},
                                            {"window", required_argument, NULL, 'w'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *folder = NULL;
    int is_html = 0;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            printf("usage: %s\n%s\n", USAGE, ABOUT);
            return EXIT_OK;
        case 'H':
            is_html = 1;
            break;
        case 'w':
            folder = optarg;
            break;
        default:
            return cli_misused(USAGE, "wrong option, as the line above says", NULL);
        }
    }
    if (!is_html) {
        return cli_misused(USAGE, "a report is a page: give --html", NULL);
    }
    if (argc - optind < 1 || argc - optind > 2) {
        return cli_misused(USAGE, "name a ring, and perhaps a file for the page", NULL);
    }
    const int rc = report(argv[optind], folder, argc - optind == 2 ? argv[optind + 1] : NULL);
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
