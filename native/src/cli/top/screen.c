/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/screen.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burstlog.h"
#include "cli/text.h"
#include "cli/units.h"
#include "ring/stages.h"

#define BAR_COLUMNS 60
#define TEXT_COLUMNS 70 /* of a path or an event, behind its name */

static const char *const survivals[] = {"survives power", "survives a crash of the kernel, no loss of power",
                                        "survives the end of the process, no more"};

static const char *survival(uint32_t survives) {
    return survives < sizeof survivals / sizeof survivals[0] ? survivals[survives] : "survives what nobody knows";
}

/* ---------------------------------------------------------------------------------------------------------- verdict */

/* The first one that holds. */
static const char *state_of(const struct watch *watch) {
    const struct figures *figures = &watch->figures;
    const struct {
        int holds;
        const char *words;
    } states[] = {{!watch->is_fresh && watch->is_closed, "closed; was "},
                  {!watch->is_fresh, "NOT SEEN NOW; was "},
                  {figures->state == BURST_STATE_FAILED, "FAILED, takes no records; "},
                  {figures->state == BURST_STATE_STALLED, "LOG FILE STALLED; "},
                  {figures->state == BURST_STATE_CLOSED, "closed; "},
                  {figures->copy.state == BURST_COPY_AWAY, "COPY AWAY; "},
                  {1, ""}};
    unsigned at = 0;
    while (!states[at].holds) {
        at++;
    }
    return states[at].words;
}

void screen_verdict(const struct watch *watch, char *text, size_t room) {
    const struct figures *figures = &watch->figures;
    char durable[UNITS_ROOM], lost[UNITS_ROOM];
    if (figures->bytes == 0) {
        snprintf(text, room, "not seen: %s", watch->why);
        return;
    }
    units_count(watch->durable_sequence, durable);
    units_count(figures->provably_lost + figures->lost_enqueued, lost);
    int used = snprintf(text, room, "%sdurable to %s; %s; %s lost", state_of(watch), durable,
                        survival(figures->survives), lost);
    if (figures->discarded > 0 && used > 0 && (size_t)used < room) {
        char discarded[UNITS_ROOM];
        snprintf(text + used, room - (size_t)used, "; %s discarded", units_count(figures->discarded, discarded));
    }
}

/* ----------------------------------------------------------------------------------------------------------- pieces */

/* Prints the end of a text that is too long for the columns; unprintable bytes as '?'. */
static void put_end(FILE *out, const char *text, size_t columns) {
    const size_t length = strlen(text);
    const char *from = length <= columns ? text : text + length - (columns - 3);
    fputs(length <= columns ? "" : "...", out);
    for (; *from != '\0'; from++) {
        fputc(*from >= ' ' && *from < 0x7f ? *from : '?', out);
    }
}

/* Prints the beginning of a text, over at most two lines of that many columns. */
static void put_begin(FILE *out, const char *text, size_t columns, const char *indent) {
    for (int line = 0; line < 2 && *text != '\0'; line++) {
        size_t length = strlen(text);
        if (length > columns) { /* breaks at a space, if there is one */
            for (length = columns; length > columns / 2 && text[length] != ' '; length--) {
            }
            length = text[length] == ' ' ? length : columns;
        }
        fprintf(out, "%s%s", line == 0 ? "" : "\n", line == 0 ? "" : indent);
        for (size_t at = 0; at < length; at++) {
            fputc(text[at] >= ' ' && text[at] < 0x7f ? text[at] : '?', out);
        }
        text += length + (text[length] == ' ');
    }
    fputs(*text != '\0' ? "..." : "", out);
}

static void put_clock(FILE *out, int64_t time_ns) {
    const time_t seconds = (time_t)(time_ns / 1000000000);
    struct tm local;
    char text[40];
    if (localtime_r(&seconds, &local) != NULL && strftime(text, sizeof text, "%H:%M:%S", &local) > 0) {
        fputs(text, out);
    }
}

static void put_bold(const struct screen *screen, const char *text) {
    fprintf(screen->out, screen->is_terminal ? "\033[1m%s\033[0m" : "%s", text);
}

/* ---------------------------------------------------------------------------------------------------------- latency */

static void draw_figures(const struct screen *screen, const char *name, const struct histogram_figures *figures) {
    char p50[UNITS_ROOM], p99[UNITS_ROOM], p999[UNITS_ROOM], max[UNITS_ROOM], count[UNITS_ROOM];
    fprintf(screen->out, "  %-14s", name);
    if (figures->count == 0) {
        fputs("         -          -          -          -   nothing was timed\n", screen->out);
        return;
    }
    fprintf(screen->out, "%10s %10s %10s %10s   %s timed\n", units_time(figures->p50_ns, p50),
            units_time(figures->p99_ns, p99), units_time(figures->p999_ns, p999), units_time(figures->max_ns, max),
            units_count(figures->count, count));
}

