/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog info`, `dump` and `verify` read a ring while writers go round it many times. */
#include "log_fixture.h"

#include <sys/statvfs.h>

#include "cli/run.h"

#define RING_BYTES (2u << 20)
#define THREADS 2
#define THREAD_BYTES_MAX (400ull << 20) /* then it rests */
#define ROOM_BYTES (2ull << 30)         /* free space for all that they write */
#define ROUNDS 12

static struct {
    burst_t *log;
    atomic_int is_over;
} writers;

static void *write_without_end(void *argument) {
    (void)argument;
    char record[3000];
    memset(record, 'r', sizeof record);
    record[sizeof record - 1] = '\n';
    for (uint64_t n = 0, bytes = 0; !atomic_load(&writers.is_over) && bytes < THREAD_BYTES_MAX; n++) {
        const size_t length = 100 + n * 61 % 2900;
        assert_true(burst_append(writers.log, record + sizeof record - length, length, 0) > 0);
        bytes += length;
    }
    return NULL;
}

static int says(const char *words) {
    char command[256];
    snprintf(command, sizeof command, "grep -q '%s' %s/said", words, folder);
    return system(command) == 0;
}

static void assert_tells_no_loss(const char *command) {
    const int code = run("%s %s >%s/said", command, ring_path, folder);
    if (code != 0 || says("LOST") || says("^refused") || !says("statement: ")) {
        fail_msg("%s exits with %d, see %s/said", command, code, folder);
    }
}

static void look_beside_writers(uint32_t io) {
    burst_config_t config = small_config();
    config.ring_bytes = RING_BYTES;
    config.io = io;
    writers.log = open_with(&config);
    atomic_store(&writers.is_over, 0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_without_end, NULL), 0);
    }
    const uint64_t before = stats_of(writers.log).device_bytes;
    for (int round = 0; round < ROUNDS; round++) {
        assert_tells_no_loss("info");
        assert_tells_no_loss("dump");
        assert_tells_no_loss("verify");
        assert_true(says("no damage found"));
    }
    const uint64_t laps = (stats_of(writers.log).device_bytes - before) / RING_BYTES;
    fprintf(stderr, "%d commands, %llu laps\n", 3 * ROUNDS, (unsigned long long)laps);
    atomic_store(&writers.is_over, 1);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_true(laps > 0);
    assert_int_equal(burst_close(writers.log), 0);
}

static void nothing_is_lost_beside_a_writer(void **state) {
    (void)state;
    look_beside_writers(BURST_IO_PWRITE);
}

static void nothing_is_lost_beside_a_writer_of_a_mapped_ring(void **state) {
    (void)state;
    look_beside_writers(BURST_IO_MAPPED);
}

int main(void) {
    struct statvfs room;
    if (statvfs("/dev/shm", &room) < 0 || (uint64_t)room.f_bavail * room.f_frsize < ROOM_BYTES ||
        chdir("/dev/shm") < 0) {
        fprintf(stderr, "live_ring_test: no room in /dev/shm; here the writers may be slower\n");
    }
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_lost_beside_a_writer),
        TEST(nothing_is_lost_beside_a_writer_of_a_mapped_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
