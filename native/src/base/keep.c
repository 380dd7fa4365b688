/* SPDX-License-Identifier: Apache-2.0 */
#include "base/keep.h"

int64_t keep_time_ns(const struct timespec *changed) {
    const int64_t most_s = INT64_MAX / 1000000000 - 1, s = changed->tv_sec;
    return s < 0 ? 0 : (s < most_s ? s : most_s) * 1000000000 + changed->tv_nsec;
}

int keep_is_beyond(const struct keep_limits *limits, const struct keep_sum *sum, int64_t age_ns) {
    return age_ns > limits->age_ns || sum->count > limits->count || sum->bytes > limits->bytes;
}

static void add(struct keep_sum *sum, uint64_t bytes) {
    sum->count++;
    sum->bytes = bytes > UINT64_MAX - sum->bytes ? UINT64_MAX : sum->bytes + bytes;
}

int keep_goes(struct keep *keep, const struct keep_thing *thing) {
    const struct keep_rule *rule = keep->rule;
    const int64_t age_ns = keep->now_ns - thing->changed_ns;
    const int is_over = keep->newer.bytes >= rule->least_bytes && (rule->least_ns == 0 || age_ns >= rule->least_ns);
    if (rule->in_order || age_ns <= rule->limits.age_ns) {
        add(&keep->newer, thing->bytes);
    }
    const int is_beyond = keep_is_beyond(&rule->limits, &keep->newer, age_ns);
    return thing->need != KEEP_ALWAYS && (is_beyond || (is_over && thing->need == KEEP_FREE));
}