/* The level of a time on a scale of eight that covers the samples: a doubling is a step. */
static unsigned level_of(uint64_t ns, uint64_t least_ns) {
    unsigned level = 0;
    while (level < 7 && ns >= 2 * least_ns) {
        ns /= 2;
        level++;
    }
    return level;
}

/* The p99 of each second, the newest at the right. The lowest is the lowest step, and each doubling one step more. */
static void draw_line(const struct screen *screen, const struct history *history) {
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const letters[] = {"_", ".", "-", "=", "+", "*", "#", "@"};
    uint64_t least_ns = UINT64_MAX, most_ns = 0;
    char least[UNITS_ROOM], most[UNITS_ROOM];
    for (unsigned back = 0; back < HISTORY_SAMPLES; back++) {
        const struct flight_step *sample = history_sample(history, back);
        const uint64_t p99_ns = sample == NULL ? 0 : sample->latency.p99_ns;
        least_ns = p99_ns > 0 && p99_ns < least_ns ? p99_ns : least_ns;
        most_ns = p99_ns > most_ns ? p99_ns : most_ns;
    }
    fputs("  p99, minute   ", screen->out);
    for (unsigned back = HISTORY_SAMPLES; back-- > 0;) {
        const struct flight_step *sample = history_sample(history, back);
        const uint64_t p99_ns = sample == NULL ? 0 : sample->latency.p99_ns;
        fputs(p99_ns == 0 ? " " : (screen->is_utf8 ? blocks : letters)[level_of(p99_ns, least_ns)], screen->out);
    }
    if (most_ns > 0) {
        fprintf(screen->out, "\n                %s to %s; a step up is twice as long", units_time(least_ns, least),
                units_time(most_ns, most));
    } else {
        fputs("\n", screen->out);
    }
    fputs("\n", screen->out);
}

static void draw_latency(const struct screen *screen, const struct watch *watch) {
    static struct histogram all;
    static const struct histogram_figures none;
    struct histogram_figures since_open;
    const struct flight_step *last = history_sample(&watch->history, 0);
    flight_latency(watch->figures.stages, &all);
    histogram_summarize(&all, &since_open);
    put_bold(screen, "until durable ");
    fputs("         p50        p99      p99.9        max\n", screen->out);
    draw_figures(screen, "last second", last == NULL || !watch->is_fresh ? &none : &last->latency);
    draw_figures(screen, "since open", &since_open);
    draw_line(screen, &watch->history);
}

/* ------------------------------------------------------------------------------------------------------------- ring */

static unsigned columns_of(uint64_t bytes, uint64_t capacity) {
    return capacity == 0       ? 0
           : bytes >= capacity ? BAR_COLUMNS
                               : (unsigned)((double)bytes * BAR_COLUMNS / (double)capacity + 0.999);
}

uint64_t screen_accepted(const struct watch *watch) {
    const uint64_t accepted = watch->figures.accepted_sequence;
    return accepted > watch->durable_sequence ? accepted : watch->durable_sequence;
}

/* A bar: records that wait for the log file, records on their way to the medium, free space. */
static void draw_ring(const struct screen *screen, const struct watch *watch) {
    const struct figures *const figures = &watch->figures;
    const uint64_t waits = figures->durable_position > figures->drained_position
                               ? figures->durable_position - figures->drained_position
                               : 0;
    const uint64_t used = figures->claimed_position > figures->drained_position
                              ? figures->claimed_position - figures->drained_position
                              : 0;
    const unsigned of_waits = columns_of(waits, figures->capacity_bytes),
                   of_used = columns_of(used, figures->capacity_bytes);
    char size[UNITS_ROOM], in_use[UNITS_ROOM], durable[UNITS_ROOM], drained[UNITS_ROOM], accepted[UNITS_ROOM],
        full[UNITS_ROOM];
    const double percent = figures->capacity_bytes == 0 ? 0 : 100.0 * (double)used / (double)figures->capacity_bytes;
    put_bold(screen, "ring");
    fprintf(screen->out, "   %s, in use %s, %.1f%%; %s calls waited for space\n  [",
            units_bytes(figures->capacity_bytes, size), units_bytes(used, in_use), percent,
            units_count(figures->full_waits, full));
    for (unsigned i = 0; i < BAR_COLUMNS; i++) {
        fputc(i < of_waits ? '=' : i < of_used ? '-' : ' ', screen->out);
    }
    fprintf(screen->out, "]\n  in all files to %s   = durable to %s   - taken to %s\n",
            units_count(figures->drained_sequence, drained), units_count(watch->durable_sequence, durable),
            units_count(screen_accepted(watch), accepted));
}

