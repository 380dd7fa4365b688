/* SPDX-License-Identifier: Apache-2.0 */
/* A record is the bytes that were copied, even if the caller's buffer changes during the copy. */
#include "ring/fake_device.h"

#include <signal.h>
#include <sys/mman.h>

#define PAGES 9u
#define RECORD_LONG (PAGES * BLOCK_BYTES)

static uint8_t callers[RECORD_LONG];
static uint8_t *guarded; /* a page in the midst of the copy's target */
static volatile sig_atomic_t touched;

/* Half of the copy is done: changes the caller's buffer at both ends. One end is copied, the other is not. */
static void change_the_callers_bytes(int signal, siginfo_t *info, void *context) {
    (void)context;
    if ((uint8_t *)info->si_addr < guarded || (uint8_t *)info->si_addr >= guarded + BLOCK_BYTES || touched++ > 0) {
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        return;
    }
    callers[BLOCK_BYTES] = callers[RECORD_LONG - BLOCK_BYTES] = 'x';
    mprotect(guarded, BLOCK_BYTES, PROT_READ | PROT_WRITE);
}

static void a_record_is_whole_although_the_callers_buffer_changes_under_its_copy(void **state) {
    (void)state;
    struct ring *ring = begun_ring(LARGE_BYTES, 1);
    struct sigaction before;
    const struct sigaction action = {.sa_sigaction = change_the_callers_bytes, .sa_flags = SA_SIGINFO};
    memset(callers, 'a', sizeof callers);
    guarded = fake_device.image + (1 + PAGES / 2) * BLOCK_BYTES;
    touched = 0;
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    assert_int_equal(mprotect(guarded, BLOCK_BYTES, PROT_NONE), 0);
    const int64_t sequence = ring_append(ring, callers, sizeof callers, 0, 0, &fake_rule);
    mprotect(guarded, BLOCK_BYTES, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(sequence, 1);
    assert_int_equal(touched, 1);
    assert_int_equal(record_judge(fake_device.medium, LARGE_BYTES, BLOCK_BYTES, SEED), RECORD_VALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_record_is_whole_although_the_callers_buffer_changes_under_its_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
