/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/residence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/read_line.h"
#include "base/residence.h"
#include "device/probe.h"

#define OWN_THREADS "burst-" /* the names of the library's threads begin so */
#define PATH_BYTES 600
#define TELL_BYTES 256

static void report_thread(struct report *report, const char *name, pid_t thread) {
    struct thread_residence residence;
    char text[TELL_BYTES];
    if (thread_residence_of(thread, &residence) < 0) {
        snprintf(text, sizeof text, "cannot be read: %s", error_name(errno));
    } else {
        thread_residence_tell(&residence, text, sizeof text);
    }
    report_group(report, NULL);
    report_text(report, "thread", name);
    report_number(report, "tid", (uint64_t)thread);
    report_text(report, "runs on", text);
    report_group_end(report);
}

/* Reports the library's threads. Their names do not tell the ring: if the process has several rings, all their threads
 * are shown. */
static void report_threads(struct report *report, const char *process) {
    char path[PATH_BYTES], name[32];
    snprintf(path, sizeof path, "%s/task", process);
    report_list(report, "threads");
    DIR *threads = opendir(path);
    struct dirent *entry;
    while (threads != NULL && (entry = readdir(threads)) != NULL) {
        snprintf(path, sizeof path, "%s/task/%s/comm", process, entry->d_name);
        if (atoi(entry->d_name) > 0 && read_line(path, name, sizeof name) == 0 &&
            strncmp(name, OWN_THREADS, sizeof OWN_THREADS - 1) == 0) {
            report_thread(report, name, atoi(entry->d_name));
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
    report_list_end(report);
}

static void report_image(struct report *report, const char *process, uint64_t bytes) {
    struct image_residence residence;
    char text[TELL_BYTES];
    const int rc = image_residence_of(process, bytes, &residence);
    if (rc == -ENOENT) {
        snprintf(text, sizeof text, "not seen in this process");
    } else if (rc < 0) {
        snprintf(text, sizeof text, "cannot be read: %s; run this as the user of the process, or as root",
                 error_name(rc));
    } else {
        image_residence_tell(&residence, text, sizeof text);
    }
    report_text(report, "image", text);
}

static void report_process(struct report *report, long pid, const struct ring_view *view) {
    char process[32];
    snprintf(process, sizeof process, "/proc/%ld", pid);
    report_group(report, NULL);
    report_number(report, "process", (uint64_t)pid);
    report_image(report, process, ring_view_superblock(view)->capacity_bytes);
    report_threads(report, process);
    report_group_end(report);
}

void residence_report(struct report *report, const struct device *device, const struct ring_view *view) {
    char holders[256] = "";
    const int fd = open(device->path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        medium_holders(fd, holders, sizeof holders);
        close(fd);
    }
    if (!report->json && *holders == '\0') {
        return;
    }
    report_list(report, "placement");
    /* medium_holders lists "1234 (java), 99 (x)": a ring has one writer, and perhaps children that inherited it. */
    for (const char *next = holders; next != NULL; next = strstr(next, ", ")) {
        next += strspn(next, ", ");
        const long pid = strtol(next, NULL, 10);
        if (pid > 0) {
            report_process(report, pid, view);
        }
    }
    report_list_end(report);
}
