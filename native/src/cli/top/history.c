/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/history.h"

#include "ring/stages.h"

#define MINUTE_NS 60000000000

void history_latency(const struct histogram stages[FIGURES_STAGES], struct histogram *latency) {
    *latency = stages[STAGE_COMMIT_WAIT];
    histogram_add(latency, &stages[STAGE_ENQUEUE_LAG]);
}

/* Finds the stage that took the longest. A wait for a commit that was its own write is a device write. */
static void find_slowest(const struct histogram *stages, struct history_sample *sample) {
    static const enum stage of_calls[] = {STAGE_CLAIM_WAIT, STAGE_COPY, STAGE_COMMIT_WAIT, STAGE_ENQUEUE_LAG};
    for (unsigned i = 0; i < sizeof of_calls / sizeof of_calls[0]; i++) {
        const struct histogram *stage = &stages[of_calls[i]];
        if (stage->count > 0 && stage->max_ns > sample->slowest_ns) {
            sample->slowest_ns = stage->max_ns;
            sample->slowest_stage = of_calls[i];
        }
    }
    const struct histogram *writes = &stages[STAGE_DEVICE_WRITE];
    const int is_commit = sample->slowest_stage == STAGE_COMMIT_WAIT || sample->slowest_stage == STAGE_ENQUEUE_LAG;
    if (sample->slowest_ns > 0 && is_commit && writes->count > 0 && writes->max_ns >= sample->slowest_ns / 5 * 4) {
        sample->slowest_stage = STAGE_DEVICE_WRITE;
    }
}

static uint64_t since(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

int history_add(struct history *history, const struct figures *figures) {
    const struct figures *before = &history->before;
    const int64_t elapsed_ns = figures->monotonic_ns - before->monotonic_ns;
    const int goes_on = before->bytes != 0 && before->pid == figures->pid && elapsed_ns > 0 &&
                        figures->commits >= before->commits && figures->accepted_sequence >= before->accepted_sequence;
    if (before->bytes != 0 && elapsed_ns == 0 && before->pid == figures->pid) {
        return 0;
    }
    if (goes_on) {
        struct history_sample sample = {.time_ns = figures->time_ns,
                                        .monotonic_ns = figures->monotonic_ns,
                                        .seconds = (double)elapsed_ns / 1e9,
                                        .records = since(figures->durable_sequence, before->durable_sequence),
                                        .commits = since(figures->commits, before->commits),
                                        .bytes = since(figures->device_bytes, before->device_bytes)};
        struct histogram latency;
        for (unsigned stage = 0; stage < FIGURES_STAGES; stage++) {
            history->scratch[stage] = figures->stages[stage];
            histogram_subtract(&history->scratch[stage], &before->stages[stage]);
        }
        history_latency(history->scratch, &latency);
        histogram_summarize(&latency, &sample.latency);
        find_slowest(history->scratch, &sample);
        history->samples[history->count++ % HISTORY_SAMPLES] = sample;
    } else {
        history->count = 0;
    }
    history->before = *figures;
    return goes_on;
}

const struct history_sample *history_sample(const struct history *history, unsigned back) {
    return back < history->count && back < HISTORY_SAMPLES
               ? &history->samples[(history->count - 1 - back) % HISTORY_SAMPLES]
               : NULL;
}

/* The samples may reach back further: no sample is added while the log is not seen. */
static int is_of_last_minute(const struct history *history, const struct history_sample *sample) {
    return sample->monotonic_ns > history->before.monotonic_ns - MINUTE_NS;
}

const struct history_sample *history_slowest(const struct history *history) {
    const struct history_sample *slowest = NULL;
    for (unsigned back = 0; back < HISTORY_SAMPLES; back++) {
        const struct history_sample *sample = history_sample(history, back);
        if (sample != NULL && is_of_last_minute(history, sample) && sample->slowest_ns > 0 &&
            (slowest == NULL || sample->slowest_ns > slowest->slowest_ns)) {
            slowest = sample;
        }
    }
    return slowest;
}
