/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Media for tests: a scratch directory; and, as root, loop devices, zram devices and mounts of its own. Each of these
 * is NULL or 0 if the host does not give it: the test then skips, loudly.
 */
#ifndef BURST_TEST_DEVICE_MEDIA_H
#define BURST_TEST_DEVICE_MEDIA_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "skip_with.h"

#define PATH_BYTES 512

static char scratch[PATH_BYTES];

/* Gives this program its own mounts; 1, or 0 if the host does not allow it. Mounts of the host would be
 * copied into every mount namespace that another test makes meanwhile, and a device that is unmounted
 * here would stay busy there. */
static inline int have_own_mounts(void) {
    static int result = -1;
    if (result < 0)
        result = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    return result;
}

static inline int make_scratch(void **state) {
    (void)state;
    have_own_mounts();
    const char *base = getenv("TMPDIR");
    char here[PATH_BYTES / 2];
    if (base == NULL && (base = getcwd(here, sizeof(here))) == NULL)
        return -1;
    snprintf(scratch, sizeof(scratch), "%s/burst-test-XXXXXX", base);
    return mkdtemp(scratch) == NULL ? -1 : 0;
}

/* Devices that are still there if a test ends early. */
static int live_loops[4] = {-1, -1, -1, -1}, live_zrams[4] = {-1, -1, -1, -1};

static inline void note_live(int live[4], int old, int new) {
    for (int i = 0; i < 4; i++) {
        if (live[i] == old) {
            live[i] = new;
            return;
        }
    }
}

static inline void give_loop_back(int fd) {
    int off = 0;
    ioctl(fd, BLKROSET, &off); /* a read-only mark would outlast the device */
    close(fd);
}

