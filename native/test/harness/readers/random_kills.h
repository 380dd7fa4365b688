/* SPDX-License-Identifier: Apache-2.0 */
/* Children that are killed at random, from a seed: at once, or at a system call. A child that ends by itself has done all it
 * had to, or that is a violation. */
#ifndef BURST_TEST_READERS_RANDOM_KILLS_H
#define BURST_TEST_READERS_RANDOM_KILLS_H

#include "harness/readers/pair.h"
#include "harness/readers/victim.h"

static uint32_t random_state = 1;
static unsigned long long kills_at_calls;

static inline uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* Takes the end of a child. It was killed, or has done all it had to. */
static inline void take_end(const char *who, int status, unsigned long long *kills) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        ++*kills;
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        VIOLATION("the %s ended with status %#x", who, (unsigned)status);
    }
}

static inline void kill_now(const char *who, pid_t child, unsigned long long *kills) {
    int status = 0;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    take_end(who, status, kills);
}

/* Kills it at one of its first `most` stops. Returns the number that it made. */
static inline uint64_t kill_at_a_call(const char *who, void (*run)(void), uint64_t most, unsigned long long *kills) {
    int status = 0;
    const unsigned long long before = *kills;
    const pid_t child = victim_start(run, 1);
    const uint64_t stops = victim_kill_at(child, 1 + next_random() % most, &status);
    take_end(who, status, kills);
    kills_at_calls += *kills - before;
    return stops;
}

#endif
