/* SPDX-License-Identifier: Apache-2.0 */
/* io = auto: when it measures, what it stores, and the state of the medium afterwards. */
#include "device/media.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/error.h"
#include "burstlog.h"
#include "log/calibrate.h"
#include "device/lock.h"
#include "device/medium.h"
#include "device/open.h"
#include "log/engine.h"
#include "media/calibration.h"
#include "media/record.h"
#include "refused_calls.h"

#define RING_BYTES (2u << 20)

static const struct platform *const host = &platform_linux;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: " #condition "; last sentence: %s\n", __LINE__, error_text());                   \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static struct device *open_auto(const char *path) {
    struct device *device;
    if (device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device) < 0)
        fail_msg("%s", error_text());
    return device;
}

static void format(const char *path) {
    struct device *device = open_auto(path);
    assert_int_equal(ledger_format(host, device, RING_BYTES), 0);
    device_close(device);
}

static const char *ring_file(void) {
    const char *path = scratch_path("a.ring");
    make_file(path, RING_BYTES);
    format(path);
    return path;
}

static struct calibration calibrate(const char *path, int anew) {
    struct calibration calibration = {0};
    struct device *device = open_auto(path);
    device_calibrate(&device, anew);
    device_calibration(device, &calibration);
    device_close(device);
    return calibration;
}

static uint8_t *read_all(const char *path) {
    uint8_t *bytes = malloc(RING_BYTES);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, RING_BYTES), RING_BYTES);
    close(fd);
    return bytes;
}

static int is_same(const uint8_t *a, const uint8_t *b, size_t from, size_t to) {
    return memcmp(a + from, b + from, to - from) == 0;
}

static void only_the_places_kept_for_it_are_written(void **state) {
    (void)state;
    const char *path = ring_file();
    uint8_t *before = read_all(path);
    assert_int_equal(calibrate(path, 0).engine_count, 2);
    uint8_t *after = read_all(path);
    const size_t end = LAYOUT_CALIBRATION_OFFSET + LAYOUT_SLOT_BYTES;
    assert_true(is_same(before, after, 0, LAYOUT_SCRATCH_OFFSET));
    assert_false(is_same(before, after, LAYOUT_SCRATCH_OFFSET, LAYOUT_CALIBRATION_OFFSET));
    assert_false(is_same(before, after, LAYOUT_CALIBRATION_OFFSET, end));
    assert_true(is_same(before, after, end, RING_BYTES));
    free(before);
    free(after);
}

static void assert_left_alone(const char *path) {
    uint8_t *before = read_all(path);
    struct device *device = open_auto(path);
    device_calibrate(&device, 1);
    assert_int_equal(device->io, BURST_IO_PWRITE);
    device_close(device);
    uint8_t *after = read_all(path);
    assert_true(is_same(before, after, 0, RING_BYTES));
    free(before);
    free(after);
}

static void put_bytes(const char *path, uint64_t offset, const void *bytes, size_t count) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, bytes, count, (off_t)offset), count);
    close(fd);
}

static void what_holds_no_ring_or_not_all_of_one_is_left_alone(void **state) {
    (void)state;
    const char *path = scratch_path("other");
    make_file(path, RING_BYTES);
    assert_left_alone(path);
    path = ring_file();
    put_bytes(path, LAYOUT_SUPERBLOCK_OFFSET(0), "damaged", 7);
    put_bytes(path, LAYOUT_SUPERBLOCK_OFFSET(1) + 100, "damaged", 7);
    assert_left_alone(path);
    path = ring_file();
    assert_int_equal(truncate(path, RING_BYTES - 4096), 0);
    struct device *device = open_auto(path);
    device_calibrate(&device, 1);
    struct calibration calibration;
    assert_int_equal(device_calibration(device, &calibration), 0);
    device_close(device);
}

/* ----------------------------------------------------------------------------------- what is on record */

