/* SPDX-License-Identifier: Apache-2.0 */
#include "flight/step.h"

#include "burstlog.h"

void flight_latency(const struct histogram stages[FIGURES_STAGES], struct histogram *latency) {
    *latency = stages[BURST_STAGE_COMMIT_WAIT];
    histogram_add(latency, &stages[BURST_STAGE_ENQUEUE_LAG]);
}

/* Finds the stage that took the longest. A wait for a commit that was its own write is a device write. */
static void find_slowest(const struct histogram *stages, struct flight_step *step) {
    static const unsigned of_calls[] = {BURST_STAGE_CLAIM_WAIT, BURST_STAGE_COPY, BURST_STAGE_COMMIT_WAIT,
                                        BURST_STAGE_ENQUEUE_LAG, BURST_STAGE_COPY_WAIT};
    for (unsigned i = 0; i < sizeof of_calls / sizeof of_calls[0]; i++) {
        const struct histogram *stage = &stages[of_calls[i]];
        if (stage->count > 0 && stage->max_ns > step->slowest_ns) {
            step->slowest_ns = stage->max_ns;
            step->slowest_stage = of_calls[i];
        }
    }
    const struct histogram *writes = &stages[BURST_STAGE_DEVICE_WRITE];
    const int is_commit =
        step->slowest_stage == BURST_STAGE_COMMIT_WAIT || step->slowest_stage == BURST_STAGE_ENQUEUE_LAG;
    if (step->slowest_ns > 0 && is_commit && writes->count > 0 && writes->max_ns >= step->slowest_ns / 5 * 4) {
        step->slowest_stage = BURST_STAGE_DEVICE_WRITE;
    }
}

static uint64_t since(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

int flight_step(const struct figures *before, const struct figures *now, struct flight_scratch *scratch,
                struct flight_step *step) {
    const int64_t elapsed_ns = now->monotonic_ns - before->monotonic_ns;
    if (before->bytes == 0 || before->pid != now->pid || before->epoch != now->epoch || elapsed_ns <= 0 ||
        now->commits < before->commits || now->accepted_sequence < before->accepted_sequence) {
        return 0;
    }
    *step = (struct flight_step){.time_ns = now->time_ns,
                                 .monotonic_ns = now->monotonic_ns,
                                 .seconds = (double)elapsed_ns / 1e9,
                                 .records = since(now->durable_sequence, before->durable_sequence),
                                 .commits = since(now->commits, before->commits),
                                 .bytes = since(now->device_bytes, before->device_bytes),
                                 .full_waits = since(now->full_waits, before->full_waits),
                                 .discarded = since(now->discarded, before->discarded),
                                 .lost = since(now->lost_enqueued, before->lost_enqueued)};
    for (unsigned stage = 0; stage < FIGURES_STAGES; stage++) {
        scratch->stages[stage] = now->stages[stage];
        histogram_subtract(&scratch->stages[stage], &before->stages[stage]);
    }
    flight_latency(scratch->stages, &scratch->latency);
    histogram_summarize(&scratch->latency, &step->latency);
    find_slowest(scratch->stages, step);
    return 1;
}
