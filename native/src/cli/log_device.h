/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of `burstlog info` for a device that holds a log and no ring. */
#ifndef BURST_CLI_LOG_DEVICE_H
#define BURST_CLI_LOG_DEVICE_H

#include "cli/report.h"
#include "device/device.h"

/* Prints the device. Returns 1; 2 if a part of its header is damaged; 0 if it is no log device. */
int log_device_print(const struct device *device, int json);

#endif
