/* SPDX-License-Identifier: Apache-2.0 */
/* Writing cache lines back: the chosen instruction, and the lines that it reaches. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/host/writeback.h"

#define PAGE_BYTES 4096u

static void the_best_instruction_that_the_processor_has_is_chosen(void **state) {
    (void)state;
    assert_null(writeback_choose(0));
#if defined(__x86_64__)
    assert_string_equal(writeback_choose(WRITEBACK_FLUSH)->name, "clflush");
    assert_string_equal(writeback_choose(WRITEBACK_FLUSH | WRITEBACK_FLUSH_OPTIMIZED)->name, "clflushopt");
    assert_string_equal(writeback_choose(WRITEBACK_FLUSH | WRITEBACK_FLUSH_OPTIMIZED | WRITEBACK_KEEP)->name, "clwb");
    assert_string_equal(writeback_choose(WRITEBACK_FLUSH | WRITEBACK_KEEP)->name, "clwb");
#elif defined(__aarch64__)
    assert_string_equal(writeback_choose(WRITEBACK_FLUSH)->name, "dc cvac");
    assert_string_equal(writeback_choose(WRITEBACK_FLUSH | WRITEBACK_PERSIST)->name, "dc cvap");
#endif
    assert_true(writeback_features_here() & WRITEBACK_FLUSH);
}

/* The signal that ends writing back [begin, end) of a page between two pages that may not be touched. */
static int signal_of(const struct writeback *writeback, ptrdiff_t begin, ptrdiff_t end) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        uint8_t *pages = mmap(NULL, 3 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE) < 0)
            _exit(1);
        memset(pages + PAGE_BYTES, 1, PAGE_BYTES);
        writeback->range(pages + PAGE_BYTES + begin, (size_t)(end - begin));
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void every_line_of_the_range_is_reached_and_no_other(void **state) {
    (void)state;
    const uint32_t features[] = {WRITEBACK_FLUSH, WRITEBACK_FLUSH_OPTIMIZED, WRITEBACK_KEEP, WRITEBACK_PERSIST};
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        const struct writeback *writeback = writeback_choose(features[i]);
        if (writeback == NULL || !(writeback_features_here() & features[i])) {
            print_message("not on this processor: feature %u\n", features[i]);
            continue;
        }
        assert_int_equal(signal_of(writeback, 0, PAGE_BYTES), 0);
        assert_int_equal(signal_of(writeback, 1, PAGE_BYTES - 1), 0);
        assert_int_equal(signal_of(writeback, PAGE_BYTES - 1, PAGE_BYTES), 0);
        assert_int_equal(signal_of(writeback, 0, 0), 0);
        assert_int_equal(signal_of(writeback, 63, PAGE_BYTES + 1), SIGSEGV); /* the last line is reached */
        assert_int_equal(signal_of(writeback, -1, 1), SIGSEGV);              /* and so is the first */
    }
}

static void where_nothing_is_written_back_a_page_that_is_gone_is_noticed_all_the_same(void **state) {
    (void)state;
    assert_int_equal(signal_of(&writeback_none, 0, PAGE_BYTES), 0);
    assert_int_equal(signal_of(&writeback_none, 0, 0), 0);
    assert_int_equal(signal_of(&writeback_none, PAGE_BYTES - 64, PAGE_BYTES + 1), SIGSEGV);
    assert_int_equal(signal_of(&writeback_none, -1, 1), SIGSEGV);
}

static void nothing_is_changed_by_it(void **state) {
    (void)state;
    uint8_t bytes[1000], before[1000];
    for (size_t i = 0; i < sizeof bytes; i++)
        before[i] = bytes[i] = (uint8_t)i;
    writeback_choose(writeback_features_here())->range(bytes + 7, 900);
    assert_memory_equal(bytes, before, sizeof bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_instruction_that_the_processor_has_is_chosen),
        cmocka_unit_test(every_line_of_the_range_is_reached_and_no_other),
        cmocka_unit_test(where_nothing_is_written_back_a_page_that_is_gone_is_noticed_all_the_same),
        cmocka_unit_test(nothing_is_changed_by_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
