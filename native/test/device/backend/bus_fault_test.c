/* SPDX-License-Identifier: Apache-2.0 */
/* In a guarded mapping SIGBUS has the page replaced. Anywhere else the handler that was there before gets it. Each test
 * is a process of its own, for the handler is installed once in the life of one. */
#include "device/media.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "device/backend/bus_fault.h"

#define PAGE_BYTES 4096u
#define PAGES 8u
#define THREADS 8
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static _Atomic uint32_t lost_pages;
static sigjmp_buf escape;
static siginfo_t seen;

/* Maps a file that is then cut to its first half. */
static uint8_t *map_a_cut_file(void) {
    const int fd = (int)syscall(SYS_memfd_create, "cut", MFD_CLOEXEC);
    CHECK(fd >= 0 && ftruncate(fd, PAGES * PAGE_BYTES) == 0);
    uint8_t *base = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(base != MAP_FAILED);
    memset(base, 7, PAGES * PAGE_BYTES);
    CHECK(ftruncate(fd, PAGES / 2 * PAGE_BYTES) == 0);
    return base;
}

static struct guarded_range range_of(uint8_t *base) {
    return (struct guarded_range){.base = base,
                                  .bytes = PAGES * PAGE_BYTES,
                                  .page_bytes = PAGE_BYTES,
                                  .protection = PROT_READ | PROT_WRITE,
                                  .lost_pages = &lost_pages};
}

static void remember_and_escape(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    seen = *info;
    siglongjmp(escape, 1);
}

static void be_first_on_sigbus(void) {
    struct sigaction theirs = {.sa_sigaction = remember_and_escape, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &theirs, NULL);
}

static void lose_a_page(void) {
    uint8_t *base = map_a_cut_file();
    struct guarded_range range = range_of(base);
    CHECK(bus_fault_guard(&range) == 0);
    CHECK(base[PAGE_BYTES] == 7);
    CHECK(!bus_fault_has_lost(&range, 0, PAGES * PAGE_BYTES) && lost_pages == 0);
    base[5 * PAGE_BYTES + 100] = 9;
    CHECK(lost_pages == 1);
    CHECK(base[5 * PAGE_BYTES] == 0 && base[5 * PAGE_BYTES + 100] == 9);
    CHECK(bus_fault_has_lost(&range, 5 * PAGE_BYTES, 1) && bus_fault_has_lost(&range, 6 * PAGE_BYTES - 1, 1));
    CHECK(!bus_fault_has_lost(&range, 4 * PAGE_BYTES, PAGE_BYTES) && !bus_fault_has_lost(&range, 6 * PAGE_BYTES, 1));
    CHECK(base[PAGE_BYTES] == 7);
    CHECK(base[6 * PAGE_BYTES] == 0 && lost_pages == 2);
}

static void *touch_all_that_is_gone(void *base) {
    for (unsigned page = PAGES / 2; page < PAGES; page++)
        atomic_fetch_add((_Atomic uint8_t *)base + page * PAGE_BYTES, 1);
    return NULL;
}

