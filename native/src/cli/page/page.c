/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/page/page.h"

#include "burstlog.h"
#include "cli/page/html.h"
#include "cli/units.h"
#include "ring/stages.h"

#define FRESH_NS 5000000000ll
#define NOTES_MOST 500u

static const char style[] =
    ":root{color-scheme:light dark;--fg:#1f2328;--dim:#59636e;--bg:#fff;--plot:#f6f8fa;--grid:#d8dee4;--off:#dde2e7;"
    "--area:#2a78b8;--warn:#b35900;--bad:#c4161c;--l1:#c6dbef;--l2:#9ecae1;--l3:#6baed6;--l4:#3182bd;--l5:#08519c;"
    "--l6:#08264d}\n"
    "@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--dim:#9aa4af;--bg:#0d1117;--plot:#161b22;--grid:#2b323b;"
    "--off:#30363d;--area:#58a6e0;--warn:#f0a050;--bad:#ff7b72;--l1:#123a5c;--l2:#1a5a8a;--l3:#2c7fb8;--l4:#5aa9d6;"
    "--l5:#9fd0ee;--l6:#eaf6ff}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:1000px;margin:24px auto;"
    "padding:0 16px}h1{font-size:20px;overflow-wrap:anywhere;margin:0}h2{font-size:16px;margin:28px 0 4px}"
    ".verdict{font-size:18px;font-weight:600;margin:4px 0}.dim,.legend{color:var(--dim)}.legend{font-size:13px;margin:0}"
    "svg{width:100%;height:auto;display:block}svg.key{width:16px;display:inline-block;vertical-align:middle}"
    "text{font:12px system-ui,sans-serif;fill:var(--dim)}.mid{text-anchor:middle}.end{text-anchor:end}"
    ".plot{fill:var(--plot)}.off{fill:var(--off)}.area{fill:var(--area)}.gap,.waits{fill:var(--warn)}"
    ".grid{stroke:var(--grid);stroke-width:.6;fill:none}.tip{fill:transparent}.tip:hover{fill:var(--fg);opacity:.12}"
    ".l1{fill:var(--l1)}.l2{fill:var(--l2)}.l3{fill:var(--l3)}.l4{fill:var(--l4)}.l5{fill:var(--l5)}.l6{fill:var(--l6)}"
    ".s0,.s1,.s2{fill:none;stroke-width:1.4}.s0{stroke:var(--dim);stroke-dasharray:2 2}"
    ".s1{stroke:var(--warn);stroke-dasharray:6 2}.s2{stroke:var(--bad)}"
    "table{border-collapse:collapse;width:100%;font-size:14px}td,th{text-align:left;padding:3px 10px 3px 0;"
    "border-bottom:1px solid var(--grid);vertical-align:top;overflow-wrap:anywhere}"
    ".num,.when{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.when{text-align:left}"
    ".warn,.error{white-space:nowrap}.warn{color:var(--warn)}.error{color:var(--bad);font-weight:600}\n";

static const char *state_of(const struct timeline *timeline, int64_t now_ns) {
    const struct flight_line *const last = timeline->last;
    return last->kind == FLIGHT_CLOSE                                               ? "Closed: "
           : last->time_ns < now_ns - FRESH_NS || last->time_ns > now_ns + FRESH_NS ? "NOT CLOSED, and no line since: "
           : last->state == BURST_STATE_FAILED                                      ? "FAILED, takes no records: "
           : last->state == BURST_STATE_STALLED                                     ? "LOG FILE STALLED: "
                                                                                    : "Runs: ";
}

