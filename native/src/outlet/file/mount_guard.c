/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether a new log file would be on the old one's file system. A later mount hides each file that is written
 * below its mount point. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/path.h"
#include "outlet/file/look.h"

void destination_note_mount(struct destination *destination) {
    const struct files *files = destination->files;
    struct file_identity ours;
    if (files->ops->mount(files, destination->path, &destination->mounted_on) < 0 ||
        files->ops->identity(files, destination->file, &ours) < 0 || ours.device != destination->mounted_on.device) {
        destination->mounted_on =
            (struct mount_identity){.device = 0}; /* unknown: others may be moving the file right now */
    }
}

/* An empty file is the operator's word that the log goes on there. */
static int is_wanted_here(const struct destination *destination, const char *path) {
    struct file_identity identity;
    return destination->files->ops->identity_of_path(destination->files, path, &identity) == 0 && identity.bytes == 0;
}

int destination_is_unmounted_now(const struct destination *destination) {
    const struct mount_identity *before = &destination->mounted_on;
    struct mount_identity now;
    if (before->folder[0] == '\0') {
        return 0;
    }
    const int rc = destination->files->ops->mount(destination->files, destination->path, &now);
    if (rc < 0) {
        return rc;
    }
    /* If the folder is another one, by a link, somebody chose it. The same folder changes its file system only by a
     * mount. */
    return now.device != before->device && strcmp(now.folder, before->folder) == 0 &&
           !is_wanted_here(destination, destination->path);
}

static uint32_t folder_crc(const struct mount_identity *mount) {
    return crc32c(0, mount->folder, strlen(mount->folder));
}

struct file_mark file_mark_of(const struct log_file *log, const struct outlet_state *state) {
    const struct outlet_mark *noted = &state->mark;
    if (log->mark_is_untrusted) {
        return (struct file_mark){.inode = 0};
    }
    return (struct file_mark){.file_system = state->mount.file_system,
                              .inode = noted->inode,
                              .born_ns = noted->born_ns,
                              .handle_type = noted->handle_type,
                              .handle_bytes = noted->handle_bytes,
                              .handle_crc = noted->handle_crc};
}

/* Fills birth and number of a file that no roll has begun. */
static void note_birth(const struct log_file *log, const struct file_mark *mark, struct outlet_roll *roll) {
    if (roll->born_ns == 0) {
        roll->born_ns = mark->born_ns != 0 ? mark->born_ns : platform_realtime_ns(log->platform);
    }
    if (roll->file_number == 0) {
        roll->file_number = 1;
    }
    if (log->roller != NULL && log->roller->plan != NULL) {
        log->roller->plan(log->roller, roll);
    }
}

int file_identify(const struct log_file *log, struct destination *destination, struct outlet_state *state) {
    const struct mount_identity *mount = &destination->mounted_on;
    struct file_mark mark;
    const int rc = destination->files->ops->mark(destination->files, destination->file, &mark);
    if (rc < 0) {
        return rc;
    }
    destination_note_mount(destination);
    state->mount = (struct outlet_mount){
        .file_system = mount->file_system, .entry_bytes = mount->entry_bytes, .folder_crc = folder_crc(mount)};
    state->mark = (struct outlet_mark){.inode = mark.inode,
                                       .born_ns = mark.born_ns,
                                       .handle_type = mark.handle_type,
                                       .handle_bytes = mark.handle_bytes,
                                       .handle_crc = mark.handle_crc};
    note_birth(log, &mark, &state->roll);
    return 0;
}

/* Whether a mount is missing: the path led onto another file system at this folder, and now it does not. */
static int mount_point_is_bare(const struct files *files, const char *path, uint32_t entry_bytes) {
    char entry[LAYOUT_FILE_NAME_BYTES], above[LAYOUT_FILE_NAME_BYTES];
    struct file_identity here, there;
    if (entry_bytes < 2 || entry_bytes >= strlen(path) || path[entry_bytes] != '/') {
        return 0;
    }
    snprintf(entry, sizeof entry, "%.*s", (int)entry_bytes, path);
    return path_directory(entry, above, sizeof above) == 0 && files->ops->identity_of_path(files, entry, &here) == 0 &&
           files->ops->identity_of_path(files, above, &there) == 0 && here.device == there.device;
}

/* Whether the file system of the checkpoint is not mounted now. This must hold over a restart of the host, which may
 * give each device another number. */
static int was_unmounted_since_checkpoint(const struct log_file *log, const struct outlet_mount *noted,
                                          const char *path) {
    const struct files *files = log->destination.files;
    struct mount_identity now;
    return mount_point_is_bare(files, path, noted->entry_bytes) && files->ops->mount(files, path, &now) == 0 &&
           folder_crc(&now) == noted->folder_crc &&
           (noted->file_system == 0 || noted->file_system != now.file_system) &&
           !is_wanted_here(&log->destination, path);
}

int file_is_unmounted(const struct log_file *log, const struct outlet_state *state, const char *path) {
    return log->destination.mounted_on.folder[0] != '\0' ? destination_is_unmounted_now(&log->destination) == 1
                                                         : was_unmounted_since_checkpoint(log, &state->mount, path);
}
