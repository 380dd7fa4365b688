/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processes that hold a file or device among the descriptors of all processes, since the kernel keeps no
 * list. It asks no file system that may wait for a server: for a file it reads the locks that /proc shows, and it
 * looks at device nodes on local file systems only.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/host/mounts.h"
#include "device/probe.h"

/* The inode of the namespace that has all processes of the host: PID_NS_INIT_INO of the kernel. */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu

struct sought {
    int fd;                   /* descriptor that does not count */
    mode_t kind;              /* S_IFBLK, S_IFCHR (a DAX device) or S_IFREG */
    dev_t number;             /* number of the device, or of the file's file system */
    unsigned long long inode; /* inode of the file */
};

/* Whether a look has failed since its process has ended, or has closed the descriptor. */
static int has_gone(void) {
    return errno == ENOENT || errno == ESRCH;
}

static FILE *open_fdinfo(const char *process, const char *descriptor) {
    char path[300];
    snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", process, descriptor);
    return fopen(path, "re");
}

/* Whether it is a write lock: a line of /proc/locks, or a line of fdinfo behind its "lock:". */
static int is_write_lock(const char *line, const struct sought *sought) {
    char access[16];
    unsigned int number_major, number_minor;
    unsigned long long inode;
    return sscanf(line, " %*d: %*s %*s %15s %*d %x:%x:%llu", access, &number_major, &number_minor, &inode) == 4 &&
           strcmp(access, "WRITE") == 0 && inode == sought->inode &&
           makedev(number_major, number_minor) == sought->number;
}

/* Returns 0 if the kernel lists no such lock: then no process has to be looked at. */
static int is_locked(const struct sought *sought) {
    FILE *locks = fopen("/proc/locks", "re");
    if (locks == NULL)
        return 1;
    char line[256];
    int found = 0;
    while (!found && fgets(line, sizeof(line), locks) != NULL)
        found = is_write_lock(line, sought);
    fclose(locks);
    return found;
}

/* Returns 1, 0, or -1 if that cannot be read. */
static int has_locked(const char *process, const char *descriptor, const struct sought *sought) {
    FILE *info = open_fdinfo(process, descriptor);
    if (info == NULL)
        return has_gone() ? 0 : -1;
    char line[256];
    int found = 0;
    while (!found && fgets(line, sizeof(line), info) != NULL)
        found = strncmp(line, "lock:", 5) == 0 && is_write_lock(line + 5, sought);
    const int failed = !found && ferror(info) && !has_gone();
    fclose(info);
    return failed ? -1 : found;
}

/* Returns 1, 0, or -1 if that cannot be read. */
static int is_open_for_writing(const char *process, const char *descriptor) {
    FILE *info = open_fdinfo(process, descriptor);
    if (info == NULL)
        return has_gone() ? 0 : -1;
    char line[128];
    unsigned int flags = 0;
    while (fgets(line, sizeof(line), info) != NULL && sscanf(line, "flags: %o", &flags) != 1) {
    }
    const int failed = ferror(info) && !has_gone();
    fclose(info);
    return failed ? -1 : (flags & O_ACCMODE) != O_RDONLY;
}

/* Whether the file system answers without a server. Returns 1, 0, or -1 if that cannot be read. */
static int is_local(const char *process, const char *descriptor) {
    static const char *const types[] = {"devtmpfs", "tmpfs", "ramfs", "ext2",   "ext3",
                                        "ext4",     "xfs",   "btrfs", "overlay"};
    struct mount mount;
    const int rc = mount_of_descriptor(process, descriptor, &mount);
    if (rc < 0)
        return rc == -ENOENT || rc == -ESRCH || rc == -EINVAL ? 0 : -1; /* EINVAL: the process is ending */
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(mount.type, types[i]) == 0)
            return 1;
    }
    return 0;
}

