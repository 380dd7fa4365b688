/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system of the log file. Nothing is durable before a sync: no page of data, no size and no name. A failed
 * sync marks the pages clean, so a second sync proves nothing about them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/simulator/log.h"

#define MOUNT_POINT "/logs"
#define ROOT_DEVICE 1u
#define LOGS_DEVICE 2u

static struct sim_files *files_of(const struct files *files) {
    return (struct sim_files *)files;
}

static unsigned page_of(size_t offset) {
    return (unsigned)(offset / SECTOR_BYTES);
}

static const char *follow(const struct sim_files *files, const char *name) {
    return files->link != NULL && strcmp(name, files->link) == 0 ? LINKED_FILE : name;
}

int sim_files_find(const struct sim_files *files, const char *name) {
    if (files->is_unmounted) {
        return -ENOENT;
    }
    name = follow(files, name);
    for (unsigned i = 0; i < FILES_MAX; i++) {
        if (files->names[i].name[0] != '\0' && strcmp(files->names[i].name, name) == 0) {
            return (int)files->names[i].inode;
        }
    }
    return -ENOENT;
}

void sim_names_apply(struct sim_name *names, const struct name_change *change) {
    struct sim_name *place = NULL;
    for (unsigned i = 0; i < FILES_MAX; i++) {
        if (change->removed[0] != '\0' && strcmp(names[i].name, change->removed) == 0) {
            names[i].name[0] = '\0';
        }
        if (names[i].name[0] == '\0' ? place == NULL : strcmp(names[i].name, change->added.name) == 0) {
            place = &names[i];
        }
    }
    if (change->added.name[0] != '\0') {
        *place = change->added;
    }
}

void sim_change_name(struct sim_files *files, const char *removed, const char *added, unsigned inode) {
    struct name_change *change = &files->changes[files->change_count++];
    memset(change, 0, sizeof *change);
    if (removed != NULL) {
        memcpy(change->removed, removed, strlen(removed) + 1);
    }
    if (added != NULL) {
        memcpy(change->added.name, added, strlen(added) + 1);
        change->added.inode = inode;
    }
    sim_names_apply(files->names, change);
    for (unsigned i = 0; i < files->inode_count; i++) {
        files->inodes[i].links = 0;
    }
    for (unsigned i = 0; i < FILES_MAX; i++) {
        files->inodes[files->names[i].inode].links += files->names[i].name[0] != '\0';
    }
}

void sim_change_size(struct sim_inode *inode, size_t size) {
    inode->size = size;
    if (inode->size_changes == SIZE_CHANGES_MAX) { /* keeps the newest sizes: fewer crash states, none of them wrong */
        memmove(inode->sizes, inode->sizes + 1, (SIZE_CHANGES_MAX - 1) * sizeof inode->sizes[0]);
        inode->size_changes--;
    }
    inode->sizes[inode->size_changes++] = size;
}

/* The world has no other folders. */
static int is_folder(const char *path) {
    return strcmp(path, "/") == 0 || strcmp(path, MOUNT_POINT) == 0 || strcmp(path, "/links") == 0;
}

static int sim_open(const struct files *files, const char *path) {
    const struct sim_files *sim = files_of(files);
    const int file = sim->is_dead ? -ENOTCONN : is_folder(path) ? -EISDIR : sim_files_find(sim, path);
    if (file >= 0 && sim->refused != NULL && file == sim_files_find(sim, sim->refused)) {
        return sim->refusal;
    }
    if (file >= 0 && sim->inodes[file].is_theirs && sim->inodes[file].size > 0 && sim->marks <= MARKS_BIRTH_TIMES) {
        violation(sim->world, "%s of others is opened: a lock that they have on it is lost when it is closed", path);
    }
    return file;
}

/* Takes the lowest inode number that is free: no name leads to it, also after a crash, and nobody has the file open. */
unsigned sim_take_inode(struct sim_files *files) {
    unsigned number = 0;
    while (number < files->inode_count &&
           (files->change_count > 0 || files->inodes[number].links > 0 || files->inodes[number].locked_by != 0)) {
        number++;
    }
    if (number == FILES_MAX) {
        abort();
    }
    struct sim_inode *inode = &files->inodes[number];
    const struct sim_inode before = *inode;
    if (number == files->inode_count) {
        files->inode_count++;
    } else {
        memset(before.cache, 0, FILE_BYTES_MAX);
        memset(before.durable, 0, FILE_BYTES_MAX);
    }
    *inode = (struct sim_inode){.generation = before.generation + 1, .cache = before.cache, .durable = before.durable};
    return number;
}

