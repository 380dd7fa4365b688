/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a log. */
#include "burstlog.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cpulist.h"
#include "base/error.h"
#include "base/path.h"
#include "base/size_signal.h"
#include "device/calibrate.h"
#include "device/open.h"
#include "device/survival.h"
#include "log.h"
#include "log_file_open.h"
#include "placement.h"
#include "ring_open.h"
#include "sink/accounts.h"

#define LEAST_RING_BYTES (2ull * 1024 * 1024)
#define DEFAULT_DRAIN_INTERVAL_NS 100000000ull
#define DEFAULT_SHUTDOWN_TIMEOUT_NS 10000000000ull
#define CONFIG_LEAST_BYTES offsetof(burst_config_t, drain_cpu) /* of the first header */
#define CONFIG_MOST_BYTES 4096                                 /* more is garbage */
#define FILE_NAME_MAX 230 /* NAME_MAX less what drain/next_file.c may add */

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

/* The caller's struct, of the size that its header gave it, as one of this library. */
static int take_config(const burst_config_t *given, burst_config_t *config) {
    const uint32_t bytes = given->struct_bytes;
    int unknown = bytes > CONFIG_MOST_BYTES;
    for (size_t i = sizeof *config; i < bytes && !unknown; i++) {
        unknown = ((const uint8_t *)given)[i] != 0;
    }
    if (bytes < CONFIG_LEAST_BYTES || unknown) {
        return error_set(EINVAL, "burst_config_t has %u bytes in the caller's header and %zu here: call "
                         "burst_config_init, and build against the burstlog.h of this library", bytes, sizeof *config);
    }
    memset(config, 0, sizeof *config);
    memcpy(config, given, bytes < sizeof *config ? bytes : sizeof *config);
    return 0;
}

static int check_config(const burst_config_t *config) {
    if (config->ring == NULL || *config->ring == '\0') {
        return error_set(EINVAL, "no ring is configured: name a block device or a file");
    }
    if (config->file_name == NULL || *config->file_name == '\0') {
        return error_set(EINVAL, "no log file is configured for ring %s", config->ring);
    }
    if (config->durability > BURST_DURABILITY_PROCESS || config->on_full > BURST_ON_FULL_DISCARD) {
        return error_set(EINVAL, "durability %u and on_full %u of ring %s must each be 0, 1 or 2", config->durability,
                         config->on_full, config->ring);
    }
    if (config->ring_bytes != 0 && config->ring_bytes < LEAST_RING_BYTES) {
        return error_set(EINVAL, "a ring of %llu bytes is too small (%s): at least %llu",
                         (unsigned long long)config->ring_bytes, config->ring, (unsigned long long)LEAST_RING_BYTES);
    }
    if (config->block_timeout_ns > INT64_MAX || config->drain_interval_ns > INT64_MAX ||
        config->shutdown_timeout_ns > INT64_MAX) {
        return error_set(EINVAL, "a timeout of ring %s is longer than %lld ns", config->ring, (long long)INT64_MAX);
    }
    if (config->batch_delay_ns > COMMITTER_DELAY_MOST_NS) {
        return error_set(EINVAL, "batchDelay of ring %s is %llu ns: at most %lld (1 s), as records that are only enqueued "
                         "are lost with the process", config->ring, (unsigned long long)config->batch_delay_ns,
                         COMMITTER_DELAY_MOST_NS);
    }
    if (config->batch_bytes != 0 && config->batch_delay_ns == 0) {
        return error_set(EINVAL, "batchSize of ring %s is %llu bytes, but it has no batchDelay: set how long a batch may wait "
                         "to get so large", config->ring, (unsigned long long)config->batch_bytes);
    }
    if (config->writer_spin > 1) {
        return error_set(EINVAL, "writer_spin of ring %s is %u: use 0 or 1", config->ring, config->writer_spin);
    }
    if (config->writer_spin && config->realtime_priority != 0 && (config->writer_cpu == NULL || *config->writer_cpu == '\0')) {
        return error_set(EINVAL, "ring %s asks for a burst-commit that spins with real-time priority %d, on no CPU of its own: "
                         "nothing else would run where it does; give it one with writerCpu", config->ring,
                         config->realtime_priority);
    }
    return 0;
}

/* The ring as its own log file would be overwritten by the drain. */
static int check_apart(const burst_config_t *config, const char *file_name) {
    char ring[BURST_PATH_BYTES], file[BURST_PATH_BYTES];
    struct stat ring_status, file_status;
    int same = path_follow(config->ring, ring, sizeof ring) == 0 && path_follow(file_name, file, sizeof file) == 0 &&
               strcmp(ring, file) == 0;
    if (stat(config->ring, &ring_status) == 0 && stat(file_name, &file_status) == 0) {
        same |= ring_status.st_dev == file_status.st_dev && ring_status.st_ino == file_status.st_ino;
    }
    if (strlen(path_name(file_name)) > FILE_NAME_MAX) {
        return error_set(EINVAL, "the name of log file %s is too long: at most %d characters after the last /, so that "
                         "a number can be added", file_name, FILE_NAME_MAX);
    }
    return same ? error_set(EINVAL, "ring and log file are the same file %s: give each its own", config->ring) : 0;
}