/* Stores figures that no medium has, as if this kernel had measured them here. */
static struct calibration forge(const char *path, uint64_t pwrite_ns, uint64_t uring_ns) {
    struct calibration calibration = calibrate(path, 0);
    assert_int_equal(calibration.engine_count, 2);
    for (int i = 0; i < 2; i++)
        calibration.engines[i].p50_ns = calibration.engines[i].io == BURST_IO_URING ? uring_ns : pwrite_ns;
    calibration.io = pwrite_ns <= uring_ns ? BURST_IO_PWRITE : BURST_IO_URING;
    calibration.measured_ns = 1;
    return calibration;
}

static void put_calibration(const char *path, struct calibration *calibration) {
    uint8_t *bytes = read_all(path);
    calibration_seal(calibration, crc_seed_of(((struct superblock *)bytes)->uuid));
    put_bytes(path, LAYOUT_CALIBRATION_OFFSET, calibration, sizeof(*calibration));
    free(bytes);
}

static void what_was_measured_once_is_taken_from_then_on(void **state) {
    (void)state;
    const char *path = ring_file();
    const struct calibration first = calibrate(path, 0), second = calibrate(path, 0);
    assert_memory_equal(&first, &second, sizeof(first));
    struct calibration forged = forge(path, 2000000, 1000);
    put_calibration(path, &forged);
    struct device *device = open_auto(path);
    device_calibrate(&device, 0);
    assert_int_equal(device->io, BURST_IO_URING);
    assert_string_equal(device->ops->name, "uring");
    assert_string_equal(device->chosen_because,
                        "p50 1.0 us against 2000.0 us of pwrite (measured 1970-01-01T00:00:00Z)");
    device_close(device);
    forged = forge(path, 1000, 2000000);
    put_calibration(path, &forged);
    device = open_auto(path);
    device_calibrate(&device, 0);
    assert_int_equal(device->io, BURST_IO_PWRITE);
    device_close(device);
}

/* Beside readers a writer has a read lock on the ring, as they have, and the guard, which they cannot have. */
static void beside_readers_the_engine_that_auto_takes_keeps_a_second_writer_out(void **state) {
    (void)state;
    const char *path = ring_file();
    struct calibration forged = forge(path, 2000000, 1000);
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    put_calibration(path, &forged);
    const int reader = open(path, O_RDONLY | O_CLOEXEC), second = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(fcntl(reader, F_OFD_SETLK, &whole), 0);
    struct device *device = open_auto(path);
    device_calibrate(&device, 0);
    assert_int_equal(device->io, BURST_IO_URING);
    assert_int_equal(lock_ring(second), -EBUSY);
    device_close(device);
    assert_int_equal(lock_ring(second), 0);
    lock_close(second);
    close(reader);
}

static int was_measured_anew(const char *path, struct calibration *forged, int anew) {
    put_calibration(path, forged);
    return calibrate(path, anew).measured_ns != 1;
}

static void another_kernel_device_or_set_of_engines_is_measured_anew(void **state) {
    (void)state;
    const char *path = ring_file();
    const struct calibration good = forge(path, 1000, 2000);
    struct calibration forged = good;
    assert_false(was_measured_anew(path, &forged, 0));
    assert_true(was_measured_anew(path, &forged, 1)); /* asked for */
    forged = good;
    forged.kernel_crc++;
    assert_true(was_measured_anew(path, &forged, 0));
    forged = good;
    forged.device_crc++;
    assert_true(was_measured_anew(path, &forged, 0));
    forged = good;
    forged.engine_count = 1;
    assert_true(was_measured_anew(path, &forged, 0));
    forged = good;
    forged.engines[1].io = BURST_IO_NVME;
    assert_true(was_measured_anew(path, &forged, 0));
    forged = good;
    forged.engines[2] = (struct calibration_engine){.io = BURST_IO_NVME, .writes = 1, .p50_ns = 1};
    forged.engine_count = 3;
    assert_true(was_measured_anew(path, &forged, 0));
}

static void a_record_that_rots_is_measured_anew(void **state) {
    (void)state;
    const char *path = ring_file();
    struct calibration forged = forge(path, 2000000, 1000);
    put_calibration(path, &forged);
    put_bytes(path, LAYOUT_CALIBRATION_OFFSET + 60, "rot", 3);
    assert_int_not_equal(calibrate(path, 0).measured_ns, 1);
}

