/* SPDX-License-Identifier: Apache-2.0 */
/* A set of CPUs, and the kernel's way of writing one: "3", "3-5,8". */
#ifndef BURST_BASE_CPULIST_H
#define BURST_BASE_CPULIST_H

#include <stddef.h>
#include <stdint.h>

#define CPULIST_CPUS 8192u /* the most CPUs that a Linux kernel can be built for */

/* Bit n is CPU n, as in the masks of sched_setaffinity. */
struct cpulist {
    unsigned long bits[CPULIST_CPUS / (8 * sizeof(unsigned long))];
};

/* Reads a list of at least one CPU. Returns 0, or -EINVAL if the text is no such list; then *list is empty. Sets no
 * sentence. */
int cpulist_parse(const char *text, struct cpulist *list);

/* Writes the shortest form, such as "3-5,8". If there is no room, cuts it and ends it with "..". */
void cpulist_format(const struct cpulist *list, char *text, size_t text_bytes);

int cpulist_has(const struct cpulist *list, unsigned cpu);
int cpulist_is_empty(const struct cpulist *list);
unsigned cpulist_count(const struct cpulist *list);

/* The lowest CPU in `list` that is not in `other`; -1 if there is none. */
int cpulist_first_beyond(const struct cpulist *list, const struct cpulist *other);

#endif
