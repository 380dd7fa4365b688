/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of `burstlog info` about the media of ring and log file. */
#ifndef BURST_CLI_MEDIA_H
#define BURST_CLI_MEDIA_H

#include "cli/report.h"
#include "device/device.h"

/* Reports the group "device", with the kernel's facts. For a ring file the group "file system" comes first. */
void media_report_device(struct report *report, const struct device *device);

/* Reports which losses the log file survives. */
void media_report_log_file(struct report *report, const char *path);

#endif
