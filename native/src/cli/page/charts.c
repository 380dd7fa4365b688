/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "burstlog.h"
#include "cli/page/html.h"
#include "cli/units.h"

#define LEFT 70.0
#define WIDTH 900.0
#define RIGHT 30.0
#define TOP 14.0
#define AXIS 26.0
#define LEVELS 6u
#define SECOND_NS 1000000000ll

struct chart {
    FILE *out;
    const struct timeline *timeline;
    double height; /* of the plot */
    double column; /* width of a column */
};

static double x_of_column(const struct chart *chart, unsigned column) {
    return LEFT + column * chart->column;
}

static double x_of_time(const struct chart *chart, int64_t time_ns) {
    const struct timeline *const timeline = chart->timeline;
    const double span = timeline->column_seconds * timeline->columns;
    return LEFT + ((double)time_ns - (double)timeline->from_ns) / 1e9 / span * WIDTH; /* an event may be of any time */
}

/* Grey where no line tells anything. */
static void draw_absences(const struct chart *chart) {
    const struct timeline *const timeline = chart->timeline;
    for (unsigned i = 0; i < timeline->columns; i++) {
        unsigned end = i;
        while (end < timeline->columns && timeline->column[end].seconds == 0) {
            end++;
        }
        if (end > i + (timeline->column_seconds < 2 ? 1 : 0) || (end > i && timeline->column_seconds >= 2)) {
            fprintf(chart->out, "<rect class=off x=%.1f y=%.0f width=%.1f height=%.0f><title>no lines</title></rect>",
                    x_of_column(chart, i), TOP, (end - i) * chart->column, chart->height);
        }
        i = end > i ? end - 1 : i;
    }
}

static void draw_time_axis(const struct chart *chart) {
    static const int steps[] = {10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800};
    const struct timeline *const timeline = chart->timeline;
    const double span = timeline->column_seconds * timeline->columns;
    unsigned at = 0;
    while (at + 1 < sizeof steps / sizeof steps[0] && span / steps[at] > 9) {
        at++;
    }
    const time_t from = (time_t)(timeline->from_ns / SECOND_NS);
    struct tm local;
    const long offset = localtime_r(&from, &local) == NULL ? 0 : local.tm_gmtoff;
    for (int64_t tick = (from + offset) / steps[at] * steps[at] + steps[at]; tick < from + offset + span;
         tick += steps[at]) {
        const int64_t time_ns = (tick - offset) * SECOND_NS;
        const double x = x_of_time(chart, time_ns);
        fprintf(chart->out, "<path class=grid d='M%.1f %.0fv%.0f'/><text class=mid x=%.1f y=%.0f>", x, TOP,
                chart->height, x, TOP + chart->height + 16);
        html_time(chart->out, time_ns, 1);
        fputs("</text>", chart->out);
    }
}

static void draw_breaks(const struct chart *chart) {
    const struct timeline *const timeline = chart->timeline;
    for (size_t i = 0; i < timeline->note_count; i++) {
        const struct timeline_note *const note = &timeline->notes[i];
        const double x = x_of_time(chart, note->time_ns);
        if (note->is_break && x >= LEFT && x <= LEFT + WIDTH) {
            fprintf(chart->out, "<path class=s%u d='M%.1f %.0fv%.0f'><title>", note->severity % 3, x, TOP - 6,
                    chart->height + 6);
            html_text(chart->out, note->text);
            fputs("</title></path>", chart->out);
        }
    }
}

/* A transparent column with the figures of its time. */
static void draw_tips(const struct chart *chart) {
    char p50[UNITS_ROOM], p99[UNITS_ROOM], max[UNITS_ROOM], rate[UNITS_ROOM], waits[UNITS_ROOM];
    for (unsigned i = 0; i < chart->timeline->columns; i++) {
        const struct timeline_column *const column = &chart->timeline->column[i];
        if (column->seconds == 0) {
            continue;
        }
        fprintf(chart->out, "<rect class=tip x=%.1f y=%.0f width=%.2f height=%.0f><title>", x_of_column(chart, i), TOP,
                chart->column, chart->height);
        html_time(chart->out,
                  chart->timeline->from_ns + (int64_t)(i * chart->timeline->column_seconds * (double)SECOND_NS), 0);
        fprintf(chart->out,
                ", %.0f s: %s records/s; p50 up to %s, p99 of the worst second %s, longest %s; ring filled to %.1f%%; "
                "%s waits for space</title></rect>",
                chart->timeline->column_seconds,
                units_count((uint64_t)((double)column->records / column->seconds + 0.5), rate),
                units_time(timeline_percentile(column->latency, 0.5), p50), units_time(column->p99_ns, p99),
                units_time(column->max_ns, max), column->fill_ppm / 1e4, units_count(column->full_waits, waits));
    }
}

