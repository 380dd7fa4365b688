/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/processes/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "harness/simulator/log.h"

struct process processes[PROCESSES];
const char *const process_names[PROCESSES] = {"operator", "application", "drain", "other drain"};

static struct world *host;
static const struct platform_ops *plain;

struct process *process_of_caller(void) {
    return &processes[host->process];
}

/* ------------------------------------------------------------------------------------------------------- memory */

static void *allocate(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    struct process *self = process_of_caller();
    if (self->allocation_count == ALLOCATIONS_MAX) {
        violation(host, "the %s allocates more and more", process_names[host->process]);
    }
    void *memory = plain->allocate(platform, bytes, kind);
    self->allocations[self->allocation_count].memory = memory;
    self->allocations[self->allocation_count++].bytes = bytes;
    return memory;
}

static void release(const struct platform *platform, void *memory, size_t bytes) {
    struct process *self = process_of_caller();
    unsigned place = 0;
    while (place < self->allocation_count && self->allocations[place].memory != memory) {
        place++;
    }
    if (place == self->allocation_count || self->allocations[place].bytes != bytes) {
        violation(host, "the %s releases memory that it has not", process_names[host->process]);
    }
    self->allocations[place] = self->allocations[--self->allocation_count];
    plain->release(platform, memory, bytes);
}

static void release_all(struct process *process) {
    for (unsigned i = 0; i < process->allocation_count; i++) {
        plain->release(&host->platform, process->allocations[i].memory, process->allocations[i].bytes);
    }
    process->allocation_count = 0;
}

/* ----------------------------------------------------------------------------------------------------- life, death */

void processes_begin(struct world *world) {
    static struct platform_ops ops;
    host = world;
    plain = world->platform.ops;
    ops = *plain;
    ops.allocate = allocate;
    ops.release = release;
    world->platform.ops = &ops;
    for (unsigned i = 0; i < PROCESSES; i++) {
        processes[i] = (struct process){.is_alive = i == OPERATOR};
        events_init(&processes[i].events, &world->platform);
    }
    host_begin(world);
}

void processes_end(void) {
    for (unsigned i = 0; i < PROCESSES; i++) {
        release_all(&processes[i]);
    }
    host_end();
    host->platform.ops = plain;
}

void process_start(enum process_name process, void *(*run)(void *)) {
    struct process *self = &processes[process];
    sim_threads_vanish(process);
    self->is_alive = 1;
    self->lives++;
    self->stands_still = 0;
    self->starts_ns = self->goes_on_ns = 0;
    self->rc = 0;
    events_init(&self->events, &host->platform);
    sim_thread_start_in(process, process_names[process], run, NULL);
}

static void bury(enum process_name process) {
    struct process *self = &processes[process];
    self->is_alive = 0;
    sim_threads_vanish(process);
    if (process == APPLICATION) {
        host->engine = NULL;
        log_forget_streams(host);
    }
}

void process_kill(enum process_name process) {
    struct process *self = &processes[process];
    if (self->is_alive) {
        sim_threads.in_kernel -= host->device.current[process].bytes > 0;
        sim_device_abandon(&host->device, process, process == APPLICATION);
        host_close_all_of(process);
        release_all(self);
        bury(process);
    }
}

void process_stand_still(enum process_name process, int still) {
    processes[process].stands_still = still;
    sim_threads_stand_still(process, still);
}

void process_exit(int rc) {
    const enum process_name process = host->process;
    struct process *self = &processes[process];
    self->rc = rc;
    snprintf(self->error, sizeof self->error, "%s", rc < 0 ? error_text() : "");
    if (self->allocation_count != 0 || host_has_open(process)) {
        violation(host, "the %s ends, and has %u allocations and %s open", process_names[process],
                  self->allocation_count, host_has_open(process) ? "a file" : "nothing");
    }
    self->is_alive = 0;
}
