/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/streams.h"

#include "burstlog.h"
#include "cli/consumers.h"

static void read_positions(const struct ledger *ledger, struct streams *streams) {
    const unsigned newest = ledger_newest(ledger);
    for (unsigned i = 0; i < ledger_streams(ledger, newest); i++) {
        static struct stream_state state;
        ledger_stream(ledger, newest, i, &state);
        streams->drained_position[state.id] = state.drained_position;
        streams->source[state.id] = stream_source(&state);
        streams->is_known |= 1ull << state.id;
    }
}

int streams_log_files(const struct ledger *ledger, struct other_logs *files) {
    const unsigned newest = ledger_newest(ledger);
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < ledger_streams(ledger, newest); i++) {
        static struct stream_state state;
        ledger_stream(ledger, newest, i, &state);
        rc = state.outlet.kind == OUTLET_FILE ? other_logs_add(files, state.outlet.path) : 0;
    }
    return rc;
}

int streams_has_drained(const struct streams *streams, const struct record_header *record) {
    return record->stream < LAYOUT_STREAMS_MAX && record->position < streams->drained_position[record->stream];
}

/* Counts the record for each stream that gets it and has not drained it. Returns whether there is one. */
static int count_record(struct streams *streams, const struct record_header *record, uint64_t log_end) {
    int waits = 0;
    for (unsigned id = 0; id < LAYOUT_STREAMS_MAX; id++) {
        if ((streams->is_known >> id & 1) != 0 && streams->source[id] == record->stream &&
            record->position >= streams->drained_position[id]) {
            streams->held_bytes[id] = streams->records[id] == 0 ? log_end - record->position : streams->held_bytes[id];
            streams->records[id]++;
            waits = 1;
        }
    }
    return waits;
}

void streams_count(const struct ring_view *view, const struct ledger *ledger, struct streams *streams) {
    const struct log_source source = ring_view_source(view);
    struct log_cursor cursor = ring_view_first(view, &source);
    struct log_item item;
    uint64_t end, next_sequence;
    *streams = (struct streams){.records_waiting = 0};
    read_positions(ledger, streams);
    source.ops->durable(&source, &end, &next_sequence);
    while (log_source_next(&source, &cursor, end, &item) == 1) {
        if (item.kind == LOG_RECORD) {
            streams->records_waiting += (uint64_t)count_record(streams, &item.header, end);
        }
    }
}

int stream_is_used(const struct stream_state *state) {
    return state->id != 0 || state->name[0] != '\0' || state->outlet.path[0] != '\0';
}

static void report_stream(struct report *report, const struct stream_state *state, const struct streams *streams,
                          const struct streams *before) {
    char file[BURST_PATH_BYTES];
    outlet_state_file(&state->outlet, file, sizeof file);
    report_group(report, NULL);
    report_number(report, "stream", state->id);
    report_text(report, "name", state->name);
    if (state->follows != 0) {
        report_number(report, "records of stream", stream_source(state));
    }
    report_text(report, state->outlet.kind == OUTLET_SEGMENTS ? "segments" : "log file", file);
    report_number(report, "drained position", state->drained_position);
    report_number(report, "drained sequence", state->next_sequence - 1);
    report_number(report, "records waiting", streams->records[state->id]);
    report_number(report, "bytes held", streams->held_bytes[state->id]);
    if (before != NULL) {
        report_number(report, "records moved", before->records[state->id] - streams->records[state->id]);
    } else if (state->outlet.kind == OUTLET_SEGMENTS && state->outlet.path[0] != '\0') {
        consumers_report(report, state->outlet.path);
    }
    report_group_end(report);
}

void streams_report(struct report *report, const struct ledger *ledger, const struct streams *streams,
                    const struct streams *before) {
    const unsigned newest = ledger_newest(ledger);
    report_list(report, "streams");
    for (unsigned i = 0; i < ledger_streams(ledger, newest); i++) {
        static struct stream_state state;
        ledger_stream(ledger, newest, i, &state);
        if (stream_is_used(&state) || streams->records[state.id] > 0) {
            report_stream(report, &state, streams, before);
        }
    }
    report_list_end(report);
}
