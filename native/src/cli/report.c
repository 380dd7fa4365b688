/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

static void print_json_text(FILE *out, const char *text) {
    fputc('"', out);
    const uint8_t *c = (const uint8_t *)text;
    for (size_t left = strlen(text), step; left > 0; left -= step, c += step) {
        step = text_character(c, left);
        if (step == 0) {
            step = 1;
            fprintf(out, "\\u%04x", *c < 0x80 ? *c : 0xfffd); /* U+FFFD for a byte that is no text */
        } else {
            fputs(*c == '"' || *c == '\\' ? "\\" : "", out);
            fwrite(c, 1, step, out);
        }
    }
    fputc('"', out);
}

/* People see the heading "log file", programs the key "log_file". */
static void print_json_name(FILE *out, const char *name) {
    fputc('"', out);
    for (; *name != '\0'; name++) {
        fputc(*name == ' ' ? '_' : *name, out);
    }
    fputs("\": ", out);
}

/* Prints everything before the value. */
static void begin_field(struct report *report, const char *name) {
    if (report->json) {
        fputs(report->fields++ > 0 ? ",\n" : "\n", report->out);
        fprintf(report->out, "%*s", 2 * report->depth, "");
        if (name != NULL) {
            print_json_name(report->out, name);
        }
    } else {
        fprintf(report->out, "%*s%s", 2 * (report->depth - 1), "", name == NULL ? "-" : name);
    }
}

static void open_bracket(struct report *report, const char *bracket) {
    fputs(report->json ? bracket : "\n", report->out);
    report->depth++;
    report->fields = 0;
}

static void close_bracket(struct report *report, const char *bracket) {
    report->depth--;
    if (report->json) {
        if (report->fields > 0) {
            fprintf(report->out, "\n%*s", 2 * report->depth, "");
        }
        fputs(bracket, report->out);
    }
    report->fields = 1;
}

void report_begin(struct report *report, FILE *out, int json) {
    *report = (struct report){.out = out, .json = json, .depth = 1};
    if (json) {
        fputc('{', out);
    }
}

void report_end(struct report *report) {
    if (report->json) {
        fputs("\n}\n", report->out);
    }
}

void report_group(struct report *report, const char *name) {
    begin_field(report, name);
    open_bracket(report, "{");
}

void report_group_end(struct report *report) {
    close_bracket(report, "}");
}

void report_list(struct report *report, const char *name) {
    begin_field(report, name);
    open_bracket(report, "[");
}

void report_list_end(struct report *report) {
    close_bracket(report, "]");
}

void report_number(struct report *report, const char *name, uint64_t value) {
    begin_field(report, name);
    fprintf(report->out, report->json ? "%" PRIu64 : ": %" PRIu64 "\n", value);
}

void report_text(struct report *report, const char *name, const char *value) {
    begin_field(report, name);
    if (report->json) {
        print_json_text(report->out, value);
    } else {
        fputs(": ", report->out);
        text_print(report->out, value, strlen(value), 0);
        fputc('\n', report->out);
    }
}

void report_bytes(struct report *report, const char *name, const void *bytes, size_t length) {
    begin_field(report, name);
    fputs(report->json ? "\"" : ": \"", report->out);
    text_print(report->out, bytes, length, report->json);
    fputs(report->json ? "\"" : "\"\n", report->out);
}

void report_flag(struct report *report, const char *name, int value) {
    begin_field(report, name);
    fprintf(report->out, report->json ? "%s" : ": %s\n",
            report->json ? (value ? "true" : "false") : (value ? "yes" : "no"));
}
