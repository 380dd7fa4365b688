/* SPDX-License-Identifier: Apache-2.0 */
/* A loop device of the test's own, the command `burstlog`, and a log on the device. */
#ifndef BURST_TEST_CLI_LOOP_FIXTURE_H
#define BURST_TEST_CLI_LOOP_FIXTURE_H

#include "device/media.h"
#include "cli/run.h"

#include <sys/swap.h>

#define MIB (1u << 20)

static struct loop_device loop, above;
static int is_swapped_to; /* 1: the loop device is swap space. Its number may become another device's */

static inline int begin(void **state) {
    loop.fd = above.fd = -1;
    return make_scratch(state);
}

static inline int end(void **state) {
    umount2(scratch_path("mounted"), MNT_DETACH);
    if (is_swapped_to)
        swapoff(loop.path);
    is_swapped_to = 0;
    if (above.fd >= 0)
        remove_loop(&above);
    return remove_scratch(state);
}

#define NEED_LOOP_WITH(bytes, block_bytes, flags)                                                                      \
    make_file(scratch_path("backing"), bytes);                                                                         \
    if (!make_loop_with(scratch_path("backing"), block_bytes, flags, &loop))                                           \
    SKIP_WITH("no loop device with blocks of %u bytes here (%s); wants root", (unsigned)(block_bytes), strerror(errno))

#define NEED_LOOP(bytes) NEED_LOOP_WITH(bytes, 0, 0)

#define NEED(command)                                                                                                  \
    if (system("command -v " command " >/dev/null 2>&1") != 0)                                                         \
    SKIP_WITH("no %s here", command)

static inline void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline void shell(const char *format, ...) {
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static inline void open_at(const char *path, burst_t **log) {
    burst_config_t config;
    burst_config_init(&config);
    config.ring = path;
    config.main = main_of(scratch_path("log"));
    config.durability = BURST_DURABILITY_PROCESS;
    if (burst_open(&config, log) < 0)
        fail_msg("%s", burst_last_error());
}

static inline void assert_ring_refused(const char *path, int code, const char *word) {
    burst_config_t config;
    burst_config_init(&config);
    config.ring = path;
    config.main = main_of(scratch_path("log"));
    config.durability = BURST_DURABILITY_PROCESS;
    assert_refused(&config, code, word);
}

static inline void use_ring(const char *path) {
    burst_t *log;
    for (int i = 0; i < 2; i++) {
        open_at(path, &log);
        for (int n = 0; n < 50; n++)
            assert_true(burst_append(log, "a record\n", 9, 0) > 0);
        assert_int_equal(burst_close(log), 0);
    }
}

#define DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
