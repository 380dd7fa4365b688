/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a log. */
#include "burstlog.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cpulist.h"
#include "base/error.h"
#include "base/sigxfsz.h"
#include "log/config.h"
#include "log/durability.h"
#include "log/hand_over.h"
#include "log/calibrate.h"
#include "device/open.h"
#include "device/host/survival.h"
#include "log/log.h"
#include "log/log_window.h"
#include "window/locks.h"
#include "media/superblock.h"
#include "log/ring_file.h"
#include "log/stream_open.h"
#include "log/tidying.h"

#define DEFAULT_DRAIN_INTERVAL_NS 100000000ull
#define DEFAULT_SHUTDOWN_TIMEOUT_NS 10000000000ull
#define ABSENT_STREAM_WAIT_NS 10000000000
#define USUAL_RECORD_BYTES 200
#define DRAIN_POLL_NS 20000000

/* One allocation for all parts: each closed log stays, and a process has room for only 65530 mappings. */
struct handle {
    burst_t log;
    struct stages stages;
};

static _Atomic(burst_t *) all_logs;

uint32_t burst_abi_version(void) {
    return BURST_ABI_VERSION;
}

const char *burst_version(void) {
    return BURST_VERSION;
}

const char *burst_last_error(void) {
    return error_text();
}

void burst_config_init_bytes(burst_config_t *config, size_t struct_bytes) {
    memset(config, 0, struct_bytes);
    config->struct_bytes = (uint32_t)struct_bytes;
}

int burst_config_check(const burst_config_t *config) {
    struct checked_config checked;
    return config_check(config, &checked);
}

/* *least: the class of the weakest medium. */
static int check_survival(const struct checked_config *checked, const char *ring, const struct survival *of_ring,
                          uint32_t *least) {
    const struct survival all = {.survives = BURST_DURABILITY_POWER};
    const int asked = (int)checked->values.durability;
    *least = (uint32_t)of_ring->survives;
    const int rc =
        checked->values.main == NULL ? 0 : durability_check_stream(asked, ring, of_ring, &checked->main, least);
    return rc < 0 ? rc : durability_check(asked, ring, of_ring, "", &all);
}

/* Checks, before a ring file is made, whether it would survive the configured losses there. */
static int check_place(const struct checked_config *checked) {
    const burst_config_t *config = &checked->values;
    char ring[BURST_PATH_BYTES];
    struct survival of_ring;
    uint32_t least;
    if (device_is_absent(config->ring) != 1 || config->io == BURST_IO_MAPPED ||
        path_absolute(config->ring, ring, sizeof ring) < 0) {
        return 0; /* the ring itself will be looked at */
    }
    survival_of_place(ring, &of_ring);
    return check_survival(checked, ring, &of_ring, &least);
}

/* A drain that opens a dead ring holds it until its marker is written. */
static int open_medium(const struct checked_config *checked, struct opened_ring *ring) {
    const int may_wait = checked->values.drain == BURST_DRAIN_EXTERNAL;
    const int64_t until_ns = platform_deadline_ns(&platform_linux, LOCKS_WAIT_NS);
    int rc;
    while ((rc = ring_open(&checked->values, ring)) == -EBUSY && may_wait &&
           platform_monotonic_ns(&platform_linux) < until_ns) {
        platform_linux.ops->sleep_ns(&platform_linux, DRAIN_POLL_NS);
    }
    return rc;
}

/* Opens the medium of the ring with the fastest engine. *ring has what was made, even after an error. */
static int open_ring(const struct checked_config *checked, burst_t *log, struct opened_ring *ring) {
    struct survival of_ring;
    int rc = check_place(checked);
    rc = rc < 0 ? rc : open_medium(checked, ring);
    if (rc < 0) {
        return rc;
    }
    of_ring.survives = ring->device->survives;
    snprintf(of_ring.because, sizeof of_ring.because, "%s", ring->device->survives_because);
    uint32_t survives;
    rc = check_survival(checked, ring->device->path, &of_ring, &survives);
    rc = rc < 0 ? rc : ring_open_blocks(ring, &log->events);
    if (rc == 0) {
        if (checked->values.io == BURST_IO_AUTO) {
            device_calibrate(&ring->device, 0);
        }
        placement_of_image(&checked->placement, ring->device);
        log->survives = survives;
        log->device = ring->device;
    }
    return rc;
}