static struct chart begin(FILE *out, const struct timeline *timeline, double height, const char *name) {
    const struct chart chart = {
        .out = out, .timeline = timeline, .height = height, .column = WIDTH / timeline->columns};
    fprintf(out, "<svg viewBox='0 0 %.0f %.0f' role=img aria-label='%s'>", LEFT + WIDTH + RIGHT, TOP + height + AXIS,
            name);
    fprintf(out, "<rect class=plot x=%.0f y=%.0f width=%.0f height=%.0f />", LEFT, TOP, WIDTH, height);
    draw_absences(&chart);
    draw_time_axis(&chart);
    return chart;
}

static void end(const struct chart *chart) {
    draw_breaks(chart);
    draw_tips(chart);
    fputs("</svg>\n", chart->out);
}

static void draw_level(const struct chart *chart, double y, const char *label) {
    fprintf(chart->out, "<path class=grid d='M%.0f %.1fh%.0f'/><text class=end x=%.0f y=%.1f>%s</text>", LEFT, y, WIDTH,
            LEFT - 6, y + 4, label);
}

/* -------------------------------------------------------------------------------------------------------- latency */

static unsigned log2_of(uint64_t value) {
    return value == 0 ? 0 : 63u - (unsigned)__builtin_clzll(value);
}

/* The buckets that any column has, with one of margin. */
static void find_range(const struct timeline *timeline, unsigned *low, unsigned *high) {
    *low = FLIGHT_BUCKETS;
    *high = 0;
    for (unsigned bucket = 0; bucket < FLIGHT_BUCKETS; bucket++) {
        if (timeline->all[bucket] > 0) {
            *low = *low < bucket ? *low : bucket;
            *high = bucket + 1;
        }
    }
    if (*high == 0) {
        *low = 6;
        *high = 30;
    }
    *low = *low > 1 ? *low - 1 : 0;
    *high = *high < FLIGHT_BUCKETS ? *high + 1 : FLIGHT_BUCKETS;
}

/* The place of a time on the scale of buckets. */
static double bucket_place(uint64_t ns) {
    unsigned bucket = 0;
    while (bucket + 1 < FLIGHT_BUCKETS && flight_bucket_begin(bucket + 1) <= ns) {
        bucket++;
    }
    const uint64_t from = flight_bucket_begin(bucket), to = flight_bucket_begin(bucket + 1);
    return bucket + (double)(ns - from) / (double)(to - from);
}

static void draw_times(const struct chart *chart, unsigned low, unsigned high, double row) {
    static const unsigned of_decade[] = {1, 2, 5};
    const unsigned each = high - low < 16 ? 3 : 1;
    for (uint64_t decade = 100; decade <= 10000000000ull; decade *= 10) {
        for (unsigned i = 0; i < each; i++) {
            const double place = bucket_place(decade * of_decade[i]);
            char label[UNITS_ROOM];
            if (place >= low && place <= high) {
                units_time(decade * of_decade[i], label);
                char *const fraction = strstr(label, ".0 ");
                if (fraction != NULL) {
                    memmove(fraction, fraction + 2, strlen(fraction + 2) + 1);
                }
                draw_level(chart, TOP + (high - place) * row, label);
            }
        }
    }
}