static int weaker(const struct survival *one, const struct survival *other) {
    return one->survives > other->survives ? one->survives : other->survives;
}

/* Ring and log file must each survive what is asked for: one sentence names whichever does not. */
static int check_durability(const burst_config_t *config, const char *ring, const struct survival *of_ring,
                            const char *file_name, const struct survival *of_file) {
    const int wanted = (int)config->durability, least = weaker(of_ring, of_file);
    const char *asked = survival_name(wanted), *have = survival_name(least);
    if (least <= wanted) {
        return 0;
    }
    if (of_file->survives <= wanted) {
        return error_set(EMEDIUMTYPE, "ring %s survives %s only, not %s: %s; use another medium, or ask for durability %s",
                         ring, survival_name(of_ring->survives), asked, of_ring->because, have);
    }
    if (of_ring->survives <= wanted) {
        return error_set(EMEDIUMTYPE, "log file %s survives %s only, not %s: %s; use another place, or ask for durability "
                         "%s", file_name, survival_name(of_file->survives), asked, of_file->because, have);
    }
    return error_set(EMEDIUMTYPE, "neither ring %.60s (survives %s: %.100s) nor log file %.60s (survives %s: %.100s) "
                     "survives %s; use other places, or ask for durability %s", ring, survival_name(of_ring->survives),
                     of_ring->because, file_name, survival_name(of_file->survives), of_file->because, asked, have);
}

/* Before a ring file is made: what a file would survive there. */
static int check_place(const burst_config_t *config, burst_t *log, const char *file_name) {
    char ring[BURST_PATH_BYTES];
    struct survival of_ring;
    survival_of_place(file_name, &log->file_survives);
    if (device_is_absent(config->ring) != 1 || config->io == BURST_IO_MAPPED ||
        path_absolute(config->ring, ring, sizeof ring) < 0) {
        return 0; /* the ring itself will be looked at */
    }
    survival_of_place(ring, &of_ring);
    return check_durability(config, ring, &of_ring, file_name, &log->file_survives);
}

static int check_ring(const burst_config_t *config, burst_t *log, const char *file_name) {
    struct survival of_ring = {.survives = log->device->survives};
    snprintf(of_ring.because, sizeof of_ring.because, "%s", log->device->survives_because);
    log->survives = (uint32_t)weaker(&of_ring, &log->file_survives);
    return check_durability(config, log->device->path, &of_ring, file_name, &log->file_survives);
}

static uint32_t cpus_here(void) {
    struct cpulist cpus = {{0}};
    const int known = sched_getaffinity(0, sizeof cpus, (cpu_set_t *)&cpus) == 0;
    return known && !cpulist_is_empty(&cpus) ? cpulist_count(&cpus) : 0;
}

/* The user whose ring file root has been given; 0: nobody else's, or no file. */
static uint32_t stranger(const struct device *device) {
    return geteuid() == 0 && device->is_file ? device->file.owner : 0;
}

static int open_engine(burst_t *log, const burst_config_t *config, const char *file_name) {
    const struct engine_parts parts = {
        .platform = &platform_linux, .device = log->device, .files = &files_posix, .events = &log->events,
        .stages = log->stages};
    const struct engine_config engine_config = {
        .file_name = file_name,
        .ring_bytes = config->ring_bytes,
        .max_record_bytes = config->max_record_bytes,
        .on_full = config->on_full,
        .block_timeout_ns = (int64_t)config->block_timeout_ns,
        .cpus = cpus_here(),
        .how = {.mode = config->file_mode, .owner = config->file_owner, .group = config->file_group},
        .stranger = stranger(log->device),
    };
    const int rc = engine_open(&parts, &engine_config, &log->engine);
    if (rc == 0) {
        events_post(&log->events, BURST_INFO, "ring %s survives %s: %s", log->device->path,
                    survival_name(log->device->survives), log->device->survives_because);
        char written[BURST_PATH_BYTES];
        drain_copy_path(log->engine->drain, written, sizeof written);
        events_post(&log->events, BURST_INFO, "log file %s survives %s: %s", written,
                    survival_name(log->file_survives.survives), log->file_survives.because);
    }
    if (rc == 0 && log->device->fallback[0] != '\0') {
        events_post(&log->events, BURST_INFO, "ring %s: %s", log->device->path, log->device->fallback);
    }
    if (rc == 0 && log->device->chosen_because[0] != '\0') {
        events_post(&log->events, BURST_INFO, "ring %s is written by %s: %s", log->device->path, log->device->ops->name,
                    log->device->chosen_because);
    }
    return rc;
}

