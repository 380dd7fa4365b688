/* SPDX-License-Identifier: Apache-2.0 */
/* Where the threads and the image of a running log are. */
#ifndef BURST_CLI_RESIDENCE_H
#define BURST_CLI_RESIDENCE_H

#include "cli/report.h"
#include "device/device.h"
#include "view/ring_view.h"

/* Reports them for each process that has the ring open for writing. Reports nothing if no process has. */
void residence_report(struct report *report, const struct device *device, const struct ring_view *view);

#endif
