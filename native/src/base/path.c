/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40

int path_absolute(const char *path, char *absolute, size_t absolute_bytes) {
    if (path == NULL || path[0] == '\0')
        return -ENOENT;
    size_t before = 0;
    if (path[0] != '/') {
        if (getcwd(absolute, absolute_bytes) == NULL)
            return errno == ERANGE ? -ENAMETOOLONG : -errno;
        before = strlen(absolute);
        if (before > 1 && before + 1 < absolute_bytes)
            absolute[before++] = '/';
    }
    size_t length = strlen(path);
    if (before + length >= absolute_bytes)
        return -ENAMETOOLONG;
    memcpy(absolute + before, path, length + 1);
    return 0;
}

int path_follow(const char *path, char *followed, size_t followed_bytes) {
    int result = path_absolute(path, followed, followed_bytes);
    for (int links = 0; result == 0; links++) {
        char target[PATH_MAX], directory[PATH_MAX], joined[2 * PATH_MAX];
        ssize_t length = readlink(followed, target, sizeof(target) - 1);
        if (length < 0)
            break; /* no link, or no file yet: the name is found */
        if (links == LINKS_MAX)
            return -ELOOP;
        target[length] = '\0';
        result = path_directory(followed, directory, sizeof(directory));
        if (result < 0)
            break;
        snprintf(joined, sizeof(joined), "%s/%s", directory, target);
        result = path_absolute(target[0] == '/' ? target : joined, followed, followed_bytes);
    }
    return result;
}

const char *path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

int path_directory(const char *path, char *directory, size_t directory_bytes) {
    size_t length = (size_t)(path_name(path) - path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    int written = snprintf(directory, directory_bytes, "%.*s", length == 0 ? 1 : (int)length, length == 0 ? "." : path);
    return written < 0 || (size_t)written >= directory_bytes ? -ENAMETOOLONG : 0;
}
