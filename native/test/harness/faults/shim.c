/* SPDX-License-Identifier: Apache-2.0 */
/* Counts calls, strikes, and notes what the engine holds. The wrappers are in shim_calls.c. */
#include "shim.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "media/layout.h"

#define DESCRIPTORS 1024

const char *const shim_call_names[CALLS] = {
#define CALL(name) #name,
    SHIM_CALLS(CALL)
#undef CALL
};

const char *const shim_role_names[ROLES] = {"-", "ring", "working file", "log file", "folder", "host"};

struct shim_weather shim_weather;

static _Thread_local int inside;
static _Atomic uint32_t counts[CALLS];
static struct shim_fault armed;
static struct shim_report report;
static _Atomic int session_failed;
static _Atomic uint32_t *kill_hits;
static _Atomic unsigned char roles[DESCRIPTORS]; /* 0: not open */
static _Atomic int descriptors;
static _Atomic int64_t mapped_bytes;

void shim_enter(void) {
    inside = 1;
}

void shim_enter_reader(void) {
    inside = 2;
}

void shim_leave(void) {
    inside = 0;
}

int shim_is_inside(void) {
    return inside;
}

void shim_arm(const struct shim_fault *fault) {
    memset(&armed, 0, sizeof armed);
    for (int call = 0; call < CALLS; call++) {
        atomic_store(&counts[call], 0);
    }
    atomic_store(&report.fired, 0);
    atomic_store(&report.roles, 0);
    atomic_store(&report.failed_data_writes, 0);
    atomic_store(&report.data_writes_after_failure, 0);
    if (fault != NULL) {
        armed = *fault;
    }
}

const struct shim_report *shim_report(void) {
    return &report;
}

uint32_t shim_count(enum shim_call call) {
    return atomic_load(&counts[call]);
}

void shim_count_kills(_Atomic uint32_t *hits) {
    kill_hits = hits;
}

void shim_begin_session(void) {
    atomic_store(&session_failed, 0);
}

/* ---------------------------------------------------------------------------------------------- what is held */

int shim_descriptors(void) {
    return atomic_load(&descriptors);
}

int64_t shim_mapped_bytes(void) {
    return atomic_load(&mapped_bytes);
}

void shim_mapped(int64_t bytes) {
    atomic_fetch_add(&mapped_bytes, bytes);
}

enum shim_role shim_role_of_path(const char *path) {
    if (path == NULL || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0) {
        return ROLE_HOST;
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    return strcmp(name, "ring") == 0                                   ? ROLE_RING
           : strstr(name, "-creating") != NULL                         ? ROLE_WORKING
           : strncmp(name, "log", 3) == 0 && strcmp(name, "logs") != 0 ? ROLE_LOG
                                                                       : ROLE_FOLDER;
}

enum shim_role shim_role_of(int fd) {
    return fd >= 0 && fd < DESCRIPTORS ? atomic_load(&roles[fd]) : ROLE_NONE;
}

void shim_opened(int fd, const char *path) {
    if (inside && fd >= 0 && fd < DESCRIPTORS) {
        atomic_fetch_add(&descriptors, 1);
        atomic_store(&roles[fd], (unsigned char)shim_role_of_path(path));
    }
}

void shim_duplicated(int fd, int of) {
    if (inside && fd >= 0 && fd < DESCRIPTORS) {
        atomic_fetch_add(&descriptors, 1);
        atomic_store(&roles[fd], (unsigned char)shim_role_of(of));
    }
}

void shim_closed(int fd) {
    if (inside && fd >= 0 && fd < DESCRIPTORS) {
        atomic_fetch_sub(&descriptors, 1);
        atomic_store(&roles[fd], ROLE_NONE);
    }
}

/* -------------------------------------------------------------------------------------------------- striking */

static int is_interruptible(enum shim_call call) {
    return call == CALL_pwrite || call == CALL_pwritev2 || call == CALL_pread || call == CALL_ftruncate ||
           call == CALL_getrandom || call == CALL_futex_wait || call == CALL_clock_nanosleep;
}

static int standing_effect(enum shim_call call) {
    static _Thread_local uint32_t looks[CALLS]; /* each thread's own: so none is interrupted for ever */
    if (shim_weather.interrupts && is_interruptible(call) && looks[call]++ % 2 == 0) {
        return EINTR;
    }
    return shim_weather.no_exclusive_rename && call == CALL_renameat2 ? EINVAL : EFFECT_NONE;
}

static int is_data_write(enum shim_call call, const struct shim_target *target) {
    return (call == CALL_pwritev2 || call == CALL_pwrite) && target->role == ROLE_RING &&
           target->offset >= (int64_t)LAYOUT_DATA_OFFSET;
}

static int is_kill(int effect) {
    return effect == EFFECT_KILL_BEFORE || effect == EFFECT_KILL_AFTER;
}

void shim_die(enum shim_call call, const struct shim_target *target) {
    if (kill_hits != NULL) {
        atomic_fetch_add(&kill_hits[point_of(call, target)], 1);
    }
    kill(getpid(), SIGKILL);
    for (;;) {
        pause();
    }
}

struct shim_verdict shim_before(enum shim_call call, const struct shim_target *target) {
    if (shim_weather.only_readers && inside != 2) {
        return (struct shim_verdict){.effect = EFFECT_NONE};
    }
    const uint32_t number = atomic_fetch_add(&counts[call], 1) + 1;
    struct shim_verdict verdict = {.effect = standing_effect(call)};
    if (is_data_write(call, target) && atomic_load(&session_failed)) {
        atomic_fetch_add(&report.data_writes_after_failure, 1);
    }
    if (armed.effect == EFFECT_NONE || call != armed.call || number < armed.first ||
        number - armed.first >= armed.times) {
        return verdict;
    }
    atomic_fetch_add(&report.fired, 1);
    atomic_fetch_or(&report.roles, 1u << target->role);
    if (armed.effect == EFFECT_KILL_BEFORE) {
        shim_die(call, target);
    }
    if (is_data_write(call, target) && armed.effect != EINTR && armed.effect != EAGAIN) {
        atomic_store(&session_failed, 1);
        atomic_fetch_add(&report.failed_data_writes, !is_kill(armed.effect));
    }
    verdict.kill_after = armed.effect == EFFECT_KILL_AFTER;
    verdict.effect = verdict.kill_after ? EFFECT_NONE : armed.effect;
    return verdict;
}

void shim_after(enum shim_call call, const struct shim_target *target, struct shim_verdict verdict) {
    if (verdict.kill_after) {
        shim_die(call, target);
    }
}
