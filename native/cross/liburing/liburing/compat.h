/* SPDX-License-Identifier: Apache-2.0 */
/* Gives liburing's headers what they need of the kernel's (5.6 and later). Elsewhere liburing's ./configure makes this file. */
#include <linux/ioctl.h>
#include <linux/openat2.h>
#include <linux/time_types.h>
#define UAPI_LINUX_IO_URING_H_SKIP_LINUX_TIME_TYPES_H 1 /* it is included above */
#ifndef BLOCK_URING_CMD_DISCARD                         /* <linux/blkdev.h>, which older kernels do not have */
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif
