/* SPDX-License-Identifier: Apache-2.0 */
#include "device/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "device/probe.h"

int lock_file(int fd) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return 0;
    return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

int lock_is_held(int fd) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    return fcntl(fd, F_OFD_GETLK, &whole) < 0 ? -errno : whole.l_type != F_UNLCK;
}

void lock_holders(const char *path, char *text, size_t text_bytes) {
    text[0] = '\0';
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    medium_holders(fd, text, text_bytes);
    close(fd);
}
