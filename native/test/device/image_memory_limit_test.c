/* SPDX-License-Identifier: Apache-2.0 */
/* Rings that count for a control group without an image: files in memory, and mapped page cache. */
#include "device/media.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/memory_limit.h"
#include "burstlog.h"
#include "device/open.h"
#include "media/layout.h"

#define RING_BYTES (2u << 20)

static uint64_t there_are = MEMORY_UNLIMITED;

static void tell_limit(const struct platform *platform, struct memory_limit *limit) {
    (void)platform;
    *limit = (struct memory_limit){
        .limit_bytes = there_are, .left_bytes = there_are, .most_bytes = there_are, .file = "/memory.max"};
}

static const struct platform *limited(uint64_t bytes) {
    static struct platform_ops ops;
    static const struct platform platform = {&ops};
    ops = *platform_linux.ops;
    ops.memory_limit = tell_limit;
    there_are = bytes;
    return &platform;
}

static int prepare_nothing(struct device *device, void *argument) {
    (void)device, (void)argument;
    return 0;
}

static int create(const char *path, uint64_t limit) {
    return device_create_file(limited(limit), path, RING_BYTES, prepare_nothing, NULL);
}

static void a_ring_file_in_memory_above_the_limit_is_refused_and_leaves_nothing(void **state) {
    (void)state;
    char folder[] = "/dev/shm/burst-limit-XXXXXX", path[64];
    if (mkdtemp(folder) == NULL) {
        fprintf(stderr, "SKIPPED memory_limit_test: no folder can be made in /dev/shm: %s\n", strerror(errno));
        skip();
    }
    snprintf(path, sizeof path, "%s/sub/a.ring", folder);
    const int refused = create(path, RING_BYTES - 1);
    const int says = strstr(error_text(), "a.ring takes 2097152 bytes of memory, and the control group of this process "
                                          "may have 2097151 (/memory.max)") != NULL;
    snprintf(path, sizeof path, "%s/a.ring", folder);
    const int made = create(path, RING_BYTES);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* the folder is empty otherwise */
    assert_int_equal(refused, -ENOMEM);
    assert_true(says);
    assert_int_equal(made, 0);
}

static void a_ring_file_on_a_disk_may_be_larger_than_the_limit(void **state) {
    (void)state;
    assert_int_equal(create(scratch_path("a.ring"), 0), 0);
}

static uint64_t locked_kib(void) {
    char line[256];
    unsigned long long kib = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (fgets(line, sizeof line, status) != NULL && sscanf(line, "VmLck: %llu", &kib) != 1) {
    }
    fclose(status);
    return kib;
}

/* Maps a ring file on the disk, and returns how much of it is locked; *fallback gets the message about it. */
static uint64_t locked_of_mapped(uint64_t limit, char *fallback, size_t room) {
    const char *path = scratch_path("mapped.ring");
    struct device *device;
    make_file(path, RING_BYTES);
    assert_int_equal(device_open(limited(limit), path, DEVICE_WRITER, BURST_IO_MAPPED, &device), 0);
    const uint64_t before = locked_kib();
    assert_non_null(device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET));
    const uint64_t locked = locked_kib() - before;
    snprintf(fallback, room, "%s", device->fallback);
    device_close(device);
    return locked;
}

static void mapped_page_cache_is_locked_only_where_the_limit_has_room(void **state) {
    (void)state;
    char fallback[DEVICE_FALLBACK_BYTES];
    struct rlimit lockable;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP_WITH("the sanitizers replace mlock by nothing");
#endif
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &lockable), 0);
    if (geteuid() != 0 && lockable.rlim_cur < RING_BYTES) {
        fprintf(stderr, "SKIPPED memory_limit_test: RLIMIT_MEMLOCK allows no ring to be locked\n");
        skip();
    }
    assert_true(locked_of_mapped(RING_BYTES, fallback, sizeof fallback) > 0);
    assert_null(strstr(fallback, "not locked"));
    assert_int_equal(locked_of_mapped(RING_BYTES / 4, fallback, sizeof fallback), 0);
    assert_non_null(
        strstr(fallback, "the ring's memory is not locked: the limit of this process's control group has no room"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_file_in_memory_above_the_limit_is_refused_and_leaves_nothing),
        cmocka_unit_test(a_ring_file_on_a_disk_may_be_larger_than_the_limit),
        cmocka_unit_test(mapped_page_cache_is_locked_only_where_the_limit_has_room),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
