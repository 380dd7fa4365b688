/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A FUSE file system over a backing directory that fails on demand: faultfs BACKING CONTROL MOUNTPOINT. CONTROL is a
 * file with a struct fault_control. Every access is direct: before the writer's call returns, its bytes have reached
 * the backing file or the fault. SIGTERM unmounts the file system.
 */
#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness/rigs/fault_rules.h"
#include "harness/rigs/write_cache.h"

#define DISPLACED_SUFFIX ".old"

struct open_file {
    int fd;
    char path[PATH_MAX]; /* a path of this file system */
};

static int backing;
static struct fault_control *control;

/* Makes a path of the file system relative to the backing directory. */
static const char *below(const char *path) {
    return path[1] == '\0' ? "." : path + 1;
}

static struct open_file *of(const struct fuse_file_info *info) {
    return (struct open_file *)(uintptr_t)info->fh;
}

static int outcome(int result) {
    return result < 0 ? -errno : 0;
}

static int concerns(const struct fault_rule *rule, uint32_t operation, const char *path, uint64_t from, uint64_t to) {
    const char *name = strrchr(path, '/');
    name = name == NULL ? path : name + 1;
    return atomic_load(&rule->on) && (rule->operations & operation) &&
           (rule->name[0] == '\0' || strcmp(rule->name, name) == 0) &&
           (rule->to == 0 || (from < rule->to && to > rule->from));
}

/* Waits as the rule says, or until it is off. */
static void stall(const struct fault_rule *rule) {
    const struct timespec pause = {.tv_nsec = 1000000};
    for (uint64_t waited = 0; waited < rule->amount && atomic_load(&rule->on); waited++)
        nanosleep(&pause, NULL);
}

/* Waits for all stalls; then returns the rule that decides this operation, or NULL. */
static struct fault_rule *fault(uint32_t operation, const char *path, uint64_t from, uint64_t to) {
    for (int i = 0; i < FAULT_RULES; i++) {
        struct fault_rule *rule = &control->rules[i];
        if (!concerns(rule, operation, path, from, to))
            continue;
        const uint64_t turn = atomic_fetch_add(&rule->seen, 1);
        if (turn < rule->skip || (rule->count != 0 && turn >= rule->skip + rule->count))
            continue;
        atomic_fetch_add(&rule->hits, 1);
        if (rule->action != FAULT_STALL)
            return rule;
        stall(rule);
    }
    return NULL;
}

/* For operations that only fail or stall. */
static int failure(uint32_t operation, const char *path) {
    const struct fault_rule *rule = fault(operation, path, 0, UINT64_MAX);
    return rule != NULL && rule->action == FAULT_FAIL ? -rule->error : 0;
}

static int fs_getattr(const char *path, struct stat *status, struct fuse_file_info *info) {
    const int failed = failure(FAULT_STAT, path);
    if (failed < 0)
        return failed;
    return outcome(info != NULL ? fstat(of(info)->fd, status)
                                : fstatat(backing, below(path), status, AT_SYMLINK_NOFOLLOW));
}

static int fs_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                      enum fuse_readdir_flags flags) {
    (void)offset, (void)info, (void)flags;
    const int fd = openat(backing, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL)
        return -errno;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        fill(buffer, entry->d_name, NULL, 0, 0);
    closedir(directory);
    return 0;
}

static int open_backing(const char *path, int flags, mode_t mode, struct fuse_file_info *info) {
    struct open_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return -ENOMEM;
    snprintf(file->path, sizeof file->path, "%s", path);
    file->fd = openat(backing, below(path), (flags & ~(O_DIRECT | O_APPEND | O_DSYNC)) | O_CLOEXEC, mode);
    if (file->fd < 0) {
        const int failed = -errno;
        free(file);
        return failed;
    }
    info->fh = (uintptr_t)file;
    info->direct_io = 1;
    return 0;
}

static int fs_open(const char *path, struct fuse_file_info *info) {
    const int failed = failure(FAULT_OPEN, path);
    /* To undo a write the daemon must read the old bytes. */
    const int flags = (info->flags & O_ACCMODE) == O_WRONLY ? (info->flags & ~O_ACCMODE) | O_RDWR : info->flags;
    return failed < 0 ? failed : open_backing(path, flags, 0, info);
}

static int fs_create(const char *path, mode_t mode, struct fuse_file_info *info) {
    const int failed = failure(FAULT_CREATE, path);
    return failed < 0 ? failed : open_backing(path, (info->flags & ~O_ACCMODE) | O_RDWR | O_CREAT, mode, info);
}

static int fs_release(const char *path, struct fuse_file_info *info) {
    (void)path;
    close(of(info)->fd);
    free(of(info));
    return 0;
}

