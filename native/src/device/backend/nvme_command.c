/* SPDX-License-Identifier: Apache-2.0 */
#include "device/backend/nvme_command.h"

#include <errno.h>
#include <string.h>

#define FORCE_UNIT_ACCESS (1u << 30) /* of command dword 12 */
#define BLOCKS_MAX 65536u            /* a 16-bit count, less one */
#define TIMEOUT_OF_DRIVER 0u
#define LEAST_PAGE_SHIFT 12 /* the unit of the controller's limit: 4096 bytes on all hosts we know */
#define LARGEST_COMMAND_BYTES (1ull << 30)

/* Offsets in what identify gives. */
#define NAMESPACE_FORMATTED_SIZE 26
#define NAMESPACE_FORMATS 128
#define CONTROLLER_TRANSFER_SIZE 77

int nvme_command_make(const struct nvme_place *place, unsigned int opcode, uint64_t offset, const void *data,
                      size_t bytes, struct nvme_uring_cmd *command) {
    const uint64_t block = 1ull << place->lba_shift;
    if (bytes == 0 || bytes / block > BLOCKS_MAX || (offset | bytes | place->begin_bytes) % block != 0 ||
        offset > place->bytes || bytes > place->bytes - offset)
        return -EINVAL;
    const uint64_t first = (place->begin_bytes + offset) >> place->lba_shift;
    memset(command, 0, sizeof(*command));
    command->opcode = (uint8_t)opcode;
    command->nsid = place->name_space;
    command->addr = (uint64_t)(uintptr_t)data;
    command->data_len = (uint32_t)bytes;
    command->cdw10 = (uint32_t)first;
    command->cdw11 = (uint32_t)(first >> 32);
    command->cdw12 = (uint32_t)(bytes / block - 1);
    if (opcode == NVME_WRITE && place->fua)
        command->cdw12 |= FORCE_UNIT_ACCESS;
    command->timeout_ms = TIMEOUT_OF_DRIVER;
    return 0;
}

void nvme_command_queue(struct io_uring_sqe *sqe, const struct nvme_uring_cmd *command) {
    memset(sqe, 0, 2 * sizeof(*sqe));
    sqe->opcode = IORING_OP_URING_CMD;
    sqe->fd = 0;
    sqe->flags = IOSQE_FIXED_FILE;
    sqe->cmd_op = NVME_URING_CMD_IO;
    memcpy((uint8_t *)sqe + offsetof(struct io_uring_sqe, cmd), command, sizeof(*command));
}

int nvme_command_meaning(int result) {
    if (result <= 0)
        return result;
    switch (result & 0x7ff) { /* type and code */
    case 0x281:               /* unrecovered read error */
    case 0x280:               /* write fault */
        return -ENODATA;
    case 0x80: /* beyond the namespace: it has shrunk */
    case 0x0b: /* no such namespace any more */
        return -ENODEV;
    case 0x83: /* another host has reserved the namespace */
        return -EBADE;
    case 0x120: /* write protected */
        return -EPERM;
    default:
        return -EIO;
    }
}

int nvme_identified_shift(const uint8_t name_space[NVME_IDENTIFY_BYTES], unsigned int *lba_shift) {
    const uint8_t formatted = name_space[NAMESPACE_FORMATTED_SIZE];
    const unsigned int number = (formatted & 0x0fu) | (formatted >> 1 & 0x30u);
    const uint8_t *format = name_space + NAMESPACE_FORMATS + 4 * number;
    *lba_shift = format[2];
    return format[0] != 0 || format[1] != 0 || format[2] < 9 || format[2] > 16 ? -EOPNOTSUPP : 0;
}

uint64_t nvme_identified_transfer(const uint8_t controller[NVME_IDENTIFY_BYTES]) {
    const unsigned int shift = controller[CONTROLLER_TRANSFER_SIZE];
    return shift == 0 || shift + LEAST_PAGE_SHIFT > 62 ? UINT64_MAX : 1ull << (shift + LEAST_PAGE_SHIFT);
}

size_t nvme_command_bytes(uint64_t identified, uint64_t of_driver, unsigned int lba_shift) {
    uint64_t bytes = identified < of_driver ? identified : of_driver;
    const uint64_t by_count = (uint64_t)BLOCKS_MAX << lba_shift;
    bytes = bytes < by_count ? bytes : by_count;
    bytes = bytes < LARGEST_COMMAND_BYTES ? bytes : LARGEST_COMMAND_BYTES;
    bytes = bytes >> lba_shift << lba_shift;
    return bytes == 0 ? (size_t)1 << lba_shift : (size_t)bytes;
}
