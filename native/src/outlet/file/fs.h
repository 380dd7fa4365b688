/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system as the drain sees it. It is a table, so that a test can put a simulated one in its place. Functions
 * return 0 or a count, or a negative errno. They set no sentence, since the caller knows what it was doing.
 */
#ifndef BURST_OUTLET_FILE_FS_H
#define BURST_OUTLET_FILE_FS_H

#include <stddef.h>
#include <stdint.h>

struct file_identity {
    uint64_t device;
    uint64_t inode;
    uint64_t links; /* 0: the file is deleted */
    uint64_t bytes; /* its size */
    uint64_t is_regular;
};

/*
 * The mark of a file: signs by which it is known under any name, after a remount and a restart of the host. Handle and
 * birth time are 0 if its file system has none, or none that stay.
 */
struct file_mark {
    uint64_t file_system; /* a number of the file system that stays over mounts, or 0 */
    uint64_t inode;       /* 0: nothing is known of the file */
    int64_t born_ns;
    uint32_t handle_type;
    uint32_t handle_bytes;
    uint32_t handle_crc; /* CRC32C of the handle; a file system gives the same handle to no second file */
    uint32_t reserved;   /* 0 */
};

enum file_match {
    FILE_OTHER,
    FILE_SAME,
    FILE_UNKNOWN, /* another inode number, on a file system that may number its files anew */
};

/* Whether the seen file is the noted one. A handle decides. Without handles, inode number and birth time decide:
 * another birth time means another file, but another number alone may be a new numbering. Without birth times the inode
 * number decides, but another file may have got it: then the bytes must prove it. */
enum file_match file_mark_compare(const struct file_mark *noted, const struct file_mark *seen);

struct mount_identity {
    char folder[4096];    /* folder of the path's file, existing or not, without a link in it; "": unknown */
    uint64_t device;      /* device of that folder, or of the nearest existing one above it */
    uint64_t file_system; /* a number of the file system that stays over mounts, or 0 */
    /* Length of the part of the path that leads onto that file system; 0: it is the root's, or nobody would miss its
     * content. */
    uint32_t entry_bytes;
};

struct new_file {
    uint32_t mode; /* 0: 0666 less the umask, or usual_mode */
    /* With mode 0: what the umask of another process leaves of 0666. 0: the umask of this process counts. A default ACL
     * of the folder counts more than both, as the kernel has it. */
    uint32_t usual_mode;
    const char *owner; /* NULL: unchanged */
    const char *group;
};

struct files {
    const struct files_ops *ops;
};

struct files_ops {
    /* Opens the file for reading and writing. -ENOENT: there is none. */
    int (*open)(const struct files *files, const char *path);
    /* Locks the open file against other writers until it is closed. -EBUSY: another process holds it. */
    int (*lock)(const struct files *files, int file);
    /* Creates the file and missing folders above it, and opens it, locked. -EEXIST: it exists. The name is durable only
     * after sync_name. */
    int (*create)(const struct files *files, const char *path, const struct new_file *new_file);
    /* Makes the file's name durable, and the names of folders made for it. */
    int (*sync_name)(const struct files *files, const char *path);
    /* Gives the file another name, and makes missing folders above that. Replaces only an empty file; otherwise
     * -EEXIST. If both names lead to the same file, only the new one stays. The rename is durable only after sync_name
     * of both names. -EXDEV: the name is on another file system. */
    int (*rename)(const struct files *files, const char *from, const char *to);
    /* Returns how many bytes were written, perhaps fewer than given, or -errno. */
    int64_t (*write)(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset);
    /* Returns how many bytes were read, fewer than asked only at the end of the file, or -errno. */
    int64_t (*read)(const struct files *files, int file, void *data, size_t bytes, uint64_t offset);
    int (*sync)(const struct files *files, int file);
    int (*truncate)(const struct files *files, int file, uint64_t bytes);
    int (*identity)(const struct files *files, int file, struct file_identity *identity);
    int (*identity_of_path)(const struct files *files, const char *path, struct file_identity *identity);
    int (*mark)(const struct files *files, int file, struct file_mark *mark);
    /* Gets the mark without opening the file: closing it again would drop all fcntl locks of this process on the file,
     * even those of other libraries. */
    int (*mark_of_path)(const struct files *files, const char *path, struct file_mark *mark);
    /* Tells where a file of this path is, or would be made. */
    int (*mount)(const struct files *files, const char *path, struct mount_identity *mount);
    /* Calls each(path) for each entry in the folder of the file `path`, all links followed, until a call returns
     * non-zero. Returns that value. */
    int (*list_siblings)(const struct files *files, const char *path, int (*each)(void *argument, const char *sibling),
                         void *argument);
    void (*close)(const struct files *files, int file);
};

/* The real file system. */
extern const struct files files_posix;

#endif
