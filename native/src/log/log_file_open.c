/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_file_open.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/folders.h"
#include "base/path.h"
#include "outlet/file/fs.h"

void log_file_look(const char *file_name, struct log_file_before *before) {
    struct stat status;
    *before = (struct log_file_before){.is_missing = 0};
    if (path_follow(file_name, before->target, sizeof before->target) == 0) {
        before->is_missing = stat(before->target, &status) < 0 && errno == ENOENT;
        before->folders_missing = folders_missing(before->target);
    }
}

/* another log may hold the file, and has then made it meanwhile */
static void remove_empty(const char *path) {
    const struct files_ops *ops = files_posix.ops;
    struct file_identity identity;
    const int file = ops->open(&files_posix, path);
    if (file < 0) {
        return;
    }
    if (ops->lock(&files_posix, file) == 0 && ops->identity(&files_posix, file, &identity) == 0 &&
        identity.bytes == 0) {
        folders_unlink(path, file);
    }
    ops->close(&files_posix, file);
}

void log_file_take_back(const struct log_file_before *before) {
    if (before->is_missing) {
        remove_empty(before->target);
        folders_take_back(before->target, before->folders_missing);
    }
}
