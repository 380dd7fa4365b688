/* SPDX-License-Identifier: Apache-2.0 */
#include "base/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

/* Replaces the path of a file or folder by that of the folder around it. Returns 0, or -1 at the topmost folder. */
static int go_above(char *path) {
    char above[PATH_MAX];
    if (path_directory(path, above, sizeof(above)) < 0 || strcmp(path, above) == 0)
        return -1;
    strcpy(path, above);
    return 0;
}

static int is_there(const char *folder) {
    struct stat status;
    return stat(folder, &status) == 0 || errno != ENOENT;
}

unsigned folders_missing(const char *path) {
    char folder[PATH_MAX];
    unsigned missing = 0;
    if (path_absolute(path, folder, sizeof(folder)) < 0)
        return 0;
    while (go_above(folder) == 0 && !is_there(folder))
        missing++;
    return missing;
}

int folders_make(const char *path, unsigned *missing) {
    char folder[PATH_MAX];
    int result = path_directory(path, folder, sizeof(folder));
    *missing = folders_missing(path);
    if (result < 0 || *missing == 0)
        return result;
    for (char *slash = strchr(folder + 1, '/'); result == 0; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        if (mkdir(folder, 0777) < 0 && errno != EEXIST)
            result = -errno;
        if (slash == NULL)
            break;
        *slash = '/';
    }
    if (result < 0)
        folders_take_back(path, *missing);
    return result;
}

int folder_sync(const char *folder) {
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const int result = fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
    close(fd);
    return result;
}

int folders_sync(const char *path, unsigned missing) {
    char folder[PATH_MAX];
    int result = path_directory(path, folder, sizeof(folder));
    for (; result == 0 && missing > 0 && go_above(folder) == 0; missing--)
        result = folder_sync(folder);
    return result;
}

void folders_take_back(const char *path, unsigned missing) {
    char folder[PATH_MAX];
    if (path_absolute(path, folder, sizeof(folder)) < 0)
        return;
    for (; missing > 0 && go_above(folder) == 0; missing--)
        rmdir(folder);
}

int folders_unlink(const char *path, int fd) {
    char above[PATH_MAX];
    struct stat opened, named;
    int result = path_directory(path, above, sizeof(above));
    const int folder = result < 0 ? -1 : open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return result < 0 ? result : -errno;
    if (fstat(fd, &opened) < 0 || fstatat(folder, path_name(path), &named, AT_SYMLINK_NOFOLLOW) < 0)
        result = -errno;
    else if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
        result = -ESTALE;
    else
        result = unlinkat(folder, path_name(path), 0) < 0 ? -errno : 0;
    close(folder);
    return result;
}
