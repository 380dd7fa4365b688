/* SPDX-License-Identifier: Apache-2.0 */
/* Acts of other processes: on the log file, and beside it. */
#include <string.h>

#include "base/crc32c.h"
#include "harness/simulator/log.h"

void others_unmount(struct world *world) {
    world->files.is_unmounted = 1;
}

void others_mount(struct world *world) {
    world->files.is_unmounted = 0;
}

void others_rename(struct world *world, const char *from, const char *to) {
    const int inode = sim_files_find(&world->files, from);
    if (inode >= 0) { /* else the log has not begun a file of that name yet */
        sim_change_name(&world->files, from, to, (unsigned)inode);
    }
}

void others_delete(struct world *world, const char *name) {
    sim_change_name(&world->files, name, NULL, 0);
}

void others_write(struct world *world, const char *name, const char *text) {
    struct sim_files *files = &world->files;
    if (sim_files_find(files, name) < 0) {
        sim_change_name(files, NULL, name, sim_take_inode(files));
    }
    struct sim_inode *inode = &files->inodes[sim_files_find(files, name)];
    inode->edited = 1;
    inode->foreign = text;
    inode->foreign_at = inode->size;
    sim_put(inode, text, strlen(text), inode->size);
}

static struct sim_inode *inode_of(struct world *world, const char *name) {
    const int inode = sim_files_find(&world->files, name);
    if (inode < 0) {
        violation(world, "the scenario wants %s, and there is none", name);
    }
    return &world->files.inodes[inode];
}

void others_truncate(struct world *world, const char *name, size_t bytes) {
    struct sim_inode *inode = inode_of(world, name);
    inode->edited = 1;
    inode->foreign = NULL;
    sim_cut(inode, bytes);
}

static void put_theirs(struct world *world, const char *name, const void *data, size_t bytes) {
    struct sim_files *files = &world->files;
    sim_sync_names(files);
    const unsigned number = sim_take_inode(files);
    struct sim_inode *inode = &files->inodes[number];
    sim_change_name(files, NULL, name, number);
    sim_sync_names(files);
    memcpy(inode->cache, data, bytes);
    memcpy(inode->durable, data, bytes);
    inode->size = inode->durable_size = bytes;
    inode->is_theirs = 1;
    inode->their_crc = crc32c(0, data, bytes);
}

void others_copy(struct world *world, const char *from, const char *to) {
    const struct sim_inode *inode = &world->files.inodes[sim_files_find(&world->files, from)];
    put_theirs(world, to, inode->cache, inode->size);
}

void others_put(struct world *world, const char *name, const char *text) {
    put_theirs(world, name, text, strlen(text));
}

void others_put_bytes(struct world *world, const char *name, const void *bytes, size_t count) {
    put_theirs(world, name, bytes, count);
}

void others_truncate_and_extend(struct world *world, const char *name, size_t bytes) {
    struct sim_inode *inode = inode_of(world, name);
    const size_t size = inode->size;
    others_truncate(world, name, bytes);
    sim_change_size(inode, size);
}

void others_edit(struct world *world, const char *name, size_t end, const char *text) {
    struct sim_inode *inode = inode_of(world, name);
    inode->edited = 1;
    inode->foreign = text;
    inode->foreign_at = end - strlen(text);
    sim_put(inode, text, strlen(text), inode->foreign_at);
}
