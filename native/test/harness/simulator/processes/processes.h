/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of a simulated host: an application whose log another process drains, and its drains. A process is a number of
 * simulated threads, with memory, locks and descriptors of its own. It dies at any switch: its threads vanish, the kernel
 * ends the write that is under way, whole or in part, and lets go of its locks. The host, its files and what the processes
 * share live on.
 *
 * The processes run what production runs: threads, hand-over, close and requests of the log, and the whole of
 * `burstlog drain`. host.c has the files that they share, host_ring.c the window, the ring's medium and its guard.
 */
#ifndef BURST_TEST_SIMULATOR_PROCESSES_H
#define BURST_TEST_SIMULATOR_PROCESSES_H

#include "base/events.h"
#include "harness/simulator/threads/sim_threads.h"

#define ALLOCATIONS_MAX 512u

/* The operator starts and ends the others, and never dies. */
enum process_name { OPERATOR, APPLICATION, DRAIN, OTHER_DRAIN, PROCESSES };

struct process {
    int is_alive;
    int stands_still;
    unsigned lives;
    struct events events;
    int64_t starts_ns; /* it died, and is started again then; 0: it is not */
    int64_t goes_on_ns;
    int rc; /* of its last orderly end */
    char error[512];
    struct {
        void *memory;
        size_t bytes;
    } allocations[ALLOCATIONS_MAX];
    unsigned allocation_count;
};

extern struct process processes[PROCESSES];
extern const char *const process_names[PROCESSES];

/* A run begins: nothing lives. */
void processes_begin(struct world *world);
/* It ends: lets go of all that dead processes have left. */
void processes_end(void);

/* The operator calls these. */
void process_start(enum process_name process, void *(*run)(void *));

/* Any thread calls these, also one of the process itself: it is gone when it would switch. */
void process_kill(enum process_name process);
void process_stand_still(enum process_name process, int still);

/* A process calls this at its end: it must have let go of everything. */
void process_exit(int rc);

struct process *process_of_caller(void);

/* ---------------------------------------------------------------------------------------------------- host.c */

#define HOST_WINDOW_FD 4000000 /* and the number of the window */
/* Folders of the window, of which each has its own lock file. */
#define FOLDER_USUAL "/run/usual"
#define FOLDER_OTHER "/run/other"

void host_begin(struct world *world);
void host_end(void);
uint8_t *host_map(size_t bytes);
/* The kernel closes what the process had open. */
void host_close_all_of(unsigned process);
/* Whether the process has anything open. */
int host_has_open(unsigned process);
/* Whether the process has a lock, in whichever lock file. byte: enum locks_byte. */
int host_has_lock(unsigned process, unsigned byte);
/* Others delete the lock files: those who have them open keep their locks. */
void host_delete_lock_files(void);
/* ----------------------------------------------------------------------------------------------- host_ring.c */

void host_ring_begin(struct world *world);
void host_ring_end(void);
void host_ring_close_all_of(unsigned process);
int host_ring_is_open_in(unsigned process);
/* For the log that opens the ring, with its window in this folder. */
struct window_maker *host_window_maker(const char *folder, int has_requests);
/* From now on drains find the window of the caller. */
void host_offer_window(void);

#endif
