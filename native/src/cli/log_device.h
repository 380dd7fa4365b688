/* SPDX-License-Identifier: Apache-2.0 */
/* What `burstlog info` says of a device that holds a log and no ring. */
#ifndef BURST_CLI_LOG_DEVICE_H
#define BURST_CLI_LOG_DEVICE_H

#include "cli/report.h"
#include "device/device.h"

/* 1 if it was shown, 2 if something of it is damaged; 0: it is none. */
int log_device_print(const struct device *device, int json);

#endif
