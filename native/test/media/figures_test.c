/* SPDX-License-Identifier: Apache-2.0 */
/* Figures from shared memory that may be hostile or half written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "media/window.h"

static struct window window;
static struct figures figures;

static int begin(void **state) {
    (void)state;
    void *memory = aligned_alloc(4096, WINDOW_PAGES_BYTES);
    assert_non_null(memory);
    memset(memory, 0, WINDOW_PAGES_BYTES);
    window = window_at(memory);
    return 0;
}

static int end(void **state) {
    (void)state;
    free(window.head);
    return 0;
}

static void nobody_gets_figures_that_were_never_filled(void **state) {
    (void)state;
    assert_int_equal(window_get_figures(window.lines, window.figures, &figures), 0);
    window.figures->bytes = sizeof figures; /* without the version */
    assert_int_equal(window_get_figures(window.lines, window.figures, &figures), 0);
}

static void half_filled_figures_are_told_apart(void **state) {
    (void)state;
    window_begin_figures(&window);
    window.figures->bytes = sizeof figures;
    window.figures->commits = 7;
    assert_int_equal(window_get_figures(window.lines, window.figures, &figures), -EAGAIN);
    window_end_figures(&window);
    assert_int_equal(window_get_figures(window.lines, window.figures, &figures), 1);
    assert_int_equal(figures.commits, 7);
}

static void figures_of_another_length_are_of_another_version(void **state) {
    (void)state;
    window_begin_figures(&window);
    window.figures->bytes = sizeof figures + 8;
    window_end_figures(&window);
    assert_int_equal(window_get_figures(window.lines, window.figures, &figures), 0);
}

static void hostile_figures_lead_nowhere(void **state) {
    (void)state;
    window_begin_figures(&window);
    memset(window.figures, 0xff, sizeof *window.figures);
    window.figures->bytes = sizeof figures;
    window_end_figures(&window);
    assert_int_equal(window_get_figures(window.lines, window.figures, &figures), 1);
    assert_int_equal(figures.consumer_count, FIGURES_CONSUMERS);
    assert_int_equal(strlen(figures.event), FIGURES_TEXT_BYTES - 1);
    assert_int_equal(strlen(figures.failure), FIGURES_TEXT_BYTES - 1);
    assert_int_equal(strlen(figures.ring), FIGURES_PATH_BYTES - 1);
    assert_int_equal(strlen(figures.copy.name), FIGURES_COPY_BYTES - 1);
    for (unsigned i = 0; i < FIGURES_CONSUMERS; i++) {
        assert_int_equal(strlen(figures.consumers[i].name), FIGURES_NAME_BYTES - 1);
    }
    struct histogram_figures summary;
    for (unsigned stage = 0; stage < FIGURES_STAGES; stage++) {
        histogram_summarize(&figures.stages[stage], &summary);
        assert_int_equal(summary.max_ns, UINT64_MAX);
    }
}

int main(void) {
#define FIGURES_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        FIGURES_TEST(nobody_gets_figures_that_were_never_filled),
        FIGURES_TEST(half_filled_figures_are_told_apart),
        FIGURES_TEST(figures_of_another_length_are_of_another_version),
        FIGURES_TEST(hostile_figures_lead_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
