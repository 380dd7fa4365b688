/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "burstlog.h"
#include "cli/cli.h"
#include "cli/drained.h"
#include "cli/owner.h"
#include "cli/report.h"
#include "cli/segments_folder.h"
#include "cli/streams.h"
#include "device/open.h"
#include "log/engine.h"
#include "rolling/tidier.h"

static const char usage[] = "burstlog recover [--json] [--window=FOLDER] RING";

/* The file of the first stalled stream; "": no stream stalls. */
static void find_stalled(struct engine *engine, char *file, size_t room) {
    const struct ledger *ledger = engine->view.ledger;
    const unsigned newest = ledger_newest(ledger);
    file[0] = '\0';
    for (unsigned i = 0; i < ledger_streams(ledger, newest) && file[0] == '\0'; i++) {
        static struct stream_state state;
        struct drain_figures figures;
        ledger_stream(ledger, newest, i, &state);
        if (drain_get_figures(engine->drainer.drain, state.id, &figures) == 0 && figures.stalled) {
            outlet_state_file(&state.outlet, file, room);
        }
    }
}

/* Drains until all is drained, or until a stream stalls; the other streams are drained then. */
static int drain_all(struct engine *engine) {
    while (!drain_is_done(engine->drainer.drain)) {
        const int rc = engine_step(engine, 1);
        if (rc < 0) {
            char file[BURST_PATH_BYTES];
            find_stalled(engine, file, sizeof file);
            return file[0] == '\0' ? rc
                                   : error_set(-rc,
                                               "log file %s cannot be written: %s; the records stay in the ring: "
                                               "make the file writable and recover again",
                                               file, error_name(-rc));
        }
    }
    return 0;
}

static void report_events(struct events *events, struct report *report) {
    struct event event;
    report_list(report, "events");
    while (events_take(events, &event, 0) == 1) {
        report_group(report, NULL);
        report_text(report, "event", event.text);
        report_group_end(report);
    }
    report_list_end(report);
}

/* Tidies rolled files as the performed rolls say. A file that is to stay plain for a while does. */
struct tidied {
    struct tidier_host host;
    struct tidier tidier;
    struct engine *engine;
};

static int next_rules(const struct tidier_host *host, struct outlet_rules *rules) {
    return drain_next_rules(((const struct tidied *)host)->engine->drainer.drain, rules);
}

static void leave_plain(const struct tidier_host *host, int id) {
    (void)host;
    (void)id;
}

static void tidy(struct engine *engine, struct events *events) {
    static struct tidied tidied;
    tidied.host = (struct tidier_host){
        .ring = engine->parts.device->path, .events = events, .next = next_rules, .put_back = leave_plain};
    tidied.tidier.host = &tidied.host;
    tidied.engine = engine;
    tidier_run(&tidied.tidier);
}

static int recover_failed(int rc, const struct owner *owner) {
    if (*owner->name != '\0') {
        rc = error_set(-rc, "%s (tried with the rights of user %s, who owns the ring file)", error_text(), owner->name);
    }
    return cli_failed(rc);
}

static int recover(struct device *device, const struct owner *owner, struct events *events, int json) {
    const struct engine_parts parts = {.platform = &platform_linux,
                                       .device = device,
                                       .files = &files_posix,
                                       .raw_media = &raw_media_posix,
                                       .events = events};
    const struct engine_stream main = {.name = ""}; /* where it is bound */
    const struct engine_config config = {.main = &main};
    struct engine *engine;
    struct ledger *noted; /* the ledger before anything was moved */
    struct streams before, streams;
    int rc = ledger_read(&platform_linux, device, &noted);
    rc = rc < 0 ? rc : engine_open(&parts, &config, &engine);
    if (rc < 0) {
        ledger_close(noted);
        return recover_failed(rc, owner);
    }
    streams_count(&engine->view, noted, &before);
    ledger_close(noted);
    rc = drain_all(engine);
    const int failed = rc < 0 ? recover_failed(rc, owner) : EXIT_OK; /* before there is another sentence */
    tidy(engine, events);
    streams_count(&engine->view, engine->view.ledger, &streams);
    char statement[1024], file[BURST_PATH_BYTES];
    recovery_statement(&engine->view.recovery, statement, sizeof statement);
    drain_copy_path(engine->drainer.drain, LAYOUT_MAIN_STREAM, file, sizeof file);
    struct report report;
    report_begin(&report, stdout, json);
    report_text(&report, "ring", device->path);
    if (json || file[0] != '\0') {
        report_text(&report, "log file", file);
    }
    if (*owner->name != '\0') {
        report_text(&report, "as user", owner->name);
    }
    report_number(&report, "records moved", before.records_waiting - streams.records_waiting);
    streams_report(&report, engine->view.ledger, &streams, &before);
    report_number(&report, "records lost", engine->view.recovery.lost);
    report_text(&report, "statement", statement);
    report_events(events, &report);
    report_end(&report);
    const int damaged = engine->view.recovery.lost > 0 || engine->view.recovery.hidden_to > 0;
    engine_close(engine);
    return failed != EXIT_OK ? failed : damaged ? EXIT_DAMAGE : EXIT_OK;
}

int command_recover(int argc, char **argv) {
    int json;
    const char *path, *window;
    const int code = cli_read_ring(
        argc, argv, usage,
        "Moves every record left in the ring to the log file of its stream, and says what was found.\n" DRAINED_HELP,
        &json, &window, &path);
    if (code != CLI_GO_ON) {
        return code;
    }
    static struct events events;
    events_init(&events, &platform_linux);
    struct device *device;
    int rc = device_open(&platform_linux, path, DEVICE_WRITER, BURST_IO_AUTO, &device);
    if (rc < 0) {
        return cli_failed(segments_folder_explain(path, rc));
    }
    struct owner owner;
    struct ring_locks locks = {.fd = -1};
    rc = owner_become(device, &owner);
    rc = rc < 0 ? rc : drained_lock(device, window, &locks);
    const int outcome = rc < 0 ? cli_failed(rc) : recover(device, &owner, &events, json);
    device_close(device);
    locks_close(&locks);
    return outcome;
}
