/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tasks that must not wait here, and of the waker that waits for them: burstlog_tasks.h. */
#include <errno.h>

#include "base/error.h"
#include "log/log.h"
#include "ring/progress.h"

int burst_await_progress(burst_t *log, burst_progress_t *progress, int64_t timeout_ns) {
    if (progress->struct_bytes != sizeof *progress) {
        return error_set(EINVAL,
                         "burst_progress_t has %zu bytes here and %u in the caller: set struct_bytes, and build "
                         "against the burstlog.h of this library",
                         sizeof *progress, progress->struct_bytes);
    }
    const int alive = log_check_alive(log);
    if (alive < 0) {
        return alive;
    }
    struct progress seen = {.durable_next_sequence = (uint64_t)progress->durable_sequence + 1,
                            .freed = progress->freed,
                            .drains = progress->drains,
                            .nudges = progress->nudges,
                            .is_failed = progress->is_failed,
                            .is_closing = progress->is_closing,
                            .is_over = progress->is_over,
                            .wants_space = progress->wants_space};
    const int changed = ring_await_progress(log->ring, &seen, progress->space_since_ns, seen.is_over ? 0 : timeout_ns);
    progress->durable_sequence = (int64_t)seen.durable_next_sequence - 1;
    progress->freed = seen.freed;
    progress->drains = seen.drains;
    progress->nudges = seen.nudges;
    progress->is_failed = seen.is_failed;
    progress->is_closing = seen.is_closing;
    progress->is_over = seen.is_over;
    progress->wants_space = seen.wants_space;
    return changed || !seen.is_over ? changed : error_set(ESHUTDOWN, "the log on ring %s is closed", log->ring->path);
}

void burst_nudge(burst_t *log) {
    if (ring_is_alive(log->ring)) {
        progress_nudge(log->ring);
    }
}
