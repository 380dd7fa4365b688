/* SPDX-License-Identifier: Apache-2.0 */
/* Every engine that can write here, on a file, a loop device and a zram device of the test's own. */
#include "device/media.h"

#include <pthread.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"

#define RING_BYTES (16u << 20)
#define PIECE_BYTES (1u << 20)
#define WRITES 20

static const struct platform *const host = &platform_linux;

static const struct {
    uint32_t io;
    const char *name;
} engines[] = {{BURST_IO_PWRITE, "pwrite"}, {BURST_IO_URING, "uring"}, {BURST_IO_FLUSH, "flush"}};

#define ENGINES (sizeof(engines) / sizeof(engines[0]))

struct stage {
    const char *path;
    struct loop_device *loop; /* NULL: something else */
    uint32_t io;
    struct device *device;
    uint8_t *image; /* RING_BYTES of random bytes */
};

static void open_stage(struct stage *stage) {
    if (device_open(host, stage->path, DEVICE_WRITER, stage->io, &stage->device) < 0)
        fail_msg("%s", error_text());
    assert_int_equal(stage->device->io, stage->io);
    stage->image = stage->device->ops->image(stage->device, RING_BYTES);
    assert_non_null(stage->image);
    for (size_t i = 0; i < RING_BYTES / sizeof(uint64_t); i++)
        ((uint64_t *)stage->image)[i] = (i + 1) * 0x9e3779b97f4a7c15ull;
}

/* Runs the body for every engine on every medium of this host. */
static void on_all_media(void (*body)(struct stage *stage)) {
    struct loop_device loop;
    struct zram_device zram;
    const char *file = scratch_path("a.ring"), *backing = scratch_path("backing"), *node = scratch_path("zram");
    make_file(file, RING_BYTES);
    make_file(backing, RING_BYTES);
    const int has_loop = make_loop(backing, &loop), has_zram = make_zram("16M", node, &zram);
    if (!has_loop || !has_zram)
        fprintf(stderr, "SKIPPED here: %s %s (want root)\n", has_loop ? "" : "loop", has_zram ? "" : "zram");
    const char *const paths[] = {file, has_loop ? loop.path : NULL, has_zram ? zram.path : NULL};
    for (size_t i = 0; i < 3 * ENGINES; i++) {
        struct stage stage = {.path = paths[i / ENGINES], .io = engines[i % ENGINES].io};
        if (stage.path == NULL)
            continue;
        stage.loop = i / ENGINES == 1 ? &loop : NULL;
        open_stage(&stage);
        assert_string_equal(stage.device->ops->name, engines[i % ENGINES].name);
        body(&stage);
        device_close(stage.device);
    }
    if (has_loop)
        remove_loop(&loop);
    if (has_zram)
        remove_zram(&zram);
}

static void assert_medium_is(struct device *device, uint64_t offset, const uint8_t *expected, size_t bytes) {
    uint8_t *back = platform_allocate(host, bytes, PLATFORM_PLAIN);
    assert_int_equal(device->ops->read(device, offset, back, bytes), 0);
    assert_memory_equal(back, expected, bytes);
    platform_release(host, back, bytes);
}

/* Takes back `count` writes, in any order, each once. */
static void collect(struct device *device, struct device_write *writes, int count) {
    int back[WRITES] = {0};
    for (int i = 0; i < count; i++) {
        struct device_write *write = device->ops->complete(device);
        assert_non_null(write);
        assert_in_range(write - writes, 0, count - 1);
        assert_int_equal(back[write - writes]++, 0);
        assert_int_equal(write->result, 0);
    }
    assert_null(device->ops->complete(device));
}

static void small_writes(struct stage *stage) {
    struct device_write writes[WRITES];
    assert_null(stage->device->ops->complete(stage->device));
    for (int i = 0; i < WRITES; i++) {
        writes[i] = (struct device_write){
            .offset = 8192u * (unsigned)(WRITES - i), .data = stage->image + 4096 * i, .bytes = 4096, .result = 77};
        stage->device->ops->submit(stage->device, &writes[i]);
    }
    collect(stage->device, writes, WRITES);
    for (int i = 0; i < WRITES; i++)
        assert_medium_is(stage->device, writes[i].offset, writes[i].data, 4096);
}

static void submitted_writes_come_back_once_each_in_whatever_order_and_number(void **state) {
    (void)state;
    on_all_media(small_writes);
}

static void a_long_commit(struct stage *stage) {
    struct device_write writes[8];
    for (unsigned int round = 0; round < 2; round++) {
        for (unsigned int i = 0; i < 8; i++) {
            const size_t at = (round * 8 + i) * PIECE_BYTES;
            writes[i] = (struct device_write){.offset = at, .data = stage->image + at, .bytes = PIECE_BYTES};
            stage->device->ops->submit(stage->device, &writes[i]);
        }
        collect(stage->device, writes, 8);
    }
    assert_int_equal(stage->device->ops->flush(stage->device), 0);
    assert_medium_is(stage->device, 0, stage->image, RING_BYTES);
}

static void the_pieces_of_a_long_commit_arrive_whole(void **state) {
    (void)state;
    on_all_media(a_long_commit);
}

