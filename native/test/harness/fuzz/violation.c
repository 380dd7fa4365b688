/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fuzz/violation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "harness/simulator/log.h"

_Noreturn void must_fail(const char *condition, const char *file, int line) {
    fprintf(stderr, "VIOLATION: %s (%s:%d); the last sentence was: %s\n", condition, file, line, error_text());
    abort();
}

/* A violation of the simulator's invariants ends here. */
void violation(const struct world *world, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("VIOLATION: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    for (uint64_t i = world->events.first; i < world->events.end; i++) {
        fprintf(stderr, "  the engine said: %s\n", world->events.kept[i % EVENTS_KEPT].text);
    }
    abort();
}
