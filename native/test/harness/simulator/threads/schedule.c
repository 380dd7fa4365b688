/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/threads/schedule.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/simulator/world.h"

#define RARELY_IN 10
#define USUAL_TURNS 150 /* A usual run has about so many turns: changes of priority are worth most within them. */

void schedule_by_seed(struct schedule *schedule, uint64_t seed) {
    uint64_t state = seed ^ 0x5bd1e995cafef00dull;
    schedule->count = schedule->listed = schedule->fresh = schedule->turns = 0;
    schedule->path = 0;
    schedule->muted = 0;
    schedule->way = SCHEDULE_ANY + random_next(&state) % 3;
    schedule->lowest = 1000;
    for (unsigned i = 0; i < SCHEDULE_THREADS_MAX; i++) {
        schedule->priorities[i] = 1001 + (uint32_t)(random_next(&state) % 1000);
    }
    for (unsigned i = 0; i < 4; i++) {
        schedule->change_at[i] = (uint32_t)(random_next(&state) % USUAL_TURNS);
    }
    schedule->random_state = random_next(&state);
}

void schedule_by_list(struct schedule *schedule, uint32_t listed) {
    schedule->way = SCHEDULE_LISTED;
    schedule->count = 0;
    schedule->path = 0;
    schedule->listed = listed;
    schedule->muted = 0;
}

int schedule_advance(struct schedule *schedule, uint32_t depth, uint32_t preemptions) {
    uint32_t spent = 0; /* preemptions before the decision that is looked at */
    for (uint32_t i = 0; i < schedule->count; i++) {
        spent += schedule->made[i].preempts && schedule->made[i].taken != 0;
    }
    for (uint32_t i = schedule->count; i-- > 0;) {
        struct decision *decision = &schedule->made[i];
        spent -= decision->preempts && decision->taken != 0;
        if (i < depth && decision->taken + 1 < decision->options && spent + decision->preempts <= preemptions) {
            decision->taken++;
            schedule->fresh = i;
            schedule_by_list(schedule, i + 1);
            return 1;
        }
    }
    return 0;
}

/* Makes a decision and notes it: as listed, else as wanted. */
static unsigned decide(struct schedule *schedule, unsigned wanted, unsigned options, int preempts) {
    if (schedule->count == SCHEDULE_DECISIONS_MAX) {
        return wanted;
    }
    struct decision *decision = &schedule->made[schedule->count];
    if (schedule->count < schedule->listed) {
        if ((decision->options != 0 && decision->options != options) || decision->taken >= options) {
            fprintf(stderr, "decision %u has %u options and had %u: the same schedule runs differently\n",
                    schedule->count, options, decision->options);
            abort();
        }
        wanted = decision->taken;
    }
    *decision = (struct decision){.taken = (uint8_t)wanted, .options = (uint8_t)options, .preempts = (uint8_t)preempts};
    schedule->count++;
    schedule->path = (schedule->path ^ (wanted + 1)) * 0x100000001b3ull;
    return wanted;
}

static unsigned highest_priority(struct schedule *schedule, const uint8_t *ready, unsigned count) {
    const uint32_t turn = schedule->turns++;
    for (unsigned i = 0; i < 4; i++) {
        if (schedule->change_at[i] == turn) {
            schedule->priorities[ready[0]] = --schedule->lowest;
        }
    }
    unsigned best = 0;
    for (unsigned i = 1; i < count; i++) {
        best = schedule->priorities[ready[i]] > schedule->priorities[ready[best]] ? i : best;
    }
    return best;
}

static unsigned wanted_thread(struct schedule *schedule, const uint8_t *ready, unsigned count, int first_runs) {
    switch (schedule->way) {
    case SCHEDULE_ANY:
        return (unsigned)(random_next(&schedule->random_state) % count);
    case SCHEDULE_RARELY:
        return first_runs && random_next(&schedule->random_state) % RARELY_IN != 0
                   ? 0
                   : (unsigned)(random_next(&schedule->random_state) % count);
    case SCHEDULE_PRIORITIES:
        return highest_priority(schedule, ready, count);
    default:
        return 0;
    }
}

unsigned schedule_thread(struct schedule *schedule, const uint8_t *ready, unsigned count, int first_runs) {
    return count == 1 || schedule->muted
               ? 0
               : decide(schedule, wanted_thread(schedule, ready, count, first_runs), count, first_runs);
}

unsigned schedule_pick(struct schedule *schedule, unsigned options) {
    if (options <= 1 || schedule->muted) {
        return 0;
    }
    const unsigned wanted =
        schedule->way == SCHEDULE_LISTED ? 0 : (unsigned)(random_next(&schedule->random_state) % options);
    return decide(schedule, wanted, options, 0);
}

void schedule_print(const struct schedule *schedule, char *text, unsigned text_bytes) {
    uint32_t count = schedule->count;
    while (count > 0 && schedule->made[count - 1].taken == 0) {
        count--;
    }
    unsigned used = (unsigned)snprintf(text, text_bytes, count == 0 ? "0" : "%s", "");
    for (uint32_t i = 0; i < count && used + 4 < text_bytes; i++) {
        used += (unsigned)snprintf(text + used, text_bytes - used, i == 0 ? "%u" : ".%u", schedule->made[i].taken);
    }
}

int schedule_parse(struct schedule *schedule, const char *text) {
    int count = 0;
    while (*text != '\0') {
        char *end;
        const unsigned long taken = strtoul(text, &end, 10);
        if (end == text || taken > UINT8_MAX || (*end != '.' && *end != '\0') || count == SCHEDULE_DECISIONS_MAX) {
            return -1;
        }
        schedule->made[count++] = (struct decision){.taken = (uint8_t)taken}; /* options: 0, any number fits */
        text = *end == '.' ? end + 1 : end;
    }
    return count;
}
