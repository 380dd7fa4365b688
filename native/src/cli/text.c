/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/text.h"

#include <string.h>
#include <time.h>

size_t text_character(const uint8_t *bytes, size_t left) {
    if (bytes[0] < 0x80) {
        return bytes[0] >= 0x20 && bytes[0] != 0x7f;
    }
    const size_t length = bytes[0] >= 0xc2 && bytes[0] <= 0xdf   ? 2
                          : (bytes[0] & 0xf0) == 0xe0            ? 3
                          : bytes[0] >= 0xf0 && bytes[0] <= 0xf4 ? 4
                                                                 : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    uint32_t code = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; /* U+0080 to U+009F are control characters */
    const int is_direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || is_direction ? 0 : length;
}

static void print_backslash(FILE *out, int json) {
    fputs(json ? "\\\\" : "\\", out);
}

static void print_escape(FILE *out, uint8_t byte, int json) {
    print_backslash(out, json);
    switch (byte) {
    case '\n':
        fputc('n', out);
        return;
    case '\r':
        fputc('r', out);
        return;
    case '\t':
        fputc('t', out);
        return;
    default:
        fprintf(out, "x%02x", byte);
    }
}

void text_print(FILE *out, const void *bytes, size_t length, int json) {
    const uint8_t *next = bytes;
    for (size_t left = length, step; left > 0; left -= step, next += step) {
        step = text_character(next, left);
        if (step == 0) {
            step = 1;
            print_escape(out, *next, json);
        } else if (*next == '\\') {
            print_backslash(out, json);
            print_backslash(out, json);
        } else {
            if (json && *next == '"') {
                fputc('\\', out);
            }
            fwrite(next, 1, step, out);
        }
    }
}

void text_time(int64_t time_ns, int fraction, char *text, size_t room) {
    const int64_t below = time_ns % 1000000000;
    const time_t seconds = (time_t)(time_ns / 1000000000 - (below < 0));
    struct tm utc;
    if (gmtime_r(&seconds, &utc) == NULL || strftime(text, room, "%Y-%m-%dT%H:%M:%S", &utc) == 0) {
        snprintf(text, room, "%lld ns", (long long)time_ns);
        return;
    }
    const size_t used = strlen(text);
    if (fraction) {
        snprintf(text + used, room - used, ".%09dZ", (int)(below + (below < 0 ? 1000000000 : 0)));
    } else {
        snprintf(text + used, room - used, "Z");
    }
}
