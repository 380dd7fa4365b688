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
#include "log/calibrate.h"
#include "device/open.h"
#include "device/host/survival.h"
#include "log/log.h"
#include "log/log_file_open.h"
#include "media/superblock.h"
#include "log/ring_file.h"
#include "log/roll_slot.h"
#include "log/stream_rolling.h"
#include "log/stream_names.h"
#include "log/segments.h"

#define DEFAULT_DRAIN_INTERVAL_NS 100000000ull
#define DEFAULT_SHUTDOWN_TIMEOUT_NS 10000000000ull
#define ABSENT_STREAM_WAIT_NS 10000000000
#define USUAL_RECORD_BYTES 200
#define CONFIG_LEAST_BYTES offsetof(burst_config_t, drain_cpu) /* of the first header */

/* One allocation: each closed one stays, and a process has room for 65530 mappings. */
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

void(burst_config_init)(burst_config_t *config) {
    burst_config_init_bytes(config, CONFIG_LEAST_BYTES);
}

int burst_config_check(const burst_config_t *config) {
    struct checked_config checked;
    return config_check(config, &checked);
}

/* Before a ring file is made: what a file would survive there. */
static int check_place(const burst_config_t *config, burst_t *log, const char *file_name) {
    char ring[BURST_PATH_BYTES];
    struct survival of_ring;
    if (*file_name != '\0') { /* else the least demanding: BURST_DURABILITY_POWER */
        survival_of_place(file_name, &log->file_survives);
    }
    if (device_is_absent(config->ring) != 1 || config->io == BURST_IO_MAPPED ||
        path_absolute(config->ring, ring, sizeof ring) < 0) {
        return 0; /* the ring itself will be looked at */
    }
    survival_of_place(ring, &of_ring);
    return durability_check((int)config->durability, ring, &of_ring, file_name, &log->file_survives);
}

static int check_ring(const struct checked_config *config, burst_t *log) {
    struct survival of_ring = {.survives = log->device->survives}, of_segments;
    const char *file_name = config->file_name, *segments = config->segments.folder;
    const int asked = (int)config->values.durability;
    snprintf(of_ring.because, sizeof of_ring.because, "%s", log->device->survives_because);
    log->survives = (uint32_t)durability_weaker(&of_ring, &log->file_survives);
    int rc = durability_check(asked, log->device->path, &of_ring, file_name, &log->file_survives);
    if (rc == 0 && *segments != '\0') {
        survival_of_place(segments, &of_segments);
        rc = durability_check(asked, log->device->path, &of_ring, segments, &of_segments);
        const uint32_t survives = (uint32_t)of_segments.survives;
        log->survives = survives > log->survives ? survives : log->survives;
    }
    return rc;
}

static uint32_t cpus_here(void) {
    struct cpulist cpus = {{0}};
    const int known = sched_getaffinity(0, sizeof cpus, (cpu_set_t *)&cpus) == 0;
    return known && !cpulist_is_empty(&cpus) ? cpulist_count(&cpus) : 0;
}

/* The user whose ring file root has been given; 0: nobody else's, or no file. */
static uint32_t untrusted_ring_owner(const struct device *device) {
    return geteuid() == 0 && device->is_file ? device->file.owner : 0;
}