static uint32_t cpus_here(void) {
    struct cpulist cpus = {{0}};
    const int known = sched_getaffinity(0, sizeof cpus, (cpu_set_t *)&cpus) == 0;
    return known && !cpulist_is_empty(&cpus) ? cpulist_count(&cpus) : 0;
}

/* The user whose ring file root opens; 0: no other user's, or no file. */
static uint32_t untrusted_ring_owner(const struct device *device) {
    return geteuid() == 0 && device->is_file ? device->file.owner : 0;
}

/* A record that is committed alone takes whole blocks of the medium, however short it is. */
static void tell_writing(burst_t *log) {
    const struct superblock *superblock = ring_view_superblock(&log->engine->view);
    const uint32_t line_bytes = superblock_line_bytes(superblock);
    const uint64_t one =
        align_up(record_bytes(USUAL_RECORD_BYTES), line_bytes != 0 ? line_bytes : superblock->block_bytes);
    const uint64_t marks =
        (RING_MARKER_BLOCKS + 1) * (uint64_t)superblock->block_bytes; /* for this open's marker and the next ones */
    const char *because = log->device->chosen_because;
    events_post(
        &log->events, BURST_INFO,
        "ring %s of %llu bytes is written by %s%s%s; it has room for %llu "
        "records of %d bytes if each is made durable alone, which takes %llu bytes, and for more if several are made "
        "durable together",
        log->device->path, (unsigned long long)(superblock->data_offset + superblock->capacity_bytes),
        log->device->ops->name, *because != '\0' ? ": " : "", because,
        (unsigned long long)((superblock->capacity_bytes - marks) / one), USUAL_RECORD_BYTES, (unsigned long long)one);
}

/* Tells both in one event if they are alike. */
static void tell_survival(burst_t *log, const char *file, const struct survival *of_file) {
    const struct device *device = log->device;
    const char *ring_survives = survival_name(device->survives), *file_survives = survival_name(of_file->survives);
    if (strcmp(ring_survives, file_survives) == 0 && strcmp(device->survives_because, of_file->because) == 0) {
        events_post(&log->events, BURST_INFO, "ring %s and log file %s survive %s: %s", device->path, file,
                    ring_survives, device->survives_because);
        return;
    }
    events_post(&log->events, BURST_INFO, "ring %s survives %s: %s", device->path, ring_survives,
                device->survives_because);
    if (*file != '\0') {
        events_post(&log->events, BURST_INFO, "log file %s survives %s: %s", file, file_survives, of_file->because);
    }
}

/* Tells it as an event now, and keeps it for burst_durability_statement. */
static void state_survival(burst_t *log, const struct checked_config *checked) {
    const struct device *device = log->device;
    const int used = snprintf(log->durability, sizeof log->durability, "ring %.200s survives %s: %s", device->path,
                              survival_name(device->survives), device->survives_because);
    struct survival of_file = {.because = ""};
    char file[BURST_PATH_BYTES] = "";
    if (checked->values.main != NULL) {
        survival_of_place(checked->main.file_name, &of_file);
        snprintf(log->durability + used, sizeof log->durability - (size_t)used, "\nlog file %.200s survives %s: %s",
                 checked->main.file_name, survival_name(of_file.survives), of_file.because);
        engine_copy_path(log->engine, LAYOUT_MAIN_STREAM, file, sizeof file);
    }
    tell_survival(log, file, &of_file);
}

/* Nobody knows whether there was a ring before. The operator who moved or lost it should be reminded. */
static void tell_new_ring(burst_t *log, const char *file_name) {
    struct drain_figures figures = {.length = 0};
    engine_get_figures(log->engine, LAYOUT_MAIN_STREAM, &figures);
    if (figures.length > 0) {
        events_post(&log->events, BURST_INFO,
                    "ring %s is new, and log file %s has %llu bytes already, which stay: "
                    "records come behind them. What an earlier ring of this log file may still hold is not looked for; "
                    "if there is one, run `burstlog recover` on it",
                    log->device->path, file_name, (unsigned long long)figures.length);
    }
}

