/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/time.h"

#include <time.h>

#define MONDAY_S (4 * DAY_S) /* the first Monday after 1970 began */

static int64_t offset_at(int64_t time_s) {
    const time_t time = (time_t)time_s;
    struct tm local;
    return localtime_r(&time, &local) == NULL ? 0 : local.tm_gmtoff;
}

static int64_t modulo(int64_t value, int64_t by) {
    const int64_t rest = value % by;
    return rest < 0 ? rest + by : rest;
}

int64_t rolling_time_next(int64_t time_s, int64_t interval_s) {
    const int64_t offset = offset_at(time_s);
    const int64_t local = time_s + offset - (interval_s == WEEK_S ? MONDAY_S : 0);
    const int64_t next = time_s + interval_s - modulo(local, interval_s);
    const int64_t shift = offset_at(next) - offset;
    /* If the zone's clocks were set: when they show the time that they would have shown at `next`. */
    const int64_t shown = next - shift;
    const int is_shown = shown > time_s && offset_at(shown) == offset + shift;
    return shift % interval_s == 0 || !is_shown ? next : shown;
}