static int write_fails(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    (void)offset, (void)data, (void)bytes;
    return error_set(EIO, "writing %s fails in this test", device->path);
}

static void a_record_that_cannot_be_kept_is_done_without(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_auto(path);
    struct device_ops ops = *device->ops;
    ops.write = write_fails;
    device->ops = &ops;
    device_calibrate(&device, 0);
    assert_non_null(strstr(device->chosen_because, "p50 "));
    struct calibration calibration;
    assert_int_equal(device_calibration(device, &calibration), 0);
    device_close(device);
}

static void a_reader_only_reads(void **state) {
    (void)state;
    const char *path = ring_file();
    const struct calibration kept = calibrate(path, 0);
    struct device *device;
    struct calibration calibration;
    assert_int_equal(device_open(host, path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device), 0);
    assert_int_equal(device_calibration(device, &calibration), 1);
    assert_memory_equal(&calibration, &kept, sizeof(kept));
    device_close(device);
}

/* ------------------------------------------------------------------------------------- io_uring forbidden */

static void in_child_without_io_uring(const char *path, unsigned int failure, void (*body)(const char *path)) {
    pid_t child = fork();
    if (child == 0) {
        refuse_call(SYS_io_uring_setup, 0, failure);
        body(path);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_WITH("system call filters are not allowed here");
    assert_int_equal(status, 0);
}

static void refused_by_name(const char *path) {
    struct device *device;
    const int result = device_open(host, path, DEVICE_WRITER, BURST_IO_URING, &device);
    CHECK(result == -EPERM || result == -ENOSYS);
    CHECK(device == NULL);
    CHECK(strstr(error_text(), "io=uring cannot be used") != NULL && strstr(error_text(), path) != NULL);
    CHECK(strstr(error_text(), "seccomp") != NULL && strstr(error_text(), "io=pwrite") != NULL);
    CHECK(device_open(host, path, DEVICE_WRITER, BURST_IO_PWRITE, &device) == 0);
    device_close(device);
}

static void falls_back(const char *path) {
    struct device *device = NULL;
    CHECK(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device) == 0);
    device_calibrate(&device, 0);
    CHECK(device->io == BURST_IO_PWRITE);
    CHECK(strstr(device->fallback, "io=uring cannot be used: io_uring_setup gives E") != NULL);
    CHECK(strstr(device->chosen_because, "no other engine") != NULL);
    struct calibration calibration;
    CHECK(device_calibration(device, &calibration) == 1 && calibration.measured_ns == 1);
    device_close(device);
}

static void without_io_uring_auto_takes_pwrite_says_so_and_keeps_the_record_for_when_it_is_back(void **state) {
    (void)state;
    const char *path = ring_file();
    struct calibration forged = forge(path, 2000000, 1000);
    put_calibration(path, &forged);
    in_child_without_io_uring(path, EPERM, falls_back);
    in_child_without_io_uring(path, ENOSYS, falls_back);
    struct device *device = open_auto(path);
    device_calibrate(&device, 0);
    assert_int_equal(device->io, BURST_IO_URING);
    device_close(device);
}

static void without_io_uring_the_engine_is_refused_by_name_with_a_way_out(void **state) {
    (void)state;
    const char *path = ring_file();
    in_child_without_io_uring(path, EPERM, refused_by_name);
    in_child_without_io_uring(path, ENOSYS, refused_by_name);
}

static void assert_choice_follows_figures(const char *path, const char *what) {
    format(path);
    struct device *device = open_auto(path);
    device_calibrate(&device, 0);
    struct calibration calibration;
    assert_int_equal(device_calibration(device, &calibration), 1);
    assert_int_equal(device->io, calibration.io);
    const struct calibration_engine *pwriter = calibration_of(&calibration, BURST_IO_PWRITE);
    const struct calibration_engine *uring = calibration_of(&calibration, BURST_IO_URING);
    assert_non_null(pwriter);
    assert_non_null(uring);
    assert_null(calibration_of(&calibration, BURST_IO_MAPPED)); /* a mapping there would be page cache */
    assert_true(pwriter->writes > 0 && uring->writes > 0);
    const uint64_t least_gain = pwriter->p50_ns / (uring->writes < 100 ? 2 : 10);
    const int is_gain = uring->p50_ns < pwriter->p50_ns - least_gain && uring->faster * 3 >= uring->writes * 2;
    assert_int_equal(device->io, is_gain ? BURST_IO_URING : BURST_IO_PWRITE);
    fprintf(stderr, "%s: %s: %s; p99 %.1f us of pwrite, %.1f us of uring, which was faster in %u of %u turns\n", what,
            device->ops->name, device->chosen_because, (double)pwriter->p99_ns / 1000, (double)uring->p99_ns / 1000,
            uring->faster, uring->writes);
    device_close(device);
}

