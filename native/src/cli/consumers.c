/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/consumers.h"

#include "base/error.h"
#include "base/platform.h"
#include "burstlog.h"
#include "cli/text.h"

#define SECOND_NS 1000000000

static void report_consumer(struct report *report, const burst_consumer_state_t *state, int64_t now_ns) {
    char time[40];
    const int64_t behind_ns = now_ns - state->oldest_event_time_ns;
    report_group(report, NULL);
    report_text(report, "name", state->name);
    report_number(report, "acknowledged number", state->acknowledged);
    if (state->acknowledged > 0) {
        text_time(state->acknowledged_ns, 0, time, sizeof time);
        report_text(report, "acknowledged", time);
    }
    report_number(report, "records behind", state->records);
    report_number(report, "bytes behind", state->bytes);
    /* A record's time may come from any clock that its writer chose. */
    if (state->records == 0 || (state->oldest_event_time_ns > 0 && behind_ns >= 0)) {
        report_number(report, "seconds behind", state->records == 0 ? 0 : (uint64_t)(behind_ns / SECOND_NS));
    }
    report_group_end(report);
}

void consumers_report(struct report *report, const char *folder) {
    burst_consumer_state_t state = {.struct_bytes = sizeof state};
    const int64_t now_ns = platform_realtime_ns(&platform_linux);
    int rc = 0;
    report_list(report, "consumers");
    for (unsigned index = 0; (rc = burst_consumer_look(folder, index, &state)) == 1; index++) {
        report_consumer(report, &state, now_ns);
    }
    report_list_end(report);
    if (rc < 0) {
        report_text(report, "consumers unknown", error_text());
    }
}