static int read_old_data(const char *path, char *data, size_t bytes, off_t offset) {
    char old[PATH_MAX + sizeof DISPLACED_SUFFIX];
    snprintf(old, sizeof old, "%s" DISPLACED_SUFFIX, below(path));
    const int fd = openat(backing, old, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : pread(fd, data, bytes, offset);
    const int failed = -errno;
    if (fd >= 0)
        close(fd);
    return got < 0 ? failed : (int)got;
}

static int fs_read(const char *path, char *data, size_t bytes, off_t offset, struct fuse_file_info *info) {
    const struct fault_rule *rule = fault(FAULT_READ, of(info)->path, (uint64_t)offset, (uint64_t)offset + bytes);
    if (rule != NULL && rule->action == FAULT_FAIL)
        return -rule->error;
    if (rule != NULL && rule->action == FAULT_OLD_DATA)
        return read_old_data(path, data, bytes, offset);
    const ssize_t got = pread(of(info)->fd, data, bytes, offset);
    return got < 0 ? -errno : (int)got;
}

static int write_backing(const struct open_file *file, const char *data, size_t bytes, off_t offset, int synchronous) {
    const uint32_t cache = atomic_load(&control->cache);
    if (cache == FAULT_CACHE_LYING || cache == FAULT_CACHE_NO_FUA || (cache == FAULT_CACHE_HONEST && !synchronous))
        write_cache_note(file->fd, offset, bytes);
    const ssize_t written = pwrite(file->fd, data, bytes, offset);
    return written < 0 ? -errno : (int)written;
}

static int fs_write(const char *path, const char *data, size_t bytes, off_t offset, struct fuse_file_info *info) {
    (void)path;
    const struct open_file *file = of(info);
    const int synchronous = (info->flags & (O_DSYNC | O_SYNC)) != 0;
    atomic_fetch_add(&control->sync_writes, (uint64_t)synchronous);
    const struct fault_rule *rule = fault(FAULT_WRITE, file->path, (uint64_t)offset, (uint64_t)offset + bytes);
    if (rule == NULL)
        return write_backing(file, data, bytes, offset, synchronous);
    const size_t part = rule->amount < bytes ? rule->amount : bytes;
    switch (rule->action) {
    case FAULT_FAIL:
        return -rule->error;
    case FAULT_LOSE:
        return (int)bytes;
    case FAULT_SHORT:
    case FAULT_TEAR: {
        const int written = part == 0 ? 0 : write_backing(file, data, part, offset, synchronous);
        return written < 0 || rule->action == FAULT_SHORT ? written : (int)bytes;
    }
    case FAULT_MISDIRECT:
        return write_backing(file, data, bytes, offset + (off_t)rule->amount, synchronous);
    default:
        return -EINVAL;
    }
}

static int fs_fsync(const char *path, int data_only, struct fuse_file_info *info) {
    (void)path, (void)data_only;
    const struct fault_rule *rule = fault(FAULT_FSYNC, of(info)->path, 0, UINT64_MAX);
    if (rule != NULL && rule->action == FAULT_FAIL)
        return -rule->error;
    const uint32_t cache = atomic_load(&control->cache);
    if ((rule == NULL || rule->action != FAULT_LOSE) && (cache == FAULT_CACHE_HONEST || cache == FAULT_CACHE_NO_FUA))
        write_cache_keep(of(info)->fd);
    return 0;
}

static int fs_truncate(const char *path, off_t bytes, struct fuse_file_info *info) {
    const int failed = failure(FAULT_TRUNCATE, info != NULL ? of(info)->path : path);
    if (failed < 0)
        return failed;
    const int fd = info != NULL ? of(info)->fd : openat(backing, below(path), O_RDWR | O_CLOEXEC);
    struct stat status;
    if (fd >= 0 && atomic_load(&control->cache) != FAULT_CACHE_NONE && fstat(fd, &status) == 0)
        write_cache_note(fd, bytes, status.st_size > bytes ? (size_t)(status.st_size - bytes) : 0);
    const int result = fd < 0 ? -errno : outcome(ftruncate(fd, bytes));
    if (info == NULL && fd >= 0)
        close(fd);
    return result;
}

static int fs_rename(const char *from, const char *to, unsigned int flags) {
    const int failed = failure(FAULT_RENAME, from);
    return failed < 0 ? failed : outcome((int)syscall(SYS_renameat2, backing, below(from), backing, below(to), flags));
}

static int fs_mkdir(const char *path, mode_t mode) {
    return outcome(mkdirat(backing, below(path), mode));
}

static int fs_unlink(const char *path) {
    return outcome(unlinkat(backing, below(path), 0));
}

static int fs_rmdir(const char *path) {
    return outcome(unlinkat(backing, below(path), AT_REMOVEDIR));
}

static int fs_chmod(const char *path, mode_t mode, struct fuse_file_info *info) {
    (void)info;
    return outcome(fchmodat(backing, below(path), mode, 0));
}

static int fs_chown(const char *path, uid_t owner, gid_t group, struct fuse_file_info *info) {
    (void)info;
    return outcome(fchownat(backing, below(path), owner, group, AT_SYMLINK_NOFOLLOW));
}

static int fs_statfs(const char *path, struct statvfs *status) {
    (void)path;
    return outcome(fstatvfs(backing, status));
}

static void *fs_init(struct fuse_conn_info *connection, struct fuse_config *config) {
    (void)connection;
    config->direct_io = 1;
    config->use_ino = 1;
    config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
    return NULL;
}

static const struct fuse_operations operations = {
    .init = fs_init,
    .getattr = fs_getattr,
    .readdir = fs_readdir,
    .open = fs_open,
    .create = fs_create,
    .release = fs_release,
    .read = fs_read,
    .write = fs_write,
    .fsync = fs_fsync,
    .truncate = fs_truncate,
    .rename = fs_rename,
    .mkdir = fs_mkdir,
    .unlink = fs_unlink,
    .rmdir = fs_rmdir,
    .chmod = fs_chmod,
    .chown = fs_chown,
    .statfs = fs_statfs,
};

static int prepare(const char *backing_path, const char *control_path) {
    backing = open(backing_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int fd = open(control_path, O_RDWR | O_CLOEXEC);
    if (backing < 0 || fd < 0)
        return -1;
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return control == MAP_FAILED ? -1 : 0;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: faultfs BACKING CONTROL MOUNTPOINT\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* ends with the test */
    umask(0);
    if (prepare(arguments[1], arguments[2]) < 0) {
        perror("faultfs");
        return 1;
    }
    char *options[] = {arguments[0], "-f", "-oallow_other,max_threads=8", arguments[3]};
    const int result = fuse_main(4, options, &operations, NULL);
    if (atomic_load(&control->cache) != FAULT_CACHE_NONE)
        write_cache_cut();
    return result;
}
