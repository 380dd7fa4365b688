/* SPDX-License-Identifier: Apache-2.0 */
/* The commands print any medium as printable text, and as valid JSON. */
#include <stdlib.h>
#include <string.h>

#include "cli/show.h"
#include "cli/text.h"
#include "harness/fuzz/medium.h"
#include "harness/fuzz/violation.h"

struct json {
    const uint8_t *next;
    const uint8_t *end;
};

static void skip_space(struct json *json) {
    while (json->next < json->end && (*json->next == ' ' || *json->next == '\n')) {
        json->next++;
    }
}

static int take(struct json *json, char c) {
    skip_space(json);
    if (json->next == json->end || *json->next != c) {
        return 0;
    }
    json->next++;
    return 1;
}

static void take_string(struct json *json) {
    MUST(take(json, '"'));
    for (;;) {
        MUST(json->next < json->end);
        if (*json->next == '"') {
            json->next++;
            return;
        }
        const size_t step = text_character(json->next, (size_t)(json->end - json->next));
        MUST(step > 0);
        if (*json->next == '\\') {
            MUST(json->next + 1 < json->end && strchr("\"\\u", json->next[1]) != NULL);
            json->next++;
        }
        json->next += step;
    }
}

static void take_value(struct json *json);

static void take_members(struct json *json, char close, int named) {
    if (take(json, close)) {
        return;
    }
    do {
        if (named) {
            take_string(json);
            MUST(take(json, ':'));
        }
        take_value(json);
    } while (take(json, ','));
    MUST(take(json, close));
}

static void take_value(struct json *json) {
    static const char *const words[] = {"true", "false"};
    skip_space(json);
    if (take(json, '{')) {
        take_members(json, '}', 1);
        return;
    }
    if (take(json, '[')) {
        take_members(json, ']', 0);
        return;
    }
    MUST(json->next < json->end);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(json->end - json->next) >= length && memcmp(json->next, words[i], length) == 0) {
            json->next += length;
            return;
        }
    }
    if (*json->next == '"') {
        take_string(json);
        return;
    }
    const uint8_t *first = json->next;
    while (json->next < json->end && *json->next >= '0' && *json->next <= '9') {
        json->next++;
    }
    MUST(json->next > first);
}

static void check_json(const char *text, size_t bytes) {
    struct json json = {.next = (const uint8_t *)text, .end = (const uint8_t *)text + bytes};
    take_value(&json);
    skip_space(&json);
    MUST(json.next == json.end);
}

static void check_text(const char *text, size_t bytes) {
    for (size_t at = 0, step; at < bytes; at += step) {
        step = text[at] == '\n' ? 1 : text_character((const uint8_t *)text + at, bytes - at);
        MUST(step > 0);
    }
}

/* A command may refuse any ring. */
static void check_print_refused(int as_json, struct world *world) {
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    MUST(out != NULL);
    struct report report;
    report_begin(&report, out, as_json);
    dump_print_refused(&report, &world->device.device, "the reason");
    report_end(&report);
    fclose(out);
    (as_json ? check_json : check_text)(text, bytes);
    free(text);
}

static void check_print(show_print *print, int as_json, struct world *world, const struct ring_view *view) {
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    MUST(out != NULL);
    struct report report;
    report_begin(&report, out, as_json);
    print(&report, &world->device.device, view);
    report_end(&report);
    fclose(out);
    (as_json ? check_json : check_text)(text, bytes);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct medium medium;
    medium_decode(&medium, data, size);
    struct world *world = medium_to_world(&medium);
    struct ring_view *view;
    if (ring_view_open(&world->platform, &world->device.device, &view) == 0) {
        for (int as_json = 0; as_json < 2; as_json++) {
            check_print(info_print, as_json, world, view);
            check_print(dump_print, as_json, world, view);
            check_print(verify_print, as_json, world, view);
        }
        ring_view_close(&world->platform, view);
    }
    check_print_refused(0, world);
    check_print_refused(1, world);
    MUST(world->allocations == 0);
    return 0;
}
