/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/platform.h"

#define MS 1000000ll

static const struct platform *const host = &platform_linux;
static _Atomic uint32_t word;
static _Atomic int parked_result;

static void *park_on_zero(void *timeout_ns) {
    int result = host->ops->park(host, &word, 0, *(int64_t *)timeout_ns);
    atomic_store(&parked_result, result == 0 ? 1 : result);
    return NULL;
}

static void a_parked_thread_sleeps_until_it_is_unparked(void **state) {
    (void)state;
    pthread_t sleeper;
    int64_t for_ever = -1;
    atomic_store(&word, 0);
    atomic_store(&parked_result, 0);
    pthread_create(&sleeper, NULL, park_on_zero, &for_ever);
    host->ops->sleep_ns(host, 50 * MS);
    assert_int_equal(atomic_load(&parked_result), 0);
    atomic_store(&word, 1);
    host->ops->unpark(host, &word, 1);
    pthread_join(sleeper, NULL);
    assert_int_equal(atomic_load(&parked_result), 1);
}

static void parking_on_another_value_returns_at_once(void **state) {
    (void)state;
    atomic_store(&word, 5);
    assert_int_equal(host->ops->park(host, &word, 4, -1), 0);
}

static void parking_ends_with_a_timeout(void **state) {
    (void)state;
    atomic_store(&word, 0);
    int64_t start_ns = platform_monotonic_ns(host);
    assert_int_equal(host->ops->park(host, &word, 0, 30 * MS), -ETIMEDOUT);
    assert_true(platform_monotonic_ns(host) - start_ns >= 30 * MS);
    assert_int_equal(host->ops->park(host, &word, 0, 0), -ETIMEDOUT);
}

static void unpark_wakes_as_many_as_it_is_told(void **state) {
    (void)state;
    pthread_t sleepers[4];
    int64_t for_ever = -1;
    atomic_store(&word, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&sleepers[i], NULL, park_on_zero, &for_ever);
    host->ops->sleep_ns(host, 50 * MS);
    atomic_store(&word, 1);
    host->ops->unpark(host, &word, 4);
    for (int i = 0; i < 4; i++)
        pthread_join(sleepers[i], NULL);
}

static void ignore(int signal_number) {
    (void)signal_number;
}

static void a_signal_wakes_a_parked_thread_without_an_error(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = ignore};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t sleeper;
    int64_t long_ns = 600000 * MS;
    atomic_store(&word, 0);
    atomic_store(&parked_result, 0);
    pthread_create(&sleeper, NULL, park_on_zero, &long_ns);
    for (int i = 0; i < 12000 && atomic_load(&parked_result) == 0; i++) {
        host->ops->sleep_ns(host, 5 * MS);
        pthread_kill(sleeper, SIGUSR1);
    }
    pthread_join(sleeper, NULL);
    assert_int_equal(atomic_load(&parked_result), 1);
}

static _Atomic int64_t slept_ns;

static void *sleep_60_ms(void *unused) {
    (void)unused;
    int64_t start_ns = platform_monotonic_ns(host);
    host->ops->sleep_ns(host, 60 * MS);
    atomic_store(&slept_ns, platform_monotonic_ns(host) - start_ns);
    return NULL;
}

static void a_sleep_is_not_cut_short_by_signals(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = ignore};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t sleeper;
    pthread_create(&sleeper, NULL, sleep_60_ms, NULL);
    for (int i = 0; i < 3; i++) {
        host->ops->sleep_ns(host, 10 * MS);
        pthread_kill(sleeper, SIGUSR1);
    }
    pthread_join(sleeper, NULL);
    assert_true(atomic_load(&slept_ns) >= 60 * MS);
}

static int resident_pages(void *memory, size_t bytes) {
    unsigned char resident[64] = {0};
    size_t pages = bytes / 4096, count = 0;
    assert_int_equal(mincore(memory, bytes, resident), 0);
    for (size_t i = 0; i < pages; i++)
        count += resident[i] & 1;
    return (int)count;
}

static void image_memory_is_zeroed_aligned_and_already_there(void **state) {
    (void)state;
    size_t bytes = 48 * 4096;
    uint8_t *image = platform_allocate(host, bytes, PLATFORM_IMAGE);
    assert_non_null(image);
    assert_int_equal((uintptr_t)image % 4096, 0);
    assert_int_equal(resident_pages(image, bytes), 48);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(image[i], 0);
    platform_release(host, image, bytes);

    uint8_t *plain = platform_allocate(host, 5000, PLATFORM_PLAIN);
    assert_non_null(plain);
    plain[8191] = 1;
    platform_release(host, plain, 5000);
}