/* A record that is made durable alone takes whole blocks of the medium, however short it is. */
static void tell_writing(burst_t *log) {
    const struct superblock *superblock = ring_view_superblock(&log->engine->view);
    const uint32_t line_bytes = superblock_line_bytes(superblock);
    const uint64_t one =
        align_up(record_bytes(USUAL_RECORD_BYTES), line_bytes != 0 ? line_bytes : superblock->block_bytes);
    const uint64_t marks =
        (RING_MARKER_BLOCKS + 1) * (uint64_t)superblock->block_bytes; /* that of this open, and to come */
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

static void tell_survival(burst_t *log) {
    const char *of_ring = survival_name(log->device->survives), *of_file = survival_name(log->file_survives.survives);
    char file[BURST_PATH_BYTES];
    drain_copy_path(log->engine->drain, 0, file, sizeof file);
    if (*file != '\0' && strcmp(of_ring, of_file) == 0 &&
        strcmp(log->device->survives_because, log->file_survives.because) == 0) {
        events_post(&log->events, BURST_INFO, "ring %s and log file %s survive %s: %s", log->device->path, file,
                    of_ring, log->device->survives_because);
        return;
    }
    events_post(&log->events, BURST_INFO, "ring %s survives %s: %s", log->device->path, of_ring,
                log->device->survives_because);
    if (*file != '\0') {
        events_post(&log->events, BURST_INFO, "log file %s survives %s: %s", file, of_file, log->file_survives.because);
    }
}

static int open_engine(burst_t *log, const struct checked_config *checked) {
    const burst_config_t *config = &checked->values;
    const struct engine_parts parts = {.platform = &platform_linux,
                                       .device = log->device,
                                       .files = &files_posix,
                                       .raw_media = &raw_media_posix,
                                       .events = &log->events,
                                       .stages = log->stages};
    const struct engine_config engine_config = {
        .file_name = checked->file_name,
        .segments = checked->segments.folder[0] == '\0' ? NULL : checked->segments.folder,
        .segment_bytes = checked->segments.segment_bytes,
        .ring_bytes = config->ring_bytes,
        .max_record_bytes = config->max_record_bytes,
        .cpus = cpus_here(),
        .new_file = {.mode = config->file_mode, .owner = config->file_owner, .group = config->file_group},
        .absent_stream_wait_ns = ABSENT_STREAM_WAIT_NS,
        .roller = log->main.rolls != NULL     ? &log->main.rolls->roller
                  : log->main.rolling != NULL ? &log->main.rolling->roller
                                              : NULL,
        .untrusted_ring_owner = untrusted_ring_owner(log->device),
    };
    const int rc = engine_open(&parts, &engine_config, &log->engine);
    if (rc == 0) {
        tell_survival(log);
        tell_writing(log);
    }
    if (rc == 0 && log->device->fallback[0] != '\0') {
        events_post(&log->events, BURST_INFO, "ring %s: %s", log->device->path, log->device->fallback);
    }
    return rc;
}

/* Remembers what callers may ask for after close. */
static void remember(burst_t *log, const char *file_name) {
    struct drain_figures figures = {.began_empty = 0};
    drain_get_figures(log->engine->drain, 0, &figures);
    const int used = snprintf(log->durability, sizeof log->durability, "ring %.200s survives %s: %s", log->device->path,
                              survival_name(log->device->survives), log->device->survives_because);
    if (*file_name != '\0') {
        snprintf(log->durability + used, sizeof log->durability - (size_t)used, "\nlog file %.200s survives %s: %s",
                 file_name, survival_name(log->file_survives.survives), log->file_survives.because);
    }
    log->ring = log->engine->ring;
    stream_begin_main(&log->main, log, *file_name != '\0');
    log->destination_was_empty = figures.began_empty;
    log->provably_lost = log->engine->view.recovery.lost;
    recovery_statement(&log->engine->view.recovery, log->statement, sizeof log->statement);
    log->next = atomic_load(&all_logs);
    while (!atomic_compare_exchange_weak(&all_logs, &log->next, log)) {
    }
}

/* Nobody knows whether there was one before, but who moved or lost it should be reminded. */
static void tell_new_ring(burst_t *log, const char *file_name) {
    struct drain_figures figures = {.length = 0};
    drain_get_figures(log->engine->drain, 0, &figures);
    if (figures.length > 0) {
        events_post(&log->events, BURST_INFO,
                    "ring %s is new, and log file %s has %llu bytes already, which stay: "
                    "records come behind them. What an earlier ring of this log file may still hold is not looked for; "
                    "if there is one, run `burstlog recover` on it",
                    log->device->path, file_name, (unsigned long long)figures.length);
    }
}

static int open_log(burst_t *log, const struct checked_config *checked) {
    const burst_config_t *config = &checked->values;
    const char *file_name = checked->file_name;
    struct opened_ring ring = {.device = NULL};
    struct log_file_before before = {.is_missing = 0};
    if (*file_name != '\0') {
        log_file_look(file_name, &before);
    }
    int rc = check_place(config, log, file_name);
    rc = rc < 0 ? rc : ring_open(config, &ring);
    log->device = ring.device;
    rc = rc < 0 ? rc : check_ring(checked, log);
    rc = rc < 0 ? rc : ring_open_blocks(&ring, &log->events);
    if (rc == 0 && config->io == BURST_IO_AUTO) {
        device_calibrate(&log->device, 0);
    }
    if (rc == 0) {
        placement_of_image(&checked->placement, log->device);
        stages_init(log->stages, &platform_linux);
        rc = open_engine(log, checked);
    }
    if (rc == 0 && ring.is_untouched) {
        tell_new_ring(log, file_name);
    }
    const uint64_t interval_ns = config->drain_interval_ns != 0 ? config->drain_interval_ns : DEFAULT_DRAIN_INTERVAL_NS;
    const struct thread_settings settings = {.drain_interval_ns = (int64_t)interval_ns,
                                             .batch_delay_ns = (int64_t)config->batch_delay_ns,
                                             .batch_bytes = config->batch_bytes,
                                             .committer_spins = config->commit_spin != 0};
    rc = rc < 0 ? rc : threads_start(&log->threads, log->engine, &settings, log_let_go, log);
    if (rc == 0) {
        placement_of_threads(&checked->placement, &log->threads);
        remember(log, file_name);
        return 0;
    }
    if (log->engine != NULL) {
        engine_close(log->engine);
    }
    log_file_take_back(&before);
    if (log->device != NULL) {
        ring.device = log->device; /* calibration may have exchanged it */
        ring_open_undo(config, &ring);
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
    log->stages = &handle->stages;
    events_init(&log->events, &platform_linux);
    log->durability_asked = config->durability;
    log->shutdown_timeout_ns =
        (int64_t)(config->shutdown_timeout_ns != 0 ? config->shutdown_timeout_ns : DEFAULT_SHUTDOWN_TIMEOUT_NS);
    log->main.rule.on_full = config->on_full;
    log->main.rule.timeout_ns = config->block_timeout_ns == 0 ? -1 : (int64_t)config->block_timeout_ns;
    if (config->rolls_by_caller) {
        log->main.rolls = roll_slot_create();
        rc = log->main.rolls == NULL ? error_set(ENOMEM, "no memory to open ring %s", config->ring) : 0;
    }
    if (config->rolling != NULL) {
        rc = stream_rolling_create(config->ring, checked.file_name, config->rolling, config->max_record_bytes,
                                   &log->main.rolling);
    }
    pthread_mutex_init(&log->names_lock, NULL);
    if (rc == 0 && checked.file_name[0] != '\0') {
        rc = stream_names_take(log, &log->main, checked.file_name, log->main.rolling);
    }
    rc = rc < 0 ? rc : segments_prepare(log, &checked.segments, &log->main.retention);
    rc = rc < 0 ? rc : open_log(log, &checked);
    if (rc == -EBUSY) {
        log_explain_busy(atomic_load(&all_logs), config->ring);
    }
    if (rc < 0) {
        roll_slot_destroy(log->main.rolls);
        rolling_destroy(log->main.rolling);
        retention_destroy(log->main.retention);
        stream_names_let_go(&log->main);
        platform_release(&platform_linux, handle, sizeof *handle);
        return rc;
    }
    stream_rolling_begin(&log->main);
    segments_begin(&log->main);
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
