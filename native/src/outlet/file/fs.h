/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system as the drain sees it: a table, so that a test can put a simulated one in its place. Functions
 * return 0 or a count, or a negative errno (no sentence: the caller knows what it was doing).
 */
#ifndef BURST_SINK_FILES_H
#define BURST_SINK_FILES_H

#include <stddef.h>
#include <stdint.h>

struct file_identity {
    uint64_t device;
    uint64_t inode;
    uint64_t links; /* 0: deleted */
    uint64_t bytes; /* its size */
    uint64_t is_regular;
};

/*
 * What a file is known by under any name, after a remount and a restart of the host. Handle and birth time are 0 where its
 * file system has none, or none that stay.
 */
struct file_mark {
    uint64_t file_system; /* a number of it that stays over mounts, or 0 */
    uint64_t inode;       /* 0: nothing is known */
    int64_t born_ns;
    uint32_t handle_type;
    uint32_t handle_bytes;
    uint32_t handle_crc; /* CRC32C of the handle, which a file system gives to no second file */
    uint32_t reserved;   /* 0 */
};

enum file_match {
    FILE_OTHER,
    FILE_SAME,
    FILE_UNKNOWN, /* another inode number, on a file system that may have numbered it anew */
};

/* Whether the file that is seen is the one that was noted. A handle decides; without one inode number and birth time, of
 * which another birth time makes another file, but not another number alone, which may be new; without these the inode
 * number, which another file may have taken over: then its bytes must prove it. */
enum file_match file_mark_compare(const struct file_mark *noted, const struct file_mark *seen);

struct mount_identity {
    char folder[4096];    /* where a file of the path is, or would be made: no link in it; "": not known */
    uint64_t device;      /* of that folder, or of the nearest one above it that is there */
    uint64_t file_system; /* a number of it that stays over mounts, or 0 */
    uint32_t
        entry_bytes; /* of the path, up to where it leads onto that file system; 0: that of the root, or nobody would
                             miss what was on it */
};

struct new_file {
    uint32_t mode;     /* 0: 0666 less the umask */
    const char *owner; /* NULL: unchanged */
    const char *group;
};

struct files {
    const struct files_ops *ops;
};

struct files_ops {
    /* Opens for reading and writing. -ENOENT: no such file. */
    int (*open)(const struct files *files, const char *path);
    /* Locks the open file against other writers until it is closed; -EBUSY: held. */
    int (*lock)(const struct files *files, int file);
    /* Opens, locked, but creates the file and missing parent directories; -EEXIST if it is there. Its name is durable
     * only after sync_name. */
    int (*create)(const struct files *files, const char *path, const struct new_file *new_file);
    /* Makes the file's name, and those of directories made for it, durable. */
    int (*sync_name)(const struct files *files, const char *path);
    /* Gives the file another name and makes missing folders above that. Replaces nothing but an empty file: -EEXIST. If both
     * are names of the same file, only the other one stays. Durable only after sync_name of both. -EXDEV: on another file
     * system. */
    int (*rename)(const struct files *files, const char *from, const char *to);
    /* Bytes written (may be short) or -errno. */
    int64_t (*write)(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset);
    /* Bytes read: short only at the end of the file. */
    int64_t (*read)(const struct files *files, int file, void *data, size_t bytes, uint64_t offset);
    int (*sync)(const struct files *files, int file);
    int (*truncate)(const struct files *files, int file, uint64_t bytes);
    int (*identity)(const struct files *files, int file, struct file_identity *identity);
    int (*identity_of_path)(const struct files *files, const char *path, struct file_identity *identity);
    int (*mark)(const struct files *files, int file, struct file_mark *mark);
    /* Without opening it: that, and closing it, would take from this process all the locks that it has on the file by
     * fcntl, whichever library took them. */
    int (*mark_of_path)(const struct files *files, const char *path, struct file_mark *mark);
    /* Where a file of this path is, or would be made. */
    int (*mount)(const struct files *files, const char *path, struct mount_identity *mount);
    /* Calls each(path) for every entry of the directory that the file of `path` is in, or would be, all links followed,
     * until it returns non-zero, which is then returned. */
    int (*list_siblings)(const struct files *files, const char *path, int (*each)(void *argument, const char *sibling),
                         void *argument);
    void (*close)(const struct files *files, int file);
};

/* The real file system. */
extern const struct files files_posix;

#endif
