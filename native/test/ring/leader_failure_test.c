/* SPDX-License-Identifier: Apache-2.0 */
/* The medium fails or stalls while many threads wait for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "append_rules.h"

#define THREADS 8
#define CAPACITY (64u * 4096u)
#define SECOND_NS 1000000000ll

/* Each write takes `pause_ns`, and lasts as long as it is held. The write with number `failing` fails. */
struct slow_device {
    struct device device;
    void *image;
    struct device_write *written;
    long pause_ns;
    int failing;
    int failure; /* 0: -EIO */
    _Atomic int writes;
    _Atomic int is_held, is_under_way;
};

static void nap(long pause_ns) {
    nanosleep(&(struct timespec){.tv_sec = pause_ns / SECOND_NS, .tv_nsec = pause_ns % SECOND_NS}, NULL);
}

static void *slow_image(struct device *device, size_t bytes) {
    return ((struct slow_device *)device)->image = aligned_alloc(4096, bytes);
}

static void slow_submit(struct device *device, struct device_write *write) {
    struct slow_device *slow = (struct slow_device *)device;
    atomic_store(&slow->is_under_way, 1);
    nap(slow->pause_ns);
    while (atomic_load(&slow->is_held)) {
        nap(1000000);
    }
    write->result = ++slow->writes == slow->failing ? (slow->failure != 0 ? slow->failure : -EIO) : 0;
    slow->written = write;
}

static struct device_write *slow_complete(struct device *device) {
    return ((struct slow_device *)device)->written;
}

static const struct device_ops slow_ops = {
    .name = "slow", .image = slow_image, .submit = slow_submit, .complete = slow_complete};

static struct events events;
static struct ring_rule rule; /* of every append */

static struct ring *make_ring(struct slow_device *slow, int64_t timeout_ns) {
    slow->device = (struct device){.ops = &slow_ops, .platform = &platform_linux, .write_depth = 1, .path = "slow"};
    const struct ring_geometry geometry = {.capacity_bytes = CAPACITY, .block_bytes = 4096, .crc_seed = 7};
    const struct ring_limits limits = {.max_record_bytes = 4000};
    struct ring *ring;
    rule = (struct ring_rule){.on_full = RING_ON_FULL_BLOCK, .timeout_ns = timeout_ns};
    events_init(&events, &platform_linux);
    assert_int_equal(ring_create(&platform_linux, &slow->device, &events, &geometry, &limits, &ring), 0);
    ring_begin(ring, &(struct ring_start){.position = 4096, .next_sequence = 1, .epoch = 1});
    return ring;
}

static void *append_until_refused(void *argument) {
    for (;;) {
        const int64_t rc = ring_append(argument, "record\n", 7, 0, &stream_0, &rule);
        if (rc < 0) {
            return (void *)(intptr_t)rc;
        }
    }
}

static void a_failed_write_returns_every_waiting_append(void **state) {
    (void)state;
    for (int failing = 1; failing < 12; failing++) {
        struct slow_device slow = {.pause_ns = 2000000, .failing = failing};
        struct ring *ring = make_ring(&slow, -1);
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, append_until_refused, ring), 0);
        }
        struct timespec deadline;
        clock_gettime(CLOCK_REALTIME, &deadline);
        deadline.tv_sec += 20;
        for (int i = 0; i < THREADS; i++) {
            void *rc;
            assert_int_equal(pthread_timedjoin_np(threads[i], &rc, &deadline), 0);
            assert_int_equal((int)(intptr_t)rc, -EIO);
        }
        assert_int_equal(ring_enqueue(ring, "x", 1, 0, &stream_0, &rule), -EIO);
        assert_int_equal(slow.writes, failing);
        ring_destroy(ring);
        free(slow.image);
    }
}

static void a_vanished_device_is_called_that(void **state) {
    (void)state;
    struct slow_device slow = {.failing = 1, .failure = -ENODEV};
    struct ring *ring = make_ring(&slow, -1);
    assert_int_equal(ring_append(ring, "x", 1, 0, &stream_0, &rule), -EIO);
    assert_non_null(strstr(ring->failure, "the device has vanished or shrunk"));
    ring_destroy(ring);
    free(slow.image);
}

static void *commit_when_asked(void *argument) {
    struct ring *ring = argument;
    while (atomic_load(&ring->enqueued) == 0) {
        nap(1000000);
    }
    ring_commit(ring);
    return NULL;
}

static void an_append_that_timed_out_on_the_medium_is_committed_all_the_same(void **state) {
    (void)state;
    struct slow_device slow = {.is_held = 1};
    struct ring *ring = make_ring(&slow, SECOND_NS / 20);
    pthread_t leader, committer;
    assert_int_equal(pthread_create(&committer, NULL, commit_when_asked, ring), 0);
    assert_int_equal(pthread_create(&leader, NULL, append_until_refused, ring), 0);
    while (!atomic_load(&slow.is_under_way)) {
        nap(1000000);
    }
    assert_int_equal(ring_append(ring, "late\n", 5, 0, &stream_0, &rule), -EINPROGRESS);
    const uint64_t late = ring_next_sequence(ring) - 1;
    atomic_store(&slow.is_held, 0);
    pthread_join(committer, NULL);
    uint64_t position, next_sequence;
    ring_durable(ring, &position, &next_sequence);
    assert_true(next_sequence > late);
    ring_refuse(ring);
    pthread_join(leader, NULL);
    ring_destroy(ring);
    free(slow.image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_write_returns_every_waiting_append),
        cmocka_unit_test(a_vanished_device_is_called_that),
        cmocka_unit_test(an_append_that_timed_out_on_the_medium_is_committed_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
