/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_ROLLING_TIME_H
#define BURST_ROLLING_TIME_H

#include <stdint.h>

#define DAY_S 86400
#define WEEK_S (7 * DAY_S)

/*
 * The first moment after `time_s` at which the clock on the wall shows a multiple of the interval since midnight. For a
 * week it counts from Monday's midnight. Times are seconds since 1970. The interval divides a day, or is a week.
 *
 * The zone's clocks may be set forward or back. If the change is a multiple of the interval, each of these moments
 * counts, so that each interval has its full length. Otherwise the interval of the change ends at its usual time on the
 * wall, and has the rest of its length. If the clocks skip that time, the interval ends when they change.
 */
int64_t rolling_time_next(int64_t time_s, int64_t interval_s);

#endif
