/* SPDX-License-Identifier: Apache-2.0 */
#include "media/figures.h"

int figures_tame(struct figures *figures) {
    if (figures->bytes != sizeof *figures) {
        return 0;
    }
    figures->event[sizeof figures->event - 1] = '\0';
    figures->failure[sizeof figures->failure - 1] = '\0';
    figures->ring[sizeof figures->ring - 1] = '\0';
    figures->copy.name[sizeof figures->copy.name - 1] = '\0';
    if (figures->consumer_count > FIGURES_CONSUMERS) {
        figures->consumer_count = FIGURES_CONSUMERS;
    }
    for (unsigned i = 0; i < FIGURES_CONSUMERS; i++) {
        figures->consumers[i].name[FIGURES_NAME_BYTES - 1] = '\0';
    }
    for (unsigned stage = 0; stage < FIGURES_STAGES; stage++) {
        struct histogram *const histogram = &figures->stages[stage];
        histogram->count = histogram_count(histogram);
    }
    return 1;
}
