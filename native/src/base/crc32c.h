/* SPDX-License-Identifier: Apache-2.0 */
/* CRC32C (Castagnoli), in hardware if the CPU has the instruction. crc32c(crc32c(0, a), b) is the sum of a followed by
 * b. */
#ifndef BURST_BASE_CRC32C_H
#define BURST_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t seed, const void *data, size_t length);

/* Copies bytes and returns crc32c(0, to, length) of the bytes it wrote: another thread may change `from` meanwhile. */
uint32_t crc32c_copy(void *to, const void *from, size_t length);

/* crc32c(seed, data, 52): of a record's header, which each commit sums. */
uint32_t crc32c_52(uint32_t seed, const void *data);

/* The portable way, for CPUs without the instruction. Tests compare the fast way with it. */
uint32_t crc32c_portable(uint32_t seed, const void *data, size_t length);

#endif
