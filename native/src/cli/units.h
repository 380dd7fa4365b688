/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with units, short enough for a table. */
#ifndef BURST_CLI_UNITS_H
#define BURST_CLI_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define UNITS_ROOM 32 /* each text fits, with its terminator */

/* "870 ns", "7.2 us", "1.3 ms", "12 s": two digits at least. */
const char *units_time(uint64_t ns, char text[UNITS_ROOM]);

/* "512 B", "1.5 KiB", "16.0 MiB". */
const char *units_bytes(uint64_t bytes, char text[UNITS_ROOM]);

/* "4,711,002". */
const char *units_count(uint64_t count, char text[UNITS_ROOM]);

#endif
