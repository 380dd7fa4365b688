/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/mark_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "outlet/file/mount_identity.h"

/* Whether the file system may make up inode numbers and handles when it meets a file. Later the same file then has other
 * ones, and another file may have these. */
static int may_number_its_files_anew(const struct statfs *status) {
    enum { FUSE = 0x65735546, FAT = 0x4d44, EXFAT = 0x2011bab0 };
    const unsigned long type = (unsigned long)status->f_type & 0xffffffff;
    return type == FUSE || type == FAT || type == EXFAT;
}

/* Leaves the handle empty if the file system has none (an overlay), or if the kernel or a filter of system calls
 * refuses. */
static void take_handle(int file, struct file_mark *mark) {
    enum { BYTES_MAX = 128 };
    union {
        struct file_handle head;
        uint8_t bytes[sizeof(struct file_handle) + BYTES_MAX];
    } handle = {.head = {.handle_bytes = BYTES_MAX}};
    int mount;
    if (name_to_handle_at(file, "", &handle.head, &mount, AT_EMPTY_PATH) < 0 || handle.head.handle_bytes > BYTES_MAX)
        return;
    mark->handle_type = (uint32_t)handle.head.handle_type;
    mark->handle_bytes = handle.head.handle_bytes;
    mark->handle_crc = crc32c(0, handle.bytes + sizeof(struct file_handle), mark->handle_bytes);
}

/* struct statx as the kernel fills it: not each C library has the struct and statx(). */
struct kernel_statx {
    uint32_t mask;
    uint8_t before[76];
    int64_t born_s;
    uint32_t born_ns;
    uint8_t after[164];
};

_Static_assert(sizeof(struct kernel_statx) == 256, "the kernel fills so much");

static void take_birth(int file, struct file_mark *mark) {
    enum { BIRTH_TIME = 0x800 };
    struct kernel_statx status = {.mask = 0};
    if (syscall(SYS_statx, file, "", AT_EMPTY_PATH, BIRTH_TIME, &status) == 0 && (status.mask & BIRTH_TIME) != 0)
        mark->born_ns = status.born_s * 1000000000 + status.born_ns;
}

int host_mark(const struct files *files, int file, struct file_mark *mark) {
    (void)files;
    struct stat status;
    struct statfs file_system;
    if (fstat(file, &status) < 0)
        return -errno;
    *mark = (struct file_mark){.inode = (uint64_t)status.st_ino};
    if (fstatfs(file, &file_system) == 0 && !may_number_its_files_anew(&file_system)) {
        mark->file_system = lasting_number(&file_system);
        take_handle(file, mark);
        take_birth(file, mark);
    }
    return 0;
}

/* Uses a descriptor that stands only for the path: closing it drops no lock. */
int host_mark_of_path(const struct files *files, const char *path, struct file_mark *mark) {
    const int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return -errno;
    const int result = host_mark(files, place, mark);
    close(place);
    return result;
}
