/* SPDX-License-Identifier: Apache-2.0 */
/* How long one call may wait in all. The clock is read only once the call has to wait. */
#ifndef BURST_BASE_LIMIT_H
#define BURST_BASE_LIMIT_H

#include "base/platform.h"

struct limit {
    int64_t timeout_ns;  /* < 0: none */
    int64_t deadline_ns; /* 0: the call has not waited yet */
};

/* Begins with the first wait. timeout_ns < 0: for ever. */
static inline struct limit limit_of(int64_t timeout_ns) {
    return (struct limit){.timeout_ns = timeout_ns};
}

/* What is left of it; 0: nothing, -1: there is no limit. */
static inline int64_t limit_left_ns(struct limit *limit, const struct platform *platform) {
    if (limit->timeout_ns < 0) {
        return -1;
    }
    if (limit->deadline_ns == 0) {
        limit->deadline_ns = platform_deadline_ns(platform, limit->timeout_ns);
        return limit->timeout_ns;
    }
    const int64_t left_ns = limit->deadline_ns - platform_monotonic_ns(platform);
    return left_ns > 0 ? left_ns : 0;
}

/* Whether a call that has waited must wait no more. */
static inline int limit_is_over(const struct limit *limit, const struct platform *platform) {
    return limit->deadline_ns != 0 && platform_monotonic_ns(platform) >= limit->deadline_ns;
}

/* The shorter of a pause and what is left. */
static inline int64_t limit_pause_ns(int64_t left_ns, int64_t pause_ns) {
    return left_ns >= 0 && left_ns < pause_ns ? left_ns : pause_ns;
}

#endif
