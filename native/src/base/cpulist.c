/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WORD_BITS (8 * sizeof(unsigned long))

static void add(struct cpulist *list, unsigned cpu) {
    list->bits[cpu / WORD_BITS] |= 1ul << cpu % WORD_BITS;
}

int cpulist_has(const struct cpulist *list, unsigned cpu) {
    return cpu < CPULIST_CPUS && (list->bits[cpu / WORD_BITS] >> cpu % WORD_BITS & 1) != 0;
}

int cpulist_first_beyond(const struct cpulist *list, const struct cpulist *other) {
    for (unsigned cpu = 0; cpu < CPULIST_CPUS; cpu++) {
        if (cpulist_has(list, cpu) && !cpulist_has(other, cpu))
            return (int)cpu;
    }
    return -1;
}

int cpulist_is_empty(const struct cpulist *list) {
    static const struct cpulist none;
    return memcmp(list, &none, sizeof(none)) == 0;
}

static void skip_spaces(const char **text) {
    while (isspace((unsigned char)**text))
        ++*text;
}

/* Reads a CPU number that Linux can have, and the spaces around it. */
static int parse_cpu(const char **text, unsigned *cpu) {
    skip_spaces(text);
    if (!isdigit((unsigned char)**text))
        return -EINVAL;
    for (*cpu = 0; isdigit((unsigned char)**text); ++*text) {
        *cpu = *cpu * 10 + (unsigned)(**text - '0');
        if (*cpu >= CPULIST_CPUS)
            return -EINVAL;
    }
    skip_spaces(text);
    return 0;
}

static int parse_range(const char **text, struct cpulist *list) {
    unsigned first, last;
    if (parse_cpu(text, &first) < 0)
        return -EINVAL;
    last = first;
    if (**text == '-') {
        ++*text;
        if (parse_cpu(text, &last) < 0 || last < first)
            return -EINVAL;
    }
    for (unsigned cpu = first; cpu <= last; cpu++)
        add(list, cpu);
    return 0;
}

int cpulist_parse(const char *text, struct cpulist *list) {
    memset(list, 0, sizeof(*list));
    for (;;) {
        if (parse_range(&text, list) < 0)
            break;
        if (*text == '\0')
            return 0;
        if (*text++ != ',')
            break;
    }
    memset(list, 0, sizeof(*list));
    return -EINVAL;
}

void cpulist_format(const struct cpulist *list, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (unsigned first = 0; first < CPULIST_CPUS; first++) {
        if (!cpulist_has(list, first))
            continue;
        unsigned last = first;
        while (cpulist_has(list, last + 1))
            last++;
        char range[32];
        int length = first == last ? snprintf(range, sizeof(range), "%s%u", used > 0 ? "," : "", first)
                                   : snprintf(range, sizeof(range), "%s%u-%u", used > 0 ? "," : "", first, last);
        if (used + (size_t)length + sizeof("..") > text_bytes) {
            snprintf(text + used, text_bytes - used, "..");
            return;
        }
        memcpy(text + used, range, (size_t)length + 1);
        used += (size_t)length;
        first = last;
    }
}

unsigned cpulist_count(const struct cpulist *list) {
    unsigned count = 0;
    for (size_t i = 0; i < sizeof(list->bits) / sizeof(list->bits[0]); i++)
        count += (unsigned)__builtin_popcountl(list->bits[i]);
    return count;
}
