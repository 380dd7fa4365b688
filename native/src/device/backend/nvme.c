/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `nvme`: writes go past the block layer as NVMe commands, through the generic character device of the
 * namespace (/dev/ngXnY). If the device refuses a command, its own status comes back. The block device still serves
 * opening, locking, reading, and the writes of checkpoints. The backend is taken by name only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "device/backend/nvme_command.h"
#include "device/backend/nvme_node.h"
#include "device/backend/uring_queue.h"

#define IDENTIFY 0x06
#define OF_NAMESPACE 0
#define OF_CONTROLLER 1

struct nvme {
    struct uring uring; /* must be the first member */
    struct nvme_place place;
    int node; /* descriptor of the character device */
};

static struct nvme *of(struct device *device) {
    return (struct nvme *)device;
}

static void prepare_write(struct uring *uring, struct io_uring_sqe *sqe, uint64_t offset, const void *data,
                          size_t bytes) {
    struct nvme *nvme = (struct nvme *)uring;
    struct nvme_uring_cmd command;
    /* nvme_submit has already checked the whole range. */
    nvme_command_make(&nvme->place, NVME_WRITE, offset, data, bytes, &command);
    nvme_command_queue(sqe, &command);
}

static int meaning_of_command(const struct uring *uring, int result, size_t bytes) {
    (void)uring, (void)bytes;
    return nvme_command_meaning(result);
}

static void nvme_submit(struct device *device, struct device_write *write) {
    const struct nvme_place *place = &of(device)->place;
    if (write->bytes == 0 || (write->offset | write->bytes) % (1ull << place->lba_shift) != 0 ||
        write->offset > place->bytes || write->bytes > place->bytes - write->offset)
        direct_done(direct_of(device), write, -EINVAL);
    else
        uring_submit(device, write);
}

static void nvme_close(struct device *device) {
    uring_queue_close(uring_of(device));
    close(of(device)->node);
    direct_end(direct_of(device));
    free(device);
}

static const struct device_ops nvme_ops = {
    .name = "nvme",
    .image = direct_image,
    .submit = nvme_submit,
    .complete = uring_complete,
    .write = direct_write,
    .read = direct_read,
    .flush = direct_flush,
    .check = direct_check,
    .close = nvme_close,
};

static int refuse(const struct nvme *nvme, int failure, const char *format, const char *what) {
    char why[256];
    snprintf(why, sizeof(why), format, what);
    return uring_refuse(&nvme->uring.direct.device, failure, why, "use an NVMe namespace of a kernel since 5.19");
}

static int open_node(struct nvme *nvme, struct nvme_node *node) {
    const struct medium *medium = &nvme->uring.direct.medium;
    struct stat status;
    if (medium->is_file || fstat(medium->fd, &status) < 0)
        return refuse(nvme, ENODEV, "%s is no block device", "it");
    const int result = nvme_node_find("", status.st_rdev, node);
    if (result < 0)
        return refuse(nvme, -result, "%s",
                      result == -ENXIO ? "the namespace has no generic character device"
                                       : "the device is no NVMe namespace");
    char path[64];
    snprintf(path, sizeof(path), "/dev/%s", node->name);
    nvme->node = open(path, O_RDWR | O_CLOEXEC);
    if (nvme->node < 0)
        return refuse(nvme, errno, "its character device in /dev cannot be opened: %s", error_name(errno));
    if (fstat(nvme->node, &status) < 0 || !S_ISCHR(status.st_mode) || status.st_rdev != node->number)
        return refuse(nvme, ENODEV, "%s is another device than /sys says", path);
    return 0;
}

static int identify(const struct nvme *nvme, uint32_t of_what, uint8_t *answer) {
    struct nvme_admin_cmd command = {
        .opcode = IDENTIFY,
        .nsid = of_what == OF_NAMESPACE ? nvme->place.name_space : 0,
        .addr = (uint64_t)(uintptr_t)answer,
        .data_len = NVME_IDENTIFY_BYTES,
        .cdw10 = of_what,
    };
    const int result = ioctl(nvme->node, NVME_IOCTL_ADMIN_CMD, &command);
    if (result == 0)
        return 0;
    const int failure = result > 0 ? EIO : errno;
    return refuse(nvme, failure, "the command identify gives %s", error_name(failure));
}