static void writes_beside_a_commit(struct stage *stage) {
    struct device_write write = {.offset = 4096, .data = stage->image + 4096, .bytes = 4096};
    stage->device->ops->submit(stage->device, &write);
    assert_int_equal(stage->device->ops->write(stage->device, 65536, stage->image + 65536, 8192), 0);
    assert_medium_is(stage->device, 65536, stage->image + 65536, 8192);
    collect(stage->device, &write, 1);
    assert_medium_is(stage->device, 4096, stage->image + 4096, 4096);
    assert_int_equal(stage->device->ops->check == NULL || stage->device->ops->check(stage->device) == 0, 1);
}

static void a_write_beside_a_commit_disturbs_neither(void **state) {
    (void)state;
    on_all_media(writes_beside_a_commit);
}

/* Leaders: each thread commits once, then ends. */
static pthread_mutex_t lead = PTHREAD_MUTEX_INITIALIZER;

static void *commit_once(void *argument) {
    static _Atomic unsigned int turn;
    struct stage *stage = argument;
    const size_t at = (turn++ % 512) * 8192;
    struct device_write writes[2] = {{.offset = at, .data = stage->image + at, .bytes = 4096},
                                     {.offset = at + 4096, .data = stage->image + at + 4096, .bytes = 4096}};
    pthread_mutex_lock(&lead);
    for (int i = 0; i < 2; i++)
        stage->device->ops->submit(stage->device, &writes[i]);
    int good = 0;
    for (struct device_write *write; (write = stage->device->ops->complete(stage->device)) != NULL;)
        good += write->result == 0;
    pthread_mutex_unlock(&lead);
    return good == 2 ? stage : NULL;
}

static void changing_leaders(struct stage *stage) {
    for (int round = 0; round < 25; round++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, commit_once, stage), 0);
        for (int i = 0; i < 4; i++) {
            void *result = NULL;
            pthread_join(threads[i], &result);
            assert_ptr_equal(result, stage);
        }
    }
}

static void the_thread_that_commits_may_be_another_every_time(void **state) {
    (void)state;
    on_all_media(changing_leaders);
}

static void vanishing(struct stage *stage) {
    if (stage->loop == NULL)
        return;
    assert_int_equal(truncate(scratch_path("backing"), RING_BYTES / 2), 0);
    assert_int_equal(ioctl(stage->loop->fd, LOOP_SET_CAPACITY), 0);
    struct device_write writes[2] = {
        {.offset = RING_BYTES / 2 - 4096, .data = stage->image, .bytes = 8192, .result = 77},
        {.offset = RING_BYTES - 4096, .data = stage->image, .bytes = 4096, .result = 77}};
    for (int i = 0; i < 2; i++)
        stage->device->ops->submit(stage->device, &writes[i]);
    for (int i = 0; i < 2; i++)
        assert_non_null(stage->device->ops->complete(stage->device));
    assert_null(stage->device->ops->complete(stage->device));
    assert_true(writes[0].result == -EIO || writes[0].result == -ENODEV);
    assert_int_equal(writes[1].result, -ENODEV);
    assert_int_equal(stage->device->ops->write(stage->device, RING_BYTES - 4096, stage->image, 4096), -ENODEV);
    assert_int_equal(truncate(scratch_path("backing"), RING_BYTES), 0);
    assert_int_equal(ioctl(stage->loop->fd, LOOP_SET_CAPACITY), 0);
}

static void a_write_that_the_device_has_no_place_for_any_more_is_not_acknowledged(void **state) {
    (void)state;
    on_all_media(vanishing);
}

static void locks(struct stage *stage) {
    struct device *second;
    assert_int_equal(device_open(host, stage->path, DEVICE_WRITER, stage->io, &second), -EBUSY);
    char pid[32];
    snprintf(pid, sizeof(pid), "process %d (", (int)getpid());
    assert_non_null(strstr(error_text(), pid));
}

static void the_lock_holds_with_every_engine(void **state) {
    (void)state;
    on_all_media(locks);
}

/* Counted in place of sleeping: an open sleeps while it waits for a holder that it cannot see. */
static int sleeps;

static void count_sleep(const struct platform *platform, int64_t duration_ns) {
    (void)platform, (void)duration_ns;
    sleeps++;
}

static void reopens(struct stage *stage) {
    static struct platform_ops ops;
    static const struct platform counting = {&ops}; /* the device keeps it */
    ops = *platform_linux.ops;
    ops.sleep_ns = count_sleep;
    struct device_write write = {.offset = 0, .data = stage->image, .bytes = 4096};
    for (int round = 0; round < 20; round++) {
        stage->device->ops->submit(stage->device, &write);
        assert_ptr_equal(stage->device->ops->complete(stage->device), &write);
        device_close(stage->device);
        sleeps = 0;
        assert_int_equal(device_open(&counting, stage->path, DEVICE_WRITER, stage->io, &stage->device), 0);
        assert_int_equal(sleeps, 0);
        write.data = stage->image = stage->device->ops->image(stage->device, PIECE_BYTES);
    }
}

static void close_lets_go_of_the_medium_before_it_returns(void **state) {
    (void)state;
    on_all_media(reopens);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submitted_writes_come_back_once_each_in_whatever_order_and_number),
        cmocka_unit_test(the_pieces_of_a_long_commit_arrive_whole),
        cmocka_unit_test(a_write_beside_a_commit_disturbs_neither),
        cmocka_unit_test(the_thread_that_commits_may_be_another_every_time),
        cmocka_unit_test(a_write_that_the_device_has_no_place_for_any_more_is_not_acknowledged),
        cmocka_unit_test(the_lock_holds_with_every_engine),
        cmocka_unit_test(close_lets_go_of_the_medium_before_it_returns),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
