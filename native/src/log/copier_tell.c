/* SPDX-License-Identifier: Apache-2.0 */
#include "log/copier_tell.h"

void copier_tell_missing(const struct copier_tell *tell, uint64_t from, uint64_t end) {
    events_post(tell->events, EVENT_WARN,
                "copy %s of ring %s goes on with record %llu: records %llu to %llu are not in it, and not in the ring "
                "any more; the log file has them",
                tell->copy, tell->ring, (unsigned long long)end, (unsigned long long)from, (unsigned long long)end - 1);
}

void copier_tell_back(const struct copier_tell *tell, uint64_t next) {
    events_post(tell->events, EVENT_ERROR, "copy %s of ring %s is back, and goes on with record %llu", tell->copy,
                tell->ring, (unsigned long long)next);
}

void copier_tell_unsure(const struct copier_tell *tell, uint64_t last_sequence, uint32_t last_epoch) {
    events_post(tell->events, EVENT_WARN,
                "copy %s of ring %s ends with record %llu of epoch %u, and the log was drained without it in a later "
                "one: the last records of the copy may be some that a crash took from the log; compare the two",
                tell->copy, tell->ring, (unsigned long long)last_sequence, last_epoch);
}

void copier_tell_away(const struct copier_tell *tell, uint64_t next) {
    events_post(tell->events, EVENT_ERROR,
                "copy %s of ring %s is away: records from %llu on have one copy only until it begins again", tell->copy,
                tell->ring, (unsigned long long)next);
}

void copier_tell_kept(const struct copier_tell *tell, uint64_t from, uint64_t end) {
    events_post(tell->events, EVENT_WARN,
                "the log on ring %s closes while copy %s lacks records %llu to %llu: they stay in the ring, and the "
                "next open with that copy hands them out",
                tell->ring, tell->copy, (unsigned long long)from, (unsigned long long)end - 1);
}

void copier_tell_alone(const struct copier_tell *tell, int has_begun, uint64_t from, uint64_t end) {
    events_post(
        tell->events, EVENT_ERROR,
        "the log on ring %s closes while copy %s %s: as far as the log knows, records %llu to %llu have one copy "
        "only; the next open with that copy hands out those that are in the ring, and names the others",
        tell->ring, tell->copy, has_begun ? "is away" : "was not reached", (unsigned long long)from,
        (unsigned long long)end - 1);
}
