/* SPDX-License-Identifier: Apache-2.0 */
/* NVMe commands as the kernel's passthrough takes them. No I/O. */
#ifndef BURST_DEVICE_NVME_COMMAND_H
#define BURST_DEVICE_NVME_COMMAND_H

#include <liburing.h>
#include <linux/nvme_ioctl.h>
#include <stddef.h>
#include <stdint.h>

#define NVME_IDENTIFY_BYTES 4096u
#define NVME_WRITE 0x01u
#define NVME_READ 0x02u

/* A part of a namespace. */
struct nvme_place {
    uint32_t name_space;
    unsigned int lba_shift;
    uint64_t begin_bytes; /* where the part begins in the namespace */
    uint64_t bytes;       /* length of the part */
    int fua;              /* writes carry Force Unit Access: nothing volatile keeps them */
};

/* Fills a command that moves these bytes. Returns 0; -EINVAL if they are not whole blocks within the part: such a
 * command would hit the bytes beside it. */
int nvme_command_make(const struct nvme_place *place, unsigned int opcode, uint64_t offset, const void *data,
                      size_t bytes, struct nvme_uring_cmd *command);

/* Fills an entry of 128 bytes with the command, for the first of the registered files. */
void nvme_command_queue(struct io_uring_sqe *sqe, const struct nvme_uring_cmd *command);

/* Translates a completion's result, an errno or a status of the device: 0 or -errno. */
int nvme_command_meaning(int result);

/* Read the answers of the command identify. They return 0; -EOPNOTSUPP if the namespace keeps metadata beside its
 * blocks. */
int nvme_identified_shift(const uint8_t name_space[NVME_IDENTIFY_BYTES], unsigned int *lba_shift);
uint64_t nvme_identified_transfer(const uint8_t controller[NVME_IDENTIFY_BYTES]);

/* The most bytes that one command may move: whole blocks within all limits. */
size_t nvme_command_bytes(uint64_t identified, uint64_t of_driver, unsigned int lba_shift);

#endif
