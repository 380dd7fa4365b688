/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of the pages that a zram device takes for its content: durable writes of 4 KiB of random bytes, in blocks of
 * 1,000, over the first part of the device, then over the same part again. Prints how long the writes of each block
 * took. A hypervisor may take free memory back (free page reporting of a virtio balloon). Then some blocks of the first
 * lap take several times as long as others. The second lap has no such blocks: it has its pages already.
 *
 *     pages_bench DEVICE MEGABYTES [HELD_MEGABYTES]
 *
 * It first takes HELD_MEGABYTES of memory, and keeps them: so the device gets pages that were free for long. The
 * device loses its content.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES 4096u
#define SOURCE_BLOCKS 4096u
#define BLOCK_WRITES 1000u
#define REPORTING_SECONDS 5 /* the guest reports free memory every two seconds */

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t median(int64_t *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static void hold(size_t megabytes) {
    uint8_t *memory = mmap(NULL, megabytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        die("memory to hold");
    }
    for (size_t at = 0; at < megabytes << 20; at += BLOCK_BYTES) {
        memory[at] = 1;
    }
    sleep(REPORTING_SECONDS);
}

static void lap(const char *name, int fd, const uint8_t *source, size_t blocks) {
    int64_t *medians = malloc(blocks * sizeof *medians), took_ns[BLOCK_WRITES];
    if (medians == NULL) {
        die("memory");
    }
    for (size_t block = 0; block < blocks; block++) {
        for (size_t i = 0; i < BLOCK_WRITES; i++) {
            const size_t at = block * BLOCK_WRITES + i;
            const int64_t begin_ns = now_ns();
            if (pwrite(fd, source + at % SOURCE_BLOCKS * BLOCK_BYTES, BLOCK_BYTES, (off_t)(at * BLOCK_BYTES)) !=
                BLOCK_BYTES) {
                die("write");
            }
            took_ns[i] = now_ns() - begin_ns;
        }
        medians[block] = median(took_ns, BLOCK_WRITES);
    }
    const int64_t usual_ns = median(medians, blocks), least_ns = medians[0];
    size_t slow = 0;
    for (size_t i = 0; i < blocks; i++) {
        slow += medians[i] > 2 * least_ns;
    }
    printf("%-10s %zu blocks of %u writes; p50 of a block, us: least %.1f, median %.1f, most %.1f; "
           "over twice the least: %zu\n",
           name, blocks, BLOCK_WRITES, (double)least_ns / 1000, (double)usual_ns / 1000,
           (double)medians[blocks - 1] / 1000, slow);
    free(medians);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: pages_bench DEVICE MEGABYTES [HELD_MEGABYTES]\n");
        return 2;
    }
    uint64_t *source;
    const int fd = open(argv[1], O_RDWR | O_DIRECT | O_CLOEXEC);
    if (fd < 0 || posix_memalign((void **)&source, BLOCK_BYTES, SOURCE_BLOCKS * BLOCK_BYTES) != 0) {
        die(argv[1]);
    }
    uint64_t random = 42;
    for (size_t i = 0; i < SOURCE_BLOCKS * BLOCK_BYTES / sizeof *source; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        source[i] = random ^ random >> 29;
    }
    if (argc > 3) {
        hold(strtoul(argv[3], NULL, 10));
    }
    const size_t blocks = (strtoul(argv[2], NULL, 10) << 20) / BLOCK_BYTES / BLOCK_WRITES;
    if (blocks == 0) {
        fprintf(stderr, "pages_bench: give 4 megabytes or more\n");
        return 2;
    }
    lap("first lap", fd, (const uint8_t *)source, blocks);
    lap("again", fd, (const uint8_t *)source, blocks);
    return 0;
}
