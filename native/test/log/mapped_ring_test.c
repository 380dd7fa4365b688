/* SPDX-License-Identifier: Apache-2.0 */
/* A log whose ring is mapped memory. It does all that a log on a block device does, at the granularity of cache
 * lines. A mapping can also lose its pages under a running writer. */
#include "log_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/statfs.h>

#include "device/backend/bus_handler.h"
#include "device/open.h"
#include "log/engine.h"
#include "log/log.h"

#define RING_BYTES (2 * 1024 * 1024)
#define RECORD_BYTES 256

static burst_config_t mapped_config(void) {
    burst_config_t config = small_config();
    config.io = BURST_IO_MAPPED;
    return config;
}

static burst_t *open_mapped(void) {
    const burst_config_t config = mapped_config();
    take_bus_handler_back();
    return open_with(&config);
}

static void make_record(char *record, unsigned number) {
    memset(record, 'a' + (int)(number % 26), RECORD_BYTES);
    snprintf(record, 16, "%08u", number);
    record[8] = ' ';
    record[RECORD_BYTES - 1] = '\n';
}

static int64_t append_number(burst_t *log, unsigned number) {
    char record[RECORD_BYTES];
    make_record(record, number);
    return burst_append(log, record, sizeof record, 0);
}

/* Returns the number of the last record in the log file. The file begins with `first` and has no gap; anything
 * else in it fails the test. */
static unsigned last_in_file(unsigned first) {
    char wanted[RECORD_BYTES], found[RECORD_BYTES];
    FILE *file = fopen(file_path, "r");
    assert_non_null(file);
    unsigned number = first - 1;
    size_t got;
    while ((got = fread(found, 1, sizeof found, file)) > 0) {
        assert_int_equal(got, RECORD_BYTES);
        make_record(wanted, ++number);
        assert_memory_equal(found, wanted, RECORD_BYTES);
    }
    fclose(file);
    return number;
}

static void records_pass_through_many_laps_and_opens_and_each_costs_its_lines(void **state) {
    (void)state;
    unsigned number = 0;
    for (int session = 0; session < 3; session++) {
        burst_t *log = open_mapped();
        const uint64_t before = stats_of(log).device_bytes;
        for (int i = 0; i < 8000; i++) {
            number++;
            assert_int_equal(append_number(log, number), number);
        }
        /* 56 + 256 bytes are five lines; each lap may end with a pad */
        assert_in_range(stats_of(log).device_bytes - before, 8000 * 320, 8000 * 320 + 3 * 320);
        assert_int_equal(burst_close(log), 0);
    }
    assert_int_equal(last_in_file(1), number);
}

static void its_commits_end_at_lines_and_only_mapping_writes_it(void **state) {
    (void)state;
    burst_t *log = open_mapped();
    assert_int_equal(log->engine->ring->geometry.line_bytes, 64);
    assert_int_equal(append_number(log, 1), 1);
    assert_int_equal(burst_close(log), 0);
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    assert_refused(&config, EINVAL, "open it with io=mapped");
    config.io = BURST_IO_AUTO;
    log = open_with(&config);
    assert_string_equal(log->device->ops->name, "mapped");
    assert_int_equal(append_number(log, 2), 2);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(last_in_file(1), 2);
}

static void a_ring_made_for_blocks_can_be_mapped_and_is_still_one_for_blocks(void **state) {
    (void)state;
    burst_config_t config = small_config();
    unsigned number = 0;
    for (int session = 0; session < 4; session++) {
        config.io = session % 2 == 0 ? BURST_IO_PWRITE : BURST_IO_MAPPED;
        burst_t *log = open_with(&config);
        assert_int_equal(log->engine->ring->geometry.line_bytes, 0);
        assert_string_equal(log->device->ops->name, session % 2 == 0 ? "pwrite" : "mapped");
        for (int i = 0; i < 700; i++) {
            number++;
            assert_int_equal(append_number(log, number), number);
        }
        assert_int_equal(burst_close(log), 0);
    }
    assert_int_equal(last_in_file(1), number);
}

static void a_full_ring_says_so_and_goes_on_when_it_is_drained(void **state) {
    (void)state;
    burst_config_t config = mapped_config();
    main_config.on_full = BURST_ON_FULL_FAIL;
    burst_t *log = open_with(&config);
    assert_int_equal(append_number(log, 1), 1);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    block_file(); /* it deletes record 1 */
    int64_t rc = 1;
    unsigned number = 1;
    while (rc > 0) {
        rc = append_number(log, number + 1);
        number += rc > 0;
    }
    assert_int_equal(rc, -EAGAIN);
    assert_true(number > (RING_BYTES / 2 - 8 * 4096) / 320); /* with a block for each record a tenth would fit */
    unblock_file();
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(last_in_file(2), number);
}