static void an_image_is_there_also_where_memory_may_not_be_locked(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_MEMLOCK, &none);
        if (geteuid() == 0 && setuid(65534) < 0)
            _exit(3);
        uint8_t *image = platform_allocate(host, 48 * 4096, PLATFORM_IMAGE);
        if (image == NULL || syscall(SYS_mlock, image, 4096) == 0)
            _exit(2);
        _exit(resident_pages(image, 48 * 4096) == 48 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void too_much_memory_is_null_and_not_the_end(void **state) {
    (void)state;
    assert_null(platform_allocate(host, (size_t)1 << 46, PLATFORM_IMAGE));
    assert_null(platform_allocate(host, SIZE_MAX, PLATFORM_IMAGE));
    assert_null(platform_allocate(host, SIZE_MAX, PLATFORM_PLAIN));
}

static void a_forked_child_does_not_have_the_image(void **state) {
    (void)state;
    uint8_t *image = platform_allocate(host, 8192, PLATFORM_IMAGE);
    image[0] = 7;
    pid_t child = fork();
    if (child == 0) {
        unsigned char resident[2];
        _exit(mincore(image, 8192, resident) < 0 && errno == ENOMEM ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    platform_release(host, image, 8192);
}

static void random_bits_differ_and_are_never_zero(void **state) {
    (void)state;
    uint64_t first = host->ops->random(host), second = host->ops->random(host);
    assert_true(first != 0 && second != 0 && first != second);
}

static void clocks_count_nanoseconds_forward(void **state) {
    (void)state;
    assert_true(platform_realtime_ns(host) > 1600000000000000000ll);
    for (int i = 0; i < 20; i++) {
        int64_t before_ns = platform_monotonic_ns(host);
        host->ops->sleep_ns(host, 2 * MS);
        int64_t took_ns = platform_monotonic_ns(host) - before_ns;
        assert_true(took_ns >= 2 * MS);
        if (took_ns <= 2000 * MS)
            return;
    }
    fail_msg("%s", "20 sleeps of 2 ms took more than 2 s each");
}

static void a_child_finds_the_words_of_its_parent_zeroed_and_gets_others(void **state) {
    (void)state;
    enum { WORDS = 3000 }; /* of several pages */
    static _Atomic uint32_t *words[WORDS];
    for (int i = 0; i < WORDS; i++) {
        words[i] = host->ops->allocate(host, sizeof *words[i], PLATFORM_WIPED_IN_CHILD);
        assert_int_equal(atomic_exchange(words[i], 1), 0);
    }
    host->ops->release(host, (void *)words[7], sizeof *words[7]);
    const pid_t child = fork();
    if (child == 0) {
        int bad = 0;
        for (int i = 0; i < WORDS; i++) {
            _Atomic uint32_t *own = host->ops->allocate(host, sizeof *own, PLATFORM_WIPED_IN_CHILD);
            atomic_store(own, 1);
        }
        for (int i = 0; i < WORDS; i++)
            bad |= atomic_load(words[i]) != 0;
        _exit(bad);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(atomic_load(words[i]), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parked_thread_sleeps_until_it_is_unparked),
        cmocka_unit_test(parking_on_another_value_returns_at_once),
        cmocka_unit_test(parking_ends_with_a_timeout),
        cmocka_unit_test(unpark_wakes_as_many_as_it_is_told),
        cmocka_unit_test(a_signal_wakes_a_parked_thread_without_an_error),
        cmocka_unit_test(a_sleep_is_not_cut_short_by_signals),
        cmocka_unit_test(image_memory_is_zeroed_aligned_and_already_there),
        cmocka_unit_test(an_image_is_there_also_where_memory_may_not_be_locked),
        cmocka_unit_test(too_much_memory_is_null_and_not_the_end),
        cmocka_unit_test(a_forked_child_does_not_have_the_image),
        cmocka_unit_test(random_bits_differ_and_are_never_zero),
        cmocka_unit_test(clocks_count_nanoseconds_forward),
        cmocka_unit_test(a_child_finds_the_words_of_its_parent_zeroed_and_gets_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
