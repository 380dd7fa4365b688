/* SPDX-License-Identifier: Apache-2.0 */
/* A record is the bytes that were copied, even if the caller's buffer changes during the copy. */
#include "ring/fake_device.h"

#include <signal.h>
#include <sys/mman.h>

#define PAGES 9u
#define RECORD_LONG (PAGES * BLOCK_BYTES)

static uint8_t callers[RECORD_LONG];
static uint8_t *guarded;          /* a page in the midst of the copy's target */
static size_t copied, not_copied; /* where the caller's buffer changes when the copy gets there */
static volatile sig_atomic_t touched;

/* A part of the copy is done: changes the caller's buffer at two places. One is copied, the other is not. */
static void change_the_callers_bytes(int signal, siginfo_t *info, void *context) {
    (void)context;
    if ((uint8_t *)info->si_addr < guarded || (uint8_t *)info->si_addr >= guarded + BLOCK_BYTES || touched++ > 0) {
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        return;
    }
    callers[copied] = callers[not_copied] = 'x';
    mprotect(guarded, BLOCK_BYTES, PROT_READ | PROT_WRITE);
}

/* Appends a record whose copy gets to the page behind `position` when it has copied `copied`, and judges it. */
static void append_while_it_changes(struct ring *ring, size_t length, uint64_t position, uint8_t *page) {
    struct sigaction before;
    const struct sigaction action = {.sa_sigaction = change_the_callers_bytes, .sa_flags = SA_SIGINFO};
    memset(callers, 'a', sizeof callers);
    guarded = page;
    touched = 0;
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    assert_int_equal(mprotect(guarded, BLOCK_BYTES, PROT_NONE), 0);
    const int64_t sequence = ring_append(ring, callers, length, 0, &stream_0, &fake_rule);
    mprotect(guarded, BLOCK_BYTES, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before, NULL);
    assert_true(sequence > 0);
    assert_int_equal(touched, 1);
    assert_int_equal(record_judge(fake_device.medium, LARGE_BYTES, position, SEED), RECORD_VALID);
}

static void a_record_is_whole_although_the_callers_buffer_changes_under_its_copy(void **state) {
    (void)state;
    struct ring *ring = begun_ring(LARGE_BYTES, 1);
    copied = BLOCK_BYTES;
    not_copied = RECORD_LONG - BLOCK_BYTES;
    append_while_it_changes(ring, RECORD_LONG, BLOCK_BYTES, fake_device.image + (1 + PAGES / 2) * BLOCK_BYTES);
}

/* A short record is copied in blocks of three runs of 64 bytes, 16 bytes of each run at a time. Here the second run of the
 * second block is about to be copied, and the beginning of the first one is. */
static void a_short_record_is_whole_although_the_callers_buffer_changes_under_its_copy(void **state) {
    (void)state;
    static const uint8_t before[BLOCK_BYTES];
    const size_t until_the_page = 192 + 64 + 8;
    const uint64_t position = 2 * BLOCK_BYTES - until_the_page - RECORD_HEADER_BYTES;
    struct ring *ring = begun_ring(LARGE_BYTES, 1);
    assert_true(ring_enqueue(ring, before, position - BLOCK_BYTES - RECORD_HEADER_BYTES, 0, &stream_0, &fake_rule) > 0);
    copied = 192;
    not_copied = 599;
    append_while_it_changes(ring, 600, position, fake_device.image + 2 * BLOCK_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_record_is_whole_although_the_callers_buffer_changes_under_its_copy),
        RING_TEST(a_short_record_is_whole_although_the_callers_buffer_changes_under_its_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
