/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C three ways. Portable: eight tables, eight bytes a step. Hardware: the CPU's own instruction takes eight bytes
 * at once, but each must wait three cycles for the one before it; so long inputs are cut in three runs that are summed
 * side by side and joined afterwards. Joining means appending zeros to a sum: for a fixed length that is a linear
 * map, kept as four tables of 256.
 */
#include "base/crc32c.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t slices[8][256];

static uint64_t load64(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

uint32_t crc32c_portable(uint32_t seed, const void *data, size_t length) {
    const uint8_t *next = data;
    uint32_t crc = ~seed;
    for (; length >= 8; length -= 8, next += 8) {
        uint64_t word = load64(next) ^ crc;
        crc = slices[7][word & 255] ^ slices[6][word >> 8 & 255] ^ slices[5][word >> 16 & 255] ^
              slices[4][word >> 24 & 255] ^ slices[3][word >> 32 & 255] ^ slices[2][word >> 40 & 255] ^
              slices[1][word >> 48 & 255] ^ slices[0][word >> 56];
    }
    for (; length > 0; length--)
        crc = slices[0][(crc ^ *next++) & 255] ^ crc >> 8;
    return ~crc;
}

static void fill_slices(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
        slices[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++) {
        for (int byte = 0; byte < 256; byte++)
            slices[slice][byte] = slices[0][slices[slice - 1][byte] & 255] ^ slices[slice - 1][byte] >> 8;
    }
}

#if defined(__x86_64__)

#define HARDWARE __attribute__((target("sse4.2")))
#define STEP64(crc, word) ((uint32_t)__builtin_ia32_crc32di((crc), (word)))
#define STEP8(crc, byte) __builtin_ia32_crc32qi((crc), (byte))

static int cpu_has_crc32c(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
}

#elif defined(__aarch64__)

#include <arm_acle.h>
#include <sys/auxv.h>

#define HARDWARE __attribute__((target("+crc")))
#define STEP64(crc, word) __crc32cd((crc), (word))
#define STEP8(crc, byte) __crc32cb((crc), (byte))
#define HWCAP_HAS_CRC32 (1u << 7)

static int cpu_has_crc32c(void) {
    return (getauxval(AT_HWCAP) & HWCAP_HAS_CRC32) != 0;
}

#endif

#ifdef HARDWARE

#define SHORT_RUN_BYTES 256u
#define LONG_RUN_BYTES 4096u

typedef uint32_t zeros_map[4][256];

static zeros_map short_zeros, long_zeros;

static void fill_zeros(zeros_map map, size_t bytes) {
    for (int byte = 0; byte < 4; byte++) {
        for (int bit = 0; bit < 8; bit++) {
            uint32_t crc = 1u << (8 * byte + bit);
            for (size_t i = 0; i < bytes; i++)
                crc = slices[0][crc & 255] ^ crc >> 8;
            map[byte][1 << bit] = crc;
        }
        for (int value = 1; value < 256; value++)
            map[byte][value] = map[byte][value & (value - 1)] ^ map[byte][value & -value];
    }
}

static uint32_t append_zeros(zeros_map map, uint32_t crc) {
    return map[0][crc & 255] ^ map[1][crc >> 8 & 255] ^ map[2][crc >> 16 & 255] ^ map[3][crc >> 24];
}

HARDWARE static uint32_t three_runs(uint32_t crc, const uint8_t *data, size_t run_bytes, zeros_map zeros) {
    uint32_t second = 0, third = 0;
    for (const uint8_t *end = data + run_bytes; data < end; data += 8) {
        crc = STEP64(crc, load64(data));
        second = STEP64(second, load64(data + run_bytes));
        third = STEP64(third, load64(data + 2 * run_bytes));
    }
    return append_zeros(zeros, append_zeros(zeros, crc) ^ second) ^ third;
}

HARDWARE static uint32_t crc32c_hardware(uint32_t seed, const void *data, size_t length) {
    const uint8_t *next = data;
    uint32_t crc = ~seed;
    for (; length >= 3 * LONG_RUN_BYTES; length -= 3 * LONG_RUN_BYTES, next += 3 * LONG_RUN_BYTES)
        crc = three_runs(crc, next, LONG_RUN_BYTES, long_zeros);
    for (; length >= 3 * SHORT_RUN_BYTES; length -= 3 * SHORT_RUN_BYTES, next += 3 * SHORT_RUN_BYTES)
        crc = three_runs(crc, next, SHORT_RUN_BYTES, short_zeros);
    for (; length >= 8; length -= 8, next += 8)
        crc = STEP64(crc, load64(next));
    for (; length > 0; length--)
        crc = STEP8(crc, *next++);
    return ~crc;
}

#endif

static uint32_t (*fastest)(uint32_t seed, const void *data, size_t length) = crc32c_portable;

/* Before any thread can ask for a sum: the tables and the choice never change afterwards. */
__attribute__((constructor)) static void choose_at_load(void) {
    fill_slices();
#ifdef HARDWARE
    if (cpu_has_crc32c()) {
        fill_zeros(short_zeros, SHORT_RUN_BYTES);
        fill_zeros(long_zeros, LONG_RUN_BYTES);
        fastest = crc32c_hardware;
    }
#endif
}

uint32_t crc32c(uint32_t seed, const void *data, size_t length) {
    return fastest(seed, data, length);
}
