/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/history.h"

#include <stddef.h>

#define MINUTE_NS 60000000000

int history_add(struct history *history, const struct figures *figures) {
    const struct figures *before = &history->before;
    if (before->bytes != 0 && figures->monotonic_ns == before->monotonic_ns && before->pid == figures->pid) {
        return 0;
    }
    struct flight_step *const sample = &history->samples[history->count % HISTORY_SAMPLES];
    const int goes_on = flight_step(before, figures, &history->scratch, sample);
    history->count = goes_on ? history->count + 1 : 0;
    history->before = *figures;
    return goes_on;
}

const struct flight_step *history_sample(const struct history *history, unsigned back) {
    return back < history->count && back < HISTORY_SAMPLES
               ? &history->samples[(history->count - 1 - back) % HISTORY_SAMPLES]
               : NULL;
}

/* The samples may reach back further: no sample is added while the log is not seen. */
static int is_of_last_minute(const struct history *history, const struct flight_step *sample) {
    return sample->monotonic_ns > history->before.monotonic_ns - MINUTE_NS;
}

const struct flight_step *history_slowest(const struct history *history) {
    const struct flight_step *slowest = NULL;
    for (unsigned back = 0; back < HISTORY_SAMPLES; back++) {
        const struct flight_step *sample = history_sample(history, back);
        if (sample != NULL && is_of_last_minute(history, sample) && sample->slowest_ns > 0 &&
            (slowest == NULL || sample->slowest_ns > slowest->slowest_ns)) {
            slowest = sample;
        }
    }
    return slowest;
}