/* Whether the process has the medium open, even by another node of the same device; -1: it may not be looked at. */
static int has_opened(int directory, const char *process, const char *descriptor, const struct sought *sought) {
    char target[2];
    struct stat status;
    if (readlinkat(directory, descriptor, target, sizeof(target)) < 0)
        return has_gone() ? 0 : -1;
    const int is_written = target[0] == '/' ? is_open_for_writing(process, descriptor) : 0;
    const int is_asked = is_written > 0 ? is_local(process, descriptor) : is_written;
    if (is_asked <= 0)
        return is_asked;
    if (fstatat(directory, descriptor, &status, 0) < 0)
        return has_gone() ? 0 : -1;
    return (status.st_mode & S_IFMT) == sought->kind && status.st_rdev == sought->number;
}

/* Returns NULL behind the last one, with errno 0, or with another errno if the folder cannot be read. */
static struct dirent *next_of(DIR *folder) {
    errno = 0;
    return readdir(folder);
}

/* Returns 1, 0, or -1 if the process, or one of its descriptors, cannot be looked at. */
static int holds(const char *process, const struct sought *sought) {
    char path[300];
    snprintf(path, sizeof(path), "/proc/%s/fd", process);
    DIR *descriptors = opendir(path);
    if (descriptors == NULL)
        return has_gone() ? 0 : -1;
    int is_self = atol(process) == (long)getpid(), held = 0, has_failed = 0;
    struct dirent *entry;
    while (held <= 0 && (entry = next_of(descriptors)) != NULL) {
        const char *descriptor = entry->d_name;
        if (!isdigit((unsigned char)descriptor[0]) || (is_self && atoi(descriptor) == sought->fd))
            continue;
        held = sought->kind == S_IFREG ? has_locked(process, descriptor, sought)
                                       : has_opened(dirfd(descriptors), process, descriptor, sought);
        has_failed |= held < 0;
    }
    has_failed |= held <= 0 && errno != 0 && !has_gone();
    closedir(descriptors);
    return held > 0 ? 1 : has_failed ? -1 : 0;
}

static int seek(int fd, struct sought *sought) {
    struct stat medium;
    struct mount mount;
    if (fstat(fd, &medium) < 0)
        return -errno;
    *sought =
        (struct sought){.fd = fd, .kind = medium.st_mode & S_IFMT, .number = medium.st_rdev, .inode = medium.st_ino};
    if (sought->kind != S_IFREG)
        return 0;
    sought->number = mount_of(fd, &mount) == 0 ? mount.number : medium.st_dev;
    return is_locked(sought) ? 0 : -ENOENT;
}

static void append_process(const char *pid, char *text, size_t text_bytes) {
    char path[300], command[64] = "?";
    snprintf(path, sizeof(path), "/proc/%s/comm", pid);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(command, sizeof(command), file) != NULL)
            command[strcspn(command, "\n")] = '\0';
        fclose(file);
    }
    size_t used = strlen(text);
    snprintf(text + used, text_bytes - used, "%s%s (%s)", used > 0 ? ", " : "", pid, command);
}

static int is_in_first_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == FIRST_PID_NAMESPACE;
}

/* Returns 1 if it has looked at each process of the host. */
static int find_holders(const struct sought *sought, char *text, size_t text_bytes) {
    int has_looked_at_all = is_in_first_namespace(), has_first = 0;
    text[0] = '\0';
    DIR *processes = opendir("/proc");
    if (processes == NULL)
        return 0;
    struct dirent *entry;
    while ((entry = next_of(processes)) != NULL) {
        const int held = isdigit((unsigned char)entry->d_name[0]) ? holds(entry->d_name, sought) : 0;
        if (held > 0)
            append_process(entry->d_name, text, text_bytes);
        has_looked_at_all &= held >= 0;
        has_first |= strcmp(entry->d_name, "1") == 0; /* hidepid= hides those of other users */
    }
    has_looked_at_all &= errno == 0;
    closedir(processes);
    return has_looked_at_all && has_first;
}

int medium_holders(int fd, char *text, size_t text_bytes) {
    struct sought sought;
    text[0] = '\0';
    return seek(fd, &sought) == 0 && find_holders(&sought, text, text_bytes);
}

void block_holders(dev_t number, char *text, size_t text_bytes) {
    const struct sought sought = {.fd = -1, .kind = S_IFBLK, .number = number};
    find_holders(&sought, text, text_bytes);
}