const char *screen_copy_state(uint32_t state) {
    static const char *const states[] = {"none", "expected", "here", "away"};
    return state < sizeof states / sizeof states[0] ? states[state] : "unknown";
}

static void draw_copy(const struct screen *screen, const struct figures_copy *copy) {
    char sequence[UNITS_ROOM], behind[UNITS_ROOM], missing[UNITS_ROOM];
    if (copy->state != BURST_COPY_NONE) {
        put_bold(screen, "copy   ");
        put_end(screen->out, copy->name, 20);
        fprintf(screen->out, " %s; in it to %s, %s behind, %s missing\n", screen_copy_state(copy->state),
                units_count(copy->sequence, sequence), units_count(copy->records_behind, behind),
                units_count(copy->records_missing, missing));
    }
}

static void draw_rate(const struct screen *screen, const struct watch *watch) {
    const struct flight_step *last = history_sample(&watch->history, 0);
    char records[UNITS_ROOM], commits[UNITS_ROOM], bytes[UNITS_ROOM];
    put_bold(screen, "rate");
    if (last == NULL || !watch->is_fresh || last->seconds <= 0) {
        fputs("   -\n", screen->out);
        return;
    }
    fprintf(screen->out, "   %s records/s, %.1f a commit; %s commits/s; %s/s\n",
            units_count((uint64_t)((double)last->records / last->seconds + 0.5), records),
            last->commits == 0 ? 0.0 : (double)last->records / (double)last->commits,
            units_count((uint64_t)((double)last->commits / last->seconds + 0.5), commits),
            units_bytes((uint64_t)((double)last->bytes / last->seconds + 0.5), bytes));
}

static void draw_slowest(const struct screen *screen, const struct history *history) {
    const struct flight_step *slowest = history_slowest(history);
    char time[UNITS_ROOM];
    put_bold(screen, "slowest");
    if (slowest == NULL) {
        fputs(" of the last minute: nothing was timed\n", screen->out);
        return;
    }
    fprintf(screen->out, " of the last minute: %s at ", units_time(slowest->slowest_ns, time));
    put_clock(screen->out, slowest->time_ns);
    fprintf(screen->out, ", in the stage \"%s\"\n", stages_name(slowest->slowest_stage));
}

/* ------------------------------------------------------------------------------------------------- streams and files */

static unsigned count_streams(const struct watch *watch) {
    return watch->checkpoint_bytes > 0 ? checkpoint_streams(watch->checkpoint) : 0;
}

static void draw_next_roll(FILE *out, const struct outlet_roll *roll) {
    char bytes[UNITS_ROOM];
    if (roll->next_file_bytes != 0) {
        fprintf(out, "; rolls at %s", units_bytes(roll->next_file_bytes, bytes));
    }
    if (roll->next_time_ns != 0) {
        char text[40];
        text_time(roll->next_time_ns, 0, text, sizeof text);
        fprintf(out, "%s %s", roll->next_file_bytes != 0 ? ", or at" : "; rolls at", text);
    }
}

static void draw_stream(const struct screen *screen, const struct watch *watch, struct screen_choice *choice) {
    static struct stream_state stream;
    char file[BURST_PATH_BYTES], bytes[UNITS_ROOM], drained[UNITS_ROOM];
    const unsigned count = count_streams(watch);
    put_bold(screen, "file");
    if (count == 0) {
        fputs("   not told\n\n", screen->out);
        return;
    }
    choice->stream %= count;
    checkpoint_decode(watch->checkpoint, choice->stream, &stream);
    if (outlet_state_file(&stream.outlet, file, sizeof file) < 0 || file[0] == '\0') {
        strcpy(file, "none yet");
    }
    fputs("   ", screen->out);
    put_end(screen->out, file, TEXT_COLUMNS);
    fprintf(screen->out, "\n       %s; in it to %s", units_bytes(stream.outlet.length, bytes),
            units_count(stream.next_sequence - (stream.next_sequence > 0), drained));
    draw_next_roll(screen->out, &stream.outlet.roll);
    fputs("\n", screen->out);
}