/* Finds where the ring lies in the namespace, and how much one command carries. */
static int find_place(struct nvme *nvme, const struct nvme_node *node) {
    const struct medium *medium = &nvme->uring.direct.medium;
    const int name_space = ioctl(nvme->node, NVME_IOCTL_ID);
    if (name_space <= 0)
        return refuse(nvme, errno, "its character device does not tell the namespace: %s", error_name(errno));
    nvme->place = (struct nvme_place){.name_space = (uint32_t)name_space,
                                      .begin_bytes = node->begin_bytes,
                                      .bytes = medium->bytes,
                                      .fua = !medium->facts.write_through};
    uint8_t *answer = platform_allocate(nvme->uring.direct.device.platform, NVME_IDENTIFY_BYTES, PLATFORM_PLAIN);
    if (answer == NULL)
        return refuse(nvme, ENOMEM, "there is no memory for what it tells of itself%s", "");
    uint64_t transfer = 0;
    int result = identify(nvme, OF_CONTROLLER, answer);
    if (result == 0) {
        transfer = nvme_identified_transfer(answer);
        result = identify(nvme, OF_NAMESPACE, answer);
    }
    if (result == 0 && (nvme_identified_shift(answer, &nvme->place.lba_shift) < 0 ||
                        1u << nvme->place.lba_shift != medium->logical_block_bytes))
        result = refuse(nvme, EOPNOTSUPP, "%s", "its blocks carry metadata, or are not those of the block device");
    platform_release(nvme->uring.direct.device.platform, answer, NVME_IDENTIFY_BYTES);
    nvme->uring.command_bytes = nvme_command_bytes(transfer, node->transfer_bytes, nvme->place.lba_shift);
    return result;
}

/* Reads one block by a command, in the way in which each write will go. */
static int try_read(struct nvme *nvme) {
    const struct platform *platform = nvme->uring.direct.device.platform;
    const size_t bytes = 1ull << nvme->place.lba_shift;
    void *block = platform_allocate(platform, bytes, PLATFORM_PLAIN);
    struct nvme_uring_cmd command;
    int result = block == NULL ? -ENOMEM : nvme_command_make(&nvme->place, NVME_READ, 0, block, bytes, &command);
    if (result == 0) {
        nvme_command_queue(io_uring_get_sqe(&nvme->uring.ring), &command);
        result = nvme_command_meaning(uring_run_alone(&nvme->uring));
    }
    platform_release(platform, block, bytes);
    return result == 0 ? 0 : refuse(nvme, -result, "a read through it gives %s", error_name(result));
}

static int set_up(struct nvme *nvme) {
    struct nvme_node node;
    int result = open_node(nvme, &node);
    result = result < 0 ? result : find_place(nvme, &node);
    result = result < 0 ? result : uring_queue_open(&nvme->uring, IORING_SETUP_SQE128 | IORING_SETUP_CQE32);
    if (result < 0)
        return result;
    /* Commands go to the node. The block device is registered too, so that its lock stays until the last command has
     * ended. */
    const int files[] = {nvme->node, nvme->uring.direct.medium.fd};
    result = io_uring_register_files(&nvme->uring.ring, files, 2);
    if (result < 0)
        return refuse(nvme, -result, "io_uring cannot keep it locked until its commands have ended: %s",
                      error_name(result));
    nvme->uring.file_is_registered = 1;
    return try_read(nvme);
}

static int nvme_suits(const struct medium *medium) {
    (void)medium;
    return 0;
}

static struct device *nvme_attach(const struct platform *platform, const struct medium *medium, const char *path) {
    struct nvme *nvme = calloc(1, sizeof(*nvme));
    if (nvme == NULL) {
        error_set(errno = ENOMEM, "no memory to open %s", path);
        return NULL;
    }
    direct_begin(&nvme->uring.direct, DEVICE_IO_NVME, &nvme_ops, platform, medium, path);
    nvme->uring.direct.device.write_depth = URING_DEPTH;
    nvme->uring.prepare = prepare_write;
    nvme->uring.meaning = meaning_of_command;
    nvme->node = -1;
    const int result = set_up(nvme);
    if (result < 0) {
        uring_queue_close(&nvme->uring);
        if (nvme->node >= 0)
            close(nvme->node);
        free(nvme);
        errno = -result;
        return NULL;
    }
    return &nvme->uring.direct.device;
}

const struct device_backend backend_nvme = {
    .io = DEVICE_IO_NVME, .name = "nvme", .suits = nvme_suits, .attach = nvme_attach};