static int sim_lock(const struct files *files, int file) {
    struct sim_inode *inode = &files_of(files)->inodes[file];
    if (inode->locked_by != 0 && !files_of(files)->hides_locks) {
        return -EBUSY;
    }
    inode->locked_by = 1 + files_of(files)->world->process;
    return 0;
}

static int sim_create(const struct files *files, const char *path, const struct new_file *new_file) {
    struct sim_files *sim = files_of(files);
    (void)new_file;
    world_operation(sim->world, "create");
    if (sim->is_unmounted) {
        violation(sim->world, "I1: %s is begun below a mount point", path);
    }
    if (is_folder(path) || sim_files_find(sim, path) >= 0) {
        return -EEXIST;
    }
    if (sim->fail_names < 0) {
        return sim->fail_names;
    }
    if (sim->space_bytes == 0 || (sim->stalled != NULL && strcmp(path, sim->stalled) == 0)) {
        return -ENOSPC;
    }
    if (strlen(path) >= FILE_NAME_MAX) {
        return -ENAMETOOLONG;
    }
    if (sim->change_count == NAME_CHANGES_MAX) {
        abort();
    }
    const unsigned inode = sim_take_inode(sim);
    sim_change_name(sim, NULL, follow(sim, path), inode);
    sim->inodes[inode].locked_by = 1 + sim->world->process;
    return (int)inode;
}

void sim_sync_names(struct sim_files *files) {
    memcpy(files->durable_names, files->names, sizeof files->names);
    files->change_count = 0;
}

/* Whether the name stands in the folder of `path`. */
static int is_beside(const char *name, const char *path) {
    const size_t folder_bytes = (size_t)(strrchr(path, '/') - path) + 1;
    return strncmp(name, path, folder_bytes) == 0 && strchr(name + folder_bytes, '/') == NULL;
}

/* The sync of a folder promises its own names alone. A rename is one change, of both folders. */
static int sim_sync_name(const struct files *files, const char *path) {
    struct sim_files *sim = files_of(files);
    unsigned left = 0;
    world_operation(sim->world, "sync of the directory");
    path = follow(sim, path);
    for (unsigned i = 0; i < sim->change_count; i++) {
        const struct name_change change = sim->changes[i];
        if (is_beside(change.removed, path) || is_beside(change.added.name, path)) {
            sim_names_apply(sim->durable_names, &change);
        } else {
            sim->changes[left++] = change;
        }
    }
    sim->change_count = left;
    return 0;
}

static int sim_rename(const struct files *files, const char *from, const char *to) {
    struct sim_files *sim = files_of(files);
    world_operation(sim->world, "rename of the log file");
    const int inode = sim_files_find(sim, from), taken = sim_files_find(sim, to);
    if (inode < 0 || (taken >= 0 && taken != inode && sim->inodes[taken].size > 0)) {
        return inode < 0 ? inode : -EEXIST;
    }
    if (sim->fail_names < 0) {
        return sim->fail_names;
    }
    if (strlen(to) >= FILE_NAME_MAX) {
        return -ENAMETOOLONG;
    }
    if (sim->change_count == NAME_CHANGES_MAX) {
        abort();
    }
    memcpy(sim->inodes[inode].renamed_from, from, strlen(from) + 1);
    sim_change_name(sim, follow(sim, from), to, (unsigned)inode);
    return 0;
}

int sim_is_archived(const struct sim_files *files, const struct sim_inode *inode) {
    return inode->renamed_from[0] != '\0' && sim_files_find(files, inode->renamed_from) != inode - files->inodes;
}

static void check_not_archived(const struct sim_files *sim, int file, const char *what) {
    if (sim_is_archived(sim, &sim->inodes[file])) {
        violation(sim->world, "I9: what was %s is %s after it was renamed", sim->inodes[file].renamed_from, what);
    }
}

void sim_put(struct sim_inode *inode, const void *data, size_t bytes, size_t offset) {
    if (offset + bytes > FILE_BYTES_MAX) {
        abort();
    }
    memcpy(inode->cache + offset, data, bytes);
    for (unsigned page = page_of(offset); bytes > 0 && page <= page_of(offset + bytes - 1); page++) {
        inode->dirty[page] = 1;
    }
    if (offset + bytes > inode->size) {
        sim_change_size(inode, offset + bytes);
    }
}

