/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/processes/application.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "device/open.h"
#include "harness/simulator/log.h"
#include "log/config.h"
#include "log/hand_over.h"
#include "window/locks.h"

#define DRAIN_INTERVAL_NS 100000000ll
#define SHUTDOWN_TIMEOUT_NS 10000000000ll
#define POLL_NS 20000000ll
#define OPENS_MOST 12 /* with drain="inner" beside a drain */
#define KNOWN_WAIT_NS 2000000000ll

static struct world *world;
static burst_t application;
static struct request_ticket tickets[STREAMS_MAX];
static struct ring *ring; /* outlives the engine */
static int is_inner;      /* the next opens have drain="inner" */

void application_reset(struct world *world_of_run) {
    world = world_of_run;
    memset(&application, 0, sizeof application);
    ring = NULL;
    is_inner = 0;
}

void application_drain_by_itself(int by_itself) {
    is_inner = by_itself;
}

const struct events *application_events(void) {
    return &application.events;
}

int application_drains(void) {
    return world->engine != NULL && engine_drains_here(world->engine);
}

static void progress(void) {
    sim_threads.progress_ns = world->now_ns;
}

static void give_up(const char *what) {
    violation(world, "%s: %s", what, error_text());
}

/* -------------------------------------------------------------------------------------------------------- open */

static int open_medium(void) {
    const int64_t until_ns = world->now_ns + LOCKS_WAIT_NS;
    int rc;
    while ((rc = device_open(&world->platform, "/dev/ring", DEVICE_WRITER, DEVICE_IO_AUTO, &application.device)) ==
               -EBUSY &&
           world->now_ns < until_ns) {
        sim_thread_sleep("the ring is busy", POLL_NS);
    }
    return rc;
}

static int begin_hand_over(enum engine_drains *drains) {
    static struct checked_config checked;
    struct ledger *ledger;
    int rc = ledger_read(&world->platform, application.device, &ledger);
    if (rc == 0) {
        checked.values.window = FOLDER_USUAL;
        rc = hand_over_begin(&application, &checked, ledger_view(ledger)->superblock.uuid, drains);
    }
    ledger_close(ledger);
    return rc;
}

static struct engine_stream main_stream(void) {
    return (struct engine_stream){.name = "", .path = world->file_name, .is_main = 1};
}

static int open_engine(enum engine_drains drains) {
    const struct engine_stream main = main_stream();
    const struct engine_parts parts = {.platform = &world->platform,
                                       .device = application.device,
                                       .files = &world->files.files,
                                       .events = &application.events,
                                       .reads_slots = drains != ENGINE_DRAINS,
                                       .window_maker = host_window_maker(FOLDER_USUAL, !is_inner)};
    const struct engine_config config = {
        .main = drains == ENGINE_DRAINS_NOT ? NULL : &main, .drains = drains, .cpus = 1};
    const int64_t until_ns = world->now_ns + LOCKS_WAIT_NS;
    int rc;
    world->model.incarnation++;
    while ((rc = engine_open(&parts, &config, &application.engine)) == -EAGAIN && world->now_ns < until_ns) {
        sim_thread_sleep("its drain writes a slot", POLL_NS);
    }
    return rc;
}

/* Waits for whoever drains. Only the main stream of a log that is known has a limit: a bell that is lost must not be made up
 * by one. */
static int await_answer(unsigned which) {
    char bound[LAYOUT_FILE_NAME_BYTES];
    engine_copy_path(world->engine, LAYOUT_MAIN_STREAM, bound, sizeof bound);
    const int is_known = which == 0 && strcmp(bound, world->file_name) == 0;
    struct limit limit = limit_of(is_known ? KNOWN_WAIT_NS : -1);
    const struct stream_answer *answer = log_await_answer(&application, &tickets[which], &limit);
    if (answer == NULL) { /* its drain hangs */
        return 0;
    }
    world->streams[which].id = answer->id;
    return answer->rc < 0 ? error_set(-answer->rc, "%s", answer->text) : 0;
}

static int ask(unsigned which, const struct engine_stream *stream) {
    int rc = requests_open(world->engine->requests, "/dev/ring", stream, &tickets[which]);
    if (rc == 0) {
        engine_ask(world->engine);
        rc = await_answer(which);
    }
    return rc;
}

static void open_main(enum engine_drains drains) {
    const struct engine_stream main = main_stream();
    if (drains != ENGINE_DRAINS_NOT) {
        return;
    }
    ring_commit(ring);
    if (ask(0, &main) < 0) {
        give_up("the main stream cannot be opened");
    }
}

static int note_main(enum engine_drains drains) {
    const struct engine_stream main = main_stream();
    struct requests *requests = application.engine->requests;
    if (drains != ENGINE_DRAINS_NOW) {
        return 0;
    }
    const int rc = requests_open(requests, "/dev/ring", &main, &tickets[0]);
    if (rc == 0) {
        requests_note_open(requests, &tickets[0], LAYOUT_MAIN_STREAM);
    }
    return rc;
}