/* Remembers what callers may ask for after close. */
static void remember(burst_t *log, const char *file_name) {
    snprintf(log->durability, sizeof log->durability, "ring %.200s survives %s: %s\nlog file %.200s survives %s: %s",
             log->device->path, survival_name(log->device->survives), log->device->survives_because, file_name,
             survival_name(log->file_survives.survives), log->file_survives.because);
    log->ring = log->engine->ring;
    log->destination_was_empty = (uint32_t)log->engine->drain->destination_was_empty;
    log->provably_lost = log->engine->view.recovery.lost;
    recovery_statement(&log->engine->view.recovery, log->statement, sizeof log->statement);
    log->next = atomic_load(&all_logs);
    while (!atomic_compare_exchange_weak(&all_logs, &log->next, log)) {
    }
}

/* Nobody knows whether there was one before, but who moved or lost it should be reminded. */
static void tell_new_ring(burst_t *log, const char *file_name) {
    const uint64_t bytes = atomic_load(&log->engine->drain->file_bytes);
    if (bytes > 0) {
        events_post(&log->events, BURST_INFO, "ring %s is new, and log file %s has %llu bytes already, which stay: "
                    "records come behind them. What an earlier ring of this log file may still hold is not looked for; "
                    "if there is one, run `burstlog recover` on it", log->device->path, file_name,
                    (unsigned long long)bytes);
    }
}

static int open_log(burst_t *log, const burst_config_t *config, const struct placement *placement,
                    const char *file_name) {
    const struct new_file how = {.owner = config->file_owner, .group = config->file_group};
    struct opened_ring ring = {.device = NULL};
    struct log_file_before before;
    int rc = check_apart(config, file_name);
    rc = rc < 0 ? rc : accounts_check(&how);
    log_file_look(file_name, &before);
    rc = rc < 0 ? rc : check_place(config, log, file_name);
    rc = rc < 0 ? rc : ring_open(config, &ring);
    log->device = ring.device;
    rc = rc < 0 ? rc : check_ring(config, log, file_name);
    rc = rc < 0 ? rc : ring_open_blocks(&ring, &log->events);
    if (rc == 0 && config->io == BURST_IO_AUTO) {
        device_calibrate(&log->device, 0);
    }
    if (rc == 0) {
        placement_of_image(placement, log->device);
        stages_init(log->stages, &platform_linux);
        rc = open_engine(log, config, file_name);
    }
    if (rc == 0 && ring.is_untouched) {
        tell_new_ring(log, file_name);
    }
    const uint64_t interval_ns =
        config->drain_interval_ns != 0 ? config->drain_interval_ns : DEFAULT_DRAIN_INTERVAL_NS;
    const struct pace pace = {.drain_interval_ns = (int64_t)interval_ns,
                              .batch_delay_ns = (int64_t)config->batch_delay_ns,
                              .batch_bytes = config->batch_bytes,
                              .committer_spins = config->writer_spin != 0};
    rc = rc < 0 ? rc : threads_start(&log->threads, log->engine, &pace, log_let_go, log);
    if (rc == 0) {
        placement_of_threads(placement, &log->threads);
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
    burst_config_t known;
    struct placement placement;
    const burst_config_t *config = &known;
    int rc = take_config(given, &known);
    rc = rc < 0 ? rc : check_config(config);
    rc = rc < 0 ? rc : placement_read(config, &placement);
    if (rc < 0) {
        return rc;
    }
    char file_name[BURST_PATH_BYTES];
    rc = path_absolute(config->file_name, file_name, sizeof file_name);
    if (rc < 0) {
        return error_set(-rc, "the name of log file %s cannot be used: %s", config->file_name, error_name(-rc));
    }
    struct handle *handle = platform_allocate(&platform_linux, sizeof *handle, PLATFORM_PLAIN);
    if (handle == NULL) {
        return error_set(ENOMEM, "no memory to open ring %s: %zu bytes", config->ring, sizeof *handle);
    }
    burst_t *log = &handle->log;
    log->stages = &handle->stages;
    events_init(&log->events, &platform_linux);
    log->shutdown_timeout_ns = (int64_t)(config->shutdown_timeout_ns != 0 ? config->shutdown_timeout_ns
                                                                         : DEFAULT_SHUTDOWN_TIMEOUT_NS);
    rc = open_log(log, config, &placement, file_name);
    if (rc == -EBUSY) {
        log_explain_busy(atomic_load(&all_logs), config->ring);
    }
    if (rc < 0) {
        platform_release(&platform_linux, handle, sizeof *handle);
        return rc;
    }
    *log_out = log;
    return 0;
}

int burst_open(const burst_config_t *given, burst_t **log_out) {
    struct size_signal held;
    const int before = cancel_hold();
    size_signal_hold(&held);
    const int rc = open_configured(given, log_out);
    size_signal_restore(&held);
    cancel_restore(before);
    return rc;
}