static void draw_consumer(const struct screen *screen, const struct figures *figures, struct screen_choice *choice) {
    char segments[UNITS_ROOM], bytes[UNITS_ROOM];
    if (figures->consumer_count == 0) {
        return;
    }
    choice->consumer %= figures->consumer_count;
    const struct figures_consumer *consumer = &figures->consumers[choice->consumer];
    put_bold(screen, "reader ");
    put_end(screen->out, consumer->name, 30);
    fprintf(screen->out, ": %s segments behind, %s\n", units_count(consumer->segments_behind, segments),
            units_bytes(consumer->bytes_behind, bytes));
}

static void draw_event(const struct screen *screen, const struct figures *figures) {
    static const char *const severities[] = {"", "WARN ", "ERROR "};
    put_bold(screen, "last event ");
    if (figures->events == 0) {
        fputs("none\n", screen->out);
        return;
    }
    put_clock(screen->out, figures->event_ns);
    fprintf(screen->out, " %s\n       ", figures->event_severity < 3 ? severities[figures->event_severity] : "");
    put_begin(screen->out, figures->event, TEXT_COLUMNS, "       ");
    fputs("\n", screen->out);
}

static void draw_keys(const struct screen *screen, const struct watch *watch, unsigned rings,
                      const struct screen_choice *choice) {
    fputs(screen->is_terminal ? "\033[2m" : "", screen->out);
    if (rings > 1) {
        fprintf(screen->out, "r: ring %u of %u   ", choice->ring + 1, rings);
    }
    if (count_streams(watch) > 1) {
        fprintf(screen->out, "s: file %u of %u   ", choice->stream + 1, count_streams(watch));
    }
    if (watch->figures.consumer_count > 1) {
        fprintf(screen->out, "c: reader %u of %u   ", choice->consumer + 1, watch->figures.consumer_count);
    }
    fputs("q: end", screen->out);
    fputs(screen->is_terminal ? "\033[0m\n" : "\n", screen->out);
}

static void draw_all(const struct screen *screen, const struct watch *watch, unsigned rings,
                     struct screen_choice *choice) {
    const struct figures *figures = &watch->figures;
    char verdict[256];
    put_end(screen->out, figures->bytes == 0 ? watch->name : figures->ring, SCREEN_COLUMNS - 12);
    if (figures->bytes != 0) {
        fputs("  ", screen->out);
        put_clock(screen->out, figures->time_ns);
    }
    fputs("\n", screen->out);
    screen_verdict(watch, verdict, sizeof verdict);
    if (screen->is_terminal) {
        fputs("\033[1m", screen->out);
    }
    put_begin(screen->out, verdict, SCREEN_COLUMNS, "");
    fputs(screen->is_terminal ? "\033[0m\n" : "\n", screen->out);
    if (figures->bytes != 0) {
        const char *const trouble = figures->failure[0] != '\0' ? figures->failure : watch->why;
        put_begin(screen->out, trouble, SCREEN_COLUMNS, "");
        fputs("\n", screen->out);
        draw_latency(screen, watch);
        fputs("\n", screen->out);
        draw_ring(screen, watch);
        draw_copy(screen, &figures->copy);
        draw_rate(screen, watch);
        draw_slowest(screen, &watch->history);
        draw_stream(screen, watch, choice);
        draw_consumer(screen, figures, choice);
        draw_event(screen, figures);
    }
    draw_keys(screen, watch, rings, choice);
}

/* Prints the text as far as it fits. On a terminal each line clears what stood behind it. */
static void put_clipped(const struct screen *screen, const char *text) {
    unsigned columns = 0, lines = 0;
    int is_escape = 0;
    for (; *text != '\0' && lines < SCREEN_LINES; text++) {
        const int begins = (*text & 0xc0) != 0x80; /* a character */
        if (*text == '\n') {
            fputs(screen->is_terminal ? "\033[K\n" : "\n", screen->out);
            columns = 0;
            lines++;
        } else if (is_escape || *text == '\033') {
            is_escape = *text != 'm';
            fputc(*text, screen->out);
        } else {
            columns += begins;
            if (columns <= SCREEN_COLUMNS) {
                fputc(*text, screen->out);
            }
        }
    }
}

void screen_draw(const struct screen *screen, const struct watch *watch, unsigned rings, struct screen_choice *choice) {
    char *text = NULL;
    size_t length = 0;
    struct screen whole = *screen;
    whole.out = open_memstream(&text, &length);
    if (whole.out != NULL) {
        draw_all(&whole, watch, rings, choice);
        fclose(whole.out);
        put_clipped(screen, text);
        free(text);
    }
}
