/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 100000u
#define DIVERTED_ATTEMPTS 100u

static int is_same(const struct file_identity *one, const struct file_identity *other) {
    return one->device == other->device && one->inode == other->inode;
}

static int has_twin(const struct files *files, const char *name) {
    static const char *const suffixes[] = {".gz", ".zip", ".bz2", ".xz", ".zst", ".deflate", ".pack200"};
    char twin[LAYOUT_FILE_NAME_BYTES + 16];
    struct file_identity identity;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(twin, sizeof twin, "%s%s", name, suffixes[i]);
        if (files->ops->identity_of_path(files, twin, &identity) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether another file with content has the name, or its compressed twin exists. */
static int is_taken(const struct files *files, const struct file_identity *ours, const char *name) {
    struct file_identity named;
    const int rc = files->ops->identity_of_path(files, name, &named);
    if (rc == 0 && is_same(ours, &named)) {
        return 0; /* it has both names: a crash came in the middle of a rename */
    }
    return (rc == 0 && (!named.is_regular || named.bytes > 0)) || has_twin(files, name);
}

/* A file system may report a failure after success (NFS, when an answer was lost). Then the file has the name. */
static int rename_once(const struct files *files, const struct file_identity *ours, const char *path,
                       const char *name) {
    struct file_identity named;
    const int rc = files->ops->rename(files, path, name);
    if (rc == 0 || files->ops->identity_of_path(files, name, &named) < 0 || !is_same(ours, &named)) {
        return rc;
    }
    const int left = files->ops->identity_of_path(files, path, &named);
    return left == -ENOENT ? 0 : left == 0 && is_same(ours, &named) ? files->ops->rename(files, path, name) : rc;
}

int names_rename(const struct files *files, const char *path, const char *target, char name[LAYOUT_FILE_NAME_BYTES]) {
    struct file_identity ours;
    int rc = files->ops->identity_of_path(files, path, &ours);
    if (rc < 0) {
        return rc;
    }
    for (unsigned i = 0; i < NAMES_MAX; i++) {
        const int used = i == 0 ? snprintf(name, LAYOUT_FILE_NAME_BYTES, "%s", target)
                                : snprintf(name, LAYOUT_FILE_NAME_BYTES, "%s.%u", target, i);
        if (used >= (int)LAYOUT_FILE_NAME_BYTES) {
            return -ENAMETOOLONG;
        }
        rc = is_taken(files, &ours, name) ? -EEXIST : rename_once(files, &ours, path, name);
        if (rc != -EEXIST) {
            return rc < 0 ? rc : (int)i;
        }
    }
    return rc;
}

int names_sync(const struct files *files, const char *path, const char *target) {
    const int rc = files->ops->sync_name(files, path);
    const int other = rc < 0 || target[0] == '\0' ? 0 : files->ops->sync_name(files, target);
    return rc < 0 ? rc : other == -ENOENT || other == -ENOTDIR ? 0 : other;
}

int names_create_diverted(struct destination *destination, struct outlet_state *state, uint64_t sequence) {
    struct outlet_state diverted = *state;
    char path[LAYOUT_FILE_NAME_BYTES];
    int rc = -EEXIST;
    diverted.diverted_sequence = sequence;
    diverted.diverted_form = DIVERTED_BY_WORD;
    for (uint32_t attempt = 0; rc == -EEXIST && attempt < DIVERTED_ATTEMPTS; attempt++) {
        diverted.diverted_attempt = attempt;
        rc = outlet_state_file(&diverted, path, sizeof path);
        rc = rc < 0 ? rc : destination_create(destination, path);
    }
    if (rc == 0) {
        *state = diverted;
    }
    return rc;
}

int names_renew_diverted(const struct files *files, struct outlet_state *state, const char *path,
                         char name[LAYOUT_FILE_NAME_BYTES]) {
    int rc = -EEXIST;
    state->diverted_form = DIVERTED_BY_WORD;
    for (state->diverted_attempt = 0; rc == -EEXIST && state->diverted_attempt < DIVERTED_ATTEMPTS;) {
        rc = outlet_state_file(state, name, LAYOUT_FILE_NAME_BYTES);
        rc = rc < 0 ? rc : files->ops->rename(files, path, name);
        state->diverted_attempt += rc == -EEXIST;
    }
    return rc < 0 ? rc : files->ops->sync_name(files, name);
}