/* Makes the engine's configuration. main: the main stream, or NULL. */
static int open_engine(burst_t *log, const struct checked_config *checked, const struct engine_stream *main,
                       enum engine_drains drains) {
    const struct engine_parts parts = {.platform = &platform_linux,
                                       .device = log->device,
                                       .files = &files_posix,
                                       .raw_media = &raw_media_posix,
                                       .events = &log->events,
                                       .stages = log->stages,
                                       .rolled = tidying_note,
                                       .rolled_argument = log,
                                       .reads_slots = drains != ENGINE_DRAINS,
                                       .window_maker = log_window_maker(log, checked)};
    const struct engine_config engine_config = {
        .main = drains == ENGINE_DRAINS_NOT ? NULL : main,
        .drains = drains,
        .ring_bytes = checked->values.ring_bytes,
        .max_record_bytes = checked->values.max_record_bytes,
        .cpus = cpus_here(),
        .untrusted_ring_owner = untrusted_ring_owner(log->device),
        .absent_stream_wait_ns = ABSENT_STREAM_WAIT_NS,
        .copy = checked->values.copy,
    };
    stages_init(log->stages, &platform_linux);
    const int64_t until_ns = platform_deadline_ns(&platform_linux, LOCKS_WAIT_NS);
    int rc;
    while ((rc = engine_open(&parts, &engine_config, &log->engine)) == -EAGAIN &&
           platform_monotonic_ns(&platform_linux) < until_ns) {
        log_window_renew(log, checked);
        platform_linux.ops->sleep_ns(&platform_linux, DRAIN_POLL_NS);
    }
    return rc;
}

static int start_threads(burst_t *log, const struct checked_config *checked) {
    const burst_config_t *config = &checked->values;
    const uint64_t interval_ns = config->drain_interval_ns != 0 ? config->drain_interval_ns : DEFAULT_DRAIN_INTERVAL_NS;
    const struct thread_settings settings = {.drain_interval_ns = (int64_t)interval_ns,
                                             .batch_delay_ns = (int64_t)config->batch_delay_ns,
                                             .batch_bytes = config->batch_bytes,
                                             .committer_spins = config->commit_spin != 0};
    const struct thread_host host = {
        .argument = log, .look = hand_over_look, .pause_ns = hand_over_pause_ns, .last = log_let_go};
    return threads_start(&log->threads, log->engine, &settings, &host);
}

static void tell_open(burst_t *log, const struct checked_config *checked, const struct opened_ring *ring) {
    state_survival(log, checked);
    tell_writing(log);
    if (log->device->fallback[0] != '\0') {
        events_post(&log->events, BURST_INFO, "ring %s: %s", log->device->path, log->device->fallback);
    }
    if (ring->is_untouched && checked->values.main != NULL) {
        tell_new_ring(log, checked->main.file_name);
    }
}

/* Keeps the answers that callers may ask for after the close. */
static void remember(burst_t *log) {
    log->ring = log->main.ring = log->engine->ring;
    log->provably_lost = log->engine->view.recovery.lost;
    log->gaps = (uint32_t)log->engine->view.recovery.jump_count;
    recovery_statement(&log->engine->view.recovery, log->statement, sizeof log->statement);
    log->next = atomic_load(&all_logs);
    while (!atomic_compare_exchange_weak(&all_logs, &log->next, log)) {
    }
}

/* This process has opened the main stream. A drain that comes finds it among the requests. */
static int note_main(burst_t *log, const struct engine_stream *main) {
    struct requests *requests = log->engine->requests;
    if (main == NULL) {
        return 0;
    }
    const int rc = requests_open(requests, log->device->path, main, &log->main.request);
    if (rc == 0) {
        requests_note_open(requests, &log->main.request, LAYOUT_MAIN_STREAM);
    }
    return rc;
}

