/* SPDX-License-Identifier: Apache-2.0 */
#include "read/signed_expiry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

/* Whether the bundle is a full one in which no leaf has a text. */
static int has_no_act(const struct signed_files *files, uint64_t bundle) {
    char name[SIGNED_NAME_BYTES];
    struct stat status;
    signed_name("tile/entries", bundle, 0, "", name);
    return fstatat(files->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size == SIGNED_BUNDLE_BYTES;
}

/* Notes the payload files of which all leaves are in the act's range. An act is about leaves before itself alone, so there
 * are never more bits than leaves that exist. */
static int note(struct signed_expiry *expiry, const struct signed_files *files, const struct signed_leaf *act,
                uint64_t index) {
    uint64_t first, last;
    if (act->kind != SIGNED_EXPIRED || signed_leaf_number(act, "first", &first) < 0 ||
        signed_leaf_number(act, "last", &last) < 0) {
        return 0;
    }
    last = last < index ? last : index;
    const uint64_t begin = (first + SIGNED_FILE_LEAVES - 1) / SIGNED_FILE_LEAVES, end = (last + 1) / SIGNED_FILE_LEAVES;
    if (end > expiry->files) {
        uint8_t *bits = realloc(expiry->bits, end / 8 + 1);
        if (bits == NULL) {
            return error_set(ENOMEM, "no memory to read %s", files->path);
        }
        const uint64_t used = expiry->files == 0 ? 0 : expiry->files / 8 + 1;
        memset(bits + used, 0, end / 8 + 1 - used);
        expiry->bits = bits;
        expiry->files = end;
    }
    for (uint64_t file = begin; file < end; file++) {
        expiry->bits[file / 8] |= (uint8_t)(1u << file % 8);
    }
    return 0;
}

static int search(struct signed_expiry *expiry, struct signed_files *files) {
    uint64_t *const index = &expiry->searched;
    int rc = 0;
    while (rc == 0 && *index < files->size) {
        struct signed_leaf leaf;
        if (*index % SIGNED_WIDTH == 0 && files->size - *index >= SIGNED_WIDTH &&
            has_no_act(files, *index / SIGNED_WIDTH)) {
            *index += SIGNED_WIDTH;
            continue;
        }
        rc = signed_files_leaf(files, *index, &leaf);
        rc = rc < 0 ? rc : note(expiry, files, &leaf, *index);
        *index += rc == 0;
    }
    return rc;
}

int signed_expiry_has(struct signed_expiry *expiry, struct signed_files *files, uint64_t index) {
    const uint64_t file = index / SIGNED_FILE_LEAVES;
    const int rc = search(expiry, files);
    return rc < 0 ? rc : file < expiry->files && (expiry->bits[file / 8] >> file % 8 & 1) != 0;
}
