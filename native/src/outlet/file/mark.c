/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/fs.h"

static int is_same_number(const struct file_mark *noted, const struct file_mark *seen) {
    return noted->inode == seen->inode &&
           (noted->file_system == 0 || seen->file_system == 0 || noted->file_system == seen->file_system);
}

enum file_match file_mark_compare(const struct file_mark *noted, const struct file_mark *seen) {
    if (noted->inode == 0) {
        return FILE_UNKNOWN;
    }
    const int same = is_same_number(noted, seen);
    /* Another type of handle means another way of making it: by another kernel, or with other mount options. */
    if (noted->handle_bytes != 0 && seen->handle_bytes != 0 && noted->handle_type == seen->handle_type) {
        return same && noted->handle_bytes == seen->handle_bytes && noted->handle_crc == seen->handle_crc ? FILE_SAME
                                                                                                          : FILE_OTHER;
    }
    if (noted->born_ns != 0 && seen->born_ns != 0 && noted->born_ns != seen->born_ns) {
        return FILE_OTHER;
    }
    return same ? FILE_SAME : FILE_UNKNOWN;
}