/* Opens ring, engine and threads, and the main stream that is wanted; NULL: none. After an error nothing of it is left. */
static int open_log(burst_t *log, const struct checked_config *checked, const struct engine_stream *main) {
    struct opened_ring ring = {.device = NULL};
    enum engine_drains drains = ENGINE_DRAINS;
    int rc = log_window_prepare(log, checked);
    rc = rc < 0 ? rc : open_ring(checked, log, &ring);
    rc = rc < 0 ? rc : hand_over_begin(log, checked, ring.uuid, &drains);
    rc = rc < 0 ? rc : open_engine(log, checked, main, drains);
    if (rc == 0) {
        memcpy(log->uuid, ring.uuid, sizeof log->uuid);
        tell_open(log, checked, &ring);
        rc = drains == ENGINE_DRAINS_NOW ? note_main(log, main) : 0;
    }
    if (rc == 0) {
        hand_over_opened(log);
        rc = start_threads(log, checked);
    }
    if (rc == 0) {
        remember(log); /* before a reader can ask for figures */
        log_window_open(log, checked);
        log_window_record(log, checked);
        placement_of_threads(&checked->placement, &log->threads);
        tidying_begin(log);
        return 0;
    }
    if (log->engine != NULL) {
        engine_close(log->engine);
    }
    if (ring.device != NULL) {
        ring_open_undo(&checked->values, &ring);
    }
    hand_over_end(log);
    log_window_free(log);
    return rc;
}

/* The drain of another process opens the main stream. If it cannot, the log is closed again. */
static int await_main(burst_t *log, const struct checked_config *checked, struct stream_opening *main) {
    char bound[BURST_PATH_BYTES];
    const size_t bytes = strlen(checked->main.file_name);
    engine_copy_path(log->engine, LAYOUT_MAIN_STREAM, bound, sizeof bound);
    const int is_known =
        strncmp(bound, checked->main.file_name, bytes) == 0 && (bound[bytes] == '\0' || bound[bytes] == '.');
    log_enter(log);
    const int rc = stream_await_opening(&log->main, main, checked->main.file_name, is_known);
    log_leave(log);
    if (rc < 0) {
        char sentence[BURST_PATH_BYTES + BURST_TEXT_BYTES];
        snprintf(sentence, sizeof sentence, "%s", error_text());
        burst_close_within(log, log->shutdown_timeout_ns);
        error_set(-rc, "%s", sentence);
    }
    return rc;
}

static int open_with_main(burst_t *log, const struct checked_config *checked) {
    const burst_config_t *config = &checked->values;
    struct stream_opening *main;
    if (config->main == NULL) {
        return open_log(log, checked, NULL);
    }
    int rc = stream_prepare(log, config->ring, config->max_record_bytes, &checked->main, &log->main, &main);
    if (rc < 0) {
        return rc;
    }
    rc = open_log(log, checked, stream_wanted(main));
    if (rc < 0) {
        stream_take_back(&log->main, main);
    } else if (log->is_external && log->main.request.number == 0) {
        rc = await_main(log, checked, main);
    } else {
        stream_start(&log->main, main, LAYOUT_MAIN_STREAM);
    }
    return rc;
}

static int open_configured(const burst_config_t *given, burst_t **log_out) {
    *log_out = NULL;
    struct checked_config checked;
    int rc = config_check(given, &checked);
    if (rc < 0) {
        return rc;
    }
    const burst_config_t *config = &checked.values;
    struct handle *handle = platform_allocate(&platform_linux, sizeof *handle, PLATFORM_PLAIN);
    if (handle == NULL) {
        return error_set(ENOMEM, "no memory to open ring %s: %zu bytes", config->ring, sizeof *handle);
    }
    burst_t *log = &handle->log;
    log->main.log = log;
    log->stages = &handle->stages;
    events_init(&log->events, &platform_linux);
    pthread_mutex_init(&log->names_lock, NULL);
    log->durability_asked = config->durability;
    log->shutdown_timeout_ns =
        (int64_t)(config->shutdown_timeout_ns != 0 ? config->shutdown_timeout_ns : DEFAULT_SHUTDOWN_TIMEOUT_NS);
    log->is_external = config->drain == BURST_DRAIN_EXTERNAL;
    rc = open_with_main(log, &checked);
    if (rc == -EBUSY) {
        log_explain_busy(atomic_load(&all_logs), config->ring);
    }
    if (rc < 0 && log->ring != NULL) {
        return rc; /* it was open, and stays as a closed one */
    }
    if (rc < 0) {
        platform_release(&platform_linux, handle, sizeof *handle);
        return rc;
    }
    *log_out = log;
    return 0;
}

int burst_open(const burst_config_t *given, burst_t **log_out) {
    struct sigxfsz_state held;
    const int before = cancel_hold();
    sigxfsz_block(&held);
    const int rc = open_configured(given, log_out);
    sigxfsz_restore(&held);
    cancel_restore(before);
    return rc;
}