static void fault_in_many_threads(void) {
    for (int round = 0; round < 50; round++) {
        uint8_t *base = map_a_cut_file();
        struct guarded_range range = range_of(base);
        CHECK(bus_fault_guard(&range) == 0);
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            CHECK(pthread_create(&threads[i], NULL, touch_all_that_is_gone, base) == 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        CHECK(bus_fault_has_lost(&range, PAGES / 2 * PAGE_BYTES, 1));
        bus_fault_release(&range);
        munmap(base, PAGES * PAGE_BYTES);
    }
    CHECK(lost_pages >= 50 * PAGES / 2);
}

static void fault_elsewhere(void) {
    be_first_on_sigbus();
    uint8_t *guarded = map_a_cut_file(), *other = map_a_cut_file();
    struct guarded_range range = range_of(guarded);
    CHECK(bus_fault_guard(&range) == 0);
    if (sigsetjmp(escape, 1) == 0) {
        other[7 * PAGE_BYTES + 5] = 1;
        CHECK(!"it was let go on");
    }
    CHECK(seen.si_addr == other + 7 * PAGE_BYTES + 5 && seen.si_code == BUS_ADRERR && lost_pages == 0);
    guarded[7 * PAGE_BYTES] = 1;
    CHECK(lost_pages == 1);
    bus_fault_release(&range);
    if (sigsetjmp(escape, 1) == 0) {
        guarded[6 * PAGE_BYTES] = 1;
        CHECK(!"it is guarded still");
    }
    CHECK(seen.si_addr == guarded + 6 * PAGE_BYTES && lost_pages == 1);
}

static void send_a_signal(void) {
    be_first_on_sigbus();
    struct guarded_range range = range_of(map_a_cut_file());
    CHECK(bus_fault_guard(&range) == 0);
    if (sigsetjmp(escape, 1) == 0) {
        const union sigval inside = {.sival_ptr = range.base}; /* a fault would have this address */
        sigqueue(getpid(), SIGBUS, inside);
        CHECK(!"it was swallowed");
    }
    CHECK(seen.si_code == SI_QUEUE && lost_pages == 0);
}

static void fault_elsewhere_with_nobody_there(void) {
    struct guarded_range range = range_of(map_a_cut_file());
    CHECK(bus_fault_guard(&range) == 0);
    map_a_cut_file()[7 * PAGE_BYTES] = 1;
}

static void send_with_nobody_there(void) {
    struct guarded_range range = range_of(map_a_cut_file());
    CHECK(bus_fault_guard(&range) == 0);
    raise(SIGBUS);
}

/* The child has other memory at these addresses. */
static void fault_in_a_child(void) {
    be_first_on_sigbus();
    struct guarded_range range = range_of(map_a_cut_file());
    CHECK(bus_fault_guard(&range) == 0);
    const pid_t child = fork();
    if (child == 0) {
        if (sigsetjmp(escape, 1) == 0)
            range.base[7 * PAGE_BYTES] = 1;
        _exit(seen.si_addr == range.base + 7 * PAGE_BYTES ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void guard_too_many(void) {
    static struct guarded_range ranges[GUARDED_RANGES_MAX + 1];
    for (int i = 0; i <= GUARDED_RANGES_MAX; i++) {
        ranges[i] = range_of(map_a_cut_file());
        CHECK(bus_fault_guard(&ranges[i]) == (i < GUARDED_RANGES_MAX ? 0 : -EUSERS));
    }
    bus_fault_release(&ranges[3]);
    CHECK(bus_fault_guard(&ranges[GUARDED_RANGES_MAX]) == 0);
    ranges[GUARDED_RANGES_MAX].base[7 * PAGE_BYTES] = 1;
    CHECK(lost_pages == 1);
}

/* How a process ends that runs this: 0, or the signal. */
static int end_of(void (*body)(void)) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGBUS, SIG_DFL);
        body();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_page_that_is_gone_is_replaced_and_counted_and_no_other(void **state) {
    (void)state;
    assert_int_equal(end_of(lose_a_page), 0);
}

static void many_threads_that_lose_the_same_pages_all_go_on(void **state) {
    (void)state;
    assert_int_equal(end_of(fault_in_many_threads), 0);
}

static void a_fault_elsewhere_goes_to_the_handler_that_was_there_before(void **state) {
    (void)state;
    assert_int_equal(end_of(fault_elsewhere), 0);
}

static void a_signal_that_was_sent_goes_there_too_whatever_it_carries(void **state) {
    (void)state;
    assert_int_equal(end_of(send_a_signal), 0);
}

static void where_nobody_was_there_before_the_process_dies_as_it_would_have(void **state) {
    (void)state;
    assert_int_equal(end_of(fault_elsewhere_with_nobody_there), SIGBUS);
    assert_int_equal(end_of(send_with_nobody_there), SIGBUS);
}

static void a_forked_child_is_not_under_guard(void **state) {
    (void)state;
    assert_int_equal(end_of(fault_in_a_child), 0);
}

static void more_ranges_than_can_be_guarded_are_refused_until_one_is_released(void **state) {
    (void)state;
    assert_int_equal(end_of(guard_too_many), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_is_gone_is_replaced_and_counted_and_no_other),
        cmocka_unit_test(many_threads_that_lose_the_same_pages_all_go_on),
        cmocka_unit_test(a_fault_elsewhere_goes_to_the_handler_that_was_there_before),
        cmocka_unit_test(a_signal_that_was_sent_goes_there_too_whatever_it_carries),
        cmocka_unit_test(where_nobody_was_there_before_the_process_dies_as_it_would_have),
        cmocka_unit_test(a_forked_child_is_not_under_guard),
        cmocka_unit_test(more_ranges_than_can_be_guarded_are_refused_until_one_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
