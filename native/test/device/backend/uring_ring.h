/* SPDX-License-Identifier: Apache-2.0 */
/* A ring file under the engine `uring`, seen from inside, and completions as a test wants them. */
#ifndef BURST_TEST_DEVICE_URING_RING_H
#define BURST_TEST_DEVICE_URING_RING_H

#include "device/media.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"
#include "device/backend/uring_queue.h"
#include "refused_calls.h"

#define RING_BYTES (4u << 20)
#define PIECE_BYTES (1u << 20)
#define OPEN_WAITS_NS 1000000000ll
#define HELD_MOST_NS (60 * OPEN_WAITS_NS)

static const struct platform *const host = &platform_linux;
static uint8_t *image;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: " #condition "; last sentence: %s\n", __LINE__, error_text());                   \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static inline void fill_image(void) {
    for (size_t i = 0; i < RING_BYTES / sizeof(uint64_t); i++)
        ((uint64_t *)image)[i] = (i + 1) * 0x9e3779b97f4a7c15ull;
}

/* The kernel holds the medium of a dead process until its last write ends. An open waits a second for that; on a
 * busy machine the write may take longer. */
static inline int open_patiently(const struct platform *platform, const char *path, uint32_t io,
                                 struct device **device) {
    const int64_t give_up_ns = platform_monotonic_ns(host) + HELD_MOST_NS;
    for (;;) {
        const int64_t begin_ns = platform_monotonic_ns(host);
        const int result = device_open(platform, path, DEVICE_WRITER, io, device);
        const int64_t end_ns = platform_monotonic_ns(host);
        if (result != -EBUSY || strstr(error_text(), "cannot be seen") == NULL || end_ns - begin_ns < OPEN_WAITS_NS ||
            end_ns > give_up_ns)
            return result;
    }
}

static inline struct device *open_ring(const char *path) {
    struct device *device = NULL;
    CHECK(open_patiently(host, path, BURST_IO_URING, &device) == 0);
    CHECK((image = device->ops->image(device, RING_BYTES)) != NULL);
    fill_image();
    return device;
}

static inline const char *ring_file(void) {
    const char *path = scratch_path("a.ring");
    make_file(path, RING_BYTES);
    return path;
}

static inline void in_child_on(const char *path, void (*body)(struct device *device)) {
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a body that takes longer has failed */
        body(open_ring(path));
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_WITH("system call filters are not allowed here");
    assert_int_equal(status, 0);
}

static inline void in_child(void (*body)(struct device *device)) {
    in_child_on(ring_file(), body);
}

static inline struct io_uring_sqe command_for(struct device *device, const void *data, size_t bytes) {
    struct io_uring_sqe sqe = {0};
    uring_of(device)->prepare(uring_of(device), &sqe, 8192, data, bytes);
    return sqe;
}

static inline void check_medium(struct device *device, uint64_t offset, const void *expected, size_t bytes) {
    uint8_t *back = platform_allocate(host, bytes, PLATFORM_PLAIN);
    CHECK(device->ops->read(device, offset, back, bytes) == 0);
    CHECK(memcmp(back, expected, bytes) == 0);
    platform_release(host, back, bytes);
}

/* A long write is submitted at once, short ones wait for complete: all arrive. */
static inline void check_commit(struct device *device) {
    struct device_write writes[3] = {{.offset = 0, .data = image, .bytes = PIECE_BYTES, .result = 77},
                                     {.offset = PIECE_BYTES, .data = image + PIECE_BYTES, .bytes = 4096, .result = 77},
                                     {.offset = PIECE_BYTES + 8192, .data = image, .bytes = 4096, .result = 77}};
    for (int i = 0; i < 3; i++)
        device->ops->submit(device, &writes[i]);
    for (int i = 0; i < 3; i++)
        CHECK(device->ops->complete(device) != NULL);
    CHECK(device->ops->complete(device) == NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(writes[i].result == 0);
        check_medium(device, writes[i].offset, writes[i].data, writes[i].bytes);
    }
}

static inline int maps_have(const char *what) {
    char line[512];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
        found |= strstr(line, what) != NULL;
    if (maps != NULL)
        fclose(maps);
    return found;
}

/* Completions that a test makes up: the first `given` get the result `give`, and the next one gets `give_then`. */
static int given, give, give_then;

static inline int meaning_given(const struct uring *uring, int result, size_t bytes) {
    (void)uring;
    if (given > 0) {
        given--;
        return give;
    }
    const int then = give_then;
    give_then = 0;
    return then < 0 ? then : result == (int)bytes ? 0 : -EIO;
}

static inline int commit_with(struct device *device, int times, int result, size_t bytes) {
    struct device_write write = {.offset = PIECE_BYTES, .data = image, .bytes = bytes, .result = 77};
    given = times;
    give = result;
    uring_of(device)->meaning = meaning_given;
    device->ops->submit(device, &write);
    assert_ptr_equal(device->ops->complete(device), &write);
    assert_null(device->ops->complete(device));
    return write.result;
}

#endif
