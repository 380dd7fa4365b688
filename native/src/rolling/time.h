/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BURST_ROLLING_TIME_H
#define BURST_ROLLING_TIME_H

#include <stdint.h>

#define DAY_S 86400
#define WEEK_S (7 * DAY_S)

/*
 * The first moment after `time_s` at which the clock on the wall shows a multiple of the interval since its midnight, or since
 * that of Monday if that is a week. Seconds since 1970. An interval divides a day, or is a week.
 *
 * When the zone's clocks are set forward or back by a multiple of the interval each of these moments counts, so that every
 * interval has its length. Else the one on which they change has what is left of it; a moment that they leave out is that of
 * the change.
 */
int64_t rolling_time_next(int64_t time_s, int64_t interval_s);

#endif
