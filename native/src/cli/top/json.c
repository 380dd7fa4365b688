/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "burstlog.h"
#include "cli/text.h"
#include "cli/top/screen.h"
#include "ring/stages.h"

static const char *const states[] = {"open", "stalled", "failed", "closed"};
static const char *const survivals[] = {"power", "os-crash", "process"};
static const char *const severities[] = {"info", "warn", "error"};

#define NAME_OF(names, value) ((value) < sizeof(names) / sizeof(names)[0] ? (names)[value] : "unknown")

static void put_text(FILE *out, const char *name, const char *value) {
    fprintf(out, ",\"%s\":\"", name);
    text_print(out, value, strlen(value), 1);
    fputc('"', out);
}

static void put_number(FILE *out, const char *name, uint64_t value) {
    fprintf(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void put_latency(FILE *out, const char *name, const struct histogram_figures *figures) {
    fprintf(out, ",\"%s\":{\"count\":%llu,\"p50_ns\":%llu,\"p99_ns\":%llu,\"p999_ns\":%llu,\"max_ns\":%llu}", name,
            (unsigned long long)figures->count, (unsigned long long)figures->p50_ns,
            (unsigned long long)figures->p99_ns, (unsigned long long)figures->p999_ns,
            (unsigned long long)figures->max_ns);
}

static void put_second(FILE *out, const struct history *history) {
    const struct flight_step *last = history_sample(history, 0), *slowest = history_slowest(history);
    if (last != NULL) {
        put_latency(out, "last", &last->latency);
        fprintf(out, ",\"seconds\":%.3f", last->seconds);
        put_number(out, "records", last->records);
        put_number(out, "commits", last->commits);
        put_number(out, "written_bytes", last->bytes);
    }
    if (slowest != NULL) {
        char time[48];
        text_time(slowest->time_ns, 0, time, sizeof time);
        fprintf(out, ",\"slowest\":{\"ns\":%llu", (unsigned long long)slowest->slowest_ns);
        put_text(out, "time", time);
        put_text(out, "stage", stages_name(slowest->slowest_stage));
        fputc('}', out);
    }
}

static void put_streams(FILE *out, const struct watch *watch) {
    static struct stream_state stream;
    const unsigned count = watch->checkpoint_bytes > 0 ? checkpoint_streams(watch->checkpoint) : 0;
    fputs(",\"streams\":[", out);
    for (unsigned i = 0; i < count; i++) {
        char file[BURST_PATH_BYTES] = "";
        checkpoint_decode(watch->checkpoint, i, &stream);
        outlet_state_file(&stream.outlet, file, sizeof file);
        fprintf(out, "%s{\"stream\":%u", i == 0 ? "" : ",", stream.id);
        put_text(out, "name", stream.name);
        put_text(out, "file", file);
        put_number(out, "file_bytes", stream.outlet.length);
        put_number(out, "in_file", stream.next_sequence - (stream.next_sequence > 0));
        put_number(out, "next_roll_bytes", stream.outlet.roll.next_file_bytes);
        fprintf(out, ",\"next_roll_ns\":%lld}", (long long)stream.outlet.roll.next_time_ns);
    }
    fputc(']', out);
}

static void put_consumers(FILE *out, const struct figures *figures) {
    fputs(",\"consumers\":[", out);
    for (unsigned i = 0; i < figures->consumer_count; i++) {
        const struct figures_consumer *consumer = &figures->consumers[i];
        fprintf(out, "%s{\"stream\":%llu", i == 0 ? "" : ",", (unsigned long long)consumer->stream);
        put_text(out, "name", consumer->name);
        put_number(out, "segments_behind", consumer->segments_behind);
        put_number(out, "bytes_behind", consumer->bytes_behind);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_copy(FILE *out, const struct figures_copy *copy) {
    if (copy->state != BURST_COPY_NONE) {
        fputs(",\"copy\":{\"name\":\"", out);
        text_print(out, copy->name, strlen(copy->name), 1);
        fputc('"', out);
        put_text(out, "state", screen_copy_state(copy->state));
        put_number(out, "copied", copy->sequence);
        put_number(out, "records_behind", copy->records_behind);
        put_number(out, "records_missing", copy->records_missing);
        fputc('}', out);
    }
}

static void put_event(FILE *out, const struct figures *figures) {
    char time[48];
    if (figures->events > 0) {
        text_time(figures->event_ns, 0, time, sizeof time);
        fputs(",\"event\":{\"number\":", out);
        fprintf(out, "%llu", (unsigned long long)figures->events);
        put_text(out, "time", time);
        put_text(out, "severity", NAME_OF(severities, figures->event_severity));
        put_text(out, "text", figures->event);
        fputc('}', out);
    }
}

void screen_json(FILE *out, const struct watch *watch) {
    static struct histogram all;
    const struct figures *figures = &watch->figures;
    struct histogram_figures since_open;
    char verdict[256], time[48];
    screen_verdict(watch, verdict, sizeof verdict);
    fputs("{\"ring\":\"", out);
    text_print(out, watch->name, strlen(watch->name), 1);
    fputc('"', out);
    put_text(out, "verdict", verdict);
    fprintf(out, ",\"seen\":%s", watch->is_fresh ? "true" : "false");
    if (watch->why[0] != '\0') {
        put_text(out, "why", watch->why);
    }
    if (figures->bytes != 0) {
        text_time(figures->time_ns, 1, time, sizeof time);
        put_text(out, "time", time);
        put_text(out, "state", NAME_OF(states, figures->state));
        put_text(out, "failure", figures->failure);
        put_text(out, "survives", NAME_OF(survivals, figures->survives));
        put_number(out, "accepted", screen_accepted(watch));
        put_number(out, "durable", watch->durable_sequence);
        put_number(out, "in_file", figures->drained_sequence);
        put_number(out, "lost", figures->provably_lost + figures->lost_enqueued);
        put_number(out, "discarded", figures->discarded);
        put_number(out, "full_waits", figures->full_waits);
        put_number(out, "capacity_bytes", figures->capacity_bytes);
        put_number(out, "used_bytes",
                   figures->claimed_position > figures->drained_position
                       ? figures->claimed_position - figures->drained_position
                       : 0);
        flight_latency(figures->stages, &all);
        histogram_summarize(&all, &since_open);
        put_latency(out, "since_open", &since_open);
        put_second(out, &watch->history);
        put_streams(out, watch);
        put_consumers(out, figures);
        put_copy(out, &figures->copy);
        put_event(out, figures);
    }
    fputs("}\n", out);
}
