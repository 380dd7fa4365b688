/* SPDX-License-Identifier: Apache-2.0 */
/* What `burstlog info` says about the media of ring and log file. */
#ifndef BURST_CLI_MEDIA_H
#define BURST_CLI_MEDIA_H

#include "cli/report.h"
#include "device/device.h"

/* The group "device", and before it "file system" of a ring file, with what the kernel says. */
void media_report_device(struct report *report, const struct device *device);

/* What the log file survives. */
void media_report_log_file(struct report *report, const char *path);

#endif
