/* SPDX-License-Identifier: Apache-2.0 */
/* A set of CPUs, and how the kernel writes one: "3", "3-5,8". */
#ifndef BURST_BASE_CPULIST_H
#define BURST_BASE_CPULIST_H

#include <stddef.h>
#include <stdint.h>

#define CPULIST_CPUS 8192u /* the most that Linux can be built for */

/* Bit n of the whole is CPU n, as in the masks of sched_setaffinity. */
struct cpulist {
    unsigned long bits[CPULIST_CPUS / (8 * sizeof(unsigned long))];
};

/* Reads a list of at least one CPU. 0, or -EINVAL if it is none; then *list is empty. No sentence. */
int cpulist_parse(const char *text, struct cpulist *list);

/* "3-5,8", shortest; cut, with "..", where there is no room. */
void cpulist_format(const struct cpulist *list, char *text, size_t text_bytes);

int cpulist_has(const struct cpulist *list, unsigned cpu);
int cpulist_is_empty(const struct cpulist *list);
unsigned cpulist_count(const struct cpulist *list);

/* The first CPU that `list` has and `other` has not; -1 if there is none. */
int cpulist_first_beyond(const struct cpulist *list, const struct cpulist *other);

#endif