/* Lets others act when their count is over; never in a world that a crash made. */
static void let_others_act(struct sim_files *sim, int *in) {
    if (sim->world->level == 0 && *in >= 0 && --*in < 0) {
        sim->others(sim->world);
    }
}

static int64_t sim_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    struct sim_files *sim = files_of(files);
    let_others_act(sim, &sim->others_before_write_in);
    world_operation(sim->world, "write of the log file");
    check_not_archived(sim, file, "written");
    if (sim->stalled != NULL && sim_files_find(sim, sim->stalled) == file) {
        return -ENOSPC;
    }
    if (sim->write_at_most != 0 && bytes > sim->write_at_most) {
        bytes = sim->write_at_most;
    }
    if (sim->space_bytes >= 0 && (int64_t)bytes > sim->space_bytes) {
        bytes = (size_t)sim->space_bytes;
        if (bytes == 0) {
            return -ENOSPC;
        }
    }
    sim->space_bytes -= sim->space_bytes >= 0 ? (int64_t)bytes : 0;
    sim->inodes[file].is_theirs &= sim->inodes[file].size > 0; /* others left an empty file for the log */
    if (sim->inodes[file].size == 0) {
        sim->inodes[file].begun = ++sim->begun_count;
    }
    sim_put(&sim->inodes[file], data, bytes, (size_t)offset);
    let_others_act(sim, &sim->others_after_write_in);
    return (int64_t)bytes;
}

static int64_t sim_read(const struct files *files, int file, void *data, size_t bytes, uint64_t offset) {
    const struct sim_inode *inode = &files_of(files)->inodes[file];
    if (files_of(files)->fail_reads < 0) {
        return files_of(files)->fail_reads;
    }
    if (offset >= inode->size) {
        return 0;
    }
    const size_t left = inode->size - (size_t)offset;
    bytes = bytes < left ? bytes : left;
    memcpy(data, inode->cache + offset, bytes);
    return (int64_t)bytes;
}

size_t sim_inode_extent(const struct sim_inode *inode) {
    size_t bytes = inode->size > inode->durable_size ? inode->size : inode->durable_size;
    for (unsigned i = 0; i < inode->size_changes; i++) {
        bytes = inode->sizes[i] > bytes ? inode->sizes[i] : bytes;
    }
    return align_up(bytes, SECTOR_BYTES);
}

int sim_foreign_is_whole(const struct sim_inode *inode) {
    return inode->foreign == NULL ||
           memcmp(inode->cache + inode->foreign_at, inode->foreign, strlen(inode->foreign)) == 0;
}

static void make_page_durable(struct sim_inode *inode, unsigned page) {
    memcpy(inode->durable + page * SECTOR_BYTES, inode->cache + page * SECTOR_BYTES, SECTOR_BYTES);
}

static int sim_sync(const struct files *files, int file) {
    struct sim_files *sim = files_of(files);
    struct sim_inode *inode = &sim->inodes[file];
    world_operation(sim->world, "sync of the log file");
    if (sim->is_dead) {
        return -ENOTCONN;
    }
    const int fails = sim->fail_sync_in == 0;
    const size_t extent = sim_inode_extent(inode);
    sim->world->copy.may_go_back |= fails;
    sim->fail_sync_in -= sim->fail_sync_in >= 0;
    for (unsigned page = 0; page < page_of(extent); page++) {
        if (inode->dirty[page] && (!fails || world_random(sim->world, 2))) {
            make_page_durable(inode, page);
        }
        inode->dirty[page] = 0;
    }
    if (!fails) {
        inode->durable_size = inode->size;
        inode->size_changes = 0;
        memset(inode->durable + inode->size, 0, extent - inode->size);
    }
    return fails ? -EIO : 0;
}

void sim_cut(struct sim_inode *inode, size_t bytes) {
    if (bytes < inode->size) {
        memset(inode->cache + bytes, 0, inode->size - bytes);
        for (unsigned page = page_of(bytes); page <= page_of(inode->size - 1); page++) {
            inode->dirty[page] = 1;
        }
    }
    sim_change_size(inode, bytes);
}

static int sim_truncate(const struct files *files, int file, uint64_t bytes) {
    struct sim_files *sim = files_of(files);
    world_operation(sim->world, "truncation of the log file");
    check_not_archived(sim, file, "cut");
    if (sim->fail_truncate) {
        return -EIO;
    }
    sim_cut(&sim->inodes[file], (size_t)bytes);
    return 0;
}

