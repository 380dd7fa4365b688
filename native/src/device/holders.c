/* SPDX-License-Identifier: Apache-2.0 */
/* Who has a file or device open, found by looking through every process's descriptors: the kernel keeps no list. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/probe.h"

/* Another node of the same device is the same medium. */
static int is_same_medium(const struct stat *one, const struct stat *other) {
    if (S_ISBLK(one->st_mode) || S_ISCHR(one->st_mode))
        return (one->st_mode & S_IFMT) == (other->st_mode & S_IFMT) && one->st_rdev == other->st_rdev;
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static int is_open_for_writing(const char *pid, const char *descriptor) {
    char path[600], line[128];
    snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, descriptor);
    FILE *info = fopen(path, "re");
    if (info == NULL)
        return 0;
    unsigned int flags = 0;
    while (fgets(line, sizeof(line), info) != NULL && sscanf(line, "flags: %o", &flags) != 1) {
    }
    fclose(info);
    return (flags & O_ACCMODE) != O_RDONLY;
}

static int holds(const char *pid, const struct stat *medium, int own_fd) {
    char path[600];
    snprintf(path, sizeof(path), "/proc/%s/fd", pid);
    DIR *descriptors = opendir(path);
    if (descriptors == NULL)
        return 0; /* gone meanwhile, or another user's */
    int is_self = atol(pid) == (long)getpid(), held = 0;
    struct dirent *entry;
    while (!held && (entry = readdir(descriptors)) != NULL) {
        struct stat open_file;
        if (!isdigit((unsigned char)entry->d_name[0]) || (is_self && atoi(entry->d_name) == own_fd))
            continue;
        held = fstatat(dirfd(descriptors), entry->d_name, &open_file, 0) == 0 && is_same_medium(medium, &open_file) &&
               is_open_for_writing(pid, entry->d_name);
    }
    closedir(descriptors);
    return held;
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

void medium_holders(int fd, char *text, size_t text_bytes) {
    text[0] = '\0';
    struct stat medium;
    DIR *processes = opendir("/proc");
    if (processes == NULL)
        return;
    struct dirent *entry;
    while (fstat(fd, &medium) == 0 && (entry = readdir(processes)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0]) && holds(entry->d_name, &medium, fd))
            append_process(entry->d_name, text, text_bytes);
    }
    closedir(processes);
}
