/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/libblkid.h"
#include "device/ring_name.h"

#define FOUND 0 /* blkid_do_probe returns this for a find, and 1 at the end */

static int looking_failed(const char *path, int failure) {
    failure = failure == 0 ? EIO : failure;
    return error_set(failure, "searching %s for file systems and partition tables failed: %s; it is left as it is",
                     path, error_name(failure));
}

/* Opens the medium once more, since the descriptor of the device takes only whole blocks. */
static int open_medium(const struct device *device, int flags) {
    const int fd = device_open_again(device, flags);
    return fd < 0 ? looking_failed(device->path, -fd) : fd;
}

/* Whether it is a DAX character device: it can be mapped and not read, so that no file system or partition table is
 * ever found on it. */
static int is_mapped_only(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
}

/* Begins a probe that returns one signature after the other. Returns NULL with a sentence after an error. */
static blkid_probe begin_probe(const struct libblkid *blkid, const char *path, int fd) {
    errno = 0;
    blkid_probe probe = blkid->blkid_new_probe();
    if (probe != NULL && blkid->blkid_probe_set_device(probe, fd, 0, 0) == 0) {
        blkid->blkid_probe_enable_superblocks(probe, 1);
        blkid->blkid_probe_set_superblocks_flags(probe, LIBBLKID_SUPERBLOCKS_TYPE | LIBBLKID_SUPERBLOCKS_LABEL |
                                                            LIBBLKID_SUPERBLOCKS_UUID | LIBBLKID_SUPERBLOCKS_MAGIC);
        blkid->blkid_probe_enable_partitions(probe, 1);
        blkid->blkid_probe_set_partitions_flags(probe, LIBBLKID_PARTITIONS_FORCE_GPT | LIBBLKID_PARTITIONS_MAGIC);
        return probe;
    }
    looking_failed(path, errno);
    if (probe != NULL)
        blkid->blkid_free_probe(probe);
    return NULL;
}

static void describe_signature(const struct libblkid *blkid, blkid_probe probe, char *text, size_t text_bytes) {
    const char *type = NULL, *label = NULL, *uuid = NULL;
    const size_t used = strlen(text);
    const int is_table = blkid->blkid_probe_lookup_value(probe, "TYPE", &type, NULL) < 0 &&
                         blkid->blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL) == 0;
    blkid->blkid_probe_lookup_value(probe, "LABEL", &label, NULL);
    blkid->blkid_probe_lookup_value(probe, is_table ? "PTUUID" : "UUID", &uuid, NULL);
    snprintf(text + used, text_bytes - used, "%s%s%s%s%s%s%s%s%s", used > 0 ? ", " : "",
             is_table ? "a partition table " : "", type == NULL ? "(unnamed)" : type,
             label != NULL ? " labelled \"" : "", label != NULL ? label : "", label != NULL ? "\"" : "",
             uuid != NULL ? " (UUID " : "", uuid != NULL ? uuid : "", uuid != NULL ? ")" : "");
}

int signature_find(const struct device *device, char *text, size_t text_bytes) {
    const char *path = device->path;
    text[0] = '\0';
    const struct libblkid *blkid = libblkid_load(path);
    const int fd = blkid == NULL ? -ENOPKG : open_medium(device, O_RDONLY);
    if (fd < 0)
        return fd;
    if (is_mapped_only(fd)) {
        close(fd);
        return 0;
    }
    blkid_probe probe = begin_probe(blkid, path, fd);
    int result = probe == NULL ? -EIO : FOUND;
    while (result == FOUND) {
        result = blkid->blkid_do_probe(probe);
        if (result == FOUND)
            describe_signature(blkid, probe, text, text_bytes);
        else if (result < 0)
            result = looking_failed(path, errno);
    }
    if (probe != NULL)
        blkid->blkid_free_probe(probe);
    close(fd);
    return result < 0 ? result : 0;
}

int signature_wipe(const struct device *device) {
    const char *path = device->path;
    const struct libblkid *blkid = libblkid_load(path);
    const int fd = blkid == NULL ? -ENOPKG : open_medium(device, O_RDWR);
    if (fd < 0)
        return fd;
    blkid_probe probe = begin_probe(blkid, path, fd);
    int result = probe == NULL ? -EIO : FOUND;
    while (result == FOUND) {
        result = blkid->blkid_do_probe(probe);
        if (result < 0)
            result = looking_failed(path, errno);
        else if (result == FOUND && blkid->blkid_do_wipe(probe, 0) < 0)
            result = error_set(EIO, "removing the old signatures from %s failed: `wipefs %s` shows them", path, path);
    }
    if (probe != NULL)
        blkid->blkid_free_probe(probe);
    if (result >= 0 && fsync(fd) < 0)
        result =
            error_set(errno, "removing the old signatures from %s failed at its sync: %s", path, error_name(errno));
    close(fd);
    return result < 0 ? result : 0;
}
