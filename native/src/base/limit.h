/* SPDX-License-Identifier: Apache-2.0 */
/* How long one call may wait in all. The call reads the clock only when it has to wait. */
#ifndef BURST_BASE_LIMIT_H
#define BURST_BASE_LIMIT_H

#include "base/platform.h"

struct limit {
    int64_t timeout_ns;  /* < 0: no limit */
    int64_t deadline_ns; /* 0: the call has not waited yet */
};

/* A limit whose time begins with the first wait. timeout_ns < 0: no limit. */
static inline struct limit limit_of(int64_t timeout_ns) {
    return (struct limit){.timeout_ns = timeout_ns};
}

/* The time left; 0: the limit is over, -1: there is no limit. */
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

/* Whether the call has already waited and may wait no longer. */
static inline int limit_is_over(const struct limit *limit, const struct platform *platform) {
    return limit->deadline_ns != 0 && platform_monotonic_ns(platform) >= limit->deadline_ns;
}

/* The shorter of the pause and the time left. */
static inline int64_t limit_pause_ns(int64_t left_ns, int64_t pause_ns) {
    return left_ns >= 0 && left_ns < pause_ns ? left_ns : pause_ns;
}

#endif
