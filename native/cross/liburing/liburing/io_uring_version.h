/* SPDX-License-Identifier: Apache-2.0 */
/* The version that scripts/lib/liburing.txt pins. */
#define IO_URING_VERSION_MAJOR 2
#define IO_URING_VERSION_MINOR 9