static void what_was_acknowledged_before_a_kill_is_there_after_it(void **state) {
    (void)state;
    _Atomic unsigned *acknowledged =
        mmap(NULL, sizeof *acknowledged, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (unsigned round = 0; round < 12; round++) {
        const unsigned until = atomic_load(acknowledged) + 100;
        const pid_t child = fork();
        if (child == 0) {
            burst_t *log = open_mapped();
            for (unsigned number = atomic_load(acknowledged) + 1;; number++) {
                atomic_store(acknowledged, (unsigned)append_number(log, number));
            }
        }
        while (atomic_load(acknowledged) < until) {
            usleep(100);
        }
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        burst_t *log = open_mapped();
        const uint64_t accepted = stats_of(log).accepted_sequence;
        assert_in_range(accepted, atomic_load(acknowledged), atomic_load(acknowledged) + 1);
        assert_int_equal(burst_close(log), 0);
        atomic_store(acknowledged, (unsigned)accepted);
        assert_int_equal(last_in_file(1), accepted);
    }
    munmap((void *)acknowledged, sizeof *acknowledged);
}

static void more_than_the_process_is_refused_and_leaves_no_file(void **state) {
    (void)state;
    burst_config_t config = mapped_config();
    config.durability = BURST_DURABILITY_OS_CRASH;
    assert_refused(&config, EMEDIUMTYPE, "tmpfs keeps its files in memory");
    assert_int_equal(access(ring_path, F_OK), -1);
}

static void *append_until_it_fails(void *argument) {
    burst_t *log = argument;
    int64_t rc = 1;
    for (unsigned number = 1; rc > 0; number++) {
        rc = append_number(log, number);
    }
    return (void *)(intptr_t)rc;
}

/* SIGBUS is row 18 of docs/faults.md. The process lives on, the ring fails, and the log file holds no phantom. */
static void a_ring_that_is_cut_under_its_writer_fails_and_the_process_lives(void **state) {
    (void)state;
    for (int round = 0; round < 8; round++) {
        burst_t *log = open_mapped();
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, append_until_it_fails, log), 0);
        while (stats_of(log).durable_sequence < 500) {
            usleep(100);
        }
        assert_int_equal(truncate(ring_path, round % 2 == 0 ? 1024 * 1024 : 1024 * 1024 + 100 * 4096), 0);
        void *rc;
        pthread_join(thread, &rc);
        assert_int_equal((intptr_t)rc, -EIO);
        assert_int_equal(append_number(log, 1), -EIO);
        if (strstr(burst_last_error(), "has failed") == NULL) {
            fail_msg("%s", burst_last_error());
        }
        const uint64_t durable = stats_of(log).durable_sequence;
        burst_close(log);
        assert_true(last_in_file(1) <= durable);
        burst_config_t config = mapped_config();
        assert_refused(&config, EUCLEAN, "it was cut");
        assert_int_equal(unlink(ring_path), 0);
        assert_int_equal(unlink(file_path), 0);
    }
}

static void a_log_on_another_ring_goes_on_beside_one_that_was_cut(void **state) {
    (void)state;
    burst_t *cut = open_mapped();
    char other_ring[160], other_file[160];
    snprintf(other_ring, sizeof other_ring, "%s.other", ring_path);
    snprintf(other_file, sizeof other_file, "%s.other", file_path);
    burst_config_t config = mapped_config();
    config.ring = other_ring;
    main_config.file_name = other_file;
    burst_t *whole = open_with(&config);
    assert_int_equal(append_number(cut, 1), 1);
    assert_int_equal(truncate(ring_path, 4096), 0);
    int64_t rc = 1;
    for (unsigned number = 2; rc > 0; number++) {
        rc = append_number(cut, number);
    }
    assert_int_equal(rc, -EIO);
    for (int i = 0; i < 1000; i++) {
        assert_true(append_number(whole, 1) > 0);
    }
    burst_close(cut);
    assert_int_equal(burst_close(whole), 0);
}

/* The records there are lost; empty pages must not be taken for records. */
static void a_page_lost_while_open_is_not_drained_as_zeros(void **state) {
    (void)state;
    burst_t *log = open_mapped();
    assert_int_equal(append_number(log, 1), 1);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    block_file();
    for (unsigned number = 2; number <= 1000; number++) {
        assert_int_equal(append_number(log, number), number);
    }
    /* Block 0 has the marker; the next pages have 60 whole records. */
    assert_int_equal(truncate(ring_path, 1024 * 1024 + 5 * 4096), 0);
    unblock_file();
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), -EIO);
    assert_non_null(strstr(burst_last_error(), "has all before the first record that is lost"));
    const int64_t drained = stats_of(log).drained_sequence;
    assert_int_equal(burst_is_drained(log, drained), 1);
    assert_int_equal(burst_is_drained(log, drained + 1), -EIO);
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 0) == 1) {
        assert_null(strstr(event.text, "cannot be written: EIO")); /* the ring is to blame, not the log file */
    }
    burst_close(log);
    assert_int_equal(last_in_file(2), drained);
    assert_in_range(drained, 2, 1 + 4 * 4096 / 320);
}

int main(void) {
    struct statfs status;
    if (statfs("/dev/shm", &status) < 0 || status.f_type != 0x01021994 || chdir("/dev/shm") < 0) {
        fprintf(stderr, "SKIPPED mapped_ring_test: /dev/shm is no tmpfs\n");
        return 77;
    }
    install_bus_handler();
    const struct CMUnitTest tests[] = {
        TEST(records_pass_through_many_laps_and_opens_and_each_costs_its_lines),
        TEST(its_commits_end_at_lines_and_only_mapping_writes_it),
        TEST(a_ring_made_for_blocks_can_be_mapped_and_is_still_one_for_blocks),
        TEST(a_full_ring_says_so_and_goes_on_when_it_is_drained),
        TEST(what_was_acknowledged_before_a_kill_is_there_after_it),
        TEST(more_than_the_process_is_refused_and_leaves_no_file),
        TEST(a_ring_that_is_cut_under_its_writer_fails_and_the_process_lives),
        TEST(a_log_on_another_ring_goes_on_beside_one_that_was_cut),
        TEST(a_page_lost_while_open_is_not_drained_as_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