static void put_verdict(FILE *out, const struct page *page, const struct timeline *timeline) {
    static const char *const survivals[] = {"survives power", "survives a crash of the kernel, no loss of power",
                                            "survives the end of the process, no more"};
    const struct flight_line *const last = timeline->last;
    char durable[UNITS_ROOM], drained[UNITS_ROOM], lost[UNITS_ROOM];
    if (last == NULL) {
        fputs("<p class=verdict>No flight recorder tells of this log.</p><p>", out);
        html_text(out, page->why_empty != NULL ? page->why_empty : "its file has no line yet");
        fputs("\n", out);
        return;
    }
    fprintf(out, "<p class=verdict>%sdurable to %s; in all files to %s; %s; %s lost since the last open</p>\n",
            state_of(timeline, page->now_ns), units_count(last->durable_sequence, durable),
            units_count(last->drained_sequence, drained),
            last->survives < 3 ? survivals[last->survives] : "survives what nobody knows",
            units_count(timeline->lost, lost));
    fputs("<p class=dim>Lines from ", out);
    html_time(out, timeline->from_ns, 0);
    fputs(" to ", out);
    html_time(out, timeline->to_ns, 0);
    fputs(", local time; made ", out);
    html_time(out, page->now_ns, 0);
    fputs(". Grey: no lines. Upright lines: opens and closes (dotted), warnings (dashed), losses and deaths (solid).\n",
          out);
}

static void put_latency(FILE *out, const struct timeline *timeline) {
    char p50[UNITS_ROOM], p99[UNITS_ROOM], p999[UNITS_ROOM], max[UNITS_ROOM];
    fputs("<h2>Time until durable</h2>\n", out);
    fprintf(out, "<p>p50 up to %s, p99 up to %s, p99.9 up to %s, longest %s</p>\n",
            units_time(timeline_percentile(timeline->all, 0.5), p50),
            units_time(timeline_percentile(timeline->all, 0.99), p99),
            units_time(timeline_percentile(timeline->all, 0.999), p999), units_time(timeline->all_max_ns, max));
    chart_latency(out, timeline);
}

static void put_slowest(FILE *out, const struct timeline *timeline) {
    char time[UNITS_ROOM], rate[UNITS_ROOM];
    fputs(
        "<h2>Slowest calls</h2>\n<table><tr><th>second that ended at<th>longest stage<th>the stage<th>records/s<th>ring "
        "filled to\n",
        out);
    for (unsigned i = 0; i < timeline->slowest_count; i++) {
        const struct flight_line *const line = timeline->slowest[i];
        fputs("<tr><td class=when>", out);
        html_time(out, line->time_ns, 0);
        fprintf(out, "<td>%s<td>%s<td>%s<td>%.1f%%\n", units_time(line->slowest_ns, time),
                stages_name(line->slowest_stage), units_count(line->records, rate),
                line->capacity_bytes == 0 ? 0.0 : 100.0 * (double)line->used_bytes / (double)line->capacity_bytes);
    }
    fputs("</table>\n", out);
}

/* The newest ones, the newest first. */
static void put_notes(FILE *out, const struct timeline *timeline) {
    static const char *const severities[] = {"", "warn", "error"};
    fputs("<h2>What happened</h2>\n<table>\n", out);
    for (size_t i = timeline->note_count, shown = 0; i-- > 0 && shown < NOTES_MOST; shown++) {
        const struct timeline_note *const note = &timeline->notes[i];
        const char *const severity = severities[note->severity % 3];
        fputs("<tr><td class=when>", out);
        html_time(out, note->time_ns, 0);
        fprintf(out, "<td class='%s'>%s<td>", severity, severity);
        html_text(out, note->text);
        fputs("\n", out);
    }
    fputs("</table>\n", out);
}

void page_print(FILE *out, const struct page *page, const struct timeline *timeline) {
    fputs(PAGE_BEGIN "<html lang=en><meta charset=utf-8><meta http-equiv=Content-Security-Policy "
                     "content=\"default-src 'none';style-src 'unsafe-inline'\"><meta name=viewport "
                     "content='width=device-width'><title>",
          out);
    html_text(out, page->name);
    fprintf(out, "</title><style>%s</style>\n<h1>", style);
    html_text(out, page->name);
    fputs("</h1>\n", out);
    put_verdict(out, page, timeline);
    if (timeline->columns > 0) {
        put_latency(out, timeline);
        fputs("<h2>Records a second</h2>\n", out);
        chart_rate(out, timeline);
        fputs("<h2>Fill of the ring</h2>\n", out);
        chart_fill(out, timeline);
        fputs("<p class=legend>the highest of each column; at the upper edge: calls waited for space</p>\n", out);
        put_slowest(out, timeline);
    }
    if (timeline->note_count > 0) {
        put_notes(out, timeline);
    }
    if (page->map != NULL) {
        map_print(out, page->map);
    }
    fputs("</html>\n", out);
}
