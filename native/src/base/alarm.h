/* SPDX-License-Identifier: Apache-2.0 */
/* An event that makes calls of the log wait or fail is told at once, and then every minute as long as it lasts. */
#ifndef BURST_BASE_ALARM_H
#define BURST_BASE_ALARM_H

#define ALARM_EVERY_NS 60000000000ll

#endif