void chart_latency(FILE *out, const struct timeline *timeline) {
    unsigned low, high;
    uint64_t most = 1;
    find_range(timeline, &low, &high);
    const double row = high - low < 20 ? 10 : 7;
    const struct chart chart = begin(out, timeline, (high - low) * row, "latency until durable over time");
    for (unsigned i = 0; i < timeline->columns; i++) {
        for (unsigned bucket = low; bucket < high; bucket++) {
            const uint64_t count = timeline->column[i].latency[bucket];
            most = count > most ? count : most;
        }
    }
    const unsigned scale = log2_of(most) + 1;
    for (unsigned level = 1; level <= LEVELS; level++) {
        fprintf(out, "<path class=l%u d='", level);
        for (unsigned i = 0; i < timeline->columns; i++) {
            for (unsigned bucket = low; bucket < high; bucket++) {
                const uint64_t count = timeline->column[i].latency[bucket];
                if (count > 0 && 1 + log2_of(count) * LEVELS / scale == level) {
                    fprintf(out, "M%.1f %.0fh%.2fv%.0fh-%.2fz", x_of_column(&chart, i), TOP + (high - bucket - 1) * row,
                            chart.column, row, chart.column);
                }
            }
        }
        fputs("'/>", out);
    }
    draw_times(&chart, low, high, row);
    end(&chart);
    char text[UNITS_ROOM];
    fputs("<p class=legend>few ", out);
    for (unsigned level = 1; level <= LEVELS; level++) {
        fprintf(out, "<svg class=key viewBox='0 0 16 10'><path class=l%u d='M0 0h16v10h-16z'/></svg>", level);
    }
    fprintf(out, " many timed records in a cell, at most %s, in steps of equal factors</p>\n", units_count(most, text));
}

/* -------------------------------------------------------------------------------------------------- rate and fill */

/* The next number of 1, 2, 5, 10 .. */
static double round_up(double value) {
    static const double of_decade[] = {1, 2, 5};
    for (double decade = 1e-3;; decade *= 10) {
        for (unsigned i = 0; i < 3; i++) {
            if (value <= decade * of_decade[i]) {
                return decade * of_decade[i];
            }
        }
    }
}

static double rate_of(const struct timeline_column *column) {
    return column->seconds == 0 ? 0 : (double)column->records / column->seconds;
}

static double fill_of(const struct timeline_column *column) {
    return column->fill_ppm / 1e4;
}

static void draw_area(const struct chart *chart, double (*value_of)(const struct timeline_column *column),
                      double most) {
    fputs("<path class=area d='", chart->out);
    for (unsigned i = 0; i < chart->timeline->columns; i++) {
        const double height = value_of(&chart->timeline->column[i]) / most * chart->height;
        if (height > 0) {
            fprintf(chart->out, "M%.1f %.0fv-%.1fh%.2fv%.1fz", x_of_column(chart, i), TOP + chart->height, height,
                    chart->column, height);
        }
    }
    fputs("'/>", chart->out);
}

static double most_of(const struct timeline *timeline, double (*value_of)(const struct timeline_column *column)) {
    double most = 0;
    for (unsigned i = 0; i < timeline->columns; i++) {
        const double value = value_of(&timeline->column[i]);
        most = value > most ? value : most;
    }
    return most;
}

void chart_rate(FILE *out, const struct timeline *timeline) {
    const double most = round_up(most_of(timeline, rate_of) < 1 ? 1 : most_of(timeline, rate_of));
    const struct chart chart = begin(out, timeline, 90, "records a second over time");
    char label[UNITS_ROOM];
    draw_area(&chart, rate_of, most);
    draw_level(&chart, TOP, units_count((uint64_t)most, label));
    draw_level(&chart, TOP + chart.height, "0/s");
    end(&chart);
}

void chart_fill(FILE *out, const struct timeline *timeline) {
    const double highest = most_of(timeline, fill_of);
    const double most = highest > 50 ? 100 : round_up(highest < 1 ? 1 : highest);
    const struct chart chart = begin(out, timeline, 90, "fill of the ring over time");
    char label[UNITS_ROOM];
    draw_area(&chart, fill_of, most);
    snprintf(label, sizeof label, "%.0f%%", most);
    draw_level(&chart, TOP, label);
    draw_level(&chart, TOP + chart.height, "0%");
    fputs("<path class=waits d='", out);
    for (unsigned i = 0; i < timeline->columns; i++) {
        if (timeline->column[i].full_waits > 0) {
            fprintf(out, "M%.1f %.0fh%.2fv5h-%.2fz", x_of_column(&chart, i), TOP, chart.column, chart.column);
        }
    }
    fputs("'/>", out);
    end(&chart);
}
