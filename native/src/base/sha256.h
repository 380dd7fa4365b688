/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4). */
#ifndef BURST_BASE_SHA256_H
#define BURST_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32u

void sha256(const void *bytes, size_t count, uint8_t digest[SHA256_BYTES]);

#endif