static inline void write_text(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        fprintf(stderr, "writing %s to %s failed: %s\n", text, path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* A failed test may leave an io_uring. The kernel takes it apart in its own time, and only
 * then lets go of its files. */
static inline void give_zram_back(int number) {
    const struct timespec pause = {.tv_nsec = 20000000};
    const int fd = open("/sys/class/zram-control/hot_remove", O_WRONLY | O_CLOEXEC);
    int result = -1;
    for (int attempt = 0; fd >= 0 && attempt < 100; attempt++) {
        if ((result = dprintf(fd, "%d", number)) >= 0 || errno != EBUSY)
            break;
        nanosleep(&pause, NULL);
    }
    if (result < 0)
        fprintf(stderr, "zram%d stays behind: %s\n", number, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* A failed test has not closed its files, and the kernel removes no device in use. */
static inline void close_descriptors_of(int zram_number) {
    char path[64];
    unsigned int device_major = 0, device_minor = 0;
    snprintf(path, sizeof(path), "/sys/block/zram%d/dev", zram_number);
    FILE *file = fopen(path, "re");
    if (file == NULL || fscanf(file, "%u:%u", &device_major, &device_minor) != 2)
        device_major = 0;
    if (file != NULL)
        fclose(file);
    for (int fd = 3; fd < 256 && device_major != 0; fd++) {
        struct stat status;
        char link[32], target[32] = "";
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        if (readlink(link, target, sizeof(target) - 1) > 0 && strcmp(target, "anon_inode:[io_uring]") == 0)
            close(fd);
        if (fstat(fd, &status) == 0 && S_ISBLK(status.st_mode) && status.st_rdev == makedev(device_major, device_minor))
            close(fd);
    }
}

static inline int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

static inline int remove_scratch(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        if (live_loops[i] >= 0)
            give_loop_back(live_loops[i]);
        if (live_zrams[i] >= 0) {
            close_descriptors_of(live_zrams[i]);
            give_zram_back(live_zrams[i]);
        }
        live_loops[i] = live_zrams[i] = -1;
    }
    return nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* A path in the scratch directory. It is valid until seven more are asked for. */
static inline const char *scratch_path(const char *name) {
    static char paths[8][2 * PATH_BYTES];
    static _Atomic unsigned int turn; /* some tests ask from several threads */
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
    return path;
}

static inline void make_file(const char *path, uint64_t bytes) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    const int rc = posix_fallocate(fd, 0, bytes > 0 ? (off_t)bytes : 1);
    assert_true(rc == 0 || rc == EOPNOTSUPP); /* musl refuses where the file system cannot */
    for (uint64_t at = 0; rc == EOPNOTSUPP && at < bytes; at += 512) {
        assert_int_equal(pwrite(fd, "", 1, (off_t)at), 1);
    }
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    close(fd);
}

/* ------------------------------------------------------------------------------------------------- loop device */

struct loop_device {
    int fd; /* keeps the device; the kernel removes it at the last close */
    char path[64];
};

/* Sets a device's write cache. The device keeps the setting when it gets another file. */
static inline void set_write_cache(const struct loop_device *loop, const char *cache) {
    char path[96];
    snprintf(path, sizeof(path), "/sys/block/%s/queue/write_cache", strrchr(loop->path, '/') + 1);
    if (access(path, W_OK) == 0)
        write_text(path, cache);
}

/* Makes a loop device with logical blocks of `block_bytes` (0: the kernel chooses). 1, or 0 if the host gives none. */
static inline int make_loop_with(const char *backing, uint32_t block_bytes, uint32_t flags, struct loop_device *loop) {
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int file = open(backing, O_RDWR | O_CLOEXEC);
    loop->fd = -1;
    for (int attempt = 0; control >= 0 && file >= 0 && loop->fd < 0 && attempt < 20; attempt++) {
        int number = ioctl(control, LOOP_CTL_GET_FREE);
        snprintf(loop->path, sizeof(loop->path), "/dev/loop%d", number);
        if (number < 0 || (access(loop->path, F_OK) < 0 && mknod(loop->path, S_IFBLK | 0600, makedev(7, number)) < 0))
            break;
        loop->fd = open(loop->path, O_RDWR | O_CLOEXEC);
        struct loop_config config = {
            .fd = (uint32_t)file, .block_size = block_bytes, .info.lo_flags = LO_FLAGS_AUTOCLEAR | flags};
        snprintf((char *)config.info.lo_file_name, LO_NAME_SIZE, "%s", backing);
        if (loop->fd >= 0 && ioctl(loop->fd, LOOP_CONFIGURE, &config) < 0) {
            close(loop->fd); /* another process took the number */
            loop->fd = -1;
        }
    }
    if (loop->fd >= 0) {
        const int writer = loop->fd;                       /* a read-only one would make a read-only device */
        loop->fd = open(loop->path, O_RDONLY | O_CLOEXEC); /* this one is no writer */
        close(writer);
    }
    if (control >= 0)
        close(control);
    if (file >= 0)
        close(file);
    if (loop->fd >= 0) {
        note_live(live_loops, -1, loop->fd);
        set_write_cache(loop, "write back");
    }
    return loop->fd >= 0;
}

static inline int make_loop(const char *backing, struct loop_device *loop) {
    return make_loop_with(backing, 0, 0, loop);
}

/* Makes partition `number` of a loop device made with LO_FLAGS_PARTSCAN, and its node. It needs no partition table,
 * and goes with the device. 1, or 0 if the host gives none. */
static inline int make_partition(const struct loop_device *loop, int number, long long start, long long bytes,
                                 const char *node) {
    struct blkpg_partition partition = {.start = start, .length = bytes, .pno = number};
    struct blkpg_ioctl_arg call = {.op = BLKPG_ADD_PARTITION, .datalen = sizeof(partition), .data = &partition};
    char path[128];
    unsigned int device_major = 0, device_minor = 0;
    const char *name = strrchr(loop->path, '/') + 1;
    if (ioctl(loop->fd, BLKPG, &call) < 0)
        return 0;
    snprintf(path, sizeof(path), "/sys/block/%s/%sp%d/dev", name, name, number);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%u:%u", &device_major, &device_minor), 2);
    fclose(file);
    return mknod(node, S_IFBLK | 0600, makedev(device_major, device_minor)) == 0;
}

static inline void remove_loop(struct loop_device *loop) {
    note_live(live_loops, loop->fd, -1);
    give_loop_back(loop->fd);
}

/* ------------------------------------------------------------------------------------------------- zram device */

struct zram_device {
    int number;
    char path[PATH_BYTES];
};

/* Makes a new device, and never takes one that is there. 1, or 0 if this host gives none. */
static inline int make_zram(const char *size, const char *node, struct zram_device *zram) {
    char text[32] = "", path[PATH_BYTES];
    int fd = open("/sys/class/zram-control/hot_add", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (got <= 0)
        return 0;
    zram->number = atoi(text);
    note_live(live_zrams, -1, zram->number);
    snprintf(path, sizeof(path), "/sys/block/zram%d/disksize", zram->number);
    write_text(path, size);
    unsigned int device_major, device_minor;
    snprintf(path, sizeof(path), "/sys/block/zram%d/dev", zram->number);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%u:%u", &device_major, &device_minor), 2);
    fclose(file);
    snprintf(zram->path, sizeof(zram->path), "%s", node);
    return mknod(node, S_IFBLK | 0600, makedev(device_major, device_minor)) == 0;
}

static inline void remove_zram(struct zram_device *zram) {
    unlink(zram->path);
    note_live(live_zrams, zram->number, -1);
    give_zram_back(zram->number);
}

/* ------------------------------------------------------------------------------------------------- file systems */

static inline int mount_tmpfs(const char *directory, const char *options) {
    return mkdir(directory, 0700) == 0 && mount("burst-test", directory, "tmpfs", 0, options) == 0;
}

#endif
