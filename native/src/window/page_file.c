/* SPDX-License-Identifier: Apache-2.0 */
#include "window/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "media/record.h"
#include "window/locks.h"
#include "window/protocol.h"

int page_file_name(struct page_file *file, const char *folder, const uint8_t uuid[16]) {
    char name[WINDOW_SOCKET_NAME_BYTES];
    *file = (struct page_file){.fd = -1, .crc_seed = crc_seed_of(uuid)};
    window_socket_name(uuid, name);
    name[strlen(name) - strlen(WINDOW_SOCKET_SUFFIX)] = '\0';
    return snprintf(file->path, sizeof file->path, "%s/%s%s", folder, name, DRAIN_PAGE_SUFFIX) < (int)sizeof file->path
               ? 0
               : error_set(ENAMETOOLONG, "the path of the drain's page in %s is too long", folder);
}

int page_file_open(struct page_file *file) {
    struct stat status;
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int fd = (int)TEMP_FAILURE_RETRY(open(file->path, flags, S_IRUSR | S_IWUSR));
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        const int failure = fd < 0 ? errno : EEXIST;
        if (fd >= 0) {
            close(fd);
        }
        return error_set(failure,
                         "the drain's page %s cannot be opened: %s; give this user the right to write in that folder",
                         file->path, error_name(failure));
    }
    gid_t group;
    if (locks_is_shared(file->path, &group) && fchmod(fd, S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP) < 0 &&
        status.st_uid == geteuid()) {
        close(fd);
        return error_set(errno, "the drain's page %s cannot be given to its group: %s", file->path, error_name(errno));
    }
    file->fd = fd;
    return 0;
}

void page_file_close(struct page_file *file) {
    if (file->fd >= 0) {
        close(file->fd);
        file->fd = -1;
    }
}

int page_file_write(struct page_file *file, struct drain_page *page) {
    page->change++;
    drain_page_seal(page, file->crc_seed);
    const ssize_t written = TEMP_FAILURE_RETRY(pwrite(file->fd, page, sizeof *page, 0));
    const int failure = written < 0 ? errno : ENOSPC;
    return written == (ssize_t)sizeof *page
               ? 0
               : error_set(failure, "the drain's page %s cannot be written: %s; free space there", file->path,
                           error_name(failure));
}

int page_file_read(struct page_file *file, struct drain_page *page) {
    struct stat status;
    int is_new = 0;
    const int fd = (int)TEMP_FAILURE_RETRY(open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd < 0) {
        return 0;
    }
    const size_t head = offsetof(struct drain_page, events);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        TEMP_FAILURE_RETRY(pread(fd, page, head, 0)) == (ssize_t)head &&
        (page->drain != file->drain || page->change != file->change) &&
        TEMP_FAILURE_RETRY(pread(fd, page, sizeof *page, 0)) == (ssize_t)sizeof *page &&
        drain_page_is_valid(page, file->crc_seed)) {
        file->drain = page->drain;
        file->change = page->change;
        is_new = 1;
    }
    close(fd);
    return is_new;
}
