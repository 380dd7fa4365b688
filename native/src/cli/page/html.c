/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/page/html.h"

#include <string.h>
#include <time.h>

#include "cli/text.h"

static const char *entity_of(char character) {
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_text(FILE *out, const char *text) {
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t left = strlen(text); left > 0;) {
        const size_t length = text_character(bytes, left);
        const char *const entity = entity_of((char)*bytes);
        if (entity != NULL) {
            fputs(entity, out);
        } else if (length == 0) {
            fprintf(out, "\\x%02x", *bytes);
        } else {
            fwrite(bytes, 1, length, out);
        }
        bytes += length == 0 ? 1 : length;
        left -= length == 0 ? 1 : length;
    }
}

void html_time(FILE *out, int64_t time_ns, int is_short) {
    const time_t seconds = (time_t)(time_ns / 1000000000);
    struct tm local;
    char text[80];
    if (localtime_r(&seconds, &local) != NULL &&
        strftime(text, sizeof text, is_short ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &local) > 0) {
        fputs(text, out);
    }
}