static int sim_identity(const struct files *files, int file, struct file_identity *identity) {
    const struct sim_inode *inode = &files_of(files)->inodes[file];
    *identity = (struct file_identity){.device = LOGS_DEVICE,
                                       .inode = (uint64_t)file + 2,
                                       .links = inode->links,
                                       .bytes = inode->size,
                                       .is_regular = 1};
    return files_of(files)->is_dead ? -ENOTCONN : 0;
}

static int sim_mark(const struct files *files, int file, struct file_mark *mark) {
    const struct sim_files *sim = files_of(files);
    const unsigned generation = sim->inodes[file].generation;
    *mark = (struct file_mark){.inode = (uint64_t)file + 2};
    if (sim->marks == MARKS_HANDLES) {
        mark->handle_type = 1;
        mark->handle_bytes = 8;
        mark->handle_crc = 1000 * (uint32_t)mark->inode + generation;
    } else if (sim->marks == MARKS_BIRTH_TIMES) {
        mark->born_ns = generation;
    } else if (sim->marks == MARKS_OF_EACH_MOUNT) {
        mark->inode += 1000u * sim->world->model.incarnation;
    }
    return 0;
}

static int sim_mark_of_path(const struct files *files, const char *path, struct file_mark *mark) {
    const int inode = files_of(files)->is_dead ? -ENOTCONN
                      : is_folder(path)        ? -EISDIR
                                               : sim_files_find(files_of(files), path);
    return inode < 0 ? inode : sim_mark(files, inode, mark);
}

static int sim_identity_of_path(const struct files *files, const char *path, struct file_identity *identity) {
    if (is_folder(path)) {
        const int is_root = path[1] == '\0' || files_of(files)->is_unmounted;
        *identity = (struct file_identity){
            .device = is_root ? ROOT_DEVICE : LOGS_DEVICE, .inode = 1, .links = 1, .bytes = 4096};
        return 0;
    }
    const int inode = files_of(files)->is_dead ? -ENOTCONN : sim_files_find(files_of(files), path);
    return inode < 0 ? inode : sim_identity(files, inode, identity);
}

static int sim_mount(const struct files *files, const char *path, struct mount_identity *mount) {
    (void)path;
    *mount =
        (struct mount_identity){.folder = MOUNT_POINT, .device = LOGS_DEVICE, .entry_bytes = sizeof MOUNT_POINT - 1};
    if (files_of(files)->is_unmounted) {
        mount->device = ROOT_DEVICE;
        mount->entry_bytes = 0;
    }
    return 0;
}

static int sim_list_siblings(const struct files *files, const char *path,
                             int (*each)(void *argument, const char *sibling), void *argument) {
    const struct sim_files *sim = files_of(files);
    path = follow(sim, path);
    const size_t folder_bytes = (size_t)(strrchr(path, '/') - path) + 1;
    int rc = 0;
    for (unsigned i = 0; i < FILES_MAX && rc == 0 && !sim->is_unmounted; i++) {
        if (strncmp(sim->names[i].name, path, folder_bytes) == 0 && !sim_is_index(sim->names[i].name)) {
            rc = each(argument, sim->names[i].name);
        }
    }
    return rc;
}

static void sim_close(const struct files *files, int file) {
    files_of(files)->inodes[file].locked_by = 0;
}

static const struct files_ops sim_files_ops = {
    .open = sim_open,
    .lock = sim_lock,
    .create = sim_create,
    .sync_name = sim_sync_name,
    .rename = sim_rename,
    .write = sim_write,
    .read = sim_read,
    .sync = sim_sync,
    .truncate = sim_truncate,
    .identity = sim_identity,
    .identity_of_path = sim_identity_of_path,
    .mark = sim_mark,
    .mark_of_path = sim_mark_of_path,
    .mount = sim_mount,
    .list_siblings = sim_list_siblings,
    .close = sim_close,
};

void sim_files_init(struct world *world) {
    world->files.files.ops = &sim_files_ops;
    world->files.world = world;
    for (unsigned i = 0; i < FILES_MAX; i++) {
        world->files.inodes[i].cache = calloc(1, FILE_BYTES_MAX);
        world->files.inodes[i].durable = calloc(1, FILE_BYTES_MAX);
    }
}