static void on_each_medium_the_choice_is_what_its_own_figures_ask_for(void **state) {
    (void)state;
    make_file(scratch_path("b.ring"), RING_BYTES);
    assert_choice_follows_figures(scratch_path("b.ring"), "file");
    struct zram_device zram;
    struct loop_device loop;
    char backing[64];
    snprintf(backing, sizeof(backing), "/dev/shm/burst-test-%d", (int)getpid());
    make_file(backing, RING_BYTES);
    const int has_loop = make_loop_with(backing, 0, LO_FLAGS_DIRECT_IO, &loop);
    unlink(backing);
    if (!has_loop || !make_zram("16M", scratch_path("zram"), &zram))
        SKIP_WITH("no loop or zram device here (%s); wants root", strerror(errno));
    assert_choice_follows_figures(loop.path, "loop over /dev/shm");
    assert_choice_follows_figures(zram.path, "zram");
    remove_loop(&loop);
    remove_zram(&zram);
}

static void in_memory_the_mapping_is_measured_too_and_taken(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof(path), "/dev/shm/burst-test-%d", (int)getpid());
    make_file(path, RING_BYTES);
    format(path);
    struct device *device = NULL;
    struct calibration calibration;
    const struct calibration_engine *mapped = NULL;
    for (int i = 0; i < 20 && (mapped == NULL || mapped->writes < 100); i++) { /* a pause may last as long */
        if (device != NULL)
            device_close(device);
        device = open_auto(path);
        device_calibrate(&device, i > 0);
        assert_int_equal(device_calibration(device, &calibration), 1);
        mapped = calibration_of(&calibration, BURST_IO_MAPPED);
        assert_non_null(mapped);
    }
    assert_true(mapped->writes >= 100);
    const struct calibration_engine *pwriter = calibration_of(&calibration, BURST_IO_PWRITE);
    const int is_gain =
        mapped->p50_ns < pwriter->p50_ns - pwriter->p50_ns / 10 && mapped->faster * 3 >= mapped->writes * 2;
    assert_int_equal(device->io, is_gain ? BURST_IO_MAPPED : BURST_IO_PWRITE);
    fprintf(stderr, "%s\n", device->chosen_because);
    device_close(device);
    /* No engine gives here what is asked for: the open keeps the one it has. */
    device = open_auto(path);
    device->survives = BURST_DURABILITY_POWER;
    device_calibrate(&device, 0);
    assert_int_equal(device->io, BURST_IO_PWRITE);
    device_close(device);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_places_kept_for_it_are_written),
        cmocka_unit_test(what_holds_no_ring_or_not_all_of_one_is_left_alone),
        cmocka_unit_test(what_was_measured_once_is_taken_from_then_on),
        cmocka_unit_test(beside_readers_the_engine_that_auto_takes_keeps_a_second_writer_out),
        cmocka_unit_test(another_kernel_device_or_set_of_engines_is_measured_anew),
        cmocka_unit_test(a_record_that_rots_is_measured_anew),
        cmocka_unit_test(a_record_that_cannot_be_kept_is_done_without),
        cmocka_unit_test(a_reader_only_reads),
        cmocka_unit_test(without_io_uring_auto_takes_pwrite_says_so_and_keeps_the_record_for_when_it_is_back),
        cmocka_unit_test(without_io_uring_the_engine_is_refused_by_name_with_a_way_out),
        cmocka_unit_test(on_each_medium_the_choice_is_what_its_own_figures_ask_for),
        cmocka_unit_test(in_memory_the_mapping_is_measured_too_and_taken),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
