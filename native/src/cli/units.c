/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/units.h"

#include <stdio.h>

static const char *scaled(double value, const char *unit, char *text) {
    snprintf(text, UNITS_ROOM, value < 99.95 ? "%.1f %s" : "%.0f %s", value, unit);
    return text;
}

const char *units_time(uint64_t ns, char text[UNITS_ROOM]) {
    static const char *const units[] = {"us", "ms"};
    if (ns < 1000) {
        snprintf(text, UNITS_ROOM, "%llu ns", (unsigned long long)ns);
        return text;
    }
    double value = (double)ns / 1000;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++, value /= 1000) {
        if (value < 999.5) {
            return scaled(value, units[i], text);
        }
    }
    return scaled(value, "s", text);
}

const char *units_bytes(uint64_t bytes, char text[UNITS_ROOM]) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        snprintf(text, UNITS_ROOM, "%llu B", (unsigned long long)bytes);
        return text;
    }
    double value = (double)bytes / 1024;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++, value /= 1024) {
        if (value < 1023.5) {
            return scaled(value, units[i], text);
        }
    }
    return scaled(value, "PiB", text);
}

const char *units_count(uint64_t count, char text[UNITS_ROOM]) {
    char digits[UNITS_ROOM];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *out++ = ',';
        }
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}