static int try_to_open(enum engine_drains *drains) {
    int rc = open_medium();
    rc = rc < 0 ? rc : begin_hand_over(drains);
    rc = rc < 0 ? rc : open_engine(*drains);
    if (rc < 0 && application.device != NULL) {
        device_close(application.device);
        application.device = NULL;
        hand_over_end(&application);
    }
    return rc;
}

static int may_be_refused(void) {
    return is_inner || processes[DRAIN].stands_still || processes[OTHER_DRAIN].stands_still;
}

/* Refused because of a drain, it tries again, as a service does; and at last does as the sentence says. */
static int open_at_last(enum engine_drains *drains) {
    int rc, tries = 0;
    while ((rc = try_to_open(drains)) == -EBUSY && may_be_refused()) {
        is_inner &= ++tries < OPENS_MOST;
        application.is_external = !is_inner;
        sim_thread_sleep("the open is tried again", 1000000000);
        progress();
    }
    return rc;
}

/* In the order of log/open.c. */
static void open_log(void) {
    enum engine_drains drains;
    burst_t *log = &application;
    int rc = open_at_last(&drains);
    if (rc < 0) {
        give_up("the log cannot be opened");
    }
    world->engine = log->engine;
    ring = log->ring = log->main.ring = log->engine->ring;
    log->main.log = log;
    log->streams = &log->main;
    log_settle(world, &log->engine->view.recovery);
    world->model.offered = world->model.acknowledged;
    rc = note_main(drains);
    if (rc < 0) {
        give_up("the main stream cannot be asked for");
    }
    hand_over_opened(log);
    const struct thread_settings settings = {.drain_interval_ns = DRAIN_INTERVAL_NS};
    const struct thread_host host = {
        .argument = log, .look = hand_over_look, .pause_ns = hand_over_pause_ns, .last = log_let_go};
    if (threads_start(&log->threads, log->engine, &settings, &host) < 0) {
        give_up("the threads of the log cannot be started");
    }
    host_offer_window();
    open_main(drains);
}

void application_open(void) {
    memset(&application, 0, sizeof application);
    events_init(&application.events, &world->platform);
    application.is_external = !is_inner;
    application.shutdown_timeout_ns = SHUTDOWN_TIMEOUT_NS;
    atomic_store(&application.main.refusal, STREAM_TAKES_RECORDS);
    open_log();
    for (unsigned which = 1; which < STREAMS_MAX; which++) {
        if (world->streams[which].path != NULL) {
            application_open_stream(which);
        }
    }
    progress();
}

void application_close(void) {
    ring_commit(ring);
    log_note_durable(world);
    world->engine = NULL; /* it is freed by a thread of the log */
    const int64_t left = burst_close(&application);
    while (left == -EINPROGRESS && !atomic_load(&application.closed)) { /* its process stood still */
        sim_thread_sleep("the close goes on by itself", POLL_NS);
    }
    log_forget_streams(world);
    if (left < 0 && left != -EINPROGRESS) {
        give_up("the log cannot be closed");
    }
    ring_destroy(ring);
    ring = NULL;
    progress();
}

/* ----------------------------------------------------------------------------------------------------- records */

unsigned application_records(void) {
    return (unsigned)world->model.acknowledged;
}

static void take(int64_t sequence, const char *what) {
    if (sequence <= 0) {
        give_up(what);
    }
    log_note_durable(world);
    world->model.acknowledged = (uint64_t)sequence;
    progress();
}

void application_append(uint32_t length) {
    take(log_offer(world, NULL, length, ring_append, &for_ever), "nobody makes space for a record");
}

void application_roll(void) {
    world->model.has_rolls = 1;
    take(log_offer(world, &plain_roll, plain_roll.footer_bytes, ring_append_roll, &for_ever),
         "nobody makes space for a roll");
}

void application_await_files(void) {
    if (burst_await_drained(&application, -1) != 1) {
        give_up("nobody moves records to the log file");
    }
    progress();
}

void application_rest(int64_t duration_ns) {
    sim_thread_sleep("rest", duration_ns);
    progress();
}

/* ----------------------------------------------------------------------------------------------------- streams */

void application_open_stream(unsigned which) {
    struct sim_stream *stream = &world->streams[which];
    const struct engine_stream config = {.name = stream->name, .path = stream->path};
    if (stream->is_open) {
        return;
    }
    ring_commit(ring);
    if (ask(which, &config) < 0) {
        give_up("a stream cannot be opened");
    }
    stream->is_open = 1;
    progress();
}

void application_close_stream(unsigned which) {
    struct sim_stream *stream = &world->streams[which];
    ring_commit(ring);
    requests_close(world->engine->requests, &tickets[which], NULL, NULL);
    engine_ask(world->engine);
    stream->is_open = 0;
    stream->path = NULL;
    world->writes_to = world->writes_to == which ? 0 : world->writes_to;
    progress();
}

void application_write_to(unsigned which) {
    log_write_to(world, which);
}
