/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/log_device.h"

#include <stdio.h>

#include "cli/media.h"
#include "cli/show.h"
#include "cli/text.h"
#include "device/host/survival.h"
#include "outlet/raw/view.h"

static void print(struct report *report, const struct device *device, const struct raw_view *view) {
    static const char *const verdicts[] = {"valid", "absent", "damaged", "unknown"};
    const struct raw_header *header = &view->header;
    char uuid[33], created[40];
    for (int i = 0; i < 16; i++) {
        snprintf(uuid + 2 * i, 3, "%02x", header->uuid[i]);
    }
    text_time(header->created_ns, 0, created, sizeof created);
    report_text(report, "log device", device->path);
    show_holders(report, device);
    report_text(report, "survives", survival_name(device->survives));
    report_text(report, "because", device->survives_because);
    media_report_device(report, device);
    report_group(report, "header");
    report_text(report, "copy 0", verdicts[view->copies[0]]);
    report_text(report, "copy 1", verdicts[view->copies[1]]);
    report_number(report, "version", header->version);
    report_text(report, "uuid", uuid);
    report_text(report, "created", created);
    report_number(report, "capacity bytes", header->capacity_bytes);
    report_group_end(report);
    if (view->newest < 0) {
        report_text(report, "log bytes", "unknown: both end slots are damaged");
    } else {
        report_number(report, "log bytes", raw_view_length(view));
        report_number(report, "generation", view->ends[view->newest].generation);
    }
}

int log_device_print(const struct device *device, int json) {
    struct raw_medium *medium;
    struct raw_view view;
    if (raw_medium_of_device(device, DEVICE_READ_ONLY, &medium) < 0) {
        return 0;
    }
    const int rc = raw_view_read(medium, device->path, &view);
    medium->ops->close(medium);
    if (rc < 0) {
        return 0;
    }
    struct report report;
    report_begin(&report, stdout, json);
    print(&report, device, &view);
    report_end(&report);
    return view.newest < 0 || view.copies[0] != RAW_VALID || view.copies[1] != RAW_VALID ? 2 : 1;
}
