/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `uring-poll`: as `uring`, but the leader polls the device for the completion instead of sleeping until its
 * interrupt. It needs a device with poll queues. By name only: it burns a processor while it waits.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "burstlog.h"
#include "device/host/sysfs.h"
#include "device/backend/uring.h"

static const struct device_ops uring_poll_ops = {
    .name = "uring-poll",
    .image = uring_image,
    .submit = uring_submit,
    .complete = uring_complete,
    .write = direct_write,
    .read = direct_read,
    .flush = direct_flush,
    .check = direct_check,
    .close = uring_close,
};

/*
 * Old kernels take IORING_SETUP_IOPOLL for a device without poll queues and wait for its interrupt all the same, new ones
 * refuse the write: so the device is asked first. 0, or -EOPNOTSUPP with a sentence.
 */
static int check_poll_queues(const struct device *device, const struct medium *medium) {
    struct stat status;
    char disk[PATH_MAX], line[16] = "", why[PATH_MAX + 96];
    snprintf(why, sizeof(why), "%s", "the device under it is not known to have poll queues");
    if (fstat(medium->fd, &status) == 0 &&
        sysfs_disk("", medium->is_file ? status.st_dev : status.st_rdev, disk) == 0) {
        sysfs_line(disk, "queue/io_poll", line, sizeof(line));
        snprintf(why, sizeof(why), "%s has no poll queues (queue/io_poll in /sys/block/%s is \"%s\")", sysfs_name(disk),
                 sysfs_name(disk), line);
    }
    if (strcmp(line, "1") == 0)
        return 0;
    return uring_refuse(device, EOPNOTSUPP, why,
                        "load its driver with some (nvme.poll_queues=N on the kernel's command "
                        "line)");
}

static int uring_poll_suits(const struct medium *medium) {
    (void)medium;
    return 0;
}

static struct device *uring_poll_attach(const struct platform *platform, const struct medium *medium,
                                        const char *path) {
    struct device described;
    device_describe(&described, BURST_IO_URING_POLL, &uring_poll_ops, platform, medium, path);
    if (check_poll_queues(&described, medium) < 0)
        return NULL;
    return uring_make(BURST_IO_URING_POLL, &uring_poll_ops, IORING_SETUP_IOPOLL, platform, medium, path);
}

const struct device_backend backend_uring_poll = {
    .io = BURST_IO_URING_POLL, .name = "uring-poll", .suits = uring_poll_suits, .attach = uring_poll_attach};
